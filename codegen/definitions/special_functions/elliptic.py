"""Elliptic integrals, by means of two numbers (DLMF 19.8) and by duplication (19.36), and the dilogarithm."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special

from codegen.definitions.special import in_loop, in_narrow_loop, numbers, polynomial
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_partial, with_slope, without_partial
from codegen.primitives.special import in_dtype_of

MEANS = 12  # as many as of 1 and 1e-154 become equal


def complete(rest):
    """K and E of 1 - rest: pi / 2 by the mean of 1 and sqrt(rest), and the sum of 2**(n - 1) c**2."""
    a, b = np.ones_like(rest), np.sqrt(rest)
    total, weight = 0.5 * (1.0 - rest), 0.5
    for _ in range(MEANS):
        c = 0.5 * (a - b)
        a, b = 0.5 * (a + b), np.sqrt(a * b)
        weight = 2.0 * weight
        total = total + weight * c * c
    whole = 0.5 * np.pi / a
    return whole, whole * (1.0 - total)


def first_kind_of(rest):
    """K; of a parameter below 0 by that of m / (m - 1) (DLMF 19.7.2)."""
    inside = (rest > 0.0) & (rest < np.inf)
    p = np.where(inside, rest, 1.0)
    turned = p > 1.0
    made = complete(np.where(turned, 1.0 / p, p))[0]
    made = np.where(turned, made / np.sqrt(p), made)
    return np.where(inside, made, np.where(rest == 0.0, np.inf, np.where(rest == np.inf, 0.0, np.nan)))


@stands_for("scipy.special.ellipk")
def ellipk(x):
    return in_loop(first_kind_of(1.0 - numbers(x)), x)


@stands_for("scipy.special.ellipkm1")
def ellipkm1(x):
    return in_loop(first_kind_of(numbers(x)), x)


@stands_for("scipy.special.ellipe")
def ellipe(x):
    rest = 1.0 - numbers(x)
    inside = (rest > 0.0) & (rest < np.inf)
    p = np.where(inside, rest, 1.0)
    turned = p > 1.0
    made = complete(np.where(turned, 1.0 / p, p))[1]
    made = np.where(turned, made * np.sqrt(p), made)
    return in_loop(
        np.where(inside, made, np.where(rest == 0.0, 1.0, np.where(rest == np.inf, np.inf, np.nan))), x
    )


@stands_for("scipy.special.elliprf")
def elliprf(x1, x2, x3):
    """The symmetric integral of the first kind (Carlson 1995, algorithm 1)."""
    x, y, z = np.broadcast_arrays(numbers(x1), numbers(x2), numbers(x3))
    least = np.minimum(np.minimum(x, y), z)
    none = np.where(x == 0.0, 1, 0) + np.where(y == 0.0, 1, 0) + np.where(z == 0.0, 1, 0)
    lost = ~(least >= 0.0)
    ones = np.ones_like(x + y + z)
    far = np.isinf(x) | np.isinf(y) | np.isinf(z)
    out = lost | far | (none > 1)
    made = symmetric_first(np.where(out, ones, x), np.where(out, ones, y), np.where(out, ones, z))
    made = np.where(far, 0.0, np.where(none > 1, np.inf, made))
    return in_dtype_of(special.elliprf, np.where(lost, np.nan, made), x1, x2, x3)


def symmetric_first(x, y, z):
    """Eight duplications bring what differs by 1 to what differs by 1e-5, the sixth power of which is left out: what is
    farther apart takes more."""
    steps = 0
    while (
        np.any(np.maximum(np.maximum(x, y), z) - np.minimum(np.minimum(x, y), z) > 1e-3 * (x + y + z))
        and steps < 600
    ):
        x, y, z = doubled(x, y, z)
        steps = steps + 1
    mean = (x + y + z) / 3.0
    u, v = 1.0 - x / mean, 1.0 - y / mean
    w = -u - v
    second, third = u * v - w * w, u * v * w
    tail = 1.0 - second / 10.0 + third / 14.0 + second * second / 24.0 - 3.0 * second * third / 44.0
    tail = tail - 5.0 * second**3 / 208.0 + 3.0 * third * third / 104.0 + second * second * third / 16.0
    return tail / np.sqrt(mean)


def doubled(x, y, z):
    shift = np.sqrt(x) * np.sqrt(y) + np.sqrt(y) * np.sqrt(z) + np.sqrt(z) * np.sqrt(x)
    return 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)


def symmetric_second(x, y, z):
    """R_D (Carlson 1995, algorithm 4)."""
    total, weight, steps = np.zeros_like(x + y + z), 1.0, 0
    while (
        np.any(np.maximum(np.maximum(x, y), z) - np.minimum(np.minimum(x, y), z) > 1e-3 * (x + y + z))
        and steps < 600
    ):
        root = np.sqrt(z)
        shift = np.sqrt(x) * np.sqrt(y) + np.sqrt(y) * root + root * np.sqrt(x)
        total = total + weight / (root * (z + shift))
        weight = 0.25 * weight
        x, y, z = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)
        steps = steps + 1
    mean = (x + y + 3.0 * z) / 5.0
    u, v = 1.0 - x / mean, 1.0 - y / mean
    w = -(u + v) / 3.0
    uv, ww = u * v, w * w
    e2, e3 = uv - 6.0 * ww, (3.0 * uv - 8.0 * ww) * w
    e4, e5 = 3.0 * (uv - ww) * ww, uv * ww * w
    tail = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0
    tail = tail + 3.0 * e5 / 26.0 - e2**3 / 16.0 + 3.0 * e3 * e3 / 40.0 + 3.0 * e2 * e4 / 20.0
    return 3.0 * total + weight * tail / (mean * np.sqrt(mean))


def turns_and_rest(phi):
    """How many half turns phi is, and what is left, from -pi / 2 to pi / 2."""
    turns = np.round(phi / np.pi)
    rest = (phi - turns * 3.141592653589793) - turns * 1.2246467991473532e-16
    return turns, rest


def of_amplitude(phi, m):
    """Half turns, the sine and cosine of what is left, 1 - m sin^2 of it, and where the integrals are lost."""
    turns, rest = turns_and_rest(np.where(np.isinf(phi), 0.0, phi))
    s, c = np.sin(rest), np.cos(rest)
    inside = 1.0 - m * s * s
    return turns, s, c, inside, ~(inside >= 0.0) | (m > 1.0)


@stands_for("scipy.special.ellipkinc")
def ellipkinc(x1, x2):
    """Legendre's integral of the first kind by R_F (DLMF 19.25.5)."""
    phi, m = np.broadcast_arrays(numbers(x1), numbers(x2))
    turns, s, c, inside, lost = of_amplitude(without_partial(phi), m)
    made = s * symmetric_first(c * c, np.where(lost | (inside == 0.0), 1.0, inside), np.ones_like(phi))
    whole = first_kind_of(1.0 - np.where(turns == 0.0, 0.0, m))
    made = made + np.where(turns == 0.0, 0.0, 2.0 * turns * whole)
    made = with_partial(made, phi, 1.0 / np.sqrt(1.0 - m * np.sin(phi) ** 2))
    made = np.where(
        inside == 0.0, np.copysign(np.inf, s), np.where((turns != 0.0) & (m == 1.0), np.inf, made)
    )
    made = np.where(np.isinf(phi), phi, made)
    return in_dtype_of(special.ellipkinc, np.where(lost, np.nan, made), x1, x2)


@stands_for("scipy.special.ellipeinc")
def ellipeinc(x1, x2):
    """Of the second kind by R_F and R_D (DLMF 19.25.9)."""
    phi, m = np.broadcast_arrays(numbers(x1), numbers(x2))
    turns, s, c, inside, lost = of_amplitude(without_partial(phi), m)
    y, one = np.where(lost | (inside == 0.0), 1e-300, inside), np.ones_like(phi)
    made = s * symmetric_first(c * c, y, one) - m / 3.0 * s * s * s * symmetric_second(c * c, y, one)
    made = np.where(m == 1.0, with_slope(s, made), made)
    made = made + np.where(turns == 0.0, 0.0, 2.0 * turns * special.ellipe(np.where(turns == 0.0, 0.0, m)))
    made = with_partial(made, phi, np.sqrt(1.0 - m * np.sin(phi) ** 2))
    made = np.where(np.isinf(phi), phi, made)
    return in_dtype_of(special.ellipeinc, np.where(lost, np.nan, made), x1, x2)


# B(2 k) / (2 k + 1)!, of Bernoulli's numbers, for k = 12 .. 1
OF_DILOGARITHM = (
    -5.581785874325009e-21, 2.395218621026187e-19, -1.0356517612181247e-17, 4.518980029619918e-16,
    -1.9939295860721074e-14,
    8.921691020456452e-13, -4.0647616451442256e-11, 1.8978869988971e-09, -9.185773074661964e-08, 4.72411186696901e-06,
    -0.0002777777777777778, 0.027777777777777776,
)  # fmt: skip


@stands_for("scipy.special.spence")
def spence(x):
    """The dilogarithm of 1 - x: a series in log x (DLMF 25.12.6 and 25.12.4 bring x between 1/2 and 2)."""
    z = numbers(x)
    inside = (z > 0.0) & (z < np.inf)
    p = np.where(inside, z, 1.0)
    large, log = p > 2.0, np.log(p)
    q = np.where(large, 1.0 / p, p)
    small = q < 0.5
    below = np.where(small, q, 0.25)
    u = np.where(small, -np.log1p(-below), -np.log(q))
    made = u - 0.25 * u * u + u * u * u * polynomial(OF_DILOGARITHM, u * u)
    made = np.where(small, np.pi * np.pi / 6.0 - np.log(below) * np.log1p(-below) - made, made)
    made = np.where(large, -0.5 * log * log - made, made)
    edge = np.where(z == 0.0, np.pi * np.pi / 6.0, np.where(z == np.inf, -np.inf, np.nan))
    return in_narrow_loop(np.where(inside, made, edge) + 0.0, x)
