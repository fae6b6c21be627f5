from typing import NamedTuple

import numpy as np
from numba import njit

PRECISION = np.array([1.0, 4.0])


class State(NamedTuple):
    q: np.ndarray
    p: np.ndarray


def force(q):
    return -PRECISION * q


def leapfrog(state, step_size, n_steps: int = 3):
    q, p = state.q, state.p + 0.5 * step_size * force(state.q)
    for i in range(n_steps):
        q = q + step_size * p
        p = p + step_size * force(q)
    return State(q, p - 0.5 * step_size * force(q))


@njit(cache=True, error_model="numpy")
def _force(q, PRECISION):
    if len(PRECISION) != 2:
        raise ValueError("operands could not be broadcast together")
    result = np.empty(2)
    for i in range(2):
        result[i] = -(PRECISION[i] * q[i])
    return result


@njit(cache=True, error_model="numpy")
def _leapfrog_jit(state_q, state_p, step_size, n_steps, data):
    t = 0.5 * step_size
    t2 = _force(state_q, data)
    p = np.empty(2)
    for i in range(2):
        p[i] = state_p[i] + t * t2[i]
    q = np.empty(2)
    p2 = np.empty(2)
    state_q = state_q.copy()
    q2 = state_q
    for _ in range(n_steps):
        for i in range(2):
            q[i] = q2[i] + step_size * p[i]
        t2 = _force(q, data)
        for i in range(2):
            p2[i] = p[i] + step_size * t2[i]
        q2, p, q, p2 = q, p2, q2, p
    t2 = _force(q2, data)
    t3 = np.empty(2)
    for i in range(2):
        t3[i] = p[i] - t * t2[i]
    return q2, t3


# autobatch transform leapfrog.py:leapfrog --types 'state: State(f8[2], f8[2]), step_size: f8'
def leapfrog_jit(state, step_size, n_steps=3):
    """`leapfrog` compiled."""
    _check_fields("state", state, "q", "p")
    state_q = _given("state.q", state.q, "f8", 2)
    state_p = _given("state.p", state.p, "f8", 2)
    step_size = _given("step_size", step_size, "f8")
    n_steps = _given("n_steps", n_steps, "i8").item()
    q, t1 = _leapfrog_jit(state_q, state_p, step_size, n_steps, PRECISION)
    return State(q, t1)


# What the functions above call.


def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]


def _check_fields(name, value, *fields):
    """TypeError unless an argument has the fields of a named tuple."""
    if not all(hasattr(value, field) for field in fields):
        wanted, found = ", ".join(fields), type(value).__name__
        raise TypeError(f"{name} is to be a named tuple with the fields {wanted}, not {found}")
