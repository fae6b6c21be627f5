"""Operators on texts whose letters are found out when the program runs (letters.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from codegen.definitions.lists import letters as definitions
from codegen.infer.control.truth import both, python_bool, truth
from codegen.infer.frame import Frame
from codegen.infer.memory.list_items import is_item
from codegen.infer.texts.chosen import compare_texts, texts_in
from codegen.infer.texts.known_texts import is_letter
from codegen.infer.texts.letters import (
    as_letters,
    codes_and_count,
    codes_of,
    has_letters,
    is_known_text,
    is_text_value,
    letters_of,
    letters_or_known,
    one_text,
    text_of_list,
)
from codegen.infer.values import GrowingList, Nest, Static, Value
from codegen.ir import Lit, Var
from codegen.ir.build import call
from codegen.source import Span, refuse

ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
EQUAL = {"==": "eq", "is": "eq", "!=": "ne", "is not": "ne"}


def operate_on_texts(frame: Frame, sign: str, left: Value, right: Value) -> Value | None:
    """`+` and `*` of texts whose letters are found out when the program runs; None of other values."""
    texts, known = ([test(side) for side in (left, right)] for test in (is_text_value, is_known_text))
    if sign == "+" and all(texts) and not all(known):
        return as_letters(frame, one_text(frame, [letters_or_known(frame, side) for side in (left, right)]))
    if sign == "*" and any(texts):
        text, times = (left, right) if texts[0] else (right, left)
        if isinstance(times, Var) or isinstance(times, Lit) and not any(known):
            return by_definition(frame, definitions.over_and_over, text, times)
    return None


def by_definition(frame: Frame, definition: Any, text: Value, *arguments: Value) -> GrowingList:
    """The text of the codes that a definition gives of those of a text; of texts among the arguments it is given the
    codes."""
    given = (
        codes_of(letters_of(frame, each)) if is_text_value(each) else each for each in (text, *arguments)
    )
    return text_of_list(frame, frame.inference.call(frame, Static(definition), tuple(given), {}, "codes"))


def number_of_texts(frame: Frame, definition: Any, *arguments: Value, name: str = "t") -> Value:
    """The number that a definition gives of the codes of texts."""
    given: list[Value] = []
    for each in arguments:
        given += codes_and_count(letters_of(frame, each)) if is_text_value(each) else [each]
    return frame.inference.call(frame, Static(definition), tuple(given), {}, name)


def code_of(frame: Frame, value: Any) -> Any:
    """The code of a text that is one letter; None of others."""
    if is_letter(value):
        return frame.give(value.items[0])
    known = value.value if isinstance(value, Static) else None
    return ord(known) if isinstance(known, str) and len(known) == 1 else None


def compare_letters(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """A comparison of a text that is found out when the program runs: of its letters, where they are asked for."""
    if sign in ("in", "not in"):
        return among_letters(frame, sign, x, y)
    if sign in EQUAL and not any(map(has_letters, (x, y))):
        return compare_texts(frame, sign, x, y)
    if not (is_text_value(x) and is_text_value(y)):
        if sign in EQUAL:
            return frame.b.atom(EQUAL[sign] == "ne")
        raise frame.refusal(f"`{sign}` of {frame.describe(x)} and {frame.describe(y)} is not supported")
    codes = code_of(frame, x), code_of(frame, y)
    if all(code is not None for code in codes):
        made = frame.b.apply({**EQUAL, **ORDERS}[sign], *codes)
    elif sign in EQUAL and any(is_letter(x) and isinstance(y, Static) for x, y in ((x, y), (y, x))):
        made = EQUAL[sign] == "ne"
    elif sign in EQUAL:
        made = frame.b.wrap(truth(frame, number_of_texts(frame, definitions.is_same, x, y)))
        made = made if EQUAL[sign] == "eq" else frame.b.apply("not", made)
    else:
        order = number_of_texts(frame, definitions.comes_before, x, y)
        made = frame.b.apply(ORDERS[sign], frame.give(order), 0)
    return python_bool(frame, frame.b.atom(made), "t")


def among_letters(frame: Frame, sign: str, x: Value, y: Value) -> Value:
    """`x in y`: in a text, or in a tuple or the like of texts."""
    b = frame.b
    met: Any = False
    each: Iterable[Value]
    if not is_text_value(y):
        items = texts_in(y)
        if items is None:
            raise frame.refusal(f"`{sign}` takes a text or a tuple of texts here")
        each = (compare_letters(frame, "==", x, item) for item in items)
    elif not is_text_value(x):
        raise frame.refusal(f"`{sign}` of a text takes a text, not {frame.describe(x)}")
    elif isinstance(y, Static) and is_letter(x):
        each = (compare_letters(frame, "==", x, Static(letter)) for letter in dict.fromkeys(y.value))
    elif code_of(frame, x) is not None:
        each = (b.atom(call(b, np.any, is_item(frame, letters_of(frame, y), x))),)
    else:
        each = (b.atom(b.apply("ge", number_of_texts(frame, definitions.place_of, y, x), 0)),)
    for one in each:
        met = both(frame, "or", met, b.wrap(truth(frame, one)))
    if isinstance(met, bool):
        return b.atom(met == (sign == "in"))
    return python_bool(frame, b.atom(met if sign == "in" else b.apply("not", met)), "t")


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
        is_key = b.wrap(truth(frame, compare_letters(frame, "==", text, key)))
        place, met = b.apply("select", is_key, k, place), both(frame, "or", met, is_key)
    b.require(met, "KeyError", "the key is not in the dict")
    return items, place
