"""NumPy's and SciPy's functions given to transformations as they are."""

import functools
import operator
import pickle

import numpy as np
import pytest
from hunt.case import names_of
from hunt.compare import difference
from scipy import special, stats

from autobatch import batch
from autodiff import grad, hessian, jvp
from codegen import SourceError, jit
from codegen.infer.calls.rows import CALLED_AS, FUNCTIONS_OF

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
        jit(np.sum)(v, 0.0)


GIVEN = {
    "argpartition": "1",
    "choose": "[x, 2.0 * x]",
    "put": "[0, -1], 2.0",
    "clip": "0.2, 0.8",
    "dot": "np.eye(3)",
    "repeat": "2",
    "searchsorted": "np.array([0.1, 0.9])",
    "swapaxes": "0, 1",
    "take": "[1, 0]",
}
OF_VECTORS = ("put", "searchsorted")
OF_INTS = ("choose",)
OF_COMPLEX = ("conj", "cumprod", "cumsum", "mean", "nonzero", "sum", "trace")


@pytest.mark.parametrize(
    ("name", "z"),
    [*((name, 0.0) for name in (*FUNCTIONS_OF, *CALLED_AS)), *((name, 1j) for name in OF_COMPLEX)],
)
def test_methods_of_arrays(name, z):
    owner = "(x > 0.5).astype(int)" if name in OF_INTS else "x"
    f = names_of(f"def f(x):\n    return {owner}.{name}({GIVEN.get(name, '')}), x\n")["f"]
    x = np.random.default_rng(3).random(3 if name in OF_VECTORS else (3, 3))
    x = x + z * x[::-1] if z else x
    assert difference(jit(f, target="numpy")(x.copy()), f(x.copy())) is None
