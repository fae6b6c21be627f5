"""What `where=` of elementwise functions leaves out: nothing is computed there, and nothing has a slope; and in what
dtype is computed what `out=` is given for."""

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, jvp
from codegen import jit

X = np.array([4.0, 0.0, -1.0, 9.0])


def root(x):
    return np.sum(np.sqrt(x, out=np.ones(4), where=x > 0.0))


def inverse(x):
    return np.sum(np.divide(2.0, x, out=np.zeros_like(x), where=x != 0.0))


def power(x):
    return np.sum(np.power(x, x, out=np.zeros_like(x), where=x > 0.0))


def grown(x):
    return np.sum(np.exp(400.0 * x, out=np.zeros_like(x), where=x <= 0.0))


def angle(x):
    return np.sum(np.arccosh(x, out=np.zeros_like(x), where=x > 1.0))


SLOPES = {
    root: [0.25, 0.0, 0.0, 1.0 / 6.0],
    inverse: [-0.125, 0.0, -2.0, -2.0 / 81.0],
    power: [4.0**4 * (1.0 + np.log(4.0)), 0.0, 0.0, 9.0**9 * (1.0 + np.log(9.0))],
    grown: [0.0, 400.0, 400.0 * np.exp(-400.0), 0.0],
    angle: [1.0 / np.sqrt(15.0), 0.0, 0.0, 1.0 / np.sqrt(80.0)],
}


@pytest.mark.parametrize("f", SLOPES)
def test_places_that_are_left_out_have_no_slope(f):
    with np.errstate(all="ignore"):
        assert jit(f, target="numpy")(X) == pytest.approx(f(X), rel=1e-14)
        slopes = grad(f, target="numpy")(X)
    np.testing.assert_allclose(slopes, SLOPES[f], rtol=1e-12)
    for k in range(len(X)):
        along = jvp(f, (X,), (np.eye(4)[k],), target="numpy")[1]
        assert along == pytest.approx(SLOPES[f][k], rel=1e-12)


def test_compiled_and_over_lanes():
    np.testing.assert_allclose(grad(inverse)(X), SLOPES[inverse], rtol=1e-12)
    np.testing.assert_allclose(batch(grad(root))(np.stack((X, X))), [SLOPES[root]] * 2, rtol=1e-12)


REDUCED = [
    lambda x, out: np.prod(x, axis=0, out=out[0]),
    lambda x, out: np.multiply.reduce(x, axis=0, out=out[0]),
    lambda x, out: np.cumprod(x, axis=0, out=out),
    lambda x, out: np.multiply.accumulate(x, out=out),
    lambda x, out: np.pow.accumulate(x, out=out),
    lambda x, out: np.sum(x, axis=0, out=out[0]),
]


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
@pytest.mark.parametrize("f", REDUCED)
def test_what_is_added_up_or_multiplied_is_so_in_the_dtype_of_the_result(f, dtype):
    """Products of ints that no int holds are floats, where those are what they are written into."""
    x = np.array([[2**40, 3], [2**20, 2], [2**33, 5]])
    ours, theirs = np.zeros((3, 2), dtype), np.zeros((3, 2), dtype)
    with np.errstate(all="ignore"):
        f(x, theirs)
        jit(f, target="numpy")(x, ours)
    np.testing.assert_array_equal(ours, theirs)
