"""Ints that lanes share and the sizes of their arrays hang on: a program is made for each.

    batch(windows, in_axes=(0, None))(x, 3)        def windows(x, n): ... np.zeros(len(x) - n + 1) ...

Lanes are compiled for arrays of known sizes. So what is compiled is `windows(x, 3)`, and for another n another program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from autobatch.arguments import Described
from codegen.ir import Type
from codegen.ir.literals import literal
from codegen.pytree import key, types_in
from codegen.source import UnknownSizeError

Made = TypeVar("Made")


class SizingInts:
    """The places of the arguments that were found to be such, by the types of all."""

    def __init__(self) -> None:
        self.found: dict[Any, tuple[int, ...]] = {}

    def made(
        self,
        given: Described,
        names: tuple[str, ...],
        values: Sequence[Any],
        make: Callable[[Described], Made],
    ) -> tuple[Made, bool]:
        """What is made of a call, and whether it is made for values of its arguments. SourceError where sizes hang on
        something else."""
        wanted = names, tuple(map(key, given.entries)), tuple(given.axes)
        if wanted in self.found:
            return make(with_constants(given, values, self.found[wanted])), True
        try:
            return make(given), False
        except UnknownSizeError:
            places = shared_ints(given)
            if not places:
                raise
        made = make(with_constants(given, values, places))
        for each in places if len(places) > 1 else ():  # those that sizes do not hang on stay arguments
            fewer = tuple(place for place in places if place != each)
            with suppress(UnknownSizeError):
                made = make(with_constants(given, values, fewer))
                places = fewer
        self.found[wanted] = places
        return made, True


def shared_ints(given: Described) -> tuple[int, ...]:
    axes, ints = iter(given.axes), []
    for place, entry in enumerate(given.entries):
        shared = [next(axes) is None for _ in types_in(entry)]
        if isinstance(entry, Type) and shared[0] and not entry.rank and entry.dtype[0] in "iu":
            ints.append(place)
    return tuple(ints)


def with_constants(given: Described, values: Sequence[Any], places: tuple[int, ...]) -> Described:
    """The call whose arguments at these places are constants of its program."""
    axes, entries, left = iter(given.axes), list(given.entries), []
    for place, entry in enumerate(given.entries):
        own = [next(axes) for _ in types_in(entry)]
        if place in places:
            entries[place] = literal(values[place])
        else:
            left += own
    return replace(given, entries=tuple(entries), axes=left)
