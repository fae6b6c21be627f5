"""Programs over arrays of a few numbers, as a scientist writes them for one example. NumPy only.

`work(name, size)` gives a function and its arguments.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def predators(hares, steps, a, b, c, d):
    """Hares and lynxes (Lotka and Volterra) from (hares, 5), by Runge and Kutta's method: the path."""
    state = np.array([hares, 5.0])
    path = np.empty((steps, 2))
    for i in range(steps):
        k1 = growth(state, a, b, c, d)
        k2 = growth(state + 0.005 * k1, a, b, c, d)
        k3 = growth(state + 0.005 * k2, a, b, c, d)
        k4 = growth(state + 0.01 * k3, a, b, c, d)
        state = state + 0.01 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        path[i] = state
    return path


def growth(state, a, b, c, d):
    hares, lynxes = state[0], state[1]
    return np.array([a * hares - b * hares * lynxes, c * hares * lynxes - d * lynxes])


def kalman(observed, drift, q, r):
    """The log likelihood of a position observed with noise, whose speed drifts, by Kalman's filter."""
    mean, P = np.zeros(2), np.eye(2)
    F, H, Q = np.array([[1.0, drift], [0.0, 1.0]]), np.array([[1.0, 0.0]]), q * np.eye(2)
    total = 0.0
    for z in observed:
        mean = F @ mean
        P = F @ P @ F.T + Q
        missed = z - (H @ mean)[0]
        S = (H @ P @ H.T)[0, 0] + r
        K = (P @ H.T)[:, 0] / S
        mean = mean + K * missed
        P = P - np.outer(K, H @ P)
        total += -0.5 * (np.log(2.0 * np.pi * S) + missed * missed / S)
    return total


def attitude(rates, dt):
    """A quaternion turned by angular rates (steps, 3)."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for w in rates:
        turn = np.array([0.0, w[0], w[1], w[2]])
        q = q + 0.5 * dt * times(q, turn)
        q = q / np.sqrt(np.sum(q * q))
    return q


def times(p, q):
    """The product of two quaternions."""
    return np.array([
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ])  # fmt: skip


def work(name: str, size: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and its arguments, for so many steps."""
    rng = np.random.default_rng(1)
    return {
        "predators": (predators, (10.0, size, 1.0, 0.1, 0.1, 1.0)),
        "kalman": (kalman, (np.cumsum(rng.normal(size=size)), 0.1, 0.01, 0.5)),
        "attitude": (attitude, (rng.normal(size=(size, 3)), 0.01)),
    }[name]
