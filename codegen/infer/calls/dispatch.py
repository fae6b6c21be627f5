"""Calls: of the user's functions (a Call of a function inferred for these argument types), of NumPy's and Python's
(their rows), of methods, classes and transformed functions.

A user's function is inferred once per kinds of arguments. Arrays it writes and streams it draws from come back as
further results, so that the caller's objects show the writes; a recursive function is inferred until the types of
its results are stable.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from codegen.definitions import (
    GENERIC,
    OF_COMPLEX,
    OWN_FUNCTIONS,
    SHOWING,
    Composed,
    Origin,
    method_of_generator,
    origin,
    standing_for,
)
from codegen.definitions.ufunc_methods import over_elements
from codegen.infer.calls.binding import Arguments, Keywords, as_known, bind_call, defaults_of
from codegen.infer.calls.builtins import PYTHON, call_python, dtype_given
from codegen.infer.calls.containers import items_got, known_text
from codegen.infer.calls.generators import makes_arrays
from codegen.infer.calls.packing import Packing
from codegen.infer.calls.partials import (
    bound_by_name,
    call_method_of,
    function_and_dtypes,
    holding_parameters,
    is_distribution,
    maps_numbers,
    meaning_of,
)
from codegen.infer.calls.returned_functions import holds_function
from codegen.infer.calls.rows import (
    CALLED_AS,
    call_method,
    call_row,
    call_scalar_type,
    from_library,
    unknown_function,
    viewed,
)
from codegen.infer.calls.structures import constructed
from codegen.infer.calls.suggestions import advice, is_of_random, is_pythons_own
from codegen.infer.calls.transformed import call_transformed, transform
from codegen.infer.complex_numbers.parts import (
    holds_complex,
    is_complex,
    is_real,
    is_weak,
    of_weakness,
    pythons_number,
    rebuild_numbers,
)
from codegen.infer.control.conditions import conditional
from codegen.infer.control.iterators import gone_through_inside
from codegen.infer.control.truth import truth
from codegen.infer.control.yields import yields
from codegen.infer.frame import Frame
from codegen.infer.functions import Globals, globals_of
from codegen.infer.inference import Callee
from codegen.infer.memory.growing_objects import change_list, changes_object
from codegen.infer.memory.list_items import array_to_list, is_complex_list, list_as_array
from codegen.infer.memory.list_methods import count_or_index, list_method, nest_method, put_in_order
from codegen.infer.memory.outputs import given_out, summed_in_result, write_result
from codegen.infer.memory.subscripts import check_writable, set_item, write_in_place
from codegen.infer.objects.fields import numbers_given
from codegen.infer.operators import array_value
from codegen.infer.special_methods import method_of, of_function
from codegen.infer.tables.methods import table_method
from codegen.infer.tables.values import HeldList, NewTable, Table
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import (
    CHOICE,
    Closure,
    GrowingList,
    Method,
    Nest,
    NewList,
    Partial,
    Ref,
    Static,
    Value,
    View,
    Yields,
)
from codegen.ir import Lit, Var
from codegen.primitives.row import FUNCTIONS
from codegen.primitives.signatures import arguments_by_name, for_definition
from codegen.read.tree import Define, Lambda
from codegen.source import SourceError


def call_value(frame: Frame, function: Value, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """The value of `function(*arguments, **keywords)`."""
    match function:
        case Method(GrowingList() | NewList() as held, method) if changes_object(held, method):
            return change_list(frame, held, method, arguments, keywords, name)
        case Method(GrowingList() as held, "sort" | "reverse" as method):
            return put_in_order(frame, held, method, arguments, keywords, name)
        case Method(GrowingList() as held, method):
            return list_method(frame, held, method, arguments, name)
        case Method(Table() | NewTable() | HeldList() as held, method):
            return table_method(frame, held, method, arguments, keywords, name)
        case Method(Nest(cls) as nest, "count" | "index" as method) if cls in (list, tuple):
            return count_or_index(frame, nest, method, arguments, name)
        case Method(Nest() as nest, method) if not is_complex(nest):
            return nest_method(nest, method, arguments, keywords, frame.span)
        case Method(Ref() | View() as array, "tolist") if not arguments and not keywords:
            return array_to_list(frame, array)
        case Method(owner, "sort" | "partition" as method):
            return sort_in_place(frame, owner, getattr(np, method), arguments, keywords)
        case Method(owner, method) if method in CALLED_AS:
            return call_object(frame, CALLED_AS[method], (owner, *arguments), keywords, name)
        case Method(owner, method) if (
            holds_stream(frame, owner) and (draw := method_of_generator(method)) is not None
        ):
            return call_object(frame, draw, (owner, *arguments), keywords, name)
        case Method():
            return call_method(frame, function, arguments, keywords, name)
        case Closure():
            made = call_closure(frame, function, arguments, keywords, name)
            gone_through_inside(frame, function)
            return made
        case Nest() if (own := method_of(function, "__call__")) is not None:
            return call_object(frame, own, (function, *arguments), keywords, name)
        case Nest(cls, (test, then, orelse)) if cls is CHOICE:
            first, second = (partial(call_value, frame, f, arguments, keywords, name) for f in (then, orelse))
            return conditional(frame, truth(frame, test), first, second, frame.span, name)
        case Partial(inner, first, named):
            return call_value(frame, inner, (*first, *arguments), {**named, **keywords}, name)
        case Static(obj):
            return call_object(frame, obj, arguments, keywords, name)
    raise frame.refusal(f"{frame.describe(function)} is not a function")


def holds_stream(frame: Frame, value: Value) -> bool:
    return isinstance(value, Ref) and frame.atom(value).type.dtype == "rng"


def sort_in_place(
    frame: Frame, owner: Value, sort: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> Value:
    """`x.sort(...)` of an array: `x[...] = np.sort(x, ...)`."""
    into = check_writable(frame, owner, frame.span)
    made = call_object(frame, sort, (owner, *arguments), keywords, "t")
    write_in_place(frame, into, made, frame.span)
    return Static(None)


def call_object(frame: Frame, obj: Any, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """A call of a Python object found in the enclosing scopes."""
    if makes_arrays(obj):
        arguments = tuple(list_as_array(frame, each) if is_complex_list(each) else each for each in arguments)
    given_complex = any(map(holds_complex, (*arguments, *keywords.values())))
    if (found := standing_for(obj, of_complex=given_complex)) is not None:
        if found[1] in OF_COMPLEX:
            return call_of_complex(frame, obj, found, arguments, keywords, name)
        if given_complex and found[1] not in GENERIC:
            raise frame.refusal(
                f"{found[0]} of complex numbers is not supported: compute it of .real and .imag"
            )
        return call_definition(frame, obj, found, arguments, keywords, name)
    if (inner := meaning_of(frame, obj)) is not None:
        return call_object(frame, inner, arguments, keywords, name)
    obj = bound_by_name(obj) or obj
    if isinstance(obj, functools.partial):
        bound = tuple(frame.constant(a, "t") for a in obj.args)
        named = {k: frame.constant(v, k) for k, v in obj.keywords.items()} | keywords
        return call_value(frame, Static(obj.func), (*bound, *arguments), named, name)
    if isinstance(obj, operator.itemgetter):
        return items_got(frame, obj, arguments, name)
    if isinstance(getattr(obj, "__self__", None), str):
        return known_text(frame, obj, arguments, keywords, name)
    if isinstance(obj, types.MethodType) and not from_library(obj) and not is_of_random(obj):
        owner = frame.constant(obj.__self__, "self")
        return call_object(frame, obj.__func__, (owner, *arguments), keywords, name)
    if maps_numbers(obj):
        with frame.refusing():
            told = function_and_dtypes(obj, [dtype_given(frame, each) for each in arguments])
        first = tuple(frame.constant(each, "t") for each in told)
        return call_function(frame, over_elements, (*first, *arguments), keywords, name, in_place=True)
    if (call := call_method_of(obj)) is not None and not from_library(call):
        return call_object(frame, call, (Static(obj), *arguments), keywords, name)
    if hasattr(obj, "trace") and hasattr(obj, "__wrapped__"):
        return call_transformed(frame, obj, arguments, keywords, name)
    if (instead := getattr(obj, "__outside__", None)) is not None:
        raise frame.refusal(f"{obj.__name__} is called outside of programs alone: {instead}")
    if hasattr(obj, "__transformation__"):
        return transform(frame, obj, arguments, keywords)
    if hasattr(obj, "py_func"):  # a function compiled by Numba: its Python source
        obj = obj.py_func
    if isinstance(obj, type) and (made := constructed(frame, obj, arguments, keywords, name)) is not None:
        return made
    if is_distribution(obj):
        return holding_parameters(frame, obj, arguments, keywords)
    if type(obj).__hash__ is None:
        raise unknown_function(obj, frame.span)
    if (by_class := of_function(frame, obj, arguments)) is not None:
        return by_class
    if obj in PYTHON:
        return call_python(frame, obj, arguments, keywords, name)
    if obj in FUNCTIONS:
        return call_row(frame, obj, arguments, keywords, name)
    if isinstance(obj, type) and issubclass(obj, np.generic):
        return call_scalar_type(frame, np.dtype(obj), arguments, name)
    if isinstance(obj, ReadFunction) or (isinstance(obj, types.FunctionType) and not from_library(obj)):
        with told_at_the_call(frame, obj):
            return call_function(frame, obj, arguments, keywords, name)
    raise unknown_function(obj, frame.span)


@contextmanager
def told_at_the_call(frame: Frame, obj: Any) -> Iterator[None]:
    """What is not supported in a function of Python's own modules, at the user's line that calls it."""
    try:
        yield
    except SourceError as error:
        code, caller = getattr(obj, "__code__", None), frame.span.source.file
        if code is None or not is_pythons_own(code.co_filename) or is_pythons_own(caller):
            raise
        reason = advice(obj) or error.problems[0][1]
        message = f"{obj.__module__}.{obj.__name__} cannot be taken, one of Python's own functions: {reason}"
        raise error.told_at(frame.span, message) from error


def call_definition(
    frame: Frame, obj: Any, found: Any, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """A function with a definition; the arrays that `out=` gives are written here."""
    label, definition = found
    with frame.refusing():
        given = for_definition(obj, label, definition, arguments, keywords, as_known)
        out = given_out(given.pop("out", None))
    if out is not None:
        given = summed_in_result(frame, label, given, out)
    given = {key: Nest(tuple, each) if isinstance(each, tuple) else each for key, each in given.items()}
    if isinstance(definition, Composed):
        inner = tuple(call_function(frame, each, (), given, name, in_place=True) for each in definition.inner)
        made = call_function(frame, definition.outer, inner, {}, name, in_place=True)
    else:
        made = call_function(frame, definition, (), given, name, in_place=True)
    if out is not None:
        with frame.refusing():
            return write_result(frame, frame.give(made), out, label)
    is_view = definition in SHOWING and isinstance(made, Ref)
    return viewed(frame, next(iter(given.values())), frame.give(made), name) if is_view else made


def call_of_complex(
    frame: Frame, obj: Any, found: Any, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """A call of a function with a definition for complex numbers."""
    label, definition = found
    of = origin(label)
    with frame.refusing():
        if of.is_library:
            given = for_definition(obj, label, definition, arguments, keywords, as_known)
        else:  # whose arguments are given by position
            given = arguments_by_name(inspect.signature(definition), label, arguments, keywords)
    given = {
        key: array_value(frame, value, frame.span)
        if holds_complex(value) and not is_complex(value)
        else value
        for key, value in given.items()
    }
    if of is Origin.CMATH:
        given = {key: pythons_number(frame, value, key) for key, value in given.items()}
    out = given.pop("out", None)
    made = call_function(frame, definition, (), given, name, in_place=True)
    if is_complex(out) or is_real(out):
        set_item(frame, out, Ellipsis, made, frame.span)
        return out
    numbers = [value for value in given.values() if is_complex(value) or is_real(value)]
    weak = of is Origin.CMATH or not of.is_library and all(is_weak(frame, v) for v in numbers)
    return rebuild_numbers(made, lambda each: of_weakness(frame, each, weak, name))


def call_function(
    frame: Frame,
    f: Any,
    arguments: Arguments,
    keywords: Keywords,
    name: str,
    *,
    in_place: bool = False,
) -> Value:
    """A call of a function of the user's; of a definition, or of what one calls, the equations in place of it."""
    inference = frame.inference
    if f in OWN_FUNCTIONS:
        define, in_place = inference.own_definition(f, frame.span), False
    else:
        in_place = in_place or frame.define in inference.definitions
        define = inference.definition(f, frame.span) if in_place else inference.define(f)
    bound = bind_call(define, arguments, keywords, defaults_of(frame, f), label=f.__name__, span=frame.span)
    if yields(define):
        return Yields(define, bound, globals_of(f), frame.depth)
    if not in_place:
        return call_define(frame, define, globals_of(f), {}, bound, name)
    packing = Packing(frame, (bool, int, float))
    callee = Callee(define, globals_of(f), packing.pack_all(bound), {}, packing, f.__name__)
    packing.pack_rows()
    summary = inference.entry(callee, frame.span).summary
    return packing.unpack(summary, name, in_place=inference.functions[summary.name])


def call_closure(
    frame: Frame, closure: Closure, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """A call of a nested function: the enclosing functions' values it reads are further arguments."""
    bound = bind_call(closure.define, arguments, keywords, closure.defaults, span=frame.span)
    if yields(closure.define):
        if closure.frame is not frame or not isinstance(closure.define, Define):
            raise frame.refusal("a nested function that yields is called where it is defined")
        return Yields(closure.define, bound, None, frame.depth)
    captured = frame.captured_values(closure)
    if closure.frame.define in frame.inference.definitions:
        frame.inference.definitions.add(closure.define)
    return call_define(frame, closure.define, closure.frame.globals, captured, bound, name)


def call_define(
    frame: Frame,
    define: Define | Lambda,
    globals_: Globals,
    captured: dict[str, Value],
    bound: dict[str, Value],
    name: str,
) -> Value:
    """A Call, with known ints passed as values first, also those in tuples; as constants where they must be known.

    Where arguments share memory and the function has been inferred for arrays that do not, that one is called if it
    makes no difference: else all that a recursive function does would be in the program a second time.
    """
    inference = frame.inference
    given = numbers_given(frame, (*bound.values(), *captured.values()))
    has_ints = any(isinstance(leaf, Lit) and isinstance(leaf.value, int) for leaf in given)

    def packed(known: tuple[type, ...], *, apart: bool = False) -> Callee:
        packing = Packing(frame, known, apart=apart)
        env = packing.pack_all(bound)
        packing.known = (bool, int, float) if define in inference.definitions else known
        outer = packing.pack_all(captured)
        packing.pack_rows()
        label = define.name if isinstance(define, Define) else "lambda_"
        return Callee(define, globals_, env, outer, packing, label)

    def attempt(*known: type) -> Value:
        callee = packed(known)
        summary = inference.entry(callee, frame.span).summary
        if has_ints and int not in known and holds_function(summary.value):
            return attempt(bool, int)  # what is returned is called with what it holds
        if callee.packing.together:
            apart = packed(known, apart=True)
            other = inference.memo.get(apart.key)
            if other and other.summary and apart.packing.is_for(other.summary, summary):
                callee = apart
                summary = inference.entry(apart, frame.span).summary  # `other`'s; a recursion is noted as one
        return callee.packing.unpack(summary, name)

    try:
        made = attempt(bool)
    except SourceError as error:
        if not has_ints or not inference.may_try_ints(error):
            raise
        try:
            made = attempt(bool, int)
        except SourceError as other:
            raise error.or_later(other) from None
    note_changed_numbers(frame, define, bound)
    return made


def note_changed_numbers(frame: Frame, define: Define | Lambda, bound: dict[str, Value]) -> None:
    """Numbers that a function which is called changes by `+=`, and that arrays without axes would show."""
    for name, value in bound.items():
        if not isinstance(value, Var) or (define, name) not in frame.inference.augmented:
            continue
        if value in frame.inference.points:
            raise frame.refusal(
                f"{name!r} is changed in place by a function that is called, and is an array without axes: "
                "give the function its number, as `float(...)`"
            )
        frame.inference.augmented.add((frame.define, value.name))
