"""Numbers and sizes that are one in every iteration of a loop: they share it, and nothing asks whether they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad, hessian
from codegen import jit

X = np.random.default_rng(4).normal(size=12)


def filtered(x, k):
    y = 2.0 * x
    while len(x) > k:
        keep = x < np.mean(x) + 1.0
        x, y = x[keep], y[keep]
        x = x - y * 0.1
        k += 1
    return np.sum(x * y)


def grown(x, k):
    y = np.sin(x)
    for i in range(k):
        x = np.append(x, x[i] + y[i])
        y = np.append(y, 0.5 * y[i])
    return np.sum(x * y)


def thinned_in_branches(x, k):
    y = x * x
    for i in range(k):
        if np.sum(y) > 4.0:
            x, y = x[1:], y[1:]
        elif i % 2 > 0:
            x, y = np.concatenate((x, x[:2])), np.concatenate((y, x[:2]))
        x = x + 0.1 * y
    return np.sum(x * y)


def nested(x, k):
    y = np.cos(x)
    for _ in range(k):
        while np.sum(y * y) > 5.0:
            x, y = x[::2] * 1.5, y[::2]
        x, y = np.append(x, 1.0), np.append(y, 2.0)
    return np.sum(x * y)


def halves(x, k):
    """The sizes of what is cut off are computed of the sizes that are equal."""
    y = x + 1.0
    for _ in range(k):
        n, m = len(x), len(y)
        x, y = x[: n - n // 4], 0.9 * y[: m - m // 4]
    return np.sum(x * y)


def three(x, k):
    y, z = x * 2.0, x * 3.0
    for _ in range(k):
        chosen = np.abs(x) > 0.1
        x, y, z = x[chosen] * 0.7, y[chosen], z[chosen]
    return np.sum(x * y - z)


SAME = [filtered, grown, thinned_in_branches, nested, halves, three]


def apart_in_the_second(x, k):
    """The first iteration leaves one size for both, each later one does not."""
    y = x * 1.0
    total = 0.0
    for i in range(k):
        if i > 0:
            y = y[:-1]
        total += np.sum(x) * len(y) + np.sum(y) * len(x)
    return total


def exchanged(x, k):
    """Three that begin as one: two are exchanged, one is cut."""
    y, z = x + 1.0, x + 2.0
    for _ in range(k):
        x, y, z = z[1:], x, y
    return np.sum(x) + 2.0 * np.sum(y) * len(y) + 3.0 * np.sum(z) * len(z)


def begun_apart(x, k):
    y = x[1:]
    for _ in range(k):
        x, y = x[1:], y[1:]
    return np.sum(x) * len(x) + np.sum(y) * len(y)


def cut_apart(x, k):
    y = x * 2.0
    for i in range(k):
        x, y = x[i % 2 :], y[(i + 1) % 2 :]
    return np.sum(x) * len(x) + np.sum(y) * len(y)


def apart_in_a_branch(x, k):
    y = x * 2.0
    if k > 2:
        x, y = x[1:], y[1:]
    else:
        x, y = x[2:], y[1:]
    return np.sum(x) * len(x) + np.sum(y) * len(y)


def apart_inside(x, k):
    y = x * 2.0
    for i in range(k):
        for j in range(2):
            x, y = x[1:], (y[1:] if i + j != 2 else y[2:])
    return np.sum(x) * len(x) + np.sum(y) * len(y)


APART = [apart_in_the_second, exchanged, begun_apart, cut_apart, apart_in_a_branch, apart_inside]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", SAME + APART)
@pytest.mark.parametrize("k", [0, 1, 2, 3, 5])
def test_values(f: Callable[..., Any], k: int) -> None:
    np.testing.assert_allclose(jit(f)(X, k), f(X, k), rtol=1e-13)


@pytest.mark.parametrize("f", SAME)
def test_one_length_is_asked_for(f: Callable[..., Any]) -> None:
    text = jit(f).source(X, 3)
    assert "broadcast" not in text and "did not match" not in text and " == 1" not in text, text


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", SAME + APART)
def test_gradients(f: Callable[..., Any]) -> None:
    found = grad(f)(X, 3)
    for at, step in enumerate(1e-6 * np.eye(len(X))):
        np.testing.assert_allclose(found[at], (f(X + step, 3) - f(X - step, 3)) / 2e-6, rtol=1e-6, atol=1e-7)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [f for f in SAME + APART if f is not filtered and f is not three])
def test_lanes(f: Callable[..., Any]) -> None:
    xs = np.stack([X, X[::-1] * 0.5, np.abs(X)])
    found = batch(f, in_axes=(0, 0))(xs, np.array([1, 3, 2]))
    np.testing.assert_allclose(found, [f(x, k) for x, k in zip(xs, (1, 3, 2))], rtol=1e-12)


def test_what_does_not_fit_is_told() -> None:
    def f(x, k):
        y = x * 2.0
        for i in range(k):
            x = x[1:]
            y = y[1 + i :]
        return x + y

    assert np.array_equal(jit(f)(X, 1), f(X, 1))
    for g in (jit(f), f):
        with pytest.raises(ValueError, match="broadcast"):
            g(X, 3)


@pytest.mark.turns(4)
def test_a_number_after_the_array_whose_size_it_is() -> None:
    """The second derivative carries a list's history, and how long it is behind it."""

    def f(x):
        k, u, xs = 0, x[0], [x[2]]
        while k < 4 and u < 3.0:
            k += 1
            for _ in range(k % 3):
                u = u / (1.0 + u * u)
            xs = [0.9 * w for w in xs if w > 0.1] + [u]
            u = sum(xs) / len(xs)
        return np.sum(np.array(xs) ** 2) * u

    x = np.array([0.7, 0.4, 1.1])
    slopes = [(grad(f)(x + step) - grad(f)(x - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(hessian(f)(x), slopes, rtol=1e-5, atol=1e-7)


STEPS = [
    "{x} = {x}[1:]",
    "{x} = {x}[:-1]",
    "{x}, {y} = {x}[k % 2 :], {y}[k % 2 :]",
    "{x}, {y} = {y}, {x}",
    "{x} = {x}[{x} > t]",
    "{x} = np.append({x}, t)",
    "{x} = np.concatenate(({x}[:3], {y}[3:]))",
    "{x} = {x}[: len({y})]",
    "{x} = {x} + 0.5 * {y}[: len({x})].sum()",
    "{x} = {y} * 0.5",
    "t = t * 0.9 + {x}[:1].sum()",
    "chosen = x > t\nx, y = x[chosen], y[: len(x)][chosen[: len(y)]]",
]


def steps(draw: np.random.Generator, count: int, depth: int) -> Iterator[str]:
    """Lines that make three arrays longer and shorter, exchange them, and loops and branches of such lines."""
    for _ in range(count):
        kind = draw.integers(8) if depth < 2 else 0
        if kind < 6:
            x, y = draw.permutation(["x", "y", "z"])[:2]
            yield from STEPS[draw.integers(len(STEPS))].format(x=x, y=y).splitlines()
            continue
        if kind == 6:
            yield f"for {'ij'[depth]} in range({draw.integers(1, 4)}):"
        else:
            yield f"if len({draw.choice(['x', 'y', 'z'])}) > {draw.integers(2, 7)}:"
        yield from ("    " + line for line in steps(draw, draw.integers(1, 4), depth + 1))


def random_program(seed: int) -> str:
    draw = np.random.default_rng(seed)
    ends = ["return np.sum(x) * len(x) + 2 * np.sum(y) * len(y) + 3 * np.sum(z) * len(z)"]
    begun = ["y = x * 2.0", "z = x[1:] + 1.0" if draw.integers(4) == 0 else "z = x + 1.0", "t = 0.1"]
    body = ["for k in range(n):", *("    " + line for line in steps(draw, 4, 0))]
    return "def f(x, n):\n" + "\n".join("    " + line for line in [*begun, *body, *ends])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    f = loaded(random_program(seed))
    for n in (0, 1, 2, 5):
        try:
            wanted = f(X, n)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                jit(f)(X, n)
        else:
            np.testing.assert_allclose(jit(f)(X, n), wanted, rtol=1e-12, atol=1e-12)


# ---- numbers, and lists that grow together ----


def decay(x, rate):
    """Two lists, of which every step appends to both or to none: one count, one size."""
    t, h, xs, ts = 0.0, 0.1, [x], [0.0]
    while t < 4.0:
        one, two = x - h * rate * x, (x - 0.5 * h * rate * x) * (1.0 - 0.5 * h * rate)
        if abs(two - one) < 1e-3:
            t, x = t + h, two
            xs.append(x)
            ts.append(t)
            h *= 1.5
        else:
            h *= 0.6
    return np.trapezoid(np.array(xs), np.array(ts))


def decay_apart(x, rate):
    """The same, and one more in the one list at the end of some of them."""
    t, h, xs, ts = 0.0, 0.1, [x], [0.0]
    while t < 4.0:
        t, x = t + h, x * (1.0 - h * rate)
        xs.append(x)
        if x > 0.3:
            ts.append(x * t)
    return np.sum(np.array(xs)) + 2.0 * np.sum(np.array(ts)) * len(ts)


@pytest.mark.turns(4)
@pytest.mark.parametrize("f", [decay, decay_apart])
def test_lists_that_grow_together(f: Callable[..., Any]) -> None:
    h = 1e-6
    for x, rate in ((1.0, 0.7), (2.5, 0.2)):
        np.testing.assert_allclose(jit(f)(x, rate), f(x, rate), rtol=1e-13)
        slope = grad(f, argnums=1)(x, rate)
        np.testing.assert_allclose(slope, (f(x, rate + h) - f(x, rate - h)) / (2 * h), rtol=1e-6)
    text = grad(f, argnums=1).source(1.0, 0.7)
    assert ("ts_count" in text) is (f is decay_apart) and "broadcast" not in text, text


LINES = [
    "{a} += 1",
    "{a} += {b}",
    "{a}, {b} = {b}, {a}",
    "{a} = {b} % 7",
    "{a} = 2 * {a} - {b} if {a} > {b} else {a}",
    "{a}, {b} = {a} + 2, {b} + 2",
    "u += 0.5 * {a}",
    "u, v = u * 0.5, v * 0.5",
    "v += 0.5 * {b}",
    "u, v = v, u",
    "xs.append(u)",
    "ys.append(v)",
    "xs.append({a} * 1.0)\nys.append({b} * 1.0)",
]


def number_lines(draw: np.random.Generator, count: int, depth: int) -> Iterator[str]:
    """Lines that count, exchange and append, in loops and in branches."""
    for _ in range(count):
        kind = draw.integers(9) if depth < 3 else 0
        if kind < 6:
            a, b = draw.permutation(["i", "j", "k"])[:2]
            yield from LINES[draw.integers(len(LINES))].format(a=a, b=b).splitlines()
            continue
        test = f"{draw.choice(['i', 'j', 'k'])} % {draw.integers(2, 4)} == {draw.choice(['0', '1'])}"
        starts = [f"for n{depth} in range({draw.integers(1, 4)}):", f"if {test}:", "if u > v:"]
        yield starts[kind - 6]
        yield from ("    " + line for line in number_lines(draw, draw.integers(1, 4), depth + 1))


def random_numbers(seed: int) -> str:
    draw = np.random.default_rng(seed)
    lines = ["i, j, k, u, v, xs, ys = 0, 0, 0, 0.0, 0.0, [0.0], [0.0]", "step = 0", "while step < n:"]
    lines += ("    " + line for line in ["step += 1", *number_lines(draw, draw.integers(3, 7), 0)])
    ends = "i % 1000, j % 1000, k % 1000, u, v, len(xs), len(ys), np.sum(np.array(xs[-4:])), ys[-1]"
    return "def f(n):\n" + "\n".join("    " + line for line in [*lines, f"return {ends}"])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(40))
def test_random_numbers(seed: int) -> None:
    f = loaded(random_numbers(seed))
    for n in (0, 1, 2, 5):
        np.testing.assert_allclose(jit(f)(n), f(n), rtol=1e-12, atol=1e-12)
