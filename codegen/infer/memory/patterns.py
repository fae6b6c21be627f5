"""What the names and places of a target are given: matched."""

from __future__ import annotations

from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import items_of_value
from codegen.infer.values import Nest, Value
from codegen.read import tree
from codegen.source import refuse

Matched = list[tuple[tree.Expression, Value]]


def matched(frame: Frame, target: tree.Expression, value: Value) -> Matched:
    """A pattern's names and places with what each is given."""
    if not isinstance(target, tree.Tuple):
        return [(target, value)]
    span, items = target.span, target.items
    starred = [k for k, item in enumerate(items) if isinstance(item, tree.Starred)]
    names = [item.id if isinstance(item, tree.Name) else "t" for item in items]
    parts = items_of_value(frame, value, span, [] if starred else names)
    if not starred and len(parts) != len(items):
        raise refuse(span, f"cannot unpack {len(parts)} values into {len(items)} names")
    if starred:
        if len(parts) < len(items) - 1:
            raise refuse(span, f"cannot unpack {len(parts)} values into at least {len(items) - 1} names")
        at, end = starred[0], len(parts) - (len(items) - starred[0] - 1)
        parts = [*parts[:at], Nest(list, tuple(parts[at:end])), *parts[end:]]
    pairs = zip(items, parts, strict=True)
    return [p for i, v in pairs for p in matched(frame, i.value if isinstance(i, tree.Starred) else i, v)]
