"""Methods of texts whose letters are found out when the program runs (letters.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from codegen.definitions.lists import letters as definitions
from codegen.infer.calls.listed import as_list
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.frame import Frame
from codegen.infer.texts.known_texts import is_letter
from codegen.infer.texts.letters import (
    as_letters,
    codes_of,
    filled_text,
    is_text_value,
    is_told_int,
    letters_of,
    letters_or_known,
    one_text,
    text_of_list,
    told_int,
)
from codegen.infer.texts.text_operators import by_definition, number_of_texts
from codegen.infer.values import GrowingList, Static, Value
from codegen.ir.literals import literal

Method = Callable[..., Value]
BLANK = Static(" ")
SPACE = Static(" \t\n\r\v\f\x1c\x1d\x1e\x1f")


def has_method(name: str) -> bool:
    """Whether texts whose letters are found out when the program runs have a method."""
    return name in METHODS


def call_text_method(frame: Frame, method: str, text: Value, *arguments: Value) -> Value:
    """`text.method(*arguments)` where the text, or an argument, is found out when the program runs."""
    build, least, most = METHODS[method]
    if not least <= len(arguments) <= most:
        many = f"{least}" if least == most else f"{least} to {most}"
        raise frame.refusal(f"str.{method} takes {many} arguments here, by position")
    return build(frame, text, *arguments)


def how_often(frame: Frame, text: Value, part: Value) -> Value:
    return number_of_texts(frame, definitions.number_of, text, a_text(frame, part))


def place_of_part(frame: Frame, text: Value, part: Value) -> Value:
    return number_of_texts(frame, definitions.place_of, text, a_text(frame, part))


def place_there(frame: Frame, text: Value, part: Value) -> Value:
    place = place_of_part(frame, text, part)
    frame.b.require(frame.b.apply("ge", frame.give(place), 0), "ValueError", "substring not found")
    return place


def starts(frame: Frame, text: Value, part: Value) -> Value:
    return number_of_texts(frame, definitions.starts_with, text, a_text(frame, part))


def ends(frame: Frame, text: Value, part: Value) -> Value:
    return number_of_texts(frame, definitions.ends_with, text, a_text(frame, part))


def a_text(frame: Frame, value: Value) -> Value:
    if not is_text_value(value):
        raise frame.refusal(f"a text is needed here, not {frame.describe(value)}")
    return value


def zfill(frame: Frame, text: Value, width: Value) -> Value:
    return filled_text(frame, letters_of(frame, text), an_int(frame, width), True)


def just(frame: Frame, text: Value, width: Value, letter: Value = BLANK, *, behind: bool) -> Value:
    if not (isinstance(letter, Static) and isinstance(letter.value, str) and len(letter.value) == 1):
        raise frame.refusal("the letter that a text is filled with must be known")
    definition = definitions.filled_behind if behind else definitions.filled
    code = literal(ord(letter.value))
    return by_definition(frame, definition, text, an_int(frame, width), code)


def an_int(frame: Frame, value: Value) -> Value:
    if not is_told_int(value):
        raise frame.refusal(f"an int of 64 bits, with a sign, is needed here, not {frame.describe(value)}")
    return told_int(frame, value)


def strip(frame: Frame, text: Value, among: Value = SPACE, *, ends: tuple[bool, bool]) -> Value:
    return by_definition(frame, definitions.stripped, text, a_text(frame, among), *map(literal, ends))


def replace(frame: Frame, text: Value, old: Value, new: Value) -> Value:
    if isinstance(old, Static) and old.value == "":
        raise frame.refusal("str.replace takes what is to be replaced, one letter at least")
    return by_definition(frame, definitions.replaced, text, a_text(frame, old), a_text(frame, new))


def in_case(frame: Frame, text: Value, *, first: str, last: str, by: int) -> Value:
    return by_definition(frame, definitions.shifted, text, *map(literal, (ord(first), ord(last), by)))


def are_between(frame: Frame, text: Value, *, first: str, last: str) -> Value:
    return number_of_texts(frame, definitions.all_between, text, literal(ord(first)), literal(ord(last)))


def join(frame: Frame, separator: Value, iterable: Value) -> Value:
    """The letters, or texts, of a list, a text with_separator any two."""
    if not is_text_value(iterable) and not is_counted(frame, iterable):
        texts = [a_text(frame, each) for each in all_items(frame, iterable)]
        return as_letters(frame, with_separator(frame, separator, texts))
    held = letters_of(frame, iterable) if is_text_value(iterable) else as_list(frame, iterable)
    if not (isinstance(held, GrowingList) and is_letter(held.rows)):
        raise frame.refusal("str.join takes a text, or a list or a generator expression of texts")
    made = text_of_list(frame, codes_of(held))
    if isinstance(separator, Static) and separator.value == "":
        return made
    return by_definition(frame, definitions.with_between, made, separator)


def with_separator(frame: Frame, separator: Value, texts: list[Value]) -> Any:
    parts = [letters_or_known(frame, each) for each in texts]
    letters = letters_or_known(frame, separator)
    spread = [part for each in parts for part in (letters, each)]
    return one_text(frame, spread[1:])


METHODS: dict[str, tuple[Method, int, int]] = {
    "count": (how_often, 1, 1),
    "find": (place_of_part, 1, 1),
    "index": (place_there, 1, 1),
    "startswith": (starts, 1, 1),
    "endswith": (ends, 1, 1),
    "zfill": (zfill, 1, 1),
    "rjust": (partial(just, behind=False), 1, 2),
    "ljust": (partial(just, behind=True), 1, 2),
    "strip": (partial(strip, ends=(True, True)), 0, 1),
    "lstrip": (partial(strip, ends=(True, False)), 0, 1),
    "rstrip": (partial(strip, ends=(False, True)), 0, 1),
    "replace": (replace, 2, 2),
    "isdigit": (partial(are_between, first="0", last="9"), 0, 0),
    "isdecimal": (partial(are_between, first="0", last="9"), 0, 0),
    "isnumeric": (partial(are_between, first="0", last="9"), 0, 0),
    "upper": (partial(in_case, first="a", last="z", by=-32), 0, 0),
    "lower": (partial(in_case, first="A", last="Z", by=32), 0, 0),
    "join": (join, 1, 1),
}
