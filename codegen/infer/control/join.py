"""Where two ways of control meet: one value for every name and object, through the outs of an If.

    if c: y = 1            y: i8 = if c: 1 else: 2
    else: y = 2     ->

A name that has no value on one way becomes Unbound with a flag; values that cannot be one become a Conflict, an
error only where the name is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from codegen.infer.complex_numbers.parts import is_complex, pair, zero_of
from codegen.infer.control.flags import (
    DEAD,
    FLAGS,
    RESULT,
    RETURNED,
    certain,
    flag,
    leaves_for_good,
)
from codegen.infer.control.joined_views import ViewSlot, filled_view, view_slot
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Kind, bound_vars, check_holds, kind, out_atom, unify
from codegen.infer.memory.aliases import MergedCell, holders, relate
from codegen.infer.memory.growing_lists import (
    form_of_list,
    growing,
    is_list,
    kinds_in,
    size_of,
    unify_forms,
)
from codegen.infer.objects.around import values_that_meet
from codegen.infer.objects.field import AssignedField, is_field_name, shown_name
from codegen.infer.objects.meeting import ObjectsMet
from codegen.infer.optional import as_told, given_parts, is_none
from codegen.infer.tables.forms import meeting_table, wanted_table
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.texts.words import in_words
from codegen.infer.values import (
    CHOICE,
    FALSE,
    TRUE,
    Cell,
    Conflict,
    FlowState,
    GrowingList,
    Nest,
    Optional,
    Ref,
    Unbound,
    Value,
    View,
    Wording,
    cell_of,
    is_function,
    rebuild,
    same_static,
)
from codegen.ir import Atom, If, Lit, Var
from codegen.ir.build import Builder
from codegen.ir.literals import same_literal
from codegen.source import SourceError


@dataclass(frozen=True, eq=False)
class Way:
    """One way: its block and its state at the end; no state when it ends in a recursive call of unknown type."""

    b: Builder
    st: FlowState | None

    @property
    def dead(self) -> bool:
        """Control does not come here: it was raised, or the recursion's type is not known yet."""
        return self.st is None or certain(flag(self.st, DEAD))

    @property
    def exits(self) -> bool:
        """Control never reaches the end of the statements."""
        return self.st is None or leaves_for_good(self.st)


def join_ways(frame: Frame, plan: Join, names: Iterable[str]) -> None:
    """Join two ways into `frame`'s present block and state; ordinary names outside `names` are forgotten."""
    left, right, test = plan.left, plan.right, plan.test
    assert left.st is not None or right.st is not None
    if left.dead and right.dead:
        frame.st.env[DEAD] = TRUE
        plan.emit(test)
        return
    contents = plan.contents()
    planned = plan.with_objects({name: plan.name(name) for name in plan.wanted({*names, *frame.exits})})
    joined = {name: value for name, value in planned.items() if value is not NOT_NEEDED}
    outs = plan.emit(test)
    for cell, made in contents.items():
        frame.st.store[cell] = outs[made.k] if isinstance(made, OutSlot) else made
    frame.st.env = {name: plan.fill(value, outs) for name, value in joined.items()}
    if plan.merged:
        new = {m.cell for m in plan.merged}
        held = holders(frame.st.env, frame.st.env, frame)
        outside = {cell: n for cell, n in held.items() if cell not in new}
        relate(frame.st, plan.merged, outside, frame.given)
    plan.objects_met.check(frame)


@dataclass(frozen=True, eq=False)
class OutSlot:
    """A place to be filled by the k-th out. `cell`: the new object the out is the contents of, for arrays."""

    k: int
    cell: Cell | None = None


@dataclass(frozen=True, eq=False)
class Pair:
    """What becomes one out: an atom of each way, None where that way does not need it."""

    left: Atom | None
    right: Atom | None
    kind: Kind
    name: str


NOT_NEEDED: Any = object()


class Join:
    """Collects the pairs of atoms that must become outs, then emits the If."""

    def __init__(self, frame: Frame, left: Way, right: Way, test: Atom):
        self.frame, self.left, self.right, self.test = frame, left, right, test
        self.pairs: list[Pair] = []
        self.bound = bound_vars(left.b) | bound_vars(right.b)
        self.merged: list[MergedCell] = []
        self.objects: dict[Any, OutSlot | Ref] = {}
        self.objects_met = ObjectsMet(frame)
        self.result = self.certain = False  # certain: the name has a value on both ways

    def wanted(self, names: Iterable[str]) -> list[str]:
        keep = {*names, *FLAGS, RESULT}
        present = [name for side in (self.left, self.right) if side.st for name in side.st.env]
        return [name for name in dict.fromkeys(present) if name in keep or self.objects_met.stays(name)]

    def contents(self) -> dict[Cell, Atom | OutSlot]:
        """New contents of the objects that were there before."""
        made: dict[Cell, Atom | OutSlot] = {}
        for cell, before in self.frame.st.store.items():
            x, y = (s.st.store[cell] if s.st else before for s in (self.left, self.right))
            if x is not before and not self.left.dead or y is not before and not self.right.dead:
                made[cell] = self.slot(x, y, cell.name)
        return made

    def name(self, name: str) -> Any:
        """One name's joined value. A way that has left the function needs no ordinary name, one that goes on no
        result."""
        if name in FLAGS:
            x, y = (None if s.dead or s.st is None else flag(s.st, name) for s in (self.left, self.right))
            return self.slot(x, y, name.strip("%"))
        x, y = self.needed(self.left, name), self.needed(self.right, name)
        self.result = name == RESULT
        self.certain = not (self.result or any(isinstance(v, Unbound | Optional) for v in (x, y)))
        return self.fitting(x, y, name)

    def fitting(self, x: Any, y: Any, name: str) -> Any:
        """A name's two values as one; a Conflict where they are of two kinds."""
        try:
            return self.values(x, y, shown_name(name))
        except (Differ, SourceError) as error:
            if name.startswith("%") and not is_field_name(name):
                raise
            said = f"{shown_name(name)!r} is {error}: give it one kind of value"
            said = error.problems[0][1] if isinstance(error, SourceError) else said
            return Conflict(said, (wanted_table(self.frame, error, name, x, y), error.wants_rows))

    def with_objects(self, planned: dict[str, Any]) -> dict[str, Any]:
        """Joined values, with what the fields hold of objects among them that the ways made."""
        for name, x, y in self.objects_met.waiting:
            self.result = self.certain = False
            planned[name] = self.fitting(self.needed(self.left, x), self.needed(self.right, y), name)
        return planned

    def needed(self, side: Way, name: str) -> Any:
        """A name's value at the end of a way; NOT_NEEDED where control does not go on to read it."""
        if side.st is None or side.dead:
            return NOT_NEEDED
        of_object = name == RESULT or is_field_name(name)
        if of_object or name in self.frame.last or not certain(flag(side.st, RETURNED)):
            return side.st.env.get(name, NOT_NEEDED if of_object else Unbound(FALSE))
        return NOT_NEEDED

    def values(self, x: Any, y: Any, name: str) -> Any:
        """One value for x and y, or Differ."""
        if x is y:
            return x
        match x, y:
            case (Conflict(), _) | (_, Conflict()):
                return x if isinstance(x, Conflict) else y
            case (Unbound(), _) | (_, Unbound()):
                return self.unbound(x, y, name)
        if x is NOT_NEEDED or y is NOT_NEEDED:
            return self.one(x, y, name)
        if is_none(x) != is_none(y) or isinstance(x, Optional) or isinstance(y, Optional):
            return self.optional(x, y, name)
        match x, y:
            case GrowingList(), GrowingList() if x.grows == y.grows and not self.unlike(x, y):
                parts = self.values(x.parts, y.parts, name)
                return GrowingList(parts, x.python, x.fixed and y.fixed, x.grows)
            case (NewTable() as new, Table() as other) | (Table() as other, NewTable() as new):
                way = self.right if other is y else self.left
                assert way.st is not None
                with self.frame.inside(way.b, way.st):
                    raise meeting_table(new, other.entries, kinds_in(self.frame, self.bound))
            case Wording(said), Wording(other) if said == other:
                return x.with_parts(self.values(x.parts, y.parts, name))
            case Nest(), Nest() if x.like(y):
                pairs = zip(x.named(name), y.items, strict=True)
                return x.with_items(tuple(self.values(u, v, label) for (label, u), v in pairs))
            case AssignedField(), AssignedField():
                return self.objects_met.meet(x, y, name)
            case Var() | Lit(), Var() | Lit():
                return self.slot(x, y, name)
            case Nest(), Var() | Lit() if is_complex(x):
                return self.values(x, pair(y, zero_of(y.type)), name)
            case Var() | Lit(), Nest() if is_complex(y):
                return self.values(pair(x, zero_of(x.type)), y, name)
            case Ref() | View(), Ref() | View():
                return self.arrays(x, y, name)
        if same_static(x, y):
            return x
        if (met := values_that_meet(self.frame, x, y, (self.left, self.right))) is not None:
            return self.values(*met, name)
        if is_function(x) and is_function(y):
            return Nest(CHOICE, (self.test, self.one(x, NOT_NEEDED, name), self.one(NOT_NEEDED, y, name)))
        if is_list(x) and is_list(y):
            u, v = self.growing_lists(x, y, name)
            if u is x and v is y:
                raise Differ("a list on one way to here and another that keeps its kind on another")
            return self.values(u, v, name)
        words = [in_words(v, s.st.store) for v, s in ((x, self.left), (y, self.right)) if s.st]
        raise Differ(f"{words[0]} on one way to here and {words[-1]} on another")

    def unlike(self, x: GrowingList, y: GrowingList) -> bool:
        """Whether two lists have items of two forms, or buffers of two sizes that are known, as lanes need them."""
        (_, u), (_, v) = self.forms_and_sizes(x, y)
        sized = isinstance(u, int) and isinstance(v, int) and not (x.fixed and y.fixed)
        return sized and u != v or x.python != y.python

    def growing_lists(self, x: Any, y: Any, name: str) -> list[Any]:
        """Two lists as lists whose items have one form, with room for as many where that is known."""
        (a, u), (b, v) = self.forms_and_sizes(x, y)
        form = unify_forms(a, b)
        rooms = [n for n in (u, v) if isinstance(n, int)]
        made: list[Any] = []
        for value, way in ((x, self.left), (y, self.right)):
            assert way.st is not None
            with self.frame.inside(way.b, way.st):
                made.append(growing(self.frame, value, form, name, max(rooms, default=0)))
        return made

    def forms_and_sizes(self, *lists: Any) -> list[tuple[Any, Any]]:
        found = []
        for value, way in zip(lists, (self.left, self.right), strict=True):
            assert way.st is not None
            with self.frame.inside(way.b, way.st):
                form = form_of_list(value, kinds_in(self.frame, self.bound))
                known = isinstance(value, GrowingList)
                found.append((form, size_of(self.frame, value) if known else len(value.items)))
        return found

    def one(self, x: Any, y: Any, name: str) -> Any:
        """A value that only one way has: its atoms leave through the If, filled with zeros on the other."""
        on_right = x is NOT_NEEDED

        def make(leaf: Value) -> Any:
            if isinstance(leaf, AssignedField):
                return self.objects_met.keep(leaf)
            if not isinstance(leaf, Var | Lit | Ref | View):
                return leaf
            cell = cell_of(leaf)
            if isinstance(leaf, Ref) and self.stays(leaf):
                return leaf
            key = (cell, on_right, self.result) if isinstance(leaf, Ref) else None
            if key in self.objects:
                return self.objects[key]
            atom = self.atom(leaf, right=on_right)
            made = self.slot(None, atom, name) if on_right else self.slot(atom, None, name)
            return made if cell is None else self.merge(made, name, leaf, key=key)

        return rebuild(y if on_right else x, make)

    def stays(self, ref: Ref) -> bool:
        """Whether a name goes on referring to its object. A value returned that may be a view is fixed as it is: what
        it is a view of may be written on the way that goes on."""
        return ref.cell in self.frame.st.store and not (self.result and ref.cell.bases)

    def arrays(self, x: Ref | View, y: Ref | View, name: str) -> Any:
        if isinstance(x, Ref) and isinstance(y, Ref):
            if x.cell is y.cell and self.stays(x):
                return x
            key: Any = (x.cell, y.cell, self.result)
        else:
            key = None
        if key in self.objects:
            return self.objects[key]
        if self.certain and (view := view_slot(x, y, self.stays, self.slot)) is not None:
            return view
        left, right = self.atom(x, right=False), self.atom(y, right=True)
        if left.type.dtype == "rng" and right.type.dtype == "rng":
            raise Differ("one random generator on one way to here and another on another")
        return self.merge(self.slot(left, right, name), name, x, y, key=key)

    def merge(self, made: Atom | OutSlot, name: str, *parts: Value, key: Any) -> OutSlot | Ref:
        """A new object for those that a name is on the two ways; one for all names that are the same two (`key`)."""
        cell = Cell(name, final=self.result)
        self.merged.append(MergedCell(cell, parts))
        if not isinstance(made, OutSlot):
            self.frame.st.store[cell] = made
        joined = OutSlot(made.k, cell) if isinstance(made, OutSlot) else Ref(cell)
        if key is not None:
            self.objects[key] = joined
        return joined

    def unbound(self, x: Any, y: Any, name: str) -> Any:
        """At least one way gives the name no value, perhaps."""
        (fx, vx), (fy, vy) = unbound_parts(x), unbound_parts(y)
        if vx is NOT_NEEDED and vy is NOT_NEEDED:
            return Unbound(FALSE, pending=any(isinstance(v, Unbound) and v.pending for v in (x, y)))
        return Unbound(self.slot(fx, fy, f"{name}_bound"), self.values(vx, vy, name))  # type: ignore[arg-type]

    def optional(self, x: Any, y: Any, name: str) -> Any:
        """At least one way gives None, perhaps. What tests told of one value in the ways is forgotten."""
        told = [v.of or v for v in (x, y) if isinstance(v, Optional)]
        if len(told) == 2 and told[0] is told[1]:
            return told[0]
        parts: Any = map(given_parts, (x, y))
        (fx, vx), (fy, vy) = ((there, NOT_NEEDED if part is None else part) for there, part in parts)
        return as_told(Optional.made(self.slot(fx, fy, f"{name}_there"), self.values(vx, vy, name)))

    def slot(self, x: Atom | None, y: Atom | None, name: str) -> Atom | OutSlot:
        """One value for x and y; None where that way never needs it."""
        if x is y or (isinstance(x, Lit) and isinstance(y, Lit) and same_literal(x, y)):
            assert x is not None
            return x
        only = y if x is None else x if y is None else None
        if only is not None and (isinstance(only, Lit) or only not in self.bound):
            return only
        kinds = [kind(atom.type, self.bound) for atom in (x, y) if atom is not None]
        met = unify(kinds[0], kinds[-1])
        for atom in (x, y):
            if atom is not None:
                check_holds(met, atom)
        self.pairs.append(Pair(x, y, met, name))
        return OutSlot(len(self.pairs) - 1)

    def atom(self, leaf: Value, *, right: bool) -> Atom:
        """A leaf's contents at the end of its way; a view is read there again, if its array was written."""
        side = self.right if right else self.left
        assert side.st is not None
        count = len(side.b.equations)
        with self.frame.inside(side.b, side.st):
            found = self.frame.atom(leaf)
        self.bound |= bound_vars(side.b) if len(side.b.equations) > count else set()
        return found

    def emit(self, test: Atom) -> list[Var]:
        """The If, where anything happens in it; its outs."""
        outs = [Var(pair.name, pair.kind.type()) for pair in self.pairs]
        left = tuple(out_atom(self.left.b, pair.left, pair.kind) for pair in self.pairs)
        right = tuple(out_atom(self.right.b, pair.right, pair.kind) for pair in self.pairs)
        if self.pairs or self.left.b.equations or self.right.b.equations:
            self.frame.b.emit(tuple(outs), If(test, self.left.b.block(left), self.right.b.block(right)))
        return outs

    def fill(self, value: Any, outs: list[Var]) -> Value:
        """The joined value, its slots replaced by the If's outs."""

        def make(leaf: Any) -> Any:
            if isinstance(leaf, ViewSlot):
                return filled_view(self.frame, leaf, make)
            if not isinstance(leaf, OutSlot) or leaf.cell is None:
                return outs[leaf.k] if isinstance(leaf, OutSlot) else leaf
            self.frame.st.store[leaf.cell] = outs[leaf.k]
            return Ref(leaf.cell)

        filled: Value = rebuild(value, make)
        return filled


def unbound_parts(value: Any) -> tuple[Atom | None, Any]:
    """Whether it has a value, and which."""
    if isinstance(value, Unbound):
        return value.bound, NOT_NEEDED if value.value is None else value.value
    return None if value is NOT_NEEDED else TRUE, value
