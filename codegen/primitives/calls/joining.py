"""Arrays end to end: calls of np.stack, np.concatenate, np.roll, np.tile, np.diff and their like -> equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.broadcasting import least
from codegen.ir.build import Builder, E
from codegen.ir.literals import code
from codegen.ir.promotion import joined_dtype
from codegen.primitives.calls.creation import array, in_one_dtype, one_shape
from codegen.primitives.calls.grids import ends_and_step
from codegen.primitives.calls.reshaping import broadcast_to, moveaxis, reshape
from codegen.primitives.fits import fit
from codegen.primitives.index import Inside
from codegen.primitives.reduce import as_array, axes, of_array
from codegen.primitives.row import FUNCTIONS, each_argument, first_argument, lowers
from codegen.primitives.shape import UNLIKE, as_shape, checked_size, require_equal, step_is

NOTHING_TO_JOIN = "need at least one array to concatenate"


@lowers(np.stack)
def stack(b: Builder, arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    if isinstance(arrays, E):
        require_rows(arrays)
        b.require(b.apply("gt", arrays.shape[0], 0), "ValueError", "need at least one array to stack")
    made = arrays.copy() if isinstance(arrays, E) else b.apply("stack", *one_shape(b, array_list(b, arrays)))
    made = joined_in(made, dtype)
    return made if axis == 0 else moveaxis(b, made, 0, axis)


def joined_in(made: E, dtype: Any) -> E:
    """What was joined, in a dtype that is asked for; TypeError where a digit may be lost by it."""
    if dtype is None:
        return made
    if not np.can_cast(made.dtype, np.dtype(dtype), "same_kind"):
        raise TypeError(f"cannot cast from {made.dtype} to {np.dtype(dtype)} by 'same_kind'")
    return made.astype(dtype)


def require_rows(arrays: E) -> None:
    """Raises for a number, which has no rows to be joined."""
    if not arrays.ndim:
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')


def array_list(b: Builder, arrays: Any) -> list[Any]:
    """The arrays to be joined, one at least."""
    if not isinstance(arrays, tuple | list):
        raise TypeError("arrays to stack must be passed as a tuple or a list of them")
    if not arrays:
        raise ValueError(NOTHING_TO_JOIN)
    return [array(b, x) if isinstance(x, tuple | list) else x for x in arrays]


@lowers(np.concatenate)
def concatenate(b: Builder, arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    if isinstance(arrays, E):
        made = rows_joined(b, arrays, axis)
        return joined_in(made, dtype)
    items = array_list(b, arrays)
    items = in_one_dtype(b, items) if axis is not None else flat_in_one_dtype(b, items)
    if any(not b.atom(x).type.rank for x in items):
        raise ValueError("zero-dimensional values cannot be concatenated")
    if len({x.ndim for x in items}) > 1:
        raise ValueError("arrays to be concatenated must have the same number of dimensions")
    (where,) = (0,) if axis is None else axes(items[0], axis)
    for x in items[1:]:
        for k in range(x.ndim):
            if k != where:
                b.same_size(items[0].type.shape[k], x.type.shape[k], UNLIKE)
    made = b.apply("concatenate", *items, axis=where)
    b.meets.joined(made.type.shape[where], [b.atom(x).type.shape[where] for x in items])
    return joined_in(made, dtype)


def flat_in_one_dtype(b: Builder, items: list[Any]) -> list[Any]:
    """Vectors of all elements, among which Python's numbers are weak."""
    types = [b.atom(x).type for x in items]
    examples = [np.dtype(t.dtype).type(0).item() if t.weak else np.dtype(t.dtype) for t in types]
    kind = code(np.result_type(*examples))
    return [np.ravel(as_array(b, b.apply("cast", as_array(b, x), dtype=kind))) for x in items]


def rows_joined(b: Builder, x: Any, axis: Any) -> Any:
    """The rows of one array joined: its first axis goes into another one."""
    if x.ndim < 2:
        raise ValueError("zero-dimensional values cannot be concatenated")
    b.require(b.apply("gt", x.shape[0], 0), "ValueError", NOTHING_TO_JOIN)
    if axis is None:
        return np.ravel(x).copy()
    (where,) = axes(x[0] if x.ndim > 1 else x, axis)
    x = moveaxis(b, x, 0, where)
    return reshape(b, x, (*x.shape[:where], x.shape[where] * x.shape[where + 1], *x.shape[where + 2 :]))


@lowers(np.hstack)
def hstack(b: Builder, tup: Any, dtype: Any = None) -> Any:
    if isinstance(tup, E):
        require_rows(tup)
        if tup.ndim < 2:
            return joined_in(tup, dtype).copy()
        return concatenate(b, tup, 0 if tup.ndim == 2 else 1, dtype)
    items = [x if isinstance(x, E) and x.ndim else array(b, (x,)) for x in array_list(b, tup)]
    return concatenate(b, items, 0 if items[0].ndim == 1 else 1, dtype)


@lowers(np.vstack)
def vstack(b: Builder, tup: Any, dtype: Any = None) -> Any:
    """Rows, each of them a matrix or a vector, below one another."""
    if isinstance(tup, E):
        require_rows(tup)
        if tup.ndim < 3:
            made = reshape(b, tup, tuple(tup.shape) if tup.ndim == 2 else (*tup.shape, 1))
            return joined_in(made, dtype).copy()
        return concatenate(b, tup, 0, dtype)
    return concatenate(b, [with_unit_axes(b, x, 2) for x in array_list(b, tup)], 0, dtype)


@lowers(np.dstack)
def dstack(b: Builder, tup: Any) -> Any:
    """Matrices, or vectors as (1, n, 1), behind one another."""
    if isinstance(tup, E):
        if tup.ndim > 3:
            return concatenate(b, tup, 2)
        turned = moveaxis(b, tup, 0, -1)
        return reshape(b, turned, (*(1,) * (3 - tup.ndim), *turned.shape)).copy()
    return concatenate(b, [with_unit_axes(b, x, 3) for x in array_list(b, tup)], 2)


@lowers(np.column_stack)
def column_stack(b: Builder, tup: Any) -> Any:
    """Vectors as columns, and matrices, side by side."""
    if isinstance(tup, E):
        return (
            concatenate(b, tup, 1) if tup.ndim > 2 else with_unit_axes(b, moveaxis(b, tup, 0, -1), 2).copy()
        )
    arrays = [as_array(b, x) for x in array_list(b, tup)]
    return concatenate(b, [x if x.ndim > 1 else reshape(b, x, (x.size, 1)) for x in arrays], 1)


def with_unit_axes(b: Builder, x: Any, rank: int) -> Any:
    """With axes of one element before it, and a third one behind, until it has so many."""
    x = as_array(b, x)
    if x.ndim >= rank:
        return x
    sizes = tuple(x.shape)
    if rank == 3:
        sizes = (1, 1, 1) if not sizes else (1, *sizes, 1) if len(sizes) == 1 else (*sizes, 1)
    else:
        sizes = (1,) * (rank - len(sizes)) + sizes
    return reshape(b, x, sizes)


def at_least_of(rank: int) -> Callable[..., Any]:
    def build(b: Builder, *arys: Any) -> Any:
        made = [with_unit_axes(b, x, rank) for x in arys]
        return made[0] if len(made) == 1 else tuple(made)

    return build


for _rank, _callable in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), start=1):
    lowers(_callable, views=each_argument)(at_least_of(_rank))


@lowers(np.block)
def block(b: Builder, arrays: Any) -> Any:
    """Nested lists of arrays: the innermost side by side, each list around them along the axis before."""

    def depth(x: Any) -> int:
        return 1 + depth(x[0]) if isinstance(x, list) and x else 0

    deepest = depth(arrays)

    def rank(x: Any) -> int:
        if isinstance(x, tuple):
            raise TypeError("only lists can be used to arrange blocks, not tuples")
        return max(map(rank, x)) if isinstance(x, list) else as_array(b, x).ndim

    most = max(rank(arrays), deepest)

    def joined(x: Any, level: int) -> Any:
        if not isinstance(x, list):
            if level != deepest:
                raise ValueError("List depths are mismatched.")
            made = as_array(b, x)
            return reshape(b, made, (1,) * (most - made.ndim) + tuple(made.shape))
        return concatenate(b, [joined(each, level + 1) for each in x], most - deepest + level)

    return joined(arrays, 0)


@lowers(np.append)
def append(b: Builder, arr: Any, values: Any, axis: Any = None) -> Any:
    parts = [as_array(b, arr), as_array(b, values)]
    return concatenate(b, [np.reshape(x, (-1,)) for x in parts] if axis is None else parts, axis or 0)


def shifts_of(b: Builder, shift: Any, count: int) -> tuple[Any, ...]:
    """One for each axis, of a number or of an array that has as many; of one axis all of these together."""
    if not isinstance(shift, E) or shift.ndim != 1 or shift.type.dtype[0] not in "iu":
        return (shift,) * count
    if count == 1:
        return (b.apply("sum", shift, axis=(0,)),)
    require_equal(b, shift.type.shape[0], count, UNLIKE_SHIFTS)
    return tuple(shift[k] for k in range(count))


UNLIKE_SHIFTS = "shape mismatch: objects cannot be broadcast to a single shape"


@of_array(np.roll)
def roll(b: Builder, x: Any, shift: Any, axis: Any = None) -> Any:
    """The last elements first: of each axis in turn, or of the array as one row."""
    if not x.ndim and axis is None:
        return x
    if axis is None and x.ndim != 1:
        return reshape(b, roll(b, reshape(b, x, (-1,)), shift), x.shape)
    chosen = (0,) if axis is None else tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    shifts = tuple(shift) if isinstance(shift, tuple | list) else shifts_of(b, shift, len(chosen))
    if axis is None:
        shifts = (sum(shifts),)
    chosen = chosen * len(shifts) if len(chosen) == 1 else chosen
    if len(shifts) != len(chosen):
        raise TypeError(f"roll: {len(shifts)} shifts for {len(chosen)} axes")
    for each, number in zip(shifts, chosen, strict=True):
        (k,) = axes(x, number)
        if b.atom(each).type.rank or b.atom(each).type.dtype[0] not in "iu":
            raise TypeError("roll: a shift must be an int")
        if step_is(each, 0):
            continue
        start = -each
        size_ = x.type.shape[k]
        if isinstance(each, E) or abs(each) > max(least(size_), 1):  # the axis may be shorter
            n = x.shape[k]
            start = n - each % b.apply("maximum", n, 1)
        whole = (slice(None),) * k
        x = concatenate(b, (x[(*whole, slice(start, None))], x[(*whole, slice(None, start))]), axis=k)
        b.meets.equal(x.type.shape[k], size_)
    return x


@of_array(np.tile)
def tile(b: Builder, x: Any, reps: Any) -> Any:
    """Each axis with another before it, which the array is broadcast along; then the two are one."""
    times = tuple(checked_size(b, n) for n in as_shape(reps))
    rank = max(x.ndim, len(times))
    times = (1,) * (rank - len(times)) + times
    sizes = (1,) * (rank - x.ndim) + tuple(x.shape)
    if all(step_is(n, 1) for n in times):
        return reshape(b, x, sizes).copy()
    apart = reshape(b, x, tuple(n for each in sizes for n in (1, each)))
    wide = broadcast_to(b, apart, tuple(n for pair in zip(times, sizes, strict=True) for n in pair))
    return reshape(b, wide, tuple(n * m for n, m in zip(times, sizes, strict=True)))


@of_array(np.repeat)
def repeat(b: Builder, x: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element, along an axis or of the array as one row, as often as a number says, or one number for each."""
    x, axis = (reshape(b, x, (-1,)), 0) if axis is None else (x, axis)
    (k,) = axes(x, axis)
    whole = (slice(None),) * k
    if isinstance(repeats, tuple | list) and len(repeats) == 1:
        (repeats,) = repeats
    if isinstance(repeats, tuple | list):
        counts_ = [checked_size(b, n, NEGATIVE_REPEATS) for n in repeats]
        if all(isinstance(n, int) for n in counts_):
            require_equal(b, x.type.shape[k], len(counts_), UNLIKE_REPEATS)
            places_ = [place for place, n in enumerate(counts_) for _ in range(n)]
            return x[(*whole, array(b, places_, np.int64))]
        repeats = array(b, repeats)
    if b.atom(repeats).type.rank:
        places = repeated_places(b, repeats, x.type.shape[k])
        return b.apply("index", x, places, spec=Inside((":",) * k + ("a",)))
    n = checked_size(b, repeats, NEGATIVE_REPEATS)
    left, right = x.shape[: k + 1], x.shape[k + 1 :]
    wide = broadcast_to(b, reshape(b, x, (*left, 1, *right)), (*left, n, *right))
    return reshape(b, wide, (*left[:-1], left[-1] * n, *right))


NEGATIVE_REPEATS = "repeats may not contain negative values."
UNLIKE_REPEATS = "operands could not be broadcast together"


def repeated_places(b: Builder, repeats: Any, n: Any) -> Any:
    """Which of n elements each one is of them repeated: each number of repeats ends where the next element begins."""
    type_ = b.atom(repeats).type
    if type_.dtype[0] not in "iub" or type_.dtype == "u8":
        raise TypeError(f"repeat: how often is an int, not {type_.dtype}")
    if type_.rank > 1:
        raise ValueError("repeat: object too deep for desired array")
    counts_ = b.apply("cast", repeats, dtype="i8")
    b.require(b.apply("all", b.apply("ge", counts_, 0), axis=(0,)), "ValueError", NEGATIVE_REPEATS)
    if isinstance(n, int) and isinstance(type_.shape[0], int) and type_.shape[0] not in (1, n):
        raise ValueError(UNLIKE_REPEATS)
    counts_ = broadcast_to(b, b.fitted(counts_, (n,)), (n,))
    nothing = b.apply("full", np.int64(0), np.sum(counts_) + 1, dtype="i8")
    marks = b.apply("accumulate", nothing, np.int64(1), np.cumsum(counts_), spec=Inside(("a",)))
    return np.cumsum(marks)[:-1]


def undifferenced(given: dict[Any, Any], made: Any = None) -> Any:
    """Differences of order 0 are the array itself."""
    return first_argument(given) if getattr(given.get("n"), "value", 1) == 0 else None


@of_array(np.diff, views=undifferenced)
def diff(b: Builder, x: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    if not isinstance(n, int) or n < 0:
        raise ValueError("diff: the order must be a known int, not below 0")
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    if not n:
        return x
    (k,), whole = axes(x, axis), slice(None)
    ends = [edge_rows(b, x, each, k) for each in (prepend, append)]
    if any(end is not None for end in ends):
        x = concatenate(b, [part for part in (ends[0], x, ends[1]) if part is not None], k)
    for _ in range(n):
        after, before = x[(whole,) * k + (slice(1, None),)], x[(whole,) * k + (slice(None, -1),)]
        x = b.apply("ne", after, before) if x.type.dtype == "b1" else after - before
    return x


def edge_rows(b: Builder, x: Any, end: Any, axis: int) -> Any:
    """What `diff` puts before or after an array: a number stands for a row of it."""
    if end is None:
        return None
    end = array(b, end) if isinstance(end, tuple | list) else end
    if b.atom(end).type.rank:
        return end
    end = end if isinstance(end, E) else b.wrap(b.apply("copy", np.asarray(end)[()]).atom)
    return b.apply("broadcast_to", end, *(1 if k == axis else m for k, m in enumerate(x.shape)))


def joined_by_subscript(axis: int, rank: int, place: int) -> Callable[..., Any]:
    """np.r_ and np.c_: what stands between the brackets end to end, slices as the numbers that they count. `rank`: how
    many axes items have at least; `place`: where their own stand among these."""

    def build(b: Builder, index: Any) -> Any:
        items = list(index) if isinstance(index, tuple) else [index]
        where, least_rank, at = axis, rank, place
        if isinstance(items[0], str):
            where, least_rank, at = directed(items.pop(0), (axis, rank, place))
        arrays = [points(b, each) if isinstance(each, slice) else each for each in items]
        arrays = [array(b, each) if isinstance(each, tuple | list) else each for each in arrays]
        kind = code(joined_dtype([b.atom(x).type for x in arrays]))
        arrays = [x if b.atom(x).type.dtype == kind else fit(b, x, kind, stored=False) for x in arrays]
        return concatenate(b, [with_axes(b, x, least_rank, at) for x in arrays], where)

    return build


def directed(text: str, otherwise: tuple[int, int, int]) -> tuple[int, int, int]:
    """The axis, the number of axes and the place that a first item says: "0,2,1"."""
    try:
        said = tuple(map(int, text.split(",")))
    except ValueError:
        raise TypeError(f"{text!r} is not supported: say the axis, as in '0,2'") from None
    axis, rank, place = (*said, *otherwise[len(said) :])
    return axis, rank, place


def points(b: Builder, cut: slice) -> Any:
    """The numbers that a slice counts; an imaginary step says how many, the last among them."""
    start, stop, step = ends_and_step(cut)
    if isinstance(step, complex):
        return FUNCTIONS[np.linspace](b, start, stop, int(abs(step)))
    return FUNCTIONS[np.arange](b, start, stop, step)


def with_axes(b: Builder, x: Any, rank: int, place: int) -> Any:
    """An item with new axes before its own, or after them, so that its own begin at `place`."""
    x = as_array(b, x)
    more = rank - x.ndim
    if more <= 0:
        return x
    before = place if place >= 0 else more + 1 + place
    return reshape(b, x, (*(1,) * before, *x.shape, *(1,) * (more - before)))


FUNCTIONS[np.r_] = joined_by_subscript(0, 1, -1)
FUNCTIONS[np.c_] = joined_by_subscript(-1, 2, 0)
