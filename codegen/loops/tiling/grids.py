"""What is known of the values of a loop over grids of some rank, as equations are gone through: Atom -> Known.

u[2:] - u[:-2]            u[1:-1] = v           np.concatenate([u[1:], u[:1]])
places 0 and 2 further    all but the ends      the next place, and the last is next to the first
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from codegen.ir import Apply, Atom, Lit, Var
from codegen.ir.kinds import Access
from codegen.loops.tiling.places import (
    Along,
    Far,
    Field,
    IntRange,
    Known,
    Length,
    Plain,
    Spot,
    Turn,
    after_write,
    along_all,
    concatenated,
    picked,
    rotated,
    sliced,
)
from codegen.primitives.index import Cut, grouped


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
            return IntRange(atom.value, atom.value) if whole else Plain()
        if atom in self.known:
            return self.known[atom]
        if not atom.type.rank:
            return Plain()
        if atom.type.rank != self.rank:
            raise Far
        self.given[atom] = None
        return self.grid

    @property
    def grid(self) -> Field:
        """A whole grid."""
        return Field((Along(),) * self.rank, tuple(range(self.rank)))

    def array_or_number(self, atom: Atom) -> Known:
        return self.array(atom) if atom.type.rank else self.value(atom)

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
                    a = made.grid[axis]
                    size = Length(axis, a.less) if isinstance(a, Along) else IntRange(a.count, a.count)
                    if isinstance(d, Var):
                        self.known.setdefault(d, size)

    # ---- reads, writes and joins ----

    def read(self, op: Apply) -> Known:
        array, spec = op.operands[0], op.params["spec"]
        assert isinstance(array, Var)
        places = [self.value(o) for o in op.operands[1:]]
        table = array in self.tables or array.type.rank != self.rank and array not in self.known
        one = {*spec} == {"i"} and len(spec) == array.type.rank
        if table and one and all(isinstance(p, Plain | IntRange) for p in places):
            return Plain()
        found = self.array(array)
        grid, rest = list(found.grid), list(found.axes)
        axes: list[int] = []
        dropped: list[int] = []
        for token, given in zip(spec, grouped(spec, tuple(places)), strict=True):
            if token == "n":
                if not dropped:
                    raise Far
                axes.append(dropped.pop())
                continue
            if token == "a":
                raise Far
            axis = rest.pop(0)
            if token == "i":
                if is_over_an_end(given[0]):
                    self.round.add(axis)
                grid[axis] = picked(grid[axis], axis, given[0])
                dropped.append(axis)
                continue
            if isinstance(token, Cut):
                grid[axis] = sliced(grid[axis], axis, token, given)
            axes.append(axis)
        return Field(tuple(grid), (*axes, *rest))

    def write(self, out: Var, op: Apply) -> Known:
        """An array of the grid's shape with some elements written: near its ends it may be another's turn."""
        array, value, *operands = op.operands
        spec = op.params["spec"]
        into, made = self.value(array), self.value(value)
        places = [self.value(o) for o in operands]
        if not isinstance(into, Field) or into.axes != self.grid.axes:
            raise Far
        if not isinstance(made, Field | Plain | IntRange):
            raise Far
        if isinstance(array, Var) and array in self.open:
            self.open.add(out)
        grid, own = list(into.grid), []
        for axis, (token, given) in enumerate(zip(spec, grouped(spec, tuple(places)), strict=True)):
            if token == "i":
                if is_over_an_end(given[0]):
                    raise Far
                region = picked(Along(), axis, given[0])
            elif isinstance(token, Cut):
                region = sliced(Along(), axis, token, given)
            elif token == ":":
                region = Along()
            else:
                raise Far
            if region != Along():
                self.ends.add(axis)
            if token != "i":
                own.append(axis)
            value_along = made.grid[axis] if isinstance(made, Field) else None
            grid[axis] = after_write(grid[axis], region, value_along, given)
        own += range(len(spec), self.rank)
        if isinstance(made, Field):
            if made.axes != tuple(own):
                raise Far
            for axis in range(len(spec), self.rank):
                grid[axis] = after_write(grid[axis], Along(), made.grid[axis], ())
        return Field(tuple(grid), into.axes)

    def join(self, operands: Sequence[Atom], at: int) -> Field:
        """Arrays end to end."""
        parts = [self.array(o) for o in operands]
        axis = parts[0].axes[at]
        if len({p.axes for p in parts}) > 1:
            raise Far
        along = [p.grid[axis] for p in parts]
        source = self.cut_in_two(operands, at)
        whole = rotated(along[0], along[1], source.grid[axis]) if source is not None else None
        (self.ends if whole is None else self.round).add(axis)
        whole = whole or concatenated(along)
        columns = [tuple(whole if k == axis else g for k, g in enumerate(p.grid)) for p in parts]
        return Field(reduce(along_all, columns), parts[0].axes)

    def cut_in_two(self, operands: Sequence[Atom], at: int) -> Field | None:
        """The array of which these are the last part along an axis, and then the first."""
        made = [self.made.get(o) for o in operands]
        if len(made) != 2 or any(m is None or m.primitive.kind is not Access.READ for m in made):
            return None
        one, other = (m for m in made if m is not None)
        if one.operands[0] is not other.operands[0]:
            return None
        for m in (one, other):
            spec = m.params["spec"]
            tokens = [t for t in spec if t != "n"]
            if any(t != ":" for k, t in enumerate(tokens) if k != at) or len(tokens) <= at:
                return None
        return self.array(one.operands[0])


def is_over_an_end(place: Known) -> bool:
    """Whether an index may be at the other end of where it would be, as those below 0 are."""
    return isinstance(place, Turn) or isinstance(place, Spot) and place.first + place.low < 0
