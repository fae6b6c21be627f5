"""Random nests that write in place: gradients are right, and cost a constant times their functions as sizes grow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from count_work import work
from differentiate import active_in, directions, grad_of, inner, program_of, slope
from random_nests import random_nest
from user_programs import loaded

from codegen.ir.interpreter import evaluate

CONSTANT = 8  # at most this many times the function's own work


def arguments(n: int) -> tuple[Any, ...]:
    chance = np.random.default_rng(n)
    return chance.uniform(-0.9, 0.9, n), chance.uniform(-0.9, 0.9, (n, n))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(40))
def test_work_is_a_constant_times_the_function_s(seed: int) -> None:
    program = program_of(loaded(random_nest(seed)), arguments(10))
    gradient = grad_of(program, active_in(program))
    for n in (10, 30):
        assert work(gradient, *arguments(n)) < CONSTANT * work(program, *arguments(n))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(40, 100))
def test_gradients_agree_with_differences(seed: int) -> None:
    program = program_of(loaded(random_nest(seed)), arguments(11))
    along = directions(program, arguments(11), seed)
    found = evaluate(grad_of(program, active_in(program)), *arguments(11))
    np.testing.assert_allclose(
        inner(found, along), slope(program, arguments(11), along), rtol=1e-6, atol=1e-6
    )
