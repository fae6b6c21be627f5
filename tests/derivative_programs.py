"""Small programs to differentiate: a function, its arguments, and what it is there for in its name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Program = tuple[Callable[..., Any], tuple[Any, ...]]
PROGRAMS: dict[str, Program] = {}


def program(*arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function with the arguments to try it on."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return enter


A = np.array([0.7, 1.3, -0.4, 0.9, 0.2])
B = np.array([1.1, 0.3, 0.8, -0.6, 1.7])
M = np.arange(1.0, 13.0).reshape(3, 4) / 7.0 - 0.8
S = M[:, :3] @ M[:, :3].T + 2.0 * np.eye(3)


# straight lines


@program(1.1, 2.2, 3.3)
def foo(x, y, z):
    w = x * math.sin(y)
    return math.atan2(z, w) + z * w


@program(0.7)
def shared_powers(y):
    y = y * y
    y = y * y
    y = y * y + y
    return y * y


@program(A, B)
def vectors(a, b):
    return np.sum(np.exp(-a * a) * b) / (1.0 + np.sum(b * b))


@program(M, A[:4], 0.3)
def broadcasts(m, row, s):
    return np.sum(np.tanh(m * row + s) / (m[:, 0][:, None] + 3.0))


@program(M, A[:4], B[:3])
def products(m, v, u):
    return u @ m @ v + np.sum((m @ m.T) * (m @ m.T))


@program(A)
def extremes(a):
    return np.max(a) * np.min(a) + np.max(a * a)


@program(np.array([2.0, 0.0, 3.0]))
def product_with_zero(a):
    return np.prod(a) + np.prod(a + 1.0)


@program(A)
def running(a):
    c = np.cumsum(a)
    return np.sum(c * c) + np.mean(a) * np.var(a)


@program(A, np.array([3, 1, 3]))
def gather_at_once(a, idx):
    g = a[idx]
    return np.sum(g * g)


@program(M)
def slices(m):
    return np.sum(m[1:, ::2] * m[:-1, 1::2]) + np.sum(m[0] * m[-1])


@program(A)
def where(a):
    return np.sum(np.where(a > 0.5, a * a, -a))


# branches


@program(0.4, 1.5)
def branch(x, y):
    if x < y:
        z = x * y
    else:
        z = math.sin(x)
    return z * x


@program(2.4, 1.5)
def branch_else(x, y):
    if x < y:
        z = x * y
    else:
        z = math.sin(x)
    return z * x


@program(A, B)
def branches_in_loop(a, b):
    s = 0.0
    for i in range(len(a)):
        if a[i] > 0.5:
            t = a[i] * b[i]
            s += t * t
        elif b[i] > 1.0:
            s = s * math.cos(a[i])
    return s


@program(A)
def early_return(a):
    s = 1.0
    for i in range(len(a)):
        if a[i] < 0.0:
            return s * a[i]
        s = s * a[i]
    return s


@program(A)
def breaks_and_continues(a):
    s = 1.0
    for i in range(len(a)):
        if a[i] < 0.0:
            continue
        s = math.sin(s + a[i])
        if i == 3:
            break
    return s


# loops


@program(0.9, 4)
def powers_by_loop(y, k):
    for _ in range(k):
        y = y * y
    return y


@program(A)
def nonlinear_recurrence(a):
    s = 0.3
    for i in range(len(a)):
        s = math.sin(s + a[i]) * a[i]
    return s


@program(A, np.array([0, 3, 3, 1, 4, 0, 2]))
def gather(x, idx):
    s = 0.0
    for i in range(len(idx)):
        s += x[idx[i]] * x[idx[i]]
    return s


@program(M)
def perfect_nest(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s += math.exp(m[i, j])
    return s


@program(A, B, S[0])
def zipped(xs, ys, weights):
    total = 0.0
    for x, y in zip(xs, ys):
        for i, w in enumerate(weights):
            total += w * x * y + i
    for (place, x), z in zip(enumerate(xs), reversed(ys)):
        total += place * x * z
    return total


@program(M)
def nest_depth_two(m):
    s = 0.1
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s = math.sin(s + m[i, j])
    return s


@program(M, 0.2)
def nest_depth_three(m, s):
    for k in range(2):
        for i in range(m.shape[0]):
            t = s
            for j in range(m.shape[1]):
                t = math.sin(t * s + m[i, j])
            s = s + t * s
    return s


@program(A)
def downwards(a):
    s = 0.5
    for i in range(len(a) - 1, -1, -1):
        s = math.cos(s * a[i])
    return s


@program(A)
def by_twos(a):
    s = 0.5
    for i in range(1, len(a), 2):
        s = math.cos(s * a[i])
    for i in range(len(a) - 1, 0, -3):
        s = s * a[i] + s * s
    return s


@program(A)
def swapped(a):
    p, q = 1.0, 0.5
    for i in range(len(a)):
        p, q = q * a[i], p + q * q
    return p * q


@program(A)
def swapped_arrays(a):
    b = np.cos(a)
    for _ in range(3):
        a, b = b * 0.5, a * b
    return np.sum(a * b)


@program(np.zeros(0), 1.3)
def zero_trip(a, x):
    s = x * x
    for i in range(len(a)):
        s = s * a[i]
    return s


@program(A)
def triangular(a):
    s = 0.0
    for i in range(len(a)):
        for j in range(i):
            s = math.sin(s + a[i] * a[j])
    return s


@program(A)
def index_after_loop(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s * a[i] * i


# while


@program(2.0, 1.7)
def newton(a, x):
    e = 1.0
    while abs(e) > 1e-9:
        e = (x * x - a) / (2.0 * x)
        x = x - e
    return x * x * x


@program(7.3)
def halve(x):
    n = 0
    while x > 0.1:
        x = 0.5 * x + 0.01 * x * x
        n += 1
    return x * n


@program(0.05)
def while_never(x):
    while x > 1.0:
        x = x * x
    return x * 3.0


@program(A, 0.6)
def while_in_for(a, x):
    s = 0.0
    for i in range(len(a)):
        y = x + a[i] * a[i]
        while y > 0.2:
            y = 0.5 * y * math.sin(y)
        s = s + y * x
    return s


@program(A)
def while_with_array(a):
    b = a * 1.0
    k = 0
    while np.sum(b * b) > 0.1:
        b = b * 0.5 * np.cos(b)
        k += 1
    return np.sum(b) * k


# arrays in place


@program(A, 0.8)
def recurrence(a, x0):
    n = len(a)
    x = np.zeros(n)
    x[0] = x0
    for i in range(1, n):
        x[i] = x[i - 1] * a[i]
    return x[n - 1]


@program(A, 0.8)
def nonlinear_recurrence_in_place(a, x0):
    n = len(a)
    x = np.zeros(n)
    x[0] = x0
    for i in range(1, n):
        x[i] = math.sin(x[i - 1]) * a[i] + x[i]
    return x[n - 1] * x[2]


@program(A)
def write_after_read(a):
    x = a.copy()
    for i in range(len(x) - 1):
        x[i] = x[i + 1] * x[i]
    return np.sum(x * x)


@program(A, 3)
def gauss_seidel(b, m):
    n = len(b)
    x = np.ones(n)
    for _t in range(m):
        for i in range(1, n - 1):
            x[i] = 0.25 * (b[i] + x[i - 1] + math.sin(x[i] * x[i + 1]))
    return np.sum(x * x)


@program(S, B[:3])
def trisolve(L, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    return np.sum(x * x)


@program(S)
def cholesky(a):
    n = a.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s = a[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, j] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L[n - 1, n - 1] * L[1, 0] + L[n - 1, 0]


@program(S)
def lu(a):
    A = a.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A[n - 1, n - 1] * A[1, 1] + A[2, 0]


@program(A)
def branch_writes(a):
    x = np.zeros(len(a))
    for i in range(len(a)):
        if a[i] > 0.5:
            x[i] += a[i] * a[i]
        if i > 0:
            x[i - 1] = x[i - 1] * math.cos(a[i])
    return np.sum(x * x)


@program(A[:3], S)
def diagonal(d, S):
    S = S.copy()
    for i in range(len(d)):
        for j in range(len(d)):
            if i == j:
                S[i, i] += d[i] * S[i, j]
    return np.sum(S * S)


@program(A, np.array([1, 1, 4]))
def duplicate_places(a, idx):
    x = a * 2.0
    x[idx] = a[:3] * a[1:4]
    np.add.at(x, idx, a[2:])
    return np.sum(x * x)


@program(A)
def rows_of_a_matrix(a):
    m = np.zeros((4, 5))
    for i in range(4):
        m[i, :] = a * (i + 1.0)
        m[i, 1:3] += a[2:4] * m[i, 0:2]
    return np.sum(m[:, 0] * m[:, 1] * m[:, 2])


@program(A)
def overwritten_argument(a):
    a = a.copy()
    a[1] = a[0] * a[1]
    a[0] = a[1] * a[2]
    return a[0] * a[1] * a[4]


@program(A, 0.3)
def neighbours(a, s):
    x = a.copy()
    for i in range(2, len(x)):
        for j in range(i - 2, i):
            x[i] = x[i] + math.sin(x[j]) * s * x[i]
    return np.sum(x * x)


@program(A)
def reads_all_before_write(a):
    x = a.copy()
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += math.sin(x[j]) * a[j]
        x[i] = s * x[i] * 0.3
    return np.sum(x)


# functions


@program(1.1, 5)
def calls_power(x, n):
    return power(x, n) * x


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@program(0.3, 6)
def fibonacci_like(x, n):
    if n < 2:
        return math.sin(x * (n + 1.0))
    return fibonacci_like(x * 0.9, n - 1) * fibonacci_like(x, n - 2)


@program(0.8, 5)
def even_odd(x, n):
    return even(x, n)


def even(x, n):
    if n == 0:
        return x
    return odd(math.sin(x), n - 1)


def odd(x, n):
    if n == 0:
        return -x
    return even(x * x, n - 1) + x


@program(A)
def helper_on_arrays(a):
    return np.sum(normalized(a) * a) + normalized(a[1:])[0]


def normalized(v):
    return v / np.sqrt(np.sum(v * v))


@program(A, 0.5)
def helper_in_loop(a, x):
    for i in range(len(a)):
        x = mixed(x, a[i])
    return x


def mixed(x, y):
    if y > 0.0:
        return math.sin(x * y)
    return x * x + y


@program(A)
def helper_writes(a):
    x = np.zeros(len(a))
    for i in range(len(a)):
        put(x, i, a[i] * a[i])
    return np.sum(x * x)


def put(x, i, v):
    x[i] = v + x[i - 1]
