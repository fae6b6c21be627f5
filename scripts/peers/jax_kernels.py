"""The kernels of kernels.py in JAX: one example, jit and vmap, float64; XLA's own threads.

python jax_kernels.py WORK SIZE
"""

import sys
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.special import erf
from jax.scipy.special import logsumexp as jax_logsumexp

import kernels
from kernels import ALONG_X, ALONG_Y, AMBIENT, STEP, UPWARDS
from serving import serve
from works import measured


def logsumexp(x):
    return jax_logsumexp(x)


def cross_entropy(logits, label):
    return jax_logsumexp(logits) - logits[label]


def black_scholes(spot, strike, years, rate, volatility):
    deviation = volatility * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * jnp.exp(-rate * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return call, call - spot + discounted


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / jnp.sqrt(2.0)))


def mriq(x, y, z, kx, ky, kz, weight):
    angle = 2.0 * jnp.pi * (kx * x + ky * y + kz * z)
    return jnp.sum(weight * jnp.cos(angle)), jnp.sum(weight * jnp.sin(angle))


def kmeans_cost(point, centres):
    return jnp.min(jnp.sum((centres - point) ** 2, axis=1))


def hotspot(heat, power, steps):
    def step(_, heat):
        up = jnp.concatenate((heat[:1], heat[:-1]))
        down = jnp.concatenate((heat[1:], heat[-1:]))
        left = jnp.concatenate((heat[:, :1], heat[:, :-1]), axis=1)
        right = jnp.concatenate((heat[:, 1:], heat[:, -1:]), axis=1)
        flow = ALONG_Y * (up + down - 2.0 * heat) + ALONG_X * (left + right - 2.0 * heat)
        return heat + STEP * (power + flow + UPWARDS * (AMBIENT - heat))

    return jax.lax.fori_loop(0, steps, step, heat)


def main(name: str, size: int) -> None:
    work = kernels.work(name, size)
    one = globals()[work.function.__name__]
    if one is hotspot:
        one = partial(hotspot, steps=work.arguments[-1])
        arguments, axes = work.arguments[:-1], work.axes and work.axes[:-1]
    else:
        arguments, axes = work.arguments, work.axes
    many = jax.jit(jax.vmap(one, axes) if axes else one)
    given = tuple(map(jnp.asarray, arguments))

    def run() -> dict[str, Any]:
        return measured(work.count, lambda: jax.block_until_ready(many(*given)))

    run()
    serve(run)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    main(sys.argv[1], int(sys.argv[2]))
