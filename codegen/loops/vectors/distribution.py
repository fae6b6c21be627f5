"""Loops that are written so that LLVM makes vectors of them: distribute : Program -> Program.

    for i in range(n - 2, 0, -1):            for i in range(1, n - 1):
        t = k * w[i]                             u[i - 1] += k * w[i]
        w[i] = 0.0                           for i in range(1, n - 1):
        u[i + 1] += t                ->          t = k * w[i]
        u[i - 1] += t                            u[i] += -2.0 * t
        u[i] += -2.0 * t                     for i in range(1, n - 1):
                                                 u[i + 1] += k * w[i]
                                                 w[i] = 0.0

LLVM makes none of a loop whose next iteration adds to the same element, as those of the adjoints of stencils do; it
does of a loop for each neighbour (loop distribution: Allen and Kennedy, Optimizing Compilers for Modern Architectures,
2001, 5.3). An element gets the same terms in the same order: going up, what is furthest ahead in the array was added
first. What several of the loops need is computed in each, so it must be little and arithmetic.

Nor does it make any of most loops that go down, as return sweeps do. Where each iteration uses places of its own they
go up.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from codegen.analysis.affine import sum_with_literal
from codegen.analysis.definitions import applied
from codegen.analysis.effects import pure
from codegen.analysis.own_places import own_axes
from codegen.analysis.range_walk import RangeWalk
from codegen.cost_model import DISTRIBUTED_COST
from codegen.ir import Apply, Atom, Block, Equation, For, Function, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import clone, free, reads
from codegen.ir.traversal import equations, with_functions
from codegen.loops.vectors.vectorise import fits_vectors, has_few_iterations
from codegen.loops.vectors.zero_based import beside


def distribute(program: Program) -> Program:
    """The program with a loop for each of the neighbours to which innermost loops add."""
    return with_functions(program, with_loops_apart)


def with_loops_apart(f: Function) -> Function:
    loops = (e.op for e in equations(f.body) if isinstance(e.op, For))
    return Distribution().function(f) if any(AddedTerms(e).may_change for e in loops) else f


class Distribution(RangeWalk):
    """The walk, which knows of places that they do not count from the end."""

    def apply(self, equation: Equation, op: Apply) -> Sequence[Equation]:
        return [equation]

    def step(self, equation: Equation) -> Sequence[Equation]:
        done = super().step(equation)
        loop = done[-1].op
        if not isinstance(loop, For) or not (terms := AddedTerms(loop)).may_change:
            return done
        lowest, ahead = (loop.start, 0) if loop.step > 0 else (loop.stop, 1)
        if not self.ranges.le(None, lowest, ahead + min([0, *terms.order])):
            return done
        if terms.distances:
            return self.apart(done[-1], loop, terms) if terms.are_worth_loops else done
        upwards, before = self.upwards(loop, equation)
        return [*before, replace(done[-1], op=upwards)]

    def upwards(self, loop: For, equation: Equation) -> tuple[For, Sequence[Equation]]:
        """A loop over the same range that goes up, and the equations by which its range is known."""
        b = Builder(span=equation.span, checked=False)
        if loop.step < 0:
            start, stop = beside(self.ranges, b, loop.stop, 1), beside(self.ranges, b, loop.start, 1)
            loop = replace(loop, start=start, stop=stop, step=1)
        return loop, b.equations

    def apart(self, equation: Equation, loop: For, terms: AddedTerms) -> list[Equation]:
        """The loops, one after the other."""
        whole, before = self.upwards(loop, equation)
        made = list(before)
        arrays = dict(zip(loop.carried, loop.init, strict=True))
        results = dict(zip(loop.carried, equation.outs, strict=True))
        for c in terms.order:
            written = terms.written_at(c)
            index, block, params = terms.part(c, written, arrays)
            init = tuple(arrays[each] for each in written)
            outs = tuple(
                results[each] if terms.last_of(each) == c else Var(each.name, each.type) for each in written
            )
            part = replace(whole, index=index, carried=params, init=init, body=block)
            made.append(replace(equation, outs=outs, op=part))
            arrays |= dict(zip(written, outs, strict=True))
        return made


@dataclass(frozen=True)
class AddedTerms:
    """What a loop adds to arrays."""

    loop: For

    @cached_property
    def added(self) -> dict[Var, dict[int, list[Equation]]]:
        """Of each carried array to which it adds and does nothing else: what is added how far from its index."""
        found = {}
        for array, result in zip(self.loop.carried, self.loop.body.results, strict=True):
            if (terms := self.added_to(array, result)) is not None:
                found[array] = terms
        return found

    def added_to(self, array: Var, result: Atom) -> dict[int, list[Equation]] | None:
        version, terms = array, dict[int, list[Equation]]()
        for equation in self.loop.body.equations:
            op = equation.op
            if version not in free(op):
                continue
            if not isinstance(op, Apply) or op.primitive.kind is not Access.ADD or version in op.operands[1:]:
                return None
            if (c := self.distance(op)) is None:
                return None
            terms.setdefault(c, []).append(equation)
            version = equation.outs[0]
        return terms if version is result and terms else None

    def distance(self, op: Apply) -> int | None:
        """c where the place along the last axis is `index + c`, and is the same of all iterations along others."""
        *others, place = op.operands[op.primitive.first_place :]
        if set(op.params["spec"]) != {"i"} or not self.moving.isdisjoint(others):
            return None
        made = self.made.get(place)
        base, c = (made and sum_with_literal(made)) or (place, 0)
        return c if base is self.loop.index else None

    @cached_property
    def made(self) -> dict[Atom, Apply]:
        return applied(self.loop.body.equations)

    @cached_property
    def moving(self) -> set[Atom]:
        """What may be another number in each iteration."""
        found: set[Atom] = {self.loop.index, *self.loop.carried}
        for equation in self.loop.body.equations:
            if not found.isdisjoint(reads(equation.op)):
                found.update(equation.outs)
        return found

    @cached_property
    def distances(self) -> set[int]:
        """Those of an array that has several."""
        return {c for terms in self.added.values() if len(terms) > 1 for c in terms}

    @cached_property
    def order(self) -> list[int]:
        """All distances, in the order in which an element gets the terms."""
        return sorted({c for terms in self.added.values() for c in terms}, reverse=self.loop.step > 0)

    @cached_property
    def may_change(self) -> bool:
        """Whether the loop adds to several neighbours or goes down, and may run in any order."""
        loop = self.loop
        if abs(loop.step) > 1 or loop.kind == "threads" or (loop.step > 0 and not self.distances):
            return False
        return self.are_in_any_order

    @cached_property
    def are_in_any_order(self) -> bool:
        """Whether iterations change places of their own alone, or add, and do nothing else."""
        loop = self.loop
        if any(isinstance(e.op, For | While) or not pure(e) for e in equations(loop.body)):
            return False
        return all(array in self.added or self.is_own(k) for k, array in enumerate(loop.carried))

    @cached_property
    def are_worth_loops(self) -> bool:
        """Whether each loop is in vectors, reads what was there before, and they do not compute too much again."""
        loop, body = self.loop, self.loop.body
        if has_few_iterations(loop) or not all(fits_vectors(e, functions=False) for e in body.equations):
            return False
        later = {v for array in loop.carried for v in self.versions(array) - {array}}
        if any(e.op.primitive.kind is Access.READ and e.op.operands[0] in later for e in body.equations):  # type: ignore[union-attr]
            return False
        computed = sum(operation_cost(self.needed(self.terms_at(c))) for c in self.order)
        return computed <= DISTRIBUTED_COST * operation_cost(body.equations)

    def is_own(self, k: int) -> bool:
        """Whether carried array k is used at places of the index alone."""
        body = self.loop.body
        return bool(own_axes(body, self.loop.carried[k], self.loop.index, body.results[k]))

    def versions(self, array: Var) -> set[Atom]:
        """The array, and what it is after each write."""
        found: set[Atom] = {array}
        for out, op in self.made.items():
            if op.primitive.writes and op.operands[0] in found:
                found.add(out)
        return found

    def terms_at(self, c: int) -> list[Equation]:
        """What is added at a distance; and with the last, all that is written at places of the index."""
        terms = [e for each in self.added.values() for e in each.get(c, ())]
        if c != self.order[-1]:
            return terms
        own = {v for array in self.loop.carried if array not in self.added for v in self.versions(array)}
        return terms + [e for e in self.loop.body.equations if not own.isdisjoint(e.outs)]

    def last_of(self, array: Var) -> int:
        """The distance of the last loop that writes an array."""
        return next(c for c in reversed(self.order) if array not in self.added or c in self.added[array])

    def written_at(self, c: int) -> list[Var]:
        """The arrays that the loop for a distance writes."""
        own = (self.order[-1],)
        return [array for array in self.loop.carried if c in self.added.get(array, own)]

    def needed(self, terms: Collection[Equation]) -> list[Equation]:
        """The equations that these need, with them; other writes to their arrays aside."""
        wanted, found = set(map(id, terms)), set[Atom]()
        for equation in reversed(self.loop.body.equations):
            op = equation.op
            assert isinstance(op, Apply)
            if id(equation) in wanted or (not op.primitive.writes and not found.isdisjoint(equation.outs)):
                wanted.add(id(equation))
                found.update(op.operands)
        return [e for e in self.loop.body.equations if id(e) in wanted]

    def part(
        self, c: int, written: Sequence[Var], arrays: dict[Var, Atom]
    ) -> tuple[Var, Block, tuple[Var, ...]]:
        """The loop for one distance: its index, body and what it carries; `arrays` are those that it only reads."""
        now: dict[Atom, Atom] = {v: array for array in self.loop.carried for v in self.versions(array)}
        last: dict[Atom, Atom] = {}
        made = []
        for equation in self.needed(self.terms_at(c)):
            op = equation.op
            assert isinstance(op, Apply)
            if op.primitive.writes:
                array = now[op.operands[0]]
                op = replace(op, operands=(last.get(array, array), *op.operands[1:]))
                last[array] = equation.outs[0]
            made.append(replace(equation, op=op))
        params = {array: Var(array.name, array.type) for array in written}
        index = Var(self.loop.index.name, self.loop.index.type)
        block = Block(tuple(made), tuple(last[array] for array in written))
        return index, clone(block, {**arrays, **params, self.loop.index: index}), tuple(params.values())


def operation_cost(listed: Collection[Equation]) -> float:
    """Operations of an iteration."""
    return sum(e.op.primitive.cost for e in listed if isinstance(e.op, Apply))
