"""Ints that a program has to know (an axis, how many parts): a program is made for each value of such arguments.

jit(lambda x, axis: np.flip(x, axis))(x, 0)      what is compiled is the function of x, for axis 0
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np

from codegen.infer.values import Nest, Static
from codegen.ir import Type
from codegen.ir.literals import literal
from codegen.source import SourceError, UnknownSizeError

LARGEST = 32  # larger ones are sizes: loops of so many iterations would be written out
Made = TypeVar("Made")
Places = tuple[int, ...]


class KnownArguments:
    """The places of the arguments that were found to be such, by the types of all."""

    def __init__(self) -> None:
        self.found: dict[Hashable, Places] = {}

    def made(
        self, like: Callable[[], Hashable], ints: Callable[[], Places], make: Callable[[Places], Made]
    ) -> tuple[Made, Places]:
        """What is made with the values of as few arguments as need be, and which these are. `like`: the types of all;
        `ints`: those whose values may be taken. SourceError where it is not ints that are missing."""
        if self.found and (places := self.found.get(like(), ())):
            return make(places), places
        try:
            return make(()), ()
        except SourceError as error:
            places = ints() if of_ints(error) else ()
            if not places:
                raise
        made = make(places)
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
    return isinstance(error, UnknownSizeError) or error.of_unknown


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
