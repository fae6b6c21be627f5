"""Polynomials by their coefficients, the highest power first."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("numpy.polyval", generic=True)
def polyval(p, x):
    """By Horner's rule."""
    p, x = np.asarray(p), np.asarray(x)
    made = np.zeros(x.shape, (np.zeros(1, p.dtype) * np.zeros(1, x.dtype)).dtype)
    for k in range(len(p)):
        made = made * x + p[k]
    return made


def coefficients(p):
    p = np.atleast_1d(p)
    if p.ndim != 1:
        refused("a polynomial is a vector of coefficients")
    return p


@stands_for("numpy.polyadd", generic=True)
def polyadd(a1, a2):
    return with_powers(a1, a2) + with_powers(a2, a1)


@stands_for("numpy.polysub", generic=True)
def polysub(a1, a2):
    return with_powers(a1, a2) - with_powers(a2, a1)


def with_powers(p, other):
    """The coefficients with zeros before them, for the powers that only the other one has."""
    p, other = coefficients(p), coefficients(other)
    return np.concatenate((np.zeros(max(len(other) - len(p), 0), p.dtype), p))


@stands_for("numpy.polymul", generic=True)
def polymul(a1, a2):
    """Of what follows the zeros that they begin with: how many depends on values, while np.convolve takes all."""
    return np.convolve(from_first(coefficients(a1)), from_first(coefficients(a2)))


def from_first(p):
    """Without zeros before it; of nothing else, one of them."""
    p = p if len(p) > 0 else np.zeros(1, p.dtype)
    start = 0
    while start < len(p) - 1 and p[start] == 0:
        start = start + 1
    return p[start:]


@stands_for("numpy.polydiv")
def polydiv(u, v):
    """Quotient and rest, which begins with a coefficient that is not nearly 0."""
    rest, divisor = coefficients(u) + 0.0, coefficients(v) + 0.0
    rest = rest.astype((rest[:1] + divisor[:1]).dtype)
    n, m = len(rest), len(divisor)
    quotient = np.zeros(max(n - m + 1, 1), rest.dtype)
    scale = 1.0 / divisor[0]
    for k in range(n - m + 1):
        quotient[k] = scale * rest[k]
        for j in range(m):
            rest[k + j] = rest[k + j] - quotient[k] * divisor[j]
    start = 0
    while start < n - 1 and abs(rest[start]) <= 1e-8:
        start = start + 1
    return quotient, rest[start:]


@stands_for("numpy.polyder", generic=True)
def polyder(p, m=1):
    p = coefficients(p)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if m == 0:
        return p
    powers = np.arange(len(p) - 1, m - 1, -1)
    factors = np.ones_like(powers)
    for j in range(m):
        factors = factors * (powers - j)
    return p[: max(len(p) - m, 0)] * factors


@stands_for("numpy.polyint", generic=True)
def polyint(p, m=1, k=None):
    p = coefficients(p)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = np.zeros(m) if k is None else np.atleast_1d(k) + 0.0
    constants = np.full(m, constants[0]) if len(constants) == 1 and m > 1 else constants
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    if m == 0:
        return p
    made = np.concatenate((p + 0.0, constants[:m]))
    places = len(p) - np.arange(len(made))
    for j in range(m):  # a constant is there from its own integral on
        made = made / np.maximum(places + j, 1)
    return made


@stands_for("numpy.poly", generic=True)
def poly(seq_of_zeros):
    """The polynomial with these roots, or with the eigenvalues of a square matrix: of a real one it is real."""
    roots = np.asarray(seq_of_zeros)
    if roots.ndim == 0:
        refused("poly takes a list or an array of roots, not a number")
    if roots.ndim == 2:
        if roots.shape[0] != roots.shape[1] or roots.shape[0] == 0:
            raise ValueError("input must be 1d or non-empty square 2d array.")
        made = np.poly(np.linalg.eigvals(roots))
        return made if roots.dtype.kind == "c" else +made.real
    if roots.ndim != 1:
        refused("input must be 1d or non-empty square 2d array.")
    if len(roots) == 0:
        raise ValueError("poly takes one root or more")
    roots = roots if roots.dtype.kind in "fc" else roots.astype(np.float64)
    made = np.zeros(len(roots) + 1, roots.dtype)
    made[0] = 1.0
    for k in range(len(roots)):
        for j in range(k + 1, 0, -1):
            made[j] = made[j] - roots[k] * made[j - 1]
    return made


@stands_for("numpy.polyfit")
def polyfit(x, y, deg, rcond=None, w=None):
    """Least squares of powers that are scaled to length 1, as NumPy's are."""
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if len(x) == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    powers = np.vander(x, deg + 1)
    if w is not None:
        weights = np.asarray(w) + 0.0
        powers = powers * weights[:, None]
        y = y * weights if y.ndim == 1 else y * weights[:, None]
    scale = np.sqrt(np.sum(powers * powers, 0))
    least = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    found = np.linalg.lstsq(powers / scale, y, least)[0]
    return found / scale if y.ndim == 1 else found / scale[:, None]
