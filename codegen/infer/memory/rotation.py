"""Arrays that change names after each iteration of a loop: buffers that are read and written in turn.

for ...:                 each array still has one name, so that writes are exact. Which array a name has is known by the
    b[1:-1] = ...        number of iterations: after an odd one b's array is what `a` is called.
    a, b = b, a
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codegen.infer.control.carried import Path, Template
from codegen.infer.control.conditions import either
from codegen.infer.control.loop_aliases import LoopRun, carried_arrays
from codegen.infer.frame import Frame
from codegen.infer.memory.aliases import holders
from codegen.infer.memory.subscripts import write_item
from codegen.infer.values import Cell, FlowState, Nest, Ref, Value
from codegen.ir import Atom


@dataclass(frozen=True)
class Rotation:
    """`objects`: the array that each name has at first; `next`: the name that its array has an iteration later."""

    objects: Mapping[Path, Cell]
    next: Mapping[Path, Path]

    def names(self, path: Path) -> Iterator[Path]:
        """The names of an array in turn, until it has its first one again."""
        yield path
        later = self.next[path]
        while later != path:
            yield later
            later = self.next[later]


def find_rotation(frame: Frame, templates: Mapping[str, Template], run: LoopRun) -> Rotation | None:
    """The names of which each has, at the end of the body, an array that another of them had at its beginning; None
    where the caller has none of these arrays, as nobody looks for it then."""
    held, after = (holders(state.env, run.live, frame) for state in (run.start, run.end))
    first = {
        path: value.cell
        for path, value in carried_arrays(templates, run.start).items()
        if isinstance(value, Ref) and not value.cell.shared
        if held[value.cell] <= (path[0] in run.live)
    }
    names = {cell: path for path, cell in first.items()} | run.head.arrays
    before = {
        path: names[value.cell]
        for path, value in carried_arrays(templates, run.end).items()
        if isinstance(value, Ref) and value.cell in names and after[value.cell] <= 1
    }
    paths = [path for path in first if path in before]
    while any(before[path] not in paths for path in paths):
        paths = [path for path in paths if before[path] in paths]
    later = {before[path]: path for path in paths}
    if len(later) < len(paths) or len({first[path] for path in paths}) < len(paths):
        return None
    if not any(first[path] in frame.given for path in paths) or all(a == b for a, b in later.items()):
        return None
    return Rotation({path: first[path] for path in paths}, later)


def settle(frame: Frame, rotation: Rotation, turns: Atom) -> None:
    """What the caller's arrays hold after the loop, and that their names are theirs in one order or another."""
    b, found = frame.b, {}
    now = {path: value_at(frame.st, path) for path in rotation.objects}
    for path, cell in rotation.objects.items():
        if cell in frame.given:
            *others, last = rotation.names(path)
            value: Value = now[last]
            for k, other in reversed(list(enumerate(others))):
                here = b.atom(b.apply("eq", b.apply("mod", b.wrap(turns), len(others) + 1), k))
                value = either(frame, here, now[other], value, frame.span)
            found[cell] = value
    for cell, value in found.items():
        write_item(frame, Ref(cell), Ellipsis, value, frame.span, how="update")
    for ref in now.values():
        ref.cell.bases = tuple((cell, frame.st.store[cell]) for cell in found)
        ref.cell.shared = f"after the loop it may be the array that was {next(iter(found)).name!r} before it"


def value_at(st: FlowState, path: Path) -> Ref:
    """The array that a name has, or what it holds at a place."""
    value = st.env[path[0]]
    for place in path[1:]:
        assert isinstance(value, Nest)
        value = value.items[place]
    assert isinstance(value, Ref)
    return value
