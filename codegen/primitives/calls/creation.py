"""Arrays made anew: calls of np.zeros, np.arange, np.linspace, np.eye, np.array and their like -> equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.ir import Lit, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.literals import code
from codegen.primitives.calls.reshaping import broadcast_to, moveaxis, reshape
from codegen.primitives.fits import fit
from codegen.primitives.reduce import of_array
from codegen.primitives.row import FUNCTIONS, first_argument, lowers
from codegen.primitives.shape import checked_size, checked_sizes, dtype_code, step_is


@lowers(np.zeros)
def zeros(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return full(b, shape, 0, dtype or np.float64)


@lowers(np.ones)
def ones(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return full(b, shape, 1, dtype or np.float64)


@lowers(np.full)
def full(b: Builder, shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    type_ = b.atom(fill_value).type
    kind = dtype_code(dtype, type_.dtype)
    if type_.is_float and not type_.rank and kind[0] in "iu":  # Python's floats too are cast as arrays are
        dims = checked_sizes(b, shape)
        filled = b.apply("cast", b.apply("full", fill_value, *(dims or (1,)), dtype=type_.dtype), dtype=kind)
        return filled if dims else filled[0]
    if not type_.rank or type_.dtype != kind:
        fill_value = fit(b, fill_value, kind, stored=False)
    dims = checked_sizes(b, shape)
    if b.atom(fill_value).type.rank:
        return broadcast_to(b, fill_value, dims).copy()
    return b.apply("full", fill_value, *dims, dtype=kind) if dims else b.wrap(b.atom(fill_value))


@lowers(np.ndarray)
@lowers(np.empty)
def empty(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return b.apply("empty", *checked_sizes(b, shape), dtype=dtype_code(dtype, "f8"))


def full_like_of(value: Any) -> Any:
    def build(b: Builder, a: Any, dtype: Any = None, shape: Any = None) -> Any:
        return full_like(b, a, value, dtype, shape)

    return build


lowers(np.zeros_like)(full_like_of(0))
lowers(np.ones_like)(full_like_of(1))


@of_array(np.full_like)
def full_like(b: Builder, x: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    return full(b, x.shape if shape is None else shape, fill_value, dtype or x.dtype)


@of_array(np.empty_like)
def empty_like(b: Builder, x: Any, dtype: Any = None, shape: Any = None) -> Any:
    return empty(b, x.shape if shape is None else shape, dtype or x.dtype)


@lowers(np.arange)
def arange(b: Builder, start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """start + step * (0, 1, ...): exact for ints, NumPy's own formula for floats."""
    if start is None:
        start = 0
    elif stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    given = tuple(b.atom(v) for v in (start, stop, step))
    if any(v.type.rank or v.type.dtype == "b1" for v in given):
        raise TypeError("arange takes numbers")
    whole = all(v.type.dtype[0] in "iu" for v in given)
    is_narrow = whole and any(v.type.dtype != "i8" for v in given)
    kind = dtype_code(dtype, code(np.result_type(np.int64, *(np.dtype(v.type.dtype) for v in given))))
    if kind[0] not in ("iuf" if whole else "f"):
        raise TypeError(f"arange of floats in dtype {kind} is not supported: make floats and cast them")
    if step_is(step, 0):
        raise ValueError("arange: the step must not be 0")
    if isinstance(step, E) and whole and b.checked:
        b.require(b.apply("ne", step, 0), "ZeroDivisionError", "division by zero")
    if whole:  # in the arguments' own dtype, and so does NumPy, where they overflow
        if step_is(step, 1):
            n = stop - start
        elif is_narrow:
            n = -(-b.apply("cast", stop - start, dtype="i8") // b.apply("cast", step, dtype="i8"))
        else:
            n = -((start - stop) // step)
    else:
        n = np.ceil((stop - start) / step)
        if isinstance(n, E) and b.checked:
            b.require(b.apply("isfinite", n), "ValueError", "arange: cannot compute length")
            b.require(b.apply("lt", n, 2.0**62), "ValueError", "Maximum allowed size exceeded")
        n = b.apply("cast", n, dtype="i8") if isinstance(n, E) else int(n)
    n = b.apply("maximum", n if b.atom(n).type.dtype == "i8" else b.apply("cast", n, dtype="i8"), 0)
    y = b.apply("arange", n, dtype=kind)
    if is_narrow or not (
        whole or step_is(start, 0)
    ):  # the second element less the first, which may wrap or round
        step = b.apply("cast", start + step, dtype=kind) - b.apply("cast", start, dtype=kind)
    y = y if step_is(step, 1) else y * b.apply("cast", step, dtype=kind)
    return y if step_is(start, 0) else b.apply("cast", start, dtype=kind) + y


@lowers(np.linspace)
def linspace(
    b: Builder,
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """start + step * (0, 1, ...), the last one exactly `stop` where it belongs to them; the step where it is asked
    for, NaN where there is none."""
    num = checked_size(b, num, "Number of samples must be non-negative.")
    start, stop = (FUNCTIONS[np.array](b, v) if isinstance(v, tuple | list) else v for v in (start, stop))
    ends = [b.atom(v).type for v in (start, stop)]
    kind = code(np.result_type(*(0.0 if t.weak else np.dtype(t.dtype) for t in ends), 0.0))
    start, stop = (b.apply("cast", v, dtype=kind) for v in (start, stop))
    gaps = b.apply("maximum", num - 1 if endpoint else num, 1)
    rank = max(t.rank for t in ends)
    place = reshape(b, b.apply("arange", num, dtype=kind), (num, *(1 for _ in range(rank))))
    whole = stop - start
    step = whole / b.apply("cast", gaps, dtype=kind)
    way = place * step
    if rank:  # of arrays, one of whose steps is 0, NumPy divides first
        way = np.where(np.any(step == 0.0), place / b.apply("cast", gaps, dtype=kind) * whole, way)
    y = start + way
    if endpoint:
        y = np.where(place == b.apply("cast", gaps, dtype=kind), stop, y)
    if dtype is not None and code(dtype) != kind:
        y = (np.floor(y) if code(dtype)[0] in "iu" else y).astype(dtype)
    y = y if axis == 0 else moveaxis(b, y, 0, axis)
    return (y, np.where(b.apply("gt", num, int(endpoint)), step, np.nan)) if retstep else y


@lowers(np.eye)
def eye(b: Builder, N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    n = checked_size(b, N)
    rows = b.apply("arange", n, dtype="i8")
    columns = rows if M is None else b.apply("arange", checked_size(b, M), dtype="i8")
    diagonal = rows if step_is(k, 0) else rows + k
    return (diagonal[:, None] == columns[None, :]).astype(dtype or np.float64)


@lowers(np.identity)
def identity(b: Builder, n: Any, dtype: Any = None) -> Any:
    return eye(b, n, dtype=dtype)


@lowers(np.array)
def array(b: Builder, items: Any, dtype: Any = None, ndmin: int = 0) -> Any:
    if ndmin:
        made = array(b, items, dtype)
        shape = b.atom(made).type.shape
        return np.reshape(made, (*(1,) * (ndmin - len(shape)), *shape)) if ndmin > len(shape) else made
    if dtype is not None and not isinstance(items, tuple | list) and not b.atom(items).type.rank:
        return b.apply("copy", fit(b, items, code(dtype), stored=False))
    if isinstance(items, E):
        made = items.copy()
    elif isinstance(items, tuple | list):
        if not items:
            return empty(b, 0, dtype)
        parts = [array(b, i) if isinstance(i, tuple | list) else i for i in items]
        if dtype is not None:
            parts = [numbers_in_dtype(b, i, code(dtype)) for i in parts]
        made = b.apply("stack", *one_shape(b, parts))
    else:
        literal = b.atom(items)  # NumPy's number, no longer Python's
        made = b.wrap(Lit(literal.value, Type(literal.type.dtype)) if isinstance(literal, Lit) else literal)
    return made if dtype is None else b.apply("cast", made, dtype=code(dtype))


@lowers(np.asarray, np.asanyarray, views=first_argument)
def asarray(b: Builder, a: Any, dtype: Any = None) -> Any:
    """The array itself where it is one of the dtype wanted."""
    own = isinstance(a, E) and a.ndim and dtype in (None, a.dtype)
    return a if own else array(b, a, dtype)


def numbers_in_dtype(b: Builder, items: Any, dtype: str) -> Any:
    """Nested numbers in a dtype that holds them."""
    if isinstance(items, tuple | list):
        return type(items)(numbers_in_dtype(b, i, dtype) for i in items)
    return fit(b, items, dtype) if not b.atom(items).type.rank else items


def in_one_dtype(b: Builder, items: Any) -> list[Any]:
    """Items of one dtype, as NumPy casts them: among them a Python number is an int64, float64 or bool."""
    kind = code(np.result_type(*(np.dtype(b.atom(i).type.dtype) for i in items)))
    return [i if b.atom(i).type.dtype == kind else b.apply("cast", i, dtype=kind) for i in items]


def one_shape(b: Builder, items: Any) -> list[Any]:
    """Items of one dtype and shape: sizes that are not known are checked."""
    made = in_one_dtype(b, items)
    shapes = [b.atom(x).type.shape for x in made]
    for shape in shapes[1:]:
        for n, m in zip(shapes[0], shape):
            if b.checked and (isinstance(n, Var) or isinstance(m, Var)) and not b.meets.same(n, m):
                b.same_size(n, m, "all input arrays must have the same shape")
    return made
