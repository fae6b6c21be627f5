"""What the first program-counter autobatcher was tested on, and where its users ran into walls.

Each program is plain Python for one lane; each form and target gives what a loop over the lanes gives.
"""

from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from block_interpreter import run
from corpus import branches, calls, nests
from corpus.arrays import event_shapes_side_by_side, sum_of_doubles
from over_lanes import arguments, directory, same_as_loop  # noqa: F401

from autobatch import Schedule, batch, streams
from autobatch.cfg.lower import lower_to_blocks
from autobatch.cfg.spilling import assign_storage
from autobatch.mcmc.kernels import nuts
from autobatch.mcmc.kernels.metric import Diagonal, diagonal_momentum, diagonal_velocity
from autobatch.simd.vectorisable import may_diverge
from codegen.infer import trace
from codegen.ir import Apply
from codegen.pytree import describe, known_size

Pair = namedtuple("Pair", ["left", "right"])


def one_name_for_a_nest(x):
    answer = x + 1, (x + 2, x + 3)
    _, (y, z) = answer
    return y, z


def named(pair):
    return Pair(pair.right + 1, pair)


def through_caller_and_callee(x):
    pair = Pair(x, x + 1)
    outer = named(pair)
    return outer, outer.right


def several(x):
    return x, x + 1, x + 2


def dummy_outputs(x):
    _, y, _ = several(x)
    return y


def counted_outside(n):
    return n + len("four") + scale


scale = 10
offset = 100


def shares_a_globals_name(x):
    scale = x * 2
    return scale + counted_outside(x)


def doubled(x, by=2, *, plus=0):
    return x * by + plus


def own_name_rebound(x):
    x = doubled(x)
    x = doubled(x, plus=1)
    return doubled(by=x, x=3)


def power(x, n, one=1):
    return one if n == 0 else x * power(x, n=n - 1)


def keywords_in_recursion(x, n):
    return power(x, n) + power(n=2, x=x, one=3)


def nested(x):
    def inner(y):
        return y + offset if y > 0 else outer_again(-y)

    outer_again = lambda z: inner(z + 1) if z < 3 else z * x
    return inner(x) + (lambda y, by=x: y * by)(2)


def applied(f, x, n):
    return x if n == 0 else applied(f, f(x), n - 1)


def functions_as_arguments(x, n):
    return applied(lambda y: y * 2 + x, x, n) + applied(doubled, x, n)


def thresholds(n):
    answer = 1
    if n > 4:
        answer = 3
        if n > 50:
            answer = 5
    if True:
        return answer
    return missing  # noqa: F821


PROGRAMS = [  # function, lanes, shared
    (branches.last_write_wins, (5, 10, 15), ()),
    (branches.two_or_zero, (0, 5, -15), ()),
    (branches.two_or_zero_expression, (0, 5, -15), ()),
    (nests.part_of_a_pattern_overwritten, (1, 2), ()),
    (one_name_for_a_nest, (3, 4, 5), ()),
    (calls.fibonacci, (5, 6, 8, 9), ()),
    (calls.fibonacci, (np.int32(0), np.int32(1), np.int32(3)), ()),
    (calls.fibonacci, (0.0, 1.0, 3.0, 9.0), ()),
    (calls.fibonacci, (np.float32(5), np.float32(8)), ()),
    (calls.fibonacci_other_order, (6, 7, 8, 7), ()),
    (calls.is_even, (5, 6, 8, 9, 0), ()),
    (calls.pea_nuts, ((3, 3, 0), (3, 3, 5)), ()),
    (calls.pea_nuts_of_changing_depth, ((3, 0), (1, 1), (5, 2), (2, 3)), ()),
    (calls.iota_sum, ((12, 0), (-13, 0), (100, 0)), ()),
    (calls.gcd, ((7, 9), (12, 9), (49, 56)), ()),
    (nests.unpacked_list, (6, 7, 8), ()),
    (through_caller_and_callee, (6, 7, 8), ()),
    (dummy_outputs, (6, 7, 8), ()),
    (nests.restructured_returns, (3, 4, 5), ()),
    (sum_of_doubles, (np.array([12, 13]), np.array([-13, 10]), np.array([14, 1])), ()),
    (event_shapes_side_by_side, ((np.ones(3), np.eye(3), 2.0), (np.arange(3.0), np.ones((3, 3)), -1.0)), ()),
    (
        branches.seven_arguments,
        ((1, 2.0, 3.0, 4.0, True, 6, 7.0), (2, 2.0, 5.0, 4.0, False, 6, 1.0)),
        (1, 3, 5),
    ),
    (thresholds, (1, 5, 60, 3, 7), ()),
    (counted_outside, (1, 2), ()),
    (shares_a_globals_name, (1, 2), ()),
    (own_name_rebound, (1, 2), ()),
    (keywords_in_recursion, ((2, 3), (3, 0), (-1, 5)), ()),
    (nested, (2, -1, -5), ()),
    (functions_as_arguments, ((2, 3), (3, 0), (-1, 5)), ()),
]
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


def lanes_of(given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [lane if type(lane) is tuple else (lane,) for lane in given]


def label(program: Any) -> str:
    function, lanes, _ = program
    return f"{function.__name__}-{type(lanes_of(lanes)[0][0]).__name__}"


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


@pytest.mark.sampled(3)
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


# NUTS, 20 chains side by side: a correlated normal in ten dimensions

COVARIANCE = 0.5 ** np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
PRECISION = np.linalg.inv(COVARIANCE)


def correlated(q):
    g = -(PRECISION @ q)
    return 0.5 * np.dot(q, g), g


def flat(q):
    return 0.0, np.zeros(q.shape[0])


def chain(rng, q, draws, step_size, max_depth, logp_grad):
    state = nuts.init(q, logp_grad)
    total, metric = 0, Diagonal(np.ones(q.shape[0]))
    for _ in range(draws):
        state, info = nuts.step(
            rng, state, step_size, metric, diagonal_momentum, diagonal_velocity, logp_grad, max_depth
        )
        total += info.n_steps
    return state.position, total


def chain_of_correlated(rng, q, draws):
    return chain(rng, q, draws, 0.3, 10, correlated)


def steps_where_nothing_turns(rng, q, max_depth):
    return chain(rng, q, 1, 0.1, max_depth, flat)


@pytest.mark.sampled(2)
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


@pytest.mark.sampled(2)
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
