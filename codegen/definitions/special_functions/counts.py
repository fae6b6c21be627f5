"""Distribution functions of counts, of sums and of deviations, and numbers of choices, of scipy.special."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import betainc, betainccinv, gammainc, gammaincc, gammainccinv, xlog1py

from codegen.definitions.special import floats_of, in_loop, in_narrow_loop, numbers
from codegen.definitions.table import refused, stands_for
from codegen.primitives.special import in_dtype_of


@stands_for("scipy.special.bdtr")
def bdtr(x1, x2, x3):
    """At most k successes of n."""
    k, n, p, lost = of_trials(x1, x2, x3)
    below = (k >= 0.0) & (k < n)
    a, b = np.where(below, n - k, 1.0), np.where(below, k + 1.0, 1.0)
    made = np.where(below, betainc(a, b, 1.0 - p), 1.0)
    return in_dtype_of(special.bdtr, np.where(lost | (k < 0.0), np.nan, made), x1, x2, x3)


@stands_for("scipy.special.bdtrc")
def bdtrc(x1, x2, x3):
    """More than k successes of n."""
    k, n, p, lost = of_trials(x1, x2, x3)
    inside = (k >= 0.0) & (k < n)
    a, b = np.where(inside, k + 1.0, 1.0), np.where(inside, n - k, 1.0)
    made = np.where(inside, betainc(a, b, p), np.where(k < 0.0, 1.0, 0.0))
    return in_dtype_of(special.bdtrc, np.where(lost, np.nan, made), x1, x2, x3)


@stands_for("scipy.special.bdtri")
def bdtri(x1, x2, x3):
    """The chance with which at most k successes of n have this share."""
    k, n, y, lost = of_trials(x1, x2, x3)
    out = lost | (k < 0.0) | (k >= n)
    a, b = np.where(out, 1.0, n - k), np.where(out, 1.0, k + 1.0)
    return in_dtype_of(special.bdtri, np.where(out, np.nan, betainccinv(b, a, y)), x1, x2, x3)


def of_trials(x1, x2, x3):
    """The count, of how many, a chance, and whether there are no such."""
    k, n, p = np.broadcast_arrays(np.floor(numbers(x1)), np.floor(numbers(x2)), numbers(x3))
    lost = ~((p >= 0.0) & (p <= 1.0)) | np.isnan(k) | ~np.isfinite(n) | (n < k)
    return k, n, np.where(lost, 0.5, p), lost


@stands_for("scipy.special.nbdtr")
def nbdtr(x1, x2, x3):
    """At most k failures before n successes."""
    k, n, p, lost = of_failures(x1, x2, x3)
    return in_dtype_of(special.nbdtr, np.where(lost, np.nan, betainc(n, k + 1.0, p)), x1, x2, x3)


@stands_for("scipy.special.nbdtrc")
def nbdtrc(x1, x2, x3):
    """More than k failures before n successes."""
    k, n, p, lost = of_failures(x1, x2, x3)
    return in_dtype_of(special.nbdtrc, np.where(lost, np.nan, betainc(k + 1.0, n, 1.0 - p)), x1, x2, x3)


def of_failures(x1, x2, x3):
    k, n, p = np.broadcast_arrays(np.floor(numbers(x1)), np.floor(numbers(x2)), numbers(x3))
    lost = ~((p >= 0.0) & (p <= 1.0)) | ~(k >= 0.0) | ~(n > 0.0)
    return np.where(lost, 1.0, k), np.where(lost, 1.0, n), np.where(lost, 0.5, p), lost


@stands_for("scipy.special.gdtr")
def gdtr(x1, x2, x3):
    """Of the rate x1 and the shape x2 below x3."""
    a, b, x = numbers(x1), numbers(x2), numbers(x3)
    made = gammainc(b, a * np.where(x < 0.0, 0.0, x))
    return in_dtype_of(special.gdtr, np.where(x < 0.0, np.nan, made), x1, x2, x3)


@stands_for("scipy.special.gdtrc")
def gdtrc(x1, x2, x3):
    a, b, x = numbers(x1), numbers(x2), numbers(x3)
    made = gammaincc(b, a * np.where(x < 0.0, 0.0, x))
    return in_dtype_of(special.gdtrc, np.where(x < 0.0, np.nan, made), x1, x2, x3)


@stands_for("scipy.special.pdtri")
def pdtri(x1, x2):
    """The mean with which at most k events have this share."""
    k, p = np.floor(numbers(x1)), numbers(x2)
    lost = ~((k >= 0.0) & (p >= 0.0) & (p < 1.0))
    made = gammainccinv(np.where(lost, 0.0, k) + 1.0, np.where(lost, 0.5, p))
    return in_dtype_of(special.pdtri, np.where(lost, np.nan, made), x1, x2)


@stands_for("scipy.special.kolmogorov")
def kolmogorov(x):
    """How likely a larger deviation of Kolmogorov's is, by the series that converges faster (Marsaglia, Tsang and Wang
    2003)."""
    z = numbers(x)
    small = z < 0.82
    u, v = np.where(small & (z > 0.04), z, 0.5), np.where(small, 1.0, z)
    near, far = np.zeros_like(z), np.zeros_like(z)
    for k in range(1, 6):
        near = near + np.exp(-((2.0 * k - 1.0) ** 2) * 1.2337005501361697 / (u * u))
        far = far - (-1.0) ** k * np.exp(-2.0 * (k * v) ** 2)
    below = np.where(z > 0.04, 1.0 - 2.5066282746310002 / u * near, 1.0)
    return in_narrow_loop(np.where(np.isnan(z), np.nan, np.where(small, below, 2.0 * far)), x)


@stands_for("scipy.special.perm")
def perm(N, k, exact=False):
    """How many choices of k of N there are whose order counts, as a float."""
    if exact:
        refused("perm: exact=True gives ints of any size, which there are not: math.perm does")
    n, given, k = numbers(N), np.asarray(k), numbers(k)
    inside = (k <= n) & (n >= 0.0) & (k >= 0.0)
    made = special.poch(np.where(inside, n - k + 1.0, 1.0), np.where(inside, k, 1.0))
    return in_dtype_of(special.binom, np.where(inside, made, 0.0), np.asarray(N), given)


@stands_for("scipy.special.powm1")
def powm1(x1, x2):
    """x**y - 1, without cancellation."""
    x, y = np.broadcast_arrays(numbers(x1), numbers(x2))
    near = (x > 0.0) & (np.abs(y * np.log(np.where(x > 0.0, x, 1.0))) < 0.5)
    u, v = np.where(near, x, 1.0), np.where(near, 1.0, x)
    made = np.where(near, np.expm1(xlog1py(y, u - 1.0)), v**y - 1.0)
    return in_dtype_of(special.powm1, made, x1, x2)


@stands_for("scipy.special.zetac")
def zetac(x):
    """zeta(x) - 1, from 1 on the sum without its first term."""
    z = numbers(x)
    above = z > 1.0
    made = np.where(above, special.zeta(np.where(above, z, 2.0), 2.0), special.zeta(z) - 1.0)
    return in_loop(made, floats_of(x))
