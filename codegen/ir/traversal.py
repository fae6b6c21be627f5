"""Walks that passes share: all equations of a program, and programs with other blocks in place of theirs.

equations      Block -> its equations and, after each, those inside it
within         Equation -> the same of one
operands       Block -> all that is read in it
with_inner    Operation, (Block -> Block) -> the operation around other blocks
with_bodies    Program, (Block -> Block) -> the program with other bodies of its functions
with_calls     Block, (Call -> Call) -> the block with other calls
recalled       Block, {name: name} -> the block calling functions by other names
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, assert_never, overload

from codegen import ir
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Operation, Program, While
from codegen.ir.substitution import blocks, reads

Change = Callable[[Block], Block]


def equations(block: Block) -> Iterator[Equation]:
    for equation in block.equations:
        yield from within(equation)


def within(equation: Equation) -> Iterator[Equation]:
    """An equation, and those inside it."""
    yield equation
    for inner in blocks(equation.op):
        yield from equations(inner)


def equation_count(block: Block) -> int:
    """How many equations a block has, those inside others included."""
    return sum(1 for _ in equations(block))


def operands(block: Block) -> Iterator[Atom]:
    """What a block and those inside it read as values, and give."""
    yield from block.results
    for equation in equations(block):
        yield from reads(equation.op)
        for inner in blocks(equation.op):
            yield from inner.results


def all_equations(whole: Program) -> Iterator[Equation]:
    """Those of all functions."""
    for function in whole.functions.values():
        yield from equations(function.body)


@overload
def with_inner(op: For, change: Change) -> For: ...
@overload
def with_inner(op: While, change: Change) -> While: ...
@overload
def with_inner(op: Operation, change: Change) -> Operation: ...


def with_inner(op: Operation, change: Change) -> Operation:
    """An operation with the blocks inside it changed, in the order they run; one without any is itself."""
    match op:
        case Apply() | Call():
            return op
        case If():
            return replace(op, then=change(op.then), orelse=change(op.orelse))
        case For():
            return replace(op, body=change(op.body))
        case While():
            return replace(op, cond=change(op.cond), body=change(op.body))
        case _:
            assert_never(op)


def with_bodies(whole: Program, change: Change) -> Program:
    """A program with each function's body changed."""
    return with_functions(whole, lambda function: replace(function, body=change(function.body)))


def with_functions(whole: Program, change: Callable[[Function], Function]) -> Program:
    """A program with each function changed, under the name it had."""
    return ir.program({name: change(f) for name, f in whole.functions.items()}, whole.main)


def with_entry(whole: Program, **changes: Any) -> Program:
    """A program whose main function is changed in these fields."""
    return ir.program({**whole.functions, whole.main: replace(whole.entry, **changes)}, whole.main)


def with_results(whole: Program, results: Iterable[int]) -> Program:
    """A program with these results alone, in this order."""
    body = whole.entry.body
    return with_entry(whole, body=replace(body, results=tuple(body.results[k] for k in results)))


def with_calls(block: Block, change: Callable[[Call], Call]) -> Block:
    """A block with each call in it changed."""

    def under(equation: Equation) -> Equation:
        if isinstance(equation.op, Call):
            return replace(equation, op=change(equation.op))
        return replace(equation, op=with_inner(equation.op, lambda inner: with_calls(inner, change)))

    return replace(block, equations=tuple(map(under, block.equations)))


def recalled(block: Block, names: Mapping[str, str]) -> Block:
    """A block whose calls go to functions of other names."""
    return with_calls(block, lambda call: replace(call, function=names.get(call.function, call.function)))
