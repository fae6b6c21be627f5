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


@njit(cache=True, error_model="numpy", forceinline=True)
def _force(q_0, q_1, PRECISION):
    if len(PRECISION) != 2:
        raise ValueError("operands could not be broadcast together")
    return -(PRECISION[0] * q_0), -(PRECISION[1] * q_1)


@njit(cache=True, error_model="numpy")
def _leapfrog_jit(state_q, state_p, step_size, n_steps, data):
    t = 0.5 * step_size
    q_0 = state_q[0]
    q_1 = state_q[1]
    t_0, t_1 = _force(q_0, q_1, data)
    p_0 = state_p[0] + t * t_0
    p_1 = state_p[1] + t * t_1
    for _ in range(n_steps):
        q_0 += step_size * p_0
        q_1 += step_size * p_1
        t_0, t_1 = _force(q_0, q_1, data)
        p_0 += step_size * t_0
        p_1 += step_size * t_1
    t_0, t_1 = _force(q_0, q_1, data)
    q = np.empty(2)
    q[0] = q_0
    q[1] = q_1
    t2 = np.empty(2)
    t2[0] = p_0 - t * t_0
    t2[1] = p_1 - t * t_1
    return q, t2


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
