"""Ints that lanes share and the sizes of their arrays hang on, or that a program has to know: one is made for each.

    batch(windows, in_axes=(0, None))(x, 3)        def windows(x, n): ... np.zeros(len(x) - n + 1) ...

Lanes are compiled for arrays of known sizes. So what is compiled is `windows(x, 3)`, and for another n another program.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from autobatch.arguments import Described
from codegen.arguments.known import KnownArguments, Places
from codegen.ir import Type
from codegen.ir.literals import literal
from codegen.pytree import key, types_in

Made = TypeVar("Made")


def for_values(
    known: KnownArguments,
    given: Described,
    names: tuple[str, ...],
    values: Sequence[Any],
    make: Callable[[Described], Made],
) -> tuple[Made, Places]:
    """What is made of a call, and the arguments for whose values it is made."""

    def like() -> Hashable:
        return names, tuple(map(key, given.entries)), tuple(given.axes)

    return known.made(like, lambda: shared_ints(given), lambda at: make(with_constants(given, values, at)))


def shared_ints(given: Described) -> Places:
    axes, ints = iter(given.axes), []
    for place, entry in enumerate(given.entries):
        shared = [next(axes) is None for _ in types_in(entry)]
        if isinstance(entry, Type) and shared[0] and not entry.rank and entry.dtype[0] in "iu":
            ints.append(place)
    return tuple(ints)


def with_constants(given: Described, values: Sequence[Any], places: Places) -> Described:
    """The call whose arguments at these places are constants of its program."""
    if not places:
        return given
    axes, entries, left = iter(given.axes), list(given.entries), []
    for place, entry in enumerate(given.entries):
        own = [next(axes) for _ in types_in(entry)]
        if place in places:
            entries[place] = literal(values[place])
        else:
            left += own
    return replace(given, entries=tuple(entries), axes=left)
