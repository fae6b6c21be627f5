"""Trees moved to another place: what is wrong in a definition is told at the call that it is put in place of; and trees
with other pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from codegen.read import tree
from codegen.source import Source, Span

Part = TypeVar("Part")


def relocated(part: Part, span: Span) -> Part:
    """A tree as if all of it stood at one place, as a definition's at the call that it is put in place of."""
    made: Any = part
    match part:
        case Span() | Source():
            made = span if isinstance(part, Span) else span.source
        case tuple():
            made = tuple([relocated(each, span) for each in part])
        case _ if names := field_names(made.__class__):
            made = type(part)(**{name: relocated(getattr(part, name), span) for name in names})
    return made


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """What a node of this class is made of; nothing of what is no node."""
    return tuple(f.name for f in fields(kind) if f.init) if is_dataclass(kind) else ()


def with_pieces(part: Any, change: Callable[[Any], Any]) -> Any:
    """A piece of a tree, or several, with what `change` makes of the pieces; where that is None, of those in them."""
    if isinstance(part, tuple):
        return tuple(with_pieces(each, change) for each in part)
    if (made := change(part)) is not None or not isinstance(part, tree.Node):
        return part if made is None else made
    parts = {f.name: with_pieces(getattr(part, f.name), change) for f in fields(part) if f.name != "span"}
    return type(part)(part.span, **parts)


def with_statements(part: Any, change: Callable[[Any], Iterable[Any]]) -> Any:
    """A piece of a tree with what `change` makes of each statement in it: none, one or several."""
    if isinstance(part, tuple):
        return tuple(each for node in part for each in change(node))
    if not isinstance(part, tree.Node) or isinstance(part, tree.Expression):
        return part
    return type(part)(
        **{f.name: with_statements(getattr(part, f.name), change) for f in fields(part) if f.init}
    )


def tree_nodes(part: Any) -> Iterator[Any]:
    """All nodes of a tree, the defaults of parameters too, which `scope.parts_of` leaves to those who ask for them."""
    if isinstance(part, tuple):
        for each in part:
            yield from tree_nodes(each)
    elif isinstance(part, tree.Node) and is_dataclass(part):
        yield part
        for each in fields(part):
            if each.name not in ("span", "source"):
                yield from tree_nodes(getattr(part, each.name))
