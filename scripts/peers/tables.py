"""Tables filled, and matrices factored, by loops over elements, as textbooks write them; a differential equation whose
right side is a function, pairs of which a function takes each, and grids that loops go over. NumPy only.

`work(name, size)` gives a function, of which the first argument is differentiated, and its arguments.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def alignment(x, y, width):
    """The distance of two series by dynamic time warping in a band (Sakoe and Chiba)."""
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), 1e30)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - width), min(m, i + width) + 1):
            D[i, j] = (x[i - 1] - y[j - 1]) ** 2 + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


def intervals(w):
    """The least cost of parentheses around a chain of products."""
    n = len(w)
    M = np.zeros((n, n))
    for i in range(n):
        M[i, i] = w[i]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = 1e30
            for k in range(i, j):
                best = min(best, M[i, k] + M[k + 1, j] + w[i] * w[j] * w[k])
            M[i, j] = best
    return M[0, n - 1]


def forward(A, B):
    """The log likelihood of a hidden Markov model: transitions (k, k), densities of what is seen (t, k)."""
    T, K = B.shape
    seen = np.zeros((T, K))
    total = 0.0
    for t in range(T):
        s = 0.0
        for k in range(K):
            if t == 0:
                seen[t, k] = B[t, k] / K
            else:
                for l in range(K):
                    seen[t, k] += seen[t - 1, l] * A[l, k] * B[t, k]
            s += seen[t, k]
        for k in range(K):
            seen[t, k] /= s
        total += math.log(s)
    return total


def elimination(A):
    """The logarithm of a determinant by Gauss's elimination."""
    n = A.shape[0]
    U = A.copy()
    for k in range(n - 1):
        for i in range(k + 1, n):
            U[i, k] /= U[k, k]
            for j in range(k + 1, n):
                U[i, j] -= U[i, k] * U[k, j]
    total = 0.0
    for i in range(n):
        total += math.log(abs(U[i, i]))
    return total


def cholesky(A):
    """The same by Cholesky's factor, column after column."""
    n = A.shape[0]
    L = A.copy()
    for k in range(n):
        L[k, k] = math.sqrt(L[k, k])
        for i in range(k + 1, n):
            L[i, k] /= L[k, k]
        for j in range(k + 1, n):
            for i in range(j, n):
                L[i, j] -= L[i, k] * L[j, k]
    total = 0.0
    for i in range(n):
        total += 2.0 * math.log(L[i, i])
    return total


def rotations(A):
    """The same by Givens' rotations, which overwrite most of the matrix again and again."""
    n = A.shape[0]
    R = A.copy()
    for j in range(n):
        for i in range(n - 1, j, -1):
            a, b = R[i - 1, j], R[i, j]
            r = math.sqrt(a * a + b * b)
            c, s = a / r, b / r
            for k in range(n):
                R[i - 1, k], R[i, k] = c * R[i - 1, k] + s * R[i, k], c * R[i, k] - s * R[i - 1, k]
    total = 0.0
    for i in range(n):
        total += math.log(abs(R[i, i]))
    return total


def right_side(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


def prey(p, steps):
    """How far hares are from 10 in the mean (Lotka and Volterra), by Runge and Kutta's method."""
    y, h = np.array([10.0, 5.0]), 0.01
    total = 0.0
    for _ in range(steps):
        k1 = right_side(y, p)
        k2 = right_side(y + 0.5 * h * k1, p)
        k3 = right_side(y + 0.5 * h * k2, p)
        k4 = right_side(y + h * k3, p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        total += (y[0] - 10.0) ** 2
    return total / steps


def bond(x, i, j):
    r = x[i] - x[j]
    return 1.0 / (r * r + 0.1)


def bonds(x):
    """The energy of points on a line, all pairs of them."""
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += bond(x, i, j)
    return total


def burgers(u):
    """The energy left of a flow on a line (Burgers' equation), 50 steps."""
    u = u.copy()
    for _ in range(50):
        v = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = v[i] - 0.1 * v[i] * (v[i] - v[i - 1]) + 0.1 * (v[i + 1] - 2.0 * v[i] + v[i - 1])
    return np.sum(u * u)


def plate(u):
    """The squares of temperatures on a plate whose heat has spread, 20 steps."""
    for _ in range(20):
        w = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                w[i, j] = u[i, j] + 0.1 * (around - 4.0 * u[i, j])
        u = w
    return np.sum(u * u)


def work(name: str, size: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    random = np.random.default_rng(size)
    series = random.uniform(0.5, 1.5, (2, size))
    matrix = random.normal(size=(size, size))
    spread = matrix @ matrix.T + size * np.eye(size)
    match name:
        case "alignment":
            return alignment, (series[0], series[1], size // 10)
        case "intervals":
            return intervals, (series[0],)
        case "forward":
            return forward, (random.uniform(0.5, 1.5, (8, 8)), random.uniform(0.5, 1.5, (size, 8)))
        case "elimination":
            return elimination, (spread,)
        case "cholesky":
            return cholesky, (spread,)
        case "rotations":
            return rotations, (spread,)
        case "prey":
            return prey, (np.array([1.1, 0.4, 0.1, 0.4]), 100 * size)
        case "bonds":
            return bonds, (series[0],)
        case "burgers":
            return burgers, (series[0],)
        case "plate":
            return plate, (matrix,)
    raise SystemExit(f"no table {name}")
