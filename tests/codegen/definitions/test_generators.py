"""Methods of a Generator: NumPy's numbers from the same stream, which stands where NumPy's stands, in lanes too; where
NumPy refuses, its words; derivatives of what is drawn."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy import stats
from user_programs import loaded

from autobatch import batch, streams
from autodiff import grad, value_and_grad
from codegen import SourceError, jit
from codegen.definitions import DEFINITIONS
from codegen.definitions.table import GENERATOR

# By what they are put together for the compiler; each is a draw of `r`.
DRAWS = {
    "gammas": (
        "r.gamma(2.5)", "r.gamma(0.3, 2.0)", "r.standard_gamma(1.0)", "r.gamma(2.0, size=3)", "r.chisquare(3.0)",
        "r.gamma(np.array([0.5, 2.0]), 3.0)", "r.gamma(0.0)", "r.standard_gamma(np.ones((2, 1)), size=(2, 3))",
        "r.f(3.0, 4.0)", "r.standard_t(4.0)", "r.f(3.0, np.array([4.0, 5.0]))", "r.standard_t(3, size=2)",
    ),
    "betas": (
        "r.beta(0.5, 0.5)", "r.beta(2.0, 3.0, size=(2, 2))", "r.beta(1e-3, 2e-3)", "r.beta(1e-104, 1e-104)",
        "r.beta(0.5, np.array([0.2, 3.0]))", "r.dirichlet(np.array([1.0, 2.0, 0.5]))",
        "r.dirichlet([0.05, 0.03, 0.01], size=2)", "r.dirichlet((2.0, 3.0), (2, 1))",
    ),
    "formulas": (
        "r.laplace(1.0, 2.0)", "r.gumbel()", "r.logistic(size=2)", "r.standard_cauchy()", "r.standard_cauchy(3)",
        "r.wald(1.5, 2.0)", "r.lognormal(0.0, 0.5)", "r.lognormal(np.zeros(2), 0.5)", "r.rayleigh(2.0)",
        "r.pareto(3.0)", "r.pareto(np.array([3.0, 2.0]))", "r.weibull(2.0)", "r.weibull(0.0)", "r.power(2.0)",
        "r.triangular(0.0, 1.0, 3.0)", "r.triangular(0.0, np.array([1.0, 2.0]), 3.0)", "r.laplace(size=(2, 2))",
    ),
    "counts": (
        "r.poisson()", "r.poisson(3)", "r.poisson(30.0)", "r.poisson(4.0, size=5)",
        "r.poisson(np.array([1.0, 20.0]))", "r.binomial(10, 0.3)", "r.binomial(1000, 0.7)", "r.poisson(2.0, size=0)",
        "r.binomial(5, np.array([0.2, 0.8]))", "r.negative_binomial(3, 0.4)", "r.negative_binomial(2.5, 0.4, 2)",
        "r.geometric(0.5)", "r.geometric(0.05)", "r.geometric(1e-25)", "r.multinomial(10, [0.2, 0.3, 0.5])",
        "r.multinomial(10, np.array([0.2, 0.3, 0.5]), size=2)", "r.multinomial(0, [1.0])",
    ),
    "normals": (
        'r.multivariate_normal(np.zeros(2), np.array([[2.0, 0.5], [0.5, 1.0]]), method="cholesky")',
        'r.multivariate_normal([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]], (2, 2), method="cholesky")',
    ),
    "orders": (
        "r.permutation(7)", "r.permutation(np.arange(6.0).reshape(3, 2))", "r.permutation(np.arange(4), 0)",
        "r.permutation(np.arange(6.0).reshape(2, 3), axis=1)", "shuffled(r, np.arange(9.0))",
        "shuffled(r, np.arange(12).reshape(6, 2))", "r.permutation(0)", "r.permutation(1)",
    ),
    "choices": (
        "r.choice(5)", "r.choice(5, 3)", "r.choice(np.array([1.5, 2.5, 3.5]), size=(2, 2))", "r.choice([0.5, 2.0])",
        "r.choice(3, p=[0.2, 0.3, 0.5])", "r.choice(3, 6, p=np.array([0.2, 0.3, 0.5]))", "r.choice(4, replace=False)",
        "r.choice(np.arange(6).reshape(2, 3), 2, axis=1)", "r.integers(1, 6, endpoint=True)",
        "r.integers(0, 9, size=3, endpoint=True)", "r.integers(6, endpoint=True)", "r.choice(5, 0)",
    ),
    "samples": (
        "r.choice(10, 4, replace=False)", "r.choice(10, 10, replace=False)", "r.choice(20000, 600, replace=False)",
        "r.choice(12, 5, replace=False, p=np.full(12, 1 / 12))", "r.choice(50, 20, replace=False, shuffle=False)",
        "r.choice(20000, 600, replace=False, shuffle=False)", "r.choice(np.arange(5.0), (2, 2), replace=False)",
    ),
}  # fmt: skip
HELPERS = "def shuffled(r, x):\n    r.shuffle(x)\n    return x\n\n\n"
ALL = [draw for group in DRAWS.values() for draw in group]


def generator(lane: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[5, lane]))


@functools.cache
def program(*draws: str) -> Any:
    return loaded(f"{HELPERS}def f(r):\n    return {', '.join(draws)}, r.random()\n")


def held(found: Any, want: Any) -> None:
    for x, y in zip(found, want, strict=True):
        assert type(x) is type(y)
        assert (np.asarray(x).dtype, np.shape(x)) == (np.asarray(y).dtype, np.shape(y))
        np.testing.assert_allclose(x, y, rtol=1e-13)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("draw", ALL)
def test_numbers_are_numpys(draw: str) -> None:
    f = program(draw)
    found = jit(f, target="numpy")
    for lane in range(6):
        held(found(generator(lane)), f(generator(lane)))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("group", DRAWS)
def test_compiled_numbers_are_numpys(group: str) -> None:
    """One in two, and the others in lanes: most of this is compiling."""
    f = program(*DRAWS[group][::2])
    found = jit(f)
    for lane in range(20):
        held(found(generator(lane)), f(generator(lane)))


@pytest.mark.sampled(15)
@pytest.mark.parametrize("group", DRAWS)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_lanes_draw_what_each_draws_alone(group: str, target: str) -> None:
    f = program(*DRAWS[group][target == "numba" :: 2])
    found = batch(f, target=target)(streams(5, 7))
    for lane in range(7):
        for x, y in zip(found, f(generator(lane)), strict=True):
            np.testing.assert_allclose(x[lane], y, rtol=1e-12)


def test_every_method_is_tried() -> None:
    text = " ".join(ALL) + HELPERS
    names = [name.rpartition(".")[2] for name in DEFINITIONS if name.startswith(GENERATOR)]
    assert len(names) > 20 and not [name for name in names if f"r.{name}(" not in text]


@pytest.mark.parametrize("method", ["svd", "eigh"])
def test_normals_by_other_factors(method: str) -> None:
    cov = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 0.7]])

    def f(r: Any, mean: Any, cov: Any) -> Any:
        return r.multivariate_normal(mean, cov, 4, method=method)

    want = f(generator(0), np.ones(3), cov)
    for target in ("numpy", "numba"):
        np.testing.assert_allclose(jit(f, target=target)(generator(0), np.ones(3), cov), want, rtol=1e-12)


@pytest.mark.parametrize(
    "draw",
    [
        "r.standard_gamma(-x)", "r.gamma(x, -x)", "r.beta(0.0 * x, x)", "r.beta(x, 0.0 * x)", "r.chisquare(-x)",
        "r.f(-x, x)", "r.f(x, -x)", "r.standard_t(0.0 * x)", "r.laplace(x, -x)", "r.gumbel(0.0, -x)",
        "r.logistic(0.0, -x)", "r.wald(-x, x)", "r.wald(x, -x)", "r.lognormal(x, -x)", "r.rayleigh(-x)",
        "r.pareto(-x)", "r.weibull(-x)", "r.power(-x)", "r.triangular(x, 0.0, 9.0)", "r.triangular(0.0, 9.0, x)",
        "r.triangular(x, x, x)", "r.poisson(-x)", "r.poisson(x * np.nan)", "r.poisson(1e30 * x)",
        "r.poisson(np.array([x, -x]))", "r.binomial(-n, 0.5)", "r.binomial(n, 1.5 * x)", "r.binomial(n, np.nan * x)",
        "r.negative_binomial(-x, 0.5)", "r.negative_binomial(x, 0.0 * x)", "r.negative_binomial(x * np.nan, 0.5)",
        "r.geometric(0.0 * x)", "r.geometric(x * np.nan)", "r.dirichlet(np.array([-x, 1.0]))",
        "r.multinomial(-n, [0.5, 0.5])", "r.multinomial(n, [0.8, 0.8 * x, 0.1])", "r.multinomial(n, [-x, 0.8])",
        "r.choice(n - n)", "r.choice(n, n + 1, replace=False)", "r.choice(3, p=[0.5, 0.5 * x])",
        "r.choice(2, p=[0.5 * x, 0.6])", "r.choice(2, p=[-0.5 * x, 1.5])", "r.choice(2, p=[x * np.nan, 0.5])",
        "r.choice(3, 2, replace=False, p=[1.0 * x, 0.0, 0.0])", "r.choice(np.zeros(n - n), 2)",
        "r.integers(n, n - 1, endpoint=True)", "r.multivariate_normal(np.zeros(2), np.eye(3) * x)",
    ],
)  # fmt: skip
def test_what_numpy_refuses_is_refused_in_its_words(draw: str) -> None:
    f = loaded(f"def f(r, x, n):\n    return {draw}\n")
    with pytest.raises(ValueError) as theirs:
        f(generator(0), 1.0, 3)
    with pytest.raises(ValueError) as ours:
        jit(f, target="numpy")(generator(0), 1.0, 3)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("draw", ["r.shuffle(x, axis=1)", "r.integers(0, 5, dtype=np.int32)", "r.zipf(2.0)"])
def test_what_is_not_there_is_refused_by_name(draw: str) -> None:
    f = loaded(f"def f(r, x):\n    {draw}\n    return x\n")
    with pytest.raises(SourceError, match="axis=0|int64|zipf"):
        jit(f, target="numpy")(generator(0), np.ones((2, 2)))


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_gamma_keeps_its_share_as_its_shape_changes(target: str) -> None:
    def f(shape: Any, scale: Any, r: Any) -> Any:
        return r.gamma(shape, scale)

    slopes = value_and_grad(f, argnums=(0, 1), target=target)
    for lane, shape in enumerate((0.3, 1.0, 2.5, 40.0)):
        x, (by_shape, by_scale) = slopes(shape, 1.5, generator(lane))
        share, step = stats.gamma.cdf(x, shape, scale=1.5), 1e-4 * shape
        above, below = (stats.gamma.ppf(share, a, scale=1.5) for a in (shape + step, shape - step))
        np.testing.assert_allclose(by_shape, (above - below) / (2 * step), rtol=1e-5)
        np.testing.assert_allclose(by_scale, x / 1.5, rtol=1e-13)


def test_slopes_of_formulas_hold_the_basic_draw() -> None:
    def f(a: Any, b: Any, r: Any) -> Any:
        return (
            r.laplace(a, b) + r.lognormal(a, b) + r.weibull(a) * r.gumbel(a, b) + r.pareto(b) + r.poisson(a)
        )

    found = grad(f, argnums=(0, 1), target="numpy")(0.7, 1.3, generator(3))
    for k in range(2):
        moved = [f(0.7 + h * (k == 0), 1.3 + h * (k == 1), generator(3)) for h in (1e-6, -1e-6)]
        np.testing.assert_allclose(found[k], (moved[0] - moved[1]) / 2e-6, rtol=1e-6)
