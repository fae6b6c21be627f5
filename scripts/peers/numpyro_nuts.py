"""NumPyro's NUTS in float64: python numpyro_nuts.py kept|run eight_schools|logistic|logistic_even CHAINS DRAWS

A peer, in two ways. `run` is NumPyro as its users run it: MCMC.run with its defaults, the progress bar on (written to
nowhere), chains vectorised where there are several; the same MCMC object has run once before. `kept` leaves all of
that away: the kernel in a compiled loop that is called again, which is the more that NumPyro can do.

The step size is fixed, the metric is the identity, nothing is adapted. Useful work is the sum over chains of the
leapfrogs (one gradient each) that their trajectories took; every measurement goes on from the last state of the one
before.
"""

import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

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


def sampler(how: str, work: str, chains: int, draws: int) -> Callable[[], dict[str, Any]]:
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
    start = {name: jnp.asarray(value[0] if chains == 1 else value) for name, value in start.items()}
    make = {"run": run_by_mcmc, "kept": kept_compiled}[how]
    return make(kernel, arguments, start, chains, draws)


def run_by_mcmc(
    kernel: NUTS, arguments: tuple[Any, ...], start: dict[str, Any], chains: int, draws: int
) -> Callable[[], dict[str, Any]]:
    """MCMC.run, and again from its last state as its documentation says."""
    several = {"num_chains": chains, "chain_method": "vectorized"} if chains > 1 else {}
    mcmc = MCMC(kernel, num_warmup=0, num_samples=draws, **several)

    def run(key: Any, **more: Any) -> dict[str, Any]:
        with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
            mcmc.run(key, *arguments, extra_fields=("num_steps",), **more)
        samples, fields = jax.block_until_ready((mcmc.get_samples(), mcmc.get_extra_fields()))
        mcmc.post_warmup_state = mcmc.last_state
        means = {name: np.mean(np.asarray(x)).item() for name, x in samples.items()}
        return {"count": int(np.sum(fields["num_steps"])), "means": means}

    run(jax.random.PRNGKey(0), init_params=start)
    run(mcmc.post_warmup_state.rng_key)
    return lambda: run(mcmc.post_warmup_state.rng_key)


def kept_compiled(
    kernel: NUTS, arguments: tuple[Any, ...], start: dict[str, Any], chains: int, draws: int
) -> Callable[[], dict[str, Any]]:
    """What MCMC(chain_method="vectorized") does at heart, compiled once. Several keys make the kernel vectorised."""
    key = jax.random.PRNGKey(0)
    keys = key if chains == 1 else jax.random.split(key, chains)
    state = kernel.init(keys, 0, start, model_args=arguments, model_kwargs={})

    def more(state: Any, *arguments: Any) -> Any:
        def step(state: Any, _: None) -> Any:
            state = kernel.sample(state, arguments, {})
            return state, (state.z, state.num_steps)

        return jax.lax.scan(step, state, length=draws)

    compiled = jax.jit(more).lower(state, *arguments).compile()

    def run() -> dict[str, Any]:
        nonlocal state
        state, (z, steps) = jax.block_until_ready(compiled(state, *arguments))
        means = {
            name: np.mean(np.asarray(x)).item() for name, x in kernel.postprocess_fn(arguments, {})(z).items()
        }
        return {"count": int(np.sum(steps)), "means": means}

    run()
    return run


if __name__ == "__main__":
    numpyro.enable_x64()
    serve(sampler(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
