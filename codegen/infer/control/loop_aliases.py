"""What the arrays that a loop carries may share memory with, so that in-place writes stay exact or are refused.

best = x                        best: in some iterations the same array as x; writing either is refused,
for ...: best = y + 1.0         reading best after x was written too
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from codegen.infer.control.carried import Array, Head, Path, Template
from codegen.infer.control.flags import RESULT
from codegen.infer.control.loop_equation import Carried, carried_slots
from codegen.infer.frame import Frame, Live
from codegen.infer.memory.aliases import holders, reachable_cells
from codegen.infer.objects.held import with_fields_held
from codegen.infer.values import Cell, FlowState, Nest, Value, cell_of, leaves
from codegen.read.scope import mutated_places
from codegen.read.tree import Statement


@dataclass(frozen=True)
class Shared:
    """What a carried array may be besides an object of its own: one from outside the loop, or another carried one."""

    outside: frozenset[Cell] = frozenset()
    mixed: bool = False


@dataclass(frozen=True)
class LoopRun:
    """One run of a loop's body: the states before the loop, at the body's end and at its head; the names read later."""

    start: FlowState
    end: FlowState
    head: Head
    live: Live


Place = tuple[str, int]  # a name and the place of a leaf in its value
ALONE = Shared()
Sharing = Mapping[Path, Shared]


@dataclass(eq=False)
class Learned:
    """What a loop was found to carry, kept for when it is run again within another round of a loop around it."""

    templates: dict[str, Template] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    written: frozenset[Place] = frozenset()
    sharing: Mapping[Path, tuple[frozenset[Place], bool]] = field(default_factory=dict)


def seem_written(body: Sequence[Statement], named: Mapping[str, Value]) -> Iterator[Cell]:
    """The arrays of names, and of their fields, that a body assigns into; the items of lists are bound anew."""
    for name, *fields in mutated_places(body):
        value = named.get(name)
        for key in fields:
            if isinstance(value, Nest) and key in (value.keys or ()):
                value = value.items[(value.keys or ()).index(key)]
        if value is not None and not (isinstance(value, Nest) and value.cls in (list, dict)):
            yield from (cell for leaf in leaves(value) if (cell := cell_of(leaf)) is not None)


def learned_in(carried: Carried, objects: list[tuple[Place, Cell]], sharing: Sharing) -> Learned:
    """What is kept of a loop; objects are told by the names that hold them."""
    written = frozenset(place for place, cell in objects if cell in carried.cells)
    shared = {
        path: (frozenset(p for p, cell in objects if cell in s.outside and p[0] != path[0]), s.mixed)
        for path, s in sharing.items()
    }
    return Learned(dict(carried.templates), carried.flags, written, shared)


def carried_arrays(templates: Mapping[str, Template], st: FlowState) -> dict[Path, Value | None]:
    """What is at each carried array's place in a state."""
    held = {name: with_fields_held(t, st.env.get(name), st) for name, t in templates.items()}
    found = (slot for name, t in templates.items() for slot in carried_slots(t, held[name], (name,)))
    return {path: value for part, value, path in found if isinstance(part, Array)}


def first_sharing(frame: Frame, templates: Mapping[str, Template], start: FlowState, live: Live) -> Sharing:
    """What carried arrays are at the first iteration: objects that other names hold, or the caller."""
    held = holders(start.env, live, frame)
    return {
        path: Shared(
            frozenset(c for c in reachable_cells(value) if held[c] > (path[0] in live) or c in frame.given)
        )
        for path, value in carried_arrays(templates, start).items()
    }


def seen_sharing(frame: Frame, templates: Mapping[str, Template], run: LoopRun, before: Sharing) -> Sharing:
    """What carried arrays may share memory with in later iterations, seen from one run of the body; it only grows."""
    start, end, head, live = run.start, run.end, run.head, run.live
    first = carried_arrays(templates, start)
    if not first:
        return before
    held, after = holders(start.env, live, frame), holders(end.env, live - {RESULT}, frame)
    found: dict[Path, Shared] = {}
    for path, value in carried_arrays(templates, end).items():
        old, began, ended = before.get(path, ALONE), reachable_cells(first[path]), reachable_cells(value)
        others = {c: held[c] - (c in began and path[0] in live) for c in ended}
        outside = {c for c in ended if c in start.store and (others[c] > 0 or c in frame.given)}
        mixed = any(after[c] > 1 for c in ended if c not in start.store)
        for inherited in (before.get(head.arrays[c], ALONE) for c in ended if c in head.arrays):
            outside |= inherited.outside
            mixed = mixed or inherited.mixed
        found[path] = Shared(old.outside | outside, old.mixed or mixed)
    return found


def merged(x: Sharing, y: Sharing) -> Sharing:
    """Both."""
    pairs = {path: (x.get(path, ALONE), y.get(path, ALONE)) for path in {**x, **y}}
    return {path: Shared(a.outside | b.outside, a.mixed or b.mixed) for path, (a, b) in pairs.items()}


def grew(before: Sharing, after: Sharing) -> bool:
    return any(before.get(path, ALONE) != shared for path, shared in after.items())


def mark(head: Head, known: Sharing) -> None:
    """Say of the head's arrays what they may share memory with."""
    for cell, path in head.arrays.items():
        shared = known.get(path, ALONE)
        outside = [c for c in head.st.store if c in shared.outside]
        cell.bases = tuple((c, head.st.store[c]) for c in outside)
        if outside:
            cell.shared = (
                f"in some iterations it may be the array that was {outside[0].name!r} before the loop"
            )
        elif shared.mixed:
            cell.shared = "after an iteration it may be the same array as another name's"
