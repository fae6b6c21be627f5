"""Shares beyond places and places of shares, against SciPy's over their range, and against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

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


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of SciPy, which does not find some of beta's
@pytest.mark.parametrize("name", OF_PLACES)
def test_beyond_places(name: str) -> None:
    for method in ("sf", "logsf"):  # SciPy's logarithms of 1 less a share are those
        near = 1e-9 if (name, method) == ("skewnorm", "logsf") else 1e-12
        same(name, method, PLACES, *OF_PLACES[name], 0.3, 1.4, near=near)


@pytest.mark.parametrize("name", OF_COUNTS)
def test_beyond_counts(name: str) -> None:
    for method in ("sf", "logsf"):
        near = 1e-9 if (name, method) == ("hypergeom", "logsf") else 1e-12
        same(name, method, COUNTS, *OF_COUNTS[name], 1, near=near)


@np.errstate(all="ignore")
@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in OF_PLACES if name not in WITHOUT_INVERSES])
def test_places_of_shares(name: str) -> None:
    given = (*OF_PLACES[name], 0.3, 1.4)
    lost = {"beta": 1e-299, "f": 1e-19}.get(name, 0.0)  # shares below, of which SciPy finds no place
    at = SHARES[~((SHARES > 0.0) & (SHARES < lost))]
    for method in ("ppf", "isf"):
        same(name, method, at, *given, near=1e-9 if name in ("beta", "f") else 1e-12)
    ppf, isf, pdf = (called(name, method, *given) for method in ("ppf", "isf", "pdf"))
    q = np.array([0.1, 0.3, 0.5, 0.8])
    for f, sign in (ppf, 1.0), (isf, -1.0):
        slope = grad(lambda q: np.sum(of(q, f)), target="numpy")(q)
        np.testing.assert_allclose(slope, sign / pdf(f(q)), rtol=1e-9)
