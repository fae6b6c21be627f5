"""The loop over blocks: what it computes, how its stacks grow, which lanes fail, and how it reads."""

from collections.abc import Callable

import block_programs as programs
import numpy as np
import pytest
from corpus import Case
from lane_programs import PROGRAMS, agree, evaluated, holds, lanes_of, of_case
from test_local_static import SIZED, columns, random_lanes

from autobatch.cfg.generators import stream_of
from autobatch.cfg.graph import terminator_moves
from autobatch.cfg.lower import lower_to_blocks
from autobatch.lanes.program_counter import program_counter
from codegen.emit.module import show
from codegen.ir import While
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.simplify.driver import simplify
from codegen.source import SourceError


@pytest.mark.sampled(24)
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    """Every loop and branch cut into blocks."""
    lanes = of_case(case)
    try:
        made = program_counter(lanes.program, lanes.over, keep="none")
    except SourceError as refusal:
        assert case.name in SIZED and "differ" in str(refusal)
        return
    holds(lanes, made)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", [c for c in PROGRAMS if "recursive" in c.marks], ids=lambda case: case.name)
def test_recursive_programs_with_whole_loops_in_their_blocks(case: Case) -> None:
    lanes = of_case(case)
    holds(lanes, program_counter(lanes.program, lanes.over))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    program, over, rows = random_lanes(seed)
    made = program_counter(program, over, keep="none")
    check(made.program)
    wanted = [evaluate(program, *row) for row in rows]
    agree(wanted, evaluated(made.program)(*columns(rows, over)), len(wanted[0]), made)


def test_what_autobatchers_were_first_tested_on() -> None:
    def over(program, *values):
        made = program_counter(check(program), [True] * len(values))
        return [r.tolist() for r in evaluate(made.program, *(np.array(v) for v in values))]

    assert over(programs.fib(), [5, 6, 8, 9, 0, 1, 3]) == [[8, 13, 34, 55, 1, 1, 3]]
    assert over(programs.parity(), [5, 6, 8, 9, 0]) == [[False, True, True, False, True]]
    assert over(programs.gcd(), [7, 12, 49], [9, 9, 56]) == [[1, 3, 7]]
    assert over(programs.iota_sum(), [12, -13, 100], [0, 0, 0]) == [[78, 0, 5050]]
    assert over(programs.pea_nuts(), [3, 1, 5, 2], [0, 1, 2, 3], [0, 0, 0, 0]) == [[8, 2, 28, 14]]


def test_golden(golden: Callable[[str, str], None]) -> None:
    """fib as a reader gets it: registers, stacks that grow, a loop over blocks."""
    golden("fib_program_counter.py", show(simplify(program_counter(programs.fib(), [True]).program)))


def test_cost_is_linear_in_lanes_and_steps() -> None:
    """Each run of a block touches the lanes that wait there, and no whole stack."""
    text = show(simplify(program_counter(programs.fib(), [True]).program))
    loop = text[text.index("while np.any") :]
    writes = [line.strip() for line in loop.splitlines() if "] = " in line]
    assert writes and all(line.split(" = ")[0].split("[")[1].startswith("at") for line in writes)
    assert ".copy()" not in loop


def test_without_recursion_it_is_structured_code() -> None:
    def f(x):
        while x > 1.0:
            x = x / 2.0
        return x

    lanes = lanes_of(f, lambda: [(3.0,), (0.5,)])
    made = program_counter(lanes.program, lanes.over)
    holds(lanes, made)
    assert "pc" not in show(simplify(made.program))


def risky(x, k):
    if k < 0:
        raise ValueError("below")
    if k == 0:
        return x[k + 3]
    return risky(x, k - 1) + risky(x, k - 2)


def test_lanes_fail_alone() -> None:
    rows = [(np.ones(4), 0), (np.ones(4), 3), (np.ones(4), -1), (np.ones(4), 0)]
    lanes = lanes_of(risky, lambda: rows)
    made = program_counter(lanes.program, lanes.over)
    holds(lanes, made)
    failed = evaluate(made.program, *lanes.stacked())[-1]
    named = [made.failings[f - 1] if f else None for f in failed]
    assert [n and (n.exception, n.message) for n in named] == [
        None, ("ValueError", "below"), ("ValueError", "below"), None,
    ]  # fmt: skip


def test_a_stack_limit_is_a_lane_s_own() -> None:
    made = program_counter(programs.fib(), [True], stack_limit=4)
    result, failed = evaluate(made.program, np.array([3, 7, 4, 30]))
    assert [made.failings[f - 1].exception if f else None for f in failed] == [
        None, "RecursionError", None, "RecursionError",
    ]  # fmt: skip
    assert result[[0, 2]].tolist() == [3, 5]


def drawn(rng, n):
    if n <= 0:
        return rng.standard_normal()
    left = drawn(rng, n - 1)
    if left > 0.0:
        return left + drawn(rng, n - 2)
    return left - rng.random()


def test_streams_stay_in_one_place() -> None:
    def rows():
        return [(np.random.Generator(np.random.Philox(key=[7, k])), k) for k in range(6)]

    lanes = lanes_of(drawn, rows)
    made = lower_to_blocks(lanes.program)
    origin = stream_of(made)
    moved = {to for b in made.blocks for moves in terminator_moves(b) for to, _ in moves}
    streams = {v for v in moved if v.type.dtype == "rng"}
    assert all(origin[v] is made.entry.params[0] for v in streams)
    over = program_counter(lanes.program, lanes.over)
    holds(lanes, over)
    (machine,) = (e for e in over.program.entry.body.equations if isinstance(e.op, While))
    assert sum(v.type.dtype == "rng" for v in machine.op.carried) == 1


def scaled(design, weights, n):
    size = design.shape[0]
    if n == 0:
        z = np.zeros(size)
        z[0] = 1.0
        return z * np.exp(weights[0])
    return scaled(design, weights, n - 1) + design @ np.ones(design.shape[1])


def test_what_lanes_share_is_computed_before_they_start() -> None:
    design, weights = np.arange(6.0).reshape(2, 3), np.array([0.5, 1.0])
    lanes = lanes_of(scaled, lambda: [(design, weights, n) for n in (2, 0, 3)], shared=(0, 1))
    made = program_counter(lanes.program, lanes.over)
    holds(lanes, made)
    body = made.program.entry.body
    at = next(k for k, e in enumerate(body.equations) if isinstance(e.op, While))
    before = [e.op.primitive.name for e in body.equations[:at]]
    assert "matmul" in before


def test_shared_generators_are_refused() -> None:
    lanes = lanes_of(drawn, lambda: [(np.random.default_rng(0), 2)])
    with pytest.raises(SourceError, match=r"autobatch.streams\(seed, n\)"):
        program_counter(lanes.program, [False, True])
