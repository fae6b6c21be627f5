"""Innermost loops end where a check of their index fails, and whether it does is looked at once, after them.

    for k in range(n):                          for k in range(min(n, m)):
        if k >= m:                                  s[i] += x[k] * y[k]
            raise IndexError(...)         ->    if n > m:
        s[i] += x[k] * y[k]                         raise IndexError(...)

`shortened : Program -> Program`. All that came before the check has happened by then, and nothing else. A loop that may
end in its middle keeps what it adds up in memory. Where the index goes down, the first iteration fails or none: the
check comes before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from codegen.analysis.affine import offset_of
from codegen.analysis.effects import pure
from codegen.ir import Apply, Atom, Equation, For, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Effect, Relation
from codegen.ir.substitution import blocks, replaced
from codegen.ir.traversal import binds, with_bodies, with_equations


class EarlyEnd(NamedTuple):
    """A check that a loop's index, and so much more, is less than a size; `places`: what stands for their sum."""

    check: Equation
    more: int
    size: Atom
    places: tuple[Var, ...]


def shortened(program: Program) -> Program:
    return with_bodies(program, lambda body: with_equations(body, without_early_end))


def without_early_end(equation: Equation) -> Iterator[Equation]:
    """A loop, and the checks that it is rid of after it: the last one first, which ends it first where both fail."""
    loop, late = equation.op, list[Equation]()
    while isinstance(loop, For) and (end := end_of(loop)) is not None:
        rest = tuple(e for e in loop.body.equations if e is not end.check)
        body = replace(loop.body, equations=rest)
        if loop.step < 0:
            yield from early_check(loop, end)
            loop = replace(loop, body=body)
            continue
        b = Builder(span=end.check.span, checked=False)
        limit = b.wrap(end.size) - end.more
        stop = b.atom(b.apply("smaller", loop.stop, limit))
        yield from b.equations
        late = [*late_check(loop, end, b.atom(limit)), *late]
        loop = replace(loop, stop=stop, body=body)
    yield replace(equation, op=loop)
    yield from late


def end_of(loop: For) -> EarlyEnd | None:
    """The check by which an innermost loop may end, if nothing that it does comes before."""
    if loop.step not in (1, -1) or loop.kind == "threads" or any(blocks(e.op) for e in loop.body.equations):
        return None
    more: dict[Atom, int] = {loop.index: 0}
    tests: dict[Atom, tuple[int, Atom]] = {}
    own = {*loop.carried, *(v for e in loop.body.equations for v in binds(e))}
    for e in loop.body.equations:
        op = e.op
        if (
            not isinstance(op, Apply)
            or (not pure(e) and op.primitive.kind is not Effect.CHECK)
            or op.primitive.writes
        ):
            return None
        if op.primitive.kind is Effect.CHECK:
            found = tests.get(op.operands[0])
            if found is None:
                return None
            places = tuple(v for v, c in more.items() if c == found[0] and isinstance(v, Var))
            told = set(op.operands[1:]) - set(places)
            return EarlyEnd(e, *found, places) if own.isdisjoint(told) else None
        plus = offset_of(op)
        if plus is not None and plus[0] is loop.index:
            more[e.outs[0]] = plus[1]
        if op.primitive.kind is Relation.LT and op.operands[0] in more and op.operands[1] not in own:
            tests[e.outs[0]] = more[op.operands[0]], op.operands[1]
    return None


def late_check(loop: For, end: EarlyEnd, limit: Atom) -> list[Equation]:
    """The check after the loop, for the first iteration that would fail."""
    b = Builder(span=end.check.span, checked=False)
    begins_below = isinstance(loop.start, Lit) and loop.start.value <= 0 and not end.more
    first = limit if begins_below else b.atom(b.apply("larger", loop.start, limit))
    passes = b.apply("le", loop.stop, first)
    check = check_at(end, b, b.atom(passes), b.wrap(first))
    return [*b.equations, check]


def early_check(loop: For, end: EarlyEnd) -> list[Equation]:
    """The check before a loop that goes down, for its first iteration."""
    b = Builder(span=end.check.span, checked=False)
    none = b.apply("le", loop.start, loop.stop)
    inside = b.apply("lt", b.wrap(loop.start) + end.more if end.more else loop.start, end.size)
    passes = b.atom(b.apply("or", none, inside))
    check = check_at(end, b, passes, b.wrap(loop.start))
    return [*b.equations, check]


def check_at(end: EarlyEnd, b: Builder, passes: Atom, index: Any) -> Equation:
    """The check, which passes by another test, for an index."""
    op = end.check.op
    assert isinstance(op, Apply)
    told = replaced(op.operands[1:], dict.fromkeys(end.places, b.atom(index + end.more)))
    return replace(end.check, op=replace(op, operands=(passes, *told)))
