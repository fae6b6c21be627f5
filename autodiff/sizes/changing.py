"""Sizes that a loop's body makes anew from those of before: changing_sizes : loop -> sizes.

    for i in range(n):
        v = A @ v                  of size len(A) after each iteration: at most the first changes it
        x = x[1:] * x[:-1]         another size after each
        y = np.append(y, x[0])     one more than before

What stays may be compared as the program runs, and its values kept in the rows of one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import assert_never

from autodiff.sizes.scope import Brings, program_brings
from codegen.ir import Apply, Atom, Block, Call, Dim, Equation, For, If, Program, Var, While
from codegen.ir.kinds import Choice, Same
from codegen.ir.literals import size_atom
from codegen.ir.substitution import sizes


class Moves(IntEnum):
    """Whether an int may differ from one iteration to the next. `CARRIED`: it is a size before the iteration."""

    NOT = 0
    CARRIED = 1
    DIFFERS = 2


@dataclass(eq=False)
class Changing:
    """What is known of the ints of one loop; `entered`: functions that are gone through."""

    program: Program
    brought: Brings
    found: dict[Atom | int, Moves] = field(default_factory=dict)
    made: set[Var] = field(default_factory=set)
    entered: tuple[str, ...] = ()

    def of(self, atom: Atom | Dim) -> Moves:
        return self.found.get(atom, Moves.NOT)

    def note(self, atom: Atom | Dim, moves: Moves) -> None:
        if moves > self.of(atom):
            self.found[atom] = moves

    def block(self, block: Block) -> None:
        for equation in block.equations:
            self.equation(equation)
            self.made.update(equation.outs)

    def equation(self, equation: Equation) -> None:
        outs = equation.outs
        match equation.op:
            case Apply() as op:
                self.apply(outs, op)
            case Call(name, operands):
                self.call(outs, name, operands)
            case If(_, then, orelse):
                self.block(then)
                self.block(orelse)
                self.meet(outs, then.results)
                self.meet(outs, orelse.results)
            case For() | While() as loop:
                self.loop(loop)
                self.meet(outs, loop.carried)
            case _:
                assert_never(equation.op)

    def apply(self, outs: Sequence[Var], op: Apply) -> None:
        if op.primitive.family == "elementwise" and outs[0].type.rank:
            return
        for out in outs:
            for size in self.brought.get(out, ()):
                self.note(size, Moves.DIFFERS)
            if not out.type.rank:
                self.note(out, self.of_scalar(op))

    def of_scalar(self, op: Apply) -> Moves:
        operands = op.operands[1:] if op.primitive.kind is Choice.SELECT else op.operands
        if any(o in self.made and o.type.rank for o in operands):
            return Moves.DIFFERS
        most = max(map(self.of, operands), default=Moves.NOT)
        as_it_is = op.primitive.kind in (Choice.SELECT, Same.COPY, Same.CAST)
        return most if as_it_is or most is Moves.NOT else Moves.DIFFERS

    def call(self, outs: Sequence[Var], name: str, operands: Sequence[Atom]) -> None:
        if name in self.entered:
            for out in outs:
                for atom in (out, *self.brought.get(out, ())):
                    self.note(atom, Moves.DIFFERS)
            return
        function = self.program.functions[name]
        inner = Changing(self.program, self.brought, entered=(*self.entered, name))
        inner.made = {p for p, o in zip(function.params, operands, strict=True) if o in self.made}
        for param, operand in zip(function.params, operands, strict=True):
            inner.note(param, self.of(operand))
            for d, n in zip(param.type.shape, operand.type.shape, strict=True):
                inner.note(d, self.of(n))
        inner.block(function.body)
        for out, result in zip(outs, function.body.results, strict=True):
            self.note(out, inner.of(result))
            for d, n in zip(out.type.shape, result.type.shape, strict=True):
                self.note(d, inner.of(n))

    def loop(self, loop: For | While) -> None:
        """A loop inside: what it gives, after one iteration and after more."""
        if isinstance(loop, For):
            self.note(loop.index, Moves.DIFFERS)
        self.meet(loop.carried, loop.init)
        before = None
        while before != (before := dict(self.found)):
            self.block(loop.body)
            self.made.update(loop.carried)
            self.meet(loop.carried, loop.body.results)
            self.exchanged(loop)

    def exchanged(self, loop: For | While) -> None:
        """What an inner loop hands from one array to another is neither of the two before."""
        for var, result in zip(loop.carried, loop.body.results, strict=True):
            for d, n in zip(var.type.shape, result.type.shape, strict=True):
                if n is not d and self.of(n):
                    self.note(d, Moves.DIFFERS)

    def meet(self, variables: Sequence[Var], values: Sequence[Atom]) -> None:
        for var, value in zip(variables, values, strict=True):
            if not var.type.rank:
                self.note(var, self.of(value))
            for d, n in zip(var.type.shape, value.type.shape, strict=True):
                self.note(d, self.of(n))


def changing_sizes(loop: For | While, brought: Brings, program: Program) -> set[Dim]:
    """The sizes that a loop hands on and that may differ from one iteration to the next: those of other carried arrays
    too, but not what is its own size or a fixed one, as of sums that may be stretched."""
    found = Changing(program, program_brings(program))
    own = {d for p in loop.carried for d in brought.get(p, ())}
    if isinstance(loop, For):
        found.note(loop.index, Moves.DIFFERS)
    for var in loop.carried:
        if not var.type.rank and var not in own:
            found.note(var, Moves.DIFFERS)
    for size in own:
        found.note(size, Moves.CARRIED)
    found.made.update(p for p in loop.carried if p.type.rank)
    found.block(loop.body)
    return {*own, *(n for n, moves in found.found.items() if moves is Moves.DIFFERS)}  # type: ignore[list-item]
