"""Writes at places that nobody reads any more: dead_writes : Program -> Program.

    u = v[1]                       u = v[1]
    v[1] = 0.0              ->     w = v[0]            v is read at other places alone
    w = v[0]
    v[0] = 0.0

So ends the adjoint of an array that is filled piece by piece: each piece is taken out of it, and would be cleared. What
is in an array that a function returns or leaves in an argument is read by its caller. Indices have been checked before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from codegen.ir import Apply, Atom, Block, Equation, Function, Lit, Program, Var
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, free, keep, replaced, rewrite
from codegen.ir.traversal import equations, with_functions

Places = tuple[int, ...]


def dead_writes(program: Program) -> Program:
    return with_functions(program, without_dead_writes)


def without_dead_writes(function: Function) -> Function:
    users: dict[Atom, list[Equation]] = defaultdict(list)
    for equation in equations(function.body):
        for var in free(equation.op):
            users[var].append(equation)
    given = set(results(function.body))
    dead = {}
    for equation in equations(function.body):
        op = equation.op
        if not isinstance(op, Apply) or op.primitive.kind is not Access.WRITE:
            continue
        at = first_places(op)
        if at and is_unread(equation.outs[0], at, users, given):
            dead[equation] = op.operands[0]

    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        if equation not in dead:
            return None
        (env[equation.outs[0]],) = replaced((dead[equation],), env)
        return []

    return replace(function, body=rewrite(function.body, {}, keep, expand)) if dead else function


def results(block: Block) -> Iterator[Atom]:
    """What a block and those in it give."""
    yield from block.results
    for equation in block.equations:
        for inside in blocks(equation.op):
            yield from results(inside)


def first_places(op: Apply) -> Places:
    """Along the first axes of an array, where it is read or written, as far as that is known."""
    found: list[int] = []
    places = op.operands[1 + (op.primitive.kind is not Access.READ) :]
    for token, place in zip(op.params["spec"], places, strict=False):
        if token != "i" or not isinstance(place, Lit):
            break
        found.append(int(place.value))
    return tuple(found)


def is_unread(array: Atom, at: Places, users: Mapping[Atom, list[Equation]], given: set[Atom]) -> bool:
    """Whether nobody reads an array at these places, nor what is made of it by writing at others."""
    todo = [array]
    while todo:
        array = todo.pop()
        if array in given:
            return False
        for user in users.get(array, ()):
            op = user.op
            if not isinstance(op, Apply) or op.operands[0] is not array or array in op.operands[1:]:
                return False
            kind = op.primitive.kind
            if kind not in (Access.READ, Access.WRITE, Access.ADD):
                return False
            if kind is not Access.WRITE and not apart(first_places(op), at):
                return False
            if kind is not Access.READ:
                todo.append(user.outs[0])
    return True


def apart(some: Places, others: Places) -> bool:
    """Whether places surely differ, those counted from the end being elsewhere."""
    return any(a != b and (a < 0) == (b < 0) for a, b in zip(some, others, strict=False))
