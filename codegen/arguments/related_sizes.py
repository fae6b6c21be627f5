"""Sizes of arguments that are others, or a few more: a program is made for calls where they are, if without knowing it
has to ask which axes are 1, and are stretched.

    def f(u, n):                      f(u, len(u)):     if n != len(u): raise ValueError(OTHER_SIZES)
        u[1:n - 1] -= u[2:]    ->                       u[1:-1] -= u[2:]               two sizes, both len(u) - 2

What a call's sizes have in common with those of the calls before is what its program is made for: where one differs,
another program is made, which serves them all. (torch.compile guards sizes that are equal in the same way.)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from codegen.infer.inference import OTHER_SIZES
from codegen.infer.tables.values import is_given_table
from codegen.infer.values import Nest
from codegen.ir import Type, Var
from codegen.ir.broadcasting import EMPTY, FEW, MANY, OPEN_SIZES, LeftOpen, OpenSizes, RelatedInt, RelatedSize
from codegen.ir.build import I8
from codegen.pytree import items_in
from codegen.source import SourceError

NEAR = 4  # how many more a size may be
Made = TypeVar("Made")
# A size or int by number, in the order of the entries; the size that it is, with so many more.
Relation = tuple[int, int, int]
Relations = tuple[Relation, ...]
Entries = tuple[Any, ...]
Put = Callable[[int | None, Any], Any]  # of an axis, or None, and its size or the int's entry


@dataclass(eq=False)
class RelatedSizes:
    """What the calls of a function had in common, by their types: no entry where nobody asked."""

    seen: dict[Hashable, list[tuple[int, ...]]] = field(default_factory=dict)
    found: dict[Hashable, Relations] = field(default_factory=dict)

    def for_call(
        self,
        like: Hashable,
        entries: Entries,
        values: Sequence[Any],
        make: Callable[[Entries, Relations], Made],
    ) -> Made:
        """What `make` makes of a call's entries, and of the relations among them that its program is for."""
        relations = self.found.get(like)
        if relations is None:
            relations = self.first(like, entries, values, make)
        elif relations and not holds(relations, now := sizes_now(entries, values)):
            seen, axes = self.seen[like], axes_of_sizes(entries)
            alike = relations == common_relations(axes, seen, True)
            seen.append(now)
            relations = self.found[like] = common_relations(axes, seen, alike)
        with noting_open_sizes(None):
            return make(related_entries(entries, relations), relations)

    def first(
        self,
        like: Hashable,
        entries: Entries,
        values: Sequence[Any],
        make: Callable[[Entries, Relations], Made],
    ) -> Relations:
        """Those of the first call which leave least open: none, if none do; rather of like axes than of all."""
        now, axes = sizes_now(entries, values), axes_of_sizes(entries)
        tried = dict.fromkeys(common_relations(axes, [now], alike) for alike in (True, False))
        tried.pop((), None)
        self.seen[like], self.found[like] = [now], ()
        if tried and left_open(partial(make, entries, ()), wanted=True):
            left: dict[Relations, int] = {}
            for relations in (*tried, ()):
                with suppress(SourceError):
                    left[relations] = left_open(partial(make, related_entries(entries, relations), relations))
                    if not left[relations]:
                        break
            self.found[like] = min(left, key=lambda relations: (left[relations], len(relations)), default=())
        return self.found[like]


def left_open(make: Callable[[], Any], *, wanted: bool = False) -> int:
    """How often it is left open where something is made whether an axis is 1; `wanted`: once is enough."""
    found = OpenSizes(wanted)
    with noting_open_sizes(found), suppress(LeftOpen):
        make()
    return found.count


@contextmanager
def noting_open_sizes(into: OpenSizes | None) -> Iterator[None]:
    token = OPEN_SIZES.set(into)
    try:
        yield
    finally:
        OPEN_SIZES.reset(token)


def is_other_sizes(error: BaseException) -> bool:
    """Whether a program is not for a call's sizes."""
    return type(error) is ValueError and error.args == (OTHER_SIZES,)


def holds(relations: Relations, now: Sequence[int]) -> bool:
    return all(now[k] == now[of] + more for k, of, more in relations)


def common_relations(axes: Sequence[int | None], seen: Sequence[Sequence[int]], alike: bool) -> Relations:
    """The relations in all calls, by their axes (None: an int) and sizes: to sizes of the same axis first, and to no
    others where `alike`."""
    found: list[Relation] = []
    bases: list[int] = []
    for k in sorted(range(len(axes)), key=lambda k: axes[k] is None):
        if any(now[k] < MANY for now in seen):
            continue
        near = [
            (more != 0, axes[of] != axes[k], abs(more), of, more)
            for of in bases
            if (not alike or axes[k] in (None, axes[of]))
            and abs(more := seen[0][k] - seen[0][of]) <= NEAR
            and all(now[k] - now[of] == more for now in seen)
        ]
        if near:
            *_, of, more = min(near)
            found.append((k, of, more))
        elif axes[k] is not None:
            bases.append(k)
    return tuple(found)


# ---- the sizes and ints of entries, in order ----


def listed_sizes(entries: Entries) -> list[tuple[int | None, Any]]:
    """Each with its axis; None: an int."""
    found: list[tuple[int | None, Any]] = []

    def noted(axis: int | None, part: Any) -> Any:
        found.append((axis, part))
        return part

    for entry in entries:
        mapped_sizes(entry, noted)
    return found


def axes_of_sizes(entries: Entries) -> list[int | None]:
    return [axis for axis, _ in listed_sizes(entries)]


def related_entries(entries: Entries, relations: Relations) -> Entries:
    """Entries that say so."""
    if not relations:
        return entries
    parts = [part for _, part in listed_sizes(entries)]
    to = {k: (parts[of], more) for k, of, more in relations}
    count = iter(range(len(parts)))

    def said(axis: int | None, part: Any) -> Any:
        if (k := next(count)) not in to:
            return part
        of, more = to[k]
        return (
            RelatedInt(part.dtype, (), part.weak, of, more)
            if axis is None
            else RelatedSize(part.name, I8, of, more)
        )

    return tuple(mapped_sizes(entry, said) for entry in entries)


def mapped_sizes(entry: Any, part: Put) -> Any:
    """An entry with others in place of its sizes that are not known, and of ints."""
    if isinstance(entry, Nest) and not is_given_table(entry):
        items = entry.items if entry.cls is not complex else entry.items[:1]
        return entry.with_items((*(mapped_sizes(item, part) for item in items), *entry.items[len(items) :]))
    if not isinstance(entry, Type):
        return entry
    if not entry.rank:
        return part(None, entry) if entry.dtype == "i8" else entry
    shape = tuple(part(axis, n) if is_open(n) else n for axis, n in enumerate(entry.shape))
    return Type(entry.dtype, shape, entry.weak)


def is_open(n: Any) -> bool:
    return isinstance(n, Var) and n.name not in (EMPTY, FEW)


def sizes_now(entries: Entries, values: Sequence[Any]) -> tuple[int, ...]:
    """What they are in a call."""
    return tuple(n for entry, value in zip(entries, values, strict=True) for n in present_sizes(entry, value))


def present_sizes(entry: Any, value: Any) -> Iterator[int]:
    if isinstance(entry, Nest) and not is_given_table(entry):
        inside = (value,) if entry.cls is complex else items_in(value, entry)
        for item, inner in zip(entry.items, inside):
            yield from present_sizes(item, inner)
    elif isinstance(entry, Type):
        if not entry.rank:
            yield from (int(value),) if entry.dtype == "i8" else ()
        else:
            yield from (n for n, size in zip(value.shape, entry.shape, strict=True) if is_open(size))
