"""Values as conditions: what holds where a test asks for the truth of a value, and bools that are Python's."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.infer.complex_numbers.operators import truth_of
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.frame import Frame
from codegen.infer.memory.growing_lists import count_of
from codegen.infer.special_methods import is_record, truth_by_method
from codegen.infer.tables.places import list_number
from codegen.infer.tables.values import HeldList, Lists, Table
from codegen.infer.texts.known_texts import Letters, Texts
from codegen.infer.texts.letters import letters_of
from codegen.infer.values import Closure, GrowingList, Nest, Optional, Partial, Static, Value, Wording
from codegen.ir import Lit, Var
from codegen.ir.build import call
from codegen.source import Span, refuse


def truth(frame: Frame, value: Value, span: Span | None = None) -> Var | Lit:
    """A value as a condition: a scalar bool."""
    match value:
        case Optional():
            parts = (value.there, truth(frame, value.value, span))
            return frame.b.atom(both(frame, "and", *map(frame.b.wrap, parts)))
        case HeldList():
            return frame.b.atom(frame.b.apply("gt", frame.give(list_number(frame, value, 1, "length")), 0))
        case Lists():
            return truth(frame, value.table, span)
        case Table():
            return frame.b.atom(frame.b.apply("gt", count_of(frame, value.entries), 0))
        case Wording():
            return truth(frame, letters_of(frame, value), span)
        case Nest(Letters()):
            return frame.b.atom(True)
        case Nest(Texts() as texts, (number,)):
            return frame.b.atom(frame.b.apply("ne", frame.give(number), texts.number("")))
        case Nest() if is_complex(value):
            return truth_of(frame, value)
        case Nest(_, items):
            said = truth_by_method(frame, value)
            return frame.b.atom(bool(items) or is_record(value)) if said is None else truth(frame, said, span)
        case GrowingList():
            return frame.b.atom(frame.b.apply("gt", count_of(frame, value), 0))
        case Static(obj):
            return frame.b.atom(bool(obj))
        case Closure() | Partial():
            return frame.b.atom(True)
    atom = frame.atom(value, span)
    if atom.type.rank and all(n == 1 for n in atom.type.shape):
        atom = frame.b.atom(call(frame.b, np.reshape, frame.b.wrap(atom), ()))
    if atom.type.rank:
        raise refuse(span or frame.span, "the truth value of an array is ambiguous: use np.any or np.all")
    if isinstance(atom, Lit):
        return frame.b.atom(bool(atom.value))
    if atom.type.dtype == "rng":
        return frame.b.atom(True)
    if atom.type.dtype == "b1":
        return atom
    zero = 0 if atom.type.dtype[0] in "iu" else 0.0
    return frame.b.atom(frame.b.apply("ne", frame.b.wrap(atom), zero))


def both(frame: Frame, word: str, x: Any, y: Any) -> Any:
    """`x and y`, `x or y` of bools, what is known left out."""
    for known, other in ((x, y), (y, x)):
        if isinstance(known, bool | np.bool_):
            return other if bool(known) == (word == "and") else known
    return frame.b.apply(word, x, y)


def python_bool(frame: Frame, test: Value, name: str) -> Value:
    """A bool of NumPy's as Python's, which is an int in arithmetic."""
    if not isinstance(test, Var) or test.type.weak:
        return test
    return frame.take(frame.named(frame.b.apply("cast", test, dtype="b1"), name, weak=True), name)
