"""Slopes of distributions at the ends of their supports, at infinity and outside, and shares that are nearly 0 or 1."""

import inspect

import numpy as np
import pytest
from scipy import special, stats
from user_programs import loaded

from autodiff import grad
from codegen import SourceError, jit

ENDS = [-np.inf, np.inf, 0.0, 1.0, -1.0, 0.5, 5.0, 20.0, -20.0]
DISTRIBUTIONS = (
    "beta(0.5, 0.7)|beta(1.0, 1.0)|beta(1.0, 3.0)|beta(2.0, 1.0)|beta(2.5, 3.5)|cauchy()|chi2(0.6)|chi2(2.0)|chi2(5.0)|"
    "expon()|f(1.0, 3.0)|f(2.0, 5.0)|f(5.0, 7.0)|gamma(0.3)|gamma(1.0)|gamma(2.5)|halfcauchy()|halfnorm()|"
    "invgamma(2.5)|laplace()|logistic()|lognorm(0.7)|norm()|pareto(2.5)|skewnorm(0.0)|skewnorm(2.0)|t(0.5)|t(3.0)|"
    "truncnorm(-1.0, 5.0)|truncnorm(-np.inf, 1.0)|truncnorm(1.0, np.inf)|uniform()|vonmises(0.0)|vonmises(1.5)|"
    "weibull_min(0.4)|weibull_min(1.0)|weibull_min(2.0)"
).split("|")


def method_of(told, method):
    """The sum of what a method gives for arrays of all its arguments, and the numbers that it is told."""
    name, parameters = told[:-1].split("(")
    own = eval(f"({parameters},)", {"np": np}) if parameters else ()
    names = ", ".join(["x", *(f"p{k}" for k in range(len(own))), "loc", "scale"])
    f = loaded(f"def f({names}):\n    return np.sum(stats.{name}.{method}({names}))\n")
    f.__globals__.update(stats=stats, np=np)
    return f, own


@pytest.mark.turns(4)
@pytest.mark.sampled(36)
@pytest.mark.parametrize("told", DISTRIBUTIONS)
def test_slopes_are_finite_where_the_value_is(told):
    """At the ends of the support, at infinity and outside, by the place and by every parameter."""
    for method in ("pdf", "logpdf", "cdf", "logcdf"):
        f, own = method_of(told, method)
        x = 2.0 * np.array(ENDS) + 0.5
        columns = (x, *(np.full_like(x, each) for each in own), np.full_like(x, 0.5), np.full_like(x, 2.0))
        with np.errstate(all="ignore"):
            values = getattr(getattr(stats, told.split("(")[0]), method)(*columns)
        slopes = grad(f, argnums=tuple(range(len(columns))), target="numpy")(*columns)
        for name, slope in zip(inspect.signature(f).parameters, slopes, strict=True):
            assert np.all(np.isfinite(slope[np.isfinite(values)])), (method, name, slope, values)
            assert not np.any(np.isnan(slope[~np.isnan(values)])), (method, name, slope, values)


def slope_of(told, method):
    name, parameters = told[:-1].split("(")
    given = ", ".join(filter(None, ["x", parameters]))
    f = loaded(f"def f(x):\n    return stats.{name}.{method}({given})\n")
    f.__globals__.update(stats=stats, np=np)
    return grad(f, target="numpy")


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("told", "end"),
    [
        *(
            ("expon()", 0.0),
            ("uniform()", 0.0),
            ("uniform()", 1.0),
            ("halfnorm()", 0.0),
            ("halfcauchy()", 0.0),
        ),
        *(("beta(1.0, 3.0)", 0.0), ("beta(2.0, 1.0)", 1.0), ("gamma(1.0)", 0.0), ("chi2(2.0)", 0.0)),
        *(("f(2.0, 5.0)", 0.0), ("pareto(2.5)", 1.0), ("weibull_min(1.0)", 0.0)),
        *(("truncnorm(-1.0, 2.0)", -1.0), ("truncnorm(-1.0, 2.0)", 2.0), ("truncnorm(5.0, np.inf)", 5.0)),
    ],
)
def test_the_density_is_the_slope_at_an_end(told, end):
    """That of a share was half of it, or 0; that of the density is as it is beside it."""
    density = eval(f"stats.{told}.pdf(end)", {"stats": stats, "np": np, "end": end})
    assert slope_of(told, "cdf")(end) == pytest.approx(density, rel=1e-12)
    inner = end + (-1e-7 if end in (1.0, 2.0) and not told.startswith("pareto") else 1e-7)
    for method in ("pdf", "logpdf"):
        assert slope_of(told, method)(end) == pytest.approx(slope_of(told, method)(inner), rel=1e-5, abs=1e-5)


@pytest.mark.turns(4)
def test_no_slope_where_the_density_is_infinite_or_none_is_left():
    for told in ("gamma(0.3)", "chi2(0.6)", "f(1.0, 3.0)", "weibull_min(0.4)", "beta(0.3, 0.4)"):
        assert slope_of(told, "cdf")(0.0) == 0.0
        assert slope_of(told, "logpdf")(0.0) == 0.0
    assert slope_of("gamma(2.5)", "pdf")(0.0) == 0.0
    assert slope_of("gamma(0.3)", "sf")(-1.0) == 0.0
    assert slope_of("norm()", "pdf")(np.inf) == 0.0


def test_von_mises_at_no_concentration():
    """The slope of a share was half of it; below 0, turns before, it has no logarithm."""
    x = np.array([-2.0, -0.25, 0.5, 3.0])
    slope = grad(lambda kappa: np.sum(stats.vonmises.cdf(x, kappa) * x), target="numpy")(0.0)
    assert slope == pytest.approx(np.sum(x * np.sin(x)) / (2.0 * np.pi), rel=1e-12)
    far = np.array([-7.0, -3.0, 1.0, 9.0])
    with np.errstate(invalid="ignore"):
        want = stats.vonmises.logcdf(far, 1.5)
    np.testing.assert_allclose(jit(stats.vonmises.logcdf, target="numpy")(far, 1.5), want, rtol=1e-11)


def truncated(x, a, b):
    return stats.truncnorm.logcdf(x, a, b), stats.truncnorm.logpdf(x, a, b)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("a", "b"), [(-1.0, 2.0), (5.0, 8.0), (20.0, np.inf), (-30.0, -20.0), (1.0, 1.0 + 1e-9)]
)
def test_a_truncated_share_just_above_its_end(a, b):
    """The width times the density, where logarithms of shares cancel (SciPy's own is off by a thousandth)."""
    x = a + 2.0**-47 * max(abs(a), 1.0)
    below, density = (float(part) for part in jit(truncated, target="numpy")(x, a, b))
    assert below == pytest.approx(density + np.log(x - a), abs=1e-11)
    slope = grad(lambda x: stats.truncnorm.logcdf(x, a, b), target="numpy")(x)
    assert slope == pytest.approx(1.0 / (x - a), rel=1e-9)


def test_a_truncated_share_far_below_and_nearly_whole():
    f, high = jit(truncated, target="numpy"), special.log_ndtr(1.0)
    assert float(f(-300.0, -np.inf, 1.0)[0]) == pytest.approx(special.log_ndtr(-300.0) - high, rel=1e-13)
    assert float(f(7.0, 0.5, np.inf)[0]) == pytest.approx(-special.ndtr(-7.0) / special.ndtr(-0.5), rel=1e-11)
    slope = grad(lambda x: stats.truncnorm.logcdf(x, -np.inf, 1.0), target="numpy")(-300.0)
    assert slope == pytest.approx(300.0, rel=1e-4)


def test_a_skewed_share_nearly_whole():
    x = np.array([2.0, 4.0, 6.0])
    want = np.log1p(-stats.skewnorm.cdf(-x, [3.0, -2.0, 0.0]))
    got = jit(stats.skewnorm.logcdf, target="numpy")(x, np.array([-3.0, 2.0, 0.0]))
    np.testing.assert_allclose(got, want, rtol=1e-8)
    assert float(got[0]) == pytest.approx(-5.0891259751793e-12, rel=1e-11)  # with 40 digits


@pytest.mark.parametrize("density", [stats.t.logpdf, stats.halfcauchy.logpdf])
def test_no_slope_where_a_square_is_infinite(density):
    """The density is 0 there, as SciPy has it."""
    parameters = (3.0,) if density == stats.t.logpdf else ()
    slopes = grad(lambda x, *p: density(x, *p), argnums=tuple(range(1 + len(parameters))), target="numpy")
    with np.errstate(over="ignore"):
        assert jit(density, target="numpy")(1e200, *parameters) == -np.inf
        assert np.all(np.array(slopes(1e200, *parameters)) == 0.0)


def test_the_last_chance_is_what_is_left():
    """Where they are not 1 together, as SciPy has it (it warns)."""
    counts, chances = np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.3, 0.1])
    with pytest.warns(FutureWarning):
        want = stats.multinomial.logpmf(counts, 6, chances)
    f = jit(stats.multinomial.logpmf, target="numpy")
    assert float(f(counts, 6, chances)) == pytest.approx(float(want), rel=1e-12)
    slopes = grad(stats.multinomial.logpmf, argnums=2, target="numpy")(counts, 6, chances)
    np.testing.assert_allclose(slopes, [1.0 / 0.2 - 3.0 / 0.5, 2.0 / 0.3 - 3.0 / 0.5, 0.0], rtol=1e-12)
    with pytest.raises(ValueError, match="received 3, but expected 2"):
        f(counts, 6, chances[:2])


@pytest.mark.parametrize(
    ("mean", "cov"),
    [
        *(
            (0.0, np.eye(3)),
            (None, np.ones(3)),
            (np.zeros(1), np.eye(3)),
            (np.zeros(2), np.eye(3)),
            (None, 1.0),
        ),
    ],
)
def test_what_a_mean_and_a_covariance_say_of_points(mean, cov):
    """Where they do not agree, or points have other sizes, SciPy has no number; ours had."""
    x = np.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError):
        stats.multivariate_normal.logpdf(x, mean, cov)
    with pytest.raises(ValueError):
        jit(lambda x, cov: stats.multivariate_normal.logpdf(x, mean, cov), target="numpy")(x, cov)


def test_a_mean_is_a_vector():
    mean, cov = np.zeros((3, 1)), np.eye(3)
    with pytest.raises(SourceError, match="takes a vector as mean"):
        jit(lambda x: stats.multivariate_normal.logpdf(x, mean, cov))(np.zeros(3))


def test_points_that_are_numbers():
    for x in (np.array([0.5, -1.0, 2.0]), np.array(0.5)):
        for mean, cov in ((None, 2.0), (0.3, 2.0), (0.3, np.array([2.0])), (None, np.eye(2))):
            if x.ndim == 1 and np.ndim(cov) == 2:
                continue  # as many numbers as the matrix has rows, which is known when it runs
            got = jit(lambda x, c, m=mean: stats.multivariate_normal.logpdf(x, m, c), target="numpy")(x, cov)
            np.testing.assert_allclose(
                np.squeeze(got), stats.multivariate_normal.logpdf(x, mean, cov), rtol=1e-13
            )


def test_all_or_none_of_many_tries():
    assert float(jit(stats.binom.logpmf, target="numpy")(0, 5, 0.0)) == 0.0
    assert float(jit(stats.binom.pmf, target="numpy")(5, 5, 1.0)) == 1.0
