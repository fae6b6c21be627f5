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


@pytest.mark.sampled(5)
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


def higher(x, a, b):
    return float(np.maximum(a - b, 0) // 2) + float(np.minimum(a + b, 3))


def beside(x, a, b):
    return x[np.minimum(np.maximum(a - b, 0), len(x) - 1)]


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("f", [difference, product, signs, higher, beside])
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


BESIDE = ("i + 1", "i - 1", "i", "i + j", "i - j", "i + n - 1", "i - 1 + n", "n - 1 - i", "n - i")
FARTHER = ("i + j + 1", "i - j - 1", "i + 2", "j - 2", "2 * i", "n + i + 1", "i + j - n")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("of", ["range(n)", "np.arange(n)"])
@pytest.mark.parametrize("place", BESIDE + FARTHER)
def test_places_of_rings(place: str, of: str) -> None:
    """Of all sizes; of those beside a place no division is left."""
    f = loaded(f"""
import numpy as np

def f(x):
    n, s = len(x), 0.0
    for i in {of}:
        for j in {of}:
            s += (i + 1.5 * j) * x[({place}) % n]
    return s
""")
    made = jit(f)
    for n in range(5):
        x = np.arange(1.0, n + 1)
        assert made(x) == f(x)
    if place in BESIDE and of == "range(n)":
        assert "%" not in made.source(np.ones(3)).partition("# What the functions above call")[0]


def test_windows_of_rings() -> None:
    """Neighbours on both sides, of sizes that a window is larger than, too."""

    def f(a):
        n, m = a.shape
        b = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                for di in range(-1, 2):
                    for dj in range(-2, 2):
                        b[i, j] = 3.0 * b[i, j] + a[(i + di) % n, (j + dj) % m]
        return b

    made = jit(f)
    for shape in ((0, 2), (1, 1), (2, 1), (3, 2), (4, 5)):
        a = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
        np.testing.assert_array_equal(made(a), f(a))
    assert made.source(np.ones((2, 2))).count("%") == 1  # of two places to the left there may be none


@pytest.mark.turns(4)
def test_draws_and_places_need_not_wrap() -> None:
    """Sums of what is drawn from a range, of places in order and remainders are far from overflowing; others wrap."""

    def f(x, rng, far):
        k = rng.integers(0, len(x))
        beside = (k + 1) % len(x)
        order = np.argsort(x)
        m = np.argmax(x)
        t = (order[0] + m - 1) // 2
        return x[k] + x[beside] + t + (k + 3) // 2, (far + far) // 2

    made, far = jit(f), np.int64(2**62)
    x, (rng, again) = np.array([2.0, 1.0, 7.0]), (np.random.Generator(np.random.Philox(3)) for _ in range(2))
    with np.errstate(over="ignore"):
        wanted = f(x, again, far)
    assert made(x, rng, far) == wanted
    assert wanted[1] == -(2**62)
    text = made.source(x, rng, far).partition("# What the functions above call")[0]
    assert text.count("wrapping_") == 1


def test_a_ring_of_one() -> None:
    """Whose places beside it are itself, and two on too."""

    def f(x, k):
        n, s = len(x), 0.0
        for i in range(n):
            s += x[(i + 1) % n] * x[(i - 1) % n] + x[(i + k) % n]
        return s

    for n in (1, 2, 3):
        x = np.arange(1.0, n + 1)
        for k in range(-4, 5):
            assert jit(f)(x, k) == f(x, k)


def test_periodic_neighbours_are_read_without_a_check() -> None:
    def f(x):
        return x[(np.arange(len(x)) + 1) % len(x)] - x[np.argsort(x)]

    made = jit(f)
    for n in range(4):
        np.testing.assert_array_equal(made(np.arange(3.0)[:n]), f(np.arange(3.0)[:n]))
    assert "IndexError" not in made.source(np.ones(3))


NATURAL = (
    "k = (k + 1) % n",
    "k = (k - 3) % n",
    "k = max(k - 2, 0)",
    "k = k + 2 if x[k] > 2 else k // 2",
    "k = k - k // 2",
    "k, j = (k + j) // 2, k + 1",
    "k = min(k + 3, i)",
)
ANY = (
    "k = k - 1",
    "k = min(k - 1, 2)",
    "k, j = j, k - 2",
    "k = (k - 3) // 2",
    "k = k - (i + 2) // 2",
    "k = -k",
    "k, j = j, k * 2 + j",
    "k = k % (-n)",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", NATURAL + ANY)
def test_ints_that_stay_natural(step: str) -> None:
    """What counts from the end still does, and fails where it is too far; it is asked for where it may."""
    f = loaded(f"""
def f(x):
    n, s, k, j = len(x), 0.0, 0, 1
    for i in range(7):
        s = 2.0 * s + x[k]
        {step}
    return s
""")
    made = jit(f)
    for n in range(9):
        x = np.arange(1.0, n + 1)
        try:
            wanted = f(x)
        except (IndexError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                made(x)
        else:
            assert made(x) == wanted
    assert (">= -n" in (text := made.source(np.ones(3))) or "-n <=" in text) == (step in ANY)


@pytest.mark.parametrize("test", ["n == 0", "0 == n", "not n != 0"])
def test_a_size_that_is_not_0_is_positive(test: str) -> None:
    f = loaded(
        f"def f(x):\n    n = len(x)\n    if {test}:\n        return -1.0\n    return x[n - 1] + max(x)\n"
    )
    text = jit(f).source(np.ones(3))
    assert "raise" not in text
    for n in (0, 1, 4):
        assert jit(f)(np.arange(n) * 1.5) == f(np.arange(n) * 1.5)


def test_what_is_not_an_end_lies_inside() -> None:
    def f(x, i):
        if i < 0 or i > len(x) or i == len(x):
            return 0.0
        return x[i]

    text = jit(f).source(np.ones(3), 1)
    assert "raise" not in text
    for i in (-1, 0, 2, 3, 4):
        assert jit(f)(np.arange(3.0), i) == f(np.arange(3.0), i)
