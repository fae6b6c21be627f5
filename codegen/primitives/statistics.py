"""Means and spreads of arrays: np.mean, np.var and np.std as sums and quotients."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from codegen.ir.build import Builder, E
from codegen.primitives.reduce import number_axes, of_array
from codegen.primitives.row import lowers
from codegen.primitives.shape import step_is


@of_array(np.mean)
def mean(
    b: Builder, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, where: Any = True
) -> Any:
    over_ = number_axes(x, axis)
    if dtype is None and not x.type.is_float:
        dtype = np.float64
    require_float_dtype(dtype, "mean")
    total = np.sum(x, axis=over_, dtype=dtype, keepdims=keepdims, where=where)
    if where is True:
        return total / count_in_dtype(b, total, math.prod(x.shape[k] for k in over_))
    held = np.broadcast_to(where, x.shape) if b.atom(where).type.shape != x.type.shape else where
    return total / count_in_dtype(b, total, np.sum(held, axis=over_, keepdims=keepdims))


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
    correction: Any = None,
) -> Any:  # fmt: skip
    require_float_dtype(dtype, "var")
    if dtype is not None:
        x = x.astype(dtype)
    over_ = number_axes(x, axis)
    deviation = x - (np.mean(x, axis=over_, keepdims=True) if mean is None else mean)
    total = np.sum(deviation * deviation, axis=over_, keepdims=keepdims)
    less = ddof if correction is None else correction
    n = math.prod(x.shape[k] for k in over_)
    if not step_is(less, 0):
        n = b.apply("maximum", n - less, 0)
    return total / count_in_dtype(b, x, n)


@lowers(np.std)
@functools.wraps(var)
def std(*given: Any, **named: Any) -> Any:
    return np.sqrt(var(*given, **named))
