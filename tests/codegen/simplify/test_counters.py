"""Ints that are carried beside a loop's index, and are so far from it."""

from __future__ import annotations

import numpy as np
import pytest
from user_programs import loaded

from autodiff import grad
from codegen import jit

APPENDED = """
def f(x):
    n = len(x)
    ys = []
    for i in range(n):
        ys.append(np.sin(x[i]))
    total = 0.0
    for y in ys:
        total += y
    return total
"""

COUNTED = """
def f(a, b, m):
    k, j, l, s, q = 0, a, 2, 0, 1
    for i in range(a, b):
        s += k + 2 * j + 3 * l
        k += 1
        j += 1
        l += 1
        if i > 4:
            q += 1
    p = m
    for i in range(b):
        s += p * i
        p = p + 1
    for i in range(3, b):
        s -= l
        l += 1
    for i in range(0, b, 2):
        k += 1
    for i in range(b, a, -1):
        j += 1
    return k, j, l, s, q, p
"""

NARROW = """
def f(n):
    k = np.int64(5)
    for i in range(n):
        k += 1
    return k
"""


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("given", [(0, 7, 3), (0, 0, -2), (4, 2, 0), (-3, 8, 11), (7, 7, 7)])
def test_values(given, target):
    f = loaded(COUNTED)
    assert jit(f, target=target)(*given) == f(*given)


def test_numbers_of_numpy():
    made = jit(loaded(NARROW), target="numpy")
    for n in (0, 3, -1):
        assert made(n) == 5 + max(n, 0)
        assert type(made(n)) is np.int64


def test_text():
    """A list that is appended to is an array that is filled; derivatives keep no counts."""
    f, x = loaded(APPENDED), np.array([0.3, 0.5])
    text = jit(f, target="numpy").source(x)
    assert "    ys = np.empty(n)\n    for i in range(n):\n        ys[i] = np.sin(x[i])\n" in text
    assert "count" not in text
    slopes = grad(f, target="numpy").source(x)
    assert "count" not in slopes
    np.testing.assert_allclose(grad(f)(x), np.cos(x), rtol=1e-14)


def test_counters_of_a_while_are_one():
    """Two that begin at one int and go on by the same are one; two of other kinds stay."""

    def counted(x, tol):
        y, k, j, i = x, 0, 0, 1
        while y > tol:
            y = y * 0.9 / (1.0 + 0.01 * k)
            k += 1
            j += 1
            i += 1
        return y + 2 * k + j * i

    text = jit(counted, target="numpy").source(3.0, 0.1)
    assert text.count("+= 1") == 2 and "2 * k + k * i" in text, text
    assert jit(counted)(3.0, 0.1) == counted(3.0, 0.1)


def test_rows_that_keep_an_index_are_the_place():
    def kept(x, n):
        ks = np.empty(n, np.int64)
        for k in range(n):
            ks[k] = k
        y = x
        for k in range(n - 1, -1, -1):
            y = y * 0.5 + ks[k]
        for k in range(2, n, 2):
            y = y * 0.5 + ks[k] * np.float32(0.1)
        return y

    text = jit(kept, target="numpy").source(3.0, 6)
    assert "ks" not in text, text
    assert jit(kept)(3.0, 6) == kept(3.0, 6)


def test_rows_that_do_not_all_keep_an_index():
    def kept(x, n):
        ks, js, ms = np.zeros(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
        for k in range(n // 2):
            ks[k] = k
        for k in range(-1, n - 1):
            js[k] = k
        for k in range(n // 2):
            ms[k:] = k
        y = x
        for k in range(n):
            y = y * 0.5 + ks[k] + 2 * js[k] + 3 * ms[k]
        return y

    assert jit(kept)(3.0, 6) == kept(3.0, 6)


def test_rows_that_keep_an_index_are_read_at_other_places():
    def kept(x, n):
        ks = np.empty(n, np.int64)
        for k in range(n):
            ks[k] = k
        y = x
        for k in range(-2, n):
            y = y * 0.5 + ks[k]
        return y + ks.sum()

    assert jit(kept)(3.0, 6) == kept(3.0, 6)


def test_rows_that_keep_what_is_so_far_from_an_index():
    def kept(x, n):
        ks, js = np.empty(n, np.int64), np.empty(n, np.int8)
        for k in range(n):
            ks[k] = k - 3
            js[k] = k + 120
        y = x
        for k in range(n - 1, -1, -1):
            y = y * 0.5 + ks[k] * js[k]
        return y

    text = jit(kept, target="numpy").source(3.0, 6)
    assert text.count("np.empty") == text.count("np.int8)") == 1, text
    assert jit(kept)(3.0, 6) == kept(3.0, 6)
