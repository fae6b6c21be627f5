"""Discrete distributions of scipy.stats far out and of many tries, where SciPy's own are exact, and slopes there."""

import numpy as np
import pytest
from scipy import special, stats
from user_programs import loaded

from autodiff import grad, jacobian
from codegen import jit

BINOMIALS = [
    (1, 1e15, 1e-15),
    (9, 1e16, 1e-15),
    (0, 1e17, 1e-18),
    (10**15, 2e15, 0.5),
    (400, 1000, 0.5),
    (900, 1000, 0.3),
]
FAILURES = [(2000, 0.5, 0.01), (100, 0.5, 0.5), (5, 3.0, 0.99), (0, 50.0, 0.01), (300, 50.0, 0.2)]
DRAWN = [(19, 100, 20, 30), (300, 1000, 500, 500), (4, 50, 5, 10), (200, 1000, 500, 500), (10, 50, 5, 10)]


def binomial(k, n, p):
    """The mass is the exponential of `logpmf`, in which SciPy's own cancels."""
    return stats.binom.pmf(k, n, p), stats.binom.logcdf(k, n, p)


def failures(k, n, p):
    return stats.nbinom.logpmf(k, n, p), stats.nbinom.logcdf(k, n, p)


def drawn(k, M, n, N):
    return stats.hypergeom.logpmf(k, M, n, N), stats.hypergeom.logcdf(k, M, n, N)


def counted(k, mu):
    return stats.poisson.logcdf(k, mu), stats.poisson.cdf(k, mu)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (binomial, BINOMIALS),
        (failures, FAILURES),
        (drawn, DRAWN),
        (counted, [(0, 1e-3), (3, 1.0), (400, 500.0)]),
    ],
)
def test_far_out(f, arguments):
    columns = tuple(np.array(column, np.float64) for column in zip(*arguments, strict=True))
    for got, want in zip(jit(f, target="numpy")(*columns), f(*columns), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-12)


ENDS = [-np.inf, np.inf, np.nan, 0.0, -0.0, 1.0, -1.0, 0.5, 5.0]
AT_ENDS = (
    "beta(2.0, 3.0)|beta(1.0, 1.0)|cauchy()|chi2(3.0)|chi2(2.0)|expon()|f(3.0, 5.0)|f(2.0, 5.0)|gamma(2.5)|gamma(1.0)|"
    "halfcauchy()|halfnorm()|invgamma(2.5)|laplace()|logistic()|lognorm(0.7)|norm()|pareto(2.5)|skewnorm(0.0)|"
    "skewnorm(2.0)|t(3.0)|t(np.inf)|truncnorm(-1.0, 2.0)|truncnorm(-np.inf, np.inf)|truncnorm(1.0, np.inf)|uniform()|"
    "vonmises(1.5)|weibull_min(1.7)|weibull_min(1.0)"
).split("|")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("told", AT_ENDS)
def test_at_the_ends(told):
    """Infinities, NaN, and where a density begins."""
    name, parameters = told[:-1].split("(")
    given = ", ".join(filter(None, ["x", parameters]))
    for method in ("pdf", "logpdf", "cdf", "logcdf"):
        f = loaded(f"def f(x):\n    return stats.{name}.{method}({given}, loc=0.0, scale=2.0)\n")
        f.__globals__["stats"], x = stats, 2.0 * np.array(ENDS)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(jit(f, target="numpy")(x), f(x), rtol=1e-11, atol=1e-11)


def near_1(x):
    return stats.expon.logcdf(x), stats.halfnorm.logcdf(x), stats.weibull_min.logcdf(x, 1.7)


def test_the_logarithm_of_a_share_near_1():
    x = np.array([0.1, 1.0, 5.0, 8.0])
    for got, want in zip(jit(near_1, target="numpy")(x), near_1(x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-8)
    assert float(jit(near_1, target="numpy")(30.0)[0]) == pytest.approx(-np.exp(-30.0), rel=1e-12)


def shares(x):
    low = stats.gamma.cdf(x, 0.3) + stats.weibull_min.cdf(x, 0.4) + stats.f.cdf(x, 1.0, 3.0)
    return np.sum(low + stats.beta.cdf(x, 0.3, 0.4) + stats.chi2.cdf(x, 0.6))


@pytest.mark.turns(4)
def test_nothing_has_a_slope_outside_of_its_support():
    """A density that is infinite where it begins made NaN of it."""
    slopes = grad(shares, target="numpy")(np.array([-2.0, 0.4, 1.7]))
    assert slopes[0] == 0.0
    assert np.all(slopes[1:] > 0.0) and np.all(np.isfinite(slopes))


def below(x, df):
    return stats.t.logcdf(x, df), np.log(stats.t.cdf(x, df)), np.log(special.stdtr(df, x))


@pytest.mark.turns(4)
@pytest.mark.sampled(5)
@pytest.mark.parametrize("df", [0.5, 30.0, 1e3, 1e6, 1e12])
def test_the_tail_of_t_is_not_what_is_left_of_1(df):
    """At -8 it was off by 2 in a hundred, at -20 it was 0, of 1000 degrees of freedom."""
    x = np.array([-20.0, -8.0, -5.0, -1.01, -0.99, -1e-9, 3.0])
    for got, want in zip(jit(below, target="numpy")(x, df), below(x, df), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10)
    slope = grad(lambda x: stats.t.logcdf(x, df), target="numpy")
    np.testing.assert_allclose(
        [slope(each) for each in x], np.exp(stats.t.logpdf(x, df) - below(x, df)[0]), rtol=1e-9
    )


@pytest.mark.turns(8)
def test_slopes_of_many_tries():
    """k / p - (n - k) / (1 - p), and of the share up to k the density of its end."""
    for k, n, p in BINOMIALS[:2] + BINOMIALS[4:]:
        slope = grad(lambda p, k=k, n=n: stats.binom.logpmf(k, n, p))(p)
        assert slope == pytest.approx(k / p - (n - k) / (1.0 - p), rel=1e-9)
    slope = grad(lambda p: stats.nbinom.logcdf(5, 3.0, p))(0.9)
    assert slope == pytest.approx(stats.beta.pdf(0.9, 3.0, 6.0) / stats.nbinom.cdf(5, 3.0, 0.9), rel=1e-9)


AT_LAST = [
    (lambda p: stats.bernoulli.pmf(np.array([0.0, 1.0, 2.0]), p), 0.0, [-1.0, 1.0, 0.0]),
    (lambda p: stats.bernoulli.pmf(np.array([0.0, 1.0, 2.0]), p), 1.0, [-1.0, 1.0, 0.0]),
    (lambda p: stats.binom.pmf(np.array([0.0, 1.0, 2.0, 2.5]), 5.0, p), 0.0, [-5.0, 5.0, 0.0, 0.0]),
    (lambda p: stats.binom.pmf(np.array([5.0, 4.0, 3.0, 2.5]), 5.0, p), 1.0, [5.0, -5.0, 0.0, 0.0]),
    (lambda p: stats.binom.logpmf(np.array([0.0, 1.0, 2.5]), 5.0, p), 0.0, [-5.0, 0.0, 0.0]),
    (
        lambda mu: stats.poisson.pmf(np.array([0.0, 1.0, 2.0, 2.5, np.inf]), mu),
        0.0,
        [-1.0, 1.0, 0.0, 0.0, 0.0],
    ),
    (lambda p: stats.geom.pmf(np.array([1.0, 2.0, 3.0, 2.5]), p), 1.0, [1.0, -1.0, 0.0, 0.0]),
    (lambda p: stats.geom.cdf(np.array([0.0, 1.0, 2.0, np.inf]), p), 1.0, [0.0, 1.0, 0.0, 0.0]),
    (lambda p: stats.geom.logcdf(np.array([1.0, 2.0]), p), 1.0, [1.0, 0.0]),
    (lambda p: stats.nbinom.pmf(np.array([0.0, 1.0, 2.0, 2.5]), 5.0, p), 1.0, [5.0, -5.0, 0.0, 0.0]),
]


@pytest.mark.parametrize(("masses", "last", "slopes"), AT_LAST)
def test_slopes_where_nothing_is_left_to_chance(masses, last, slopes):
    """Masses are polynomials there; those of their logarithms, times 0, were NaN."""
    np.testing.assert_allclose(jacobian(masses, target="numpy")(last), slopes, rtol=1e-12)


def powers(x, power):
    return special.boxcox(x, power), special.inv_boxcox(special.boxcox(x, power), power)


def test_powers_near_the_largest_float():
    x, power = np.array([100.0, 0.01, 3.0, 2.0]), np.array([155.0, -155.0, 0.0, 2.0])
    with np.errstate(over="ignore"):
        found = jit(powers, target="numpy")(x, power)
    for got, want in zip(found, powers(x, power), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_relative_entropy_of_almost_equal_shares():
    x = np.array([0.9456657713430001, 0.48066098564791515, 0.3])
    y = np.array([0.9456657713430094, 0.48066098564794774, 0.7])
    np.testing.assert_allclose(
        jit(special.rel_entr, target="numpy")(x, y), special.rel_entr(x, y), rtol=1e-13
    )


RESTS = {"poisson": (150.0,), "binom": (100, 0.9), "nbinom": (12.5, 1e-5), "betabinom": (30, 20.0, 0.1), "geom": (0.9,),
         "hypergeom": (100, 90, 30), "bernoulli": (1e-17,)}  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", RESTS)
def test_logarithms_of_counts_that_are_nearly_all(name):
    """They are what the rest is, the logarithm of 1 less which was 0, as SciPy's are."""
    k = np.array([0.0, 1.0, 2.0, 12.0, 24.0, 29.0])
    f = loaded(
        f"def f(k, *p):\n    d = stats.{name}\n    return d.cdf(k, *p), d.sf(k, *p), d.logcdf(k, *p), d.logsf(k, *p)\n"
    )
    f.__globals__["stats"] = stats
    below, above, log_below, log_above = jit(f, target="numpy")(k, *RESTS[name])
    for share, rest, logarithm in (below, above, log_below), (above, below, log_above):
        little = rest < 0.5
        assert np.all(rest[little] >= 0.0)
        np.testing.assert_allclose(logarithm[little], np.log1p(-rest[little]), rtol=1e-14)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(logarithm[~little], np.log(share[~little]), rtol=1e-14)


def test_masses_of_chances_near_1_and_of_many_successes():
    """In which the rest of 1 times the tries was what is left of the mean, and gamma functions cancelled."""
    binomial = jit(stats.binom.pmf, target="numpy")
    for k, n in ((10, 20), (18, 30)):
        want = stats.binom.pmf(n - k, n, 1e-12)
        assert float(binomial(k, n, 1.0 - 1e-12)) == pytest.approx(
            want, rel=1e-3
        )  # 1e-12 has five digits there
        assert float(binomial(k, n, 1.0 - 2.0**-40)) == pytest.approx(
            stats.binom.pmf(n - k, n, 2.0**-40), rel=1e-12
        )
    n, k = np.array([1e3, 1e6, 1e8, 1e10]), np.array([5.0, 12.0, 40.0, 12.0])
    got = jit(stats.nbinom.pmf, target="numpy")(k, n, n / (n + 20.0))
    np.testing.assert_allclose(got, stats.nbinom.pmf(k, n, n / (n + 20.0)), rtol=1e-11)
    assert jit(stats.geom.logsf, target="numpy")(10**10, 0.3) == pytest.approx(
        10**10 * np.log(0.7), rel=1e-14
    )


def test_a_table_of_tries_that_are_a_float32():
    counts, chances = np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.3, 0.5])
    got = jit(stats.multinomial.logpmf, target="numpy")(counts, np.float32(6.0), chances)
    assert float(got) == pytest.approx(stats.multinomial.logpmf(counts, 6, chances), rel=1e-14)


def test_shares_that_are_float32s():
    """0.2, 0.3 and 0.5 are 1 together as float32s, and were refused as not."""
    x, alpha = np.array([0.2, 0.3, 0.5], np.float32), np.array([1.0, 2.0, 3.0], np.float32)
    for given in (x, alpha), (x[:2], alpha), (x, alpha.astype(int)):
        got, want = jit(stats.dirichlet.logpdf, target="numpy")(*given), stats.dirichlet.logpdf(*given)
        assert got.dtype == want.dtype
        assert float(got) == pytest.approx(float(want), rel=1e-6)


@pytest.mark.turns(4)
@np.errstate(all="ignore")
def test_a_number_that_is_none_is_alone():
    """The shares beside it were 0."""
    k, n = np.array([0.0, 3.0, 2.0, np.nan, 5.0]), np.array([9.0, np.nan, 9.0, 4.0, np.inf])
    for method in ("cdf", "sf", "logcdf", "logsf"):
        f = getattr(stats.betabinom, method)
        got = jit(f, target="numpy")(k, n, 1.5, 2.5)
        np.testing.assert_allclose(got[[0, 2]], f(k[[0, 2]], 9.0, 1.5, 2.5), rtol=1e-12)
        assert np.all(np.isnan(got[[1, 3, 4]]))


def test_the_symmetric_integral_at_infinity():
    x, y, z = (
        np.array([0.0, np.inf, 2.0, 0.0]),
        np.array([np.inf, 0.0, np.inf, 0.0]),
        np.array([0.0, 0.0, 1.0, 2.0]),
    )
    np.testing.assert_array_equal(jit(special.elliprf, target="numpy")(x, y, z), special.elliprf(x, y, z))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("call", "slope"),
    [
        *(("chdtr(2.0, x)", 0.5), ("chdtrc(2.0, x)", -0.5), ("pdtr(0, x)", -1.0), ("pdtrc(0, x)", 1.0)),
        *(("fdtr(2.0, 5.0, x)", 1.0), ("fdtrc(2.0, 5.0, x)", -1.0)),
    ],
)
def test_slopes_where_a_share_begins(call, slope):
    """They were halved, as at a tie."""
    f = loaded(f"def f(x):\n    return special.{call}\n")
    f.__globals__["special"] = special
    assert grad(f, target="numpy")(0.0) == pytest.approx(slope, rel=1e-14)
