"""Draws are not written out before they are inlined.

Every draw is inlined by force (runtime/draws.py), in the module that links it; a caller, whose loops LLVM unrolls
before that, has but a call. Twenty of them in a row are no long text, until they are twenty draws: a loop over 20
normals took four seconds to compile, and ran no faster. So such calls are not duplicated. Lanes are left out: a few
draws of theirs are numbers in registers once they are written out; they say by a hint of their own where they are many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types

from codegen.backend.numba.analyses import Attribute


def draws_kept_whole(kind: type[Any], is_of_lanes: Callable[[], bool]) -> list[Attribute]:
    """For functions that are inlined by force and are given a stream, which is a row of words."""
    declare = kind.declare_function

    def declare_function(self: Any, module: Any, description: Any) -> Any:
        made = declare(self, module, description)
        if description.inline and any(map(is_row_of_words, description.argtypes)) and not is_of_lanes():
            made.attributes.add("noduplicate")
        return made

    return [(kind, "declare_function", declare_function)]


def is_row_of_words(type_: Any) -> bool:
    return isinstance(type_, types.Array) and type_.dtype == types.uint64
