"""Parts of arrays: calls of np.split, np.array_split and their like -> equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.build import Builder, E
from codegen.primitives.reduce import axes, of_array
from codegen.primitives.row import first_argument

NOT_EQUAL = "array split does not result in an equal division"


@of_array(np.array_split, views=first_argument)
def array_split(b: Builder, x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """In so many parts of about one length, the first ones longer; or before each of these places."""
    sections = indices_or_sections
    (k,) = axes(x, axis)
    if isinstance(sections, tuple | list):
        return parts_at(x, list(sections), k)
    count = known_count(sections)
    n = x.shape[k]
    each, longer = n // count, n % count
    ends = [each * part + b.apply("minimum", longer, part) for part in range(1, count)]
    return parts_at(x, ends, k)


@of_array(np.split, views=first_argument)
def split(b: Builder, x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """As `array_split`, of parts that are all as long."""
    if not isinstance(indices_or_sections, tuple | list):
        (k,) = axes(x, axis)
        rest = x.shape[k] % known_count(indices_or_sections)
        if isinstance(rest, E):
            b.require(b.apply("eq", rest, 0), "ValueError", NOT_EQUAL)
        elif rest:
            raise ValueError(NOT_EQUAL)
    return array_split(b, x, indices_or_sections, axis)


def known_count(sections: Any) -> int:
    if not isinstance(sections, int | np.integer) or isinstance(sections, bool):
        raise TypeError("split: the number of parts must be an int that is known when the function is read")
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    return int(sections)


def parts_at(x: Any, ends: list[Any], k: int) -> list[Any]:
    whole = (slice(None),) * k
    return [x[(*whole, slice(start, stop))] for start, stop in zip([0, *ends], [*ends, None], strict=True)]


def along(axis_of: Callable[[Any], int], name: str, least: int) -> Callable[..., Any]:
    """`split` along one axis."""

    def build(b: Builder, x: Any, indices_or_sections: Any) -> Any:
        if x.ndim < least:
            raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
        return split(b, x, indices_or_sections, axis_of(x))

    return build


of_array(np.hsplit, views=first_argument)(along(lambda x: 0 if x.ndim == 1 else 1, "hsplit", 1))
of_array(np.vsplit, views=first_argument)(along(lambda x: 0, "vsplit", 2))
of_array(np.dsplit, views=first_argument)(along(lambda x: 2, "dsplit", 3))
