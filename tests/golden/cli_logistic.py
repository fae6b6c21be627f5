"""Logistic regression."""
import numpy as np
import math
from numba import njit


def logp( beta,X ,y ):          # as the user wrote it
    eta = X @ beta
    return np.sum(y*eta - np.log1p(np.exp(eta))) - 0.5*np.sum(beta**2)


@njit(cache=True, error_model="numpy")
def _logp_value_and_grad(beta, X, y):
    n = len(beta)
    n2, n3 = X.shape
    if n3 != n:
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0")
    eta = X @ beta
    if len(y) != n2:
        raise ValueError("operands could not be broadcast together")
    eta_bar = np.empty(n2)
    t = 0.0
    for i in range(n2):
        eta_i = eta[i]
        t2 = math.exp(eta_i)
        y_i = y[i]
        eta_bar[i] = -1.0 / (1.0 + t2) * t2 + y_i
        t += y_i * eta_i - math.log1p(t2)
    t3 = X.T @ eta_bar
    beta_bar = np.empty(n)
    t2 = 0.0
    for i in range(n):
        beta_i = beta[i]
        beta_bar[i] = t3[i] - beta_i
        t2 += beta_i ** 2
    return t - 0.5 * t2, beta_bar


# needs scipy: Numba takes products of matrices from there
# autobatch transform logistic.py:logp --transform value_and_grad --types 'beta: f8[:], X: f8[:,:], y: f8[:]'
def logp_value_and_grad(beta, X, y):
    """The value and gradient of `logp`."""
    beta = _given("beta", beta, "f8", None)
    X = _given("X", X, "f8", None, None)
    y = _given("y", y, "f8", None)
    return _logp_value_and_grad(beta, X, y)


# What the functions above call.


def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]


if __name__ == "__main__":
    print(logp(np.zeros(2), np.ones((3, 2)), np.ones(3)))
