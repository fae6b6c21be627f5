"""The cut of a scope: which known values its linear equations find kept, and which are run again for them.

    s = sin(x[i])                        again: s        from x, which is there
    x = 0.5 * s                          saved: x        as a later write would spoil what is read of it
    z = rng.normal()                     saved: z        as the stream has moved on
    y_dot = s * z * x_dot

What is kept at the entry of a loop's iteration the loop itself finds out: what the cut wants of it (unzip.py).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any

from autodiff.loops.kept_slices import Part, part_of_row
from autodiff.loops.least_saved import least_saved
from autodiff.loops.write_hazards import Overwritten
from autodiff.policy import Policy
from autodiff.rematerialisation import RAGGED_DRAW, quiet, storable
from autodiff.sizes.invariant import Growing
from autodiff.sizes.scope import bound, mentioned, mentions
from codegen.analysis.effects import draws
from codegen.ir import Atom, Equation, For, If, Var
from codegen.ir.substitution import blocks, sizes


@dataclass(eq=False)
class Partition:
    """What is run again, what is saved, and where in its row where it is only a part of one.

    `wanted`: all that is mentioned; `failed`: arrays of which spoilt values would have to be run again; `sized`: sizes
    of what is saved, known only in the scope; `spoilt`: the arrays for whose writes it is saved.
    """

    again: list[Equation]
    saved: list[Var]
    wanted: dict[Var, None]
    failed: set[Var] = field(default_factory=set)
    parts: dict[Var, Part] = field(default_factory=dict)
    sized: set[Var] = field(default_factory=set)
    spoilt: dict[Var, set[Var]] = field(default_factory=dict)

    def save_with_sizes(self, asked: list[Var], made: tuple[Var, ...], inside: set[Var]) -> None:
        """Save arrays of what an equation has made, and the sizes of theirs that are known only in the scope."""
        found = dict.fromkeys(d for v in asked for d in sizes(v.type))
        self.sized.update(d for d in found if d in inside)
        self.saved[:0] = [*(d for d in found if d in self.sized and d in made and d not in asked), *asked]
        self.wanted.update((d, None) for d in found)


def partition(
    unzip: Any,
    known: list[Equation],
    mixed: list[Equation],
    results: Iterable[Atom],
    inside: set[Var],
    policy: Policy,
    over: Overwritten | None = None,
    *,
    around: Overwritten | None = None,
    sizes_alone: bool = False,
    once: bool = False,
) -> Partition:
    """What is saved and what is run again of the known equations, for the mixed ones and linear results.

    `over`: what the scope, a loop, writes in place; `around`: the same of the loop around it, if the scope is a branch.
    `inside`: what is bound in the scope at hand; a value whose size is among it cannot be saved. `sizes_alone`:
    sizes of arrays that nobody asks for are saved, and the arrays not made again. `once`: the scope is no loop, which
    would make several of them: what is drawn is saved whatever its size.
    """
    wanted = mentioned(mixed, unzip.brought)
    wanted.update((r, None) for r in results if isinstance(r, Var))
    cut = Cutting(unzip, known, mixed, wanted, inside, policy, over, around, sizes_alone, once)
    made = cut.partition(set())
    less = cut.least(made) if over or around else set()
    return cut.partition(less) if less else made


@dataclass(eq=False)
class Cutting:
    """The arguments of `partition`; `asked`: what is mentioned by the linear half."""

    unzip: Any
    known: list[Equation]
    mixed: list[Equation]
    asked: dict[Var, None]
    inside: set[Var]
    policy: Policy
    over: Overwritten | None
    around: Overwritten | None
    sizes_alone: bool
    once: bool

    def partition(self, instead: set[Equation]) -> Partition:
        """The cut that saves what has to be, and what these equations make."""
        made = Partition([], [], dict(self.asked))
        for equation in reversed(self.known):
            asked = self.asked_of(equation, made.wanted)
            if not asked:
                continue
            if self.sizes_alone and set(asked).isdisjoint(equation.outs):
                made.saved[:0] = asked
                continue
            spoilt = self.over.spoilt(equation) if self.over else set()
            kept = self.must_keep(equation, spoilt) or not made.sized.isdisjoint(asked)
            if kept or self.policy.saves(equation) or draws(equation) or equation in instead:
                if all(storable(v, self.inside) for v in asked):
                    made.saved[:0] = asked
                    made.spoilt |= dict.fromkeys(asked, spoilt)
                    continue
                if kept and self.saved_in_part(made, equation):
                    continue
                rows = kept and self.unzip.policy.ragged and are_histories(equation, asked)
                if rows or draws(equation):
                    if not (rows or self.once or self.over and self.unzip.policy.ragged):
                        raise Growing.at(equation.span, RAGGED_DRAW)
                    made.save_with_sizes(asked, bound(equation, self.unzip.brought), self.inside)
                    continue
            made.failed |= spoilt
            made.again.insert(0, quiet(equation))
            made.wanted.update(mentions(equation, self.unzip.brought))
        if self.over:
            made.failed.update(p for equation in self.mixed for p in self.over.spoilt(equation))
            made.failed |= self.over.cheaper_whole(made.spoilt)
        return made

    def asked_of(self, equation: Equation, wanted: Container[Var]) -> list[Var]:
        """What is wanted of an equation, and not there."""
        made = bound(equation, self.unzip.brought)
        return [v for v in made if v in wanted and v not in self.unzip.given]

    def must_keep(self, equation: Equation, spoilt: set[Var]) -> bool:
        """Would making its values again read what is no longer there?"""
        unzip, around = self.unzip, self.around
        return (
            bool(spoilt)
            or bool(around and blocks(equation.op) and around.spoilt(equation))
            or keeps(unzip, equation)
            or not unzip.lost.isdisjoint(mentions(equation, unzip.brought))
        )

    def saved_in_part(self, made: Partition, equation: Equation) -> bool:
        """Whether a slice is saved in a row that is as long as its axis."""
        part = part_of_row(equation, self.inside, self.unzip.ranges) if self.over else None
        if part is None:
            return False
        made.saved[:0] = equation.outs
        made.parts[equation.outs[0]] = part
        made.again.insert(0, equation)
        own = bound(equation, self.unzip.brought)
        needed = (*part.read.operands[1:], *sizes(equation.outs[0].type))
        made.wanted.update((v, None) for v in needed if isinstance(v, Var) and v not in own)
        return True

    def least(self, made: Partition) -> set[Equation]:
        """What to save instead of numbers that are saved because they are no longer there."""
        if made.parts or made.sized:
            return set()
        found = set(made.saved)
        saved = [e for e in self.known if not found.isdisjoint(bound(e, self.unzip.brought))]
        numbers = [e for e in saved if not self.policy.saves(e) and all(not v.type.rank for v in e.outs)]
        if not numbers:
            return set()
        again = [e for e in self.known if e not in saved and self.asked_of(e, made.wanted)]
        return least_saved(numbers, again, self.asked, made.wanted, self.unzip.brought)


def are_histories(equation: Equation, asked: list[Var]) -> bool:
    """Whether they are a number for each iteration of a loop: no more in all than the function runs iterations."""
    return isinstance(equation.op, For | If) and all(v.type.rank <= 1 for v in asked)


def keeps(unzip: Any, equation: Equation) -> bool:
    """Is it, or does a block in it hold, a read that a later write spoils?"""
    return equation in unzip.kept or any(keeps(unzip, e) for b in blocks(equation.op) for e in b.equations)
