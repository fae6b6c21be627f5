"""Stan's constraining transforms for one chain: constrain : u -> (value, log |det d value / d u|).

`u` is unconstrained, a float for the scalar transforms and an array for the others. They are the programs
that a model's generated density calls (`density.py`); their constructors and inverses are in `transforms.py`.

    >>> value, log_jacobian = positive(0.0)
    >>> float(value), float(log_jacobian)
    (1.0, 0.0)

Source: Stan Reference Manual 2.28, chapter "Constraint Transforms" (logarithms, logit, ordered vectors, unit
simplex by stick breaking). Written so that no intermediate overflows and derivatives are right at 0 too.
"""

import numpy as np


def real(u: np.ndarray) -> tuple[np.ndarray, float]:
    """No constraint."""
    return u, 0.0


def positive(u: float) -> tuple[float, float]:
    """exp(u) > 0."""
    return np.exp(u), u


def positive_array(u: np.ndarray) -> tuple[np.ndarray, float]:
    """exp(u) > 0, element by element."""
    return np.exp(u), np.sum(u)


def interval(u: float, low: float, high: float) -> tuple[float, float]:
    """low + (high - low) / (1 + exp(-u)), between low and high."""
    # exp(-|u|), spelled so that its derivative at 0 is that of exp(-u).
    away = -u if u >= 0.0 else u
    small = np.exp(away)
    share = 1.0 / (1.0 + small) if u >= 0.0 else small / (1.0 + small)
    return low + (high - low) * share, np.log(high - low) + away - 2.0 * np.log1p(small)


def interval_array(u: np.ndarray, low: float, high: float) -> tuple[np.ndarray, float]:
    """`interval` element by element."""
    away = np.where(u >= 0.0, -u, u)
    small = np.exp(away)
    share = np.where(u >= 0.0, 1.0 / (1.0 + small), small / (1.0 + small))
    return low + (high - low) * share, np.sum(np.log(high - low) + away - 2.0 * np.log1p(small))


def ordered(u: np.ndarray) -> tuple[np.ndarray, float]:
    """Increasing vector: the first element is u[0], each further one exp(u[k]) above the one before."""
    value = np.zeros(u.shape[0])
    value[0] = u[0]
    log_jacobian = 0.0
    for k in range(1, u.shape[0]):
        value[k] = value[k - 1] + np.exp(u[k])
        log_jacobian += u[k]
    return value, log_jacobian


def positive_ordered(u: np.ndarray) -> tuple[np.ndarray, float]:
    """Increasing positive vector: `ordered` upwards from exp(u[0])."""
    value = np.zeros(u.shape[0])
    value[0] = np.exp(u[0])
    log_jacobian = u[0]
    for k in range(1, u.shape[0]):
        value[k] = value[k - 1] + np.exp(u[k])
        log_jacobian += u[k]
    return value, log_jacobian


def simplex(u: np.ndarray) -> tuple[np.ndarray, float]:
    """Non-negative (n,) summing to one from u (n - 1,), by breaking a stick.

    Piece k takes the share 1 / (1 + exp(-a)), a = u[k] - log(n - 1 - k), of what is left; u = 0 gives equal
    pieces. The Jacobian is that of the first n - 1 pieces.
    """
    pieces = u.shape[0]
    value = np.zeros(pieces + 1)
    left, log_left, log_jacobian = 1.0, 0.0, 0.0
    for k in range(pieces):
        a = u[k] - np.log(pieces - k)
        away = -a if a >= 0.0 else a
        small = np.exp(away)
        larger, smaller = 1.0 / (1.0 + small), small / (1.0 + small)
        value[k] = left * (larger if a >= 0.0 else smaller)
        left = left * (smaller if a >= 0.0 else larger)
        log_jacobian += log_left + away - 2.0 * np.log1p(small)
        log_left += (away if a >= 0.0 else 0.0) - np.log1p(small)
    value[pieces] = left
    return value, log_jacobian
