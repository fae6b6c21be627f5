"""Filters of scipy.signal."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("scipy.signal.lfilter")
def lfilter(b, a, x, axis=-1, zi=None):
    """Each place from what was given and made up to it, by transposed direct form II."""
    b, a, x = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x) + 0.0
    if b.ndim != 1 or a.ndim != 1 or x.ndim < 1:
        refused("lfilter takes vectors of coefficients, and an array with an axis")
    order = max(len(a), len(b)) - 1
    if a[0] == 0.0:
        raise ValueError("The first element of the denominator must be non-zero.")
    kind = (b[:0] + a[:0] + x.reshape(-1)[:0]).dtype
    over, under = np.zeros(order + 1, kind), np.zeros(order + 1, kind)
    over[: len(b)] = b / a[0]
    under[: len(a)] = a / a[0]
    rows = np.moveaxis(x.astype(kind), axis, -1)
    n = rows.shape[rows.ndim - 1]
    flat = rows.reshape((rows.size // max(n, 1), n))
    held = np.zeros((len(flat), order + 1), kind)
    if zi is not None:
        held[:, :order] = np.moveaxis(np.asarray(zi), axis, -1).reshape((len(flat), order))
    made = np.empty(flat.shape, kind)
    for i in range(len(flat)):
        for k in range(n):
            given = flat[i, k]
            new = over[0] * given + held[i, 0]
            for j in range(order):
                held[i, j] = held[i, j + 1] + over[j + 1] * given - under[j + 1] * new
            made[i, k] = new
    made = np.moveaxis(made.reshape(rows.shape), -1, axis)
    if zi is None:
        return made
    return made, np.moveaxis(held[:, :order].reshape(rows.shape[: rows.ndim - 1] + (order,)), -1, axis)
