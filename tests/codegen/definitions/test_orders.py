"""Derivatives beyond the second, also where a value is that of a special place: right, or refused."""

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from autodiff import grad
from codegen import SourceError, jit
from codegen.definitions.special_functions.incomplete_gamma import lower_by_series
from codegen.primitives.shape import expansion_point

ROOT_HALF_PI = mpmath.sqrt(mpmath.pi / 2)


def lower_gamma(a, x):
    return x**a / mpmath.gamma(a + 1) * mpmath.hyp1f1(a, a + 1, -x)


def lower_beta(a, b, x):
    return x**a / a / mpmath.beta(a, b) * mpmath.hyp2f1(a, 1 - b, a + 1, x)


def first_spherical(n, z):
    scale = ROOT_HALF_PI * mpmath.mpf(2) ** (-n - 0.5) / mpmath.gamma(n + 1.5)
    return scale * z**n * mpmath.hyp0f1(n + mpmath.mpf(3) / 2, -z * z / 4)


@pytest.mark.turns(4)
@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    "function, exact, places, orders",
    [
        (lambda x: special.airy(x)[0], mpmath.airyai, [-2.0, 0.0, 0.7], 5),
        (lambda x: special.airy(x)[3], lambda x: mpmath.airybi(x, derivative=1), [-2.0, 0.0, 0.7], 4),
        (lambda x: special.lambertw(x).real, lambda x: mpmath.lambertw(x).real, [0.0, 0.7], 3),
        (special.rgamma, mpmath.rgamma, [0.0, -1.0, -2.0, 0.7], 4),
        (lambda x: special.gammaincc(2.0, x), lambda x: 1 - lower_gamma(2, x), [0.0], 2),
        (lambda x: x * np.exp(-x) * lower_by_series(1.0, x), lambda x: lower_gamma(1, x), [0.0, 1e-20], 4),
        (lambda x: special.betainc(2.0, 2.0, x), lambda x: lower_beta(2, 2, x), [0.0, 1.0], 2),
        (lambda k: special.binom(5.5, k), lambda k: mpmath.binomial(5.5, k), [0.0], 3),
        (lambda m: special.poch(0.5, m), lambda m: mpmath.rf(0.5, m), [0.0], 3),
        (lambda m: special.ellipeinc(0.7, m), lambda m: mpmath.ellipe(0.7, m), [1.0], 2),
        (lambda z: special.spherical_jn(0, z), lambda z: first_spherical(0, z), [0.0, 1e-20, 1e-8], 3),
        (lambda z: special.spherical_jn(2, z), lambda z: first_spherical(2, z), [0.0, 1e-20, -0.7], 3),
    ],
)
def test_many_derivatives(function, exact, places, orders):
    wanted = {}
    with mpmath.workdps(40):
        for x in places:
            terms = mpmath.taylor(exact, mpmath.mpf(x), orders)
            wanted[x] = [float((t * mpmath.factorial(k)).real) for k, t in enumerate(terms)]
    for order in range(1, orders + 1):
        function = grad(function, target="numpy")
        for x in places:
            np.testing.assert_allclose(
                function(x), wanted[x][order], rtol=1e-9, atol=1e-13, err_msg=f"order {order} at {x}"
            )


@pytest.mark.turns(4)
def test_expansions_end_with_an_error():
    """What is exact to so many derivatives says so where another is taken, in any of its arguments."""

    def w(x):
        return special.lambertw(x).real

    for _ in range(3):
        w = grad(w, target="numpy")
    with pytest.raises(
        SourceError, match="lambertw has derivatives up to order 3, and this would be one of order 4"
    ):
        grad(w, target="numpy")(0.5)

    def mean(x, y):
        at = expansion_point("mean", 1, np.sqrt(x * y), x, y)
        return at - (at * at - x * y) / (2.0 * at)

    slope = grad(mean, argnums=1, target="numpy")
    assert slope(2.0, 8.0) == 0.25
    with pytest.raises(SourceError, match="mean has derivatives up to order 1"):
        grad(slope, target="numpy")(2.0, 8.0)


@pytest.mark.turns(4)
def test_draws_have_first_derivatives():
    def drawn(shape, rng):
        return rng.gamma(shape)

    slope = grad(drawn, target="numpy")
    assert slope(2.0, np.random.default_rng(1)) > 0.0
    with pytest.raises(SourceError, match="a draw of gamma has derivatives up to order 1"):
        grad(slope, target="numpy")(2.0, np.random.default_rng(1))


def test_powers_that_are_1_have_a_slope_of_their_slope():
    def power(x, y):
        return x**y

    assert grad(grad(power, target="numpy"), argnums=1, target="numpy")(2.0, 0.0) == 0.5
    assert grad(power, target="numpy")(0.0, 0.0) == 0.0


def test_weights_of_0_have_a_slope():
    x, weights = np.array([0.5, 1.0, 999.0, -np.inf, np.nan]), np.array([0.0, 2.0, 0.0, 0.0, 0.0])

    def total(weights, x):
        return special.logsumexp(x, b=weights)

    def of_complex(weights, x):
        return special.logsumexp(x + 0.1j, b=weights).real

    found = grad(total, target="numpy")(weights, x)
    np.testing.assert_allclose(found[[0, 1, 3, 4]], [np.exp(-0.5) / 2.0, 0.5, 0.0, 0.0], rtol=1e-14)
    assert found[2] > 1e300  # and not infinite
    few = grad(of_complex, target="numpy")(weights[:2], x[:2])
    np.testing.assert_allclose(few, [np.exp(-0.5) / 2.0, 0.5], rtol=1e-14)


def test_densities_at_special_places():
    def skew(a):
        return stats.skewnorm.logpdf(0.7, a)

    assert grad(skew, target="numpy")(0.0) == pytest.approx(0.7 * np.sqrt(2.0 / np.pi), rel=1e-14)
    assert grad(stats.expon.logcdf, target="numpy")(1e-20) == 1e20


@pytest.mark.turns(4)
def test_slopes_of_shares_by_the_place_are_densities():
    """Without the terms of the value; slopes of those by parameters and the place, near the ends too."""
    a, b, x = np.meshgrid([0.3, 1.0, 2.0, 30.5], [0.7, 1.0, 40.0], [1e-20, 1e-3, 0.3, 0.9])
    share, part = (
        lambda a, b, x: np.sum(special.betainc(a, b, x)),
        lambda a, x: np.sum(special.gammaincc(a, x)),
    )
    slope = jit(grad(share, argnums=2))
    assert "while" not in slope.source(a, b, x).split("# What")[0]
    np.testing.assert_allclose(slope(a, b, x), stats.beta.pdf(x, a, b), rtol=1e-11)
    np.testing.assert_allclose(
        jit(grad(part, argnums=1))(a, 9.0 * x), -stats.gamma.pdf(9.0 * x, a), rtol=1e-11
    )
    by_a = jit(grad(lambda a, b, x: np.sum(slope(a, b, x))))(a, b, x)
    digammas = special.digamma(a + b) - special.digamma(a)
    np.testing.assert_allclose(by_a, stats.beta.pdf(x, a, b) * (np.log(x) + digammas), rtol=1e-9)
    again = jit(grad(lambda a, b, x: np.sum(slope(a, b, x)), argnums=2))(a, b, x)
    logarithm = (a - 1.0) / x - (b - 1.0) / (1.0 - x)
    np.testing.assert_allclose(again, stats.beta.pdf(x, a, b) * logarithm, rtol=1e-9, atol=1e-12)
