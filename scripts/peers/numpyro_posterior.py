"""NumPyro's side of scripts/bench_posteriors.py: python numpyro_posterior.py NAME CHAINS WARMUP DRAWS

The six models as NumPyro's users write them, in float64; recursions over time are lax.scan. MCMC.run with vectorised
chains and no progress bar, each time from new starting points; the object has run once before, which compiles.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.distributions import constraints
from numpyro.infer import MCMC, NUTS, init_to_uniform, init_to_value

from posterior_runs import Run, Size, main
from posteriors import Posterior


def eight_schools(y: jax.Array, sigma: jax.Array) -> None:
    mu = numpyro.sample("mu", dist.Normal(0.0, 5.0))
    tau = numpyro.sample("tau", dist.HalfCauchy(5.0))
    theta_trans = numpyro.sample("theta_trans", dist.Normal(0.0, 1.0).expand([8]).to_event(1))
    numpyro.sample("y", dist.Normal(mu + tau * theta_trans, sigma), obs=y)


def kidscore(kid_score: jax.Array, mom_hs: jax.Array, mom_iq: jax.Array) -> None:
    beta = numpyro.sample("beta", dist.ImproperUniform(constraints.real_vector, (), (3,)))
    sigma = numpyro.sample("sigma", dist.HalfCauchy(2.5))
    numpyro.sample(
        "kid_score", dist.Normal(beta[0] + beta[1] * mom_hs + beta[2] * mom_iq, sigma), obs=kid_score
    )


def garch(y: jax.Array, sigma1: float) -> None:
    mu = numpyro.sample("mu", dist.ImproperUniform(constraints.real, (), ()))
    alpha0 = numpyro.sample("alpha0", dist.ImproperUniform(constraints.positive, (), ()))
    alpha1 = numpyro.sample("alpha1", dist.Uniform(0.0, 1.0))
    share = numpyro.sample("beta1_share", dist.Uniform(0.0, 1.0))
    numpyro.factor("beta1_flat", jnp.log1p(-alpha1))

    def following(variance: jax.Array, before: jax.Array) -> tuple[jax.Array, jax.Array]:
        variance = alpha0 + alpha1 * (before - mu) ** 2 + share * (1.0 - alpha1) * variance
        return variance, variance

    first = jnp.asarray(sigma1**2)
    _, rest = lax.scan(following, first, y[:-1])
    numpyro.sample("y", dist.Normal(mu, jnp.sqrt(jnp.concatenate([first[None], rest]))), obs=y)


def hidden_markov(y: jax.Array) -> None:
    theta1 = numpyro.sample("theta1", dist.Dirichlet(jnp.ones(2)))
    theta2 = numpyro.sample("theta2", dist.Dirichlet(jnp.ones(2)))
    mu = numpyro.sample("mu", dist.ImproperUniform(constraints.positive_ordered_vector, (), (2,)))
    numpyro.factor("mu_prior", dist.Normal(jnp.array([3.0, 10.0]), 1.0).log_prob(mu).sum())
    into = jnp.log(jnp.stack([theta1, theta2]))
    emission = dist.Normal(mu, 1.0).log_prob(y[:, None])

    def forward(log_weight: jax.Array, emitted: jax.Array) -> tuple[jax.Array, None]:
        return jax.nn.logsumexp(log_weight[:, None] + into, axis=0) + emitted, None

    log_weight, _ = lax.scan(forward, emission[0], emission[1:])
    numpyro.factor("y", jax.nn.logsumexp(log_weight))


def gaussian_process(x: jax.Array, y: jax.Array) -> None:
    rho = numpyro.sample("rho", dist.Gamma(25.0, 4.0))
    alpha = numpyro.sample("alpha", dist.HalfNormal(2.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    distance = (x[:, None] - x[None, :]) / rho
    covariance = alpha**2 * jnp.exp(-0.5 * distance**2) + sigma * jnp.eye(len(x))
    numpyro.sample("y", dist.MultivariateNormal(0.0, covariance_matrix=covariance), obs=y)


def rates(z: jax.Array, theta: jax.Array) -> jax.Array:
    u, v = z
    return jnp.stack([(theta[0] - theta[1] * v) * u, (theta[3] * u - theta[2]) * v])


def lotka_volterra(ts: jax.Array, y_init: jax.Array, y: jax.Array) -> None:
    """The solver is that of our model, ten classical Runge-Kutta steps a year."""
    theta = numpyro.sample(
        "theta",
        dist.TruncatedNormal(
            jnp.array([1.0, 0.05, 1.0, 0.05]), jnp.array([0.5, 0.05, 0.5, 0.05]), low=0.0
        ).to_event(1),
    )
    z_init = numpyro.sample("z_init", dist.LogNormal(jnp.log(10.0), 1.0).expand([2]).to_event(1))
    sigma = numpyro.sample("sigma", dist.LogNormal(-1.0, 1.0).expand([2]).to_event(1))

    def year(z: jax.Array, h: jax.Array) -> tuple[jax.Array, jax.Array]:
        def step(z: jax.Array, _: None) -> tuple[jax.Array, None]:
            k1 = rates(z, theta)
            k2 = rates(z + 0.5 * h * k1, theta)
            k3 = rates(z + 0.5 * h * k2, theta)
            k4 = rates(z + h * k3, theta)
            return z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

        z, _ = lax.scan(step, z, length=10)
        return z, z

    _, z = lax.scan(year, z_init, jnp.diff(ts, prepend=0.0) / 10.0)
    numpyro.sample("y_init", dist.LogNormal(jnp.log(z_init), sigma), obs=y_init)
    numpyro.sample("y", dist.LogNormal(jnp.log(z), sigma), obs=y)


MODELS = {
    "eight_schools-eight_schools_noncentered": eight_schools,
    "kidiq-kidscore_momhsiq": kidscore,
    "garch-garch11": garch,
    "hmm_example-hmm_example": hidden_markov,
    "gp_pois_regr-gp_regr": gaussian_process,
    "hudson_lynx_hare-lotka_volterra": lotka_volterra,
}


def sampler(posterior: Posterior, size: Size) -> Callable[[int], Run]:
    if posterior.init is None:
        start = init_to_uniform
    else:
        start = init_to_value(values={name: jnp.asarray(value) for name, value in posterior.init.items()})
    mcmc = MCMC(
        NUTS(MODELS[posterior.name], init_strategy=start),
        num_warmup=size.warmup,
        num_samples=size.draws,
        num_chains=size.chains,
        chain_method="vectorized",
        progress_bar=False,
    )
    data = {name: jnp.asarray(value) for name, value in posterior.data.items()}

    def sampled(seed: int) -> Run:
        mcmc.run(jax.random.PRNGKey(seed), **data)
        samples = jax.block_until_ready(mcmc.get_samples(group_by_chain=True))
        return Run({name: np.asarray(samples[name]) for name in posterior.params}, {})

    sampled(0)
    return sampled


if __name__ == "__main__":
    numpyro.enable_x64()
    main(sampler)
