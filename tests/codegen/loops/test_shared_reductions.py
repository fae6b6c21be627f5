"""Reductions of rows, columns and all of arrays of one shape: in one nest, whatever stands between them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autodiff import grad
from codegen import jit

X = np.linspace(-1.0, 2.0, 12).reshape(3, 4) ** 2 + 0.25


def normalised(x: Any) -> Any:
    mean = np.mean(x, axis=1, keepdims=True)
    return (x - mean) / np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-5)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]


def summed_up(x: Any) -> Any:
    y = np.tanh(x)
    return np.sum(y, axis=1), np.max(y, axis=1), np.sum(y * y), np.min(y, axis=0), np.any(y > 0.5, axis=1), y


def scaled(w: Any, x: Any) -> Any:
    t = w[:, None] * x
    return np.sum(np.exp(t) * x + t / (1.0 + t * t))


@pytest.mark.parametrize(("f", "rows"), [(normalised, 1), (softmax, 1), (summed_up, 1)])
def test_rows_share_their_loop(f: Any, rows: int) -> None:
    assert jit(f).source(X).split("# What the")[0].count("\n    for ") == rows
    for made, expected in zip(jit(f)(X), f(X)):
        np.testing.assert_allclose(made, expected, rtol=1e-14)


def test_a_slope_of_what_was_broadcast_is_summed_in_one_nest() -> None:
    text = grad(scaled).source(np.ones(3), X).split("# What the")[0]
    assert text.count("for ") == 2 and text.count("np.empty") == 1


def test_reductions_before_what_they_read_is_written() -> None:
    def f(x: Any) -> Any:
        y = np.cos(x)
        rows, columns = np.sum(y, axis=1), np.max(y, axis=0)
        y[0, 1:] = 5.0
        again = np.sum(y, axis=1)
        x = x + 1.0
        return rows, columns, again, np.sum(x * y, axis=1)

    for made, expected in zip(jit(f)(X), f(X)):
        np.testing.assert_allclose(made, expected, rtol=1e-14)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (1, 1), (2, 3, 4)])
def test_sizes(shape: tuple[int, ...]) -> None:
    def f(x: Any) -> Any:
        y = x * x
        whole = np.sum(y)
        return (
            np.sum(y, axis=-1),
            np.sum(y, axis=0),
            whole,
            np.prod(x, axis=-1),
            np.sum(y, axis=-2),
            np.all(x > 0, axis=0),
        )

    x = np.arange(float(np.prod(shape))).reshape(shape)
    for made, expected in zip(jit(f)(x), f(x)):
        assert np.shape(made) == np.shape(expected) and np.asarray(made).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(made, expected, rtol=1e-14)


def test_float32_is_summed_in_float64() -> None:
    x = (np.ones((2, 3000)) * 0.1).astype(np.float32)
    x[:, 0] = 1e6

    def f(x: Any) -> Any:
        return np.sum(x, axis=1), np.sum(x * 2.0, axis=1), np.sum(x)

    for made, expected in zip(jit(f)(x), f(x.astype(np.float64))):
        assert np.asarray(made).dtype == np.float32
        np.testing.assert_array_equal(made, np.float32(expected))


MATRICES = ("np.exp(-{m})", "{m} + {n}", "{m} * {r}[:, None]", "{m} - {c}", "{m} / (1.0 + {s} * {s})", "{m}.copy()",
            "np.concatenate(({m}[:1], {n}[1:]))", "np.concatenate(({m}[:, 2:], {n}[:, :2]), axis=1)",
            "np.where({m} > {c}, {n}, {r}[:, None])", "({r}[:, None] + {c}) * {m}", "{m}[::-1]",
            "{m} @ np.outer({c}, {c})")  # fmt: skip
ROWS_OF = ("np.sum({m}, axis=1)", "np.max({m}, axis=1)", "np.mean({m} * {n}, axis=1)", "{r} + {r2}", "{m}[:, 1]",
           "np.sum({m} * {c}, axis=1)", "{m} @ {c}", "np.cumsum({r})", "{r} * {s}",
           "np.sort(np.min({m}, axis=1))")  # fmt: skip
COLUMNS_OF = (
    "np.sum({m}, axis=0)",
    "np.min({m}, axis=0)",
    "np.prod({m}, axis=0)",
    "{m}[1]",
    "{c} - {s}",
    "{r} @ {m}",
)
NUMBERS_OF = (
    "np.sum({m})",
    "np.max({r})",
    "np.sum({c} * {c})",
    "{m}[2, 3]",
    "{r}[0]",
    "np.mean({m} * {r}[:, None])",
)
WRITES = ("{m}[1] = {c}", "{m}[:, 0] = {r}", "{m}[0, :2] += {s}", "{r}[1:] = {s}", "{c}[0] = {r}[2]")


def program(seed: int) -> str:
    """A function of a matrix: more matrices, and reductions of them, and writes."""
    draw = random.Random(seed)
    names = {"m": ["x"], "r": ["r0"], "c": ["c0"], "s": ["s0"]}
    lines = ["x = x * 1.0", "r0 = np.sum(x, axis=1)", "c0 = np.sum(x, axis=0)", "s0 = np.sum(x)"]
    for k in range(draw.randint(4, 12)):
        own = {n: draw.choice(names[n]) for n in "mrcs"} | {
            "n": draw.choice(names["m"]),
            "r2": draw.choice(names["r"]),
        }
        if draw.random() < 0.15:
            lines.append(draw.choice(WRITES).format(**own))
            continue
        kind = draw.choice("mmrrrcs")
        of = {"m": MATRICES, "r": ROWS_OF, "c": COLUMNS_OF, "s": NUMBERS_OF}[kind]
        lines.append(f"{kind}{k + 1} = 0.5 * ({draw.choice(of).format(**own)})")
        names[kind].append(f"{kind}{k + 1}")
    given = [draw.choice(names[n]) for n in "mrrcss"]
    return "\n    ".join(["def f(x):", *lines, f"return {', '.join(given)}, {names['r'][-1]}"])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_reductions(seed: int) -> None:
    f = loaded(program(seed))
    for made, expected in zip(jit(f)(X), f(X), strict=True):
        np.testing.assert_allclose(made, expected, rtol=1e-12, atol=1e-12)
