"""A lane by itself in vectors: short loops over arrays packed, branches that only move arrays as choices."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import config
from plain_numba import run_lanes
from user_programs import loaded

from autobatch import Schedule, batch
from autobatch.execute.executor import Machine
from codegen.backend.load import load
from codegen.infer.trace import trace
from codegen.pytree import describe, known_size

SIZE, LANES = 9, 3
ALONE, GROUPS = Schedule(form="lanewise"), Schedule(group=16)
TESTS = ("s > {0}[{1}]", "t * s < 0.1", "i % 2 == 0", "{0}[{1}] > {0}[0]", "np.sum({0}) > t")
MOVES = (
    "{0}, {1} = {1}, {0}",
    "{0}, {1}, {2} = {1}, {2}, {0}",
    "{0} = {1}",
    "{0}, s, t = {1}, t, s",
    "s = t",
)


def moving_program(seed: int) -> str:
    """A loop of arithmetic on three arrays and two numbers, and of branches that move them to and fro."""
    pick = random.Random(seed)
    lines = ["def f(a, b, c, s, t):", "    for i in range(7):"]

    def moved() -> str:
        names = pick.sample("abc", 3)
        return " " * 12 + pick.choice(MOVES).format(*names)

    for _ in range(pick.randint(3, 6)):
        x, y, z = pick.choices("abc", k=3)
        kind = pick.random()
        if kind < 0.25:
            lines.append(f"        {x} = 0.5 * {y} - {z} * s")
        elif kind < 0.4:
            lines.append(f"        {pick.choice('st')} = np.tanh(np.dot({x}, {y}) + {pick.choice('st')})")
        else:
            lines += [f"        if {pick.choice(TESTS).format(x, pick.randint(1, 8))}:", moved()]
            lines += ["        else:", moved()] if pick.random() < 0.5 else []
    return "\n".join([*lines, "    return a, b, c, s, t"]) + "\n"


def lanes_of(seed: int) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(seed)
    return [(*rng.normal(size=(3, SIZE)), *rng.normal(size=2).tolist()) for _ in range(LANES)]


def machine_of(f: Callable[..., Any], lane: tuple[Any, ...]) -> Machine:
    signature = tuple(describe(a, known_size) for a in lane)
    return Machine(trace(f, signature, {}, known_sizes=True), (False,) * len(lane), ALONE)


@pytest.mark.turns(4)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("first", range(0, 120, 30))
def test_moves_are_what_python_does(first: int) -> None:
    """The text as plain Python: swaps and rotations, of arrays and numbers, in one arm or in both."""
    chosen = 0
    for seed in range(first, first + 30):
        f, lanes = loaded(moving_program(seed)), lanes_of(seed)
        made = machine_of(f, lanes[0]).by_lanes()
        chosen += "= select(" in made.text
        wanted = list(zip(*(f(*lane) for lane in lanes), strict=True))
        for found, column in zip(run_lanes(made, lanes, wanted), wanted, strict=True):
            np.testing.assert_allclose(found, np.stack(column), rtol=1e-9, err_msg=str(seed))
    assert chosen > 15


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_lanes_alone_and_in_groups_are_the_same_to_the_bit(seed: int) -> None:
    """What is packed is computed in no other order."""
    f = loaded(moving_program(seed))
    columns = [np.array(column * 8) for column in zip(*lanes_of(seed), strict=True)]
    alone, groups = batch(f, schedule=ALONE)(*columns), batch(f, schedule=GROUPS)(*columns)
    for x, y in zip(alone, groups, strict=True):
        np.testing.assert_array_equal(x, y)


def rotate(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Ten numbers and their momenta, half of the work a sum of quotients."""
    total = 0.0
    for _ in range(20):
        y = y - 0.1 * x / (1.0 + x * x)
        x = x + 0.1 * y
        total += np.sum(x / (2.0 + y * y))
    return x, total


def pendulum(x: float, y: float) -> float:
    for _ in range(20):
        y = y - 0.1 * x / (1.0 + x * x)
        x = x + 0.1 * y
    return x


def test_short_loops_over_arrays_are_packed() -> None:
    """The quotients of a lane's ten numbers are taken side by side, and Numba's setting is as it was."""
    told = config.SLP_VECTORIZE
    lanes = np.random.default_rng(0).normal(size=(2, 1, 10))
    batched = batch(rotate, schedule=ALONE)
    x, total = batched(*lanes)
    wanted = rotate(*lanes[:, 0])
    np.testing.assert_allclose(x[0], wanted[0], rtol=1e-13)
    np.testing.assert_allclose(total[0], wanted[1], rtol=1e-13)
    assert config.SLP_VECTORIZE == told
    (machine,) = batched.machines.values()
    assert "pipeline_class=Packed" in machine.lanewise.text
    assert "; short loops of each in vectors" in batched.explain()
    (signature,) = machine.function(machine.lanewise).signatures
    compiled = load(machine.lanewise.text.replace("cache=True, ", ""), "rotate").rotate_lanes
    compiled.compile(signature)
    text = compiled.inspect_llvm(signature)
    assert len(re.findall(r"fdiv (?:\w+ )*<\d+ x double>", text)) >= 2


def test_numbers_alone_are_not_packed() -> None:
    assert "Packed" not in machine_of(pendulum, (1.0, 2.0)).by_lanes().text
