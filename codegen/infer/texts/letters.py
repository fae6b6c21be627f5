"""Texts that are looked at: the lists of their letters, which are codes.

    f"{n}!"     ->     codes, count = decimal(n), and 33 behind them

A text that is put together when the program runs is a Wording, which what raises or prints it puts together, in Python.
Where its letters are asked for it becomes a list (memory/growing_lists.py) whose items are of the class OF_TEXT: it is
gone through, cut, joined and carried by loops as other lists are. A letter by itself is of the class LETTER, one of the
texts that are chosen when the program runs (chosen.py): its number is its code.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from codegen.definitions.lists import letters as definitions
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Kind
from codegen.infer.memory.growing_lists import copied, growing
from codegen.infer.memory.list_joins import joined_lists
from codegen.infer.texts.among import asking_for_letters
from codegen.infer.texts.known_texts import (
    LETTER,
    OF_TEXT,
    Texts,
    are_unlike_members,
    both_chosen,
    by_itself,
    is_chosen,
    is_letter,
    is_letters,
    is_words,
    letter,
    members,
)
from codegen.infer.values import GrowingList, Nest, Static, Value, Wording, same_static
from codegen.ir import Lit, Var
from codegen.ir.build import SIZE, E, call
from codegen.ir.exceptions import Slot
from codegen.ir.literals import literal
from codegen.source import SourceError

FORM = letter(Kind(SIZE.dtype, (), True), OF_TEXT)
FORMAT = re.compile(r"([<>]?)(0?)([1-9]\d*)?([dbox]?)")
SPACE = literal(ord(" "))
BITS = {"b": 1, "o": 3, "x": 4}


def is_text_value(value: Any) -> bool:
    """Whether a value is a text."""
    return is_known_text(value) or isinstance(value, Wording) or is_letters(value) or is_chosen(value)


def is_known_text(value: Any) -> bool:
    return isinstance(value, Static) and isinstance(value.value, str)


def has_letters(value: Any) -> bool:
    """Whether a value is a text of which more is known, when the program runs, than which of several it is."""
    return isinstance(value, Wording) or is_letters(value) or is_letter(value)


def letters_where_known(frame: Frame, value: Any) -> Any:
    """What is given to a caller: texts that are put together when the program runs as their letters, where these are
    known."""
    if isinstance(value, Nest):
        items = tuple(letters_where_known(frame, item) for item in value.items)
        return value if all(map(operator.is_, items, value.items)) else value.with_items(items)
    try:
        return looked_at(frame, value)
    except SourceError:
        return value


def taken_apart(frame: Frame, value: Value) -> Value:
    """A text that is found out when the program runs as its letters; other values as they are."""
    is_text = is_text_value(value) and not is_known_text(value) and members(value) is None
    return letters_of(frame, value) if is_text else value


def looked_at(frame: Frame, value: Value) -> Value:
    """The same, but for a letter by itself, which stays what it is."""
    return value if is_letter(value) else taken_apart(frame, value)


TELLING = (print, str, repr, isinstance, type, callable)
LOOKING = ("builtins", "itertools", "collections", "functools", "math")


def looked_at_by(frame: Frame, called: Any, arguments: Sequence[Value]) -> tuple[Value, ...]:
    """What one of Python's functions is given, which asks for letters; other functions as it stands."""
    if called is None or called in TELLING or getattr(called, "__module__", None) not in LOOKING:
        return tuple(arguments)
    if isinstance(called, type) and issubclass(called, BaseException):
        return tuple(arguments)
    return tuple(looked_at(frame, each) for each in arguments)


def letters_of(frame: Frame, value: Value) -> GrowingList:
    """A text as the list of its letters."""
    return as_letters(frame, letters_or_known(frame, value))


def as_letters(frame: Frame, value: Any) -> GrowingList:
    """Letters as a list whose length is known when the program runs."""
    if isinstance(value, GrowingList):
        return value
    known = [each.items[0].value for each in value.items if isinstance(each.items[0], Lit)]
    if known and len(known) == len(value.items):
        return text_of_codes(frame, frame.take(call(frame.b, np.array, known), "codes"))
    return growing(frame, value, FORM, "codes")


def letters_or_known(frame: Frame, value: Any) -> Any:
    """A text as the list of its letters; of a text that is known a list whose length is."""
    if is_letters(value):
        return value
    if is_letter(value):
        return Nest(list, (letter(value.items[0], OF_TEXT),))
    if isinstance(value, Wording):
        return put_together(frame, value)
    if not isinstance(value, Static):
        raise asking_for_letters(frame)
    if not value.value.isascii():
        raise frame.refusal(
            f"the letters of {value.value!r} beside those of other texts: they are ASCII's alone"
        )
    return Nest(list, tuple(letter(literal(ord(each)), OF_TEXT) for each in value.value))


def becomes_letters(texts: Texts, before: Any, value: Any) -> bool:
    """Whether a name that is one text before an iteration and another after it is neither the same one in other words,
    nor one of several: the list of its letters."""
    if not are_unlike_texts(before, value) or members(value) is not None:
        return False
    if isinstance(before, Wording) and isinstance(value, Wording):
        return before.said != value.said
    if is_one_letter(before) and is_one_letter(value):
        return False
    return texts.spelled and not same_static(before, value) or has_letters(before) or has_letters(value)


def are_unlike_texts(x: Any, y: Any) -> bool:
    """Whether two values are texts, not both of which are lists of letters, or members of an Enum."""
    return (
        are_unlike_members(x, y)
        or is_text_value(x)
        and is_text_value(y)
        and not (is_letters(x) and is_letters(y))
    )


def is_one_letter(value: Any) -> bool:
    return is_letter(value) or isinstance(value, Static) and len(value.value) == 1


def texts_that_meet(frame: Frame, texts: tuple[Any, Any], ways: Any) -> Iterator[Any]:
    """The texts that a name has on two ways, as one of several, as letters where both are one, or as lists of letters.
    Raises Differ."""
    spelled = frame.inference.texts.spelled and members(texts[0]) is None
    if all(map(is_words, texts)) and not any(map(is_letter, texts)) and not spelled:
        yield from both_chosen(frame.inference.texts, *texts)
        return
    one = all(map(is_one_letter, texts))
    for text, way in zip(texts, ways, strict=True):
        with frame.inside(way.b, way.st):
            try:
                letters = letters_or_known(frame, text)
            except SourceError as error:
                raise Differ(f"one text on one way to here and another on another; {error.msg}") from None
            yield by_itself(letters.items[0]) if one else letters


def put_together(frame: Frame, wording: Wording) -> Any:
    """The letters of a text that is put together of others and of ints."""

    def name(slot: Slot, text: str) -> str:
        if slot.listed:
            raise no_letters(frame)
        return f"{{{text}}}" if slot.braced else text

    names = [f"v{k}" for k in range(len(wording.parts.items))]
    said = ast.parse(wording.said.written(names, name), mode="eval").body
    classes = {f"v{s.place}": s.among for s in wording.said.pieces if isinstance(s, Slot) and s.among}
    values = dict(zip(names, wording.parts.items, strict=True))

    def text(node: ast.expr) -> Any:
        match node:
            case ast.Constant(str() as known):
                return letters_or_known(frame, Static(known))
            case ast.JoinedStr(parts):
                return one_text(frame, [text(part) for part in parts])
            case ast.BinOp(left, ast.Add(), right):
                return one_text(frame, [text(left), text(right)])
            case ast.FormattedValue(ast.Name(id_), -1 | 115, None) | ast.Call(
                ast.Name("str"), [ast.Name(id_)]
            ):
                return told(values[id_], classes.get(id_))
            case ast.Name(id_) if id_ in classes:
                return told(values[id_], classes[id_])
            case ast.FormattedValue(ast.Name(id_), -1, ast.JoinedStr([ast.Constant(str() as form)])):
                return in_format(frame, told_int(frame, values[id_]), form)
        raise no_letters(frame)

    def told(value: Any, cls: Any) -> Any:
        if cls is OF_TEXT:
            return text_of_codes(frame, value)
        return (
            letters_or_known(frame, letter(value) if cls is LETTER else Nest(cls, (value,)))
            if cls
            else decimal(frame, told_int(frame, value))
        )

    return text(said)


def no_letters(frame: Frame) -> Exception:
    return frame.refusal(
        'the letters of a text are asked for that tells more than ints and texts, by str(n), f"{n}", bin(n) and `+`: '
        "ask for what it tells"
    )


def is_told_int(value: Value) -> bool:
    """Whether a value is an int of 64 bits at most, with a sign."""
    if not isinstance(value, Var | Lit) or value.type.rank:
        return False
    return value.type.dtype[0] in "iu" and value.type.dtype != "u8"


def told_int(frame: Frame, value: Value) -> Value:
    """An int that is told, as Python's."""
    if not is_told_int(value):
        raise no_letters(frame)
    atom = frame.atom(value)
    if atom.type.dtype == "i8" and atom.type.weak:
        return value
    return frame.take(frame.named(frame.b.apply("cast", frame.b.wrap(atom), dtype="i8"), "n", weak=True), "n")


def one_text(frame: Frame, parts: list[Any]) -> Any:
    """One text behind another."""
    made, *others = [part for part in parts if not isinstance(part, Nest) or part.items] or [Nest(list, ())]
    for other in others:
        known = isinstance(made, Nest) and isinstance(other, Nest)
        made = Nest(list, made.items + other.items) if known else joined_lists(frame, made, other, "codes")
    return made


def decimal(frame: Frame, number: Value) -> GrowingList:
    """The digits of an int."""
    return digits_by(frame, definitions.decimal, number)


def in_base(frame: Frame, number: Value, kind: str, *, marked: bool) -> GrowingList:
    """The digits of an int in the base that a letter says: b, o or x."""
    mark = ord(kind) if marked else 0
    return digits_by(frame, definitions.in_bits, number, literal(BITS[kind]), literal(mark))


def digits_by(frame: Frame, definition: Any, *arguments: Value) -> GrowingList:
    made: Any = frame.inference.call(frame, Static(definition), arguments, {}, "digits")
    codes, count = made.items
    return GrowingList.of(frame.atom(count), letter(codes, OF_TEXT), (True,))


def in_format(frame: Frame, number: Value, form: str) -> GrowingList:
    """An int as a format says: `d`, `b`, `o` or `x`, and how many letters there are at least."""
    found = FORMAT.fullmatch(form)
    if found is None or found[1] and found[2]:
        raise frame.refusal(f"the letters of a number told as {form!r}: ints are told as d, b, o and x here")
    side, zeros, width, kind = found.groups()
    made = in_base(frame, number, kind, marked=False) if kind in BITS else decimal(frame, number)
    if not width:
        return made
    if side == "<" and not zeros:
        return filled_behind(frame, made, literal(int(width)), SPACE)
    return filled_text(frame, made, literal(int(width)), bool(zeros))


def filled_behind(frame: Frame, text: GrowingList, width: Value, code: Value) -> GrowingList:
    """A text with letters behind it, until it is so long."""
    given = codes_of(text), width, code
    return text_of_list(
        frame, frame.inference.call(frame, Static(definitions.filled_behind), given, {}, "codes")
    )


def filled_text(frame: Frame, text: GrowingList, width: Value, zeros: bool) -> GrowingList:
    """A text with spaces before it, or zeros behind its sign, until it is so long."""
    given: tuple[Value, ...] = (codes_of(text), width)
    definition = definitions.filled_with_zeros if zeros else definitions.filled
    return text_of_list(
        frame,
        frame.inference.call(frame, Static(definition), given if zeros else (*given, SPACE), {}, "codes"),
    )


def is_found_out(index: Any) -> bool:
    """Whether a place, or where a slice begins or ends, is known only when the program runs."""
    parts = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
    return any(isinstance(each, E) for each in parts)


def codes_of(text: GrowingList) -> GrowingList:
    """The list of the codes of a text."""
    assert isinstance(text.rows, Nest)
    return GrowingList.of(text.count, text.rows.items[0], text.python)


def codes_and_count(text: GrowingList) -> tuple[Value, Value]:
    """The array that has the codes of a text first, and how many they are."""
    assert isinstance(text.rows, Nest)
    return text.rows.items[0], text.count


def text_of_list(frame: Frame, codes: Any, cls: Any = OF_TEXT) -> GrowingList:
    """The text of a list of codes; the list of letters, where the class says so."""
    if isinstance(codes, Nest):
        codes = growing(frame, codes, FORM.items[0], "codes")
    codes = copied(frame, codes)
    return GrowingList.of(codes.count, letter(codes.rows, cls), codes.python)


def text_of_codes(frame: Frame, array: Value) -> GrowingList:
    """The text of all codes in an array."""
    count = frame.b.atom(frame.b.size(frame.atom(array).type.shape[0]))
    return GrowingList.of(count, letter(array, OF_TEXT), (True,))
