"""Functions of scipy.special made of others: beta functions, inverses of the error function.

Each is within a few units in the last place of SciPy's, or nearer to what is exact (betaln of large numbers, in which
SciPy's cancels).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import erfc, erfcx, gamma, gammaln

from codegen.definitions.table import refused, stands_for
from codegen.primitives.shape import with_slope, without_slope
from codegen.primitives.special import in_dtype_of

ROOT_HALF = 0.7071067811865476
ROOT_PI = 1.7724538509055159
ROOT_TWO_PI = 2.5066282746310002
HALF_LOG_TWO_PI = 0.9189385332046727


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
    """Of two that are positive, by one of the three."""
    p, q = (b, a) if a > b else (a, b)
    if p >= 10.0:
        return log_beta_of_large(p, q)
    if q >= 10.0:
        return log_beta_of_one_large(p, q)
    return gammaln(p) + gammaln(q) - gammaln(p + q)


@stands_for("scipy.special.beta")
def beta(x1, x2):
    """gamma(a) gamma(b) / gamma(a + b)."""
    infinite, sign, a, b = without_poles(numbers(x1), numbers(x2))
    small = (np.abs(a) < 80.0) & (np.abs(b) < 80.0)
    p, q = np.where(small, a, 1.0), np.where(small, b, 1.0)
    of_gammas = gamma(p) * (gamma(q) / gamma(p + q))
    signs = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(a + b)
    made = np.where(small, of_gammas, signs * np.exp(betaln(np.where(small, 1.0, a), b)))
    least = np.minimum(a, b)
    far = np.where(least == np.inf, np.nan, np.where(least > 0.0, 0.0, np.copysign(np.inf, gamma(least))))
    made = np.where(np.isinf(a + b), far, np.where(is_pole(a + b), 0.0, made))
    return in_loop(sign * np.where(infinite, np.inf, made), floats_of(x1) + floats_of(x2))


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


@stands_for("scipy.special.erfcx")
def scaled_erfc(x):
    """exp(x**2) erfc(x); from 7 on by its asymptotic series (Abramowitz and Stegun 7.1.23).

    The square is that of a number of few bits, which is exact, and the rest.
    """
    z = numbers(x)
    far = z >= 7.0
    near = np.where(far, 1.0, np.maximum(z, -30.0))  # whose result is infinite
    head = near.astype(np.float32).astype(np.float64)
    of_near = np.exp(head * head) * np.exp((near - head) * (near + head)) * erfc(near)
    u = np.where(far, z, 7.0)
    step = 0.5 / (u * u)
    total = np.ones_like(u)
    for k in range(20, 0, -1):
        total = 1.0 - (2 * k - 1) * step * total
    return in_loop(np.where(far, total / (u * ROOT_PI), of_near), x)


@stands_for("scipy.special.log_ndtr")
def log_of_ndtr(x):
    """The logarithm of the normal distribution function: in the lower tail by erfcx."""
    z = numbers(x)
    low = z < -1.0
    tail, rest = np.where(low, z, -1.0), np.where(low, 0.0, z)
    of_tail = np.log(0.5 * erfcx(-ROOT_HALF * tail)) - 0.5 * tail * tail
    return in_loop(np.where(low, of_tail, np.log1p(-0.5 * erfc(ROOT_HALF * rest))), x)


@stands_for("scipy.special.ndtri")
def ndtri(x):
    """Where the normal distribution function is x."""
    p = numbers(x)
    made = quantile(p - 0.5, np.minimum(p, 1.0 - p))
    return in_narrow_loop(np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, made)), x)


@stands_for("scipy.special.erfinv")
def erfinv(x):
    y = numbers(x)
    made = ROOT_HALF * quantile(0.5 * y, 0.5 * (1.0 - np.abs(y))) + 0.0  # of -0.0 it is 0.0
    return in_narrow_loop(np.where(np.abs(y) == 1.0, np.copysign(np.inf, y), made), x)


@stands_for("scipy.special.erfcinv")
def erfcinv(x):
    y = numbers(x)
    made = -ROOT_HALF * quantile(0.5 * (y - 1.0), 0.5 * np.minimum(y, 2.0 - y))
    return in_narrow_loop(np.where(y == 0.0, np.inf, np.where(y == 2.0, -np.inf, made)), x)


def quantile(beyond, share):
    """Where the normal distribution function is 1/2 + beyond, with that share of it on the side of the tail.

    In the middle `beyond` times a polynomial in its square; in the tails t = sqrt(-2 log share) times one in log t, up
    to t = 5 and beyond.
    """
    inside = (share > 0.0) & (share <= 0.5)
    middle = np.abs(beyond) < 0.375
    c = np.where(inside & middle, beyond, 0.1)
    near = c * polynomial(QUANTILE_IN_MIDDLE, c * c * (128.0 / 9.0) - 1.0)
    t = np.sqrt(-2.0 * np.log(np.where(inside & ~middle, share, 0.1)))
    size = np.log(t)
    in_tail = polynomial(QUANTILE_IN_TAIL, (size - 1.0397207708399179) * 1.7552569985902133)
    far_out = polynomial(QUANTILE_FAR_OUT, (size - 2.6326387562349183) * 0.9773252299962585)
    far = np.copysign(t * np.where(t < 5.0, in_tail, far_out), beyond)
    return np.where(inside, np.where(middle, near, far), np.nan)


def polynomial(coefficients, x):
    """The coefficient of the highest power first."""
    made = coefficients[0]
    for coefficient in coefficients[1:]:
        made = made * x + coefficient
    return made


# Interpolated at Chebyshev's points of (-1, 1) with 40 digits; the largest errors left are 1e-17.
QUANTILE_IN_MIDDLE = (  # of 128 c**2 / 9 - 1
    1.943961136086416e-10, 5.216797050446752e-10, 3.3409125970662035e-10, 9.152165594400808e-10,
    5.056865648261244e-09, 1.3771899335524248e-08, 3.425020533146464e-08, 9.430120828208788e-08,
    2.6390461896158144e-07, 7.34947177172973e-07, 2.0603843978576245e-06, 5.831465015989716e-06,
    1.6680267624921952e-05, 4.833297318127151e-05, 0.00014235230423808242, 0.00042821196245983065,
    0.0013252569262507824, 0.004270141163799925, 0.014631491457882334, 0.05569500043106497, 0.26436689143860603,
    2.7266649486974748,
)  # fmt: skip
QUANTILE_IN_TAIL = (  # of log t between log 1.6 and log 5
    -5.839225594208615e-13, -2.9485088048795865e-13, 1.3928967811704865e-11, 1.1491979873717339e-11,
    -2.913859129548511e-10, -2.1744712899436708e-10, 4.154117558309818e-09, 4.272211983403268e-08,
    -6.359221891955183e-07, 6.015642774849829e-06, -6.662858568955815e-05, 0.0006729607539697952,
    -0.005085810350424919, 0.027435633869276173, -0.10172587493622183, 0.2359536855798467, 0.7388735473107834,
)  # fmt: skip
QUANTILE_FAR_OUT = (  # of log t between log 5 and log 38.7
    1.3977797321317696e-11, -1.5908483976554325e-11, -1.2674386717865262e-10, 4.029611668287226e-10,
    -2.2767873076488503e-10, -2.221078466746956e-09, 1.0259182957932964e-08, -2.0581056278943023e-08,
    -1.168264569757721e-08, 1.9325459003102043e-07, 8.256122609651188e-08, -9.118985638524175e-06,
    8.092863783964614e-05, -0.0004604026456237078, 0.0019546010825721113, -0.00637898073755338,
    0.01578517058843539, -0.028193213192553513, 0.032618932127906716, 0.9815441977100056,
)  # fmt: skip


@stands_for("scipy.special.comb")
def comb(N, k, exact=False):
    """How many choices of k of N there are, as a float."""
    if exact:
        refused("comb: exact=True gives ints of any size, which there are not: math.comb does for one")
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
    """0 at poles of gamma, about which it is what is turned round (DLMF 5.5.3)."""
    z = numbers(x)
    pole = is_pole(z)
    near = np.where(pole & (z > -170.0), z, 0.0)
    sign = np.where(np.mod(z, 2.0) == 0.0, 1.0, -1.0)
    turned = sign * gamma(1.0 - near) * np.sin(np.pi * (near - without_slope(near))) / np.pi
    at_pole = with_slope(np.zeros_like(z), turned)
    return in_loop(np.where(pole, at_pole, 1.0 / gamma(np.where(pole, 1.0, z))), x)


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
