"""Walks that passes share: all equations of a program, and programs with other blocks in place of theirs.

equations      Block -> its equations and, after each, those inside it
with_nested    Equation -> itself and those inside it
applied        Program -> the primitives that it applies
with_equations Block, (Equation -> equations) -> the block with other equations in the place of each
with_inner     Operation, (Block -> Block) -> the operation around other blocks
with_bodies    Program, (Block -> Block) -> the program with other bodies of its functions
recalled       Block, {name: name} -> the block calling functions by other names
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never, overload

from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Equation,
    For,
    Function,
    If,
    Operation,
    Program,
    While,
    program,
)
from codegen.ir.substitution import blocks

Change = Callable[[Block], Block]


def equations(block: Block) -> Iterator[Equation]:
    for equation in block.equations:
        yield equation
        for inner in blocks(equation.op):
            yield from equations(inner)


def with_nested(equation: Equation) -> Iterator[Equation]:
    """An equation and, after it, those inside it."""
    yield equation
    for inner in blocks(equation.op):
        yield from equations(inner)


def definitions(listed: Iterable[Equation]) -> dict[Atom, tuple[Equation, int]]:
    """For each out of some equations the one that gives it, and as which of its outs."""
    return {out: (e, k) for e in listed for k, out in enumerate(e.outs)}


def equation_count(block: Block) -> int:
    """How many equations a block has, those inside others included."""
    return sum(1 for _ in equations(block))


def all_equations(whole: Program) -> Iterator[Equation]:
    """Those of all functions."""
    for function in whole.functions.values():
        yield from equations(function.body)


def applied(whole: Program) -> Iterator[Apply]:
    """The primitives of all functions, where they are applied."""
    return (e.op for e in all_equations(whole) if isinstance(e.op, Apply))


def with_equations(block: Block, change: Callable[[Equation], Iterable[Equation]]) -> Block:
    """A block with what `change` makes of each equation, the blocks inside it changed before."""
    made: list[Equation] = []
    for equation in block.equations:
        op = with_inner(equation.op, lambda inner: with_equations(inner, change))
        made += change(equation if op is equation.op else replace(equation, op=op))
    return Block(tuple(made), block.results)


def with_outer_loops(
    block: Block, change: Callable[[Equation, For, bool], Iterable[Equation] | None], again: bool = False
) -> Block:
    """A block with what `change` makes of its outermost loops over ranges, also inside those that it leaves (None).

    It is told whether the loop is inside another, as are all of a block that runs `again`.
    """
    made: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, For) and (instead := change(equation, op, again)) is not None:
            made += instead
            continue
        if isinstance(op, For | While):
            op = replace(op, body=with_outer_loops(op.body, change, True))
        elif isinstance(op, If):
            op = with_inner(op, lambda inner: with_outer_loops(inner, change, again))
        made.append(replace(equation, op=op))
    return replace(block, equations=tuple(made))


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
