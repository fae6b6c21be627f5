"""Functions of scipy.special made of others: beta functions, inverses of the error function.

Each is within a few units in the last place of SciPy's, or nearer to what is exact (betaln of large numbers, in which
SciPy's cancels).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import digamma, gamma, gammaln

from codegen.definitions.table import refused, stands_for
from codegen.primitives.shape import with_partial, with_slope, without_partial, without_slope
from codegen.primitives.special import in_dtype_of

ROOT_HALF = 0.7071067811865476
ROOT_PI = 1.7724538509055159
ROOT_TWO_PI = 2.5066282746310002
HALF_LOG_TWO_PI = 0.9189385332046727
TINY = 1e-200


def flat(x, shape):
    return np.broadcast_to(x, shape).reshape(-1)


def numbers(x):
    return np.asarray(x).astype(np.float64)


def in_loop(made, x):
    """In the dtype of SciPy's loop for what is given: float32 of float32, else float64."""
    return made.astype((np.asarray(x) + 0.0).dtype)


def in_narrow_loop(made, x):
    """The same where SciPy's loop for float32 comes first, which takes narrow ints too."""
    return made.astype((np.asarray(x) + np.zeros(1, np.float32)).dtype)


def plus(x1, x2):
    """A sum, whose dtype is that of both."""
    return given(x1) + given(x2)


def floats_of(x):
    return np.asarray(x) + 0.0


def given(x):
    return np.asarray(x) if isinstance(x, tuple | list) else x


def size_of(x):
    """|x|, of slope 1 at 0: smooth functions that are written in it have all their derivatives there."""
    return np.where(x < 0.0, -x, x) + 0.0


def in_order(x, y):
    """The smaller and the larger, of equal ones x and y: what is written in them has all its derivatives there."""
    first = (x <= y) | np.isnan(x)
    return np.where(first, x, y), np.where(first, y, x)


def rest_of_stirling(x):
    """log gamma(x) less (x - 1/2) log x - x + log(2 pi) / 2, for x of 10 and more (Abramowitz and Stegun 6.1.41)."""
    z = 1.0 / (x * x)
    tail = 1.0 / 1260.0 + z * (-1.0 / 1680.0 + z * (1.0 / 1188.0 - z * (691.0 / 360360.0)))
    return (1.0 / 12.0 + z * (-1.0 / 360.0 + z * tail)) / x


# (zeta(k) - 1) / k, of which lgamma(1 + x) is a series (DLMF 5.7.3)
OF_ZETA = (
    0.3224670334241132, 0.0673523010531981, 0.020580808427784546, 0.007385551028673986, 0.0028905103307415234,
    0.001192753911703261, 0.0005096695247430425, 0.00022315475845357939, 9.945751278180853e-05,
    4.492623673813314e-05, 2.050721277567069e-05, 9.439488275268397e-06, 4.374866789907488e-06,
    2.039215753801366e-06, 9.55141213040742e-07, 4.492469198764566e-07, 2.1207184805554665e-07,
    1.0043224823968099e-07, 4.7698101693639804e-08, 2.2711094608943164e-08, 1.0838659214896955e-08,
    5.183475041970047e-09, 2.4836745438024785e-09, 1.1921401405860912e-09, 5.731367241678862e-10,
    2.7595228851242334e-10, 1.330476437424449e-10, 6.4229645638381e-11, 3.1044247747322276e-11,
)  # fmt: skip
EULER = 0.5772156649015329


def log_gamma_by_series(a, terms):
    """Of a up to 1/2; eight terms are enough up to 1/100."""
    total, power = 0.0, -a
    for each in OF_ZETA[:terms]:
        power = -power * a
        total = total + each * power
    return total - np.log1p(a) + (1.0 - EULER) * a


@stands_for("scipy.special.betaln")
def betaln(x1, x2):
    """log(gamma(a) gamma(b) / gamma(a + b))."""
    infinite, _, a, b = without_poles(numbers(x1), numbers(x2))
    least = np.minimum(a, b)
    far = np.where(least == np.inf, np.nan, np.where(least > 0.0, -np.inf, np.inf))
    made = np.where(np.isinf(a + b), far, np.where(is_pole(a + b), -np.inf, log_beta(a, b)))
    return in_loop(np.where(infinite, np.inf, made), floats_of(x1) + floats_of(x2))


def log_beta(a, b):
    """Of finite numbers without poles: of large ones by what Stirling's formula leaves (Didonato and Morris 1992,
    section 6), in which nothing cancels."""
    p, q = in_order(a, b)
    both, one = p >= 10.0, (q >= 10.0) & (p + q >= 10.0)
    large, small = np.where(one, q, 20.0), np.where(one, p, 1.0)
    near, other = np.where(one, 1.0, p), np.where(one, 1.0, q)
    of_none = gammaln(near) + gammaln(other) - gammaln(near + other)
    of_both = log_beta_of_large(np.where(both, p, 20.0), large)
    return np.where(both, of_both, np.where(one, log_beta_of_one_large(small, large), of_none))


def log_beta_of_large(p, q):
    """Of numbers of 10 and more."""
    rest = rest_of_stirling(p) + rest_of_stirling(q) - rest_of_stirling(p + q)
    powers = (p - 0.5) * np.log(p / (p + q)) - q * np.log1p(p / q)
    return powers - 0.5 * np.log(q) + HALF_LOG_TWO_PI + rest


def log_beta_of_one_large(p, q):
    """Of q and p + q of 10 and more."""
    step = rest_of_stirling(q) - rest_of_stirling(p + q)
    powers = p * np.log(p + q) + (q - 0.5) * np.log1p(p / q)
    return gammaln(p) + step + p - powers


def log_beta_of_numbers(a, b):
    """Of finite numbers without poles, by one of the three."""
    p, q = (b, a) if a > b else (a, b)
    return log_beta_of_large(p, q) if p >= 10.0 else log_beta_of_one_small(p, q)


def log_beta_of_one_small(p, q):
    """The same of p below 10, and q not below p."""
    if q >= 10.0 and p + q >= 10.0:
        return log_beta_of_one_large(p, q)
    return gammaln(p) + gammaln(q) - gammaln(p + q)


@stands_for("scipy.special.beta")
def beta(x1, x2):
    """gamma(a) gamma(b) / gamma(a + b): what these fit as vectors, others each by itself."""
    a, b = numbers(x1), numbers(x2)
    shape = (a + b).shape
    a, b = flat(a, shape), flat(b, shape)
    fit = (a > TINY) & (b > TINY) & (a < 80.0) & (b < 80.0)
    p, q = np.where(fit, a, 1.0), np.where(fit, b, 1.0)
    of_gammas, made = gamma(p) * (gamma(q) / gamma(p + q)), np.empty(len(a))
    for k in range(len(a)):
        made[k] = of_gammas[k] if fit[k] else beta_of_one(a[k], b[k])
    return in_loop(made.reshape(shape), floats_of(x1) + floats_of(x2))


def beta_of_one(x1, x2):
    """Of large numbers, of such as are not positive, and at poles."""
    infinite, sign, a, b = without_poles(x1, x2)
    small = np.abs(a) < 80.0 and np.abs(b) < 80.0
    if infinite:
        made = np.inf
    elif np.isinf(a + b):
        least = np.minimum(a, b)
        made = np.nan if least == np.inf else 0.0 if least > 0.0 else np.copysign(np.inf, gamma(least))
    elif small and min(np.abs(a), np.abs(b)) < TINY:  # whose gamma function may overflow
        made = (1.0 / a + 1.0 / b) * (gamma(1.0 + a) * (gamma(1.0 + b) / gamma(1.0 + a + b)))
    elif is_pole(a + b):
        made = gamma(a) * gamma(b) * rgamma(a + b) if small else 0.0  # 0, with its slope
    elif small:
        made = gamma(a) * (gamma(b) / gamma(a + b))
    else:
        signs = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(a + b)
        made = signs * np.exp(log_beta_of_numbers(a, b))
    return sign * made


def without_poles(a, b):
    """Where a or b is at a pole of gamma, SciPy's limit: whether it is infinite, its sign, and of what else it is."""
    lost = (a == -np.inf) | (b == -np.inf)
    at_a, at_b = is_pole(a), is_pole(b)
    first, other = np.where(at_a, a, b), np.where(at_a, b, a)
    pole = (at_a | at_b) & ~lost
    limit = pole & (np.floor(other) == other) & (1.0 - first - other > 0.0)
    sign = np.where(limit & (np.floor(0.5 * other) != 0.5 * other), -1.0, 1.0)
    finite = limit & (other > 0.0)
    u = np.where(pole, np.where(finite, 1.0 - first - other, 1.0), a)
    return pole & ~finite | lost, sign, u, np.where(pole, np.where(finite, other, 1.0), b)


def sign_of_gamma(x):
    """-1 between -1 and 0, 1 between -2 and -1, and so on."""
    below = np.floor(x)
    return np.where((x < 0.0) & (np.floor(0.5 * below) != 0.5 * below), -1.0, 1.0)


def is_pole(x):
    return (x <= 0.0) & (np.floor(x) == x)


@stands_for("scipy.special.multigammaln")
def multigammaln(a, d):
    """The logarithm of the multivariate gamma function of dimension d."""
    a = numbers(a)
    if np.any(a <= 0.5 * (d - 1)):
        raise ValueError("condition a > 0.5 * (d-1) not met")
    return log_gamma_of_matrices(a, d)


def log_gamma_of_matrices(a, d):
    """The same of a that is large enough."""
    made = np.zeros(a.shape) + d * (d - 1) * 0.25 * np.log(np.pi)
    for j in range(1, d + 1):
        made = made + gammaln(a - (j - 1.0) / 2)
    return made


@stands_for("scipy.special.factorial")
def factorial(n, exact=False):
    if exact:
        refused("factorial: exact=True gives ints of any size, which there are not")
    x = np.asarray(n)
    if x.dtype.kind == "f":
        refused("factorial takes ints")
    return np.where(x < 0, 0.0, gamma(np.maximum(x, 0) + 1.0))


@stands_for("scipy.special.kl_div")
def kl_div(x1, x2):
    """x log(x / y) - x + y."""
    x, y = numbers(x1), numbers(x2)
    positive = (x > 0) & (y > 0)
    above, below = np.where(positive, x, 1.0), np.where(positive, y, 1.0)
    apart = above * np.log(above / below) - above + below
    made = np.where(positive, apart, np.where((x == 0) & (y >= 0), y, np.inf))
    return in_dtype_of(special.kl_div, np.where(np.isnan(x) | np.isnan(y), np.nan, made), x1, x2)


@stands_for("scipy.special.exp10")
def exp10(x):
    return in_loop(10.0 ** numbers(x), x)


@stands_for("scipy.special.huber")
def huber(x1, x2):
    delta, size = numbers(x1), size_of(numbers(x2))
    made = np.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))
    return in_dtype_of(special.huber, np.where(delta < 0, np.inf, made), x1, x2)


@stands_for("scipy.special.pseudo_huber")
def pseudo_huber(x1, x2):
    delta, r = numbers(x1), numbers(x2)
    zero = (delta == 0) | (r == 0) & ~(np.abs(delta) < 1e150)
    u, v = np.where(zero, 1.0, delta), np.where(zero, 1.0, r / np.where(zero, 1.0, delta))
    made = np.where(zero, 0.0, u * u * np.expm1(0.5 * np.log1p(v * v)))
    return in_dtype_of(special.pseudo_huber, np.where(delta < 0, np.inf, made), x1, x2)


def polynomial(coefficients, x):
    """The coefficient of the highest power first."""
    made = coefficients[0]
    for coefficient in coefficients[1:]:
        made = made * x + coefficient
    return made


@stands_for("scipy.special.comb")
def comb(N, k, exact=False, repetition=False):
    """How many choices of k of N there are, as a float; each as often as one likes with `repetition`."""
    if exact:
        refused("comb: exact=True gives ints of any size, which there are not: math.comb does for one")
    if repetition:
        n, j = np.asarray(N), np.asarray(k)
        made = special.binom(n + j - 1, j)
        return np.where((j == 0) & (n >= 0), with_slope(np.ones_like(made), made), made)
    n, given, k = numbers(N), np.asarray(k), numbers(k)
    inside = (k >= 0) & (k <= n)
    all_, some = np.where(inside, n, 1.0), np.where(inside, k, 0.0)
    made = np.exp(-np.log(all_ + 1.0) - log_beta(all_ - some + 1.0, some + 1.0))
    whole = (np.floor(all_) == all_) & (np.floor(some) == some) & (made < 1e12)
    made = np.where(whole, with_slope(np.round(made), made), made)
    made = np.where(inside, np.where(np.isinf(n) & (k < n), np.where(k == 0.0, 1.0, np.inf), made), 0.0)
    return in_dtype_of(special.binom, made, np.asarray(N), given)


@stands_for("scipy.special.loggamma")
def loggamma(x):
    """Of numbers that have one: NaN below 0."""
    z = numbers(x)
    return in_loop(np.where(z < 0.0, np.nan, gammaln(np.where(z < 0.0, 1.0, z))), x)


@stands_for("scipy.special.rgamma")
def rgamma(x):
    """0 at poles of gamma, about which it is what is turned round (DLMF 5.5.3), and where gamma is no float."""
    z = numbers(x)
    pole, far = is_pole(z), z > 171.624
    near = np.where(pole & (z > -170.0), z, 0.0)
    sign = np.where(np.mod(z, 2.0) == 0.0, 1.0, -1.0)
    at_pole = with_slope(
        np.zeros_like(z), sign * gamma(1.0 - near) * np.sin(np.pi * (near - without_slope(near))) / np.pi
    )
    between = np.where(pole | far, 1.0, z)
    made = with_partial(1.0 / gamma(without_partial(between)), between, -digamma(between) / gamma(between))
    return in_loop(np.where(pole, at_pole, np.where(far, 0.0, made)), x)


@stands_for("scipy.special.gammasgn")
def gammasgn(x):
    """1 or -1 between poles of gamma, where it is NaN; of 0 its sign."""
    z = numbers(x)
    none = is_pole(z) | np.isnan(z)
    below = np.where(
        none, np.nan, np.where(np.floor(np.where(none | (z > 0.0), 0.0, z)) % 2.0 == 0.0, 1.0, -1.0)
    )
    return in_loop(np.where(z > 0.0, 1.0, np.where(z == 0.0, np.copysign(1.0, z), below)), x)


@stands_for("scipy.special.cosm1")
def cosm1(x):
    half = np.sin(0.5 * numbers(x))
    return in_loop(0.0 - 2.0 * half * half, x)


@stands_for("scipy.special.softplus")
def softplus(x):
    """log(1 + exp(x))."""
    return np.logaddexp(0, given(x))


@stands_for("scipy.special.cbrt")
def cbrt(x):
    return in_loop(np.cbrt(numbers(x)), x)


@stands_for("scipy.special.exp2")
def exp2(x):
    return in_loop(np.exp2(numbers(x)), x)
