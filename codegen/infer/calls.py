"""Calls: of the user's functions (a Call of a function inferred for these argument types), of NumPy's and Python's
(their rows), of methods, classes and transformed functions.

A user's function is inferred once per kinds of arguments. Arrays it writes and streams it draws from come back as
further results, so that the caller's objects show the writes; a recursive function is inferred until the types of its
results are stable.
"""

from __future__ import annotations

import builtins
import difflib
import functools
import types
from typing import Any

import numpy as np

from codegen.build import E, call, refusing
from codegen.infer.expressions import base_cells, evaluate, spread, truth_of
from codegen.infer.frame import Frame
from codegen.infer.packing import Packing
from codegen.infer.values import (
    Closure,
    Enumerate,
    Method,
    Nest,
    Range,
    Ref,
    Reversed,
    Static,
    Value,
    View,
    Zip,
    describe,
    is_named_tuple,
    keys_of,
)
from codegen.ir import Lit, Var
from codegen.primitives.random import METHODS
from codegen.primitives.row import FUNCTIONS
from codegen.read import tree
from codegen.source import SourceError, Span, refuse

VIEWS = {np.reshape, np.ravel, np.transpose, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis, np.flip,
         np.broadcast_to}  # fmt: skip
VIEW_METHODS = {"reshape", "ravel", "transpose"}
Arguments = tuple[Value, ...]
Keywords = dict[str, Value]


def call_expression(frame: Frame, node: tree.CallExpr, name: str) -> Value:
    function = evaluate(frame, node.function)
    arguments = tuple(spread(frame, node.arguments))
    keywords = {key: evaluate(frame, value) for key, value in node.keywords}
    with frame.b.at(node.span):
        return apply(frame, function, arguments, keywords, node.span, name)


def apply(frame: Frame, function: Value, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """The value of `function(*arguments, **keywords)`."""
    match function:
        case Method():
            return call_method(frame, function, arguments, keywords, span, name)
        case Closure():
            return call_closure(frame, function, arguments, keywords, span, name)
        case Static(obj):
            return call_object(frame, obj, arguments, keywords, span, name)
    raise refuse(span, f"{describe(function, frame.st.store)} is not a function")


def call_method(frame: Frame, method: Method, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    owner = method.owner
    if isinstance(owner, Nest):
        return nest_method(frame, owner, method.name, arguments, keywords, span)
    atom = frame.atom(owner, span)
    given = [frame.give(a, span) for a in arguments]
    named = {k: frame.give(v, span) for k, v in keywords.items()}
    with refusing(span):
        if atom.type.dtype == "rng":
            stream, value = METHODS[method.name](frame.b, frame.b.wrap(atom), *given, **named)
            frame.write(owner, stream.atom, span)
            return frame.take(value, name)
        x = frame.b.wrap(atom)
        if not isinstance(x, E):
            x = frame.b.apply("copy", x)
        made = getattr(x, method.name)(*given, **named)
    return viewed(frame, owner, made, name, method.name in VIEW_METHODS)


def viewed(frame: Frame, owner: Value, made: Any, name: str, is_view: bool) -> Value:
    """A result that may share memory with `owner`."""
    if isinstance(made, E) and isinstance(owner, Ref | View) and made.atom is frame.atom(owner):
        return owner
    return frame.take(made, name, base_cells(owner) if is_view else ())


def nest_method(
    frame: Frame, nest: Nest, name: str, arguments: Arguments, keywords: Keywords, span: Span
) -> Value:
    keys = nest.keys or ()
    if name == "_replace":
        unknown = [k for k in keywords if k not in keys]
        if unknown:
            raise refuse(span, f"{nest.cls.__name__} has no field {unknown[0]!r}")
        return nest.with_items(tuple(keywords.get(k, v) for k, v in zip(keys, nest.items, strict=True)))
    pairs = {
        "keys": tuple(Static(k) for k in keys),
        "values": nest.items,
        "items": tuple(Nest(tuple, (Static(k), v)) for k, v in zip(keys, nest.items, strict=True)),
    }
    return Nest(tuple, pairs[name])


def call_object(frame: Frame, obj: Any, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """A call of a Python object found in the enclosing scopes."""
    if isinstance(obj, functools.partial):
        bound = tuple(frame.constant(a, "t", span) for a in obj.args)
        named = {k: frame.constant(v, k, span) for k, v in obj.keywords.items()}
        return apply(frame, Static(obj.func), (*bound, *arguments), {**named, **keywords}, span, name)
    if hasattr(obj, "py_func"):  # a function compiled by Numba: its Python source
        obj = obj.py_func
    if hasattr(obj, "trace") and hasattr(obj, "__wrapped__"):
        from codegen.infer.transformed import call_transformed

        return call_transformed(frame, obj, (), arguments, keywords, span, name)
    if hasattr(obj, "__transformation__"):
        from codegen.infer.transformed import transform

        return transform(frame, obj, arguments, keywords, span)
    if isinstance(obj, type) and (keys := keys_of(obj)) is not None:
        return construct(frame, obj, keys, arguments, keywords, span)
    if obj in PYTHON:
        return PYTHON[obj](frame, arguments, keywords, span, name)
    if hashable(obj) and obj in FUNCTIONS:
        return call_row(frame, obj, arguments, keywords, span, name)
    if isinstance(obj, type) and issubclass(obj, np.generic):
        return cast(frame, np.dtype(obj), arguments, span, name)
    if isinstance(obj, types.FunctionType) and not from_library(obj):
        return call_function(frame, obj, arguments, keywords, span, name)
    raise unknown_function(obj, span)


def hashable(obj: Any) -> bool:
    return getattr(type(obj), "__hash__", None) is not None


def from_library(obj: Any) -> bool:
    return (getattr(obj, "__module__", None) or "").split(".")[0] in ("numpy", "scipy", "math", "builtins")


def unknown_function(obj: Any, span: Span) -> SourceError:
    """A function without a row: the rows whose names are nearest, and where a new one goes."""
    name = getattr(obj, "__name__", str(obj))
    known = sorted({getattr(f, "__name__", "") for f in FUNCTIONS} - {""})
    near = difflib.get_close_matches(name, known, 3, 0.5)
    module = (getattr(obj, "__module__", None) or type(obj).__module__).split(".")[0]
    if not callable(obj):
        return refuse(span, f"{name!r} is not a function")
    hint_ = f"; the nearest that have one: {', '.join(near)}" if near else ""
    return refuse(span, f"{module}.{name} has no row in codegen/primitives{hint_}")


def call_row(frame: Frame, obj: Any, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """A function that has a row or is built from rows."""
    if obj in (np.asarray, np.asanyarray) and len(arguments) == 1 and isinstance(arguments[0], Ref | View):
        return arguments[0]
    given = [frame.give(a, span) for a in arguments]
    named = {k: frame.give(v, span) for k, v in keywords.items()}
    before = len(frame.b.equations)
    with refusing(span):
        made = call(frame.b, obj, *given, **named)
    rename_last(frame, made, before, name)
    if arguments and obj in VIEWS:
        return viewed(frame, arguments[0], made, name, True)
    return frame.take(made, name)


def rename_last(frame: Frame, made: Any, before: int, name: str) -> None:
    """Call the Var that a row just built after the name it is assigned to."""
    if not isinstance(made, E) or made.atom.name != "t" or name == "t" or len(frame.b.equations) == before:
        return
    last = frame.b.equations[-1]
    if last.outs == (made.atom,):
        renamed = Var(name, made.atom.type)
        frame.b.equations[-1] = type(last)((renamed,), last.op, last.span)
        made.atom = renamed


def cast(frame: Frame, dtype: np.dtype, arguments: Arguments, span: Span, name: str) -> Value:
    value = frame.give(arguments[0], span) if arguments else 0
    if isinstance(value, str):
        return frame.constant(dtype.type(value), name, span)
    if isinstance(value, bool | int | float):
        return frame.constant(dtype.type(value), name, span)
    return frame.take(frame.b.apply("cast", value, dtype=dtype.str[1:] if dtype.kind != "b" else "b1", name=name), name)


def construct(
    frame: Frame, cls: Any, keys: tuple[str, ...], arguments: Arguments, keywords: Keywords, span: Span
) -> Value:
    """A named tuple or dataclass made of values."""
    fields = dict(zip(keys, arguments, strict=False))
    defaults = getattr(cls, "_field_defaults", None)
    if defaults is None:
        defaults = {k: f.default for k, f in cls.__dataclass_fields__.items()}
    for key, value in keywords.items():
        if key not in keys or key in fields:
            raise refuse(span, f"{cls.__name__} takes no second or unknown field {key!r}")
        fields[key] = value
    for key in keys:
        if key not in fields and key in defaults:
            fields[key] = frame.constant(defaults[key], key, span)
    missing = [key for key in keys if key not in fields]
    if missing or len(arguments) > len(keys):
        raise refuse(span, f"{cls.__name__} takes the fields {', '.join(keys)}")
    return Nest(cls, tuple(fields[key] for key in keys), keys)


def bind(
    parameters: tuple[tree.Parameter, ...],
    arguments: Arguments,
    keywords: Keywords,
    default: Any,
    label: str,
    span: Span,
) -> dict[str, Value]:
    """Arguments to parameters, by Python's rules."""
    by_place = [p for p in parameters if p.kind != "keyword"]
    if len(arguments) > len(by_place):
        raise refuse(span, f"{label}() takes {len(by_place)} positional arguments but {len(arguments)} were given")
    bound = {p.name: a for p, a in zip(by_place, arguments, strict=False)}
    for key, value in keywords.items():
        target = next((p for p in parameters if p.name == key and p.kind != "positional"), None)
        if target is None:
            raise refuse(span, f"{label}() got an unexpected keyword argument {key!r}")
        if key in bound:
            raise refuse(span, f"{label}() got multiple values for argument {key!r}")
        bound[key] = value
    for p in parameters:
        if p.name not in bound:
            value = default(p)
            if value is None:
                raise refuse(span, f"{label}() is missing the argument {p.name!r}")
            bound[p.name] = value
    return {p.name: bound[p.name] for p in parameters}


def call_function(frame: Frame, f: Any, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """A call of a function of the user's."""
    define = frame.inference.define(f, span)
    bound = bind(define.parameters, arguments, keywords, defaults_of(frame, f, span), f.__name__, span)
    return call_define(frame, define, frame.inference.globals_of(f), {}, bound, f.__name__, span, name)


def defaults_of(frame: Frame, f: Any, span: Span) -> Any:
    """A parameter's default as a value, from the function object."""
    places = f.__code__.co_varnames[: f.__code__.co_argcount]
    given = f.__defaults__ or ()
    objects = {**dict(zip(places[len(places) - len(given) :], given, strict=True)), **(f.__kwdefaults__ or {})}

    def default(p: tree.Parameter) -> Value | None:
        return frame.constant(objects[p.name], p.name, span) if p.name in objects else None

    return default


def call_closure(
    frame: Frame, closure: Closure, arguments: Arguments, keywords: Keywords, span: Span, name: str
) -> Value:
    """A call of a nested function: the enclosing functions' values it reads are further arguments."""
    define, home = closure.define, closure.frame
    label = define.name if isinstance(define, tree.Define) else "lambda"

    def default(p: tree.Parameter) -> Value | None:
        return None if p.default is None else evaluate(frame, p.default)

    bound = bind(define.parameters, arguments, keywords, default, label, span)
    captured = captured_values(frame, closure)
    return call_define(frame, define, home.globals, captured, bound, label, span, name)


def captured_values(frame: Frame, closure: Closure) -> dict[str, Value]:
    """What a closure's free names are at this call (Python looks them up when it is called)."""
    from codegen.read.scope import free

    home = closure.frame
    env = frame.st.env if home is frame else closure.env
    values: dict[str, Value] = {}
    for key in free(closure.define):
        if key in env:
            values[key] = env[key]
        elif key in home.captured:
            values[key] = home.captured[key]
    return values


def call_define(
    frame: Frame,
    define: Any,
    globals_: Any,
    captured: dict[str, Value],
    bound: dict[str, Value],
    label: str,
    span: Span,
    name: str,
) -> Value:
    """A Call, with known ints passed as values first; as constants where the function needs them known."""
    try:
        return packed_call(frame, define, globals_, captured, bound, label, span, name, keep_ints=False)
    except SourceError as error:
        has_ints = any(isinstance(v, Lit) and type(v.value) is int for v in bound.values())
        if not has_ints or not needs_known(error):
            raise
    return packed_call(frame, define, globals_, captured, bound, label, span, name, keep_ints=True)


def needs_known(error: SourceError) -> bool:
    """Whether a function failed because an int argument was not a constant in it."""
    return any("known" in message for _, message in error.problems)


def packed_call(
    frame: Frame,
    define: Any,
    globals_: Any,
    captured: dict[str, Value],
    bound: dict[str, Value],
    label: str,
    span: Span,
    name: str,
    *,
    keep_ints: bool,
) -> Value:
    packing = Packing(frame, keep_ints)
    env = {key: packing.pack(value, key) for key, value in bound.items()}
    outer = {key: packing.pack(value, key) for key, value in captured.items()}
    summary = frame.inference.infer(define, globals_, outer, env, packing, label, span)
    return packing.unpack(summary, name, span)


# --- Python's own -----------------------------------------------------------------------------------------------


def python_range(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    atoms = [frame.atom(a, span) for a in arguments]
    zero, one = frame.b.atom(0), frame.b.atom(1)
    if len(atoms) == 1:
        return Range(zero, atoms[0], one)
    return Range(atoms[0], atoms[1], atoms[2] if len(atoms) > 2 else one)


def python_len(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    match arguments[0]:
        case Nest(_, items):
            return frame.b.atom(len(items))
        case Static(obj) if hasattr(obj, "__len__"):
            return frame.b.atom(len(obj))
        case Ref() | View():
            type_ = frame.atom(arguments[0], span).type
            if type_.rank:
                return frame.b.atom(frame.b.size(type_.shape[0]))
    raise refuse(span, f"{describe(arguments[0], frame.st.store)} has no len()")


def python_number(kind: str) -> Any:
    """int(x), float(x), bool(x)."""

    def convert(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        python = {"i8": int, "f8": float, "b1": bool}[kind]
        if not arguments:
            return frame.constant(python(), name, span)
        value = arguments[0]
        if kind == "b1":
            return truth_of(frame, value, span)
        if isinstance(value, Static | Lit):
            try:
                return frame.constant(python(value.value), name, span)
            except (TypeError, ValueError, OverflowError) as error:
                raise refuse(span, str(error)) from error
        atom = frame.atom(value, span)
        if atom.type.rank:
            raise refuse(span, f"{python.__name__}() takes a number, not {atom.type}")
        return atom if atom.type.dtype == kind else frame.take(frame.b.apply("cast", atom, dtype=kind), name)

    return convert


def python_tuple(cls: type) -> Any:
    def make(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        from codegen.infer.expressions import counted_items
        from codegen.infer.loops import items_of, known_items

        if not arguments:
            return Nest(cls, ())
        known = known_items(frame, arguments[0], span)
        if known is None:
            known = counted_items(frame, arguments[0], span, items_of)
        return Nest(cls, tuple(known))

    return make


def python_isinstance(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    value, classes = arguments
    wanted = tuple(frame.give(classes, span)) if isinstance(classes, Nest) else (frame.give(classes, span),)
    match value:
        case Nest(cls):
            kinds: tuple[type, ...] = (cls,)
        case Ref() | View():
            rng = frame.atom(value, span).type.dtype == "rng"
            kinds = (np.random.Generator,) if rng else (np.ndarray,)
        case Var() | Lit():
            kinds = {"f": (float, np.floating), "i": (int, np.integer), "b": (bool, np.bool_), "u": (np.integer,)}[
                value.type.dtype[0]
            ]  # type: ignore[assignment]
        case Static(obj):
            kinds = (type(obj),)
        case _:
            kinds = (types.FunctionType,)
    return frame.b.atom(any(issubclass(k, w) for k in kinds for w in wanted))


def python_round(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if len(arguments) > 1:
        raise refuse(span, "round() to digits is not supported: scale, round, and scale back")
    x = frame.give(arguments[0], span)
    return frame.take(call(frame.b, np.rint, x * 1.0).astype(np.int64), name)


def python_divmod(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    x, y = (frame.give(a, span) for a in arguments)
    return Nest(tuple, (frame.take(x // y, name), frame.take(x % y, name)))


def python_any(word: str) -> Any:
    def build(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        if not isinstance(arguments[0], Nest):
            array = {"or": np.any, "and": np.all}[word]
            return call_row(frame, array, arguments, keywords, span, name)
        met: Any = word == "and"
        for item in arguments[0].items:
            met = frame.b.apply(word, met, frame.b.wrap(truth_of(frame, item, span)))
        return frame.b.atom(met)

    return build


def python_dict(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    if arguments:
        raise refuse(span, "dict() takes keywords here: dict(a=1)")
    return Nest(dict, tuple(keywords.values()), tuple(keywords))


def add_at(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
    """np.add.at(x, index, value): every repeat of a place counts."""
    from codegen.primitives.index import write

    target, index, value = arguments
    x = frame.b.wrap(frame.atom(target, span))
    with refusing(span):
        written = write(frame.b, x, frame.give(index, span), frame.give(value, span), how="accumulate")
    frame.write(target, written.atom, span)
    return Static(None)


def refused(message: str) -> Any:
    def build(frame: Frame, arguments: Arguments, keywords: Keywords, span: Span, name: str) -> Value:
        raise refuse(span, message)

    return build


class ByIdentity(dict):  # type: ignore[type-arg]
    """A table that may be asked for objects that cannot be hashed."""

    def __contains__(self, obj: object) -> bool:
        return hashable(obj) and super().__contains__(obj)


PYTHON: dict[Any, Any] = ByIdentity({
    range: python_range,
    len: python_len,
    int: python_number("i8"),
    float: python_number("f8"),
    bool: python_number("b1"),
    tuple: python_tuple(tuple),
    list: python_tuple(list),
    dict: python_dict,
    isinstance: python_isinstance,
    round: python_round,
    divmod: python_divmod,
    any: python_any("or"),
    all: python_any("and"),
    enumerate: lambda frame, a, k, span, name: Enumerate(
        a[0], frame.atom(a[1] if len(a) > 1 else k.get("start", frame.b.atom(0)), span)
    ),
    zip: lambda frame, a, k, span, name: Zip(a),
    reversed: lambda frame, a, k, span, name: Reversed(a[0]),
    np.add.at: add_at,
    print: refused("print() is not supported: return the value, or run the plain function on one example"),
    sorted: refused("sorted() is not supported"),
    builtins.open: refused("a transformed function does no input or output"),
})  # fmt: skip
__all__ = ["apply", "call_expression", "is_named_tuple"]
