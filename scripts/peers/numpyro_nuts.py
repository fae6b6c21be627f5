"""NumPyro's NUTS, chains vectorised, in float64: python numpyro_nuts.py eight_schools|logistic CHAINS DRAWS

A peer. The step size is fixed, the metric is the identity, nothing is adapted. Useful work is the sum over
chains of the leapfrogs (one gradient each) that their trajectories took; compilation is not counted, and
every measurement goes on from the last state of the one before.
"""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import NUTS

import works
from serving import serve


def schools() -> None:
    mu = numpyro.sample("mu", dist.Normal(0.0, 5.0))
    tau = numpyro.sample("tau", dist.HalfCauchy(5.0))
    theta_trans = numpyro.sample("theta_trans", dist.Normal(0.0, 1.0).expand([8]).to_event(1))
    numpyro.sample("y", dist.Normal(mu + tau * theta_trans, works.SCHOOLS_SIGMA), obs=works.SCHOOLS_Y)


def regression(X: jax.Array, y: jax.Array) -> None:
    beta = numpyro.sample("beta", dist.Normal(0.0, 1.0).expand([X.shape[1]]).to_event(1))
    numpyro.sample("y", dist.Bernoulli(logits=X @ beta), obs=y)


def sampler(work: str, chains: int, draws: int) -> Callable[[], dict[str, Any]]:
    """A function that makes `draws` more draws of every chain and reports their leapfrogs."""
    if work == "eight_schools":
        model, arguments, start = schools, (), works.schools_start(chains)._asdict()
        start["tau"] = start.pop("log_tau")  # NumPyro starts from unconstrained values
    else:
        data = works.logistic()
        model, arguments = regression, (jnp.asarray(data.X), jnp.asarray(data.y))
        start = {"beta": works.logistic_start(chains, data.beta)}
    kernel = NUTS(
        model,
        step_size=works.STEP_SIZE[work],
        adapt_step_size=False,
        adapt_mass_matrix=False,
        max_tree_depth=works.MAX_DEPTH,
    )
    # What MCMC(chain_method="vectorized") does, kept compiled: MCMC.run traces anew at every call, which
    # would count against NumPyro. Several keys make the kernel a vectorised one.
    key = jax.random.PRNGKey(0)
    keys = key if chains == 1 else jax.random.split(key, chains)
    start = {name: jnp.asarray(value[0] if chains == 1 else value) for name, value in start.items()}
    state = kernel.init(keys, 0, start, model_args=arguments, model_kwargs={})

    @jax.jit
    def more(state: Any, *arguments: Any) -> Any:
        def step(state: Any, _: None) -> Any:
            state = kernel.sample(state, arguments, {})
            return state, (state.z, state.num_steps)

        return jax.lax.scan(step, state, length=draws)

    def run() -> dict[str, Any]:
        nonlocal state
        state, (z, steps) = jax.block_until_ready(more(state, *arguments))
        means = {
            name: np.mean(np.asarray(x)).item() for name, x in kernel.postprocess_fn(arguments, {})(z).items()
        }
        return {"count": int(np.sum(steps)), "means": means}

    run()
    return run


if __name__ == "__main__":
    numpyro.enable_x64()
    serve(sampler(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
