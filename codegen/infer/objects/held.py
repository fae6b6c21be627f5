"""Objects that a loop makes anew: where a field may be another in each iteration, the loop carries what it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any

from codegen.infer.memory.aliases import inner_values
from codegen.infer.objects.assigned import users_class
from codegen.infer.objects.field import AssignedField
from codegen.infer.values import Closure, FlowState, Nest, Static, Unbound, Value, leaves


class OfAnyField:
    """The class of an AnyField, which is no value's."""


@dataclass(frozen=True, eq=False)
class AnyField(Nest):
    """What stands in a template for a field of one object or another: a nest of what that holds. `owner`: the class of
    the objects."""

    owner: Any = None

    @classmethod
    def of(cls, inner: Any, owner: Any) -> AnyField:
        return cls(OfAnyField, (inner,), ("",), owner)

    def with_items(self, items: tuple[Value, ...]) -> AnyField:
        return AnyField(self.cls, items, self.keys, self.owner)


def with_fields_held(t: Any, value: Any, st: FlowState) -> Any:
    """A value with what its fields hold where a template has that."""
    match t, value:
        case AnyField(_, (inner,)), AssignedField(name):
            return AnyField.of(with_fields_held(inner, st.env.get(name), st), t.owner)
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


def rows_of_one_in_itself(values: Iterable[Any], st: FlowState) -> tuple[Any, dict[str, Any]] | None:
    """What an error wants where values have ever more objects in objects of a class."""
    found = [cls for value in values if (cls := held_in_itself(value, st)) is not None]
    return (found[0], {}) if found else None


def held_in_itself(value: Any, st: FlowState, around: tuple[Any, ...] = ()) -> Any:
    """A class whose objects are in fields of others of it, found in a value or a template; None if there is none."""
    match value:
        case AssignedField(name):
            return held_in_itself(st.env.get(name), st, around)
        case Nest(cls, items):
            own = users_class(cls) if is_dataclass(cls) and value.keys is not None else None
            if own is not None and own in around:
                return own
            inside = around if own is None else (*around, own)
            return next((each for item in items if (each := held_in_itself(item, st, inside))), None)
        case Unbound():
            return held_in_itself(value.value, st, around)
        case Static():
            return None
    inner = getattr(value, "inner", getattr(value, "value", None))  # of a template
    return None if inner is None else held_in_itself(inner, st, around)


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
