"""Calls of NumPy's, math's and SciPy's functions, and of methods: what their rows build."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np

from codegen.build import E, call, code, refusing
from codegen.infer.binding import Arguments, Keywords
from codegen.infer.frame import Frame
from codegen.infer.values import Cell, Method, Ref, Static, Value, View, cell_of
from codegen.primitives.fits import fit
from codegen.primitives.index import write
from codegen.primitives.random import METHODS
from codegen.primitives.row import FUNCTIONS
from codegen.source import SourceError, Span, refuse

VIEWS = {np.reshape, np.ravel, np.transpose, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis, np.flip,
         np.broadcast_to, np.asarray, np.asanyarray}  # fmt: skip
VIEW_METHODS = {"reshape", "ravel", "transpose"}


def call_row(
    frame: Frame, obj: Any, arguments: Arguments, keywords: Keywords, span: Span, name: str
) -> Value:
    """A function that has a row or is built from rows."""
    given = [frame.give(a, span) for a in arguments]
    named = {k: frame.give(v, span) for k, v in keywords.items()}
    with refusing(span):
        made = call(frame.b, obj, *given, **named)
    made = frame.named(made, name, weak=False if from_numpy(obj) else from_math(obj) or None)
    if arguments and obj in VIEWS:
        return viewed(frame, arguments[0], made, name)
    return frame.take(numpy_number(made) if from_numpy(obj) else made, name)


def from_numpy(obj: Any) -> bool:
    """NumPy's functions give NumPy's numbers, also of Python's; math's give Python's."""
    return isinstance(obj, np.ufunc) or (getattr(obj, "__module__", None) or "").startswith("numpy")


def from_math(obj: Any) -> bool:
    return getattr(obj, "__module__", None) == "math"


def numpy_number(made: Any) -> Any:
    return np.asarray(made)[()] if isinstance(made, bool | int | float) else made


def call_method(
    frame: Frame, method: Method, arguments: Arguments, keywords: Keywords, span: Span, name: str
) -> Value:
    """A method of a generator or an array."""
    owner = method.owner
    atom = frame.atom(owner, span)
    given = [frame.give(a, span) for a in arguments]
    named = {k: frame.give(v, span) for k, v in keywords.items()}
    with refusing(span):
        if atom.type.dtype == "rng":
            stream, value = METHODS[method.name](frame.b, frame.b.wrap(atom), *given, **named)
            frame.write(owner, stream.atom, span)
            return frame.take(frame.named(value, name), name)
        x = frame.b.wrap(atom)
        if not isinstance(x, E):
            x = frame.b.apply("copy", x)
        made = frame.named(getattr(x, method.name)(*given, **named), name)
    return viewed(frame, owner, made, name) if method.name in VIEW_METHODS else frame.take(made, name)


def viewed(frame: Frame, owner: Value, made: Any, name: str) -> Value:
    """A result that may share memory with `owner`, or is it."""
    if not isinstance(owner, Ref | View):
        return frame.take(made, name)
    if isinstance(made, E) and made.atom is frame.atom(owner):
        return owner
    return frame.take(made, name, base_cells(owner))


def base_cells(value: Value) -> tuple[Cell, ...]:
    cell = cell_of(value)
    return () if cell is None else (cell,)


def cast(frame: Frame, dtype: np.dtype, arguments: Arguments, span: Span, name: str) -> Value:
    """`np.float32(x)` and its like."""
    value = frame.give(arguments[0], span) if arguments else 0
    with refusing(span):
        if not isinstance(value, E):
            return frame.constant(dtype.type(value), name, span)
        made = fit(frame.b, value, code(dtype), stored=False)
    return frame.take(frame.named(made, name, weak=False), name)


def add_at(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """np.add.at(x, index, value): every repeat of a place counts."""
    target, index, value = arguments
    x = frame.b.wrap(frame.atom(target, span))
    with refusing(span):
        written = write(frame.b, x, frame.give(index, span), frame.give(value, span), how="accumulate")
    frame.write(target, written.atom, span)
    return Static(None)


def from_library(obj: Any) -> bool:
    return (getattr(obj, "__module__", None) or "").split(".")[0] in ("numpy", "scipy", "math", "builtins")


def unknown_function(obj: Any, span: Span) -> SourceError:
    """A function without a row: the rows whose names are nearest, and where a new one goes."""
    if not callable(obj):
        return refuse(span, f"{obj!r} is not a function")
    name = getattr(obj, "__name__", type(obj).__name__)
    module = (getattr(obj, "__module__", None) or type(obj).__module__).split(".")[0]
    known = {
        getattr(f, "__name__", ""): build for f, build in FUNCTIONS.items() if getattr(f, "__name__", "")
    }
    near = difflib.get_close_matches(name, sorted(known), 3, 0.5)
    nearest = f"; the nearest that have one: {', '.join(near)}" if near else ""
    family = known[near[0]].__module__ if near else "codegen.primitives.elementwise"
    file = family.replace(".", "/") + ".py"
    return refuse(span, f"{module}.{name} has no row{nearest}. A new row goes into {file}")
