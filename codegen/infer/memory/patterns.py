"""What the names and places of a target are given: matched."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import get_item, items_of_value
from codegen.infer.values import GrowingList, Nest, Value
from codegen.ir.exceptions import few_values
from codegen.read import tree
from codegen.source import Span, refuse

Matched = list[tuple[tree.Expression, Value]]


def matched(frame: Frame, target: tree.Expression, value: Value) -> Matched:
    """A pattern's names and places with what each is given."""
    if not isinstance(target, tree.Tuple):
        return [(target, value)]
    span, items = target.span, target.items
    starred = [k for k, item in enumerate(items) if isinstance(item, tree.Starred)]
    names = [item.id if isinstance(item, tree.Name) else "t" for item in items]
    if starred and isinstance(value, GrowingList):
        return paired(frame, items, around_star(frame, value, starred[0], names, span))
    parts = items_of_value(frame, value, span, [] if starred else names)
    if not starred and len(parts) != len(items):
        raise refuse(span, f"cannot unpack {len(parts)} values into {len(items)} names")
    if starred:
        if len(parts) < len(items) - 1:
            raise refuse(span, f"cannot unpack {len(parts)} values into at least {len(items) - 1} names")
        at, end = starred[0], len(parts) - (len(items) - starred[0] - 1)
        parts = [*parts[:at], Nest(list, tuple(parts[at:end])), *parts[end:]]
    return paired(frame, items, parts)


def paired(frame: Frame, items: Sequence[tree.Expression], parts: Sequence[Value]) -> Matched:
    """The items of a pattern with what each is given."""
    pairs = zip(items, parts, strict=True)
    return [p for i, v in pairs for p in matched(frame, i.value if isinstance(i, tree.Starred) else i, v)]


def around_star(frame: Frame, held: GrowingList, star: int, names: Sequence[str], span: Span) -> list[Value]:
    """`a, *rest, z = xs` of a list of unknown length: its first items, the list of those between, its last ones."""
    behind = len(names) - star - 1
    size = frame.give(held.count)
    frame.b.require(
        frame.b.apply("ge", size, star + behind), few_values(star + behind, "at least "), None, size
    )
    between = get_item(frame, held, slice(star, -behind or None), span, "rest")
    first = [get_item(frame, held, k, span, name) for k, name in enumerate(names[:star])]
    last = [get_item(frame, held, k - behind, span, name) for k, name in enumerate(names[star + 1 :])]
    return [*first, between, *last]


def bind_target(frame: Frame, target: tree.Expression, value: Value) -> None:
    """The names of a comprehension's target."""
    for name, part in matched(frame, target, value):
        assert isinstance(name, tree.Name)
        frame.st.env[name.id] = part
