"""Reductions and running sums. `axis` is a tuple of non-negative axes; keepdims is a reshape around."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from codegen.build import Builder, E, code
from codegen.ir import Atom, Type
from codegen.primitives.elementwise import result_dtype
from codegen.primitives.row import FUNCTIONS, LINEAR, lowers, row


def expand(y: Any, x: Any, axis: tuple[int, ...]) -> Any:
    """A reduction's result with axes of size 1 put back, ready to broadcast against `x`."""
    shape = tuple(1 if k in axis else n for k, n in enumerate(x.shape))
    return np.reshape(y, shape)


def reduced(x: Atom, axis: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(n for k, n in enumerate(x.type.shape) if k not in axis)


def reduce_type(ufunc: np.ufunc) -> Callable[..., Type]:
    def type_(x: Atom, *, axis: tuple[int, ...]) -> Type:
        # NumPy sums bools and ints in 64 bits.
        wide = {"b": "i8", "i": "i8", "u": "u8"} if ufunc in (np.add, np.multiply) else {}
        dtype = wide.get(x.type.dtype[0]) or code(result_dtype(ufunc, (x, x)))
        return Type(dtype, reduced(x, axis))

    return type_


def keep_type(x: Atom, *, axis: tuple[int, ...]) -> Type:
    if any(n == 0 for k, n in enumerate(x.type.shape) if k in axis):
        raise ValueError("max and min of an empty array are not defined")
    return Type(x.type.dtype, reduced(x, axis))


def bool_type(x: Atom, *, axis: tuple[int, ...]) -> Type:
    return Type("b1", reduced(x, axis))


def place_type(x: Atom, *, axis: tuple[int, ...]) -> Type:
    return Type("i8", reduced(x, axis))


def extreme_jvp(t: Any, out: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    """Ties share the tangent equally; where the result is NaN so is the derivative (0 / 0)."""
    chosen = np.where(x == expand(out, x, axis), np.ones((), x.dtype)[()], np.zeros((), x.dtype)[()])
    return np.sum(t * chosen, axis=axis) / np.sum(chosen, axis=axis)


def prod_jvp(t: Any, out: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    """Sum of t_i times the product of the others, exact with any number of zeros among them.

    So are its own derivatives, with up to two zeros: at one of two, the product of the others has the other as a
    factor, which is the sum of the zeros without this one.
    """
    zero = x == 0
    zeros = expand(np.sum(zero, axis=axis), x, axis)
    rest = expand(np.prod(np.where(zero, 1, x), axis=axis), x, axis)
    other = expand(np.sum(np.where(zero, x, 0), axis=axis), x, axis) - x
    at_zero = rest * np.where(zeros == 1, 1, np.where(zeros == 2, other, 0))
    elsewhere = expand(out, x, axis) / np.where(zero, 1, x)
    return np.sum(t * np.where(zero, at_zero, elsewhere), axis=axis)


def sum_back(ct: Any, x: Type, *, axis: tuple[int, ...]) -> Any:
    sizes: Any = x.shape
    return np.broadcast_to(expand(ct, x, axis), sizes)


def cumsum_back(ct: Any, x: Type, *, axis: int) -> Any:
    return np.flip(np.cumsum(np.flip(ct, axis), axis), axis)


def reduce_form(call: str) -> Callable[..., tuple[str, int]]:
    """Spelling: `axis` is left out where everything is reduced."""

    def form(x: str, *, axis: Any, rank: int) -> tuple[str, int]:
        if isinstance(axis, tuple) and len(axis) == rank:
            return f"{call}({x})", 100
        return f"{call}({x}, axis={axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis})", 100

    return form


def over(function: Any) -> Callable[..., Any]:
    """The NumPy meaning, with scalars back as scalars."""
    return lambda x, *, axis: function(x, axis=axis)


def one_axis(function: Any) -> Callable[..., Any]:
    """argmax and argmin take one axis or none."""
    return lambda x, *, axis: function(x, axis=None if len(axis) != 1 else axis[0])


# fmt: off
row("sum", over(np.sum), reduce_type(np.add), "reduce", jvp=LINEAR, linear=(0,), transpose={0: sum_back},
    form=reduce_form("np.sum"))
row("prod", over(np.prod), reduce_type(np.multiply), "reduce", jvp=(prod_jvp,), form=reduce_form("np.prod"))
row("max", over(np.max), keep_type, "reduce", jvp=(extreme_jvp,), form=reduce_form("np.max"))
row("min", over(np.min), keep_type, "reduce", jvp=(extreme_jvp,), form=reduce_form("np.min"))
row("any", over(np.any), bool_type, "reduce", jvp=(None,), form=reduce_form("np.any"))
row("all", over(np.all), bool_type, "reduce", jvp=(None,), form=reduce_form("np.all"))
row("argmax", one_axis(np.argmax), place_type, "reduce", jvp=(None,), form=reduce_form("np.argmax"))
row("argmin", one_axis(np.argmin), place_type, "reduce", jvp=(None,), form=reduce_form("np.argmin"))
row("cumsum", lambda x, *, axis: np.cumsum(x, axis=axis),
    lambda x, *, axis: Type(reduce_type(np.add)(x, axis=()).dtype, x.type.shape),
    "scan", jvp=LINEAR, linear=(0,), transpose={0: cumsum_back}, form=lambda x, *, axis, rank:
    (f"np.cumsum({x})" if rank == 1 else f"np.cumsum({x}, axis={axis})", 100))
# fmt: on


def axes(x: Any, axis: Any) -> tuple[int, ...]:
    """`axis` as NumPy takes it -> a tuple of non-negative axes."""
    if axis is None:
        return tuple(range(x.ndim))
    listed = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    for k in listed:
        if not isinstance(k, int):
            raise TypeError("axis must be a known int or a tuple of them")
        if not -x.ndim <= k < x.ndim:
            raise ValueError(f"axis {k} is out of bounds for an array with {x.ndim} dimensions")
    return tuple(sorted(k % x.ndim for k in listed))


def reduction(name: str) -> Callable[..., Any]:
    def build(b: Builder, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        x = as_array(b, x)
        if dtype is not None:
            x = x.astype(dtype)
        over_ = axes(x, axis)
        y = b.apply(name, x, axis=over_) if over_ or x.ndim else x
        return expand(y, x, over_) if keepdims else y

    return build


def as_array(b: Builder, x: Any) -> Any:
    """Numbers and tuples of values as one E."""
    if isinstance(x, tuple | list):
        return FUNCTIONS[np.array](b, x)
    return x if isinstance(x, E) else b.wrap(b.apply("copy", x).atom)


for _name, _callables in {
    "sum": (np.sum, np.add.reduce), "prod": (np.prod, np.multiply.reduce), "max": (np.max, np.amax),
    "min": (np.min, np.amin), "any": (np.any,), "all": (np.all,),
}.items():  # fmt: skip
    for _callable in _callables:
        FUNCTIONS[_callable] = reduction(_name)


def place(name: str) -> Callable[..., Any]:
    def build(b: Builder, x: Any, axis: Any = None) -> Any:
        x = as_array(b, x)
        if axis is None and x.ndim > 1:
            x = np.ravel(x)
        return b.apply(name, x, axis=axes(x, axis))

    return build


FUNCTIONS[np.argmax] = place("argmax")
FUNCTIONS[np.argmin] = place("argmin")


@lowers(np.cumsum)
def cumsum(b: Builder, x: Any, axis: Any = None) -> Any:
    x = as_array(b, x)
    if axis is None:
        x, axis = np.ravel(x), 0
    return b.apply("cumsum", x, axis=axes(x, axis)[0])


def count(x: Any, axis: tuple[int, ...]) -> Any:
    total: Any = 1
    for k in axis:
        total = total * x.shape[k]
    return total


@lowers(np.mean)
def mean(b: Builder, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = as_array(b, x)
    return np.sum(x, axis=axis, keepdims=keepdims) / in_dtype(b, x, count(x, axes(x, axis)))


def in_dtype(b: Builder, x: Any, number: Any) -> Any:
    """A count as a float of x's dtype (a size is an i8, which would make float32 into float64)."""
    if not isinstance(number, E):
        return number
    return number.astype(x.dtype if x.type.is_float else np.float64)


@lowers(np.var)
def var(b: Builder, x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    x = as_array(b, x)
    over_ = axes(x, axis)
    deviation = x - np.mean(x, axis=over_, keepdims=True)
    return np.sum(deviation * deviation, axis=over_, keepdims=keepdims) / in_dtype(
        b, x, count(x, over_) - ddof
    )


@lowers(np.std)
def std(b: Builder, x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    return np.sqrt(np.var(as_array(b, x), axis=axis, ddof=ddof, keepdims=keepdims))


@lowers(np.linalg.norm)
def norm(b: Builder, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and x.ndim != 1):
        raise TypeError("norm: only the Euclidean norm is supported (ord=None)")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


@lowers(scipy.special.logsumexp)
def logsumexp(b: Builder, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = as_array(b, x)
    over_ = axes(x, axis)
    top = b.apply("stop_gradient", np.max(x, axis=over_, keepdims=True))
    top = np.where(np.isfinite(top), top, 0.0)  # all -inf: log 0; a +inf: inf
    y = np.log(np.sum(np.exp(x - top), axis=over_, keepdims=True)) + top
    return y if keepdims else np.reshape(y, tuple(n for k, n in enumerate(x.shape) if k not in over_))


@lowers(builtins.sum)
def builtin_sum(b: Builder, values: Any, start: Any = 0) -> Any:
    if isinstance(values, E):
        if values.ndim != 1:
            raise TypeError("sum() of an array with more than one axis: use np.sum")
        return start + values.sum()  # type: ignore[attr-defined]
    total = start
    for value in values:
        total = total + value
    return total


def builtin_extreme(name: str, of_floats: str, of_ints: str) -> Callable[..., Any]:
    """max() and min(): Python keeps the first argument unless a later one is strictly beyond it."""

    def build(b: Builder, *values: Any) -> Any:
        if len(values) == 1 and isinstance(values[0], E):
            return b.apply(name, values[0], axis=(0,))
        best, *others = values[0] if len(values) == 1 else values
        for value in others:
            is_float = any(b.atom(x).type.is_float for x in (best, value))
            best = b.apply(of_floats if is_float else of_ints, best, value)
        return best

    return build


FUNCTIONS[builtins.max] = builtin_extreme("max", "larger", "maximum")
FUNCTIONS[builtins.min] = builtin_extreme("min", "smaller", "minimum")
