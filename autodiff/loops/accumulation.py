"""Adding to one place in every iteration becomes adding once, after the loop.

    for j in range(i):                            r = 0.0
        a_bar[i] += g(j)                          for j in range(i):
        a_bar[j] += h(j)              ->              r += g(j)
                                                      a_bar[j] += h(j)
                                                  if i > 0:
                                                      a_bar[i] += r

The adjoint of a value that all iterations read is a sum; kept in a scalar it needs no memory and, in
parallel loops, no atomics. It applies where a loop reads and writes the array at other places alone, but for
additions. The guard is there because a loop without iterations may stand beside a place that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from autodiff.loops.dependences import Dependences, Place, accessed_place, from_start
from autodiff.sizes.scope import Brings, bound, mentions
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Type, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import binders, replaced, sizes, substitute
from codegen.ir.traversal import equations
from codegen.primitives import ROWS

Places = tuple[Atom, ...]  # the ints of a subscript


@dataclass(eq=False)
class PlaceSums:
    """Of one carried array: the places that do not change to which is added, and those that are read or overwritten."""

    array: Var
    places: list[Places] = field(default_factory=list)
    others: list[Place] = field(default_factory=list)


def emit_reduced(
    b: Builder, outs: tuple[Var, ...], loop: For, brought: Brings, dependences: Dependences
) -> None:
    """Emit `outs = loop` with what it adds to unchanging places added once behind it."""
    changing = {d for p in loop.carried for d in (p, *sizes(p.type))}
    fixed = {loop.index, *changing} | bound_in(loop.body, brought)
    ends = zip(loop.carried, loop.body.results, strict=True)
    found = [sums_of(p, r, loop.body, fixed, dependences) for p, r in ends]
    if not any(s and s.places for s in found):
        b.emit(outs, loop)
        return
    carried, init, results = list(loop.carried), list(loop.init), list(loop.body.results)
    body, after = loop.body, []
    made = list(outs)
    for slot, sums in enumerate(found):
        if sums is None or not sums.places:
            continue
        zero = Type(sums.array.type.dtype)
        scalars = [Var("total", zero) for _ in sums.places]
        pulled = Pull(sums, scalars, substitution={})
        added, now, totals = pulled.block(body, sums.array, scalars)
        body = Block(tuple(added), body.results)
        results[slot] = now
        results += totals
        carried += scalars
        init += [Lit(0.0, zero)] * len(scalars)
        sum_outs = [Var("total", zero) for _ in scalars]
        raw = Var(outs[slot].name, outs[slot].type)
        made[slot] = raw
        made += sum_outs
        after.append((outs[slot], raw, sums.places, sum_outs))
    body = replace(body, results=tuple(results))
    b.emit(tuple(made), replace(loop, carried=tuple(carried), init=tuple(init), body=body))
    for out, raw, places, sum_outs in after:
        add_once(b, loop, out, raw, places, sum_outs)


def add_once(b: Builder, loop: For, out: Var, raw: Var, places: list[Places], sums: list[Var]) -> None:
    """`array[place] += sum` for each place, where the loop ran at all."""
    inner = b.inner()
    now: Atom = raw
    for place, total in zip(places, sums, strict=True):
        params = {"spec": ("i",) * len(place)}
        now = inner.atom(inner.apply("accumulate", now, total, *place, name=out.name, **params))
    ran = b.atom(b.apply("lt" if loop.step > 0 else "gt", b.wrap(loop.start), b.wrap(loop.stop)))
    if isinstance(ran, Lit):
        kept = inner.equations if ran.value else []
        b.equations += kept[:-1]
        last = kept[-1] if kept else None
        b.emit((out,), last.op if last else Apply(ROWS["copy"], (raw,)))
        return
    b.emit((out,), If(ran, inner.block((now,)), Block((), (raw,))))


def bound_in(block: Block, brought: Brings) -> set[Var]:
    """All that a block binds, inner blocks included."""
    return {v for e in equations(block) for v in (*bound(e, brought), *binders(e.op))}


def sums_of(
    array: Var, end: Atom, body: Block, changing: set[Var], dependences: Dependences
) -> PlaceSums | None:
    """The unchanging places to which the body adds, if it does nothing else there."""
    if not array.type.rank or not array.type.is_float:
        return None
    sums = PlaceSums(array)
    last = last_version(body, array, sums, changing)
    if last is None or last is not end:
        return None
    shape = array.type.shape
    at = [Place(tuple(map(from_start, place, shape)), shape, ()) for place in sums.places]
    free = [all(dependences.never_meet(other, place) for other in sums.others) for place in at]
    sums.places = [place for place, is_free in zip(sums.places, free, strict=True) if is_free]
    return sums


def last_version(block: Block, now: Var, sums: PlaceSums, changing: set[Var]) -> Var | None:
    """The last version of an array in a block, which reads and writes it; None if it does anything else with it."""
    for equation in block.equations:
        if now not in mentions(equation, {}):
            continue
        match equation.op:
            case Apply(primitive, operands) as op:
                if (
                    primitive.kind not in (Access.READ, Access.WRITE, Access.ADD)
                    or operands[0] is not now
                    or any(v is now for v in operands[1:])
                ):
                    return None
                if primitive.kind is Access.READ:
                    sums.others.append(accessed_place(op, 1, ()))
                    continue
                place = fixed_place(op, changing) if primitive.kind is Access.ADD else None
                if place is not None and place not in sums.places:
                    sums.places.append(place)
                if primitive.kind is Access.WRITE:
                    sums.others.append(accessed_place(op, 2, ()))
                now = equation.outs[0]
            case For() as loop:
                slots = [k for k, u in enumerate(loop.init) if u is now]
                inside = now in [v for e in loop.body.equations for v in mentions(e, {})]
                if len(slots) != 1 or inside:
                    return None
                param, end = loop.carried[slots[0]], loop.body.results[slots[0]]
                if last_version(loop.body, param, PlaceSums(now, others=sums.others), changing) is not end:
                    return None
                now = equation.outs[slots[0]]
            case If(_, then, orelse):
                ends = [last_version(side, now, sums, changing) for side in (then, orelse)]
                pairs = enumerate(zip(then.results, orelse.results, strict=True))
                slots = [k for k, (r, s) in pairs if r is ends[0] and s is ends[1]]
                others = [r for side in (then, orelse) for r in side.results if r is now]
                if None in ends or len(slots) != 1 or len(others) > sum(e is now for e in ends):
                    return None
                now = equation.outs[slots[0]]
            case _:
                return None
    return now


def fixed_place(op: Apply, changing: set[Var]) -> Places | None:
    """The subscript of an addition of one number, if no part of it changes."""
    value, *place = op.operands[1:]
    spec = op.params["spec"]
    whole = len(spec) == op.operands[0].type.rank and all(token == "i" for token in spec)
    if not whole or value.type.rank or any(isinstance(i, Var) and i in changing for i in place):
        return None
    return tuple(place)


@dataclass(eq=False)
class Pull:
    """Rewrites a body: additions to the places of `sums` go to scalars."""

    sums: PlaceSums
    scalars: list[Var]
    substitution: dict[Var, Atom]

    def block(self, block: Block, now: Var, totals: Iterable[Var]) -> tuple[list[Equation], Var, list[Var]]:
        """The equations of a block, the array's last version and the scalars' last values."""
        made: list[Equation] = []
        latest = list(totals)
        for old in block.equations:
            equation = self.renamed(old)
            op = equation.op
            if isinstance(op, Apply) and op.primitive.writes and op.operands[0] is now:
                place = fixed_place(op, set()) if op.primitive.kind is Access.ADD else None
                if place in self.sums.places:
                    k = self.sums.places.index(place)
                    total = Var("total", latest[k].type)
                    added = Apply(ROWS["add"], (latest[k], op.operands[1]))
                    made.append(Equation((total,), added, equation.span))
                    latest[k] = total
                    self.substitution[equation.outs[0]] = now
                    continue
                now = equation.outs[0]
            elif isinstance(op, If) and now in mentions(equation, {}):
                equation, now, latest = self.branch(equation, op, now, latest)
            elif isinstance(op, For) and any(u is now for u in op.init):
                now = equation.outs[[u is now for u in op.init].index(True)]
            made.append(equation)
        return made, now, latest

    def branch(
        self, equation: Equation, op: If, now: Var, latest: list[Var]
    ) -> tuple[Equation, Var, list[Var]]:
        sides = []
        ends = []
        for side in (op.then, op.orelse):
            made, end, totals = self.block(side, now, latest)
            sides.append(Block(tuple(made), (*replaced(side.results, self.substitution), *totals)))
            ends.append(end)
        pairs = zip(sides[0].results, sides[1].results, strict=True)
        slot = [r is ends[0] and s is ends[1] for r, s in pairs].index(True)
        totals = [Var("total", t.type) for t in latest]
        branch = Equation((*equation.outs, *totals), If(op.test, *sides), equation.span)
        return branch, equation.outs[slot], totals

    def renamed(self, equation: Equation) -> Equation:
        if not self.substitution:
            return equation
        return substitute(Block((equation,), ()), self.substitution).equations[0]
