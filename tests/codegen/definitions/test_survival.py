"""Shares beyond places and places of shares, against SciPy's over their range, and against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from autobatch import batch
from autodiff import grad
from codegen import jit

PLACES = np.array(
    [-np.inf, -40.0, -3.0, -1.1, 0.3, 0.5, 0.9, 1.2, 1.7, 2.5, 6.0, 30.0, 200.0, 1e5, np.inf, np.nan]
)
SHARES = np.array(
    [-0.1, 0.0, 1e-300, 1e-20, 1e-5, 0.1, 0.3, 0.5, 0.6, 0.8, 0.99, 1.0 - 2.0**-20, 1.0, 1.1, np.nan]
)
COUNTS = np.array([-np.inf, -3.0, 0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 8.0, 9.0, 10.0, 11.0, 30.0, np.inf, np.nan])
OF_PLACES: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(
        ("norm", "expon", "uniform", "laplace", "logistic", "cauchy", "halfnorm", "halfcauchy"), ()
    ),
    "lognorm": (0.7,),
    "pareto": (1.5,),
    "weibull_min": (1.7,),
    "gamma": (2.5,),
    "chi2": (3.5,),
    "invgamma": (2.2,),
    "beta": (2.0, 3.5),
    "t": (4.0,),
    "f": (3.0, 5.0),
    "truncnorm": (-1.0, 2.0),
    "skewnorm": (1.5,),
    "vonmises": (1.3,),
}
WITHOUT_INVERSES = "truncnorm", "skewnorm", "vonmises"
OF_COUNTS = {
    "bernoulli": (0.3,),
    "geom": (0.3,),
    "poisson": (3.5,),
    "binom": (9, 0.3),
    "nbinom": (3.5, 0.4),
    "betabinom": (9, 1.5, 2.5),
    "hypergeom": (20, 7, 12),
}


def called(name: str, method: str, *parameters: float) -> Any:
    """The method of a distribution as a function of one argument."""
    return getattr(getattr(stats, name)(*parameters), method)


def of(x, method):
    return method(x)


@np.errstate(all="ignore")
def same(name: str, method: str, at: np.ndarray, *parameters: float, near: float = 1e-12) -> None:
    f = called(name, method, *parameters)
    found, wanted = jit(lambda x: of(x, f), target="numpy")(at), f(at)
    # Logarithms of what is less than any float.
    lost = np.isfinite(at) & (wanted == -np.inf) & (found > -np.inf)
    assert np.all(found[lost] < -700.0)
    np.testing.assert_allclose(found[~lost], wanted[~lost], rtol=near, atol=0.0)


@pytest.mark.sampled(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of SciPy, which does not find some of beta's
@pytest.mark.parametrize("name", OF_PLACES)
def test_beyond_places(name: str) -> None:
    for method in ("sf", "logsf"):  # SciPy's logarithms of 1 less a share are those
        near = 1e-9 if (name, method) == ("skewnorm", "logsf") else 1e-12
        same(name, method, PLACES, *OF_PLACES[name], 0.3, 1.4, near=near)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OF_COUNTS)
def test_beyond_counts(name: str) -> None:
    for method in ("sf", "logsf"):
        near = 1e-9 if (name, method) == ("hypergeom", "logsf") else 1e-12
        same(name, method, COUNTS, *OF_COUNTS[name], 1, near=near)


@np.errstate(all="ignore")
@pytest.mark.sampled(18)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in OF_PLACES if name not in WITHOUT_INVERSES])
def test_places_of_shares(name: str) -> None:
    given = (*OF_PLACES[name], 0.3, 1.4)
    lost = {"beta": 1e-299, "f": 1e-19}.get(name, 0.0)  # shares below, of which SciPy finds no place
    at = SHARES[~((SHARES > 0.0) & (SHARES < lost))]
    near = {"beta": 1e-9, "f": 1e-9, "halfcauchy": 1e-11}.get(
        name, 1e-12
    )  # SciPy's tangents beside a pole are 2e-12 off
    for method in ("ppf", "isf"):
        same(name, method, at, *given, near=near)
    ppf, isf, pdf = (called(name, method, *given) for method in ("ppf", "isf", "pdf"))
    q = np.array([0.1, 0.3, 0.5, 0.8])
    for f, sign in (ppf, 1.0), (isf, -1.0):
        slope = grad(lambda q: np.sum(of(q, f)), target="numpy")(q)
        np.testing.assert_allclose(slope, sign / pdf(f(q)), rtol=1e-9)


BESIDE_ENDS = {
    **dict.fromkeys(("halfnorm", "halfcauchy"), ((), [1e-12, 1e-9, 0.3, 5.0, 1e9])),
    "lognorm": ((0.5,), [1e-300, 1e-9, 1.0, 40.0, 1e4]),
    "pareto": ((2.0,), [1.5, 1e5, 1e10]),
    "invgamma": ((2.2,), [0.01, 0.03, 1.0, 1e3, 1e6]),
    "beta": ((0.01, 3.0), [1e-200, 1e-12, 0.3, 0.999, 1.0 - 1e-9]),
    "f": ((0.1, 0.3), [1e-200, 1e-12, 1.0, 1e12, 1e100]),
    "weibull_min": ((5.0,), [1e-200, 1e-3, 1.0, 3.0]),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", BESIDE_ENDS)
def test_beside_the_ends(name: str) -> None:
    """Shares that are nearly 0 or 1, and what they leave."""
    parameters, at = BESIDE_ENDS[name]
    for method in ("cdf", "sf", "logcdf", "logsf"):
        same(name, method, np.array(at), *parameters, near=1e-10)


@pytest.mark.sampled(21)
@pytest.mark.parametrize("name", OF_PLACES)
@np.errstate(all="ignore")
def test_slopes_are_densities(name: str) -> None:
    """In the middle of a distribution too, 0 of its standard one, where formulas for both sides meet."""
    given = (*OF_PLACES[name], 0.25, 2.0)
    if name == "vonmises":  # whose share's slope is that of its series
        return
    at = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 2.25])
    pdf, cdf, sf = (called(name, method, *given)(at) for method in ("pdf", "cdf", "sf"))
    for method, wanted in (
        ("cdf", pdf),
        ("sf", -pdf),
        ("logcdf", pdf / np.maximum(cdf, 1e-300)),
        ("logsf", -pdf / sf),
    ):
        f = called(name, method, *given)
        slope = grad(lambda x: np.sum(of(x, f)), target="numpy")(at)  # noqa: B023
        inside = (cdf > 0.0) & (sf > 0.0)
        np.testing.assert_allclose(slope[inside], wanted[inside], rtol=1e-9)


def upper_beta(a, b, x):
    return special.betaincc(a, b, x), special.betainccinv(a, b, x)


def ratios(a, b, x):
    return special.fdtr(a, b, x), special.fdtrc(a, b, x)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@np.errstate(all="ignore")
@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (upper_beta, [(0.01, 3.0, 1e-12), (0.01, 0.3, 0.2), (0.5, 2.0, 0.999), (30.0, 10.0, 1.0 - 1e-10)]),
        (ratios, [(0.001, 1.5, 1e-300), (0.5, 1e4, 1e-10), (0.1, 0.3, 1e12), (3.0, 5.0, 1.2)]),
    ],
)
def test_what_is_left_of_one(f, arguments):
    """Small x are not lost in 1 - x, and slopes by all arguments are SciPy's differences."""
    columns = tuple(np.array(column) for column in zip(*arguments, strict=True))
    for k, wanted in enumerate(f(*columns)):
        np.testing.assert_allclose(jit(f, target="numpy")(*columns)[k], wanted, rtol=1e-10)
        slopes = grad(lambda a, b, x: np.sum(f(a, b, x)[k]), argnums=(0, 1), target="numpy")(*columns)  # noqa: B023
        for place, slope in enumerate(slopes):
            step = 1e-4 * columns[place]
            near = [
                f(*(c + d * step if n == place else c for n, c in enumerate(columns)))[k]
                for d in (-2, -1, 1, 2)
            ]
            by_differences = (near[0] - 8.0 * near[1] + 8.0 * near[2] - near[3]) / (12.0 * step)
            np.testing.assert_allclose(slope, by_differences, rtol=1e-5, atol=1e-6 * np.max(np.abs(slope)))


@pytest.mark.turns(4)
def test_slopes_by_freedom_near_the_middle():
    """They are about as small as the place, as are those of the share by its series, a half and z times the density."""
    slope = grad(stats.t.cdf, argnums=1, target="numpy")
    for df in (0.5, 3.3, 30.0):
        by_density = grad(stats.t.pdf, argnums=1, target="numpy")(0.0, df)
        np.testing.assert_allclose(slope(-1e-9, df), -1e-9 * by_density, rtol=1e-6)


@np.errstate(all="ignore")
def test_powers_that_are_no_floats():
    f = grad(
        lambda x, c: np.sum(stats.weibull_min.cdf(x, c) + stats.weibull_min.pdf(x, c)),
        argnums=(0, 1),
        target="numpy",
    )
    assert f(np.array([40.0]), 500.0) == (0.0, 0.0)
    np.testing.assert_allclose(
        jit(stats.weibull_min.logcdf, target="numpy")(1e-10, 500.0), -11512.925464970229
    )


def test_slope_of_erfcx_where_it_is_large():
    x = np.array([-20.3, -9.5, -1.0, 0.5, 3.0])
    wanted = 2.0 * x * special.erfcx(x) - 2.0 / np.sqrt(np.pi)
    np.testing.assert_allclose(
        grad(lambda x: np.sum(special.erfcx(x)), target="numpy")(x), wanted, rtol=1e-12
    )


def test_erfcx_over_lanes_and_far_out():
    def scaled(x):
        return special.erfcx(x)

    x = np.array([-20.3, -1.0, 0.0, 0.5, 6.9, 7.1, 80.0, 1e9])
    np.testing.assert_allclose(batch(scaled)(x), special.erfcx(x), rtol=1e-14)
    far = np.array([80.0, 1e3, 1e9])
    squared = far * far
    series = 1.0 - 1.5 / squared + 3.75 / squared**2 - 13.125 / squared**3 + 59.0625 / squared**4
    slopes = grad(lambda x: np.sum(special.erfcx(x)), target="numpy")(far)
    np.testing.assert_allclose(slopes, -series / (np.sqrt(np.pi) * squared), rtol=1e-14)


def test_zeta_near_zero_and_far_out():
    """Its values and slopes are those of DLMF 25.6: -1/2 and -log(2 pi) / 2 at 0; far out all is 1 + 2**-s."""
    near, far = np.array([-1e-10, 0.0, 1e-10]), np.array([390.0, 700.0])
    slope = grad(lambda s: np.sum(special.zeta(s)), target="numpy")
    np.testing.assert_allclose(
        jit(special.zeta, target="numpy")(near), -0.5 - 0.9189385332046727 * near, rtol=1e-13
    )
    np.testing.assert_allclose(slope(near), -0.9189385332046727 - 2.0063564559085847 * near, rtol=1e-13)
    np.testing.assert_allclose(slope(far), -np.log(2.0) * 2.0**-far, rtol=1e-12)
    assert jit(special.zeta, target="numpy")(-700.0) == 0.0


TINY = np.array([1e-300, 1e-200, 1e-30, 1e-4])
OF_TINY = {
    "gamma": [(0.01,), (0.3,), (500.0,)],
    "chi2": [(1.0,)],
    "beta": [(50.0, 70.0)],
    "t": [(2.0,), (3.5,), (30.0,)],
    "f": [(30.0, 40.0)],
    "halfnorm": [()],
    "halfcauchy": [()],
}


@pytest.mark.turns(8)
@np.errstate(all="ignore")
@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", OF_TINY)
def test_places_of_tiny_shares(name: str) -> None:
    """Newton's steps were given up some 500 before they got there; slopes by parameters were NaN or of elsewhere."""
    for parameters in OF_TINY[name]:
        isf, sf = (called(name, method, *parameters) for method in ("isf", "sf"))
        at = jit(lambda q: of(q, isf), target="numpy")(TINY)  # noqa: B023
        shares = jit(lambda x: of(x, sf), target="numpy")(at)  # noqa: B023
        np.testing.assert_allclose(shares, TINY, rtol=1e-6 if name == "beta" else 1e-9)  # places near 1
        if name in ("gamma", "chi2", "t"):
            places = getattr(stats, name).isf
            slope = grad(lambda p: np.sum(places(TINY[1:], p)), target="numpy")(parameters[0])  # noqa: B023
            step = 1e-5 * parameters[0]
            found = jit(lambda p: places(TINY[1:], p), target="numpy")  # noqa: B023
            wanted = np.sum((found(parameters[0] + step) - found(parameters[0] - step)) / (2.0 * step))
            np.testing.assert_allclose(slope, wanted, rtol=1e-6)


def test_places_of_shares_near_the_ends() -> None:
    q = np.array([1e-17, 1e-5, 1.0 - 2.0**-40])
    f = jit(lambda q: (stats.halfnorm.ppf(q), stats.halfcauchy.ppf(q)), target="numpy")
    half, cauchy = f(q)
    np.testing.assert_allclose(half[:2], q[:2] * np.sqrt(np.pi / 2.0), rtol=1e-9)
    wanted = 0.5e-17 * np.pi, np.tan(0.5e-5 * np.pi), 1.0 / np.tan(2.0**-41 * np.pi)
    np.testing.assert_allclose(cauchy, wanted, rtol=1e-12)
