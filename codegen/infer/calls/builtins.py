"""Python's own functions: what range, len, int, isinstance and their like mean where types are known."""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.calls.rows import add_at, call_row
from codegen.infer.control.iterables import all_items, known_items
from codegen.infer.frame import Frame
from codegen.infer.operators import as_ints, both, operate, python_bool, truth
from codegen.infer.values import (
    Enumerate,
    Nest,
    Partial,
    Range,
    Ref,
    Reversed,
    Static,
    Value,
    View,
    Zip,
    describe,
)
from codegen.ir import Lit, Var
from codegen.ir.build import SIZE, call
from codegen.primitives.fits import whole_number
from codegen.primitives.subscripts import index_in_i8
from codegen.source import Span, refuse, refusing

Builtin = Callable[[Frame, Arguments, Keywords, Span, str], Value]


def python_range(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if keywords or not 1 <= len(arguments) <= 3:
        raise refuse(span, "range() takes one to three ints")
    with refusing(span):
        atoms = [frame.b.atom(index_in_i8(frame.b, frame.give(a, span))) for a in arguments]
    step = atoms[2] if len(atoms) > 2 else Lit(1, SIZE)
    if isinstance(step, Lit) and step.value == 0:
        raise refuse(span, "range() arg 3 must not be zero")
    return Range(Lit(0, SIZE), atoms[0], step) if len(atoms) == 1 else Range(atoms[0], atoms[1], step)


def python_len(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    match arguments:
        case (Nest(_, items),):
            return frame.b.atom(len(items))
        case (Static(obj),) if hasattr(obj, "__len__"):
            return frame.b.atom(len(obj))
        case (Ref() | View(),):
            type_ = frame.atom(arguments[0], span).type
            if type_.rank:
                return frame.b.atom(frame.b.size(type_.shape[0]))
    words = " and ".join(describe(a, frame.st.store) for a in arguments)
    raise refuse(span, f"{words or 'nothing'} has no len()")


def python_number(python: type, dtype: str) -> Builtin:
    """int(x), float(x), bool(x): Python's numbers."""

    def convert(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        if not arguments:
            return frame.constant(python(), name, span)
        value = arguments[0]
        if len(arguments) > 1 and not (isinstance(value, Static) and isinstance(arguments[1], Lit)):
            raise refuse(span, "int() in a base takes a text that is known")
        if python is bool:
            return python_bool(frame, truth(frame, value, span), name)
        if isinstance(value, Static | Lit):
            try:
                base = [a.value for a in arguments[1:] if isinstance(a, Lit)]
                return frame.constant(python(value.value, *base), name, span)
            except (TypeError, ValueError, OverflowError) as error:
                raise refuse(span, str(error)) from error
        atom = frame.atom(value, span)
        if atom.type.rank:
            raise refuse(span, f"{python.__name__}() takes a number, not {describe(value, frame.st.store)}")
        if atom.type.dtype == dtype and atom.type.weak:
            return atom
        x = frame.b.wrap(atom)
        made = (
            whole_number(frame.b, x)
            if python is int and x.type.is_float
            else frame.b.apply("cast", x, dtype=dtype)
        )
        return frame.take(frame.named(made, name, weak=True), name)

    return convert


def python_tuple(cls: type) -> Builtin:
    def make(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        return Nest(cls, tuple(all_items(frame, arguments[0], span)) if arguments else ())

    return make


def python_isinstance(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    value, classes = arguments
    wanted = tuple(frame.give(classes, span)) if isinstance(classes, Nest) else (frame.give(classes, span),)
    return frame.b.atom(any(issubclass(k, w) for k in kinds_of(frame, value, span) for w in wanted))


def kinds_of(frame: Frame, value: Value, span: Span) -> tuple[type, ...]:
    """The classes whose instance a value may be taken for."""
    match value:
        case Nest(cls):
            return (cls,)
        case Ref() | View():
            rng = frame.atom(value, span).type.dtype == "rng"
            return (np.random.Generator,) if rng else (np.ndarray,)
        case Var() | Lit():
            python: dict[str, type] = {"f8": float, "i8": int, "b1": bool}
            dtype = value.type.dtype
            return (python[dtype] if value.type.weak and dtype in python else np.dtype(dtype).type,)
        case Static(obj):
            return (type(obj),)
    return (types.FunctionType,)


def python_abs(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """Of a Python bool an int."""
    if isinstance(arguments[0], Lit | Var) and arguments[0].type.weak:
        arguments = (frame.take(as_ints(frame, frame.give(arguments[0], span))[0], "t"),)
    return call_row(frame, abs, arguments, keywords, span, name)


NO_ROUND = "type numpy.bool doesn't define __round__ method"


def python_round(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if len(arguments) > 1 and isinstance(arguments[1], Static) and arguments[1].value is None:
        arguments = arguments[:1]
    atom = frame.atom(arguments[0], span)
    known = [a.value for a in arguments if isinstance(a, Lit)]
    if len(known) == len(arguments):
        try:
            return frame.constant(builtins.round(known[0], *known[1:]), name, span)
        except (TypeError, ValueError, OverflowError) as error:
            raise refuse(span, str(error)) from error
    if atom.type.rank:
        raise refuse(span, "round() takes a number: use np.rint for an array")
    if atom.type.dtype == "b1" and not atom.type.weak:
        raise refuse(span, NO_ROUND)
    x = frame.b.wrap(atom)
    if len(arguments) > 1:
        raise refuse(span, "round() to digits is not supported: scale, round, and scale back")
    if not x.type.is_float:
        if x.type.weak and x.type.dtype == "i8":
            return arguments[0]
        return frame.take(frame.named(frame.b.apply("cast", x, dtype="i8"), name, weak=True), name)
    made = whole_number(frame.b, call(frame.b, np.rint, x))
    return frame.take(frame.named(made, name, weak=True), name)


def python_divmod(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    x, y = arguments
    return Nest(tuple, tuple(operate(frame, sign, x, y, span, name) for sign in ("//", "%")))


def python_pow(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if len(arguments) > 2 and not (isinstance(arguments[2], Static) and arguments[2].value is None):
        raise refuse(span, "pow() of three numbers is not supported: write x ** y % m")
    return operate(frame, "**", arguments[0], arguments[1], span, name)


def python_any(word: str, over_array: Any) -> Builtin:
    def build(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        if isinstance(arguments[0], Ref | View):
            if frame.atom(arguments[0]).type.rank != 1:
                words = "all" if word == "and" else "any"
                raise refuse(span, f"{words}() of an array with more than one axis: use np.{words}")
            return python_bool(frame, call_row(frame, over_array, arguments, keywords, span, name), name)
        met: Any = word == "and"
        for item in all_items(frame, arguments[0], span):
            met = both(frame, word, met, frame.b.wrap(truth(frame, item, span)))
        return python_bool(frame, frame.b.atom(met), name)

    return build


def python_sum(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    total = arguments[1] if len(arguments) > 1 else Lit(0, SIZE)
    if isinstance(arguments[0], Ref | View):
        with refusing(span):
            return operate(frame, "+", total, call_row(frame, sum, arguments[:1], {}, span, name), span, name)
    for item in all_items(frame, arguments[0], span):
        total = operate(frame, "+", total, item, span, name)
    return total


def python_extreme(function: Any) -> Builtin:
    """max() and min() of arguments or of what one iterable holds."""

    def build(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        word = function.__name__
        if (key := keywords.get("key")) is not None and not (isinstance(key, Static) and key.value is None):
            raise refuse(span, f"{word}() by a key is not supported: compare in a loop")
        default = keywords.get("default")
        if default is not None and len(arguments) > 1:
            raise refuse(span, "Cannot specify a default for max() with multiple positional arguments")
        if len(arguments) == 1 and isinstance(arguments[0], Ref | View):
            if frame.atom(arguments[0]).type.rank != 1:
                raise refuse(span, f"{word}() of an array with more than one axis: use np.{word}")
            if default is not None:
                raise refuse(span, f"{word}() of an array takes no default here: test its length before")
            return call_row(frame, function, arguments, {}, span, name)
        items = all_items(frame, arguments[0], span) if len(arguments) == 1 else list(arguments)
        if not items and default is not None:
            return default
        if not items:
            raise refuse(span, f"{word}() of nothing")
        if any(isinstance(i, Ref | View) for i in items):
            raise refuse(span, f"{word}() of arrays: use np.{word}imum")
        if len(items) == 1:  # itself, compared to nothing
            return items[0]
        with refusing(span):
            made = call(frame.b, function, *[frame.give(i, span) for i in items])
        return frame.take(frame.named(made, name), name)

    return build


def python_dict(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if arguments:
        raise refuse(span, "dict() takes keywords here: dict(a=1)")
    return Nest(dict, tuple(keywords.values()), tuple(keywords))


def python_enumerate(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    start = frame.atom(arguments[1], span) if len(arguments) > 1 else Lit(0, SIZE)
    if start.type.rank or start.type.dtype[0] not in "iu":
        raise refuse(span, f"enumerate() starts from an int, not {describe(start, frame.st.store)}")
    return Enumerate(arguments[0], start)


def python_zip(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    strict = keywords.get("strict", Lit(False, SIZE))
    if not isinstance(strict, Lit):
        raise refuse(span, "zip(strict=) takes a flag that is known")
    if strict.value and (known := [known_items(frame, each, span) for each in arguments]):
        lengths = {len(items) for items in known if items is not None}
        if None not in known and len(lengths) == 1:
            return Zip(arguments)
        if lengths:
            raise refuse(
                span,
                "zip(strict=True) of a tuple or list with what is not known to be as long: leave strict out",
            )
    return Zip(arguments, bool(strict.value))


def python_reversed(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if isinstance(arguments[0], Zip | Enumerate | Reversed):
        word = type(arguments[0]).__name__.lower()
        raise refuse(span, f"'{word}' object is not reversible")
    return Reversed(arguments[0])


def python_partial(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if not arguments:
        raise refuse(span, "functools.partial takes a function")
    return Partial(arguments[0], arguments[1:], keywords)


def refused(message: str) -> Builtin:
    def build(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        raise refuse(span, message)

    return build


# The arguments of Python's functions, where none may be dropped.
FORMS: dict[Any, Callable[..., None]] = {
    len: lambda obj, /: None,
    int: lambda x=0, /, base=10: None,
    float: lambda x=0.0, /: None,
    bool: lambda x=False, /: None,
    tuple: lambda iterable=(), /: None,
    list: lambda iterable=(), /: None,
    isinstance: lambda obj, class_or_tuple, /: None,
    abs: lambda x, /: None,
    round: lambda number, ndigits=None: None,
    divmod: lambda x, y, /: None,
    pow: lambda base, exp, mod=None: None,
    any: lambda iterable, /: None,
    all: lambda iterable, /: None,
    sum: lambda iterable, /, start=0: None,
    max: lambda arg, /, *args, key=None, default=None: None,
    min: lambda arg, /, *args, key=None, default=None: None,
    enumerate: lambda iterable, start=0: None,
    zip: lambda *iterables, strict=False: None,
    reversed: lambda sequence, /: None,
    np.add.at: lambda a, indices, b, /: None,
}


def call_python(
    frame: Frame, function: Any, arguments: Arguments, keywords: Keywords, span: Span, name: str
) -> Value:
    """A call of one of Python's functions, with what may be given either way in its place."""
    if function in FORMS:
        with refusing(span):
            try:
                bound = inspect.signature(FORMS[function]).bind(*arguments, **keywords)
            except TypeError as error:
                raise TypeError(f"{function.__name__}: {error}") from None
        arguments, keywords = bound.args, bound.kwargs
    return PYTHON[function](frame, arguments, keywords, span, name)


PYTHON: dict[Any, Builtin] = {
    range: python_range,
    len: python_len,
    int: python_number(int, "i8"),
    float: python_number(float, "f8"),
    bool: python_number(bool, "b1"),
    tuple: python_tuple(tuple),
    list: python_tuple(list),
    dict: python_dict,
    isinstance: python_isinstance,
    abs: python_abs,
    round: python_round,
    divmod: python_divmod,
    pow: python_pow,
    any: python_any("or", np.any),
    all: python_any("and", np.all),
    sum: python_sum,
    max: python_extreme(max),
    min: python_extreme(min),
    enumerate: python_enumerate,
    zip: python_zip,
    reversed: python_reversed,
    functools.partial: python_partial,
    np.add.at: add_at,
    print: refused("print() is not supported: return the value, or run the plain function on one example"),
    sorted: refused("sorted() is not supported: sort in a loop, or outside"),
    builtins.open: refused("a transformed function does no input or output"),
}
