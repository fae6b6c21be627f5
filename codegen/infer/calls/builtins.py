"""Python's own functions: what range, len, int, isinstance and their like mean where types are known."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.definitions.table import is_known
from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.calls.containers import (
    python_dict,
    python_getitem,
    python_itemgetter,
    python_slice,
    python_tuple,
)
from codegen.infer.calls.listed import as_list, one_after_another
from codegen.infer.calls.numbers import (
    python_abs,
    python_divmod,
    python_int,
    python_pow,
    python_round,
    python_scalar,
)
from codegen.infer.calls.rows import add_at, call_row
from codegen.infer.calls.structures import STRUCTURES
from codegen.infer.complex_numbers.parts import complex_dtype, is_complex, is_real, of_weakness
from codegen.infer.control.iterables import ZERO, all_items, is_counted, item_count, known_items
from codegen.infer.control.truth import both, python_bool, truth
from codegen.infer.frame import Frame
from codegen.infer.memory.growing_objects import as_it_is
from codegen.infer.memory.list_items import numbers_of
from codegen.infer.operators import operate
from codegen.infer.optional import NONE
from codegen.infer.special_methods import is_record
from codegen.infer.tables.places import list_number
from codegen.infer.tables.values import HeldList, Lists, Table
from codegen.infer.texts.known_texts import is_chosen, is_letters, members
from codegen.infer.texts.wording import python_print
from codegen.infer.values import (
    FALSE,
    Enumerate,
    GrowingList,
    Nest,
    Optional,
    Partial,
    Range,
    Ref,
    Reversed,
    Static,
    Value,
    View,
    Wording,
    Yields,
    Zip,
)
from codegen.ir import Lit, Var
from codegen.ir.build import SIZE, call
from codegen.ir.literals import dtype_of
from codegen.primitives.calls.subscripts import index_in_i8

ONE = Lit(1, SIZE)

# Takes the frame and a name for what it makes, then what Python's function takes.
Builtin = Callable[..., Value]


def python_range(frame: Frame, name: str, /, *arguments: Value, **keywords: Value) -> Value:
    if keywords or not 1 <= len(arguments) <= 3:
        raise frame.refusal("range() takes one to three ints")
    with frame.refusing():
        atoms = [frame.b.atom(index_in_i8(frame.b, frame.give(a))) for a in arguments]
        if any(atom.type.dtype[0] not in "iub" for atom in atoms):
            raise TypeError("'float' object cannot be interpreted as an integer")
    step = atoms[2] if len(atoms) > 2 else Lit(1, SIZE)
    if isinstance(step, Lit) and step.value == 0:
        raise frame.refusal("range() arg 3 must not be zero")
    return Range(ZERO, atoms[0], step) if len(atoms) == 1 else Range(atoms[0], atoms[1], step)


def python_len(frame: Frame, name: str, obj: Value, /) -> Value:
    match obj:
        case Nest() if is_complex(obj):
            return python_len(frame, name, obj.items[0])
        case Table():
            return frame.atom(obj.entries.count)
        case Lists():
            return frame.atom(obj.table.entries.count)
        case HeldList():
            return list_number(frame, obj, 1, name)
        case Nest(_, items) if not is_record(obj):
            return frame.b.atom(len(items))
        case GrowingList():
            return frame.atom(obj.count)
        case Static(known) if hasattr(known, "__len__"):
            return frame.b.atom(len(known))
        case Ref() | View() if shape := frame.atom(obj).type.shape:
            return frame.b.atom(frame.b.size(shape[0]))
        case Range():
            return frame.b.atom(item_count(frame, obj))
    raise frame.refusal(f"{frame.describe(obj)} has no len()")


def python_isinstance(frame: Frame, name: str, obj: Value, class_or_tuple: Value, /) -> Value:
    classes = frame.give(class_or_tuple)
    with frame.refusing():
        if not isinstance(obj, Optional):
            return frame.b.atom(issubclass(class_of(frame, obj), classes))
        some, none = issubclass(class_of(frame, obj.value), classes), issubclass(type(None), classes)
    if some == none:
        return frame.b.atom(some)
    there = obj.there if some else frame.b.atom(frame.b.apply("not", obj.there))
    return python_bool(frame, there, name)


def python_callable(frame: Frame, name: str, obj: Value, /) -> Value:
    known = isinstance(obj, Static) and callable(obj.value)
    return frame.b.atom(known or any("__call__" in vars(cls) for cls in class_of(frame, obj).__mro__))


def python_type(frame: Frame, name: str, obj: Value, /) -> Value:
    return Static(class_of(frame, obj))


def class_of(frame: Frame, value: Value) -> type:
    """The class whose instance a value may be taken for."""
    match value:
        case Nest() if is_complex(value):
            part = class_of(frame, value.items[0])
            return (
                part
                if part is np.ndarray
                else complex
                if part is float
                else complex_dtype(part.__name__).type
            )
        case HeldList():
            return list
        case Table():
            return list if value.is_list else set if value.is_set else dict
        case Wording():
            return str
        case Nest(cls):
            return chosen.enum if (chosen := members(value)) else str if is_chosen(value) else cls
        case GrowingList():
            return str if is_letters(value) else list
        case Ref() | View():
            return np.random.Generator if frame.atom(value).type.dtype == "rng" else np.ndarray
        case Var() | Lit():
            python: dict[str, type] = {"f8": float, "i8": int, "b1": bool}
            dtype = value.type.dtype
            return python[dtype] if value.type.weak and dtype in python else np.dtype(dtype).type
        case Static(obj):
            return type(obj)
    return types.FunctionType


def python_any(word: str, over_array: Any) -> Builtin:
    def build(frame: Frame, name: str, iterable: Value, /) -> Value:
        if is_complex(iterable):
            test = operate(frame, "!=", iterable, frame.constant(0, "t"), "t")
            return build(frame, name, test)
        if isinstance(iterable, GrowingList):
            iterable = numbers_of(frame, iterable, "all" if word == "and" else "any")
        if isinstance(iterable, Ref | View):
            if frame.atom(iterable).type.rank != 1:
                words = "all" if word == "and" else "any"
                raise frame.refusal(f"{words}() of an array with more than one axis: use np.{words}")
            return python_bool(frame, call_row(frame, over_array, (iterable,), {}, name), name)
        met: Any = word == "and"
        for item in all_items(frame, iterable):
            met = both(frame, word, met, frame.b.wrap(truth(frame, item)))
        return python_bool(frame, frame.b.atom(met), name)

    return build


def listed_iterator(frame: Frame, iterable: Value) -> Value:
    """What reversed() of items whose number is not known gives, as a list."""
    is_long = isinstance(iterable, Reversed) and is_counted(frame, iterable)
    return as_list(frame, iterable) if is_long else iterable


def python_sum(frame: Frame, name: str, iterable: Value, /, start: Value = ZERO) -> Value:
    iterable = listed_iterator(frame, iterable)
    if isinstance(iterable, Lists):
        return operate(frame, "+", start, one_after_another(frame, iterable), name)
    if isinstance(iterable, GrowingList):
        total = of_python(
            frame, iterable, call_row(frame, sum, (numbers_of(frame, iterable, "sum"),), {}, name), name
        )
        return operate(frame, "+", start, total, name)
    if isinstance(iterable, Ref | View) or is_complex(iterable):
        with frame.refusing():
            return operate(frame, "+", start, call_row(frame, sum, (iterable,), {}, name), name)
    for item in all_items(frame, iterable):
        start = operate(frame, "+", start, item, name)
    return start


def python_extreme(function: Any) -> Builtin:
    """max() and min() of arguments or of what one iterable holds."""

    def build(
        frame: Frame,
        name: str,
        arg: Value,
        /,
        *args: Value,
        default: Value | None = None,
    ) -> Value:
        word, arg = function.__name__, arg if args else listed_iterator(frame, arg)
        if default is not None and args:
            raise frame.refusal("Cannot specify a default for max() with multiple positional arguments")
        if not args and isinstance(arg, GrowingList):
            if default is not None:
                raise frame.refusal(f"{word}() of a list takes no default here: test its length before")
            made = build(frame, name, numbers_of(frame, arg, word))
            return of_python(frame, arg, made, name)
        if not args and isinstance(arg, Ref | View):
            if frame.atom(arg).type.rank != 1:
                raise frame.refusal(f"{word}() of an array with more than one axis: use np.{word}")
            if default is not None:
                raise frame.refusal(f"{word}() of an array takes no default here: test its length before")
            return call_row(frame, function, (arg,), {}, name)
        items = [arg, *args] if args else all_items(frame, arg)
        if any(map(is_complex, items)):
            sign = ">" if function is max else "<"
            raise frame.refusal(f"'{sign}' not supported between instances of 'complex' and 'complex'")
        if not items and default is not None:
            return default
        if not items:
            raise frame.refusal(f"{word}() of nothing")
        if any(isinstance(i, Ref | View) for i in items):
            raise frame.refusal(f"{word}() of arrays: use np.{word}imum")
        if any(isinstance(i, Nest | GrowingList) for i in items):
            raise frame.refusal(f"{word}() of lists is not supported: compare tuples, or use arrays")
        if len(items) == 1:  # itself, compared to nothing
            return items[0]
        with frame.refusing():
            made = call(frame.b, function, *[frame.give(i) for i in items])
        return frame.take(frame.named(made, name), name)

    return build


def of_python(frame: Frame, held: GrowingList, made: Value, name: str) -> Value:
    """A number made of a list's as Python's, if those are."""
    if all(held.python) and is_complex(made):
        return of_weakness(frame, made, True, name)
    if not all(held.python) or not isinstance(made, Var):
        return made
    return frame.take(frame.named(frame.b.wrap(made), name, weak=True), name)


def python_enumerate(frame: Frame, name: str, /, iterable: Value, start: Value = ZERO) -> Value:
    first = frame.atom(start)
    if first.type.rank or first.type.dtype[0] not in "iu":
        raise frame.refusal(f"enumerate() starts from an int, not {frame.describe(first)}")
    return Enumerate(iterable, first)


def python_zip(frame: Frame, name: str, /, *iterables: Value, strict: Value = FALSE) -> Value:
    if not isinstance(strict, Lit):
        raise frame.refusal("zip(strict=) takes a flag that is known")
    if strict.value and (known := [known_items(frame, each) for each in iterables]):
        lengths = {len(items) for items in known if items is not None}
        if None not in known and len(lengths) == 1:
            return Zip(iterables)
        if lengths:
            raise frame.refusal(
                "zip(strict=True) of a tuple or list with what is not known to be as long: leave strict out"
            )
    return Zip(iterables, bool(strict.value))


def python_reversed(frame: Frame, name: str, sequence: Value, /) -> Value:
    if isinstance(sequence, Zip | Enumerate | Reversed):
        word = type(sequence).__name__.lower()
        raise frame.refusal(f"'{word}' object is not reversible")
    if isinstance(sequence, GrowingList) and sequence.grows:  # from the end that it has now
        sequence = as_it_is(frame, sequence)
    return Reversed(sequence)


def python_partial(frame: Frame, name: str, /, *arguments: Value, **keywords: Value) -> Value:
    if not arguments:
        raise frame.refusal("functools.partial takes a function")
    return Partial(arguments[0], arguments[1:], keywords)


def dtype_given(frame: Frame, value: Value) -> Any:
    """The dtype of a number or an array, of Python's numbers their type."""
    if isinstance(value, Ref | View):
        return dtype_of(frame.atom(value).type)
    if isinstance(value, Nest) and is_complex(value) and isinstance(value.items[0], Ref | View):
        return complex_dtype(frame.atom(value.items[0]).type.dtype)
    return class_of(frame, value)


def of_dtypes(function: Any) -> Builtin:
    """What is known of dtypes while the function is read: np.finfo(x.dtype).eps, np.result_type(x, y.dtype)."""

    def of_values(frame: Frame, value: Value) -> Value:
        """In place of a number or an array, its dtype; of a number that is Python's, another one of its kind."""
        if function is not np.result_type or not is_real(value) and not is_complex(value):
            return value
        kind = dtype_given(frame, value)
        return Static(kind(1) if isinstance(kind, type) and kind in (int, float, complex) else kind)

    def build(frame: Frame, name: str, /, *arguments: Value) -> Value:
        arguments = tuple(of_values(frame, a) for a in arguments)
        known = [a.value for a in arguments if isinstance(a, Static | Lit)]
        if len(known) < len(arguments):
            raise frame.refusal(f"np.{function.__name__} takes dtypes here: write x.dtype")
        with frame.refusing():
            return frame.constant(function(*known), name)

    return build


def python_default_rng(frame: Frame, name: str, /, seed: Value = NONE) -> Value:
    """A generator as it is, or one made of seeds."""
    if isinstance(seed, Ref) and frame.atom(seed).type.dtype == "rng":
        return seed
    return call_row(frame, np.random.default_rng, (seed,), {}, name)


def refuses(message: str) -> Builtin:
    def build(frame: Frame, name: str, /, *arguments: Value, **keywords: Value) -> Value:
        raise frame.refusal(message)

    return build


def call_python(frame: Frame, function: Any, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """A call of one of Python's functions. None of its arguments may be dropped."""
    build = PYTHON[function]
    if function in (sum, max, min):
        arguments = tuple(as_list(frame, v) if isinstance(v, Yields) else v for v in arguments)
    with frame.refusing():
        try:
            bound = inspect.signature(build).bind(frame, name, *arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{function.__name__}: {error}") from None
    return build(*bound.args, **bound.kwargs)


PYTHON: dict[Any, Builtin] = {
    range: python_range,
    len: python_len,
    int: python_int,
    float: python_scalar(float, "f8"),
    bool: python_scalar(bool, "b1"),
    is_known: lambda frame, name, number, /: frame.b.atom(isinstance(number, Lit)),
    tuple: python_tuple(tuple),
    list: python_tuple(list),
    dict: python_dict,
    isinstance: python_isinstance,
    callable: python_callable,
    operator.getitem: python_getitem,
    type: python_type,
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
    np.random.default_rng: python_default_rng,
    **{
        f: of_dtypes(f)
        for f in (np.finfo, np.iinfo, np.dtype, np.result_type, np.promote_types, np.can_cast, np.issubdtype)
    },
    print: python_print,
    slice: python_slice,
    operator.itemgetter: python_itemgetter,
    **STRUCTURES,
    open: refuses("a transformed function does no input or output"),
}
