"""Six posteriors with known answers: model, parameters, data, and what ten long Stan runs found.

    load("garch-garch11")  ->  Posterior(logp, params, data, reference, named, init)

`params` is plain data, one `Constraint` per argument of `logp`; `data` holds the other arguments; `init` says
where chains start if not anywhere. `named`
turns draws of the parameters, arrays (chains, draws, *shape), into draws (chains, draws) under posteriordb's
names, which count from one: `theta[1] = mu + tau * theta_trans[..., 0]`. `agrees` compares them with the
reference.

    >>> posterior = load("eight_schools-eight_schools_noncentered")
    >>> posterior.params["tau"], posterior.reference["tau"].mean.__round__(2)
    (Constraint(kind='positive', shape=(), bounds=()), 3.6)
    >>> posterior.data["y"]
    array([28.,  8., -3.,  7., -1.,  1., 18., 12.])
"""

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import models

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "posteriordb"
REFERENCE_DRAWS = 10_000

Draws = Mapping[str, np.ndarray]


class Constraint(NamedTuple):
    """Where one parameter lives: kind is the name of a constructor in autobatch.mcmc, bounds its bounds."""

    kind: str
    shape: tuple[int, ...] = ()
    bounds: tuple[float, ...] = ()


class Moments(NamedTuple):
    """Mean and standard deviation of the reference draws of one scalar."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Posterior:
    """A model with its data and the moments to find."""

    name: str
    logp: Callable[..., float]
    params: Mapping[str, Constraint]
    data: Mapping[str, Any]
    reference: Mapping[str, Moments]
    named: Callable[[Draws], Draws]
    init: Mapping[str, np.ndarray] | None


def load(name: str) -> Posterior:
    """The posterior of that name in posteriordb; KeyError lists the known names.

    >>> sorted(load("gp_pois_regr-gp_regr").reference)
    ['alpha', 'rho', 'sigma']
    """
    if name not in MODELS:
        raise KeyError(f"no posterior {name!r}; known: {', '.join(NAMES)}")
    model, params, arguments, named = MODELS[name]
    data = json.loads((FOLDER / name / "data.json").read_text())
    summary = json.loads((FOLDER / name / "reference_summary.json").read_text())["parameters"]
    arrays = {argument: _number_or_array(data[argument]) for argument in arguments}
    return Posterior(
        name=name,
        logp=model,
        params=params,
        data=arrays,
        reference={key: Moments(entry["mean"], entry["sd"]) for key, entry in summary.items()},
        named=named,
        init=STARTS[name](arrays) if name in STARTS else None,
    )


def agrees(draws: Draws, reference: Mapping[str, Moments]) -> bool:
    """Whether draws (chains, draws), already under the reference's names, have its means and deviations.

    >>> normal = np.random.default_rng(0).normal(2.0, 3.0, (4, 2000))
    >>> agrees({"x": normal}, {"x": Moments(2.0, 3.0)}), agrees({"x": normal}, {"x": Moments(2.5, 3.0)})
    (True, False)
    """
    return not disagreements(draws, reference)


def disagreements(draws: Draws, reference: Mapping[str, Moments]) -> list[str]:
    """One sentence for each way in which draws differ from the reference; empty when they agree.

    A mean agrees within 4 standard errors: the run's Monte Carlo error, sd / sqrt(ESS) with ArviZ's effective
    sample size for the mean, and the reference's sd / sqrt(10,000), added in quadrature. A standard deviation
    agrees within 5 %.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing", category=FutureWarning)
        import arviz
    complaints = []
    for name, (mean, sd) in reference.items():
        x = np.asarray(draws[name], dtype=np.float64)
        if not np.all(np.isfinite(x)):
            complaints.append(f"{name}: {np.sum(~np.isfinite(x))} of {x.size} draws are not finite")
            continue
        error = np.hypot(x.std() / np.sqrt(arviz.ess(x, method="mean")), sd / np.sqrt(REFERENCE_DRAWS))
        if not abs(x.mean() - mean) <= 4.0 * error:
            away = (x.mean() - mean) / error
            complaints.append(f"{name}: mean {x.mean():.5g}, reference {mean:.5g}, {away:+.1f} errors away")
        if not abs(x.std() / sd - 1.0) <= 0.05:
            complaints.append(f"{name}: sd {x.std():.5g}, reference {sd:.5g}, ratio {x.std() / sd:.3f}")
    return complaints


def _number_or_array(value: Any) -> Any:
    return np.array(value, dtype=np.float64) if isinstance(value, list) else float(value)


def _elements(draws: Draws, *names: str) -> dict[str, np.ndarray]:
    """Draws of the named parameters, vectors split into name[1], name[2], ..."""
    split = {}
    for name in names:
        x = np.asarray(draws[name])
        split |= {name: x} if x.ndim == 2 else {f"{name}[{i + 1}]": x[:, :, i] for i in range(x.shape[2])}
    return split


def _eight_schools(draws: Draws) -> Draws:
    mu, tau = np.asarray(draws["mu"]), np.asarray(draws["tau"])
    theta = mu[:, :, None] + tau[:, :, None] * np.asarray(draws["theta_trans"])
    return _elements({**draws, "theta": theta}, "theta", "mu", "tau")


def _garch(draws: Draws) -> Draws:
    beta1 = np.asarray(draws["beta1_share"]) * (1.0 - np.asarray(draws["alpha1"]))
    return _elements({**draws, "beta1": beta1}, "mu", "alpha0", "alpha1", "beta1")


def _same_names(*names: str) -> Callable[[Draws], Draws]:
    return lambda draws: _elements(draws, *names)


def _oscillating(data: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Where chains of the Lotka-Volterra model start: at what the data show before any model is fitted.

    From anywhere, some chains end in modes whose cycles are out of step with the data: log density lower by 40,
    and no way out. Small oscillations have period 2 pi / sqrt(theta[0] theta[2]), here the ten years between the
    peaks, and go round the means theta[2] / theta[3] of prey and theta[0] / theta[1] of predators.
    """
    rate = 2.0 * np.pi / 10.0
    prey, predators = data["y"].mean(axis=0)
    theta = np.array([rate, rate / predators, rate, rate / prey])
    return {"theta": theta, "z_init": data["y_init"], "sigma": np.array([0.3, 0.3])}


STARTS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, np.ndarray]]] = {
    "hudson_lynx_hare-lotka_volterra": _oscillating
}

# name: (model, its parameters, its data arguments, draws -> posteriordb's names)
MODELS: Mapping[str, tuple[Callable[..., float], dict[str, Constraint], tuple[str, ...], Any]] = {
    "eight_schools-eight_schools_noncentered": (
        models.eight_schools,
        {"mu": Constraint("real"), "tau": Constraint("positive"), "theta_trans": Constraint("real", (8,))},
        ("y", "sigma"),
        _eight_schools,
    ),
    "kidiq-kidscore_momhsiq": (
        models.kidscore,
        {"beta": Constraint("real", (3,)), "sigma": Constraint("positive")},
        ("kid_score", "mom_hs", "mom_iq"),
        _same_names("beta", "sigma"),
    ),
    "garch-garch11": (
        models.garch,
        {
            "mu": Constraint("real"),
            "alpha0": Constraint("positive"),
            "alpha1": Constraint("interval", (), (0.0, 1.0)),
            "beta1_share": Constraint("interval", (), (0.0, 1.0)),
        },
        ("y", "sigma1"),
        _garch,
    ),
    "hmm_example-hmm_example": (
        models.hidden_markov,
        {
            "theta1": Constraint("simplex", (2,)),
            "theta2": Constraint("simplex", (2,)),
            "mu": Constraint("positive_ordered", (2,)),
        },
        ("y",),
        _same_names("theta1", "theta2", "mu"),
    ),
    "gp_pois_regr-gp_regr": (
        models.gaussian_process,
        {name: Constraint("positive") for name in ("rho", "alpha", "sigma")},
        ("x", "y"),
        _same_names("rho", "alpha", "sigma"),
    ),
    "hudson_lynx_hare-lotka_volterra": (
        models.lotka_volterra,
        {
            "theta": Constraint("positive", (4,)),
            "z_init": Constraint("positive", (2,)),
            "sigma": Constraint("positive", (2,)),
        },
        ("ts", "y_init", "y"),
        _same_names("theta", "z_init", "sigma"),
    ),
}

NAMES = tuple(MODELS)
