"""Texts of which one is chosen when the program runs: its number stands for it.

kind = "fast" if n < 5 else "slow"     ->     kind = 0 if n < 5 else 1
if kind == "slow": ...                        if kind == 1: ...
"""

from __future__ import annotations

from typing import Any

from codegen.infer.control.truth import python_bool
from codegen.infer.frame import Frame
from codegen.infer.texts.among import number_among
from codegen.infer.texts.known_texts import is_chosen, is_letter, is_words, members
from codegen.infer.values import Nest, Static, Value


def compare_texts(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """Whether a text that is chosen is another, or is not."""
    if not (is_words(x) and is_words(y)):
        return frame.b.atom(sign in ("!=", "is not"))
    row = "eq" if sign in ("==", "is") else "ne"
    texts = next((each.cls for each in (x, y) if is_chosen(each)), frame.inference.texts)
    met = frame.b.apply(row, *(number_among(frame, texts, each) for each in (x, y)))
    return python_bool(frame, frame.b.atom(met), "t")


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


def with_own_numbers(frame: Frame, value: Any) -> Any:
    """What another program gives, its texts by their numbers in this one."""
    if not isinstance(value, Nest):
        return value
    if not is_chosen(value):
        return value.with_items(tuple(with_own_numbers(frame, item) for item in value.items))
    if is_letter(value) or members(value) is not None:
        return value
    if frame.give(value.items[0]).ndim:
        raise frame.refusal("texts of lanes are given to the caller alone: return numbers")
    texts = frame.inference.texts
    return Nest(texts, (frame.b.atom(number_among(frame, texts, value)),))
