"""Stacks of lanes against lists: pushes and pops by recursion, deep, in random order, past either end."""

import numpy as np
import pytest
from block_interpreter import run
from lane_programs import lanes_of

from autobatch.cfg.lower import lower_to_blocks
from autobatch.lanes.program_counter import program_counter
from codegen.ir.interpreter import evaluate

PUSH, POP, UPDATE, READ = range(4)


def frames(ops, k, x, level):
    """Run ops[k:] in one frame: the place after it, what its READs saw. A push is a call, a pop a return."""
    seen = 0.0
    while k < len(ops):
        op = ops[k]
        k += 1
        if op == PUSH:
            k, below = frames(ops, k, x * 0.5 + k, level + 1)
            seen = seen + below
        elif op == POP:
            if level == 0:
                raise IndexError("pop from an empty stack")
            return k, seen
        elif op == UPDATE:
            x = x + 1.0
        else:
            seen = seen * 0.75 + x
    if level > 0:
        k += 1
    return k, seen


def program(ops, x):
    return frames(ops, 0, x, 0)


def model(ops: list[int], x: float, limit: int | None = None) -> float | str:
    """The same with a list."""
    stack: list[tuple[float, float]] = []
    seen = 0.0
    for k, op in enumerate(ops, start=1):
        if op == PUSH:
            stack.append((x, seen))
            if limit is not None and len(stack) > limit:
                return "RecursionError"
            x, seen = x * 0.5 + k, 0.0
        elif op == POP:
            if not stack:
                return "IndexError"
            x, before = stack.pop()
            seen = before + seen
        elif op == UPDATE:
            x += 1.0
        else:
            seen = seen * 0.75 + x
    while stack:
        x, before = stack.pop()
        seen = before + seen
    return seen


def random_ops(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice(4, size=count, p=[0.3, 0.26, 0.2, 0.24])


def lanes(ops: list[np.ndarray]):
    return lanes_of(program, lambda: [(o, 1.0 + k) for k, o in enumerate(ops)])


def wanted(ops: list[np.ndarray], limit: int | None = None) -> list[float | str]:
    return [model(o.tolist(), 1.0 + k, limit) for k, o in enumerate(ops)]


def by_blocks(ops: list[np.ndarray], limit: int | None = None) -> list[float | str]:
    made = lanes(ops)
    outcome = run(lower_to_blocks(made.program), made.arguments(), stack_limit=limit)
    failed = {f.lane: f.exception for f in outcome.failures}
    return [failed[k] if r is None else float(r[1]) for k, r in enumerate(outcome.results)]


def by_counters(ops: list[np.ndarray], limit: int | None = None) -> list[float | str]:
    made = lanes(ops)
    over = program_counter(made.program, made.over, stack_limit=limit)
    _, seen, failed = evaluate(over.program, *made.stacked())
    return [over.failings[f - 1].exception if f else float(s) for s, f in zip(seen, failed)]


def check(got: list[float | str], expected: list[float | str]) -> None:
    for one, other in zip(got, expected, strict=True):
        assert one == (other if isinstance(other, str) else pytest.approx(other, rel=1e-12))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("machine", [by_blocks, by_counters])
@pytest.mark.parametrize("seed", range(4))
def test_random_pushes_and_pops(machine, seed: int) -> None:
    ops = [random_ops(10 * seed + lane, 80) for lane in range(5)]
    check(machine(ops), wanted(ops))


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("machine, depth", [(by_blocks, 2000), (by_counters, 250)])
def test_deep_stacks(machine, depth: int) -> None:
    """Deeper than what they begin with, and than Python's own."""
    deep = np.array([PUSH] * depth + [READ] + [POP, READ] * depth)
    flat = np.array([READ] * len(deep))
    ops = [deep, flat]
    check(machine(ops), wanted(ops))


@pytest.mark.parametrize("machine", [by_blocks, by_counters])
def test_only_the_lane_that_goes_too_deep_or_too_far_up_fails(machine) -> None:
    shallow = [PUSH, READ, POP, READ, READ, UPDATE, READ, READ]
    deep = [PUSH] * 7 + [READ]
    empty = [READ, POP, READ, READ, READ, READ, READ, READ]
    ops = [np.array(o) for o in (shallow, deep, empty, shallow)]
    expected = wanted(ops, limit=6)
    assert expected[1] == "RecursionError" and expected[2] == "IndexError"
    check(machine(ops, 6), expected)


def test_stacks_grow_only_where_lanes_push() -> None:
    """A lane that never calls holds nothing on its stack."""
    ops = [np.array([READ] * 20), np.array([PUSH] * 20)]
    made = lanes(ops)
    assert run(lower_to_blocks(made.program), made.arguments()).depth == [0, 20]
