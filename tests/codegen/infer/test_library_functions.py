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
from autodiff import check_grads, grad, hessian, jvp
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


HELD = stats.norm(0.5, 2.0)
NORMALS = stats.multivariate_normal(np.zeros(2), [[2.0, 0.5], [0.5, 1.0]])
WISHART, DIRICHLET = stats.wishart(4.0, np.eye(2)), stats.dirichlet([1.0, 2.0])


def of_either(d, x):
    return d.logpdf(x) + d.cdf(x)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: stats.norm(0.0, x).logpdf(1.0) + stats.norm().pdf(x),
        lambda x: stats.t(x, scale=2.0).logpdf(1.0) + stats.gamma(a=3.0, scale=x).cdf(1.0),
        lambda x: stats.poisson(x).logpmf(2) + stats.binom(5, x).logpmf(2),
        lambda x: stats.multivariate_normal(np.ones(2) * x, cov=np.eye(2) * x).logpdf(np.ones(2)),
        lambda x: sum(d.logpdf(x) for d in (stats.norm(0.0, 1.0), stats.t(3.0))),
        lambda x: of_either(stats.norm(scale=x), 1.0) + of_either(HELD, x),
        lambda x: NORMALS.logpdf(np.ones(2) * x) + WISHART.logpdf(np.eye(2) * x),
        lambda x: DIRICHLET.logpdf(np.array([x, 1.0 - x])),
        HELD.logpdf,
    ],
)
def test_distributions_that_hold_their_parameters(f):
    """Made inside of the program, where derivatives are by the parameters too, and outside."""
    xs = np.array([0.3, 0.7])
    check_grads(f, (0.7,), order=2)
    np.testing.assert_allclose(batch(f, target="numpy")(xs), [f(x) for x in xs], rtol=1e-13)


def test_parameters_that_a_distribution_does_not_have():
    with pytest.raises(SourceError, match=r"^norm: got an unexpected keyword argument 'mu'"):
        jit(lambda x: stats.norm(mu=x).pdf(x), target="numpy")(1.0)
    with pytest.raises(SourceError, match=r"^scipy.stats.rvs has no row"):
        jit(lambda x: stats.norm(x).rvs(), target="numpy")(1.0)


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
