"""Ints and sizes that are one in all calls of a function."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autodiff import grad
from codegen import jit

X = np.linspace(0.5, 2.0, 6)


def filled(x: Any, n: int, m: int) -> Any:
    t = np.zeros(n)
    for i in range(n):
        t[i] = x[i % m] * i
    return t


def with_one_size(x: Any) -> Any:
    return filled(x, 5, 3) @ filled(np.sin(x), 5, 2)


def halving(x: Any, depth: int, limit: int, most: int) -> Any:
    if depth >= limit or len(x) < most:
        return np.sum(x * x)
    return halving(x[: len(x) // 2], depth + 1, limit, most) + halving(
        x[len(x) // 2 :] * 2.0, depth + 1, limit, most
    )


def with_a_limit(x: Any) -> Any:
    return halving(x, 0, 3, 2)


def turned(a: Any, b: Any, k: int) -> Any:
    """The sizes change places in each call: they are one only if they were."""
    if k == 0:
        return np.sum(a) - np.max(b)
    return turned(b, a, k - 1) + 0.5 * np.sum(a[:2] * b[:2])


def of_two_sizes(x: Any) -> Any:
    return turned(np.cos(x), x[1:] * x[1:], 3)


def chosen(x: Any, flag: bool) -> Any:
    return np.sin(x) if flag else np.exp(x)


def with_a_flag(x: Any) -> Any:
    return np.sum(chosen(x, True)) + np.sum(chosen(x * 2.0, True))


def spectrum(x: Any, n: int) -> Any:
    k = np.concatenate([np.arange(0, n // 2), [0], np.arange(-n // 2 + 1, 0)])
    v = np.fft.fft(np.arange(1.0, n + 1) * x)
    for _ in range(2):
        v = 0.5 * v + 0.1 * k * v
    return np.sum(np.real(v) ** 2)


def of_a_known_spectrum(x: Any) -> Any:
    return spectrum(x[0], 8)


PROGRAMS = [with_one_size, with_a_limit, of_two_sizes, with_a_flag, of_a_known_spectrum]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("f", "target"),
    [*((f, "numpy") for f in PROGRAMS), (with_one_size, "numba"), (of_two_sizes, "numba")],
)
def test_values_and_slopes(f: Any, target: Any) -> None:
    np.testing.assert_allclose(jit(f, target=target)(X), f(X), rtol=1e-12)
    h = 1e-6
    slopes = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(grad(f, target=target)(X), slopes, rtol=1e-6, atol=1e-7)


def test_what_is_one_in_all_calls_is_no_parameter() -> None:
    assert "def filled(x, m" in (text := jit(with_one_size).source(X)) and "np.zeros(5)" in text
    assert ", limit" not in (text := jit(with_a_limit).source(X)) and ">= 3" in text
    assert "exp" not in jit(with_a_flag, target="numpy").source(X)


def test_sizes_that_stay_are_what_a_loop_begins_with() -> None:
    """Eight numbers, none of which could have been one that is broadcast."""
    text = jit(of_a_known_spectrum).source(X).split("# What the")[0]
    assert "v_re_7" in text and "broadcast" not in text


def program(seed: int) -> str:
    """Functions that call each other, and some themselves, with numbers, their own ints and lengths, in any order."""
    draw = random.Random(seed)
    lines = ["import numpy as np", ""]
    for k in range(draw.randint(2, 4)):
        ints = ["n", "m", "len(a)", "len(b)", "2", "3", "4", "n - 1"]
        body = [f"def h{k}(a, b, n, m, flag):"]
        if draw.random() < 0.5:
            body.append("    if n <= 1: return np.sum(a) + np.sum(b)")
            swapped = draw.choice(["a, b", "b, a", "a, a", "b[:2], a"])
            body.append(
                f"    s = 0.5 * h{k}({swapped}, n - 1, {draw.choice(['m', 'n', '3'])}, {draw.choice(['flag', 'True'])})"
            )
        else:
            body.append("    s = 0.0")
        body.append(f"    t = np.arange({draw.choice(['n', 'm', 'n + m'])}) * 0.5")
        body.append(
            f"    s = s + np.sum(t) + np.sum(a[:{draw.choice(['n', 'm'])}]) * (2.0 if flag else -1.0)"
        )
        body.append(
            f"    for i in range({draw.choice(['m', 'len(b)'])}): s = s + b[i % len(b)] * a[(i + n) % len(a)]"
        )
        for _ in range(draw.randint(0, 2) if k else 0):
            other, given = draw.randrange(k), [draw.choice(ints) for _ in range(2)]
            arrays = draw.choice(["a, b", "b, a", "t + 1.0, a", "a, np.ones(3)", "np.ones(m) * s, a"])
            flag = draw.choice(["flag", "True", "n > 2"])
            called = f"h{other}({arrays}, min({given[0]}, 4), max({given[1]}, 1), {flag})"
            body.append(f"    s = s + 0.1 * {called}")
        lines += [*body, "    return s", "", ""]
    last = k
    lines.append("def f(x):\n    s = 0.0")
    n, m = draw.randint(1, 4), draw.randint(1, 4)
    for _ in range(draw.randint(1, 3)):
        given = draw.choice([(n, m), (n, m), (draw.randint(1, 4), m)])
        arrays = draw.choice(["x, x", "x, x[1:]", "x[:3], np.ones(3)", "np.ones(3), x[:3]"])
        lines.append(
            f"    s = s + h{last}({arrays}, {given[0]}, {given[1]}, {draw.choice(['True', 'False', 'x[0] > 1.0'])})"
        )
    return "\n".join([*lines, "    return s"])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_random_calls(seed: int) -> None:
    f = loaded(program(seed))
    for target in ("numpy", "numba") if seed % 4 == 1 else ("numpy",):
        np.testing.assert_allclose(jit(f, target=target)(X), f(X), rtol=1e-12)  # type: ignore[call-overload]
