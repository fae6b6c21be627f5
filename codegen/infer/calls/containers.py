"""Python's containers: what displays, dict, slice, itemgetter and methods of texts mean where all is known."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from codegen.infer.calls.listed import as_list, list_of
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import get_item
from codegen.infer.operators import operate
from codegen.infer.optional import NONE
from codegen.infer.texts.text_methods import call_text_method, has_method
from codegen.infer.texts.wording import formatted
from codegen.infer.values import Nest, Static, Value
from codegen.ir import Lit
from codegen.read import tree
from codegen.source import Span, refuse


def python_dict(frame: Frame, name: str, /, *arguments: Value, **keywords: Value) -> Value:
    """dict(), of a dict or of pairs, and of keywords."""
    if len(arguments) > 1:
        raise frame.refusal(f"dict expected at most 1 argument, got {len(arguments)}")
    made: dict[Any, Value] = {}
    for first in arguments:
        if isinstance(first, Nest) and first.cls is dict:
            made.update(zip(first.keys or (), first.items, strict=True))
            continue
        for pair in all_items(frame, first):
            match pair:
                case Nest(_, (Static(str() | Enum() as key), value)):
                    made[key] = value
                case _:
                    takes = "pairs whose first items are texts, or members of an Enum, that are known"
                    raise frame.refusal(f"dict() takes {takes}")
    made.update(keywords)
    return Nest(dict, tuple(made.values()), tuple(made))


def python_tuple(cls: type) -> Callable[..., Value]:
    def make(frame: Frame, name: str, iterable: Value | None = None, /, *, maxlen: Value = NONE) -> Value:
        refuse_maxlen(frame, maxlen)
        if iterable is None:
            return Nest(cls, ())
        if cls is list and is_counted(frame, iterable):
            return as_list(frame, iterable)
        return Nest(cls, tuple(all_items(frame, iterable)))

    return make


def refuse_maxlen(frame: Frame, maxlen: Value) -> None:
    """SourceError for a queue that keeps its last items, but for those that are read as others (bounded_queues.py)."""
    if maxlen is not NONE:
        raise frame.refusal(
            "a deque with `maxlen` has one name here, in one function: `if len(q) > n: q.popleft()` does the same"
        )


def joined_display(
    frame: Frame,
    items: Sequence[tree.Expression],
    evaluate: Callable[[Frame, tree.Expression], Value],
    name: str,
) -> Value:
    """`[x, *xs, y]`: the lists that it is made of, one after the other."""
    made: Value = Nest(list, ())
    for item in items:
        starred = isinstance(item, tree.Starred)
        value = evaluate(frame, item.value if isinstance(item, tree.Starred) else item)
        part = list_of(frame, value, item.span) if starred else Nest(list, (value,))
        made = operate(frame, "+", made, part, name)
    return made


def is_known(value: Value) -> bool:
    if isinstance(value, Nest):
        return value.cls in (tuple, list) and all(map(is_known, value.items))
    return isinstance(value, Static | Lit)


def known_object(value: Value) -> Any:
    """The Python object that a value is known to be."""
    if isinstance(value, Nest):
        return value.cls(map(known_object, value.items))
    assert isinstance(value, Static | Lit)
    return value.value


def known_text(
    frame: Frame, method: Any, arguments: tuple[Value, ...], keywords: dict[str, Value], name: str
) -> Value:
    """What a method of a text that is known gives of arguments that are known."""
    if not all(map(is_known, (*arguments, *keywords.values()))):
        if method.__name__ == "format":
            return formatted(frame, method.__self__, arguments, keywords)
        if has_method(method.__name__) and not keywords:
            return call_text_method(frame, method.__name__, Static(method.__self__), *arguments)
        what = f"str.{method.__name__} takes what is known here"
        raise frame.refusal(f"{what}: texts of values are put together by f-strings")
    with frame.refusing():
        made = method(*map(known_object, arguments), **{k: known_object(v) for k, v in keywords.items()})
    return frame.constant(made, name)


def python_slice(frame: Frame, name: str, /, *bounds: Value) -> Value:
    if not 1 <= len(bounds) <= 3 or not all(map(is_known, bounds)):
        raise frame.refusal("slice() takes one to three bounds that are known: write x[a:b]")
    return Static(slice(*map(known_object, bounds)))


def python_getitem(frame: Frame, name: str, a: Value, b: Value, /) -> Value:
    return get_item(frame, a, frame.give(b), frame.span, name)


def python_itemgetter(frame: Frame, name: str, /, *items: Value) -> Value:
    if not items or not all(map(is_known, items)):
        raise frame.refusal("itemgetter() takes places that are known: write a function")
    return Static(operator.itemgetter(*map(known_object, items)))


def items_got(
    frame: Frame, getter: operator.itemgetter[Any], arguments: tuple[Value, ...], name: str
) -> Value:
    """What operator.itemgetter(...) gives of a container."""
    if len(arguments) != 1:
        raise frame.refusal(f"itemgetter expected 1 argument, got {len(arguments)}")
    reduced: Any = getter.__reduce__()
    places = reduced[1]
    found = tuple(get_item(frame, arguments[0], place, frame.span, name) for place in places)
    return found[0] if len(found) == 1 else Nest(tuple, found)


def items_by_key(frame: Frame, value: Value, span: Span) -> dict[str, Value]:
    """What a dict holds."""
    if isinstance(value, Static) and isinstance(value.value, dict):
        value = frame.constant(value.value, "t", span)
    if not (isinstance(value, Nest) and value.cls is dict):
        raise refuse(span, f"`**` takes a dict, not {frame.describe(value)}")
    return dict(zip(value.keys or (), value.items, strict=True))
