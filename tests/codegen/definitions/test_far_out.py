"""Where formulas cancel or overflow: slopes far out and of tiny shares, masses of huge parameters, against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from autodiff import grad, hessian
from codegen import jit

mp = mpmath.mp.clone()
mp.dps = 60
log_gamma = mp.loggamma


def slopes(f: Callable[..., Any], *at: float) -> list[float]:
    return [float(each) for each in grad(f, argnums=tuple(range(len(at))), target="numpy")(*at)]


def partial(f: Callable[..., Any], at: tuple[float, ...], *by: int) -> float:
    """The partial derivative by one argument, or by two, of a function of mpmath's numbers."""
    k, *others = by
    step = abs(mp.mpf(at[k])) * mp.mpf(10) ** -15
    moved = [
        tuple(x + sign * step if j == k else x for j, x in enumerate(map(mp.mpf, at))) for sign in (1, -1)
    ]
    high, low = (partial(f, each, *others) if others else f(*each) for each in moved)
    return (high - low) / (2 * step)


def same_slopes(f: Callable[..., Any], exact: Callable[..., Any], *at: float, near: float = 1e-9) -> None:
    for k, found in enumerate(slopes(f, *at)):
        assert found == pytest.approx(float(partial(exact, at, k)), rel=near), (at, k)


def invgamma_place(share, a):
    return stats.invgamma.isf(share, a)


def f_place(share, n, m):
    return stats.f.isf(share, n, m)


INVGAMMA_PLACE, F_PLACE = (jit(f, target="numpy") for f in (invgamma_place, f_place))
OF_INVGAMMA = grad(invgamma_place, argnums=1, target="numpy")
OF_F = grad(f_place, argnums=(1, 2), target="numpy")


def log_share_of_gamma(x: Any, a: Any) -> Any:
    return mp.log(mp.gammainc(a, 0, 1 / x, regularized=True))


def log_share_of_f(x: Any, n: Any, m: Any) -> Any:
    return mp.log(mp.betainc(m / 2, n / 2, 0, m / (m + n * x), regularized=True))


@pytest.mark.turns(8)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("share", [1e-300, 1e-100, 1e-8])
def test_places_of_tiny_shares_have_slopes(share: float) -> None:
    """Some were NaN: one over the share is no float times another slope. That of an implicit function is wanted."""
    for a in 2.2, 20.0, 37.0:
        at = float(INVGAMMA_PLACE(share, a)), a
        wanted = -partial(log_share_of_gamma, at, 1) / partial(log_share_of_gamma, at, 0)
        assert float(OF_INVGAMMA(share, a)) == pytest.approx(float(wanted), rel=1e-10)
    for n, m in (3.0, 5.0), (0.5, 20.0):
        place = float(F_PLACE(share, n, m)), n, m
        for k, found in enumerate(OF_F(share, n, m), 1):
            wanted = -partial(log_share_of_f, place, k) / partial(log_share_of_f, place, 0)
            assert float(found) == pytest.approx(float(wanted), rel=1e-10)


def faddeeva(z: Any) -> Any:
    if abs(z) < 60:
        return mp.exp(-z * z) * mp.erfc(-1j * z)
    total, term = mp.mpf(0), 1 / z
    for k in range(30):
        total, term = total + term, term * (2 * k + 1) / (2 * z * z)
    return 1j / mp.sqrt(mp.pi) * total


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "at", [(1e4, 1.0), (1e8, 1e-3), (1e-3, 1e5), (1e3, 1e3), (-30.0, 2.0), (100.0, -1.0), (9.0, 3.0)]
)
def test_parts_of_faddeeva_far_out(at: tuple[float, float]) -> None:
    """Both orders: two numbers about 1 were taken from each other."""
    parts = (
        (lambda x, y: special.wofz(x + 1j * y).real, lambda x, y: faddeeva(x + 1j * y).real),
        (lambda x, y: special.wofz(x + 1j * y).imag, lambda x, y: faddeeva(x + 1j * y).imag),
    )
    for f, exact in parts:
        same_slopes(f, exact, *at)
        found = hessian(f, argnums=(0, 1), target="numpy")(*at)
        for j, k in (0, 0), (0, 1), (1, 1):
            assert float(found[j][k]) == pytest.approx(float(partial(exact, at, j, k)), rel=1e-7), (j, k)


@pytest.mark.parametrize("x", [3.0, 23.9, 24.1, 1e3, -1e5, 1e9])
def test_dawsons_integral_far_out(x: float) -> None:
    def exact(x: Any) -> Any:
        return mp.sqrt(mp.pi) / 2 * faddeeva(mp.mpc(x)).imag

    same_slopes(lambda x: special.dawsn(x), exact, x)
    second = grad(grad(lambda x: special.dawsn(x), target="numpy"), target="numpy")(x)
    assert float(second) == pytest.approx(float(partial(exact, (x,), 0, 0)), rel=1e-9)


@pytest.mark.parametrize("x", [-3.7, 1000.0, 1234.567, -36000.3, 123456789.123])
def test_fresnels_integrals_far_out(x: float) -> None:
    """The angle is the square of x, whose whole turns take the digits of the rest: a slope at 1e8 was any number."""
    exact = mp.fresnels(x), mp.fresnelc(x)
    square = mp.mpf(x) ** 2 * mp.pi / 2
    slopes = mp.sin(square), mp.cos(square)
    for part in range(2):
        one = lambda z, part=part: special.fresnel(z)[part]  # noqa: E731
        assert float(jit(one, target="numpy")(x)) == pytest.approx(float(exact[part]), rel=1e-15)
        assert float(grad(one, target="numpy")(x)) == pytest.approx(float(slopes[part]), abs=1e-14)
    curve = grad(grad(lambda z: special.fresnel(z)[0], target="numpy"), target="numpy")(x)
    assert float(curve) == pytest.approx(float(mp.pi * mp.mpf(x) * mp.cos(square)), rel=1e-12)


def voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    return faddeeva((x + 1j * gamma) / (sigma * mp.sqrt(2))).real / (sigma * mp.sqrt(2 * mp.pi))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "at",
    [
        (1.0, 2.0, 3.0),
        (1e3, 1.0, 1e-3),
        (1e5, 1.0, 1e5),
        (5.0, 0.1, 1e-8),
        (1.0, 1e-5, 1e-3),
        (3e9, 1.0, 2.0),
    ],
)
def test_a_line_far_from_its_middle(at: tuple[float, float, float]) -> None:
    """The slope by the deviation was anything (1e4 times what it is, of the other sign)."""
    same_slopes(lambda x, sigma, gamma: special.voigt_profile(x, sigma, gamma), voigt, *at)
    if at[0] < 1e3:
        found = hessian(lambda *each: special.voigt_profile(*each), argnums=(0, 1, 2), target="numpy")(*at)
        for j in range(3):
            for k in range(3):
                assert float(found[j][k]) == pytest.approx(float(partial(voigt, at, j, k)), rel=1e-5), (j, k)


@pytest.mark.turns(4)
def test_lines_that_are_one_of_two() -> None:
    def line(x, sigma, gamma):
        return special.voigt_profile(x, sigma, gamma)

    middle = 1.0 / np.sqrt(2.0 * np.pi)
    np.testing.assert_allclose(slopes(line, 0.0, 1.0, 0.0), [0.0, -middle, -1.0 / np.pi], rtol=1e-13)  # NaN
    np.testing.assert_allclose(
        slopes(line, 1.0, 0.0, 2.0), [-0.8 / 5.0 / np.pi, 0.0, -0.6 / 5.0 / np.pi], rtol=1e-13
    )
    np.testing.assert_allclose(
        slopes(line, 1.0, 1e-200, 1.0), [-0.5 / np.pi, 0.5e-200 / np.pi, 0.0], atol=1e-16
    )
    for at in (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (np.inf, 1.0, 1.0), (1.0, np.inf, 1.0), (1.0, 1.0, np.inf):
        assert slopes(line, *at) == [0.0, 0.0, 0.0]


def binom(n, k):
    return special.binom(n, k)


SLOPES_OF_CHOICES = grad(binom, argnums=(0, 1), target="numpy")
BENDS_OF_CHOICES = hessian(binom, argnums=(0, 1), target="numpy")


def choices(n: Any, k: Any) -> Any:
    return mp.gamma(n + 1) * mp.rgamma(k + 1) * mp.rgamma(n - k + 1)


@pytest.mark.turns(8)
@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "at",
    [
        *((200.0, 171.0), (1000.0, 171.0), (1000.0, 480.0), (-5.5, 200.0), (300.5, 200.0), (1000.0, 999.5)),
        *((170.0, 171.0), (180.0, 183.0), (5.0, 180.0), (0.5, 3.0), (180.0, -1.0), (3.5, -2.0)),
    ],
)
def test_choices_of_many(at: tuple[float, float]) -> None:
    """Slopes were NaN, and 0 beside no choice at all."""
    first, found = SLOPES_OF_CHOICES(*at), BENDS_OF_CHOICES(*at)
    for j in range(2):
        wanted = float(partial(choices, at, j))
        assert float(first[j]) == pytest.approx(wanted, rel=1e-10, abs=1e-300)
        for k in range(2):
            bent = float(partial(choices, at, j, k))
            assert float(found[j][k]) == pytest.approx(bent, rel=1e-9, abs=1e-12 * abs(wanted))


@pytest.mark.parametrize("singular", [False, True])
def test_a_normal_density_of_vectors_is_none_at_infinity(singular: bool) -> None:
    """It was NaN in some directions, by the order of the coordinates, and had infinite slopes in others."""
    cov = np.array([[2.0, 0.5, 0.3], [0.5, 1.0, -0.2], [0.3, -0.2, 1.5]])

    def density(x):
        return stats.multivariate_normal.logpdf(x, np.zeros(3), cov, allow_singular=singular)

    f, slope = jit(density, target="numpy"), grad(density, target="numpy")
    for x in ([np.inf, 0.0, 0.0], [0.0, 1.0, -np.inf], [np.inf, np.inf, 1.0], [np.inf, -np.inf, np.inf]):
        assert f(np.array(x)) == -np.inf
        assert np.all(slope(np.array(x)) == 0.0)
    assert np.isnan(f(np.array([np.inf, np.nan, 0.0])))
    points = np.array([[np.inf, 0.0, 0.0], [1.0, 2.0, 3.0], [np.nan, 1.0, 2.0]])
    np.testing.assert_allclose(
        f(points), [-np.inf, stats.multivariate_normal.logpdf(points[1], None, cov), np.nan], rtol=1e-13
    )


@pytest.mark.parametrize("x", [1.5, np.array([[1.5]])])
@pytest.mark.parametrize("scale", [2.0, np.array([2.0]), np.array([[2.0]])])
def test_a_wishart_number(x: Any, scale: Any) -> None:
    found = jit(lambda x, scale: stats.wishart.logpdf(x, 3.0, scale), target="numpy")(x, scale)
    assert float(found) == pytest.approx(stats.wishart.logpdf(x, 3.0, scale), rel=1e-14)


def log_choices(n: Any, k: Any) -> Any:
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)


def log_beta(a: Any, b: Any) -> Any:
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


def betabinom(k: Any, n: Any, a: Any, b: Any) -> Any:
    return log_choices(n, k) + log_beta(k + a, n - k + b) - log_beta(a, b)


def hypergeom(k: Any, all_: Any, good: Any, drawn: Any) -> Any:
    return log_choices(good, k) + log_choices(all_ - good, drawn - k) - log_choices(all_, drawn)


def fisher(x: Any, n: Any, m: Any) -> Any:
    both = m / 2 * mp.log(m) + n / 2 * mp.log(n) - (n + m) / 2 * mp.log(m + n * x)
    return both + (n / 2 - 1) * mp.log(x) - log_beta(n / 2, m / 2)


@pytest.mark.turns(4)
@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    "at",
    [
        *(
            (10.0, 100.0, 1e10, 1e10),
            (500_000.0, 1e6, 1e6, 1e6),
            (0.0, 3.0, 22716.0, 270331359.0),
            (7.0, 9.0, 20.0, 0.3),
        ),
        *(
            (289259845.0, 515030062.0, 4.26, 0.39),
            (5005464.0, 5056502.0, 3787.9, 37.77),
            (30.0, 40.0, 1.5, 2.5),
        ),
    ],
)
def test_tries_of_an_unsure_chance(at: tuple[float, ...]) -> None:
    assert float(jit(stats.betabinom.logpmf, target="numpy")(*at)) == pytest.approx(
        float(betabinom(*map(mp.mpf, at))), rel=2e-11
    )
    found = slopes(lambda a, b: stats.betabinom.logpmf(at[0], at[1], a, b), *at[2:])
    for k in 0, 1:
        assert found[k] == pytest.approx(float(partial(betabinom, at, k + 2)), rel=1e-7)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "at",
    [
        *((1395775, 718183577, 49424255, 20267033), (625846457, 1493177220, 847676204, 1102425277)),
        *((3, 20, 7, 12), (0, 20, 7, 0), (7, 20, 7, 20), (5, 5, 5, 5), (1, 10**9, 3, 10**8)),
    ],
)
def test_draws_of_many(at: tuple[int, ...]) -> None:
    found = float(jit(stats.hypergeom.logpmf, target="numpy")(*at))
    assert found == pytest.approx(float(hypergeom(*map(mp.mpf, at))), rel=1e-12, abs=1e-14)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "at",
    [
        *(
            (10905.152411521041, 40957288.24979162, 5.7253845635520086e-05),
            (0.9, 3e7, 2e7),
            (1.2, 0.05, 14976205.0),
        ),
        *((2.0, 150.0, 3.0), (0.5, 2.0, 1e9)),
    ],
)
def test_ratios_of_many(at: tuple[float, float, float]) -> None:
    def density(x, n, m):
        return stats.f.logpdf(x, n, m)

    wanted = float(fisher(*map(mp.mpf, at)))
    assert float(jit(density, target="numpy")(*at)) == pytest.approx(wanted, rel=1e-12)
    found = slopes(density, *at)
    for k in range(3):
        assert found[k] * at[k] == pytest.approx(float(partial(fisher, at, k)) * at[k], rel=1e-6, abs=1e-11)
    assert jit(density, target="numpy")(0.0, 2.0, 1e3) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.turns(4)
@np.errstate(all="ignore")
def test_shares_of_places_whose_squares_are_no_floats() -> None:
    """Slopes of all parameters were NaN."""
    middle = float(stats.t.pdf(0.0, 1.08))
    found = slopes(lambda x, df: stats.t.cdf(x, df), 1e-300, 1.08)
    assert found == pytest.approx([middle, 5.480807496433586e-302], rel=1e-12)
    for x in 1e200, -1e200:
        assert slopes(lambda x, a: stats.skewnorm.cdf(x, a), x, 0.16) == [0.0, 0.0]
        assert slopes(lambda h, a: special.owens_t(h, a), x, 0.16) == [0.0, 0.0]


@pytest.mark.turns(4)
@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "logsf"])
def test_no_share_of_infinitely_many(method: str) -> None:
    """It was that of no width."""
    share = jit(getattr(stats.f, method), target="numpy")
    assert np.isnan(share(1.0, 2.5, np.inf)) and np.isnan(share(1.0, np.inf, 2.5))
