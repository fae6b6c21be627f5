"""Which code serves a call, where that hangs on how its arguments are taken: small ints as constants, lists and dicts
item by item or as arrays. What the program is refused for tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from codegen.arguments.known import KnownArguments, of_ints
from codegen.arguments.lists import LISTS_CHANGED, Lent, has_list_arrays
from codegen.infer.known_lists import with_form
from codegen.infer.trace import Signature
from codegen.pytree import call_key
from codegen.source import SourceError
from codegen.specialisations import Compiled

Made = tuple[Signature, dict[str, Any], Compiled]


class Making(Protocol):
    """A transformed function, as far as its code is looked for; see there."""

    known: KnownArguments
    tabled: dict[Any, Any]
    fewest: int

    def signature(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], lent: Lent | None = None
    ) -> tuple[Signature, dict[str, Any]]: ...

    def specialised(
        self,
        signature: Signature,
        keywords: dict[str, Any],
        *,
        known_sizes: bool = False,
        values: Sequence[Any] | None = None,
    ) -> Compiled: ...


def made_for(f: Making, args: tuple[Any, ...], kwargs: dict[str, Any], lent: Lent) -> Made:
    """The types of a call's arguments, and the code for them: lists of numbers are arrays where the function
    changes them."""
    signature, keywords = f.signature(args, kwargs, lent)
    try:
        return code_for(f, signature, keywords, args, kwargs, lent)
    except SourceError as error:
        tabled = None if error.wants_arrays is None else with_form(f.tabled, *error.wants_arrays)
        if tabled is None:
            raise
        f.tabled = tabled
        lent.tables.known.clear()
        return made_for(f, args, kwargs, lent)


def code_for(
    f: Making,
    signature: Signature,
    keywords: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    lent: Lent,
) -> Made:
    """The same, for these types at first."""
    entries, values = (*signature, *keywords.values()), (*args, *kwargs.values())
    if f.known.is_empty:  # what nearly all calls do
        try:
            return signature, keywords, f.specialised(signature, keywords, values=values)
        except SourceError as error:
            if error.wants_arrays is not None or not (of_ints(error) or error.of_changed_list):
                raise

    def make(given: tuple[Any, ...], *, known_sizes: bool = False) -> Made:
        first, named = given[: len(signature)], dict(zip(keywords, given[len(signature) :], strict=True))
        return first, named, f.specialised(first, named, known_sizes=known_sizes, values=values)

    sized = partial(make, known_sizes=True)
    try:
        return f.known.for_call(partial(call_key, entries, keywords), entries, values, make, sized)
    except SourceError as error:
        if not error.of_changed_list or f.fewest == 0:
            raise
        f.fewest = lent.fewest = 0
        listed, named = f.signature(args, kwargs, lent)
        if not any(map(has_list_arrays, (*listed, *named.values()))):
            error.add_note(LISTS_CHANGED)
            raise
        return made_for(f, args, kwargs, lent)
