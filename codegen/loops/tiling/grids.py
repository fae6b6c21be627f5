"""What is known of the values of a loop over grids of some rank: Atom -> Known, as equations are gone through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from codegen.ir import Apply, Atom, Lit, Var
from codegen.loops.tiling.places import Along, Far, Field, Known, Length, Plain, Whole


@dataclass(eq=False)
class Grids:
    """What has been found so far."""

    rank: int
    known: dict[Var, Known] = field(default_factory=dict)
    given: dict[Var, None] = field(default_factory=dict)  # arrays from outside that have the grid's shape
    tables: set[Var] = field(default_factory=set)  # those of which only a few numbers are read
    open: set[Var] = field(default_factory=set)  # arrays that a loop over places has not done writing
    made: dict[Atom, Apply] = field(default_factory=dict)
    round: set[int] = field(default_factory=set)  # axes along which it looks over the end
    ends: set[int] = field(default_factory=set)  # axes along which it does something else there

    def value(self, atom: Atom) -> Known:
        """What is known of an atom; arrays from outside are taken for grids."""
        if isinstance(atom, Lit):
            whole = isinstance(atom.value, int) and not isinstance(atom.value, bool)
            return Whole(atom.value, atom.value) if whole else Plain()
        if atom in self.known:
            return self.known[atom]
        if not atom.type.rank:
            return Plain()
        if atom.type.rank != self.rank:
            raise Far
        self.given[atom] = None
        return Field((Along(),) * self.rank, tuple(range(self.rank)))

    def array(self, atom: Atom) -> Field:
        found = self.value(atom)
        if not isinstance(found, Field) or atom in self.open:
            raise Far
        return found

    def bring(self, outs: Iterable[Var]) -> None:
        """The sizes that arrays bring."""
        for out in outs:
            made = self.known[out]
            if isinstance(made, Field):
                for axis, d in zip(made.axes, out.type.shape, strict=True):
                    along = made.grid[axis]
                    size = Length(axis, along.less) if isinstance(along, Along) else Whole(*[along.count] * 2)
                    if isinstance(d, Var):
                        self.known.setdefault(d, size)
