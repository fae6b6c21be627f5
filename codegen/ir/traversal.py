"""Walks that passes share: all equations of a program, and programs with other blocks in place of theirs.

equations      Block -> its equations and, after each, those inside it; nested: of equations, without a block
within         Equation -> the same of one
binds          Equation -> all that it binds, inside it too
applications   Program -> the primitives that it applies
operands       Block -> all that is read in it
with_equations Block, (Equation -> equations) -> the block with other equations in the place of each
with_inner     Operation, (Block -> Block) -> the operation around other blocks
with_bodies    Program, (Block -> Block) -> the program with other bodies of its functions
with_calls     Block, (Call -> Call) -> the block with other calls
recalled       Block, {name: name} -> the block calling functions by other names
renamed_functions  functions, {name: name} -> the same under other names
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Any, assert_never, overload

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
    Var,
    While,
    program,
)
from codegen.ir.substitution import binders, blocks, reads

Change = Callable[[Block], Block]


def equations(block: Block) -> Iterator[Equation]:
    return nested(block.equations)


def nested(listed: Iterable[Equation]) -> Iterator[Equation]:
    """Equations and, after each, those inside it: by a list of what is left, as generators in one another would be
    resumed once a level for each equation."""
    left = list(listed)[::-1]
    while left:
        equation = left.pop()
        yield equation
        if type(equation.op) is not Apply:  # most are: this is gone through more often than anything else
            for inner in blocks(equation.op)[::-1]:
                left += inner.equations[::-1]


def within(equation: Equation) -> Iterator[Equation]:
    """An equation and, after it, those inside it."""
    return nested((equation,))


def binds(equation: Equation) -> Iterator[Var]:
    """Every Var that an equation binds, inside it too."""
    for each in within(equation):
        yield from (*each.outs, *binders(each.op))


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


def applications(whole: Program) -> Iterator[Apply]:
    """The primitives of all functions, where they are applied."""
    return (e.op for e in all_equations(whole) if isinstance(e.op, Apply))


def with_equations(block: Block, change: Callable[[Equation], Iterable[Equation]]) -> Block:
    """A block with what `change` makes of each equation, the blocks inside it changed before."""
    made: list[Equation] = []
    for equation in block.equations:
        op = with_inner(equation.op, lambda inner: with_equations(inner, change))
        made += change(equation if op is equation.op else Equation(equation.outs, op, equation.span))
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
            return If(op.test, change(op.then), change(op.orelse))
        case For():
            body = change(op.body)
            return For(op.index, op.start, op.stop, op.step, op.carried, op.init, body, op.kind)
        case While():
            return While(op.carried, op.init, change(op.cond), change(op.body))
        case _:
            assert_never(op)


def with_bodies(whole: Program, change: Change) -> Program:
    """A program with each function's body changed."""
    return with_functions(whole, lambda function: replace(function, body=change(function.body)))


def with_functions(whole: Program, change: Callable[[Function], Function]) -> Program:
    """A program with each function changed, under the name it had."""
    return program({name: change(f) for name, f in whole.functions.items()}, whole.main)


def with_entry(whole: Program, **changes: Any) -> Program:
    """A program whose main function is changed in these fields."""
    return program({**whole.functions, whole.main: replace(whole.entry, **changes)}, whole.main)


def with_results(whole: Program, results: Iterable[int]) -> Program:
    """A program with these results alone, in this order."""
    body = whole.entry.body
    return with_entry(whole, body=replace(body, results=tuple(body.results[k] for k in results)))


def with_calls(block: Block, change: Callable[[Call], Call]) -> Block:
    """A block with each call in it changed."""

    def under(equation: Equation) -> list[Equation]:
        op = equation.op
        return [replace(equation, op=change(op)) if isinstance(op, Call) else equation]

    return with_equations(block, under)


def recalled(block: Block, names: Mapping[str, str]) -> Block:
    """A block whose calls go to functions of other names."""
    return with_calls(block, lambda call: replace(call, function=names.get(call.function, call.function)))


def renamed_functions(functions: Mapping[str, Function], names: Mapping[str, str]) -> dict[str, Function]:
    """Functions under other names, which their calls go to: so one program's can join another's."""
    same = all(old == new for old, new in names.items())
    return {
        names[name]: replace(f, name=names[name], body=f.body if same else recalled(f.body, names))
        for name, f in functions.items()
    }


def unused_name(label: str, taken: Container[str]) -> str:
    """The first of `label`, label_2, label_3, ... that is not taken."""
    names = chain([label], (f"{label}_{k}" for k in count(2)))
    return next(name for name in names if name not in taken)


def claimed_name(label: str, taken: set[str]) -> str:
    """The same, taken from now on."""
    name = unused_name(label, taken)
    taken.add(name)
    return name
