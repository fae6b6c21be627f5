"""Functions of scipy.special by series and sums: Bessel functions, zeta, Owen's T, Box and Cox's powers."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np
from scipy import special
from scipy.special import gamma, ndtr

from codegen.definitions.special import in_loop, numbers, plus, polynomial, size_of
from codegen.definitions.table import stands_for
from codegen.primitives.special import in_dtype_of

# Of 24 points of Gauss and Legendre: how far half of them are from the middle, the other half as far on the other side
PLACES = (
    0.06405689286260563, 0.1911188674736163, 0.3150426796961634, 0.4337935076260451, 0.5454214713888396,
    0.6480936519369755, 0.7401241915785544, 0.820001985973903, 0.8864155270044011, 0.9382745520027328,
    0.9747285559713095, 0.9951872199970213,
)  # fmt: skip
WEIGHTS = (
    0.06396909767337601, 0.06291872817341412, 0.06083523646390165, 0.05775283402686276, 0.05372213505798278,
    0.04880932605205696, 0.0430950807659766, 0.03667324070554008, 0.02964929245771818, 0.022138719408709706,
    0.01426569431446678, 0.006170614899994345,
)  # fmt: skip
# B(2k) / (2k)!, of Bernoulli's numbers
OF_BERNOULLI = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07, 2.08767569878681e-08,
    -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
    -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
)  # fmt: skip
LAST_OF_BERNOULLI = tuple((2.0 * k, factor) for k, factor in enumerate(OF_BERNOULLI))[:0:-1]


@stands_for("scipy.special.i0e")
def i0e(x):
    """exp(-|x|) I0(x)."""
    far, near, beyond = parts(x)
    return in_loop(np.where(far, bessel_far(beyond, 0), np.exp(-near) * bessel_near(near, 0)), x)


@stands_for("scipy.special.i1e")
def i1e(x):
    """exp(-|x|) I1(x)."""
    far, near, beyond = parts(x)
    made = np.where(far, bessel_far(beyond, 1), np.exp(-near) * (near * bessel_near(near, 1)))
    return in_loop(np.where(numbers(x) < 0.0, -made, made), x)


@stands_for("numpy.i0")
@stands_for("scipy.special.i0")
def i0(x):
    far, near, beyond = parts(x)
    return in_loop(np.where(far, np.exp(beyond) * bessel_far(beyond, 0), bessel_near(near, 0)), x)


@stands_for("scipy.special.i1")
def i1(x):
    far, near, beyond = parts(x)
    made = np.where(far, np.exp(beyond) * bessel_far(beyond, 1), near * bessel_near(near, 1))
    return in_loop(np.where(numbers(x) < 0.0, -made, made), x)


def parts(x):
    """Where a Bessel function is no longer taken by its power series, and what each of both ways is taken of."""
    size = size_of(numbers(x))
    far = size > 5.0
    return far, np.where(far, 1.0, size), np.where(far, size, 5.0)


def bessel_near(z, order):
    """The power series of I0(z) and of I1(z) / z, whose terms are all positive (DLMF 10.25.2)."""
    return polynomial(BESSEL_NEAR[order], 0.25 * z * z)


def bessel_far(z, order):
    """exp(-z) I(z) as a polynomial of 1 / z, by sqrt(z)."""
    return polynomial(BESSEL_FAR[order], 10.0 / z - 1.0) / np.sqrt(z)


BESSEL_NEAR = tuple(
    tuple(0.5**n / (math.factorial(k) * math.factorial(k + n)) for k in range(22, -1, -1)) for n in (0, 1)
)
# Interpolated at Chebyshev's points with 60 digits, the highest power first; the largest errors left are 1e-17.
BESSEL_FAR = (
    (
        -4.279433378420556e-08, 2.2940369987667443e-08, 3.7275705125089514e-07, -2.198778132696955e-07,
        -1.4708255789928162e-06, 9.723635090481012e-07, 3.4486220894888056e-06, -2.624831749914609e-06,
        -5.250771582933266e-06, 4.809213001014103e-06, 5.191541235129958e-06, -6.250421253262393e-06,
        -2.788271878237079e-06, 5.743002523435293e-06, -4.7655161078021473e-07, -3.3460126998346724e-06,
        2.6083559867552524e-06, 3.165438519036989e-07, -2.871205020363992e-06, 2.082765387970431e-06,
        1.954702996821269e-06, -3.5010121828033277e-06, -1.0243427880027593e-06, 4.414091960481461e-06,
        1.2476496701768566e-06, -5.189983015881728e-06, -4.54950940344402e-06, 2.3566381555736815e-06,
        1.005613882403176e-05, 2.1338645895089256e-05, 6.719446694360181e-05, 0.0004105766180986277,
        0.005660126656687314, 0.4042445063366826,
    ),
    (
        4.379899616704463e-08, -2.4516787749603663e-08, -3.805326954171307e-07, 2.3376990318546874e-07,
        1.496411859343653e-06, -1.0280161513406622e-06, -3.4918375183026653e-06, 2.7579627147333515e-06,
        5.277030909765633e-06, -5.017453568451561e-06, -5.144699933128489e-06, 6.463991204450848e-06,
        2.646816564753669e-06, -5.863223800330448e-06, 6.636078958350949e-07, 3.3209040765663125e-06,
        -2.754281647853022e-06, -1.7099429035381138e-07, 2.914145973632178e-06, -2.2867223352627796e-06,
        -1.8841315684198842e-06, 3.7261480233295505e-06, 8.648892575647133e-07, -4.6941851437138725e-06,
        -1.0649498393807024e-06, 5.662750737139174e-06, 4.667569546452833e-06, -2.935376941787719e-06,
        -1.1519184831168868e-05, -2.534533610506135e-05, -8.766154937821184e-05, -0.0006433601986294746,
        -0.016049245647938745, 0.3834662683541797,
    ),
)  # fmt: skip


@stands_for("scipy.special.j0")
def j0(x):
    z = size_of(numbers(x))
    return in_loop(of_either_way(oscillating_near(z, 0), oscillating_far(z, 0), z), x)


@stands_for("scipy.special.j1")
def j1(x):
    negative = np.signbit(numbers(x))
    z = np.where(negative, -numbers(x), numbers(x))
    made = of_either_way(z * oscillating_near(z, 1), oscillating_far(z, 1), z)
    return in_loop(np.where(negative, -made, made), x)


def of_either_way(near, far, z):
    return np.where(z == np.inf, np.nan, np.where(z > 5.0, far, near))


def oscillating_near(z, order):
    """J0(z) and J1(z) / z up to 5: a polynomial of z**2, by what is left of it to the square of the first zero."""
    near = np.where(z > 5.0, 1.0, z)
    high, low = FIRST_ZERO[order]
    return (
        ((near - high) - low) * (near + high) * polynomial(OSCILLATING_NEAR[order], near * near / 12.5 - 1.0)
    )


def oscillating_far(z, order):
    """P cos - Q sin of z less (2 order + 1) quarters of pi, by sines and cosines of z itself (DLMF 10.17.3), from 5 on:
    P and Q z / 5 are polynomials of z**-2."""
    far = np.where((z > 5.0) & (z < np.inf), z, 5.0)
    w = 5.0 / far
    t = 2.0 * w * w - 1.0
    p, q = polynomial(IN_PHASE[order], t), w * polynomial(ACROSS[order], t)
    up, along = np.sin(far), np.cos(far)
    made = (along + up) * p - (up - along) * q if order == 0 else (up - along) * p + (up + along) * q
    return made * np.sqrt(0.2 / np.pi * w)


# Of J0 and J1, in two parts.
FIRST_ZERO = ((2.404825557695773, -1.176691651530894e-16), (3.8317059702075125, -1.5269184090088067e-16))
# Made as BESSEL_FAR is.
OSCILLATING_NEAR = (
    (
        -4.50857521753263e-15, 2.399602248240359e-13, -1.0840781056083564e-11, 4.105688303721103e-10,
        -1.2795360168830179e-08, 3.211562353433063e-07, -6.3193186183226215e-06, 9.414473580694953e-05,
        -0.001013405346985002, 0.0073758943041960226, -0.03277786210789048, 0.07436630462755323,
        -0.05728080421634534,
    ),
    (
        9.268689637917528e-15, -4.5448929803664786e-13, 1.8773810470060388e-11, -6.443125533665431e-10,
        1.799515992541992e-08, -3.991381172349741e-07, 6.814683895176615e-06, -8.592956232067133e-05,
        0.0007552540432951287, -0.004240225993395723, 0.013090777521810029, -0.01587595431164548,
    ),
)  # fmt: skip
IN_PHASE = (
    (
        -2.235391154912044e-12, 3.6143863492486003e-12, 3.415311542572876e-12, -3.743592980512026e-12,
        -1.3637307914439566e-11, 2.4823644443773408e-11, -3.538662922896775e-11, 9.7250551457765e-11,
        -2.851794579729694e-10, 8.562292591841693e-10, -2.8705436149232575e-09, 1.1058301818592053e-08,
        -5.08643230838394e-08, 2.9759010201737064e-07, -2.459963321484891e-06, 3.491730581077085e-05,
        -0.0013274931272004003, 0.9986347659091991,
    ),
    (
        2.368522528186767e-12, -3.837516448159508e-12, -3.5906738400843512e-12, 3.919356832784674e-12,
        1.4551592853265448e-11, -2.6622329676450118e-11, 3.8451893184433864e-11, -1.0595089749231098e-10,
        3.117737074105936e-10, -9.422147494996673e-10, 3.1849577586739448e-09, -1.2402701962004368e-08,
        5.7916678422140156e-08, -3.466719151341159e-07, 2.9786211051441743e-06, -4.5782806529390985e-05,
        0.002241463213917191, 1.0022906462560661,
    ),
)  # fmt: skip
ACROSS = (
    (
        8.730872151547241e-13, -1.2064057495730164e-12, -2.87147963865115e-12, 3.5304134564697807e-12,
        5.9522078458908116e-12, -7.447334869559804e-12, -3.2112951115616677e-12, 1.3969128881606417e-12,
        1.305175345948916e-11, -2.4435105760910627e-11, 4.6809467225664235e-11, -1.1614153083518033e-10,
        3.0565687262323795e-10, -8.591344081257801e-10, 2.659314623960067e-09, -9.279560445660088e-09,
        3.7740595602071145e-08, -1.881975065260756e-07, 1.247822633931138e-06, -1.2677430885018454e-05,
        0.00026284279458204957, -0.02472299270522373,
    ),
    (
        1.2698783811079175e-12, -1.8049299445088647e-12, -3.7081632893687255e-12, 4.5840507745854614e-12,
        7.844679474520313e-12, -1.0323185486171135e-11, -1.378410094726293e-12, -3.3838170931283897e-12,
        2.620922861692747e-11, -5.572598135520225e-11, 1.2593499308730486e-10, -3.3126415985057915e-10,
        9.408283653740854e-10, -2.933134231784973e-09, 1.0328284559603885e-08, -4.253345269043007e-08,
        2.1597707884178486e-07, -1.4739855909090525e-06, 1.5796188355886477e-05, -0.0003729699243682442,
        0.07460948663481604,
    ),
)  # fmt: skip


@stands_for("scipy.special.owens_t")
def owens_t(x1, x2):
    """The integral of exp(-h**2 (1 + u**2) / 2) / (1 + u**2) over u from 0 to a, by 2 pi (Owen 1956): of a beyond 1 by
    that of its inverse (eq. 2.3)."""
    h, a = size_of(numbers(x1)), numbers(x2)
    size = size_of(a)
    far = size > 1.0
    near = np.where(far, 1.0 / np.where(far, size, 1.0), size)
    infinite = np.isinf(h) & far & np.isinf(size)
    height = np.where(far, np.where(infinite | (h == 0.0), h, h * size), h)
    wide = near * height > 9.0  # what is beyond adds nothing
    made = under_owens(height, 0.0, np.where(wide, 9.0 / np.where(wide, height, 9.0), near))
    below, beyond = ndtr(-h), ndtr(-height)
    made = np.where(far, 0.5 * (below + beyond) - below * beyond - made, made)
    return in_dtype_of(special.owens_t, np.where(a < 0.0, -made, np.where(np.isnan(a), np.nan, made)), x1, x2)


def owens_beyond(h, a):
    """The same integral over u from a on, a above 0; nothing where the exponent has fallen by 36."""
    return under_owens(h, a, np.sqrt(a * a + 72.0 / (h * h)))


def under_owens(h, low, high):
    """The integral between two places, by Gauss and Legendre; of an h whose square is infinite as of a smaller one."""
    h = np.minimum(h, 1e100)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    made = np.zeros_like(h + middle)
    places, weights = np.array(PLACES), np.array(WEIGHTS)
    for k in range(len(places)):
        before, after = middle - half * places[k], middle + half * places[k]
        made = made + weights[k] * (owens_integrand(h, before) + owens_integrand(h, after))
    return (high - low) * made / (2.0 * np.pi)


def owens_integrand(h, u):
    return np.exp(-0.5 * h * h * (1.0 + u * u)) / (1.0 + u * u)


@stands_for("scipy.special.zeta")
def zeta(x, q=None):
    """The sum of (k + q)**-x over k from 0 on, by Euler and Maclaurin (DLMF 25.11.8); without q Riemann's."""
    if q is None:
        s = numbers(x)
        places = s.reshape(-1)
        left = places < -0.1  # nearer to 0 its sum is short, and 1 - s would have lost it
        t = np.where(left, 1.0 - places, np.where(places == 1.0, 2.0, places))
        right, made = hurwitz_beyond(np.zeros_like(t), t, 1.0), np.empty(len(t))
        for k in range(len(t)):
            made[k] = (
                turned_round(places[k]) * right[k] if left[k] else np.inf if places[k] == 1.0 else right[k]
            )
        return in_loop(np.where(np.isnan(s), np.nan, made.reshape(s.shape)), x)
    s, start = numbers(x), numbers(q)
    at_pole = (start <= 0.0) & (np.floor(start) == start)
    no_start = np.isnan(start) | (start <= 0.0) & (np.floor(s) != s)
    pole = (s == 1.0) | at_pole & ~(s < 1.0)
    lost = ((s < 1.0) | np.isnan(s) | no_start) & ~pole
    power, first = np.where(pole | lost, 2.0, s), np.where(at_pole | no_start, 1.0, start)
    total = np.zeros_like(s + start)
    if np.any(start <= 0.0):  # not of a start that is known to be above
        total, first = terms_up_to_zero(total, power, first)
    made = hurwitz_beyond(total, power, first)
    return in_loop(np.where(lost, np.nan, np.where(pole, np.inf, made)), plus(x, q))


def turned_round(s):
    """zeta(s) / zeta(1 - s) of s below 0 (DLMF 25.4.1)."""
    half_turns = sin_of_half_turns(s)
    at_zero = half_turns == 0.0 and s < -169.0  # where gamma is infinite
    return 2.0 * (2.0 * np.pi) ** (s - 1.0) * half_turns * gamma(1.0 if at_zero else 1.0 - s)


def terms_up_to_zero(total, s, q):
    """Added up, and where the others begin."""
    while np.any(q <= 0.0):
        total = total + np.where(q <= 0.0, np.where(q <= 0.0, q, 1.0) ** -s, 0.0)
        q = np.where(q <= 0.0, q + 1.0, q)
    return total, q


def hurwitz_beyond(total, s, q):
    """Ten terms more, and the rest by the integral and what it leaves: of s beyond 1,000 nothing beside them, or all
    is 0."""
    for k in range(10):
        total = total + (q + k) ** -s
    far = s > 1e3
    s = np.where(far, 1e3, s)
    a = q + 10.0
    last = np.where(far, 0.0, a**-s)
    total = total + a * last / (s - 1.0) + 0.5 * last
    inverse, rest = 1.0 / a, 0.0
    for twice, factor in LAST_OF_BERNOULLI:
        rest = (factor + rest) * (((s + (twice - 1.0)) * inverse) * ((s + twice) * inverse))
    rest = (OF_BERNOULLI[0] + rest) * (s * inverse)
    return total + rest * last


def sin_of_half_turns(s):
    """sin(pi s / 2), 0 of every even number."""
    r = s - 4.0 * np.round(0.25 * s)
    return np.sin(0.5 * np.pi * np.where(np.abs(r) > 1.0, np.copysign(2.0, r) - r, r))


@stands_for("scipy.special.boxcox")
def boxcox(x1, x2):
    """(x1**x2 - 1) / x2; of power 0 the logarithm."""
    x, power = numbers(x1), numbers(x2)
    zero = (x == 0.0) & (power > 0.0)
    made = of_log(np.log(np.where(zero, 1.0, x)), power)
    return in_dtype_of(special.boxcox, np.where(zero, of_zero(x, power, zero), made), x1, x2)


def of_zero(x, power, zero):
    """What has no logarithm as it stands, where its power is above 0."""
    base, raised_to = np.where(zero, x, 1.0), np.where(zero, power, 1.0)
    return (base**raised_to - 1.0) / raised_to


def of_log(y, power):
    """(exp(power * y) - 1) / power; of small products by the series of what y is multiplied by."""
    lost = np.isinf(y) & (power == 0.0)
    product = np.where(lost, 0.0, y) * power
    near = np.abs(product) < 0.5
    of_near = np.where(near, y, 0.0) * polynomial(OF_EXPREL, np.where(near, product, 0.0))
    divisor, large = np.where(near, 1.0, power), product >= 709.78  # beyond which exp is infinite
    of_far = np.expm1(np.where(near | large, 1.0, product)) / divisor
    size = np.log(np.abs(divisor))
    of_large = np.copysign(1.0, divisor) * np.exp(np.where(large, product, 1.0) - size) - 1.0 / divisor
    return np.where(near, of_near, np.where(large, of_large, of_far))


OF_EXPREL = tuple(1.0 / math.factorial(k + 1) for k in range(15, -1, -1))


@stands_for("scipy.special.inv_boxcox")
def inv_boxcox(x1, x2):
    y, power = numbers(x1), numbers(x2)
    lost = np.isinf(y) & (power == 0.0)
    product = np.where(lost, 0.0, y) * power
    near = np.abs(product) < 0.1
    of_near = np.where(near, y, 0.0) * polynomial(OF_LOG1P, np.where(near, product, 0.0))
    divisor, large = np.where(near, 1.0, power), (product == np.inf) & np.isfinite(y)
    of_far = np.log1p(np.where(near | large, 1.0, product)) / divisor
    of_large = (np.log(np.abs(np.where(large, y + 1.0 / divisor, 1.0))) + np.log(np.abs(divisor))) / divisor
    made = np.where(near, of_near, np.where(large, of_large, of_far))
    return in_dtype_of(special.inv_boxcox, np.exp(made), x1, x2)


OF_LOG1P = tuple((-1.0) ** k / (k + 1) for k in range(16, -1, -1))  # log(1 + u) / u


@stands_for("scipy.special.exprel")
def exprel(x):
    """(exp(x) - 1) / x; near 0 by its series."""
    z = numbers(x)
    near = np.abs(z) < 0.5
    far = np.where(near | (z == np.inf), 1.0, z)
    made = np.where(near, polynomial(OF_EXPREL, np.where(near, z, 0.0)), np.expm1(far) / far)
    return in_loop(np.where(z == np.inf, np.inf, made), x)


@stands_for("scipy.special.boxcox1p")
def boxcox1p(x1, x2):
    x, power = numbers(x1), numbers(x2)
    zero = (x == -1.0) & (power > 0.0)
    made = of_log(np.log1p(np.where(zero, 0.0, x)), power)
    return in_dtype_of(special.boxcox1p, np.where(zero, of_zero(x + 1.0, power, zero), made), x1, x2)
