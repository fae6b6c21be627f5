"""Functions of matrices that are smooth where singular values are equal, and singular vectors are not."""

import numpy as np
import pytest
from scipy import linalg

from autodiff import check_grads, grad
from codegen import SourceError

RANDOM = np.random.default_rng(2)
LEFT, RIGHT = (np.linalg.qr(RANDOM.normal(size=(4, 4)))[0] for _ in range(2))
SAME = LEFT @ np.diag([3.0, 2.0, 2.0, 1.0]) @ RIGHT.T
TALL = LEFT[:, :3] @ np.diag([3.0, 2.0, 2.0])
WEIGHTS = RANDOM.normal(size=(2, 4, 4))


def turn(a):
    made = linalg.polar(a)[0]
    return np.sum(made * WEIGHTS[0, : made.shape[0], : made.shape[1]])


def stretch(a):
    made = linalg.polar(a)[1]
    return np.sum(made * WEIGHTS[1, : made.shape[0], : made.shape[1]])


def of_complex(a):
    turn, stretch = linalg.polar(a + 1j * a.T)
    return np.sum(turn.real * WEIGHTS[0] + turn.imag * WEIGHTS[1] + stretch.imag * WEIGHTS[0])


def nuclear(a):
    return np.linalg.norm(a, "nuc")


@pytest.mark.turns(8)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", [turn, stretch, nuclear])
@pytest.mark.parametrize("a", [SAME, TALL, TALL.T.copy(), np.eye(3), 0.5 * np.eye(1)])
def test_both_orders(f, a):
    """Slopes were NaN, or numbers of any size."""
    check_grads(f, (a,), order=2, atol=1e-6, rtol=1e-6)


@pytest.mark.turns(4)
def test_of_complex_matrices():
    check_grads(of_complex, (SAME,), order=2, atol=1e-5, rtol=1e-5)


def test_a_norm_of_less_than_full_rank():
    """As the sum of singular values has it: of those that are 0 a slope beside."""
    slope = grad(nuclear, target="numpy")(np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]))
    assert np.linalg.norm(slope, 2) == pytest.approx(1.0)
    assert np.all(np.isfinite(grad(nuclear, target="numpy")(np.zeros((3, 2)))))


@pytest.mark.turns(4)
def test_no_more_than_three_orders():
    f = nuclear
    for _ in range(4):
        f = grad(lambda a, f=f: np.sum(f(a) * a), target="numpy")
    with pytest.raises(SourceError, match="polar has derivatives up to order 3"):
        f(np.eye(2))
