"""Sizes that a loop's body makes anew from those of before: whether a carried array may keep its size.

    for i in range(n):
        v = A @ v                  of size len(A) after each iteration: at most the first changes it
        w = w + v                  of its own size, unless it is stretched
        x = x[1:] * x[:-1]         of another size after each
        y, z = z, y                each of the other's

What may stay is compared as the program runs, and its values kept in the rows of one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from autodiff.sizes.scope import Brings, program_brings
from codegen.ir import Apply, Atom, Block, Call, Dim, Equation, For, If, Lit, Program, Var, While
from codegen.ir.kinds import Choice, Same

Sizes = frozenset[Dim]  # the sizes before an iteration of which an int may be one
DIFFERS: Sizes = frozenset()


@dataclass(eq=False)
class Changing:
    """What is known of the ints of one loop's iteration: those in `found` hang on what differs between iterations.

    `made`: what the loop makes; `entered`: functions that are gone through.
    """

    program: Program
    brought: Brings
    found: dict[Atom | int, Sizes] = field(default_factory=dict)
    made: set[Var] = field(default_factory=set)
    entered: tuple[str, ...] = ()

    def changes(self, size: Var, after: Dim) -> bool:
        """Whether a size that is `after` at the end of an iteration is, or was, another."""
        found = self.found.get(after)
        return found is not None and size not in found

    def note(self, atom: Atom | Dim, same: Sizes | None) -> None:
        """An int may be what is said here and in all other places."""
        if same is not None:
            self.found[atom] = self.found.get(atom, same) & same

    def block(self, block: Block) -> None:
        for equation in block.equations:
            self.equation(equation)
            self.made.update(equation.outs)

    def equation(self, equation: Equation) -> None:
        outs = equation.outs
        match equation.op:
            case Apply() as op:
                for out in outs:
                    self.apply(out, op)
            case Call(name, operands):
                self.call(outs, name, operands)
            case If(test, then, orelse):
                self.block(then)
                self.block(orelse)
                self.meet(outs, then.results)
                self.meet(outs, orelse.results)
                if test in self.found:
                    self.choose(outs, then.results, orelse.results)
            case For() | While() as loop:
                self.loop(loop)
                self.meet(outs, loop.carried)
            case _:
                assert_never(equation.op)

    def apply(self, out: Var, op: Apply) -> None:
        for size in self.brought.get(out, ()):
            self.note(size, DIFFERS)
        if not out.type.rank:
            self.note(out, self.of_scalar(op))

    def of_scalar(self, op: Apply) -> Sizes | None:
        """What an int is: of a choice, as where two sizes meet, either; what is computed of sizes is none of them."""
        operands = op.operands[1:] if op.primitive.kind is Choice.SELECT else op.operands
        if any(o in self.made and o.type.rank for o in operands):
            return DIFFERS
        found = [self.found[o] for o in operands if o in self.found]
        if not found and op.primitive.kind is Choice.SELECT and op.operands[0] in self.found:
            return DIFFERS if self.is_other(*operands) else None
        if not found:
            return None
        as_it_is = op.primitive.kind in (Choice.SELECT, Same.COPY, Same.CAST) and all(found)
        return frozenset().union(*found) if as_it_is else DIFFERS

    def call(self, outs: Sequence[Var], name: str, operands: Sequence[Atom]) -> None:
        if name in self.entered:
            for out in outs:
                for atom in (out, *self.brought.get(out, ())):
                    self.note(atom, DIFFERS)
            return
        function = self.program.functions[name]
        inner = Changing(self.program, self.brought, entered=(*self.entered, name))
        inner.made = {p for p, o in zip(function.params, operands, strict=True) if o in self.made}
        inner.meet(function.params, operands, self)
        inner.block(function.body)
        self.meet(outs, function.body.results, inner)

    def loop(self, loop: For | While) -> None:
        """A loop inside: what it gives, after one iteration and after more."""
        if isinstance(loop, For):
            self.note(loop.index, DIFFERS)
        self.meet(loop.carried, loop.init)
        before = None
        while before != (before := dict(self.found)):
            if isinstance(loop, While):
                self.block(loop.cond)
            self.block(loop.body)
            self.made.update(loop.carried)
            self.meet(loop.carried, loop.body.results)
            ends = loop.cond.results if isinstance(loop, While) else (loop.start, loop.stop)
            if any(end in self.found for end in ends):
                self.choose(loop.carried, loop.init, loop.body.results)

    def choose(self, outs: Sequence[Var], these: Sequence[Atom], others: Sequence[Atom]) -> None:
        """Variables take one of two values, and which hangs on what differs: so does an int of which nothing else is
        known, where one of the two is made here, or both are literals."""
        for out, x, y in zip(outs, these, others, strict=True):
            ints = [(out, x, y)] if not out.type.rank else zip(out.type.shape, x.type.shape, y.type.shape)
            for made, n, m in ints:
                if made not in self.found and self.is_other(n, m, made):
                    self.note(made, DIFFERS)

    def is_other(self, n: Atom | Dim, m: Atom | Dim, made: Atom | Dim | None = None) -> bool:
        """Whether two ints are seen to be two, where the second may be what is made of them."""
        x, y = (each.value if isinstance(each, Lit) else each for each in (n, m))
        if any(isinstance(each, Var) for each in (x, y)):
            return x is not y and y is not made and not self.made.isdisjoint((x, y))
        return x != y

    def meet(self, variables: Sequence[Var], values: Sequence[Atom], known: Changing | None = None) -> None:
        """Variables take values, of which `known` knows."""
        found = (known or self).found
        for var, value in zip(variables, values, strict=True):
            if not var.type.rank:
                self.note(var, found.get(value))
            for d, n in zip(var.type.shape, value.type.shape, strict=True):
                self.note(d, found.get(n))


def changing(loop: For | While, brought: Brings, program: Program) -> Changing:
    """What is known of an iteration of a loop, whose index, carried ints and arrays differ from those of others."""
    found = Changing(program, program_brings(program))
    own = {d for p in loop.carried for d in brought.get(p, ())}
    if isinstance(loop, For):
        found.note(loop.index, DIFFERS)
    for var in loop.carried:
        if var.type.rank:
            found.made.add(var)
        elif var not in own:
            found.note(var, DIFFERS)
    for size in own:
        found.note(size, frozenset((size,)))
    found.block(loop.body)
    return found
