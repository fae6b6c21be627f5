"""Slices in loops: what their ranges decide is not computed, and what they do not decide stays right."""

from __future__ import annotations

import itertools

import numpy as np
import plain_numba
import pytest
from user_programs import loaded

from codegen import jit

STARTS = ("i", "i - 2", "-i", "1", "i - k")
STOPS = ("i", "i + 2", "n - i", "-1", "i + k")
LOOPS = (
    "range(n)",
    "range(1, n - 1)",
    "range(n - 2, -1, -1)",
    "range(n - k + 1)",
    "range(-1, k)",
    "range(0, n, 2)",
)


def text_of(loop: str) -> str:
    sums = "".join(
        f"        s = s * 0.9 + {d} * np.sum(x[{a}:{b}]) + 0.01 * len(x[{a}:{b}])\n"
        for d, (a, b) in enumerate(itertools.product(STARTS, STOPS), start=1)
    )
    return f"""
import numpy as np

def f(x, k):
    n = len(x)
    s = 0.0
    for i in {loop}:
{sums}    return s
"""


@pytest.mark.parametrize("loop", LOOPS)
def test_all_slices_are_numpy_s(loop: str) -> None:
    """Every start and stop, over sizes and shifts at and beyond the ends; one program serves all sizes."""
    f = loaded(text_of(loop))
    compiled = jit(f)
    for n in (0, 1, 2, 3, 9):
        x = np.random.default_rng(n).standard_normal(n)
        run = plain_numba.module(compiled.source(x, 2))["f"]
        for k in (-9, -1, 0, 1, 2, 3, 12):
            np.testing.assert_allclose(run(x, k), f(x, k), rtol=1e-12)


def loops_in(text: str) -> list[str]:
    body = text.partition("\n\n\n@")[2].partition("# What")[0]
    return [line.strip() for line in body.splitlines() if line.strip().startswith("for ")]


def test_windows_are_loops_over_their_width() -> None:
    def smooth(x):
        n = len(x)
        out = np.zeros(n)
        for i in range(1, n - 1):
            out[i] = np.sum(x[i - 1 : i + 2])
        return out

    assert "for i2 in range(3):" in loops_in("\n\n\n@" + jit(smooth).source(np.ones(9)))


def test_a_convolution_cuts_nothing_off() -> None:
    def convolve(x, w):
        k = len(w)
        out = np.empty(len(x) - k + 1)
        for i in range(len(x) - k + 1):
            out[i] = np.sum(x[i : i + k] * w)
        return out

    text = jit(convolve).source(np.ones(9), np.ones(3))
    assert "x[i + i2] * w[i2]" in text
    assert "min(" not in text


def narrow(x):
    if x <= 100:
        y = x + np.int8(100)
        if y < 0:
            return 1 if int(x) < 0 else 2
        return 3
    return 4


def difference(x, a, b):
    return x[b - a] if a <= b else 0.0


def product(x, k, m):
    if k >= 0 and m >= 0:
        j = k * m
        if j < len(x):
            return x[j]
    return 0.0


def signs(x, a, b):
    total = a + b
    if a >= 0 and b >= 0:
        return 1.0 if total < 0 else 2.0
    if a <= b:
        return 3.0 if b - a < 0 else 4.0
    return 5.0 if a - b > a else 6.0


ENDS = (-(2**63), -(2**62) - 9, -1, 0, 1, 5, 7, 2**61 + 1, 2**62, 2**62 + 5, 2**63 - 1)


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("f", [difference, product, signs])
def test_numpy_s_ints_wrap(f) -> None:
    compiled, x = jit(f), np.arange(5.0)
    for a, b in itertools.product(map(np.int64, ENDS), repeat=2):
        try:
            wanted: object = float(f(x, a, b))
        except IndexError:
            wanted = IndexError
        try:
            assert float(compiled(x, a, b)) == wanted
        except IndexError:
            assert wanted is IndexError


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_narrow_ints_wrap() -> None:
    for x in (-128, -28, 27, 28, 60, 100, 101, 127):
        assert jit(narrow)(np.int8(x)) == narrow(np.int8(x))


def largest_of_elements(a, i):
    return np.maximum(a.copy(), a.copy()[i]), a[i] <= a[0], max(a[i], a[-1]), np.minimum(a, a[::-1])


def test_elements_of_one_array_are_in_no_order() -> None:
    a = np.array([2, 1, 3])
    for i in range(3):
        for found, wanted in zip(jit(largest_of_elements)(a, i), largest_of_elements(a, i), strict=True):
            np.testing.assert_array_equal(found, wanted)
