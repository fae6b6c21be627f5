"""Both sides of the Gaussian process in scripts/bench_matrices.py: python gaussian_process.py WHO CHAINS WARMUP DRAWS

WHO is ours or NumPyro. Regression of 300 points: NUTS over length scale, size and noise, the density written with
Cholesky's factor and a triangular system. The count is the smallest bulk effective sample size of the three.
"""

import sys
import time
import warnings
from collections.abc import Callable, Mapping

import numpy as np
from scipy.linalg import solve_triangular

from serving import serve

warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing", category=FutureWarning)
NAMES = ("length", "size", "noise")
Sampled = Callable[[int], Mapping[str, np.ndarray]]


def points(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    x = np.sort(rng.uniform(0.0, 10.0, n))
    k = 1.2**2 * np.exp(-0.5 * ((x[:, None] - x) / 1.5) ** 2) + 0.3**2 * np.eye(n)
    return {"x": x, "y": np.linalg.cholesky(k) @ rng.standard_normal(n)}


def logp(length, size, noise, x, y):  # type: ignore[no-untyped-def]
    """Of log-normal priors."""
    n = len(x)
    apart = (x[:, None] - x[None, :]) / length
    k = size**2 * np.exp(-0.5 * apart * apart) + (noise**2 + 1e-6 * (1.0 + size**2)) * np.eye(n)
    factor = np.linalg.cholesky(k)
    z = solve_triangular(factor, y, lower=True)
    prior = -0.5 * (np.log(length) ** 2 + np.log(size) ** 2 + np.log(noise) ** 2) - np.log(
        length * size * noise
    )
    return prior - 0.5 * np.sum(z * z) - np.sum(np.log(np.diag(factor)))


def ours(chains: int, warmup: int, draws: int) -> Sampled:
    from autobatch.mcmc import positive, sample

    params = {name: positive() for name in NAMES}

    def sampled(seed: int) -> Mapping[str, np.ndarray]:
        trace = sample(
            logp,
            params,
            data=points(300),
            chains=chains,
            warmup=warmup,
            draws=draws,
            seed=seed,
            optimize="full",
            progress=False,
        )
        return {name: trace.posterior[name].values for name in NAMES}

    return sampled


def numpyro(chains: int, warmup: int, draws: int) -> Sampled:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.linalg import solve_triangular
    from numpyro import distributions as dist
    from numpyro.infer import MCMC, NUTS

    def model(x: jax.Array, y: jax.Array) -> None:
        length, size, noise = (numpyro.sample(name, dist.LogNormal(0.0, 1.0)) for name in NAMES)
        apart = (x[:, None] - x[None, :]) / length
        k = size**2 * jnp.exp(-0.5 * apart * apart) + (noise**2 + 1e-6 * (1.0 + size**2)) * jnp.eye(len(x))
        factor = jnp.linalg.cholesky(k)
        z = solve_triangular(factor, y, lower=True)
        numpyro.factor("y", -0.5 * jnp.sum(z * z) - jnp.sum(jnp.log(jnp.diag(factor))))

    mcmc = MCMC(
        NUTS(model), num_warmup=warmup, num_samples=draws, num_chains=chains, chain_method="vectorized",
        progress_bar=False,
    )  # fmt: skip

    data = {name: jnp.asarray(values) for name, values in points(300).items()}

    def sampled(seed: int) -> Mapping[str, np.ndarray]:
        mcmc.run(jax.random.PRNGKey(seed), **data)
        found = jax.block_until_ready(mcmc.get_samples(group_by_chain=True))
        return {name: np.asarray(found[name]) for name in NAMES}

    return sampled


def main() -> None:
    import arviz

    who, *sizes = sys.argv[1:]
    sampled = (ours if who == "ours" else numpyro)(*map(int, sizes))
    sampled(0)
    seed = 0

    def run() -> dict[str, object]:
        nonlocal seed
        seed += 1
        begun = time.perf_counter()
        draws = sampled(seed)
        seconds = time.perf_counter() - begun
        means = {name: float(np.mean(values)) for name, values in draws.items()}
        count = min(float(arviz.ess(values, method="bulk")) for values in draws.values())
        return {"seconds": seconds, "count": count, "means": means}

    serve(run)


if __name__ == "__main__":
    main()
