"""What definitions tell of their slopes is there wherever something is differentiated, and left out elsewhere."""

import numpy as np
import pytest
from scipy import special

from autobatch import batch
from autodiff import grad
from codegen import jit


@jit(target="numpy")
def shares(x):
    return special.log_ndtr(x) + special.gammainc(2.0, abs(x) + 0.1)


def plain(x):
    return special.log_ndtr(x) + special.gammainc(2.0, abs(x) + 0.1)


def both(x):
    return grad(shares)(x) + shares(x)


def of_lanes(xs):
    return np.sum(batch(shares)(xs))


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", [-2.0, 0.3, 1.7])
def test_of_compiled_functions(x: float) -> None:
    step = 1e-6
    slope = (plain(x + step) - plain(x - step)) / (2.0 * step)
    near = pytest.approx(slope, rel=1e-8)
    assert grad(shares, target="numpy")(x) == near and jit(grad(shares), target="numpy")(x) == near
    assert jit(both, target="numpy")(x) - plain(x) == near
    assert grad(of_lanes, target="numpy")(np.array([0.1, x]))[1] == near


@pytest.mark.turns(4)
def test_over_lanes() -> None:
    lanes = batch(both)(np.array([0.3, 1.7]))
    alone = jit(both, target="numpy")
    np.testing.assert_allclose(lanes, [alone(0.3), alone(1.7)], rtol=1e-13)


@pytest.mark.turns(4)
def test_a_program_without_derivatives_has_none_of_them() -> None:
    """Of a whole parameter the slope takes more terms than the share."""

    def share(a, x):
        return special.gammainc(a, x)

    values, slopes = jit(share).source(2.0, 1.5), grad(share).source(2.0, 1.5)
    assert "while" in values and "90.0" not in values and "90.0" in slopes
