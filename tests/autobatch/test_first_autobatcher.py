"""What the first program-counter autobatcher was tested on, and where its users ran into walls.

Each program is plain Python for one lane; each form and target gives what a loop over the lanes gives.
"""

from typing import Any

import numpy as np
import pytest
from block_interpreter import run
from corpus import calls
from first_autobatcher import (
    COVARIANCE,
    PROGRAMS,
    chain_of_correlated,
    label,
    lanes_of,
    steps_where_nothing_turns,
)
from over_lanes import arguments, directory, same_as_loop  # noqa: F401

from autobatch import Schedule, batch, streams
from autobatch.cfg.lower import lower_to_blocks
from autobatch.cfg.spilling import assign_storage
from autobatch.mcmc.kernels import nuts
from autobatch.simd.vectorisable import may_diverge
from codegen.infer import trace
from codegen.ir import Apply
from codegen.pytree import describe, known_size

GIVEN = {
    "last_write_wins": (2, 2, 2),
    "two_or_zero": (0, 2, 0),
    "one_name_for_a_nest": ((5, 6), (6, 7), (7, 8)),
    "fibonacci_other_order": (8, 13, 21, 13),
    "is_even": (False, True, True, False, True),
    "pea_nuts": (42, 47),
    "pea_nuts_of_changing_depth": (8, 2, 28, 14),
    "iota_sum": (78, 0, 5050),
    "gcd": (1, 3, 7),
    "unpacked_list": (12, 13, 14),
    "sum_of_doubles": (50, -6, 30),
    "thresholds": (1, 3, 5, 1, 3),
}


# Compiled, the structured form takes seconds a program: those that differ in kind.
STRUCTURED = (
    "fibonacci-int", "is_even-int", "iota_sum-int", "pea_nuts_of_changing_depth-int",
    "sum_of_doubles-ndarray",
    "through_caller_and_callee-int", "seven_arguments-int",
)  # fmt: skip
COMBINATIONS = [
    (program, target, form)
    for program in PROGRAMS
    for target in ("numpy", "numba")
    for form in ("program_counter", "local_static")
    if target == "numpy" or form == "program_counter" or label(program) in STRUCTURED
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "program, target, form", COMBINATIONS, ids=lambda p: p if isinstance(p, str) else label(p)
)
def test_programs(program: Any, target: str, form: str) -> None:
    function, given, shared = program
    lanes = lanes_of(given)
    _, axes = arguments(lanes, shared)
    many = batch(function, axes, schedule=Schedule(form), target=target)
    same_as_loop(many, function, lanes, shared)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p[0].__name__ in GIVEN], ids=label)
def test_the_numbers_themselves(program: Any) -> None:
    function, lanes, _ = program
    assert tuple(function(*lane) for lane in lanes_of(lanes)) == GIVEN[function.__name__]


def program_of(f: Any, *one: Any) -> Any:
    return trace(f, tuple(describe(a, known_size) for a in one), known_sizes=True)


def test_tail_recursion_pushes_nothing() -> None:
    assert assign_storage(lower_to_blocks(program_of(calls.iota_sum, 1, 0).program)).stacks == ()


@pytest.mark.parametrize("f", [calls.fibonacci, calls.fibonacci_other_order, calls.fibonacci_one_exit])
def test_the_addition_runs_as_often_as_the_busiest_lane_needs_it(f: Any) -> None:
    made = lower_to_blocks(program_of(f, 1).program)
    lanes = [3, 7, 4, 5] if f is not calls.fibonacci_other_order else [4, 8, 5, 6]
    outcome = run(made, [(n,) for n in lanes])
    (addition,) = [k for k, b in enumerate(made.blocks) if "add" in primitives_of(b)]
    assert outcome.executions[addition] == 20
    assert outcome.visits[addition] == 2 + 20 + 4 + 7
    assert [int(r[0]) for r in outcome.results] == [3, 21, 5, 8]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_density_that_never_turns_takes_the_whole_tree(target: str) -> None:
    depths = np.arange(1, 7)
    many = batch(steps_where_nothing_turns, schedule=Schedule("program_counter"), target=target)
    _, steps = many(streams(2, 6), np.ones((6, 2)), depths)
    np.testing.assert_array_equal(steps, 2**depths - 1)


def leaves_last(rng, depth, walk, signed_step, energy0, metric, velocity, logp_grad):
    """`nuts.subtree` with its branches the other way round."""
    if depth > 1:
        walk, valid = leaves_last(rng, depth - 1, walk, signed_step, energy0, metric, velocity, logp_grad)
        if valid:
            first, middle, rho = walk.first, walk.momentum, walk.rho
            walk, valid = leaves_last(rng, depth - 1, walk, signed_step, energy0, metric, velocity, logp_grad)
            if valid:
                valid = not nuts.turning(
                    metric, velocity, first, middle, rho, walk.first, walk.momentum, walk.rho
                )
            return walk._replace(first=first, rho=rho + walk.rho), valid
        else:
            return walk, False
    else:
        return nuts.base_case(rng, depth + 1, walk, signed_step, energy0, metric, velocity, logp_grad)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("subtree", [nuts.subtree, leaves_last], ids=lambda f: f.__name__)
def test_leapfrogs_run_as_often_as_the_busiest_chain_needs_them(subtree: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(nuts, "subtree", subtree)
    rngs, start = streams(5, 20), np.random.default_rng(1).multivariate_normal(np.zeros(10), COVARIANCE, 20)
    expected = [chain_of_correlated(rng, q, 10) for rng, q in zip(rngs, start)]
    made = program_of(chain_of_correlated, rngs[0], start[0], 10)
    whole = lower_to_blocks(made.program, meets=may_diverge)
    outcome = run(whole, [(rng, q, 10, *made.hidden) for rng, q in zip(rngs, start)])
    totals = [total for _, total in expected]
    assert [int(r[1]) for r in outcome.results] == totals and len(set(totals)) >= 3
    (leapfrog,) = [k for k, b in enumerate(whole.blocks) if {"matmul", "exp"} <= primitives_of(b)]
    assert outcome.executions[leapfrog] == max(totals)
    assert outcome.visits[leapfrog] == sum(totals)


def primitives_of(block: Any) -> set[str]:
    return {e.op.primitive.name for e in block.equations if isinstance(e.op, Apply)}
