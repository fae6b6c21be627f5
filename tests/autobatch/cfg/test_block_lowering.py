"""Programs cut into blocks: what becomes a jump, what is one function, what stays whole."""

from typing import Any

import block_programs as programs
import numpy as np
import pytest
from block_interpreter import run
from lane_programs import lanes_of
from random_ir import random_program, same

from autobatch.cfg.graph import BlockProgram, Call, terminator_moves
from autobatch.cfg.lower import lower_to_blocks, recursive_or_calling
from autobatch.cfg.spilling import block_listing
from codegen.ir.interpreter import evaluate

FIB = """\
0 fib  cost 1
    t = le n, 1
    branch t -> 4 | 1
1 fib else  cost 1
    t.2 = sub n, 1
    push n, address
    call fib, n <- t.2, then 2
2 fib after fib  cost 1
    pop n, address
    r = j
    t.3 = sub n, 2
    push r, address
    call fib, n <- t.3, then 3
3 fib after fib 2  cost 1
    pop r, address
    r.2 = j
    t.4 = add r, r.2
    return to address, j <- t.4
4 fib join  cost 0
    return to address, j <- 1
"""


FIRST_BEYOND = """\
0 first_beyond  cost 0
    jump 1, k <- 0, at <- -1
1 first_beyond body  cost 2
    t = mul k, k
    t.2 = gt t, n
    branch t.2 -> 3, at <- k | 2
2 first_beyond join  cost 2
    t.3 = add k, 1
    t.4 = lt t.3, 100
    branch t.4 -> 1, k <- t.3 | 3
3 first_beyond end  cost 0
    return to end, at.2 <- at
"""


def traced(f: Any, *arguments: Any, keep: Any = "none") -> BlockProgram:
    return lower_to_blocks(lanes_of(f, lambda: [arguments]).program, keep=keep)


def calls(made: BlockProgram) -> int:
    return sum(isinstance(block.terminator, Call) for block in made.blocks)


def test_recursion() -> None:
    assert block_listing(lower_to_blocks(programs.fib())) == FIB


@pytest.mark.parametrize("program", [programs.gcd(), programs.iota_sum(), programs.parity()])
def test_tail_calls_are_jumps(program: Any) -> None:
    made = lower_to_blocks(program)
    assert calls(made) == 0
    assert all(name not in reached for name, reached in made.reaches.items()) or len(made.functions) == 2


def test_a_tail_call_swaps_arguments_in_parallel() -> None:
    text = block_listing(lower_to_blocks(programs.gcd()))
    assert "branch t.2 -> 0, a <- b, b <- a | 2" in text


def inner_first(n, acc):
    if n <= 0:
        return acc
    z = calls_back(n - 3)
    y = inner_first(n - 2, acc * 0.5)
    return inner_first(n - 1, y + z)


def calls_back(n):
    return inner_first(n - 1, 2.0) if n > 0 else 1.0


def test_a_tail_call_after_a_call_whose_results_are_shared_later() -> None:
    """`calls_back` ends with a call of `inner_first`, so that both leave results in one place."""
    made = traced(inner_first, 5, 1.5, keep="calls")
    assert run(made, [(n, 1.5) for n in (1, 5, 7)]).results == [(inner_first(n, 1.5),) for n in (1, 5, 7)]


def search(x, v):
    for i in range(5):
        if x[i] == v:
            return i
        if x[i] < 0.0:
            continue
        if x[i] > 9.0:
            break
    return -1


def test_early_exits_are_jumps_again() -> None:
    """Neither `found` of the program built by hand nor `returned` of the traced one is left."""
    assert block_listing(lower_to_blocks(programs.first_beyond(), keep="none")) == FIRST_BEYOND
    made = traced(search, np.zeros(5), 1.0)
    assert "returned" not in block_listing(made)
    x = np.array([1.0, -2.0, 3.0, 10.0, 5.0])
    assert run(made, [(x, v) for v in (1.0, 3.0, 5.0)]).results == [(0,), (2,), (-1,)]


def test_keep_calls_leaves_what_does_not_recur_whole() -> None:
    assert len(traced(search, np.zeros(5), 1.0, keep="calls").blocks) == 1


def inner_sum(x, n):
    total = 0.0
    for i in range(n):
        total += x[i % 3]
    return total


def halves(x, n):
    if n <= 1:
        return inner_sum(x, n)
    return halves(x, n // 2) + halves(x, n - n // 2)


def test_only_recursion_is_cut() -> None:
    """The loop stays whole and its function is inlined; x, handed on unchanged, is not moved."""
    made = traced(halves, np.zeros(3), 4, keep="calls")
    assert set(made.functions) == {"halves"}
    assert sum(type(e.op).__name__ in ("For", "While") for b in made.blocks for e in b.equations) == 1
    x = made.entry.params[0]
    assert all(to is not x for b in made.blocks for moves in terminator_moves(b) for to, _ in moves)


def depth_first(n, flag):
    if n == 0:
        return 1.0 if flag else 2.0
    return depth_first(n - 1, False) + depth_first(n - 1, flag)


def test_specialisations_that_do_the_same_are_one() -> None:
    def twice(n):
        return depth_first(n, True) * depth_first(n + 1, False)

    made = traced(twice, 3)
    assert len(made.functions) <= 3
    assert run(made, [(3,), (4,)]).results == [(float(twice(3)),), (float(twice(4)),)]


def test_recursive_functions_and_those_that_call_them() -> None:
    assert recursive_or_calling(programs.pea_nuts()) == {"pea_nuts", "shell"}
    assert recursive_or_calling(programs.first_beyond()) == set()


def nested(n):
    total = 0
    for i in range(n):
        j = i
        while j > 0:
            j //= 2
            total += j
            if total > 50:
                return total
    return total


def test_loops_in_loops() -> None:
    made = traced(nested, 3)
    got = run(made, [(n,) for n in range(20)]).results
    assert got == [(nested(n),) for n in range(20)]


@pytest.mark.parametrize("keep", ["none", "calls"])
@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int, keep: Any) -> None:
    program, arguments = random_program(seed)
    got = run(lower_to_blocks(program, keep=keep), [arguments]).results[0]
    assert got is not None and same(got, evaluate(program, *arguments), 1e-12)
