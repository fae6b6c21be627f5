"""Airy's and Jacobi's functions and Lambert's W: against many digits, and at their edges against SciPy."""

import mpmath
import numpy as np
import pytest
from scipy import special

from autodiff import grad
from codegen import jit


def airy(x):
    return special.airy(x)


def ellipj(u, m):
    return special.ellipj(u, m)


def test_airys_functions_keep_their_digits():
    x = np.concatenate(
        (np.linspace(-30.0, 10.0, 81) + 1e-3, 10.0 ** np.arange(-12.0, 0.0), -(10.0 ** np.arange(-9.0, 0.0)))
    )
    found = jit(airy, target="numpy")(x)
    for k, (function, order) in enumerate(
        ((mpmath.airyai, 0), (mpmath.airyai, 1), (mpmath.airybi, 0), (mpmath.airybi, 1))
    ):
        exact = np.array([float(function(v, derivative=order)) for v in x])
        reach = np.where(x < -1.0, np.abs(x) ** (0.25 if order else -0.25), np.abs(exact))
        assert np.max(np.abs(found[k] - exact) / reach) < 1e-13


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_edges(target):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 60.0, -1e3])
    for found, wanted in zip(jit(airy, target=target)(x), airy(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    u, m = np.array([0.5, 0.5, 0.5, 30.0, -2.0, np.nan]), np.array([-0.1, 1.1, np.nan, 1.0, 1.0, 0.5])
    for found, wanted in zip(jit(ellipj, target=target)(u, m), ellipj(u, m), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    z = np.array([0.0, np.inf, -np.inf, np.nan])
    for k in (0, -1):
        found, wanted = jit(special.lambertw, target=target)(z, k), special.lambertw(z, k)
        np.testing.assert_array_equal(found, wanted)
    assert jit(airy, target=target)(np.float32(1.5))[0].dtype == np.float32


def test_jacobis_functions_keep_their_digits():
    made = jit(ellipj, target="numpy")
    for m in (0.0, 1e-12, 0.5, 0.99, 1 - 1e-9, 1 - 1e-14, 1.0):
        u = np.linspace(-8.0, 8.0, 17)
        for found, kind in zip(made(u, m), ("sn", "cn", "dn"), strict=False):
            exact = [float(mpmath.ellipfun(kind, v, m=m)) for v in u]
            np.testing.assert_allclose(found, exact, rtol=0.0, atol=1e-13)


@pytest.mark.turns(4)
def test_branches_of_w():
    x = np.concatenate(
        (np.linspace(-3.0, 5.0, 33), 10.0 ** np.arange(-9.0, 9.0), -(10.0 ** np.arange(-9.0, 9.0)))
    )
    z = np.concatenate((x + 0.0j, x[::-1] + 1j * x, x - 0.3j))
    for k in (0, -1, 1, 2, -3):
        found = jit(special.lambertw, target="numpy")(z, k)
        exact = np.array([complex(mpmath.lambertw(complex(v), k)) for v in z])
        np.testing.assert_allclose(found, exact, rtol=1e-13)


@pytest.mark.turns(4)
def test_slopes_where_others_end():
    step = 1e-6
    for k in range(4):
        slope = grad(lambda m, k=k: special.ellipj(0.7, m)[k])(1.0)
        assert slope == pytest.approx((ellipj(0.7, 1.0)[k] - ellipj(0.7, 1.0 - step)[k]) / step, rel=1e-5)
        assert grad(grad(lambda x, k=k: special.airy(x)[k]))(0.0) == pytest.approx(
            (0.0, AI, 0.0, BI)[k], abs=1e-14
        )
        curved = grad(grad(lambda m, k=k: special.ellipj(0.7, m)[k], target="numpy"), target="numpy")
        with np.errstate(divide="ignore", invalid="ignore"):
            assert not np.isfinite(curved(1.0)) and np.isfinite(
                curved(0.9)
            )  # no number where it is not known
    assert grad(lambda x: special.lambertw(x).real)(0.0) == 1.0


AI, BI = (float(special.airy(0.0)[k]) for k in (0, 2))
