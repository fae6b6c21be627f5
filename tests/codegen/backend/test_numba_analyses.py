"""What stands in for analyses of Numba's gives what they give, on functions with many blocks and assignments."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba.core import analysis, byteflow, compiler, ssa

from codegen import jit
from codegen.backend.numba_analyses import QUICK_ANALYSES
from codegen.backend.numba_lookups import attributes_replaced


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def nested(n, x):
    total = 0.0
    last = x
    for i in range(n):
        for j in range(i):
            if j % 3 == 1:
                continue
            if total > 100.0:
                last = total
                break
            total += x * j
        else:
            last = last - 1.0
        x = x * 0.5 + last
    return total, last, x


def sometimes_assigned(n):
    for i in range(n):
        y = i * 2
    if n > 3:
        z = y
    elif n > 2:
        z = 1
    else:
        z = n
        y = z
    return y + z


def straight(a):
    b = a + 1
    a = b * b
    b = a - b
    return a / b


FUNCTIONS = [collatz, nested, sometimes_assigned, straight]


def single_assignment_text(f: Callable[..., Any]) -> str:
    function = compiler.run_frontend(f)
    return "\n".join(
        f"{label}: {statement}"
        for label, block in ssa.reconstruct_ssa(function).blocks.items()
        for statement in block.body
    )


def live(f: Callable[..., Any]) -> Any:
    blocks = compiler.run_frontend(f).blocks
    cfg, found = analysis.compute_cfg_from_blocks(blocks), analysis.compute_use_defs(blocks)
    return analysis.compute_live_map(cfg, blocks, found.usemap, found.defmap)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_single_assignments_are_numbas(f: Callable[..., Any]) -> None:
    theirs = single_assignment_text(f)
    with attributes_replaced(QUICK_ANALYSES):
        ours = single_assignment_text(f)
    assert ours == theirs
    assert ".1" in theirs  # something was renamed


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_live_variables_are_numbas(f: Callable[..., Any]) -> None:
    theirs = live(f)
    with attributes_replaced(QUICK_ANALYSES):
        assert live(f) == theirs


def on_the_stack(name: str, place: int) -> str:
    state = SimpleNamespace(_pc=place, _temp_registers=[])
    made: str = byteflow.State.make_temp(state, name)
    return made


def test_names_are_told_apart_from_places() -> None:
    """`n2` at place 80 of the bytecode and `n` at place 280; and a program in which they are read there."""
    assert on_the_stack("n2", 80) == on_the_stack("n", 280)
    with attributes_replaced(QUICK_ANALYSES):
        assert on_the_stack("n2", 80) != on_the_stack("n", 280)
    x = np.ones((2, 3))
    np.testing.assert_array_equal(jit(lambda x, k: np.flip(np.cumsum(x, 0), 0) * k)(x, 2), x * [[4], [2]])
