"""Ints that a program has to know (an axis, how many parts): a program is made for each value of such arguments; and
sizes of arrays, where nothing else is left.

jit(lambda x, axis: np.flip(x, axis))(x, 0)      what is compiled is the function of x, for axis 0
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from codegen.infer.tables.values import is_given_table
from codegen.infer.values import Nest, Static
from codegen.ir import Type
from codegen.ir.literals import literal
from codegen.pytree import items_in
from codegen.source import SourceError, UnknownSizeError

LARGEST = 32  # larger ones are sizes: loops of so many iterations would be written out
Made = TypeVar("Made")
Places = tuple[int, ...]


class KnownArguments:
    """The places of the arguments that were found to be such, by the types of all, and the types of those whose arrays
    must be of known sizes."""

    def __init__(self) -> None:
        self.found: dict[Hashable, Places] = {}
        self.sized: set[Hashable] = set()

    @property
    def is_empty(self) -> bool:
        return not (self.found or self.sized)

    def for_call(
        self,
        like: Callable[[], Hashable],
        entries: tuple[Any, ...],
        values: Sequence[Any],
        make: Callable[[tuple[Any, ...]], Made],
        sized: Callable[[tuple[Any, ...]], Made],
    ) -> Made:
        """What is made of a call's entries, with as few values and sizes as need be. `sized` makes it with the sizes of
        arrays around the function."""

        def of_values(places: Places) -> Made:
            return make(with_values(entries, values, places) if places else entries)

        ints = partial(places_of_ints, entries, values)
        return self.made(like, ints, of_values, lambda: sized(with_shapes(entries, values)))[0]

    def made(
        self,
        like: Callable[[], Hashable],
        ints: Callable[[], Places],
        make: Callable[[Places], Made],
        of_sizes: Callable[[], Made] | None = None,
    ) -> tuple[Made, Places]:
        """What is made with the values of as few arguments as need be, and which these are. `like`: the types of all;
        `ints`: those whose values may be taken; `of_sizes` makes it with the sizes of all arrays. SourceError where it
        is neither that is missing."""
        if of_sizes is not None and self.sized and like() in self.sized:
            return of_sizes(), ()
        try:
            return self.by_values(like, ints, make)
        except SourceError as error:
            if of_sizes is None or not of_sizes_or_ints(error):
                raise
            try:
                made = of_sizes()
            except SourceError as again:
                raise (again if again.wants_arrays is not None or again.of_changed_list else error) from None
            self.sized.add(like())
            return made, ()

    def by_values(
        self, like: Callable[[], Hashable], ints: Callable[[], Places], make: Callable[[Places], Made]
    ) -> tuple[Made, Places]:
        if self.found and (places := self.found.get(like(), ())):
            return make(places), places
        try:
            return make(()), ()
        except SourceError as error:
            places = ints() if of_ints(error) else ()
            if not places:
                raise
            try:
                made = make(places)
            except SourceError as other:
                raise error.or_later(other) from None
        for each in places if len(places) > 1 else ():
            fewer = tuple(place for place in places if place != each)
            try:
                made, places = make(fewer), fewer
            except SourceError as error:
                if not of_ints(error):
                    raise
        self.found[like()] = places
        return made, places


def of_ints(error: SourceError) -> bool:
    """Whether it may be that an int was no constant of the program."""
    return of_sizes_or_ints(error) or error.may_be_of_ints


def of_sizes_or_ints(error: SourceError) -> bool:
    """Whether it may be that a size or an int had to be known."""
    return isinstance(error, UnknownSizeError) or error.of_unknown


def with_shapes(entries: Sequence[Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """A call's entries, arrays being of the sizes that they have."""

    def sized(entry: Any, value: Any) -> Any:
        if isinstance(entry, Nest) and entry.cls is not complex and not is_given_table(entry):
            items = zip(entry.items, items_in(value, entry), strict=True)
            return entry.with_items(tuple(sized(item, inner) for item, inner in items))
        is_array = isinstance(entry, Type) and entry.rank and isinstance(value, np.ndarray)
        return Type(entry.dtype, value.shape, entry.weak) if is_array else entry

    return tuple(map(sized, entries, values))


def with_values(entries: Sequence[Any], values: Sequence[Any], places: Places) -> tuple[Any, ...]:
    """A call's entries, arguments at these places being constants of its program."""
    return tuple(static_entry(values[k]) if k in places else entry for k, entry in enumerate(entries))


def static_entry(value: Any) -> Any:
    """A static argument: part of the program."""
    if isinstance(value, bool | int | float | np.integer | np.bool_):
        return literal(value)
    if isinstance(value, tuple | list):
        return Nest(type(value), tuple(static_entry(item) for item in value))
    return Static(value)


def places_of_ints(entries: Sequence[Any], values: Sequence[Any]) -> Places:
    """The arguments that are small ints, or tuples of such, and no constants yet."""
    pairs = enumerate(zip(entries, values, strict=True))
    return tuple(k for k, (entry, value) in pairs if isinstance(entry, Type | Nest) and is_of_ints(value))


def is_of_ints(value: Any) -> bool:
    if type(value) is tuple:
        return bool(value) and all(map(is_of_ints, value))
    return isinstance(value, int | np.integer | np.bool_) and abs(int(value)) <= LARGEST
