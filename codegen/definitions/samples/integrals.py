"""Integrals of functions that are known at places."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("scipy.integrate.trapezoid", generic=True)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(np.asarray(y), x, dx, axis)


@stands_for("scipy.integrate.cumulative_trapezoid", generic=True)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """Up to each place but the first, or with 0 there."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    if y.shape[y.ndim - 1] == 0:
        raise ValueError("At least one point is required along `axis`.")
    made = np.cumsum(steps_between(x, dx, axis, y) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            refused("`initial` parameter must be `None` or `0`.")
        made = np.concatenate((np.zeros(made.shape[: made.ndim - 1] + (1,), made.dtype), made), axis=-1)
    return np.moveaxis(made, -1, axis)


def steps_between(x, dx, axis, y):
    """Of places along an axis, of which a vector has but one."""
    if x is None:
        return np.full(1, dx, np.float64)
    x = np.asarray(x)
    x = x if x.ndim == 1 else np.moveaxis(x, axis, -1)
    if x.shape[x.ndim - 1] != y.shape[y.ndim - 1]:
        raise ValueError("If given, length of x along axis must be the same as y.")
    return np.diff(x, axis=-1)


@stands_for("scipy.integrate.simpson")
def simpson(y, x=None, dx=1.0, axis=-1):
    """By parabolas of three places each; of an even number of places the last step by Cartwright's formula (2017)."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    n = y.shape[y.ndim - 1]
    steps = steps_between(x, dx, axis, y) + np.zeros(max(n - 1, 0))
    if n < 3:
        return np.sum(steps * (y[..., 1:] + y[..., :-1]) * 0.5, axis=-1)
    last = n - 1 if n % 2 == 1 else n - 2
    first, second = steps[..., 0:last:2], steps[..., 1:last:2]
    left, middle, right = y[..., 0:last:2], y[..., 1:last:2], y[..., 2 : last + 1 : 2]
    both = first + second
    none = (first == 0.0) | (second == 0.0)
    h, k = np.where(none, 1.0, first), np.where(none, 1.0, second)
    parts = left * (2.0 - k / h) + middle * (both * both / (h * k)) + right * (2.0 - h / k)
    whole = np.sum(both / 6.0 * np.where(none, 2.0 * left + 2.0 * right, parts), axis=-1)
    if n % 2 == 1:
        return whole
    h, k = steps[..., -2], steps[..., -1]
    ahead = (2.0 * k * k + 3.0 * h * k) / (6.0 * (h + k)) * y[..., -1] + (k * k + 3.0 * h * k) / (
        6.0 * h
    ) * y[..., -2]
    return whole + ahead - k * k * k / (6.0 * h * (h + k)) * y[..., -3]
