"""nutpie's side of scripts/bench_posteriors.py: python nutpie_posterior.py NAME CHAINS WARMUP DRAWS

PyMC models, compiled by nutpie's default (Numba), with its own threads, adaptation and starting points.
BLAS is kept to one thread: beside nutpie's own threads it would only take their cores.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import nutpie
import pymc as pm
import pytensor
import pytensor.tensor as pt
from threadpoolctl import threadpool_limits

from posterior_runs import Run, Size, main
from posteriors import Posterior


def eight_schools(y: np.ndarray, sigma: np.ndarray) -> None:
    mu = pm.Normal("mu", 0.0, 5.0)
    tau = pm.HalfCauchy("tau", 5.0)
    theta_trans = pm.Normal("theta_trans", 0.0, 1.0, shape=8)
    pm.Normal("y", mu + tau * theta_trans, sigma, observed=y)


def kidscore(kid_score: np.ndarray, mom_hs: np.ndarray, mom_iq: np.ndarray) -> None:
    beta = pm.Flat("beta", shape=3)
    sigma = pm.HalfCauchy("sigma", 2.5)
    pm.Normal("kid_score", beta[0] + beta[1] * mom_hs + beta[2] * mom_iq, sigma, observed=kid_score)


def garch(y: np.ndarray, sigma1: float) -> None:
    mu = pm.Flat("mu")
    alpha0 = pm.HalfFlat("alpha0")
    alpha1 = pm.Uniform("alpha1", 0.0, 1.0)
    share = pm.Uniform("beta1_share", 0.0, 1.0)
    pm.Potential("beta1_flat", pt.log1p(-alpha1))

    def following(before: Any, variance: Any, mu: Any, alpha0: Any, alpha1: Any, share: Any) -> Any:
        return alpha0 + alpha1 * (before - mu) ** 2 + share * (1.0 - alpha1) * variance

    first = pt.constant(sigma1**2, dtype="float64")
    rest = pytensor.scan(
        following,
        sequences=[pt.constant(y[:-1])],
        outputs_info=[first],
        non_sequences=[mu, alpha0, alpha1, share],
        strict=True,
        return_updates=False,
    )
    pm.Normal("y", mu, pt.sqrt(pt.concatenate([first[None], rest])), observed=y)


def hidden_markov(y: np.ndarray) -> None:
    theta1 = pm.Dirichlet("theta1", np.ones(2))
    theta2 = pm.Dirichlet("theta2", np.ones(2))
    ordered = pm.distributions.transforms.ordered
    mu = pm.Normal("mu", [3.0, 10.0], 1.0, shape=2, transform=ordered, initval=[3.0, 10.0])
    emission = pm.logp(pm.Normal.dist(mu, 1.0), y[:, None])

    def forward(emitted: Any, log_weight: Any, into: Any) -> Any:
        return pt.logsumexp(log_weight[:, None] + into, axis=0) + emitted

    log_weight = pytensor.scan(
        forward,
        sequences=[emission[1:]],
        outputs_info=[emission[0]],
        non_sequences=[pt.log(pt.stack([theta1, theta2]))],
        strict=True,
        return_updates=False,
    )
    pm.Potential("y", pt.logsumexp(log_weight[-1]))


def gaussian_process(x: np.ndarray, y: np.ndarray) -> None:
    rho = pm.Gamma("rho", 25.0, 4.0)
    alpha = pm.HalfNormal("alpha", 2.0)
    sigma = pm.HalfNormal("sigma", 1.0)
    process = pm.gp.Marginal(cov_func=alpha**2 * pm.gp.cov.ExpQuad(1, ls=rho))
    process.marginal_likelihood("y", X=x[:, None], y=y, sigma=pt.sqrt(sigma), jitter=0.0)


def rates(u: Any, v: Any, theta: Any) -> tuple[Any, Any]:
    return (theta[0] - theta[1] * v) * u, (theta[3] * u - theta[2]) * v


def step(h: Any, u: Any, v: Any, theta: Any) -> tuple[Any, Any]:
    """One classical Runge-Kutta step."""
    du1, dv1 = rates(u, v, theta)
    du2, dv2 = rates(u + 0.5 * h * du1, v + 0.5 * h * dv1, theta)
    du3, dv3 = rates(u + 0.5 * h * du2, v + 0.5 * h * dv2, theta)
    du4, dv4 = rates(u + h * du3, v + h * dv3, theta)
    return u + h / 6.0 * (du1 + 2.0 * du2 + 2.0 * du3 + du4), v + h / 6.0 * (
        dv1 + 2.0 * dv2 + 2.0 * dv3 + dv4
    )


def lotka_volterra(ts: np.ndarray, y_init: np.ndarray, y: np.ndarray) -> None:
    """The solver is that of our model, ten steps a year, as one scan."""
    scale = np.array([0.5, 0.05, 0.5, 0.05])
    theta = pm.TruncatedNormal("theta", [1.0, 0.05, 1.0, 0.05], scale, lower=0.0, shape=4)
    z_init = pm.LogNormal("z_init", np.log(10.0), 1.0, shape=2)
    sigma = pm.LogNormal("sigma", -1.0, 1.0, shape=2)
    u, v = pytensor.scan(
        step,
        sequences=[pt.constant(np.repeat(np.diff(ts, prepend=0.0) / 10.0, 10))],
        outputs_info=[z_init[0], z_init[1]],
        non_sequences=[theta],
        strict=True,
        return_updates=False,
    )
    z = pt.stack([u[9::10], v[9::10]], axis=1)
    pm.LogNormal("y_init", pt.log(z_init), sigma, observed=y_init)
    pm.LogNormal("y", pt.log(z), sigma, observed=y)


MODELS = {
    "eight_schools-eight_schools_noncentered": eight_schools,
    "kidiq-kidscore_momhsiq": kidscore,
    "garch-garch11": garch,
    "hmm_example-hmm_example": hidden_markov,
    "gp_pois_regr-gp_regr": gaussian_process,
    "hudson_lynx_hare-lotka_volterra": lotka_volterra,
}


def sampler(posterior: Posterior, size: Size) -> Callable[[int], Run]:
    with pm.Model() as model:
        MODELS[posterior.name](**posterior.data)
    start = None if posterior.init is None else {model[k]: np.asarray(x) for k, x in posterior.init.items()}
    compiled = nutpie.compile_pymc_model(model, initial_points=start)

    def sampled(seed: int) -> Run:
        with threadpool_limits(1):
            trace = nutpie.sample(
                compiled,
                draws=size.draws,
                tune=size.warmup,
                chains=size.chains,
                seed=seed,
                progress_bar=False,
            )
        return Run({name: trace.posterior[name].values for name in posterior.params}, {})

    return sampled


if __name__ == "__main__":
    main(sampler)
