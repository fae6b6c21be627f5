"""Special functions of codegen/runtime/special_functions against numbers of 40 digits, and SciPy's special values."""

import mpmath
import numpy as np
import pytest
from scipy import special

from codegen.runtime.special_functions import (
    airy,
    bessel,
    exponential_integrals,
    faddeeva,
    modified,
    spherical,
)

R = np.random.default_rng(0)
ORDERS = (0.0, 0.3, 0.5, 1.0, 2.5, 7.0, -0.3, -1.5, -2.0, 20.0, 33.3, 100.0)
PLACES = (1e-8, 1e-3, 0.1, 0.7, 1.5, 1.9, 5.0, 12.3, 17.9, 18.0, 24.0, 31.0, 80.0, 300.0, 690.0)
PAIRS = [(v, x) for v in ORDERS for x in PLACES]
PAIRS += list(zip(R.uniform(-10, 30, 60).tolist(), (10 ** R.uniform(-2, 2.5, 60)).tolist(), strict=True))
NUMBERS = [*(10 ** R.uniform(-8, 2.8, 60)).tolist(), 1.0, 2.0, 39.9, 40.0, 0.3725, 0.4, 0.25]


def off(found, wanted, size=0):
    """By how many units in the last place of what is wanted, or of a larger size."""
    if float(wanted) == found or abs(wanted) < 1e-290:
        return abs(found - float(wanted)) / 1e-290
    return float(abs(mpmath.mpf(found) - wanted) / max(abs(wanted), size)) / 1.1e-16


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "function, exact, units",
    [
        (modified.bessel_kv, mpmath.besselk, 60),
        (modified.bessel_kve, lambda v, x: mpmath.besselk(v, x) * mpmath.exp(x), 60),
        (modified.bessel_iv, mpmath.besseli, 60),
        (modified.bessel_ive, lambda v, x: mpmath.besseli(v, x) * mpmath.exp(-x), 60),
        (bessel.bessel_jv, mpmath.besselj, 60),
        (bessel.bessel_yv, mpmath.bessely, 60),
    ],
)
def test_bessel_functions(function, exact, units):
    """Where they oscillate to so many units of how far they go."""
    waves = function in (bessel.bessel_jv, bessel.bessel_yv)
    with mpmath.workdps(40):
        for v, x in PAIRS:
            wanted = exact(mpmath.mpf(v), mpmath.mpf(x))
            if abs(wanted) < 1e300:
                size = mpmath.sqrt(2 / (mpmath.pi * x)) if waves and x > abs(v) else 0
                assert off(function(v, x), wanted, size) < max(units, 0.7 * abs(v)), (v, x)


def test_airys_functions_of_small_numbers():
    for x in (0.0, -0.0, 1e-320, -1e-250, 1e-21, 1e-19, -1e-19):
        found = airy.airy_ai(x), airy.airy_ai_slope(x), airy.airy_bi(x), airy.airy_bi_slope(x)
        np.testing.assert_allclose(found, special.airy(x), rtol=1e-14)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_spherical_functions(name):
    function, of_scipy = getattr(spherical, name), getattr(special, name)
    for n in (-1, 0, 1, 2, 5):
        for z in (0.0, -0.0, 0.7, -1.3, 1e-20, 30.0, -30.0, 800.0, np.inf, -np.inf, np.nan):
            wanted = of_scipy(n, z)
            np.testing.assert_allclose(function(float(n), z), wanted, rtol=1e-12, err_msg=f"{name}({n}, {z})")


def test_integrals():
    with mpmath.workdps(40):
        for x in NUMBERS:
            z = mpmath.mpf(x)
            assert off(exponential_integrals.exp1(x), mpmath.e1(z)) < 8, x
            assert off(exponential_integrals.expi(x), mpmath.ei(z)) < 16, x
            assert off(exponential_integrals.expi(-x), mpmath.ei(-z)) < 8, x
            for n in (0.0, 2.0, 3.0, 10.0):
                assert off(exponential_integrals.expn(n, x), mpmath.expint(int(n), z)) < 16, (n, x)
            if x < 30.0:
                wanted = mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * mpmath.erfi(z)
                assert off(faddeeva.dawsn(x), wanted) < 8, x
                assert faddeeva.dawsn(-x) == -faddeeva.dawsn(x)


def test_faddeevas_function():
    places = [*zip(R.uniform(-8, 8, 200), R.uniform(-3, 8, 200)), (0.0, 2.0), (3.0, 0.0), (0.4, 1e-9)]
    places += list(zip(10 ** R.uniform(-4, 3, 60), 10 ** R.uniform(-4, 3, 60)))
    with mpmath.workdps(60):
        for x, y in places:
            z = mpmath.mpc(x, y)
            wanted = mpmath.exp(-z * z) * mpmath.erfc(-1j * z)
            found = mpmath.mpc(faddeeva.faddeeva(x, y))
            assert abs(found - wanted) <= 4e-15 * abs(wanted), (x, y)
            if y >= 0:
                assert abs(found.real - wanted.real) <= 4e-15 * abs(wanted.real), (x, y)


@pytest.mark.parametrize(
    "name, function",
    [
        ("jv", bessel.bessel_jv),
        ("yv", bessel.bessel_yv),
        ("iv", modified.bessel_iv),
        ("kv", modified.bessel_kv),
        ("ive", modified.bessel_ive),
        ("kve", modified.bessel_kve),
        ("expn", exponential_integrals.expn),
    ],
)
def test_special_values(name, function):
    """SciPy's; of orders and numbers where its own algorithm gives up there are numbers here."""
    for v in (0.0, 1.0, 2.0, 3.0, 0.5, -0.5, -1.0, -2.0, 1.5, -1.5, np.nan):
        for x in (0.0, -0.0, 1.0, -1.0, -2.5, np.nan, 500.0):
            if name == "expn" and v != np.floor(v):  # which SciPy warns of
                continue
            with np.errstate(all="ignore"):
                wanted = float(getattr(special, name)(v, x))
            if np.isnan(v) and x == 0.0 or np.isnan(wanted) and v < 0.0 and x == 0.0:
                continue
            np.testing.assert_allclose(function(v, x), wanted, rtol=1e-12, err_msg=f"{name}({v}, {x})")


def test_special_values_of_one():
    for name, function in (
        ("exp1", exponential_integrals.exp1),
        ("expi", exponential_integrals.expi),
        ("dawsn", faddeeva.dawsn),
    ):
        for x in (0.0, -0.0, 1.0, -1.0, np.inf, np.nan, 800.0, -800.0, 712.0, 1e300, 1e-300):
            np.testing.assert_allclose(
                function(x), getattr(special, name)(x), rtol=1e-13, err_msg=f"{name}({x})"
            )
