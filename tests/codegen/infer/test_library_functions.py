"""NumPy's and SciPy's functions given to transformations as they are."""

import functools
import operator
import pickle

import numpy as np
import pytest
from scipy import special, stats

from autobatch import batch
from autodiff import grad, hessian, jvp
from codegen import SourceError, jit

v = np.array([0.5, 1.5])


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_they_are_taken(target):
    assert jit(np.hypot, target=target)(3.0, 4.0) == 5.0
    np.testing.assert_array_equal(grad(np.sum, target=target)(v), [1.0, 1.0])
    assert grad(operator.mul, (0, 1), target=target)(3.0, 4.0) == (4.0, 3.0)
    assert jvp(np.sin, (0.0,), (2.0,), target=target) == (0.0, 2.0)
    np.testing.assert_array_equal(batch(grad(np.square), target=target)(v), 2 * v)
    np.testing.assert_allclose(
        hessian(special.logsumexp, target=target)(v), hessian(formula, target=target)(v)
    )
    np.testing.assert_array_equal(
        jit(functools.partial(np.sum, axis=0), target=target)(np.ones((2, 3))), [2.0] * 3
    )


def formula(x):
    return np.log(np.sum(np.exp(x)))


def test_methods_of_distributions():
    assert jit(stats.norm.logpdf)(1.0, scale=2.0) == pytest.approx(stats.norm.logpdf(1.0, scale=2.0))
    assert grad(stats.norm.logpdf, 1, target="numpy")(1.0, 2.0, 3.0) == pytest.approx(-1 / 9)


def test_inside_a_function():
    assert grad(lambda x: grad(np.cos)(x), target="numpy")(1.0) == -np.cos(1.0)


def test_they_have_the_librarys_names():
    assert "def hypot(x1, x2):" in jit(np.hypot).source(1.0, 2.0)
    assert pickle.loads(pickle.dumps(jit(np.exp, target="numpy")))(0.0) == 1.0


def test_what_does_not_fit_is_refused():
    with pytest.raises(TypeError, match=r"hypot\(\) missing a required argument: 'x2'"):
        jit(np.hypot)(1.0)
    with pytest.raises(SourceError, match="axis must be a known int or a tuple of them"):
        jit(np.sum)(v, 0)
