"""A tree as if all of it stood at one place: what is said of any part of it then points there."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from codegen.source import Source, Span

Part = TypeVar("Part")


def moved(part: Part, span: Span) -> Part:
    """The tree of a definition at the call that it is put in place of."""
    made: Any = part
    match part:
        case Span():
            made = span
        case Source():
            made = span.source
        case tuple():
            made = tuple(moved(each, span) for each in part)
        case _ if is_dataclass(part) and not isinstance(part, type):
            made = type(part)(**{f.name: moved(getattr(part, f.name), span) for f in fields(part) if f.init})
    return made
