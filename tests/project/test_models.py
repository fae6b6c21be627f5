"""The example models against independent formulations with scipy, up to a constant."""

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import models
import posteriors
from posteriors import Constraint, Moments, Posterior

Values = dict[str, Any]


def eight_schools(v: Values) -> float:
    theta = v["mu"] + v["tau"] * v["theta_trans"]
    return (
        stats.norm(0, 5).logpdf(v["mu"])
        + stats.halfcauchy(0, 5).logpdf(v["tau"])
        + stats.norm.logpdf(v["theta_trans"]).sum()
        + stats.norm(theta, v["sigma"]).logpdf(v["y"]).sum()
    )


def kidscore(v: Values) -> float:
    design = np.column_stack([np.ones_like(v["mom_iq"]), v["mom_hs"], v["mom_iq"]])
    likelihood = stats.norm(design @ v["beta"], v["sigma"]).logpdf(v["kid_score"]).sum()
    return likelihood + stats.halfcauchy(0, 2.5).logpdf(v["sigma"])


def garch(v: Values) -> float:
    """The variances as the solution of a lower bidiagonal system instead of a recurrence."""
    n = len(v["y"])
    beta1 = v["beta1_share"] * (1 - v["alpha1"])
    system = np.eye(n) - beta1 * np.eye(n, k=-1)
    right = np.append(v["sigma1"] ** 2, v["alpha0"] + v["alpha1"] * (v["y"][:-1] - v["mu"]) ** 2)
    scale = np.sqrt(np.linalg.solve(system, right))
    return stats.norm(v["mu"], scale).logpdf(v["y"]).sum() + np.log1p(-v["alpha1"])


def hidden_markov(v: Values) -> float:
    """The forward algorithm on probabilities, each step's sum divided out."""
    transition = np.array([v["theta1"], v["theta2"]])
    emission = stats.norm(v["mu"], 1).pdf(v["y"][:, None])
    weights, total = emission[0], 0.0
    for row in emission[1:]:
        total += np.log(weights.sum())
        weights = (weights / weights.sum()) @ transition * row
    return total + np.log(weights.sum()) + stats.norm([3, 10], 1).logpdf(v["mu"]).sum()


def gaussian_process(v: Values) -> float:
    distance = v["x"][:, None] - v["x"]
    covariance = v["alpha"] ** 2 * np.exp(-(distance**2) / (2 * v["rho"] ** 2))
    covariance += v["sigma"] * np.eye(len(v["x"]))
    return (
        stats.multivariate_normal(np.zeros(len(v["x"])), covariance).logpdf(v["y"])
        + stats.gamma(25, scale=1 / 4).logpdf(v["rho"])
        + stats.halfnorm(0, 2).logpdf(v["alpha"])
        + stats.halfnorm(0, 1).logpdf(v["sigma"])
    )


def lotka_volterra(v: Values) -> float:
    a, b, c, d = v["theta"]
    solution = integrate.solve_ivp(
        lambda t, z: [(a - b * z[1]) * z[0], (d * z[0] - c) * z[1]],
        (0, v["ts"][-1]),
        v["z_init"],
        t_eval=v["ts"],
        method="DOP853",
        rtol=1e-10,
        atol=1e-10,
    )
    observed = stats.lognorm(v["sigma"], scale=solution.y.T).logpdf(v["y"]).sum()
    return (
        observed
        + stats.lognorm(v["sigma"], scale=v["z_init"]).logpdf(v["y_init"]).sum()
        + stats.norm([1, 0.05, 1, 0.05], [0.5, 0.05, 0.5, 0.05]).logpdf(v["theta"]).sum()
        + stats.lognorm(1, scale=np.exp(-1)).logpdf(v["sigma"]).sum()
        + stats.lognorm(1, scale=10).logpdf(v["z_init"]).sum()
    )


INDEPENDENT: dict[str, Callable[[Values], float]] = {
    "eight_schools-eight_schools_noncentered": eight_schools,
    "kidiq-kidscore_momhsiq": kidscore,
    "garch-garch11": garch,
    "hmm_example-hmm_example": hidden_markov,
    "gp_pois_regr-gp_regr": gaussian_process,
    "hudson_lynx_hare-lotka_volterra": lotka_volterra,
}
# The Lotka-Volterra model solves its equation with fixed steps, the formulation here to ten digits.
TOLERANCE = {"hudson_lynx_hare-lotka_volterra": 2e-4}


def at_reference(posterior: Posterior) -> Values:
    """Parameter values at the reference means."""
    mean = {name: moments.mean for name, moments in posterior.reference.items()}
    if "theta_trans" in posterior.params:
        theta = np.array([mean[f"theta[{i}]"] for i in range(1, 9)])
        return {"mu": mean["mu"], "tau": mean["tau"], "theta_trans": (theta - mean["mu"]) / mean["tau"]}
    if "beta1_share" in posterior.params:
        mean["beta1_share"] = mean["beta1"] / (1 - mean["alpha1"])
    return {
        name: np.array([mean[f"{name}[{i + 1}]"] for i in range(constraint.shape[0])])
        if constraint.shape
        else mean[name]
        for name, constraint in posterior.params.items()
    }


def nearby(values: Values, params: dict[str, Constraint], rng: np.random.Generator) -> Values:
    """Values moved by about five per cent, inside their constraints."""
    moved = {
        name: value * np.exp(0.05 * rng.standard_normal(np.shape(value))) for name, value in values.items()
    }
    return {
        name: value / np.sum(value) if params[name].kind == "simplex" else value
        for name, value in moved.items()
    }


@pytest.mark.parametrize("name", posteriors.NAMES)
def test_model_is_the_density_up_to_a_constant(name: str) -> None:
    posterior = posteriors.load(name)
    centre = at_reference(posterior)
    here = posterior.logp(**centre, **posterior.data)
    expected_here = INDEPENDENT[name]({**centre, **posterior.data})
    assert np.isfinite(here)
    rng = np.random.default_rng(1)
    for _ in range(5):
        there = nearby(centre, posterior.params, rng)
        change = posterior.logp(**there, **posterior.data) - here
        expected = INDEPENDENT[name]({**there, **posterior.data}) - expected_here
        assert change == pytest.approx(expected, abs=TOLERANCE.get(name, 1e-9), rel=1e-9)


@pytest.mark.parametrize("name", posteriors.NAMES)
def test_draws_get_the_names_of_the_reference(name: str) -> None:
    posterior = posteriors.load(name)
    values = at_reference(posterior)
    draws = {key: np.broadcast_to(value, (2, 3, *np.shape(value))) for key, value in values.items()}
    named = posterior.named(draws)
    assert list(named) == list(posterior.reference)
    for key, (mean, _) in posterior.reference.items():
        assert named[key] == pytest.approx(np.full((2, 3), mean), rel=1e-12)


def test_logistic_regression_against_scipy() -> None:
    rng = np.random.default_rng(2)
    X, beta = rng.normal(size=(50, 3)), rng.normal(size=3)
    y = (rng.random(50) < 0.5).astype(np.float64)

    def expected(beta: np.ndarray) -> float:
        likelihood = stats.bernoulli(1 / (1 + np.exp(-X @ beta))).logpmf(y).sum()
        return likelihood + stats.norm.logpdf(beta).sum()

    change = models.logistic_regression(beta, X, y) - models.logistic_regression(0 * beta, X, y)
    assert change == pytest.approx(expected(beta) - expected(0 * beta), rel=1e-12)


def test_disagreements_are_named() -> None:
    draws = {"x": np.random.default_rng(0).normal(1.0, 2.0, (4, 2500))}
    assert posteriors.disagreements(draws, {"x": Moments(1.0, 2.0)}) == []
    [mean, sd] = posteriors.disagreements(draws, {"x": Moments(1.5, 2.2)})
    assert mean.startswith("x: mean 1.0") and "reference 1.5" in mean
    assert sd.startswith("x: sd 1.99") and "reference 2.2" in sd
    [bad] = posteriors.disagreements({"x": np.full((2, 5), np.nan)}, {"x": Moments(0.0, 1.0)})
    assert bad == "x: 10 of 10 draws are not finite"


def test_autocorrelated_draws_are_allowed_their_monte_carlo_error() -> None:
    rng = np.random.default_rng(3)
    x = np.zeros((4, 1000))
    x[:, 0] = rng.normal(size=4)
    for t in range(1, 1000):
        x[:, t] = 0.98 * x[:, t - 1] + np.sqrt(1 - 0.98**2) * rng.normal(size=4)
    naive_errors = abs(x.mean()) / np.sqrt(1 / x.size)
    assert naive_errors > 4
    assert not any(
        "mean" in complaint for complaint in posteriors.disagreements({"x": x}, {"x": Moments(0.0, 1.0)})
    )


def test_an_unknown_posterior_is_named() -> None:
    with pytest.raises(KeyError, match="no posterior 'nile'; known: eight_schools"):
        posteriors.load("nile")


@pytest.mark.parametrize("module", [models, posteriors])
def test_examples_in_docstrings(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
