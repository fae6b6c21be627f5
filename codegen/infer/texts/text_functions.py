"""Python's functions that make texts of numbers, and numbers of texts: str, bin, hex, oct, format, int, ord, chr."""

from __future__ import annotations

from typing import Any

from codegen.definitions.lists import letters as definitions
from codegen.infer.calls.builtins import PYTHON, Builtin
from codegen.infer.calls.dispatch import call_value
from codegen.infer.frame import Frame
from codegen.infer.memory.list_items import item_at, rows_in_use
from codegen.infer.texts.known_texts import LETTER, OF_TEXT, is_letter, letter
from codegen.infer.texts.letters import (
    codes_and_count,
    has_letters,
    in_base,
    in_format,
    letters_of,
    told_int,
)
from codegen.infer.texts.text_methods import METHODS, a_text, an_int, call_text_method
from codegen.infer.texts.text_operators import code_of
from codegen.infer.texts.wording import said_of, text_of
from codegen.infer.values import Static, Value
from codegen.ir import Lit
from codegen.ir.exceptions import Said, Slot, Thrown
from codegen.ir.literals import literal

NUMBER_OF = PYTHON[int]
EMPTY = Static("")
MARKS = {2: ord("b"), 8: ord("o"), 10: -1, 16: ord("x")}


def python_str(frame: Frame, name: str, obj: Value = EMPTY, /) -> Value:
    values: list[Any] = []
    said = said_of(frame, obj, values, frame.span, exact=False)
    if len(said.pieces) > 1 or not said.constant:
        said = Said(("str(", *said.pieces, ")"), said.told)
    return text_of(frame, said, values)


def in_base_of(letter: str, function: Any) -> Builtin:
    def build(frame: Frame, name: str, number: Value, /) -> Value:
        if isinstance(number, Lit):
            with frame.refusing():
                return Static(function(number.value))
        return in_base(frame, an_int(frame, number), letter, marked=True)

    return build


def python_format(frame: Frame, name: str, value: Value, format_spec: Value = EMPTY, /) -> Value:
    if not (isinstance(format_spec, Static) and isinstance(format_spec.value, str)):
        raise frame.refusal("format() takes a format that is known")
    if isinstance(value, Lit):
        with frame.refusing():
            return Static(format(value.value, format_spec.value))
    return in_format(frame, told_int(frame, value), format_spec.value)


def int_of(frame: Frame, name: str, x: Value | None = None, /, base: Value | None = None) -> Value:
    """int() of a text whose letters are found out when the program runs."""
    if x is None or not has_letters(x):
        return NUMBER_OF(frame, name, *([] if x is None else [x]), *([] if base is None else [base]))
    if base is None and is_letter(x):
        return digit(frame, x, name)
    if base is not None and not (isinstance(base, Lit) and base.value in MARKS):
        raise frame.refusal("int() of a text takes a base that is known: 2, 8, 10 or 16")
    text, known = letters_of(frame, x), 10 if base is None else base.value
    given = *codes_and_count(text), literal(known), literal(MARKS[known])
    made: Any = frame.inference.call(frame, Static(definitions.whole_number), given, {}, name)
    number, is_number = made.items
    unfit(frame, frame.give(is_number), known, OF_TEXT, rows_in_use(frame, text).items[0])
    return number


def digit(frame: Frame, of: Any, name: str) -> Value:
    """int() of a letter."""
    b, code = frame.b, frame.give(of.items[0])
    is_digit = b.apply("and", b.apply("ge", code, ord("0")), b.apply("le", code, ord("9")))
    unfit(frame, is_digit, 10, LETTER, code)
    return frame.take(b.apply("sub", code, ord("0"), name=name), name)


def unfit(frame: Frame, fits: Any, base: int, cls: Any, told: Any) -> None:
    """Python's ValueError of a text that is no int."""
    said = f"invalid literal for int() with base {base}: "
    pieces = (f'f"{said}{{', Slot(0, among=cls), '!r}"')
    frame.b.require(fits, Thrown(ValueError, (Said(pieces, said),)), None, told)


def python_ord(frame: Frame, name: str, c: Value, /) -> Value:
    if isinstance(c, Static):
        with frame.refusing():
            return literal(ord(c.value))
    if not has_letters(c):
        raise frame.refusal(f"ord() expected string of length 1, but {frame.describe(c)} found")
    if (code := code_of(frame, c)) is None:
        codes = letters_of(frame, c)
        said = "ord() expected a character, but string of another length found"
        frame.b.require(frame.b.apply("eq", frame.give(codes.count), 1), "TypeError", said)
        code = code_of(frame, item_at(frame, codes, 0, name))
    return frame.take(frame.named(code, name, weak=True), name)


def python_chr(frame: Frame, name: str, i: Value, /) -> Value:
    if isinstance(i, Lit):
        with frame.refusing():
            return Static(chr(i.value))
    code = frame.give(an_int(frame, i))
    b = frame.b
    known = b.apply("and", b.apply("ge", code, 0), b.apply("lt", code, 128))
    b.require(known, "ValueError", "chr() of more than 127, or less than 0, is not supported")
    return letter(frame.take(code, name))


def method_of_texts(method: str) -> Builtin:
    def build(frame: Frame, name: str, text: Value, /, *arguments: Value) -> Value:
        if isinstance(text, Static) and isinstance(text.value, str):
            return call_value(frame, Static(getattr(text.value, method)), arguments, {}, name)
        return call_text_method(frame, method, a_text(frame, text), *arguments)

    return build


PYTHON.update({getattr(str, method): method_of_texts(method) for method in METHODS})
PYTHON[str] = python_str
PYTHON[bin], PYTHON[oct], PYTHON[hex] = in_base_of("b", bin), in_base_of("o", oct), in_base_of("x", hex)
PYTHON[format] = python_format
PYTHON[int] = int_of
PYTHON[ord], PYTHON[chr] = python_ord, python_chr
