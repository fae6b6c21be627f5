"""Lanes interpreted block by block: what they give, how often each block runs, which lanes fail."""

import random
from typing import Any

import block_programs as programs
import numpy as np
import pytest
from block_interpreter import Outcome, run
from corpus import Case
from lane_programs import PROGRAMS, equal, lanes_of, of_case

from autobatch.cfg.lower import lower_to_blocks
from autobatch.schedule import block_order, weights
from codegen.simplify.bounds_checks import bounds


@pytest.mark.sampled(9)
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    lanes = of_case(case)
    wanted = lanes.wanted()
    for keep in ("none", "calls"):
        for counts_depth in (False, True):
            made = lower_to_blocks(bounds(lanes.program), keep=keep)
            compare(run(made, lanes.arguments(), counts_depth=counts_depth), wanted)


def compare(outcome: Outcome, wanted: list[Any]) -> None:
    failed = {f.lane: f.exception for f in outcome.failures}
    for k, (results, expected) in enumerate(zip(outcome.results, wanted, strict=True)):
        if isinstance(expected, Exception):
            assert failed[k] == type(expected).__name__ and results is None
            continue
        for got, one in zip(results, expected, strict=True):
            if not isinstance(one, np.random.Generator):
                equal(got, one)


# What the first program-counter autobatchers were tested on


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_fibonacci(dtype: str) -> None:
    numbers = [(np.dtype(dtype).type(n),) for n in (5, 6, 8, 9, 0, 1, 3)]
    results = [r for (r,) in run(lower_to_blocks(programs.fib(dtype)), numbers).results]
    assert results == [8, 13, 34, 55, 1, 1, 3] and {r.dtype for r in results} == {np.dtype(dtype)}


@pytest.mark.parametrize("swapped", [False, True])
def test_the_addition_runs_as_often_as_the_longest_lane_needs_it(swapped: bool) -> None:
    made = lower_to_blocks(programs.fib(swapped=swapped))
    outcome = run(made, [(3,), (7,), (4,), (5,)])
    addition = next(k for k, b in enumerate(made.blocks) if b.name == "fib after fib 2")
    assert outcome.executions[addition] == 20
    assert outcome.visits[addition] == 2 + 20 + 4 + 7


def test_parity_gcd_and_sums() -> None:
    assert run(lower_to_blocks(programs.parity()), [(n,) for n in (5, 6, 8, 9, 0)]).results == [
        (False,), (True,), (True,), (False,), (True,),
    ]  # fmt: skip
    assert run(lower_to_blocks(programs.gcd()), [(7, 9), (12, 9), (49, 56)]).results == [(1,), (3,), (7,)]
    sums = run(lower_to_blocks(programs.iota_sum()), [(12, 0), (-13, 0), (100, 0)])
    assert sums.results == [(78,), (0,), (5050,)] and sums.depth == [0, 0, 0]


def test_recursion_inside_a_loop() -> None:
    lanes = [(3, 0, 0), (1, 1, 0), (5, 2, 0), (2, 3, 0)]
    outcome = run(lower_to_blocks(programs.pea_nuts()), lanes)
    assert outcome.results == [(8,), (2,), (28,), (14,)]
    assert outcome.depth == [2, 1, 3, 3]


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_blocks_changes_nothing(seed: int) -> None:
    pick = random.Random(seed)
    made = lower_to_blocks(programs.pea_nuts(), keep="none")
    lanes = [(3, 0, 0), (1, 1, 0), (5, 2, 0), (2, 3, 0)]
    outcome = run(made, lanes, choice=lambda waiting: pick.choice(sorted(waiting)))
    assert outcome.results == run(made, lanes).results
    assert outcome.visits == run(made, lanes).visits


def test_compaction_computes_what_is_taken() -> None:
    """A lane's visits do not depend on its batch mates."""
    made = lower_to_blocks(programs.fib())
    alone = [run(made, [(n,)]).visits for n in (3, 7, 4)]
    assert run(made, [(3,), (7,), (4,)]).visits == [sum(v) for v in zip(*alone)]


# Failures


def risky(x, k):
    if k < 0:
        raise ValueError("k is negative")
    return x[k] + 1.0


def test_a_lane_fails_alone_and_is_named_with_its_line() -> None:
    x = np.array([1.0, 2.0])
    lanes = lanes_of(risky, lambda: [(x, 0), (x, -1), (x, 5), (x, 1)])
    outcome = run(lower_to_blocks(bounds(lanes.program)), lanes.arguments())
    assert outcome.results == [(2.0,), None, None, (3.0,)]
    first, second = outcome.failures
    assert (first.lane, first.exception, first.message) == (1, "ValueError", "k is negative")
    assert (second.lane, second.exception) == (2, "IndexError")
    assert first.span.text in ("if k < 0:", 'raise ValueError("k is negative")')
    assert second.span.text == "return x[k] + 1.0"


def test_a_stack_limit_stops_the_lane_that_goes_beyond() -> None:
    outcome = run(lower_to_blocks(programs.fib()), [(3,), (7,), (4,)], stack_limit=3)
    assert outcome.results == [(3,), None, (5,)]
    assert [(f.lane, f.exception) for f in outcome.failures] == [(1, "RecursionError")]


# The order


def test_what_costs_most_over_its_visits_comes_last() -> None:
    made = lower_to_blocks(programs.pea_nuts())
    weight = weights(made)
    assert [weight[k] for k in block_order(made)] == sorted(weight)
    assert made.blocks[block_order(made)[-1]].function == "shell"


def correlated(rng, chol, n):
    """Draws weighed by a product each, in a loop of which every lane has its own length."""
    total = 0.0
    for _ in range(n):
        z = rng.standard_normal(10)
        total += walk(chol, z, rng.integers(1, 6))
    return total


def walk(chol, z, depth):
    if depth == 0:
        y = chol @ (chol @ (chol @ z))
        return np.dot(y, y)
    return walk(chol, z, depth - 1) + walk(chol, z, depth - 1)


def walk_other_way(chol, z, depth):
    if depth > 0:
        return walk_other_way(chol, z, depth - 1) + walk_other_way(chol, z, depth - 1)
    y = chol @ (chol @ (chol @ z))
    return np.dot(y, y)


def correlated_other_way(rng, chol, n):
    total = 0.0
    for _ in range(n):
        z = rng.standard_normal(10)
        total += walk_other_way(chol, z, rng.integers(1, 6))
    return total


@pytest.mark.parametrize("f", [correlated, correlated_other_way])
def test_the_expensive_block_runs_as_often_as_the_busiest_lane_needs_it(f) -> None:
    chol = np.tril(np.full((10, 10), 0.1)) + np.eye(10)

    def lanes():
        return [(np.random.Generator(np.random.Philox(key=[3, i])), chol, 3) for i in range(8)]

    made = lower_to_blocks(lanes_of(f, lanes, shared=(1,)).program)
    alone = [run(made, [lane]) for lane in lanes()]
    heavy = block_order(made)[-1]
    together = run(made, lanes())
    assert together.executions[heavy] == max(one.visits[heavy] for one in alone)
    assert together.visits[heavy] == sum(one.visits[heavy] for one in alone)
