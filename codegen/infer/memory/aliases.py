"""Which names may be one object: what keeps in-place writes exact, or refused where they cannot be.

if c: y = x              y is x or z: a new cell, of which is said that it may be x.
else: y = z              `y[0] = 1` is refused; so is reading y after `x[0] = 1`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from codegen.infer.values import (
    Cell,
    Closure,
    FlowState,
    GrowingList,
    Method,
    Partial,
    Ref,
    Value,
    View,
    cell_of,
    leaves,
)
from codegen.ir import Atom, Lit, Type, Var
from codegen.ir.literals import size_atom

Cells = frozenset[Cell]
GIVEN_BACK = "it may be a part of an argument that it was made from"


@dataclass(frozen=True, eq=False)
class MergedCell:
    """A new cell that stands for one of several objects, depending on the way control came."""

    cell: Cell
    parts: tuple[Value, ...]

    @property
    def objects(self) -> Cells:
        return frozenset(cell for part in self.parts for cell in reachable_cells(part))


def reachable_cells(value: Value | None, but: Cell | None = None) -> Cells:
    """The objects whose memory a value may share: its arrays, what they are views of, what functions captured; not
    those that it reaches by `but` alone."""
    found: set[Cell] = set()
    seen: set[int] = set()
    waiting: list[Value | None] = [value]
    while waiting:
        for leaf in leaves(waiting.pop()):
            if (cell := cell_of(leaf)) is not None:
                found.update(related(cell, but))
            elif id(leaf) not in seen:
                seen.add(id(leaf))
                waiting.extend(inner_values(leaf))
    return frozenset(found)


def written_since(st: FlowState, cell: Cell) -> Cell | None:
    """What was written of all that an array may be a view of, after the view was made."""
    for base, then in () if cell.final else cell.bases:
        if st.store.get(base) is not then:
            return base
        if (deeper := written_since(st, base)) is not None:
            return deeper
    return None


def written_words(cell: Cell, base: Cell, names: Collection[str]) -> str:
    return of_whole_arrays(
        f"{cell.name!r} may share memory with {base.name!r}, which was written after it was made: "
        f"make it with .copy(), or again after the write",
        names,
    )


def not_written(
    cell: Cell, names: Collection[str], given: Container[Cell], *envs: Mapping[str, Value]
) -> str | None:
    """Why an array is not written, in a function that has these names; None where it may be."""
    if not cell.shared or cell.shared == GIVEN_BACK and not is_held_beside(cell, given, *envs):
        return None
    name = of_whole_arrays(cell.name, names)
    instead = f"write `{name} = {name}.copy()`" if name in names else "make a copy under a name of its own"
    return of_whole_arrays(f"{name!r} is written in place, but {cell.shared}: {instead} first", names)


def is_held_beside(cell: Cell, given: Container[Cell], *envs: Mapping[str, Value]) -> bool:
    """Whether what an array may be a part of has another name: not in `x = f(x)`."""
    held = {found for env in envs for value in env.values() for found in reachable_cells(value, cell)}
    return any(base.shared or base in given or base in held for base in {*related(cell)} - {cell})


def of_whole_arrays(words: str, names: Collection[str]) -> str:
    """Words about arrays, complex ones by the names that they have in place of those of their parts."""

    def whole(found: re.Match[str]) -> str:
        return found[1] if found[1] in names and found[0] not in names else found[0]

    return re.sub(r"\b(\w+)_(?:re|im)\b", whole, words)


def is_contents(atom: Atom, st: FlowState) -> bool:
    """Whether a name or an array object has this value already."""
    listed = (leaf for value in st.env.values() for leaf in leaves(value))
    mine = (v.atom if isinstance(v, View) else v for v in listed)
    return any(v is atom for v in st.store.values()) or any(v is atom for v in mine)


def whole_list(rows: Value, python: tuple[bool, ...], st: FlowState) -> GrowingList:
    """The list of all rows of arrays, which are its object."""
    return GrowingList.of(size_atom(type_of(next(leaves(rows)), st).shape[0]), rows, python, fixed=True)


def type_of(value: Value, st: FlowState) -> Type:
    match value:
        case Ref(cell):
            return st.store[cell].type
        case View():
            return value.atom.type
        case Var() | Lit():
            return value.type
    raise AssertionError(f"{value!r} has no type")


def inner_values(leaf: Value) -> Iterator[Value]:
    """The values inside a function's value."""
    match leaf:
        case Closure():
            yield from leaf.env.values()
            yield from leaf.defaults.values()
        case Partial(function, arguments, keywords):
            yield from (function, *arguments, *keywords.values())
        case Method(owner):
            yield owner


def is_held(cell: Cell, *envs: Mapping[str, Value]) -> bool:
    """Whether a name reaches a cell; else only the expression that made it can ask for it, once."""
    return any(cell in reachable_cells(value) for env in envs for value in env.values())


def related(cell: Cell, but: Cell | None = None) -> Iterator[Cell]:
    """A cell and those it may be a view of."""
    if cell is but:
        return
    yield cell
    for base, _ in cell.bases:
        yield from related(base, but)


def holders(env: Mapping[str, Value], names: Container[str], frame: object) -> Counter[Cell]:
    """How many of the names reach each cell. Functions of `frame` itself look its names up when they are called."""
    counted: Counter[Cell] = Counter()
    for leaf in (leaf for name, value in env.items() if name in names for leaf in leaves(value)):
        if not (isinstance(leaf, Closure) and leaf.frame is frame):
            counted.update(reachable_cells(leaf))
    return counted


def relate(st: FlowState, merged: list[MergedCell], held: Mapping[Cell, int], given: Iterable[Cell]) -> None:
    """Say of merged cells what they may share memory with: other merged ones, and objects that names still hold.

    `held`: the objects that names outside the merged cells reach; `given`: those that the caller reaches.
    """
    outside = {cell for cell, count in held.items() if count} | set(given)
    for each in merged:
        objects = each.objects
        for part in each.parts:
            cell = cell_of(part)
            if cell is not None and cell.shared:
                each.cell.shared = cell.shared
        others = [m.cell for m in merged if m is not each and m.objects & objects]
        same = [cell for cell in st.store if cell in objects and cell in outside]
        if same or others:
            found = [cell.name for cell in (*same, *others)]
            other = next((name for name in found if name != each.cell.name), found[0])
            each.cell.shared = f"it may be the same array as {other!r}"
        each.cell.bases = tuple((cell, st.store[cell]) for cell in same)
