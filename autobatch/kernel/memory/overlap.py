"""Loops that write an array over one they read element by element.

    for i in range(10): half[i] = p[i] + 0.5 * gradient[i]        half may have the place of p, if p is not needed
                                                                  after the loop

An array that a loop fills takes part in no other's life before its own element is written, and each element is read
before. So the two may share a slot: `Overlap` leaves their interference out, where
- the new array comes without content (`empty`), and the loop writes it once a turn, at the loop's index alone;
- the old one is read in the loop at that index alone, before the write, and nowhere after the loop;
- no two turns have the same element: indices rise from a number that is not negative.
What belongs to the new array (before the loop, in it, after a write, after the loop) is one slot, or nothing of this
holds: `slots` sees to that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from codegen.analysis.definitions import is_empty
from codegen.emit.coalescing import Interference
from codegen.ir import Apply, Block, Equation, For, Lit, Var
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, reads
from codegen.ir.traversal import nested


@dataclass(frozen=True)
class Filled:
    """An array that a loop fills, under all its names, and the arrays whose place it may take."""

    names: tuple[Var, ...]
    over: frozenset[Var]


class Overlap(Interference):
    """Interference in which what a loop fills may have the place of what it reads."""

    def __init__(self, *given: object):
        super().__init__(*given)  # type: ignore[arg-type]
        self.empty: set[Var] = set()
        self.filled: list[Filled] = []
        self.apart: dict[Var, frozenset[Var]] = {}  # in the loop at hand: a name of what is filled -> `over`

    def forward(self, block: Block) -> None:
        super().forward(block)
        self.empty.update(e.outs[0] for e in block.equations if is_empty(e))

    def equation(self, equation: Equation, alive: int) -> int:
        if is_empty(equation) and not self.brings.get(equation.outs[0]):
            return alive & ~self.mask(equation.outs) | self.read(equation.op.operands)  # type: ignore[union-attr]
        if not isinstance(equation.op, For):
            return super().equation(equation, alive)
        found = list(self.fills(equation, equation.op, alive & ~self.mask(equation.outs)))
        self.filled += found
        around, self.apart = self.apart, {**self.apart, **{n: f.over for f in found for n in f.names}}
        before = super().equation(equation, alive)
        self.apart = around
        return before

    def define(self, binders: Collection[Var], alive: int) -> None:
        if not self.apart:
            super().define(binders, alive)
            return
        together = alive | self.mask(binders)
        for binder in binders:
            super().define((binder,), together & ~self.mask(self.apart.get(binder, ())))

    def fills(self, equation: Equation, op: For, after: int) -> Iterator[Filled]:
        """The arrays that a loop fills; `after`: what is needed once it is done."""
        rising = op.step > 0 and isinstance(op.start, Lit) and op.start.value >= 0
        for out, carried, init, result in zip(equation.outs, op.carried, op.init, op.body.results):
            write = next((k for k, e in enumerate(op.body.equations) if result in e.outs), None)
            if not rising or init not in self.empty or write is None or self.used[carried] != 2:
                continue
            made = op.body.equations[write]
            if not is_write(made, carried, op.index) or self.used[result] != 1 or self.used[init] != 1:  # type: ignore[index]
                continue
            over = set(read_at(op.body.equations[:write], op.index))
            over -= {*read_elsewhere(op.body.equations[:write], op.index), *op.carried}
            over -= set(read_elsewhere(op.body.equations[write:], None)) | set(op.body.results) | {*op.init}
            later = self.free(
                Block(op.body.equations[write + 1 :], op.body.results)
            )  # read later, in expressions
            over = {v for v in over if not self.mask((v,)) & (after | later)}
            yield Filled((init, carried, result, out), frozenset(over))  # type: ignore[arg-type]


def is_write(equation: Equation, array: Var, index: Var) -> bool:
    """Whether an equation is array[index] = ..."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.kind is not Access.WRITE or op.params["spec"] != ("i",):
        return False
    return op.operands[0] is array and op.operands[2] is index and op.operands[1] is not array


def is_read(equation: Equation, index: Var) -> bool:
    """Whether an equation is ... = array[index]."""
    op = equation.op
    plain = isinstance(op, Apply) and op.primitive.kind is Access.READ and op.params["spec"] == ("i",)
    return plain and op.operands[1] is index  # type: ignore[union-attr]


def read_at(listed: Iterable[Equation], index: Var) -> Iterator[Var]:
    """The arrays read at an index."""
    for equation in nested(listed):
        if is_read(equation, index) and isinstance(array := equation.op.operands[0], Var):  # type: ignore[union-attr]
            yield array


def read_elsewhere(listed: Iterable[Equation], index: Var | None) -> Iterator[Var]:
    """All that equations read, what is read at the index apart."""
    for equation in nested(listed):
        own = () if index is not None and is_read(equation, index) else reads(equation.op)
        results = (r for block in blocks(equation.op) for r in block.results)
        yield from (v for v in (*own, *results) if isinstance(v, Var))
