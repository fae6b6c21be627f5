"""Texts of which one is chosen when the program runs: its number stands for it.

kind = "fast" if n < 5 else "slow"     ->     kind = 0 if n < 5 else 1
if kind == "slow": ...                        if kind == 1: ...
"""

from __future__ import annotations

from typing import Any

from codegen.infer.control.truth import both, python_bool, truth
from codegen.infer.frame import Frame
from codegen.infer.texts.known_texts import Texts, is_chosen, is_words
from codegen.infer.values import Nest, Static, Value, Wording
from codegen.source import Span, refuse


def number_among(frame: Frame, texts: Texts, value: Any) -> Any:
    """The number that a text has among these."""
    if isinstance(value, Wording):
        raise frame.refusal(
            "a text that is put together when the program runs is not compared: compare what it tells"
        )
    if not is_chosen(value):
        return texts.number(value.value)
    given, number = frame.give(value.items[0]), 0
    if value.cls is texts:
        return given
    for k, text in enumerate(value.cls.known):
        is_it = frame.b.apply("eq", given, k)
        number = frame.b.apply("select", is_it, texts.number(text), number)
    return number


def compare_texts(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """A comparison of a text that is chosen, or put together: `==`, or `in` a tuple, or the keys of a dict."""
    if sign in ("in", "not in"):
        return among_texts(frame, sign, x, y)
    if sign not in ("==", "!=", "is", "is not"):
        raise frame.refusal(f"`{sign}` of texts that are chosen when the program runs is not supported")
    if not all(is_words(each) or isinstance(each, Wording) for each in (x, y)):
        return frame.b.atom(sign in ("!=", "is not"))
    row = "eq" if sign in ("==", "is") else "ne"
    texts = next((each.cls for each in (x, y) if is_chosen(each)), frame.inference.texts)  # type: ignore[union-attr]
    met = frame.b.apply(row, *(number_among(frame, texts, each) for each in (x, y)))
    return python_bool(frame, frame.b.atom(met), "t")


def among_texts(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """`x in y`"""
    items = texts_in(y)
    if items is None:
        raise frame.refusal(f"`{sign}` takes a tuple of texts here")
    met: Any = False
    for each in items:
        met = both(frame, "or", met, frame.b.wrap(truth(frame, compare_texts(frame, "==", x, each))))
    if isinstance(met, bool):
        return frame.b.atom(met == (sign == "in"))
    return python_bool(frame, frame.b.atom(met if sign == "in" else frame.b.apply("not", met)), "t")


def texts_in(value: Value) -> list[Value] | None:
    """The items of a tuple or the like, the keys of a dict."""
    match value:
        case Nest(cls, items, keys) if cls is dict:
            return [Static(key) for key in keys or ()]
        case Nest(cls, items) if cls in (tuple, list, set, frozenset):
            return [*items]
        case Static(tuple() | list() | dict() | set() | frozenset() as held):
            return [Static(each) for each in held]
    return None


def item_by_text(frame: Frame, held: Value, text: Value, span: Span) -> tuple[Value, Any]:
    """Where `d[text]` is read: the items of a dict, and which of them has the key; KeyError where none has."""
    keys = texts_in(held) or []
    if isinstance(held, Nest) and held.cls is dict:
        items = Nest(tuple, held.items)
    elif isinstance(held, Static) and isinstance(held.value, dict):
        items = Nest(tuple, tuple(frame.constant(each, "t", span) for each in held.value.values()))
    else:
        raise refuse(
            span, f"{frame.describe(held)} is not read by a text that is chosen when the program runs"
        )
    b, place, met = frame.b, 0, False
    for k, key in enumerate(keys):
        is_key = b.wrap(truth(frame, compare_texts(frame, "==", text, key)))
        place, met = b.apply("select", is_key, k, place), both(frame, "or", met, is_key)
    b.require(met, "KeyError", "the key is not in the dict")
    return items, place


def with_own_numbers(frame: Frame, value: Any) -> Any:
    """What another program gives, its texts by their numbers in this one."""
    if not isinstance(value, Nest):
        return value
    if not is_chosen(value):
        return value.with_items(tuple(with_own_numbers(frame, item) for item in value.items))
    if frame.give(value.items[0]).ndim:
        raise frame.refusal("texts of lanes are given to the caller alone: return numbers")
    texts = frame.inference.texts
    return Nest(texts, (frame.b.atom(number_among(frame, texts, value)),))
