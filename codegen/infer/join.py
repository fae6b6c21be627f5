"""Where two ways of control meet: one value for every name and object, through the outs of an If.

    if c: y = 1            y: i8 = if c: 1 else: 2
    else: y = 2     ->

A name that has no value on one way becomes Unbound with a flag; values that cannot be one become a Conflict, an error
only where the name is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.build import B1, Builder, code
from codegen.infer.frame import BROKE, CONTINUED, DEAD, FLAGS, RESULT, RETURNED, Frame
from codegen.infer.values import (
    Cell,
    Closure,
    Conflict,
    Nest,
    Ref,
    State,
    Static,
    Unbound,
    Value,
    View,
    cell_of,
    describe,
    leaves,
    rebuild,
    references,
)
from codegen.ir import Atom, If, Lit, Type, Var

TRUE, FALSE = Lit(True, B1), Lit(False, B1)


@dataclass(frozen=True, eq=False)
class Side:
    """One way: its block and its state at the end; no state when it ends in a recursive call of unknown type."""

    b: Builder
    st: State | None


@dataclass(frozen=True, eq=False)
class Slot:
    """A place to be filled by the k-th out. `cell`: the new object the out is the contents of, for arrays."""

    k: int
    cell: Cell | None = None


class Differ(Exception):
    """Two values that no one value can stand for."""


def flag(st: State, name: str) -> Atom:
    """A control flag: True, False, or a Var where it depends on the data."""
    value = st.env.get(name, FALSE)
    assert isinstance(value, Var | Lit)
    return value


def certain(atom: Atom) -> bool:
    return isinstance(atom, Lit) and bool(atom.value)


def dead(side: Side) -> bool:
    return side.st is None or certain(flag(side.st, DEAD))


def exits(side: Side) -> bool:
    """Control never reaches the end of the statements."""
    return side.st is None or any(certain(flag(side.st, name)) for name in (DEAD, *FLAGS))


def falls(st: State) -> bool:
    """Control certainly reaches the end."""
    return all(isinstance(flag(st, name), Lit) and not flag(st, name).value for name in (DEAD, *FLAGS))  # type: ignore[union-attr]


def falling(b: Builder, st: State) -> Any:
    """The condition under which control reaches the end."""
    left: Any = False
    for name in FLAGS:
        left = b.apply("or", left, b.wrap(flag(st, name))) if left is not False else b.wrap(flag(st, name))
    return b.apply("not", left)


class Join:
    """Collects the pairs of atoms that must become outs, then emits the If."""

    def __init__(self, frame: Frame, left: Side, right: Side):
        self.frame, self.left, self.right = frame, left, right
        self.pairs: list[tuple[Atom | None, Atom | None, Type, str]] = []
        self.bound = bound_in(left.b) | bound_in(right.b)

    def slot(self, x: Atom | None, y: Atom | None, name: str) -> Atom | Slot:
        """One value for x and y; None where that way never needs it."""
        if x is y or (isinstance(x, Lit) and isinstance(y, Lit) and same_literal(x, y)):
            assert x is not None
            return x
        only = y if x is None else x if y is None else None
        if only is not None and (isinstance(only, Lit) or only not in self.bound):
            return only
        type_ = self.outside(x.type if y is None else y.type if x is None else unify(x.type, y.type))  # type: ignore[union-attr]
        self.pairs.append((x, y, type_, name))
        return Slot(len(self.pairs) - 1)

    def outside(self, type_: Type) -> Type:
        """Sizes made inside a branch are new sizes outside."""
        shape = tuple(Var("n", Type("i8")) if isinstance(n, Var) and n in self.bound else n for n in type_.shape)
        return Type(type_.dtype, shape, type_.weak)

    def values(self, x: Value | None, y: Value | None, name: str) -> Value | Slot:
        """One value for x and y, or Differ. None: not needed on that way."""
        if x is y:
            assert x is not None
            return x
        if x is None or y is None:
            return self.one(x, y, name)
        match x, y:
            case Unbound() | Conflict(), _:
                return self.unbound(x, y, name)
            case _, Unbound() | Conflict():
                return self.unbound(x, y, name)
            case Nest(), Nest() if (x.cls, x.keys, len(x.items)) == (y.cls, y.keys, len(y.items)):
                names = x.keys or tuple(str(k) for k in range(len(x.items)))
                pairs = zip(x.items, y.items, names, strict=True)
                return x.with_items(tuple(self.values(u, v, f"{name}_{k}") for u, v, k in pairs))  # type: ignore[misc]
            case Static(), Static() if x.value is y.value or plainly_equal(x.value, y.value):
                return x
            case Closure(), Closure() if x.define is y.define:
                return x
            case Var() | Lit(), Var() | Lit():
                return self.slot(x, y, name)
            case Ref() | View(), Ref() | View():
                return self.arrays(x, y, name)
        words = [describe(v, s.st.store) for v, s in ((x, self.left), (y, self.right)) if s.st]
        raise Differ(f"{name!r} is {words[0]} on one way to here and {words[-1]} on another: give it one kind of value")

    def one(self, x: Value | None, y: Value | None, name: str) -> Value | Slot:
        """A value that only one way has: its atoms leave through the If, filled with zeros on the other."""
        value = y if x is None else x
        if value is None or isinstance(value, Conflict):
            return value or Conflict(f"{name!r} has no value here")

        def make(leaf: Value) -> Any:
            atoms = self.side_atom(leaf, x is None)
            if atoms is None:
                return leaf
            made = self.slot(None, atoms, name) if x is None else self.slot(atoms, None, name)
            return self.place(leaf, made, atoms, name)

        return rebuild(value, make)

    def place(self, leaf: Value, made: Atom | Slot, atom: Atom, name: str) -> Any:
        """A joined leaf: scalars as they are; an array stays its object unless its contents are a new out."""
        cell = cell_of(leaf)
        if cell is None:
            return made
        if not isinstance(made, Slot) and isinstance(leaf, Ref) and cell in self.frame.st.store:
            return leaf
        new = Cell(name, shared=cell.shared, bases=cell.bases)
        if isinstance(made, Slot):
            return Slot(made.k, new)
        self.frame.st.store[new] = atom
        return Ref(new)

    def side_atom(self, leaf: Value, right: bool) -> Atom | None:
        if not isinstance(leaf, Var | Lit | Ref | View):
            return None
        side = self.right if right else self.left
        assert side.st is not None
        with self.frame.inside(side.b, side.st):
            return self.frame.atom(leaf)

    def arrays(self, x: Ref | View, y: Ref | View, name: str) -> Value | Slot:
        if isinstance(x, Ref) and isinstance(y, Ref) and x.cell is y.cell:
            return x
        left, right = self.side_atom(x, False), self.side_atom(y, True)
        assert left is not None and right is not None
        if left.type.dtype == "rng":
            raise Differ(f"{name!r} is one random generator or another here: choose by the draws instead")
        if left.type.rank != right.type.rank:
            raise Differ(f"{name!r} has {left.type.rank} axes on one way to here and {right.type.rank} on another")
        made = self.slot(left, right, name)
        shared = self.shared(x, self.left, name) or self.shared(y, self.right, name)
        bases = tuple(dict.fromkeys(b for r in (x, y) for b in cell_of(r).bases))  # type: ignore[union-attr]
        new = Cell(name, shared, bases)
        if isinstance(made, Slot):
            return Slot(made.k, new)
        self.frame.st.store[new] = made
        return Ref(new)

    def shared(self, ref: Ref | View, side: Side, name: str) -> str | None:
        """Why a write to the joined array could reach another name."""
        cell = cell_of(ref)
        assert cell is not None and side.st is not None
        counted = references({k: v for k, v in side.st.env.items() if k != name.split("_")[0] and k != RESULT})
        if isinstance(ref, View) or counted[cell] or cell in self.frame.inference.given(self.frame):
            return f"it may be the same array as {cell.name!r}" if cell.name != name else "it may have another name"
        return cell.shared

    def unbound(self, x: Value, y: Value, name: str) -> Value | Slot:
        """At least one way gives the name no value, perhaps."""
        for value in (x, y):
            if isinstance(value, Conflict):
                return value
        (fx, vx), (fy, vy) = unbound_parts(x), unbound_parts(y)
        bound = self.slot(fx, fy, f"{name}_bound")
        if vx is None and vy is None:
            return Unbound(FALSE)
        return Unbound(bound, self.values(vx, vy, name))  # type: ignore[arg-type]

    def fill(self, value: Any, outs: list[Var]) -> Value:
        """The joined value, its slots replaced by the If's outs."""

        def make(leaf: Any) -> Any:
            if isinstance(leaf, Unbound):
                return Unbound(self.fill(leaf.bound, outs), leaf.value and self.fill(leaf.value, outs))  # type: ignore[arg-type]
            if not isinstance(leaf, Slot):
                return leaf
            if leaf.cell is None:
                return outs[leaf.k]
            self.frame.st.store[leaf.cell] = outs[leaf.k]
            return Ref(leaf.cell)

        return rebuild(value, make)

    def emit(self, test: Atom) -> list[Var]:
        """The If, where anything happens in it; its outs."""
        outs = [Var(name, type_) for _, _, type_, name in self.pairs]
        left = tuple(self.cast(self.left.b, x, t) for x, _, t, _ in self.pairs)
        right = tuple(self.cast(self.right.b, y, t) for _, y, t, _ in self.pairs)
        if self.pairs or self.left.b.equations or self.right.b.equations:
            self.frame.b.emit(tuple(outs), If(test, self.left.b.block(left), self.right.b.block(right)))
        return outs

    def cast(self, b: Builder, atom: Atom | None, type_: Type) -> Atom:
        return filler(b, type_) if atom is None else as_dtype(b, atom, type_)


def as_dtype(b: Builder, atom: Atom, type_: Type) -> Atom:
    """An atom in the dtype of `type_`."""
    if atom.type.dtype == type_.dtype:
        return Lit(atom.value, type_) if isinstance(atom, Lit) and atom.type.weak != type_.weak else atom
    if isinstance(atom, Lit):
        return Lit(np.dtype(type_.dtype).type(atom.value).item(), type_)
    made: Atom = b.apply("cast", atom, dtype=type_.dtype).atom
    return made


def filler(b: Builder, type_: Type) -> Atom:
    """A value nobody reads: zero, or an array of zeros as small as its type allows."""
    zero = Lit(np.dtype(type_.dtype).type(0).item(), Type(type_.dtype, (), type_.weak))
    if not type_.rank:
        return zero
    dims = [n if isinstance(n, int) else 0 for n in type_.shape]
    made: Atom = b.apply("full", zero, *dims, dtype=type_.dtype).atom
    return made


def bound_in(b: Builder) -> set[Var]:
    """The Vars bound by a block's own equations, sizes included."""
    outs = [out for equation in b.equations for out in equation.outs]
    return {*outs, *(n for out in outs for n in out.type.shape if isinstance(n, Var))}


def same_literal(x: Lit, y: Lit) -> bool:
    return x.type == y.type and repr(x.value) == repr(y.value)


def plainly_equal(x: Any, y: Any) -> bool:
    return type(x) is type(y) and isinstance(x, str | type(None)) and x == y


def unify(x: Type, y: Type) -> Type:
    """The type that holds both: NumPy's promotion, sizes that differ unknown."""
    if x.rank != y.rank:
        raise Differ("a number on one way to here and an array on another")
    if "rng" in (x.dtype, y.dtype):
        return x
    weak = x.weak and y.weak
    dtype = code(np.result_type(*(promoted(t, x, y) for t in (x, y))))
    shape = tuple(n if n is m or n == m else Var("n", Type("i8")) for n, m in zip(x.shape, y.shape, strict=True))
    return Type(dtype, shape, weak and dtype != "b1")


def promoted(t: Type, x: Type, y: Type) -> Any:
    kinds: dict[str, Any] = {"i": 0, "f": 0.0, "b": np.dtype("b1")}
    return kinds[t.dtype[0]] if t.weak and not (x.weak and y.weak) else np.dtype(t.dtype)


def unbound_parts(value: Value) -> tuple[Atom, Value | None]:
    if isinstance(value, Unbound):
        return value.bound or FALSE, value.value
    return TRUE, value


def join(frame: Frame, test: Atom, left: Side, right: Side, names: Iterable[str]) -> None:
    """Join two ways into `frame`'s present block and state; ordinary names outside `names` are forgotten."""
    if left.st is None and right.st is None:
        raise AssertionError("both ways are unknown")
    if dead(left) and dead(right):
        frame.st.env[DEAD] = TRUE
        Join(frame, left, right).emit(test)
        return
    plan = Join(frame, left, right)
    cells = plan_cells(plan, frame, left, right)
    joined = {name: plan_name(plan, name, left, right) for name in wanted(frame, left, right, names)}
    outs = plan.emit(test)
    for cell, made in cells.items():
        frame.st.store[cell] = outs[made.k] if isinstance(made, Slot) else made
    frame.st.env = {name: plan.fill(value, outs) for name, value in joined.items()}


def wanted(frame: Frame, left: Side, right: Side, names: Iterable[str]) -> list[str]:
    present = {**(left.st.env if left.st else {}), **(right.st.env if right.st else {})}
    keep = {*names, *FLAGS, RESULT}
    return [name for name in present if name in keep]


def plan_cells(plan: Join, frame: Frame, left: Side, right: Side) -> dict[Cell, Atom | Slot]:
    """New contents of the objects that were there before."""
    made: dict[Cell, Atom | Slot] = {}
    for cell, before in frame.st.store.items():
        x = None if dead(left) or left.st is None else left.st.store[cell]
        y = None if dead(right) or right.st is None else right.st.store[cell]
        if x is not before and x is not None or y is not before and y is not None:
            made[cell] = plan.slot(x, y, cell.name)
    return made


def plan_name(plan: Join, name: str, left: Side, right: Side) -> Any:
    """One name's joined value. A way that has left the function needs no ordinary name, one that goes on no result."""
    if name in FLAGS:
        atoms = [None if dead(s) or s.st is None else flag(s.st, name) for s in (left, right)]
        return plan.slot(atoms[0], atoms[1], name.strip("%"))
    x, y = (needed(side, name) for side in (left, right))
    if x is NOT_NEEDED and y is NOT_NEEDED:
        return Conflict(f"{name!r} has no value here")
    try:
        return plan.values(None if x is NOT_NEEDED else x, None if y is NOT_NEEDED else y, name.strip("%"))
    except Differ as differ:
        if name == RESULT:
            raise
        return Conflict(str(differ))


NOT_NEEDED: Any = object()


def needed(side: Side, name: str) -> Any:
    """A name's value at the end of a way; NOT_NEEDED where control does not go on to read it."""
    if side.st is None or dead(side):
        return NOT_NEEDED
    returned = certain(flag(side.st, RETURNED))
    if name == RESULT:
        return side.st.env.get(RESULT, NOT_NEEDED)
    return NOT_NEEDED if returned else side.st.env.get(name, Unbound(FALSE))


__all__ = ["BROKE", "CONTINUED", "DEAD", "FALSE", "TRUE", "Differ", "Side", "certain", "dead", "exits", "falling",
           "falls", "filler", "flag", "join", "leaves", "unify"]  # fmt: skip
