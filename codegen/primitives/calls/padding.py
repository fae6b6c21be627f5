"""Margins around arrays: a call of np.pad -> equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.build import Builder
from codegen.primitives.calls.joining import concatenate
from codegen.primitives.reduce import of_array
from codegen.primitives.shape import checked_size, step_is


@of_array(np.pad)
def pad(b: Builder, x: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    """A margin at both ends of each axis: a number, the outermost element, or the axis turned round or again."""
    if mode not in ("constant", *MARGINS):
        raise TypeError(f"pad: the modes are 'constant', {', '.join(map(repr, MARGINS))}")
    widths = margins(b, x, pad_width)
    if mode != "constant":
        require_what_is_repeated(b, x, widths)
        return between_repeated(
            x, [places_of_margins(b, MARGINS[mode], *pair) for pair in zip(widths, x.shape)]
        )
    for k, around in enumerate(widths):
        number = b.apply("cast", constant_values, dtype=x.type.dtype)
        shapes = ((*x.shape[:k], m, *x.shape[k + 1 :]) for m in around)
        ends = [b.apply("full", number, *shape, dtype=x.type.dtype) for shape in shapes]
        x = concatenate(b, (ends[0], x, ends[1]), k)
    return x


def require_what_is_repeated(b: Builder, x: Any, widths: list[tuple[Any, Any]]) -> None:
    """Each axis that gets a margin has something."""
    for k, (before, after) in enumerate(widths):
        if step_is(before, 0) and step_is(after, 0):
            continue
        some = b.apply("gt", x.shape[k], 0)
        known = any(m for m in (before, after) if isinstance(m, int))
        b.require(
            some if known else b.apply("or", some, b.apply("eq", before + after, 0)),
            "ValueError",
            f"can't extend empty axis {k} using modes other than 'constant' or 'empty'",
        )


def places_of_margins(b: Builder, place: Callable[..., Any], widths: tuple[Any, Any], n: Any) -> list[Any]:
    """Of both margins of an axis, which places are repeated there; of an axis that has none, nothing."""
    if all(step_is(width, 0) for width in widths):
        return []
    firsts = zip(widths, (-widths[0], n))
    return [place(b.apply("arange", width, dtype="i8") + first, n) for width, first in firsts]


def between_repeated(x: Any, places: list[list[Any]]) -> Any:
    """The array between margins along its first axes. Those of the last of these are made of the array as it was given,
    and get their own margins along the others: so each number is written once."""
    if not places:
        return x
    *others, last = places
    middle = between_repeated(x, others)
    ends = [between_repeated(x[(*(slice(None),) * len(others), each)], others) for each in last]
    return concatenate(x.builder, (ends[0], middle, ends[1]), len(others)) if ends else middle


def turned_round(place: Any, n: Any, period: Any, last: Any) -> Any:
    """To the end and back."""
    k = place % period
    return np.minimum(k, last - k)


MARGINS: dict[str, Callable[[Any, Any], Any]] = {
    "edge": lambda place, n: np.maximum(np.minimum(place, n - 1), 0),
    "wrap": lambda place, n: place % n,
    "symmetric": lambda place, n: turned_round(place, n, 2 * n, 2 * n - 1),
    "reflect": lambda place, n: turned_round(place, n, *(np.maximum(2 * n - 2, 1),) * 2) * (n > 1),
}


def margins(b: Builder, x: Any, pad_width: Any) -> list[tuple[Any, Any]]:
    """Before and after each axis, of one number, a pair, or a pair for each axis."""
    pairs = pad_width if isinstance(pad_width, tuple | list) else (pad_width,)
    if not any(isinstance(pair, tuple | list) for pair in pairs):
        pairs = (pairs,)
    if len(pairs) not in (1, x.ndim) or any(len(pair) not in (1, 2) for pair in pairs):
        raise ValueError("pad_width is a number, a pair of them, or a pair for each axis")
    message = "index can't contain negative values"
    made = [tuple(checked_size(b, n, message) for n in (pair[0], pair[-1])) for pair in pairs]
    return made * (x.ndim if len(made) == 1 else 1)
