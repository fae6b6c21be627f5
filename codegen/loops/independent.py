"""Loops whose iterations threads of a GPU can share: is_independent : For -> bool.

    for i in range(n):
        y[i] = f(x, i)        places of its own
        s += y[i]             a sum, or another reduction
        counts[p[i]] += 1     whole numbers, which come to the same in any order

Iterations may fail: the first of them is then told (emit/gpu/kernels.py). Of two loops, one alone in the other, the
iterations of both may be those of one loop (`Nest`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.analysis.affine import sum_with_literal
from codegen.analysis.own_places import only_at_places, own_axes, uses
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Var
from codegen.ir.kinds import Access, Arithmetic, Logic
from codegen.ir.substitution import free, reads, sizes
from codegen.ir.traversal import binds, equations
from codegen.primitives.elementwise import UNWRAPPED
from codegen.simplify.driver import use_counts

Kind = Arithmetic | Logic
Sizes = frozenset[Var]
REDUCED = (Arithmetic.ADD, Arithmetic.MUL, Arithmetic.MAXIMUM, Arithmetic.MINIMUM, Logic.AND, Logic.OR)
COUNTED = ("i4", "u4", "i8", "u8")  # the whole numbers that threads can add to in one step


def sizes_in(function: Function) -> Sizes:
    """What is the size of an array, and so never negative."""
    inside = (v for e in function.body.equations for v in binds(e))
    return frozenset(n for v in (*function.params, *inside) for n in sizes(v.type))


@dataclass(frozen=True, eq=False)
class LoopNest:
    """A loop with nothing in it but another, and numbers that are made before."""

    outer: For
    before: tuple[Equation, ...]
    around: Equation
    inner: For


def nest_of(loop: For) -> LoopNest | None:
    """The loops, if both begin at 0 and the inner one's range is the same in each iteration of the outer."""
    *before, last = loop.body.equations or (None,)
    if last is None or not isinstance(last.op, For) or loop.body.results != last.outs:
        return None
    inner = last.op
    made = {loop.index, *loop.carried, *(o for e in before for o in e.outs)}
    same = inner.init == loop.carried and inner.step == loop.step == 1
    zero = all(isinstance(start, Lit) and start.value == 0 for start in (loop.start, inner.start))
    plain = all(isinstance(e.op, Apply) and not any(o.type.rank for o in e.outs) for e in before)
    carried = {v for e in before for v in reads(e.op)} | set(free(inner.body))
    if not (same and zero and plain) or inner.stop in made or carried & set(loop.carried):
        return None
    return LoopNest(loop, tuple(before), last, inner)


def exchanged(nest: LoopNest) -> For:
    """The inner loop around the outer."""
    outer, inner = nest.outer, nest.inner
    body = Block((*nest.before, *inner.body.equations), inner.body.results)
    within = replace(outer, carried=inner.carried, init=outer.carried, body=body)
    around = Block((replace(nest.around, op=within),), nest.around.outs)
    return replace(inner, carried=outer.carried, init=outer.init, body=around)


def is_independent(loop: For, known: Sizes = frozenset()) -> bool:
    """Whether no iteration looks at what another has made, but for reductions. `known`: sizes."""
    if loop.step != 1 or not all(map(computes, equations(loop.body))):
        return False
    places = own_places(loop, known)
    return all(
        any(own_axes(loop.body, param, place, result) for place in places) or counts(loop, k)
        if param.type.rank
        else reduction(loop.body, param, result) is not None
        for k, (param, result) in enumerate(zip(loop.carried, loop.body.results, strict=True))
    )


def computes(equation: Equation) -> bool:
    """Whether it computes values or fails, and does nothing else."""
    op = equation.op
    if not isinstance(op, Apply):
        return not isinstance(op, Call)
    return not op.primitive.of_streams and (op.primitive.stops or not op.primitive.effect)


def counts(loop: For, k: int) -> bool:
    """Whether carried array k is of whole numbers that iterations only add to, at any places."""
    param = loop.carried[k]
    if param.type.dtype not in COUNTED:
        return False
    versions = {param}
    for op in uses(loop.body, versions):
        if op is None or op.primitive.kind is not Access.ADD or not only_at_places(op, versions):
            return False
    return loop.body.results[k] in versions


def own_places(loop: For, known: Sizes) -> list[Var]:
    """The index, and it and what is the same for all iterations more: each iteration has another. None is below 0,
    where places count from an array's end, and two may be one."""
    if isinstance(loop.start, Lit):
        least = loop.start.value
    elif loop.start in known:
        least = 0
    else:
        return []
    found = [loop.index] if least >= 0 else []
    for equation in equations(loop.body):
        op = equation.op
        if not isinstance(op, Apply) or loop.index not in op.operands:
            continue
        moved = sum_with_literal(op)
        by_size = op.primitive.kind is Arithmetic.ADD and bool(known & set(op.operands))
        if least >= 0 and by_size or moved is not None and moved[0] is loop.index and least + moved[1] >= 0:
            found += equation.outs
    return found


def share_alike(a: For, b: For) -> bool:
    """Whether iterations of one loop may be done beside the other's by the same threads, as many as they have alone."""
    nests = [nest is not None and is_independent(nest.inner) for nest in map(nest_of, (a, b))]
    return is_independent(a) and is_independent(b) and nests[0] == nests[1]


def sum_alike(a: For, b: For) -> bool:
    """Whether both are sums of columns over the same places, of which threads take parts of rows."""
    nests = [nest_of(a), nest_of(b)]
    if None in nests or is_independent(a) or is_independent(b):
        return False
    inner = [nest.inner for nest in nests if nest is not None]
    return all(map(is_independent, inner)) and have_same_places(*inner)


def have_same_places(a: For, b: For) -> bool:
    """Whether loops, and those that they are alone around, have the same ranges."""
    inside = [nest.inner for nest in (nest_of(a), nest_of(b)) if nest is not None]
    return a.stop == b.stop and len(inside) != 1 and (not inside or have_same_places(*inside))


def reductions(loop: For) -> dict[Var, Kind]:
    """The numbers among what is carried, each with what it is reduced by."""
    found = zip(loop.carried, loop.body.results, strict=True)
    kinds = {p: reduction(loop.body, p, result) for p, result in found if not p.type.rank}
    return {p: kind for p, kind in kinds.items() if kind is not None}


def reduction(block: Block, carried: Var, result: Atom) -> Kind | None:
    """What a number is made of itself and one term an iteration by, and nothing else; a loop's terms may be several,
    and a branch may have none."""
    counts = use_counts(block)
    made = next((e for e in block.equations if result in e.outs), None)
    if made is None or not isinstance(result, Var) or counts[result] != 1:
        return None
    at = made.outs.index(result)
    match made.op:
        case Apply(primitive, operands) if carried in operands and counts[carried] == 1:
            kind = UNWRAPPED.get(primitive, primitive).kind
            if kind is Arithmetic.SUB and operands[0] is carried:  # the terms are added up, and taken away
                kind = Arithmetic.ADD
            if kind is Arithmetic.MULADD and operands[2] is carried:
                kind = Arithmetic.ADD
            wraps = kind is Arithmetic.MUL and not carried.type.is_float  # in an order that overflow.py sees
            return kind if kind in REDUCED and not wraps else None
        case For(carried=inner, init=init, body=body) if init[at] is carried and counts[carried] == 1:
            return reduction(body, inner[at], body.results[at])
        case If(test, then, orelse) if test is not carried:
            sides = [(b, b.results[at]) for b in (then, orelse)]
            quiet = [b for b, r in sides if r is carried and use_counts(b)[carried] == 1]
            kinds = {reduction(b, carried, r) for b, r in sides if r is not carried}
            counted = sum(use_counts(b)[carried] for b, _ in sides) == counts[carried]
            return kinds.pop() if len(quiet) == 1 and len(kinds) == 1 and counted else None
    return None
