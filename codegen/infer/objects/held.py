"""Objects that a loop makes anew: where a field may be another in each iteration, the loop carries what it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from codegen.infer.memory.aliases import inner_values
from codegen.infer.objects.field import AssignedField
from codegen.infer.values import Closure, FlowState, Nest, Unbound, Value, leaves


class OfAnyField:
    """The class of an AnyField, which is no value's."""


@dataclass(frozen=True, eq=False)
class AnyField(Nest):
    """What stands in a template for a field of one object or another: a nest of what that holds."""

    @classmethod
    def of(cls, inner: Any) -> AnyField:
        return cls(OfAnyField, (inner,), ("",))

    def with_items(self, items: tuple[Value, ...]) -> AnyField:
        return AnyField(self.cls, items, self.keys)


def with_fields_held(t: Any, value: Any, st: FlowState) -> Any:
    """A value with what its fields hold where a template has that."""
    match t, value:
        case AnyField(_, (inner,)), AssignedField(name):
            return AnyField.of(with_fields_held(inner, st.env.get(name), st))
        case Nest(_, parts), Nest(_, items) if len(parts) == len(items):
            return value.with_items(
                tuple(with_fields_held(p, v, st) for p, v in zip(parts, items, strict=True))
            )
        case _, Unbound(bound, inner) if inner is not None:
            return Unbound(bound, with_fields_held(getattr(t, "inner", t), inner, st))
        case _ if not isinstance(t, Nest) and hasattr(t, "inner"):
            return with_fields_held(t.inner, value, st)
    return value


def held_fields(t: Any, value: Any, st: FlowState) -> Iterator[AssignedField]:
    """The fields at the places where a template has what they hold."""
    match t, value:
        case AnyField(_, (inner,)), AssignedField(name):
            yield value
            yield from held_fields(inner, st.env.get(name), st)
        case Nest(_, parts), Nest(_, items) if len(parts) == len(items):
            for part, item in zip(parts, items, strict=True):
                yield from held_fields(part, item, st)
        case _, Unbound(_, inner) if inner is not None:
            yield from held_fields(t, inner, st)
        case _ if not isinstance(t, Nest) and hasattr(t, "inner"):
            yield from held_fields(t.inner, value, st)


def times_met(values: Iterable[Value | None], st: FlowState, frame: object) -> Counter[AssignedField]:
    """How often each field is met on the ways from values to all that they reach."""
    met: Counter[AssignedField] = Counter()
    seen: set[Any] = set()
    waiting: list[Value | None] = [*values]
    while waiting:
        for leaf in leaves(waiting.pop()):
            if isinstance(leaf, AssignedField):
                met[leaf] += 1
            if leaf in seen or isinstance(leaf, Closure) and leaf.frame is frame:
                continue
            seen.add(leaf)
            waiting.extend([st.env.get(leaf.name)] if isinstance(leaf, AssignedField) else inner_values(leaf))
    return met
