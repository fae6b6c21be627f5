"""Reductions that leave NaN out: np.nansum, np.nanmean, np.nanmax and their like, as reductions of what is there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.build import Builder
from codegen.primitives.calls.statistics import require_float_dtype, var
from codegen.primitives.reduce import number_axes, of_array
from codegen.primitives.row import lowers
from codegen.primitives.shape import step_is

ALL_NAN = "All-NaN slice encountered"


def filled(x: Any, number: float) -> Any:
    """The array with a number in place of each NaN."""
    return np.where(np.isnan(x), np.dtype(x.dtype).type(number), x) if x.type.is_float else x


def there(x: Any) -> Any:
    """Where an element is a number."""
    return ~np.isnan(x) if x.type.is_float else np.ones((), np.bool_)


def without_nan(function: Callable[..., Any], number: float) -> Callable[..., Any]:
    """A sum or product of what is there."""

    def build(
        b: Builder, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True,
    ) -> Any:  # fmt: skip
        return function(
            filled(x, number), axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
        )

    return build


of_array(np.nansum)(without_nan(np.sum, 0.0))
of_array(np.nanprod)(without_nan(np.prod, 1.0))


@of_array(np.nancumsum)
def nancumsum(b: Builder, x: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(filled(x, 0.0), axis=axis, dtype=dtype)


def nan_extreme(function: Callable[..., Any], start: float, default: int | None) -> Callable[..., Any]:
    """The largest or smallest of what is there, NaN where nothing is. `default`: the axis, where none is given."""

    def build(
        b: Builder,
        x: Any,
        axis: Any = default,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if not x.type.is_float or initial is not None:  # which is no less than what NaN is taken for
            return function(filled(x, start), axis=axis, keepdims=keepdims, initial=initial, where=where)
        if where is not True:
            raise TypeError("with where= it needs initial=")
        over = number_axes(x, axis)
        kind = np.dtype(x.dtype).type
        # By a comparison, which no NaN passes: LLVM makes no vectors of an extreme of what a test for NaN chooses.
        is_there = x > kind(start) if start < 0.0 else x < kind(start)
        made = function(np.where(is_there, x, kind(start)), axis=over, keepdims=keepdims)
        numbers = np.sum(there(x), axis=over, keepdims=keepdims)
        return np.where(numbers > 0, made, kind(np.nan))

    return build


of_array(np.nanmax)(nan_extreme(np.max, -np.inf, None))
of_array(np.nanmin)(nan_extreme(np.min, np.inf, None))
of_array(np.fmax.reduce)(nan_extreme(np.max, -np.inf, 0))
of_array(np.fmin.reduce)(nan_extreme(np.min, np.inf, 0))


def nan_place(function: Callable[..., Any], start: float) -> Callable[..., Any]:
    """Where the largest or smallest of what is there is."""

    def build(b: Builder, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.type.is_float:
            over = number_axes(x, axis)
            some = np.all(np.any(~np.isnan(x), axis=over))
            b.require(some, "ValueError", ALL_NAN)
        return function(filled(x, start), axis=axis, keepdims=keepdims)

    return build


of_array(np.nanargmax)(nan_place(np.argmax, -np.inf))
of_array(np.nanargmin)(nan_place(np.argmin, np.inf))


@of_array(np.nanmean)
def nanmean(
    b: Builder, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, where: Any = True
) -> Any:
    if not x.type.is_float:
        return np.mean(x, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    require_float_dtype(dtype, "nanmean")
    total = np.sum(filled(x, 0.0), axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    return total / np.sum(there(x), axis=axis, keepdims=keepdims, where=where).astype(total.dtype)


@of_array(np.nanvar)
def nanvar(
    b: Builder, x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False, mean: Any = None,
    correction: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    """NaN where no more than `ddof` elements are there."""
    if not x.type.is_float:
        return var(b, x, axis, dtype, ddof, keepdims, mean, correction, where)
    if correction is not None and not step_is(ddof, 0):
        raise ValueError("ddof and correction can't be provided simultaneously.")
    require_float_dtype(dtype, "nanvar")
    x = x if dtype is None else x.astype(dtype)
    over = number_axes(x, axis)
    number = np.dtype(x.dtype).type
    middle = nanmean(b, x, over, keepdims=True, where=where) if mean is None else mean
    away = np.where(np.isnan(x), number(0), x - middle)
    less = ddof if correction is None else correction
    left = np.sum(there(x), axis=over, keepdims=keepdims, where=where) - less
    total = np.sum(away * away, axis=over, keepdims=keepdims, where=where)
    return np.where(left > 0, total / left.astype(x.dtype), number(np.nan))


@lowers(np.nanstd)
@functools.wraps(nanvar)
def nanstd(*given: Any, **named: Any) -> Any:
    return np.sqrt(nanvar(*given, **named))


@of_array(np.count_nonzero)
def count_nonzero(b: Builder, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.sum(x if x.type.dtype == "b1" else x != 0, axis=axis, keepdims=keepdims)


@of_array(np.ptp)
def ptp(b: Builder, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest less the smallest."""
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)
