"""Counters that go along with a loop's index: they are it, or are so far from it. Of two of a `while` one is enough.

count = 0                             for i in range(n):
for i in range(n):            ->          ys[i] = x[i]
    ys[count] = x[i]                  count = n
    count += 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from codegen.analysis.affine import offset_of
from codegen.analysis.definitions import applied, is_empty
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import sizes, substitute
from codegen.ir.traversal import equations, with_bodies, with_equations
from codegen.primitives import ROWS

T = TypeVar("T")


def without_counters(program: Program) -> Program:
    """`program` with such counters made of the index."""
    return with_bodies(program, lambda body: with_places_for_rows(with_equations(body, uncounted)))


def uncounted(equation: Equation) -> list[Equation]:
    op = equation.op
    if isinstance(op, While):
        return once_counted(equation, op)
    if not isinstance(op, For) or op.step != 1:
        return [equation]
    measured = {d for v in (*op.carried, *equation.outs) for d in sizes(v.type)}
    places = [k for k, var in enumerate(op.carried) if is_counter(op, k, var) and var not in measured]
    places = [k for k in places if equation.outs[k] not in measured]
    return by_index(equation, op, places) if places else [equation]


def once_counted(equation: Equation, op: While) -> list[Equation]:
    """A `while` without counters that are others at each iteration."""
    made = applied(op.body.equations)
    first: dict[tuple[object, ...], int] = {}
    twins: dict[int, int] = {}
    for k, (var, init, result) in enumerate(zip(op.carried, op.init, op.body.results)):
        ahead = offset_of(made[result]) if result in made and not var.type.rank else None
        if ahead is not None and ahead[0] is var and ahead[1]:
            begin = init.value if isinstance(init, Lit) else init
            key = var.type.dtype, var.type.weak, init.type.weak, begin, ahead[1]
            if first.setdefault(key, k) != k:
                twins[k] = first[key]
    measured = {d for v in (*op.carried, *equation.outs) for d in sizes(v.type)}
    twins = {k: q for k, q in twins.items() if measured.isdisjoint((op.carried[k], equation.outs[k]))}
    if not twins:
        return [equation]
    same: dict[Var, Atom] = {op.carried[k]: op.carried[q] for k, q in twins.items()}
    kept = [k for k in range(len(op.carried)) if k not in twins]
    cond, body = substitute(op.cond, same), substitute(op.body, same)
    body = replace(body, results=at_places(body.results, kept))
    loop = While(at_places(op.carried, kept), at_places(op.init, kept), cond, body)
    copies = [
        Equation((equation.outs[k],), Apply(ROWS["copy"], (equation.outs[q],)), equation.span)
        for k, q in twins.items()
    ]
    return [Equation(at_places(equation.outs, kept), loop, equation.span), *copies]


def with_places_for_rows(body: Block) -> Block:
    """A block in which what is read of an array that keeps the index of a loop, or what is so far from it, at that
    index, is computed of the place.

    for k in range(n):                              for k in range(n): ...
        ks[k] = k + 1                      ->       for k in range(n - 1, -1, -1):
    for k in range(n - 1, -1, -1):                      x += k + 1
        x += ks[k]
    """
    inside = list(equations(body))
    empty = {e.outs[0] for e in inside if is_empty(e)}
    loops = [(e, e.op) for e in inside if isinstance(e.op, For)]
    kept = {
        out: ahead
        for e, op in loops
        for k, out in enumerate(e.outs)
        if op.init[k] in empty and (ahead := kept_of_index(op, k)) is not None
    }
    if not kept:
        return body
    places = {op.index for _, op in loops if op.step > 0 and is_literal_from(op.start, 0)}
    places |= {op.index for _, op in loops if op.step < 0 and is_literal_from(op.stop, -1)}

    def by_place(equation: Equation) -> list[Equation]:
        op = equation.op
        if not isinstance(op, Apply) or op.primitive.kind is not Access.READ or op.operands[0] not in kept:
            return [equation]
        if len(op.operands) > 2 or op.operands[1] not in places or equation.outs[0].type.rank:
            return [equation]
        b = Builder(span=equation.span, checked=False)
        place = (
            b.apply("add", b.wrap(op.operands[1]), ahead)
            if (ahead := kept[op.operands[0]])
            else op.operands[1]
        )
        cast = Apply(ROWS["cast"], (b.atom(place),), {"dtype": equation.outs[0].type.dtype})
        return [*b.equations, replace(equation, op=cast)]

    return with_equations(body, by_place)


def kept_of_index(op: For, k: int) -> int | None:
    """What a loop adds to its index, which is not negative, and writes into a carried array, at that place: None where
    it writes anything else, or dtypes that may not hold it."""
    array, definitions = op.carried[k], applied(op.body.equations)
    made = definitions.get(op.body.results[k])
    if made is None or array.type.rank != 1 or op.step < 0 or not is_literal_from(op.start, 0):
        return None
    is_one = made.primitive.kind is Access.WRITE and made.params["spec"] == ("i",)
    if not is_one or made.operands[0] is not array or made.operands[2] is not op.index:
        return None
    value = made.operands[1]
    if value is op.index:
        return 0
    ahead = offset_of(definitions.get(value))
    return ahead[1] if ahead is not None and ahead[0] is op.index and array.type.dtype == "i8" else None


def is_literal_from(atom: Atom, least: int) -> bool:
    return isinstance(atom, Lit) and atom.value >= least


def is_counter(op: For, place: int, var: Var) -> bool:
    """Whether a carried int grows by one in each iteration, as the index does, from where that is easily said."""
    init, start = op.init[place], op.start
    if var.type != op.index.type or init.type != var.type:
        return False
    if not (are_same(init, start) or isinstance(start, Lit) and (isinstance(init, Lit) or start.value == 0)):
        return False
    made = applied(op.body.equations).get(op.body.results[place])
    return made is not None and offset_of(made) == (var, 1)


def are_same(x: Atom, y: Atom) -> bool:
    return x is y or isinstance(x, Lit) and isinstance(y, Lit) and x.value == y.value


def by_index(equation: Equation, op: For, places: list[int]) -> list[Equation]:
    """The loop without these carried ints, and what they are after it."""
    before, after = (Builder(span=equation.span, checked=False) for _ in range(2))
    found: dict[Var, Atom] = {}
    for k in places:
        init = op.init[k]
        if are_same(init, op.start):
            found[op.carried[k]], parts = op.index, ("maximum", op.stop, op.start)
        else:
            ahead = before.apply("sub", before.wrap(init), before.wrap(op.start))
            found[op.carried[k]] = before.atom(before.apply("add", before.wrap(op.index), ahead))
            trips = after.apply("maximum", after.apply("sub", after.wrap(op.stop), after.wrap(op.start)), 0)
            parts = ("add", after.atom(trips), init)
        after.emit((equation.outs[k],), Apply(ROWS[parts[0]], parts[1:], {}))
    kept = [k for k in range(len(op.carried)) if k not in places]
    body = substitute(op.body, found)
    block = Block((*before.equations, *body.equations), at_places(body.results, kept))
    loop = replace(op, carried=at_places(op.carried, kept), init=at_places(op.init, kept), body=block)
    return [Equation(at_places(equation.outs, kept), loop, equation.span), *after.equations]


def at_places(each: Sequence[T], places: Sequence[int]) -> tuple[T, ...]:
    return tuple(each[k] for k in places)
