"""Shares of gamma distributions about their largest density, where neither a series nor a fraction is short: against
mpmath, as SciPy's own has six digits of large parameters there."""

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from autobatch import batch
from autodiff import grad
from codegen import jit

SHAPES = (20.0, 33.3, 150.5, 2.5e4)
OFF = (-0.679, -0.3, -0.01, -1e-9, 0.0, 1e-4, 0.1, 1.29)  # by which share of the shape a place is off


def lower(a, x):
    return special.gammainc(a, x)


def upper(a, x):
    return special.gammaincc(a, x)


def exact_share(a, x, is_lower):
    """DLMF 8.7.1 and, above, 8.9.2."""
    size = mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a))
    total, term, n = 1 / a, 1 / a, 0
    if is_lower:
        while term > 1e-40 * total:
            n += 1
            term *= x / (a + n)
            total += term
        return size * total
    b, over = x + 1 - a, mpmath.mpf(10) ** 200
    under = total = 1 / b
    ratio = mpmath.mpf(0)
    while abs(ratio - 1) > 1e-40:
        n, b = n + 1, b + 2
        under, over = 1 / (b - n * (n - a) * under), b - n * (n - a) / over
        ratio = under * over
        total *= ratio
    return size * total


@pytest.mark.turns(4)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("a", SHAPES)
def test_about_the_largest_density(a: float) -> None:
    shares, slopes = (
        {True: jit(lower, target="numpy"), False: jit(upper, target="numpy")},
        grad(lower, argnums=(0, 1), target="numpy"),
    )
    with mpmath.workdps(50):
        for x in (a * (1.0 + off) for off in OFF):
            is_lower = x < a
            exact = exact_share(mpmath.mpf(a), mpmath.mpf(x), is_lower)
            if exact < 1e-290:
                continue
            assert shares[is_lower](a, x) == pytest.approx(float(exact), rel=3e-13)
            h = mpmath.mpf(a) * mpmath.mpf(10) ** -18
            sides = [exact_share(mpmath.mpf(a) + s * h, mpmath.mpf(x), is_lower) for s in (-1, 1)]
            by_shape = float((sides[1] - sides[0]) / (2 * h)) * (1.0 if is_lower else -1.0)
            density = float(mpmath.exp((a - 1) * mpmath.log(x) - x - mpmath.loggamma(a)))
            np.testing.assert_allclose(slopes(a, x), (by_shape, density), rtol=1e-12)


@pytest.mark.turns(8)
def test_second_slopes_by_the_shape_at_the_largest_density() -> None:
    with mpmath.workdps(50):
        for a, x in ((25.0, 25.0), (25.0, 24.0), (100.0, 103.0)):
            h = mpmath.mpf(10) ** -12
            sides = [exact_share(mpmath.mpf(a) + s * h, mpmath.mpf(x), True) for s in (-1, 0, 1)]
            bend = float((sides[0] - 2 * sides[1] + sides[2]) / h**2)
            assert grad(grad(lower), target="numpy")(a, x) == pytest.approx(bend, rel=1e-12)


@pytest.mark.turns(4)
def test_over_lanes() -> None:
    a, x = (v.ravel() for v in np.meshgrid(SHAPES, [0.5, 0.99, 1.0, 1.01, 2.0]))
    for f in (lower, upper):
        np.testing.assert_allclose(batch(f)(a, a * x), jit(f)(a, a * x), rtol=1e-13)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_logarithms_take_the_part_that_is_less(target: str) -> None:
    a, x = 30.0, np.array([1e-3, 12.0, 25.0, 29.0, 30.0, 31.0, 60.0, 400.0])
    logs = jit(lambda x: (stats.gamma.logcdf(x, a), stats.gamma.logsf(x, a)), target=target)(x)
    with mpmath.workdps(50):
        for at, below, above in zip(x, *logs, strict=True):
            low = exact_share(mpmath.mpf(a), mpmath.mpf(at), True)
            high = exact_share(mpmath.mpf(a), mpmath.mpf(at), False) if at > a else 1 - low
            assert below == pytest.approx(float(mpmath.log(low)), rel=2e-14)
            assert above == pytest.approx(float(mpmath.log(high)), rel=2e-14)
