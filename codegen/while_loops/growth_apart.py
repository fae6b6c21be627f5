"""A loop without its growth: where it makes arrays larger stands a mark, and they are as large as in the end.

    while c(x):                                  while c(x):
        n2, xs2 = if count >= n: ...    ->           room m count 1
        xs3 = update xs2 x count                     xs2 = update xs x count

`growth_put_back.py` turns that round. What stays as it is in all iterations then is not carried any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from codegen.analysis.definitions import applied
from codegen.analysis.effects import pure
from codegen.analysis.growth import growth_in
from codegen.ir import Apply, Atom, Block, Equation, For, If, Var, While
from codegen.ir.kinds import Access, Effect
from codegen.ir.literals import size_atom
from codegen.ir.primitive import Primitive
from codegen.ir.substitution import blocks, free_in, keep, replaced, rewrite_op
from codegen.ir.traversal import equations, within
from codegen.simplify.counters import at_places


def never_run(*operands: Any) -> Any:
    raise TypeError("only arrays that have room for more are written")


# room size count more: arrays of this size get rows for so many more, behind those in use.
ROOM = Primitive("room", never_run, never_run, "effect", kind=Effect.STORE)
Env = dict[Var, Atom]


def with_test(op: For | While, env: Env, change: Callable[[Block], Block]) -> For | While:
    """A loop with other ends, or with what `change` makes of its condition."""
    if isinstance(op, While):
        return replace(op, cond=change(op.cond))
    start, stop = replaced((op.start, op.stop), env)
    return replace(op, start=start, stop=stop)


class WithoutGrowth:
    """A walk over a loop. `final`: its arrays that grow, by where they are carried, as they are made at their final
    sizes; `sizes`: these; `settled`: whether what is taken to be such a size has shown itself to be one."""

    def __init__(self, final: Mapping[int, Atom]):
        self.final = final
        self.sizes = {array.type.shape[0] for array in final.values()}
        self.made: dict[Atom, Apply] = {}
        self.read: dict[Atom, Apply] = {}
        self.settled = True

    def loop(self, equation: Equation) -> Equation | None:
        """The loop without growth; None where it has growth of other kinds."""
        op = equation.op
        assert isinstance(op, For | While)
        self.made = applied(e for block in blocks(op) for e in equations(block))
        init = tuple(self.final.get(k, begin) for k, begin in enumerate(op.init))
        (made,) = self.equation(replace(equation, op=replace(op, init=init)), {})
        return made if self.settled and all(map(self.is_without, within(made))) else None

    def is_without(self, equation: Equation) -> bool:
        """Whether an equation makes none of these arrays larger."""
        op = equation.op
        if isinstance(op, Apply) and op.primitive is ROOM:
            return op.operands[0] in self.sizes
        return growth_in(equation, self.made) is None

    def block(self, block: Block, env: Env) -> Block:
        """The block, without what then is not read: whether arrays are full."""
        made = [each for e in block.equations for each in self.equation(e, env)]
        results = replaced(block.results, env)
        read, kept = {*results}, list[Equation]()
        for each in reversed(made):
            if not isinstance(each.op, Apply) or not pure(each) or not read.isdisjoint(each.outs):
                kept.append(each)
                read |= {*free_in(each.op)}
        return Block(tuple(reversed(kept)), results)

    def equation(self, equation: Equation, env: Env) -> list[Equation]:
        op = equation.op
        found = growth_in(equation, self.made)
        if found is not None:
            before = found.arrays | found.sizes
            now = replaced(tuple(before.values()), env)
            for out, atom in zip(before, now, strict=True):
                self.stand_for(out, atom, env)
            told = replaced((size_atom(now[0].type.shape[0]), found.count, found.more), env)
            return [Equation((), Apply(ROOM, told), equation.span)]
        match op:
            case If(test, then, orelse):
                ways = tuple(self.block(way, dict(env)) for way in (then, orelse))
                kept = self.outs(equation, env, [way.results for way in ways])
                then, orelse = (replace(way, results=at_places(way.results, kept)) for way in ways)
                op = If(replaced((test,), env)[0], then, orelse)
            case For() | While():
                return self.inner_loop(equation, op, env)
            case _:
                op, kept = rewrite_op(op, env, keep), list(range(len(equation.outs)))
                if isinstance(op, Apply) and self.is_there(op, equation.outs):
                    self.stand_for(equation.outs[0], op.operands[0], env)
                    return []
        outs = tuple(keep(out, env) for out in at_places(equation.outs, kept))
        return [Equation(outs, op, equation.span)]

    def is_there(self, op: Apply, outs: tuple[Var, ...]) -> bool:
        """Whether an element is written where it was read: with growth in between that was not seen."""
        if op.primitive.kind is Access.READ:
            self.read[outs[0]] = op
        if op.primitive.kind is not Access.WRITE:
            return False
        array, value, *places = op.operands
        read = self.read.get(value)
        if read is None or read.params["spec"] != op.params["spec"]:
            return False
        return read.operands == (array, *places)

    def inner_loop(self, equation: Equation, op: For | While, env: Env) -> list[Equation]:
        init, inner = replaced(op.init, env), dict(env)
        for p, begin in zip(op.carried, init, strict=True):
            if begin in self.sizes:
                inner[p] = begin
            elif self.is_final(begin):
                self.measured(p, begin, inner)
        init = tuple(inner[p] if inner.get(p) in self.sizes else begin for p, begin in zip(op.carried, init))
        carried = tuple(keep(p, inner) for p in op.carried)
        body = self.block(op.body, dict(inner))
        ways = list(zip(carried, init, body.results, strict=True))
        self.settled &= all(after is begin for _, begin, after in ways if begin in self.sizes)
        same = [k for k, (p, begin, after) in enumerate(ways) if after is p and self.is_final(begin)]
        for k in same:
            self.stand_for(equation.outs[k], init[k], env)
        kept = [k for k in self.outs(equation, env, [init, body.results]) if k not in same]
        body = replace(body, results=at_places(body.results, kept))
        made = replace(
            with_test(op, env, lambda test: self.block(test, dict(inner))),
            carried=at_places(carried, kept),
            init=at_places(init, kept),
            body=body,
        )
        whole = rewrite_op(made, {carried[k]: init[k] for k in same}, keep) if same else made
        outs = tuple(keep(out, env) for out in at_places(equation.outs, kept))
        return [Equation(outs, whole, equation.span)]

    def outs(self, equation: Equation, env: Env, ways: Sequence[Sequence[Atom]]) -> list[int]:
        """Which outs there still are, after what stays as it is; sizes of arrays on all ways are those of the out."""
        kept = []
        for k, out in enumerate(equation.outs):
            first, *others = (way[k] for way in ways)
            if self.is_final(first) and all(each is first for each in others):
                self.stand_for(out, first, env)
                continue
            if self.is_final(first) and all(each.type.shape[:1] == first.type.shape[:1] for each in others):
                self.measured(out, first, env)
            kept.append(k)
        return kept

    def is_final(self, atom: Atom) -> bool:
        """Whether it is an array of one of the final sizes, or such a size."""
        return atom in self.sizes or bool(atom.type.rank) and atom.type.shape[0] in self.sizes

    def stand_for(self, var: Var, atom: Atom, env: Env) -> None:
        self.measured(var, atom, env)
        env[var] = atom

    def measured(self, var: Var, like: Atom, env: Env) -> None:
        """The sizes of a variable are those of another."""
        for n, m in zip(var.type.shape, like.type.shape):
            if isinstance(n, Var) and n is not m:
                env[n] = size_atom(m)
