"""The number that a text has among others."""

from __future__ import annotations

from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.texts.known_texts import Letters, Texts, is_chosen, is_letter
from codegen.infer.values import Wording
from codegen.source import SourceError


def number_among(frame: Frame, texts: Texts, value: Any) -> Any:
    """The number that a text has among these."""
    if isinstance(value, Wording):
        raise frame.refusal(
            "a text that is put together when the program runs is not looked for here: compare it with each"
        )
    if not is_chosen(value):
        return texts.number(value.value)
    if value.cls is texts or is_letter(value) and isinstance(texts, Letters):
        return frame.give(value.items[0])
    if is_letter(value) or isinstance(texts, Letters):
        raise asking_for_letters(frame)
    given, number = frame.give(value.items[0]), 0
    for k, text in enumerate(value.cls.known):
        number = frame.b.apply("select", frame.b.apply("eq", given, k), texts.number(text), number)
    return number


def asking_for_letters(frame: Frame) -> SourceError:
    """The SourceError where letters are asked for of a text that is none but one of several."""
    error = frame.refusal(
        "the letters of a text are asked for of which one is chosen when the program runs: compare it with each"
    )
    error.wants_letters = True
    return error
