"""Orthogonal polynomials of scipy.special, of degrees that are ints, by the recurrences that each of them has with the
two before (DLMF 18.9)."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special

from codegen.definitions.special import numbers
from codegen.definitions.table import refused, stands_for
from codegen.primitives.special import in_dtype_of


def by_recurrence(n, first, second, following, below=0.0):
    """Of each degree in n, those below 0 being this: `following(k, here, before)` is the one of degree k + 1."""
    n, first, second = np.broadcast_arrays(n, first, second)
    made = np.where(n == 0, first, np.where(n < 0, below, second))
    before, here = first + 0.0, second + 0.0
    for k in range(1, np.max(n, initial=0)):
        before, here = here, following(k, here, before)
        made = np.where(n == k + 1, here, made)
    return made


def beyond_floats(made, x, grows=True):
    """Right of 1 a polynomial that `grows` with its degree is infinite where the recurrence subtracts infinities."""
    return np.where(np.isnan(made) & (x > 1.0) & grows, np.inf, made)


def degrees(x1):
    n = np.asarray(x1)
    if n.dtype.kind not in "iub":
        refused("the degree of a polynomial must be an int here")
    return n.astype(np.int64)


@stands_for("scipy.special.eval_legendre")
def eval_legendre(x1, x2):
    n, x = degrees(x1), numbers(x2)
    n = np.where(n < 0, -n - 1, n)
    made = by_recurrence(n, 1.0, x, lambda k, p, q: ((2.0 * k + 1.0) * x * p - k * q) / (k + 1.0))
    return in_dtype_of(special.eval_legendre, beyond_floats(made, x), x1, x2)


@stands_for("scipy.special.eval_chebyt")
def eval_chebyt(x1, x2):
    x = numbers(x2)
    made = by_recurrence(np.abs(degrees(x1)), 1.0, x, lambda k, p, q: 2.0 * x * p - q)
    return in_dtype_of(special.eval_chebyt, made, x1, x2)


@stands_for("scipy.special.eval_chebyu")
def eval_chebyu(x1, x2):
    n, x = degrees(x1), numbers(x2)
    turned = np.where(n < -1, -n - 2, n)
    made = by_recurrence(turned, 1.0, 2.0 * x, lambda k, p, q: 2.0 * x * p - q)
    return in_dtype_of(special.eval_chebyu, np.where(n < -1, -made, made), x1, x2)


@stands_for("scipy.special.eval_hermite")
def eval_hermite(x1, x2):
    x = numbers(x2)
    made = by_recurrence(degrees(x1), 1.0, 2.0 * x, lambda k, p, q: 2.0 * x * p - 2.0 * k * q, np.nan)
    return in_dtype_of(special.eval_hermite, made, x1, x2)


@stands_for("scipy.special.eval_hermitenorm")
def eval_hermitenorm(x1, x2):
    x = numbers(x2)
    made = by_recurrence(degrees(x1), 1.0, x, lambda k, p, q: x * p - k * q, np.nan)
    return in_dtype_of(special.eval_hermitenorm, made, x1, x2)


@stands_for("scipy.special.eval_laguerre")
def eval_laguerre(x1, x2):
    made = laguerre(degrees(x1), np.zeros(1)[0], numbers(x2))
    return in_dtype_of(special.eval_laguerre, made, x1, x2)


@stands_for("scipy.special.eval_genlaguerre")
def eval_genlaguerre(x1, x2, x3):
    a = numbers(x2)
    made = laguerre(degrees(x1), a, numbers(x3))
    return in_dtype_of(special.eval_genlaguerre, np.where(a > -1.0, made, np.nan), x1, x2, x3)


def laguerre(n, a, x):
    return by_recurrence(
        n, 1.0, 1.0 + a - x, lambda k, p, q: ((2.0 * k + 1.0 + a - x) * p - (k + a) * q) / (k + 1.0)
    )


@stands_for("scipy.special.eval_gegenbauer")
def eval_gegenbauer(x1, x2, x3):
    a, x = numbers(x2), numbers(x3)
    n = degrees(x1)
    made = by_recurrence(
        n, 1.0, 2.0 * a * x, lambda k, p, q: (2.0 * (k + a) * x * p - (k + 2.0 * a - 1.0) * q) / (k + 1.0)
    )
    return in_dtype_of(special.eval_gegenbauer, beyond_floats(made, x, a > 0.0), x1, x2, x3)


@stands_for("scipy.special.eval_jacobi")
def eval_jacobi(x1, x2, x3, x4):
    a, b, x = numbers(x2), numbers(x3), numbers(x4)

    def following(k, p, q):
        m = 2.0 * k + a + b
        on = (m + 1.0) * (a * a - b * b + m * (m + 2.0) * x)
        down = 2.0 * (k + a) * (k + b) * (m + 2.0)
        return (on * p - down * q) / (2.0 * (k + 1.0) * (k + 1.0 + a + b) * m)

    made = by_recurrence(degrees(x1), 1.0, 0.5 * (a - b + (a + b + 2.0) * x), following)
    made = beyond_floats(made, x, (a > -1.0) & (b > -1.0))
    return in_dtype_of(special.eval_jacobi, made, x1, x2, x3, x4)
