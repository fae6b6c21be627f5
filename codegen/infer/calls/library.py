"""A library's function in the place of a user's: calling(f, ...) is the tree of a function that calls it.

grad(np.hypot)(x, y)     is that of     def hypot(x1, x2):
                                            return numpy.hypot(x1, x2)

It has the arguments of one call, under the library's names where these are plain.
"""

from __future__ import annotations

import keyword
from typing import Any

from codegen.definitions import standing_for
from codegen.primitives.row import FUNCTIONS
from codegen.primitives.signatures import library_signature
from codegen.read.tree import CallExpr, Constant, Define, Name, Parameter, Return
from codegen.source import Source, Span


def is_library(f: Any) -> bool:
    """Whether what a function means is known by a row or a definition."""
    if type(f).__hash__ is None or not callable(f) or isinstance(f, type):
        return False
    return f in FUNCTIONS or standing_for(f) is not None


def calling(f: Any, count: int, names: tuple[str, ...]) -> Define:
    """A function of so many arguments by position, and of these by name, that calls `f` with them."""
    name = getattr(f, "__name__", "f")
    placed = [each for each in place_names(f, count) if each not in names]
    placed += [f"argument{k}" for k in range(len(placed), count)]
    told = ", ".join((*placed, *(f"{each}={each}" for each in names)))
    text = f"{name}({told})"
    span = Span(Source(f"<{name}>", text), 1, 1, 1, len(text) + 1)
    parameters = [Parameter(span, each, None, "plain") for each in placed]
    parameters += [Parameter(span, each, None, "keyword") for each in names]
    arguments = tuple(Name(span, each) for each in placed)
    keywords = tuple((each, Name(span, each)) for each in names)
    call = CallExpr(span, Constant(span, f), arguments, keywords)
    return Define(span, name, tuple(parameters), (Return(span, call),), span.source)


def place_names(f: Any, count: int) -> list[str]:
    """What the library calls its first arguments."""
    try:
        listed = library_signature(f).parameters.values()
    except (TypeError, ValueError):
        return []
    by_place = [p.name for p in listed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [name for name in by_place if not keyword.iskeyword(name)][:count]


def check_library_call(f: Any, count: int, keywords: tuple[str, ...]) -> None:
    """Python's TypeError unless the library's function takes such a call."""
    try:
        form = library_signature(f)
    except ValueError:
        return
    try:
        form.bind(*(None,) * count, **dict.fromkeys(keywords))
    except TypeError as error:
        raise TypeError(f"{getattr(f, '__name__', 'f')}() {error}") from None
