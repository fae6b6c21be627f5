"""Branches that only move a few numbers, as choices: a lane alone waits for no test that it cannot foresee.

    if test:                                 yes = test
        for k in range(10):                  for k in range(10):
            F[U + k] = F[Q + k]       ->         F[U + k] = select(yes, F[Q + k], F[U + k])
        lp = new_lp                          lp = new_lp if yes else lp

Where a processor guesses such a test wrongly it does again what it had begun of what follows, which may be a hundred
operations. A choice between two short arrays is a few instructions on vectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autobatch.machine.printer import LanePrinter, count
from codegen.emit.statements import INDENT, LINE, Finish, Moves
from codegen.ir import Atom, Equation, If, Var

MOST = 64  # numbers that are moved whether the test holds or not

Choice = tuple[Var, Atom, Atom]  # what is assigned, and from what if the test holds and if not


class BlendPrinter(LanePrinter):
    """The printer of lanes that run one after the other."""

    def branches(self, equation: Equation, op: If, finish: Finish) -> None:
        choices = self.choices(op, finish)
        if not choices:
            super().branches(equation, op, finish)
            return
        self.span = None
        test = self.plain(op.test)
        if not test.isidentifier() or test in (self.names[o] for o, _, _ in choices):
            self.line(f"yes = {test}")
            test = "yes"
        arrays = [(o, x, y) for o, x, y in choices if o.type.rank]
        self.copies([(count(o.type), self.at(o, "k"), self.one_of(test, x, y)) for o, x, y in arrays])
        self.scalars(test, [choice for choice in choices if not choice[0].type.rank])

    def choices(self, op: If, finish: Finish) -> list[Choice]:
        """The moves that both arms are; none if they are more, or move no arrays or large ones."""
        if not isinstance(finish, Moves) or op.then.equations or op.orelse.equations:
            return []
        given = zip(finish.outs, op.then.results, op.orelse.results, strict=True)
        found = [(o, x, y) for o, x, y in given if self.wanted(o) and not self.stays(o, x, y)]
        if any(o.type.dtype == "rng" or x in self.folded or y in self.folded for o, x, y in found):
            return []
        numbers = sum(count(o.type) for o, _, _ in found if o.type.rank)
        return found if 0 < numbers <= MOST else []

    def stays(self, out: Var, then: Atom, orelse: Atom) -> bool:
        return self.same_slot(out, then) and self.same_slot(out, orelse)

    def copy(self, targets: Sequence[str], sources: Sequence[str]) -> None:
        """A line each where one line would be long and none is read after it is written."""
        short = len(", ".join((*targets, *sources))) + len(INDENT) * self.depth < LINE
        if short or read_later(targets, sources):
            super().copy(targets, sources)
            return
        for to, source in zip(targets, sources, strict=True):
            super().copy([to], [source])

    def one_of(self, test: str, then: Atom, orelse: Atom) -> str:
        """Element k of the one or the other."""
        x, y = self.element(then), self.element(orelse)
        return x if x == y else f"select({test}, {x}, {y})"

    def scalars(self, test: str, choices: Sequence[Choice]) -> None:
        """Each by itself, or all at once where one is read after it is assigned."""
        values = [f"{self.plain(x)} if {test} else {self.plain(y)}" for _, x, y in choices]
        names = [self.names[o] for o, _, _ in choices]
        if read_later(names, values):
            self.line(f"{', '.join(names)} = {', '.join(f'({value})' for value in values)}")
            return
        for name, value in zip(names, values, strict=True):
            self.line(f"{name} = {value}")


def read_later(targets: Sequence[str], sources: Sequence[str]) -> bool:
    """Whether a target may be a later one's source: whether they have a word that not all of them have."""
    words = [set(re.findall(r"\w+", text)) for text in (*targets, *sources)]
    to, read = words[: len(targets)], words[len(targets) :]
    own = [each - set.intersection(*words) for each in to]
    return any(each & later for k, each in enumerate(own) for later in read[k + 1 :])
