"""Means and spreads of arrays: np.mean, np.var and np.std as sums and quotients."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from codegen.ir.build import Builder, E
from codegen.primitives.reduce import as_array, axes, axes_given, number_axes, of_array
from codegen.primitives.row import lowers
from codegen.primitives.shape import require_equal, step_is


@of_array(np.mean)
def mean(
    b: Builder, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, where: Any = True
) -> Any:
    over_ = axes(x, axis)
    if dtype is None and not x.type.is_float:
        dtype = np.float64
    require_float_dtype(dtype, "mean")
    total = np.sum(x, axis=over_, dtype=dtype, keepdims=keepdims, where=where)
    return total / count_in_dtype(b, total, count_where(b, x, over_, where, keepdims))


def count_where(b: Builder, x: Any, axes: tuple[int, ...], where: Any, keepdims: bool) -> Any:
    """How many elements along these axes count."""
    if where is True:
        return math.prod(x.shape[k] for k in axes)
    held = np.broadcast_to(where, x.shape) if b.atom(where).type.shape != x.type.shape else where
    return np.sum(held, axis=axes, keepdims=keepdims)


def count_in_dtype(b: Builder, x: Any, number: Any) -> Any:
    """A count as a float of x's dtype (a size is an i8, which would make float32 into float64)."""
    if not isinstance(number, E):
        return number
    return number.astype(x.dtype if x.type.is_float else np.float64)


def require_float_dtype(dtype: Any, name: str) -> None:
    """Refuse to compute a mean in another dtype than of floats: NumPy's quotient would be cast at each step."""
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise TypeError(f"{name} in dtype {np.dtype(dtype)} is not supported: give a dtype of floats")


@of_array(np.var)
def var(
    b: Builder, x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False, mean: Any = None,
    correction: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    require_float_dtype(dtype, "var")
    if correction is not None and not step_is(ddof, 0):
        raise ValueError("ddof and correction can't be provided simultaneously.")
    if dtype is not None:
        x = x.astype(dtype)
    over_ = axes(x, axis)
    deviation = x - (np.mean(x, axis=over_, keepdims=True, where=where) if mean is None else mean)
    if where is not True:  # before the square, whose slope is NaN where a NaN is left out
        deviation = np.where(where, deviation, np.dtype(deviation.dtype).type(0))
    added = None if x.type.is_float else np.float64  # of ints in float64, whatever the mean's dtype
    total = np.sum(deviation * deviation, axis=over_, keepdims=keepdims, dtype=added)
    less = ddof if correction is None else correction
    n = count_where(b, x, over_, where, keepdims)
    if not step_is(less, 0):
        n = b.apply("maximum", n - less, 0)
    return total / count_in_dtype(b, x, n)


@lowers(np.std)
@functools.wraps(var)
def std(*given: Any, **named: Any) -> Any:
    return np.sqrt(var(*given, **named))


@of_array(np.average)
def average(
    b: Builder, x: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """The mean, or with weights the sum of products over that of the weights, which must not be 0."""
    over_ = axes(x, axis)
    if weights is None:
        made = np.mean(x, axis=over_, keepdims=keepdims)
        total = count_in_dtype(b, made, math.prod(x.shape[k] for k in over_))
        if made.ndim:  # NumPy divides all elements by the means'
            b.require(made.size != 0, "ZeroDivisionError", "division by zero")
    else:
        w = as_array(b, weights)
        if w.ndim != x.ndim:
            w = spread_weights(w, x, axis)
        dtype = np.result_type(
            np.dtype(x.dtype), np.dtype(w.dtype), *(() if x.type.is_float else (np.float64,))
        )
        w = np.broadcast_to(w, x.shape).astype(dtype)
        total = np.sum(w, axis=over_, keepdims=keepdims)
        b.require(np.all(total != 0.0), "ZeroDivisionError", "Weights sum to zero, can't be normalized")
        made = np.sum(x.astype(dtype) * w, axis=over_, keepdims=keepdims) / total
    if not returned:
        return made
    return made, np.broadcast_to(np.dtype(made.dtype).type(1) * total, made.shape)


def spread_weights(w: Any, x: Any, axis: Any) -> Any:
    """Weights of some axes, beside the others."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    chosen = axes_given(axis, x.ndim)
    if w.ndim != len(chosen):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    w = np.transpose(w, tuple(sorted(range(w.ndim), key=chosen.__getitem__)))
    sizes = dict(zip(sorted(chosen), w.shape, strict=True))
    return np.reshape(w, tuple(sizes.get(k, 1) for k in range(x.ndim)))


@of_array(np.trapezoid)
def trapezoid(b: Builder, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The area under a line through the points."""
    (k,) = number_axes(y, axis)
    whole = (slice(None),) * k
    after, before = y[(*whole, slice(1, None))], y[(*whole, slice(None, -1))]
    width = dx
    if x is not None:
        x = as_array(b, x)
        width = np.diff(x, axis=-1 if x.ndim == 1 else axis)
        if x.ndim == 1:
            width = np.reshape(width, tuple(width.shape[0] if n == k else 1 for n in range(y.ndim)))
    return np.sum(width * (after + before) / 2.0, axis=k)


@of_array(np.cov)
def cov(
    b: Builder, m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, dtype: Any = None,
    fweights: Any = None, aweights: Any = None,
) -> Any:  # fmt: skip
    """Covariances of rows, or of columns, and those of y."""
    parts = [m] if y is None else [m, as_array(b, y)]
    kind = (
        np.result_type(*(np.dtype(p.dtype) for p in parts), np.float64) if dtype is None else np.dtype(dtype)
    )
    if np.dtype(kind).kind != "f":
        raise TypeError(f"cov in dtype {np.dtype(kind)} is not supported: give a dtype of floats")
    rows = [observations(p, rowvar, k) for k, p in enumerate(parts)]
    x = (rows[0] if y is None else np.concatenate(rows, axis=0)).astype(kind)
    less = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        count = count_in_dtype(b, x, b.apply("maximum", x.shape[1] - less, 0))
        away = x - np.mean(x, axis=1, keepdims=True)
        weighed = away
    else:
        w = frequencies(b, fweights, "fweights", x.shape[1]) * frequencies(
            b, aweights, "aweights", x.shape[1]
        )
        total = np.sum(w)
        lost = less if aweights is None else less * np.sum(w * as_array(b, aweights)) / total
        count = np.maximum(total - lost, 0.0)
        away = x - (np.sum(x * w, axis=1) / total)[:, None]
        weighed = away * w
    with np.errstate(divide="ignore"):
        c = (away @ weighed.T) * (np.dtype(kind).type(1) / count)
    return c[0, 0] if y is None and (m.ndim < 2 or step_is(x.shape[0], 1)) else c


def frequencies(b: Builder, given: Any, name: str, n: Any) -> Any:
    """How often each observation counts, or how much."""
    if given is None:
        return 1.0
    w = as_array(b, given).astype(np.float64)
    if w.ndim != 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    same = b.apply("eq", w.shape[0], n)
    b.require(same, "RuntimeError", f"incompatible numbers of samples and {name}")
    b.require(np.all(w >= 0.0), "ValueError", f"{name} cannot be negative")
    if name == "fweights":
        b.require(np.all(w == np.rint(w)), "TypeError", "fweights must be integer")
    return w


def observations(x: Any, rowvar: bool, number: int) -> Any:
    """As a matrix with a row a variable."""
    if x.ndim > 2:
        raise ValueError(f"{'my'[number]} has more than 2 dimensions")
    if x.ndim < 2:
        return np.reshape(x, (1, x.size))
    return x if rowvar else x.T


@of_array(np.corrcoef)
def corrcoef(b: Builder, x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """Covariances over the deviations of both, not beyond 1."""
    c = cov(b, x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = np.sqrt(np.diag(c))
    return np.clip(c / deviation[:, None] / deviation[None, :], -1, 1)


@of_array(np.gradient)
def gradient(b: Builder, f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along each axis: central differences of second order inside, one-sided ones at the ends.

    The spacing of an axis is a number, or the places of its elements.
    """
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.type.dtype == "b1":
        raise TypeError("gradient of bools: NumPy does not subtract them, convert them first")
    f = of_floats(f)
    chosen = tuple(range(f.ndim)) if axis is None else axes_given(axis, f.ndim)
    spacings = varargs or (1.0,)
    if len(spacings) == 1 and not is_vector_operand(spacings[0]):
        spacings = spacings * len(chosen)
    if len(spacings) != len(chosen):
        raise TypeError("invalid number of arguments")
    made = []
    for k, spacing in zip(chosen, spacings, strict=True):
        n = f.shape[k]
        b.require(b.apply("ge", n, edge_order + 1), "ValueError", TOO_SHORT)
        g = np.moveaxis(f, k, 0)
        gaps = gaps_between(b, as_array(b, spacing), f.type.shape[k]) if is_vector_operand(spacing) else None
        made.append(np.moveaxis(slopes(g, spacing, gaps, edge_order).astype(f.dtype), 0, k))
    return made[0] if len(made) == 1 else tuple(made)


TOO_SHORT = (
    "Shape of array too small to calculate a numerical gradient, "
    "at least (edge_order + 1) elements are required."
)


def gaps_between(b: Builder, places: Any, n: Any) -> Any:
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    told = "when 1d, distances must match the length of the corresponding dimension"
    require_equal(b, places.type.shape[0], n, told)
    return np.diff(of_floats(places))


def of_floats(x: Any) -> Any:
    return x if x.type.is_float else x.astype(np.float64)


def is_vector_operand(x: Any) -> bool:
    return isinstance(x, tuple | list) or bool(getattr(x, "ndim", 0))


def slopes(f: Any, spacing: Any, gaps: Any, edge_order: int) -> Any:
    """Along the first axis; `gaps`: between the places of its elements, None where all are `spacing`."""
    if gaps is None:
        inner = (f[2:] - f[:-2]) / (2.0 * spacing)
        first, last = spacing, spacing
    else:
        equal = np.all(gaps == gaps[0])
        wide = np.reshape(np.where(equal, 1.0, gaps), (gaps.shape[0], *(1 for _ in range(f.ndim - 1))))
        left, right = wide[:-1], wide[1:]
        unequal = (
            -right / (left * (left + right)) * f[:-2]
            + (right - left) / (left * right) * f[1:-1]
            + left / (right * (left + right)) * f[2:]
        )
        first, last = gaps[0], gaps[-1]
        inner = np.where(equal, (f[2:] - f[:-2]) / (2.0 * np.where(equal, first, 1.0)), unequal)
    if edge_order == 1:
        ends = (f[1] - f[0]) / first, (f[-1] - f[-2]) / last
    else:
        near = (first, last) if gaps is None else (gaps[1], gaps[-2])
        start = one_sided(f[0], f[1], f[2], first, near[0])
        ends = start, -one_sided(f[-1], f[-2], f[-3], last, near[1])
    return np.concatenate((ends[0][None], inner, ends[1][None]))


def one_sided(f: Any, g: Any, h: Any, near: Any, far: Any) -> Any:
    """The slope at the first of three places, of second order."""
    both = near + far
    return -(2.0 * near + far) / (near * both) * f + both / (near * far) * g - near / (far * both) * h
