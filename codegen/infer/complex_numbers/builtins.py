"""complex() and what asks whether values are complex."""

from __future__ import annotations

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.infer.calls.builtins import PYTHON, Builtin
from codegen.infer.calls.numbers import python_scalar
from codegen.infer.complex_numbers.parts import (
    as_complex,
    holds_complex,
    is_complex,
    is_real,
    of_weakness,
    pair,
    part_name,
    settled,
)
from codegen.infer.frame import Frame
from codegen.infer.operators import operate
from codegen.infer.python_ints import by_python
from codegen.infer.values import Static, Value, leaves
from codegen.ir import Lit, Var


def python_complex(frame: Frame, name: str, /, real: Value | None = None, imag: Value | None = None) -> Value:
    """complex(re, im), complex(x): re + im * 1j, Python's."""
    zero = frame.constant(0.0, name)
    if isinstance(real, Static) and imag is None:
        return by_python(frame, complex, real.value, name=name)
    parts = [zero if value is None else value for value in (real, imag)]
    if any(
        isinstance(frame.atom(leaf), Lit | Var) and frame.atom(leaf).type.rank
        for p in parts
        for leaf in leaves(p)
    ):
        raise frame.refusal("complex() takes numbers: write x + 1j * y, or x.astype(complex)")
    if not is_complex(parts[0]) and not is_complex(parts[1]):
        named = zip(parts, ("re", "im"), strict=True)
        return pair(*(python_scalar(float, "f8")(frame, part_name(name, key), part) for part, key in named))
    made = as_complex(frame, parts[0])
    if is_complex(parts[1]):
        x, y = as_complex(frame, parts[0]).items, parts[1].items
        made = pair(operate(frame, "-", x[0], y[1], name), operate(frame, "+", x[1], y[0], name))
    elif imag is not None:
        made = pair(made.items[0], operate(frame, "+", made.items[1], parts[1], name))
    return of_weakness(frame, made, True, name)


def python_complex_of(frame: Frame, name: str, /, re: Value, im: Value) -> Value:
    """A complex value of its two parts."""
    return settled(frame, re, im, name)


def is_of_class(wanted: bool) -> Builtin:
    """np.iscomplexobj, np.isrealobj."""
    return lambda frame, name, x, /: frame.b.atom(holds_complex(x) is wanted)


def is_scalar(frame: Frame, name: str, element: Value, /) -> Value:
    """np.isscalar: of numbers and texts."""
    if isinstance(element, Static):
        return frame.b.atom(isinstance(element.value, str))
    parts = element.items[:1] if is_complex(element) else (element,)
    return frame.b.atom(all(is_real(each) and not frame.atom(each).type.rank for each in parts))


PYTHON[np.isscalar] = is_scalar
PYTHON[complex] = python_complex
PYTHON[complex_of] = python_complex_of
PYTHON[np.iscomplexobj] = is_of_class(True)
PYTHON[np.isrealobj] = is_of_class(False)
