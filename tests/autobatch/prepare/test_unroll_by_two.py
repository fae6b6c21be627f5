"""alternate: loops that make a large array anew go two iterations at a time, and copy nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_ir import equations

from autobatch import Schedule, batch
from autobatch.cost_model import UNROLLED_EQUATIONS
from autobatch.prepare.unroll_by_two import unroll_by_two
from autodiff import value_and_grad
from codegen.infer.trace import trace
from codegen.ir import For, Program
from codegen.ir.check import check
from codegen.loops.lower import scalarize
from codegen.pytree import describe, known_size
from codegen.simplify.driver import simplify

TERMS = tuple(range(1, UNROLLED_EQUATIONS // 16))
GRIDS = np.random.default_rng(0).normal(size=(5, 16, 17))


def diffused(x, steps):
    for _ in range(steps):
        up = np.concatenate((x[:1], x[:-1]))
        right = np.concatenate((x[:, 1:], x[:, -1:]), axis=1)
        x = x + 0.2 * (up + right - 2.0 * x)
    return x


def with_its_number(x, steps):
    """From an iteration to the next: the array, and a number that depends on the iteration."""
    weight = 1.0
    for k in range(1, steps):
        x = weight * np.cos(x) + k
        weight = weight / (1.0 + k)
    return x, weight


def two_at_once(x, steps):
    y = 0.5 * x
    for _ in range(steps):
        x, y = x + 0.1 * y, y - 0.1 * np.sin(x)
    return x - y


def stopped(x, steps):
    for k in range(steps):
        x = 0.5 * x + k
        if x[0, 0] > 2.0:
            return x, k
    return x, -1


def written(x, steps):
    """In place: nothing is copied as it is."""
    x = x.copy()
    for k in range(steps):
        x[k % 16] = 2.0 * x[k % 16]
    return x


FUNCTIONS = (diffused, with_its_number, two_at_once, stopped, written)


@pytest.mark.turns(4)
@pytest.mark.sampled(27)
@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 8])
def test_the_same_numbers(f: Any, steps: int) -> None:
    want = [f(x, steps) for x in GRIDS]
    for schedule in ("auto", Schedule(group=16)):
        got = batch(f, in_axes=(0, None), schedule=schedule)(GRIDS, steps)
        for k, row in enumerate(want):
            mine = [g[k] for g in got] if isinstance(got, tuple) else [got[k]]
            for g, w in zip(mine, row if isinstance(row, tuple) else (row,), strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-12)


def test_each_lane_its_own_number_of_steps() -> None:
    steps = np.arange(5)
    got = batch(diffused)(GRIDS, steps)
    for x, n, g in zip(GRIDS, steps, got, strict=True):
        np.testing.assert_allclose(g, diffused(x, n), rtol=1e-12)


def test_derivatives() -> None:
    def cost(x, steps):
        return np.sum(diffused(x, steps) ** 2)

    values, slopes = batch(value_and_grad(cost), in_axes=(0, None))(GRIDS, 3)
    way, small = np.random.default_rng(1).normal(size=(16, 17)), 1e-6
    for x, v, s in zip(GRIDS, values, slopes, strict=True):
        assert v == pytest.approx(cost(x, 3), rel=1e-12)
        want = (cost(x + small * way, 3) - cost(x - small * way, 3)) / (2 * small)
        assert np.sum(s * way) == pytest.approx(want, rel=1e-6)


def test_the_text_copies_nothing_from_step_to_step() -> None:
    text = batch(diffused, in_axes=(0, None), schedule=Schedule("lanewise")).source(GRIDS, 4)
    begin = text.index("for _ in range(")
    loop = text[begin : text.index("if t == 1", begin)]
    assert "for k in range(" not in loop and loop.count("for i in range(") == 2


# ---- which loops ----


def turned(f: Any, *args: Any) -> tuple[int, int]:
    """Loops with step 2 and with step 1 in the program, where they are asked for."""
    signature = tuple(describe(a, known_size) for a in args)
    program = simplify(scalarize(simplify(trace(f, signature, {}, known_sizes=True).program)))
    done = check(unroll_by_two(program))
    return by(done, 2), by(program, 2)


def by(program: Program, step: int) -> int:
    return sum(isinstance(e.op, For) and e.op.step == step for e in equations(program))


def test_loops_that_make_a_large_array() -> None:
    x = GRIDS[0]
    assert turned(diffused, x, 3) == turned(two_at_once, x, 3) == (1, 0)


def test_loops_that_write_in_place_or_carry_little_stay() -> None:
    assert turned(written, GRIDS[0], 3) == turned(diffused, GRIDS[0][:3, :3], 3) == (0, 0)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6])
def test_known_numbers_of_iterations(count: int) -> None:
    def known(x):
        for k in range(count):
            x = 0.5 * x + x[k, k]
        return x

    for x, got in zip(GRIDS, batch(known)(GRIDS), strict=True):
        np.testing.assert_allclose(got, known(x), rtol=1e-12)


def test_long_loops_stay() -> None:
    def many_terms(x, steps):
        for _ in range(steps):
            y = x
            for k in range(16):
                total = 0.0
                for j in (1, 2, 3, 4, 5, 6, 7, 8):
                    for power in TERMS:
                        total += y[k, j] * np.sin(power * y[k, 16 - j])
                y = y + total
            x = 0.5 * y
        return x

    assert turned(many_terms, GRIDS[0], 3) == (0, 0)
