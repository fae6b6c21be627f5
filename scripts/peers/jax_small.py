"""The programs of small.py in JAX: jit, loops by scan, float64; `gradient` before the work: its gradient.

python jax_small.py [gradient] WORK STEPS
"""

import sys
from typing import Any

import jax
import jax.numpy as jnp

import small
from serving import serve
from works import measured

jax.config.update("jax_enable_x64", True)
CALLS = 20


def predators(hares, steps, a, b, c, d):
    def growth(state):
        hares, lynxes = state
        return jnp.array([a * hares - b * hares * lynxes, c * hares * lynxes - d * lynxes])

    def step(state, _):
        k1 = growth(state)
        k2 = growth(state + 0.005 * k1)
        k3 = growth(state + 0.005 * k2)
        k4 = growth(state + 0.01 * k3)
        state = state + 0.01 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return state, state

    return jax.lax.scan(step, jnp.array([hares, 5.0]), None, steps)[1]


def kalman(observed, drift, q, r):
    F, H, Q = jnp.array([[1.0, drift], [0.0, 1.0]]), jnp.array([[1.0, 0.0]]), q * jnp.eye(2)

    def step(carry, z):
        mean, P, total = carry
        mean = F @ mean
        P = F @ P @ F.T + Q
        missed = z - (H @ mean)[0]
        S = (H @ P @ H.T)[0, 0] + r
        K = (P @ H.T)[:, 0] / S
        mean = mean + K * missed
        P = P - jnp.outer(K, H @ P)
        return (mean, P, total - 0.5 * (jnp.log(2.0 * jnp.pi * S) + missed * missed / S)), None

    return jax.lax.scan(step, (jnp.zeros(2), jnp.eye(2), 0.0), observed)[0][2]


def attitude(rates, dt):
    def step(q, w):
        q = q + 0.5 * dt * times(q, jnp.array([0.0, w[0], w[1], w[2]]))
        return q / jnp.sqrt(jnp.sum(q * q)), None

    return jax.lax.scan(step, jnp.array([1.0, 0.0, 0.0, 0.0]), rates)[0]


def times(p, q):
    return jnp.array([
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ])  # fmt: skip


def main(gradient: bool, name: str, steps: int) -> None:
    _, arguments = small.work(name, steps)
    function: Any = {"predators": predators, "kalman": kalman, "attitude": attitude}[name]
    if gradient:
        function = jax.grad(function, argnums=(1, 2, 3))
    compiled = jax.jit(function, static_argnums=(1,) if name == "predators" else ())

    def call() -> Any:
        return jax.block_until_ready(compiled(*arguments))

    call()
    serve(lambda: measured(steps, call, CALLS))


if __name__ == "__main__":
    main("gradient" in sys.argv, sys.argv[-2], int(sys.argv[-1]))
