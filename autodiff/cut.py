"""The cut of a scope: which known values its linear equations find kept, and which are run again for them.

    s = sin(x[i])                        again: s        from x, which is there
    x = 0.5 * s                          saved: x        as a later write would spoil what is read of it
    z = rng.normal()                     saved: z        as the stream has moved on
    y_dot = s * z * x_dot

What is kept at the entry of a loop's iteration the loop itself finds out: what the cut wants of it (unzip.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from autodiff.loops.kept_slices import Part, part_of_row
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
    made = Partition([], [], wanted)
    for equation in reversed(known):
        asked = [v for v in bound(equation, unzip.brought) if v in wanted and v not in unzip.given]
        if not asked:
            continue
        if sizes_alone and set(asked).isdisjoint(equation.outs):
            made.saved[:0] = asked
            continue
        spoilt = over.spoilt(equation) if over else set()
        kept = bool(spoilt) or must_keep(unzip, equation, around) or not made.sized.isdisjoint(asked)
        if kept or policy.saves(equation) or draws(equation):
            if all(storable(v, inside) for v in asked):
                made.saved[:0] = asked
                made.spoilt |= dict.fromkeys(asked, spoilt)
                continue
            if over and kept and (part := part_of_row(equation, inside, unzip.ranges)) is not None:
                made.saved[:0] = equation.outs
                made.parts[equation.outs[0]] = part
                made.again.insert(0, equation)
                own = bound(equation, unzip.brought)
                needed = (*part.read.operands[1:], *sizes(equation.outs[0].type))
                wanted.update((v, None) for v in needed if isinstance(v, Var) and v not in own)
                continue
            rows = kept and unzip.policy.ragged and are_histories(equation, asked)
            if rows or draws(equation):
                if not (rows or once or over and unzip.policy.ragged):
                    raise Growing.at(equation.span, RAGGED_DRAW)
                made.save_with_sizes(asked, bound(equation, unzip.brought), inside)
                continue
        made.failed |= spoilt
        made.again.insert(0, quiet(equation))
        wanted.update(mentions(equation, unzip.brought))
    if over:
        made.failed.update(p for equation in mixed for p in over.spoilt(equation))
        made.failed |= over.cheaper_whole(made.spoilt)
    return made


def are_histories(equation: Equation, asked: list[Var]) -> bool:
    """Whether they are a number for each iteration of a loop: no more in all than the function runs iterations."""
    return isinstance(equation.op, For | If) and all(v.type.rank <= 1 for v in asked)


def must_keep(unzip: Any, equation: Equation, around: Overwritten | None) -> bool:
    """Would making its values again read what is no longer there? `around`: see `partition`."""
    return (
        bool(around and blocks(equation.op) and around.spoilt(equation))
        or keeps(unzip, equation)
        or not unzip.lost.isdisjoint(mentions(equation, unzip.brought))
    )


def keeps(unzip: Any, equation: Equation) -> bool:
    """Is it, or does a block in it hold, a read that a later write spoils?"""
    return equation in unzip.kept or any(keeps(unzip, e) for b in blocks(equation.op) for e in b.equations)
