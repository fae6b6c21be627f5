"""The cheapest home of each variable: what is on a stack, and when it is pushed."""

import block_programs as programs
import numpy as np
from lane_programs import lanes_of

from autobatch.cfg.graph import Call, Return
from autobatch.cfg.lower import lower_to_blocks
from autobatch.cfg.spilling import Home, assign_storage


def pushed(program, keep="calls"):
    """What each Call pushes, by name."""
    made = lower_to_blocks(program, keep=keep)
    where = assign_storage(made)
    return [
        [v.name for v in where.pushes[k]] for k, b in enumerate(made.blocks) if isinstance(b.terminator, Call)
    ]


def of(f, *arguments):
    return lanes_of(f, lambda: [arguments]).program


def test_only_what_is_needed_after_a_call_is_pushed():
    assert pushed(programs.fib()) == [["n", "address"], ["r", "address"]]


def test_tail_recursion_has_no_stack():
    for program in (programs.gcd(), programs.iota_sum(), programs.parity()):
        assert assign_storage(lower_to_blocks(program)).stacks == ()


def test_a_call_that_cannot_come_back_pushes_nothing():
    assert pushed(programs.pea_nuts())[0] == []


def square(x):
    if x > 3.0:
        return x * x
    return x + 1.0


def two_calls(x, y):
    a = square(x)
    return a + square(y) + x


def test_calls_of_a_function_that_is_not_recursive():
    made = lower_to_blocks(of(two_calls, 1.0, 2.0), keep="none")
    where = assign_storage(made)
    assert where.stacks == () and all(not p for p in where.pushes.values())
    callee = made.functions[next(f for f in made.functions if f != made.main)]
    assert where.homes[callee.address] is Home.REGISTER


def one_call(x):
    return square(x) + x


def test_a_function_called_from_one_place_returns_there():
    made = lower_to_blocks(of(one_call, 1.0), keep="none")
    where = assign_storage(made)
    returns = {k for k, b in enumerate(made.blocks) if isinstance(b.terminator, Return)}
    assert set(where.returns) == returns
    assert all(f.address not in where.registers for f in made.functions.values())


def binary(x, m, n):
    if n == 0:
        return x[0] * m
    left = binary(x, m, n - 1)
    return left + binary(x, m, n - 1) * x[1]


def test_arguments_handed_on_unchanged_are_not_pushed():
    saved = {name for names in pushed(of(binary, np.ones(2), 3.0, 4)) for name in names}
    assert "x" not in saved and "m" not in saved


def test_what_lives_in_one_block_has_no_slot():
    made = lower_to_blocks(programs.first_beyond(), keep="none")
    where = assign_storage(made)
    assert {v.name for v in where.registers} == {"n", "k", "at"}
    assert all(where.homes[v] is Home.TEMPORARY for v in where.homes if v not in where.registers)


def test_a_block_pops_what_was_pushed_before_it():
    made = lower_to_blocks(programs.fib())
    where = assign_storage(made)
    for k, block in enumerate(made.blocks):
        if isinstance(block.terminator, Call):
            assert where.popped(made, block.terminator.then) == where.pushes[k]
