"""Block programs that are not well formed are named, with the pass that made them."""

from collections.abc import Callable
from dataclasses import replace

import block_programs as programs
import pytest

from autobatch.cfg.check import check
from autobatch.cfg.graph import BlockProgram, Branch, Call, Jump, Return, with_blocks
from autobatch.cfg.lower import lower_to_blocks
from codegen.ir import Lit, Type
from codegen.ir.check import InternalError


def without_equations(p: BlockProgram) -> BlockProgram:
    return with_blocks(p, {1: replace(p.blocks[1], equations=())})


def leading_nowhere(p: BlockProgram) -> BlockProgram:
    return with_blocks(p, {4: replace(p.blocks[4], terminator=Jump(17))})


def returning_nowhere(p: BlockProgram) -> BlockProgram:
    call = p.blocks[1].terminator
    assert isinstance(call, Call)
    return with_blocks(p, {1: replace(p.blocks[1], terminator=replace(call, then=-1))})


def on_an_int(p: BlockProgram) -> BlockProgram:
    branch = p.blocks[0].terminator
    assert isinstance(branch, Branch)
    return with_blocks(p, {0: replace(p.blocks[0], terminator=replace(branch, test=Lit(1, Type("i8"))))})


def jumped_to_after_a_call(p: BlockProgram) -> BlockProgram:
    return with_blocks(p, {4: replace(p.blocks[4], terminator=Jump(2))})


def moving_a_bool(p: BlockProgram) -> BlockProgram:
    end = p.blocks[4].terminator
    assert isinstance(end, Return)
    moves = tuple((target, Lit(True, Type("b1"))) for target, _ in end.moves)
    return with_blocks(p, {4: replace(p.blocks[4], terminator=Return(moves))})


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (without_equations, "fib else reads t, which is not assigned on every path to it"),
        (leading_nowhere, "fib join leads to block 17, which is not there"),
        (returning_nowhere, "fib else leads to block -1, which is not there"),
        (on_an_int, "fib branches on i8"),
        (jumped_to_after_a_call, "fib after fib takes results of a call, and is jumped to"),
        (moving_a_bool, "fib join moves b1 to j: i8"),
    ],
)
def test_what_is_broken_is_named(broken: Callable[[BlockProgram], BlockProgram], said: str) -> None:
    made = lower_to_blocks(programs.fib())
    assert check(made, after="blocks") is made
    with pytest.raises(InternalError) as error:
        check(broken(made), after="the test")
    first, *rest = str(error.value).splitlines()
    assert first == f"after the test: {said}"
    assert "not there" in said or rest[0].startswith("0 fib  cost 1")
