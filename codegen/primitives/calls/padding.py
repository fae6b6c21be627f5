"""Margins around arrays: a call of np.pad -> equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.build import Builder
from codegen.primitives.calls.joining import concatenate
from codegen.primitives.calls.reshaping import broadcast_to
from codegen.primitives.fits import fit
from codegen.primitives.reduce import of_array
from codegen.primitives.row import FUNCTIONS
from codegen.primitives.shape import checked_size, step_is
from codegen.runtime.ordering.order import ordered_rows


@of_array(np.pad)
def pad(
    b: Builder,
    x: Any,
    pad_width: Any,
    mode: Any = "constant",
    constant_values: Any = ...,
    stat_length: Any = ...,
    end_values: Any = ...,
    reflect_type: Any = ...,
) -> Any:
    """A margin at both ends of each axis: a number, the outermost element, the axis turned round or again, what is
    found of it, or the way from a number to its end. What is in an `empty` one is 0."""
    if mode not in (*NUMBERS, "linear_ramp", *STATISTICS, *MARGINS):
        known = (*NUMBERS, "linear_ramp", *STATISTICS, *MARGINS)
        raise TypeError(f"pad: the modes are {', '.join(map(repr, known))}")
    if reflect_type not in (..., None, "even", "odd"):
        raise TypeError(f"pad: reflect_type is 'even' or 'odd', not {reflect_type!r}")
    for modes, given in (
        (("constant",), constant_values),
        (("linear_ramp",), end_values),
        (STATISTICS, stat_length),
        (TURNED, reflect_type),
    ):
        if given is not ... and mode not in modes:
            raise ValueError(f"unsupported keyword arguments for mode {mode!r}")
    widths = margins(b, x, pad_width)
    if mode in TURNED and reflect_type == "odd":
        require_what_is_repeated(b, x, widths)
        for k, around in enumerate(widths):
            x = between_continued(b, x, k, mode, around)
        return x
    if mode in MARGINS:
        require_what_is_repeated(b, x, widths)
        return between_repeated(
            x, [places_of_margins(b, MARGINS[mode], *pair) for pair in zip(widths, x.shape)]
        )
    if mode not in NUMBERS:
        require_what_is_repeated(b, x, widths)
    given = end_values if mode == "linear_ramp" else constant_values
    numbers = numbers_at_ends(x, 0 if given is ... else given)
    lengths = lengths_at_ends(x, stat_length)
    for k, around in enumerate(widths):
        if all(step_is(width, 0) for width in around):
            continue
        if mode in STATISTICS:
            ends = [found_at_end(b, x, k, mode, *each) for each in zip(lengths[k], (False, True))]
        else:
            ends = list(numbers[k])
        if mode == "linear_ramp":
            made = [ramp(b, x, k, *each) for each in zip(ends, around, (False, True))]
        else:
            ends = [assigned_to(b, end, x.type.dtype) for end in ends]
            made = [
                broadcast_to(b, end, (*x.shape[:k], m, *x.shape[k + 1 :])) for end, m in zip(ends, around)
            ]
        x = concatenate(b, (made[0], x, made[1]), k)
    return x


def assigned_to(b: Builder, number: Any, dtype: str) -> Any:
    """What is assigned to a margin, as NumPy's number, which wraps if the dtype has no sign."""
    return b.apply("cast", number, dtype=dtype) if dtype[0] == "u" else fit(b, number, dtype)


def numbers_at_ends(x: Any, given: Any) -> list[tuple[Any, Any]]:
    """The numbers of both ends of each axis, of one number, a pair, or a pair for each axis."""
    pairs = given if isinstance(given, tuple | list) else (given,)
    if not any(isinstance(pair, tuple | list) for pair in pairs):
        pairs = (pairs,)
    if len(pairs) not in (1, x.ndim) or any(len(pair) not in (1, 2) for pair in pairs):
        raise ValueError("what is at the ends is a number, a pair of them, or a pair for each axis")
    return [(pair[0], pair[-1]) for pair in pairs] * (x.ndim if len(pairs) == 1 else 1)


def lengths_at_ends(x: Any, given: Any) -> list[tuple[Any, Any]]:
    """Of how many elements of both ends of each axis something is found, None for all."""
    made = numbers_at_ends(x, None if given is ... else given)
    if any(not isinstance(n, int | None) or n is not None and n < 1 for pair in made for n in pair):
        raise ValueError("stat_length is of known ints above 0")
    return made


def part_of_axis(x: Any, axis: int, part: slice) -> Any:
    return x[(*(slice(None),) * axis, part)]


def found_at_end(b: Builder, x: Any, axis: int, mode: str, length: Any, is_last: bool) -> Any:
    """What is found of so many elements of an axis at one end, of ints as an int."""
    if length is not None:
        n = x.shape[axis]
        x = part_of_axis(x, axis, slice(np.maximum(n - length, 0), None) if is_last else slice(0, length))
    made = STATISTICS[mode](x, axis)
    is_whole = x.type.dtype[0] in "iu" and mode in ("mean", "median")
    return b.apply("cast", np.rint(made) if is_whole else made, dtype=x.type.dtype)


NUMBERS = ("constant", "empty")
STATISTICS: dict[str, Callable[[Any, int], Any]] = {
    "mean": lambda x, axis: np.mean(x, axis=axis, keepdims=True),
    "maximum": lambda x, axis: np.max(x, axis=axis, keepdims=True),
    "minimum": lambda x, axis: np.min(x, axis=axis, keepdims=True),
    "median": lambda x, axis: median_along(x, axis),
}


def median_along(x: Any, axis: int) -> Any:
    """The middle of what is sorted along an axis, or the mean of the two; NaN where there is one."""
    rows, n = np.moveaxis(x if x.type.is_float else x.astype(np.float64), axis, -1), x.shape[axis]
    vectors = np.reshape(rows, (rows.size // np.maximum(n, 1), n))
    in_order = FUNCTIONS[ordered_rows](x.builder, vectors)
    low, high, last = in_order[:, (n - 1) // 2], in_order[:, n // 2], in_order[:, n - 1]
    made = np.where(np.isnan(last), last, np.where(n % 2 == 1, low, (low + high) / 2.0))
    return np.moveaxis(np.reshape(made, (*rows.shape[:-1], 1)), -1, axis)


def ramp(b: Builder, x: Any, axis: int, end: Any, width: Any, is_last: bool) -> Any:
    """In equal steps from a number to the outermost element, which is not among them; of ints rounded down."""
    edge = b.apply("cast", part_of_axis(x, axis, slice(-1, None) if is_last else slice(0, 1)), dtype="f8")
    far = b.apply("cast", end, dtype="f8")
    steps = np.reshape(b.apply("arange", width, dtype="i8"), (-1, *(1,) * (x.ndim - axis - 1)))
    if is_last:
        steps = width - 1 - steps
    made = far + steps * ((edge - far) / np.maximum(width, 1))
    return b.apply("cast", np.floor(made) if x.type.dtype[0] in "iu" else made, dtype=x.type.dtype)


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


def between_continued(b: Builder, x: Any, axis: int, mode: str, widths: tuple[Any, Any]) -> Any:
    """The array between margins in which it goes on beyond its ends as it came: turned round by half a turn about them.

    Every second time round an axis is the axis itself, with twice the way from end to end added.
    """
    n = x.shape[axis]
    period = TURNED[mode](n)
    first, last = part_of_axis(x, axis, slice(0, 1)), part_of_axis(x, axis, slice(-1, None))
    made = []
    for places in places_of_margins(b, lambda place, n: place, widths, n):
        column = np.reshape(places, (-1, *(1,) * (x.ndim - axis - 1)))
        there = x[(*(slice(None),) * axis, MARGINS[mode](places, n))]
        there = np.where(column % period < n, there, 2 * last - there)
        made.append(b.apply("cast", there + 2 * (column // period) * (last - first), dtype=x.type.dtype))
    return concatenate(b, (made[0], x, made[1]), axis) if made else x


def turned_round(place: Any, n: Any, period: Any, last: Any) -> Any:
    """To the end and back."""
    k = place % period
    return np.minimum(k, last - k)


TURNED: dict[str, Callable[[Any], Any]] = {
    "symmetric": lambda n: 2 * n,
    "reflect": lambda n: np.maximum(2 * n - 2, 1),
}
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
