"""Arrays in another shape: calls of np.reshape, np.transpose, np.flip, np.diag and their like -> equations."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from codegen.ir.build import Builder, E
from codegen.ir.exceptions import Said, Slot, Thrown, told_value
from codegen.primitives.calls.subscripts import index_in_i8, write
from codegen.primitives.reduce import as_array, axes, axes_given, of_array
from codegen.primitives.row import FUNCTIONS, dim_of, each_argument, first_argument, lowers
from codegen.primitives.shape import as_shape, checked_size, step_is


@of_array(np.reshape, views=first_argument)
def reshape(b: Builder, x: Any, shape: Any, order: str = "C") -> Any:
    if in_columns(order):
        return transpose(b, reshape(b, transpose(b, x), tuple(reversed(as_shape(shape)))))
    dims = list(as_shape(shape))
    for n in dims:
        if b.atom(n).type.dtype[0] not in "iu" or b.atom(n).type.rank:
            raise TypeError(f"a size must be an int, not {b.atom(n).type}")
        if isinstance(n, int | np.integer) and n < -1:
            raise ValueError("negative dimensions are not allowed")
    dims = [index_in_i8(b, n) for n in dims]
    unknown = [k for k, n in enumerate(dims) if isinstance(n, int) and n == -1]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        rest: Any = math.prod(n for k, n in enumerate(dims) if k != unknown[0])
        if step_is(rest, 0):
            raise ValueError(f"cannot reshape an array into shape {tuple(shape)}: of an axis of no elements")
        rest = rest if isinstance(rest, int | np.integer) else np.maximum(rest, 1)
        dims[unknown[0]] = x.size if step_is(rest, 1) else x.size // rest
    if len(dims) == x.ndim and all(dim_of(b.atom(n)) == m for n, m in zip(dims, x.type.shape)):
        return x
    return b.apply("reshape", x, *dims)


def in_columns(order: str) -> bool:
    """Whether elements are taken column by column; in which order they lie in memory is not known."""
    if str(order).upper() not in ("C", "F"):
        raise TypeError(f"order={order!r} is not supported: arrays are in C order")
    return str(order).upper() == "F"


@of_array(np.ravel, views=first_argument)
def ravel(b: Builder, x: Any, order: str = "C") -> Any:
    x = transpose(b, x) if in_columns(order) else x
    return x if x.ndim == 1 else reshape(b, x, (x.size,))


@lowers(np.unstack, views=each_argument)
def unstack(b: Builder, x: Any, axis: int = 0) -> Any:
    x = moveaxis(b, as_array(b, x), axis, 0)
    if not isinstance(x.shape[0], int):
        raise TypeError("unstack: how many arrays there are is known when the function is read")
    return tuple(x[k] for k in range(x.shape[0]))


@lowers(np.broadcast_shapes)
def broadcast_shapes(b: Builder, *args: Any) -> Any:
    sizes = [tuple(checked_size(b, n) for n in as_shape(shape)) for shape in args]
    arrays = [b.apply("full", np.bool_(False), *dims, dtype="b1") for dims in sizes]
    return tuple(functools.reduce(lambda x, y: x | y, arrays).shape) if arrays else ()


@of_array(np.expand_dims, views=first_argument)
def expand_dims(b: Builder, x: Any, axis: Any) -> Any:
    rank = x.ndim + (len(axis) if isinstance(axis, tuple | list) else 1)
    where, old = axes_given(axis, rank), iter(x.shape)
    return reshape(b, x, tuple(1 if k in where else next(old) for k in range(rank)))


@of_array(np.squeeze, views=first_argument)
def squeeze(b: Builder, x: Any, axis: Any = None) -> Any:
    if axis is None and any(b.meets.may_be_one(n) for n in x.type.shape):
        raise TypeError("squeeze: which sizes are 1 is not known: say which by axis=")
    gone = tuple(k for k, n in enumerate(x.shape) if step_is(n, 1)) if axis is None else axes(x, axis)
    for k in gone:
        n = x.shape[k]
        if isinstance(n, E):
            b.require(b.apply("eq", n, 1), "ValueError", NOT_ONE)
        elif n != 1:
            raise ValueError(NOT_ONE)
    return reshape(b, x, tuple(n for k, n in enumerate(x.shape) if k not in gone))


NOT_ONE = "cannot select an axis to squeeze out which has size not equal to one"


@of_array(np.transpose, views=first_argument)
def transpose(b: Builder, x: Any, axes: Any = None) -> Any:
    perm = tuple(reversed(range(x.ndim))) if axes is None else axes_given(axes, x.ndim)
    if len(perm) != x.ndim:
        raise ValueError("axes don't match array")
    return x if perm == tuple(range(x.ndim)) else b.apply("transpose", x, perm=perm)


@of_array(np.swapaxes, views=first_argument)
def swapaxes(b: Builder, x: Any, axis1: int, axis2: int) -> Any:
    perm = list(range(x.ndim))
    (first,), (second,) = axes(x, axis1), axes(x, axis2)
    perm[first], perm[second] = perm[second], perm[first]
    return transpose(b, x, tuple(perm))


@of_array(np.moveaxis, views=first_argument)
def moveaxis(b: Builder, x: Any, source: Any, destination: Any) -> Any:
    sources, targets = (axes_given(each, x.ndim) for each in (source, destination))
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    perm = [k for k in range(x.ndim) if k not in sources]
    for target, place in sorted(zip(targets, sources, strict=True)):
        perm.insert(target, place)
    return transpose(b, x, tuple(perm))


@lowers(np.broadcast_arrays, views=each_argument)
def broadcast_arrays(b: Builder, *args: Any) -> Any:
    """All arrays in the shape of their sum."""
    arrays = [as_array(b, x) for x in args]
    whole = functools.reduce(lambda x, y: x + y, (np.zeros_like(x) for x in arrays))
    return tuple(broadcast_to(b, x, tuple(whole.shape)) for x in arrays)


@lowers(np.broadcast_to, views=first_argument)
def broadcast_to(b: Builder, array: Any, shape: Any) -> Any:
    """To sizes that the array's are, or are 1 beside: where that is known only at run time, it is checked there."""
    array = FUNCTIONS[np.asarray](b, array) if isinstance(array, tuple | list) else array
    atom = b.atom(array)
    dims = tuple(
        checked_size(b, n, "all elements of broadcast shape must be non-negative") for n in as_shape(shape)
    )
    if len(dims) < atom.type.rank:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    pairs = [(n, dim_of(b.atom(m))) for n, m in zip(reversed(atom.type.shape), reversed(dims))]
    loose, spread = False, len(dims) > atom.type.rank
    for n, m in pairs:
        if n == m:
            continue
        if not b.checked or isinstance(n, int) and (n == 1 or isinstance(m, int)):
            spread = True
        elif b.meets.may_be_one(n):
            loose = True
            b.one_or(n, b.size(m))
        else:
            b.same_size(n, m)
    if not loose and not spread:
        return array
    params: Any = {"loose": True} if loose else {}
    return b.apply("broadcast_to", array, *dims, **params)


@of_array(np.flip, views=first_argument)
def flip(b: Builder, x: Any, axis: Any = None) -> Any:
    chosen = axes(x, axis)
    return x[tuple(slice(None, None, -1) if k in chosen else slice(None) for k in range(x.ndim))]


@of_array(np.flipud, views=first_argument)
def flipud(b: Builder, x: Any) -> Any:
    if not x.ndim:
        raise ValueError("Input must be >= 1-d.")
    return flip(b, x, 0)


@of_array(np.fliplr, views=first_argument)
def fliplr(b: Builder, x: Any) -> Any:
    if x.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(b, x, 1)


@of_array(np.rot90, views=first_argument)
def rot90(b: Builder, x: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """Turned by 90 degrees k times, from the first axis towards the second."""
    if not isinstance(k, int | np.integer):
        raise TypeError("rot90: how often, k=, must be an int that is known when the function is read")
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = axes_given(axes, x.ndim, "Axes must be different.")
    match k % 4:
        case 0:
            return x
        case 1:
            return swapaxes(b, flip(b, x, second), first, second)
        case 2:
            return flip(b, flip(b, x, first), second)
    return flip(b, swapaxes(b, x, first, second), second)


@of_array(np.rollaxis, views=first_argument)
def rollaxis(b: Builder, x: Any, axis: int, start: int = 0) -> Any:
    """One axis before the place `start`."""
    (k,) = axes_given(axis, x.ndim)
    start = start + x.ndim if start < 0 else start
    if not 0 <= start <= x.ndim:
        raise ValueError(f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}, but {start} was passed in")
    rest = [n for n in range(x.ndim) if n != k]
    rest.insert(start - (k < start), k)
    return transpose(b, x, tuple(rest))


@of_array(np.diagonal, views=first_argument)
def diagonals(b: Builder, x: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal of two axes, as the last one."""
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    x = moveaxis(b, x, (axis1, axis2), (0, 1))
    return moveaxis(b, x[diagonal(b, x, offset)], 0, -1)


@of_array(np.diagflat)
def diagflat(b: Builder, x: Any, k: Any = 0) -> Any:
    return diag(b, reshape(b, x, (-1,)), k)


def matrix_of_diagonal(given: dict[Any, Any], made: Any) -> Any:
    """The matrix that a diagonal is taken from."""
    return first_argument(given) if made.ndim == 1 else None


@of_array(np.diag, views=matrix_of_diagonal)
def diag(b: Builder, x: Any, k: Any = 0) -> Any:
    if x.ndim == 2:
        return x[diagonal(b, x, k)]
    if x.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n, k = x.shape[0], index_in_i8(b, k)
    zero = np.dtype(x.dtype).type(0)
    if step_is(k, 0):
        rows = b.apply("arange", n, dtype="i8")
        return np.where(rows[:, None] == rows[None, :], x[:, None], zero)
    size = n + b.apply("abs", k)
    square = b.apply("full", zero, size, size, dtype=x.type.dtype)
    return write(b, square, diagonal(b, square, k), x)


def diagonal(b: Builder, x: Any, k: Any) -> tuple[Any, Any]:
    """The places of a matrix's diagonal, `k` above the main one."""
    if step_is(k, 0):
        n = b.apply("arange", b.apply("minimum", *x.shape[:2]), dtype="i8")
        return n, n
    down, right = b.apply("maximum", -k, 0), b.apply("maximum", k, 0)
    length = b.apply("maximum", b.apply("minimum", x.shape[0] - down, x.shape[1] - right), 0)
    n = b.apply("arange", length, dtype="i8")
    return n + down, n + right


@of_array(np.trace)
def trace(b: Builder, x: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    if x.ndim < 2:
        raise ValueError("trace takes an array of at least two axes")
    x = moveaxis(b, x, (axis1, axis2), (0, 1))
    return np.sum(x[diagonal(b, x, offset)], axis=0, dtype=dtype)


def keeps_size(b: Builder, x: Any, shape: Any) -> None:
    """Require that an array has as many elements in its new shape, whether anything reads it or not."""
    asked = list(as_shape(shape))
    if not isinstance(x, E) or not all(isinstance(n, E | int | np.integer) for n in asked):
        return
    known: Any = 1
    for n in asked:
        known = known if isinstance(n, int | np.integer) and n == -1 else known * n
    if any(isinstance(n, int | np.integer) and n == -1 for n in asked):
        if isinstance(known, int | np.integer) and known <= 1:
            return
        # What is left for the unknown size; of sizes of which one is 0, any would do, and NumPy takes none.
        step = np.maximum(known, 1)
        known = (
            np.where(known <= 0, -1, x.size // step * step) if isinstance(known, E) else x.size // step * step
        )
    told: list[Any] = [x.size]
    words: list[str | Slot] = ['f"cannot reshape array of size ', told_value(0), " into shape ("]
    named = list(itertools.dropwhile(lambda n: isinstance(n, int | np.integer) and n == -1, asked))
    for k, n in enumerate(named):
        words.append("," if k else "")
        if isinstance(n, E):
            words.append(told_value(len(told)))
            told.append(n)
        else:
            words.append("newaxis" if n == -1 else str(n))
    words.append(',)"' if len(asked) == 1 else ')"')
    fits = b.apply("eq", known, x.size) if isinstance(known, E) or isinstance(x.size, E) else None
    if isinstance(fits, E):
        said = Said(tuple(w for w in words if w != ""), "cannot reshape an array into another size")
        b.require(fits, Thrown(ValueError, (said,)), None, *told)
