"""Walks that passes share: all equations of a program, and programs with other blocks in place of theirs.

equations      Block -> its equations and, after each, those inside it
with_inner    Operation, (Block -> Block) -> the operation around other blocks
with_equations Block, (Equation -> equations) -> the block with others in the place of each, at any depth
with_bodies    Program, (Block -> Block) -> the program with other bodies of its functions
recalled       Block, {name: name} -> the block calling functions by other names
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import assert_never, overload

from codegen.ir import Apply, Block, Call, Equation, For, Function, If, Operation, Program, While, program
from codegen.ir.substitution import blocks

Change = Callable[[Block], Block]


def equations(block: Block) -> Iterator[Equation]:
    for equation in block.equations:
        yield equation
        for inner in blocks(equation.op):
            yield from equations(inner)


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


def with_equations(block: Block, change: Callable[[Equation], Iterable[Equation]]) -> Block:
    """A block with what `change` gives in the place of each equation, those inside it changed first."""
    made: list[Equation] = []
    for equation in block.equations:
        op = with_inner(equation.op, lambda inner: with_equations(inner, change))
        made += change(equation if op is equation.op else replace(equation, op=op))
    return replace(block, equations=tuple(made))


def with_bodies(whole: Program, change: Change) -> Program:
    """A program with each function's body changed."""
    return with_functions(whole, lambda function: replace(function, body=change(function.body)))


def with_functions(whole: Program, change: Callable[[Function], Function]) -> Program:
    """A program with each function changed, under the name it had."""
    return program({name: change(f) for name, f in whole.functions.items()}, whole.main)


def recalled(block: Block, names: Mapping[str, str]) -> Block:
    """A block whose calls go to functions of other names."""

    def under(equation: Equation) -> list[Equation]:
        op = equation.op
        if isinstance(op, Call):
            op = replace(op, function=names.get(op.function, op.function))
        return [replace(equation, op=op)]

    return with_equations(block, under)


def unused_name(label: str, taken: Container[str]) -> str:
    """The first of `label`, label_2, label_3, ... that is not taken."""
    names = chain([label], (f"{label}_{k}" for k in count(2)))
    return next(name for name in names if name not in taken)
