"""Tables filled by loops in loops, of which the finished one has all, or most, of what the return sweep reads: work
and memory grow as those of the function. (Random ones: tests/random_tables.py.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from count_work import work
from differentiate import active_in, directions, grad_of, inner, program_of, slope
from test_write_hazards import numbers_kept
from user_programs import loaded

from codegen.ir.interpreter import evaluate

# Each of `a`, a matrix with its diagonal above the rest.
TABLES = {
    "intervals by diagonals": '''
def f(a):
    n = a.shape[0]
    t = np.zeros((n, n))
    for i in range(n):
        t[i, i] = a[i, i]
    for d in range(1, n):
        for i in range(n - d):
            j = i + d
            best = 1e30
            for k in range(i, j):
                best = min(best, t[i, k] * t[k + 1, j] + a[i, j])
            t[i, j] = np.sin(0.1 * best)
    return t[0, n - 1]
''',
    "spans": '''
def f(a):
    n = a.shape[0]
    t = np.zeros((n, n + 1))
    for i in range(n):
        t[i, i + 1] = a[i, i]
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            j = i + span
            total = 0.0
            for k in range(i + 1, j):
                total += t[i, k] * t[k, j]
            t[i, j] = np.sin(total) / span
    return t[0, n]
''',
    "a band of distances": '''
def f(a):
    n = a.shape[0]
    t = np.full((n + 1, n + 1), 1e30)
    t[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - 2), min(n, i + 2) + 1):
            t[i, j] = a[i - 1, j - 1] ** 2 + min(t[i - 1, j], t[i, j - 1], t[i - 1, j - 1])
    return t[n, n]
''',
    "the first row apart": '''
def f(a):
    n = a.shape[0]
    t = np.zeros((n, n))
    s = 0.0
    for i in range(n):
        total = 0.0
        for k in range(n):
            if i == 0:
                t[i, k] = a[k, k]
            else:
                for l in range(n):
                    t[i, k] += t[i - 1, l] * a[l, k]
            total += t[i, k]
        for k in range(n):
            t[i, k] /= total
        s += np.log(total)
    return s
''',
    "elimination": '''
def f(a):
    n = a.shape[0]
    t = a.copy()
    for k in range(n - 1):
        for i in range(k + 1, n):
            t[i, k] /= t[k, k]
            for j in range(k + 1, n):
                t[i, j] -= t[i, k] * t[k, j]
    return np.sum(np.log(np.abs(np.diag(t))))
''',
    "elimination in a band": '''
def f(a):
    n = a.shape[0]
    t = a.copy()
    for k in range(n - 1):
        for i in range(k + 1, min(k + 4, n)):
            t[i, k] /= t[k, k]
            for j in range(k + 1, min(k + 4, n)):
                t[i, j] -= t[i, k] * t[k, j]
    return np.sum(np.log(np.abs(np.diag(t))))
''',
    "a band written twice": '''
def f(a):
    n = a.shape[0]
    t = a / n
    for i in range(n):
        for j in range(max(0, i - 2), min(n, i + 3)):
            t[i, j] = np.sin(t[i, j] * t[j, i])
            if j > i:
                t[j, i] = t[i, j] * t[j, i]
    return np.sum(t)
''',
    "rows below alone": '''
def f(a):
    n = a.shape[0]
    t = a / n
    for k in range(n):
        for i in range(n):
            if i > k:
                f = t[i, k] / t[k, k]
                for j in range(k, n):
                    t[i, j] -= f * t[k, j] * t[i, j]
    return np.sum(t)
''',
}  # fmt: skip


def argument(n: int) -> np.ndarray:
    return np.random.default_rng(n).uniform(0.5, 1.5, (n, n)) + n * np.eye(n)


@pytest.fixture(params=TABLES)
def table(request: Any) -> Any:
    return loaded(f"import numpy as np\n{TABLES[request.param]}")


@pytest.mark.sampled(5)
def test_work_is_a_constant_times_the_function_s(table: Any) -> None:
    program = program_of(table, (argument(5),))
    gradient = grad_of(program, active_in(program))
    few, many = (work(gradient, argument(n)) / work(program, argument(n)) for n in (6, 18))
    assert many < 6 and many < 1.5 * few


@pytest.mark.sampled(3)
def test_what_is_kept_is_a_few_tables(table: Any, request: Any) -> None:
    n = 30
    most = 5 * n**2 + n**3 * (request.node.callspec.params["table"] == "rows below alone")
    assert numbers_kept(table, n) < most


def test_gradients_agree_with_differences(table: Any) -> None:
    program = program_of(table, (argument(5),))
    along = directions(program, (argument(5),), 1)
    found = evaluate(grad_of(program, active_in(program)), argument(5))
    want = slope(program, (argument(5),), along)
    np.testing.assert_allclose(inner(found, along), want, rtol=1e-6, atol=1e-6)
