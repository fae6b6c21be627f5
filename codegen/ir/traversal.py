"""Walks that passes share: all equations of a program, and programs with other blocks in place of theirs.

equations      Block -> its equations and, after each, those inside it; nested: of equations, without a block
binds          Equation -> all that it binds, inside it too
with_inner    Operation, (Block -> Block) -> the operation around other blocks
with_bodies    Program, (Block -> Block) -> the program with other bodies of its functions
recalled       Block, {name: name} -> the block calling functions by other names
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never, overload

from codegen.ir import (
    Apply,
    Block,
    Call,
    Equation,
    For,
    Function,
    If,
    Operation,
    Program,
    Var,
    While,
    program,
)
from codegen.ir.substitution import binders, blocks

Change = Callable[[Block], Block]


def equations(block: Block) -> Iterator[Equation]:
    return nested(block.equations)


def nested(listed: Iterable[Equation]) -> Iterator[Equation]:
    """Equations and, after each, those inside it."""
    for equation in listed:
        yield equation
        for inner in blocks(equation.op):
            yield from nested(inner.equations)


def binds(equation: Equation) -> Iterator[Var]:
    """Every Var that an equation binds, inside it too."""
    for each in nested((equation,)):
        yield from (*each.outs, *binders(each.op))


def equation_count(block: Block) -> int:
    """How many equations a block has, those inside others included."""
    return sum(1 for _ in equations(block))


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
    return program({name: change(f) for name, f in whole.functions.items()}, whole.main)


def recalled(block: Block, names: Mapping[str, str]) -> Block:
    """A block whose calls go to functions of other names."""

    def under(equation: Equation) -> Equation:
        op = equation.op
        if isinstance(op, Call):
            return replace(equation, op=replace(op, function=names.get(op.function, op.function)))
        return replace(equation, op=with_inner(op, lambda inner: recalled(inner, names)))

    return replace(block, equations=tuple(map(under, block.equations)))
