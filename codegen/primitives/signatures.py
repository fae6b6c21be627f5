"""The arguments of a call by the signature of the function that is called, positional and by keyword alike.

    np.clip(x, a_min=0.0, max=1.0)  ->  clip(b, x, a_min=0.0, max=1.0)
    np.sum(x, where=mask)           ->  sum(b, x, where=mask)
    np.reshape(x, (2, 3), "F")      ->  TypeError: numpy.reshape: the argument order= is not supported

A builder (`row.FUNCTIONS`) takes the operands in NumPy's order, and of the other arguments those that it supports,
under NumPy's names. What it lacks may be given its default, and is refused by name otherwise.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Given = dict[Any, Any]  # by name; those of `*operands` by number


# Functions written in C, of which not every version of NumPy and Python tells the signature.
# fmt: off
WRITTEN_OUT: dict[Any, Callable[..., Any]] = {
    math.hypot: lambda *coordinates: None,
    math.log: lambda x, base=None, /: None,
    functools.reduce: lambda function, sequence, initial=..., /: None,
    **dict.fromkeys((builtins.max, builtins.min), lambda *values: None),
    np.where: lambda condition, x=None, y=None, /: None,
    np.dot: lambda a, b, out=None: None,
    **dict.fromkeys((np.vdot, np.inner), lambda a, b, /: None),
    np.empty_like: lambda prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None: None,
    **dict.fromkeys((np.zeros, np.empty), lambda shape, dtype=None, order="C", *, device=None, like=None: None),
    np.arange: lambda start=None, stop=None, step=1, dtype=None, *, device=None, like=None: None,
    np.array:
        lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None: None,
    **dict.fromkeys((np.asarray, np.asanyarray),
        lambda a, dtype=None, order=None, *, device=None, copy=None, like=None: None),
    np.concatenate: lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": None,
}
UFUNCS: dict[int, Callable[..., Any]] = {  # by how many operands they have
    1: lambda x, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: None,
    2: lambda x1, x2, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: None,
    3: lambda x1, x2, x3, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: None,
    4: lambda x1, x2, x3, x4, /, out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: None,
}
UFUNC_METHODS: dict[str, Callable[..., Any]] = {
    "outer": lambda A, B, /: None,
    "reduce": lambda array, /, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True: None,
    "accumulate": lambda array, /, axis=0, dtype=None, out=None: None,
    "reduceat": lambda array, indices, /, axis=0, dtype=None, out=None: None,
    "at": lambda a, indices, b=None, /: None,
}
# fmt: on
# Methods of arrays that take other arguments, after the array, than the function that does the same.
METHODS: dict[Any, Callable[..., Any]] = {
    np.dot: lambda b, /, out=None: None,
    np.clip: lambda min=None, max=None, out=None: None,
}
FUNCTIONS_ALONE = "correction"  # have it, and no method


@functools.cache
def library_signature(function: Any) -> inspect.Signature:
    if function in WRITTEN_OUT:
        return inspect.signature(WRITTEN_OUT[function])
    if isinstance(function, np.ufunc) and function.signature == "(n),(n)->()":  # of vectors along an axis
        return inspect.signature(lambda x1, x2, /, out=None, *, axis=-1, keepdims=False: None)
    if isinstance(function, np.ufunc):
        return inspect.signature(UFUNCS[function.nin])
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return inspect.signature(UFUNC_METHODS[function.__name__])
    return inspect.signature(function)


def label(function: Any) -> str:
    if isinstance(owner := getattr(function, "__self__", None), np.ufunc):
        return f"np.{owner.__name__}.{function.__name__}"
    module = (getattr(function, "__module__", None) or "").split(".")[0]
    name = getattr(function, "__name__", str(function))
    return f"{module}.{name}" if module and module != "builtins" else name


def bind_function(function: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Given:
    """What is given, by name. TypeError, with Python's words, where the call does not fit the signature."""
    return arguments_by_name(library_signature(function), label(function), arguments, keywords)


def bind_method(function: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Given:
    """As `bind_function`, for the method of arrays that does the same, without the array."""
    if function in METHODS:
        form = inspect.signature(METHODS[function])
    else:
        _, *others = library_signature(function).parameters.values()
        form = inspect.Signature([p for p in others if p.name != FUNCTIONS_ALONE])
    return arguments_by_name(form, function.__name__, arguments, keywords)


def arguments_by_name(
    form: inspect.Signature, word: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Given:
    try:
        found = form.bind(*arguments, **keywords).arguments
    except TypeError as error:
        raise TypeError(f"{word}: {error}") from None
    given: Given = {}
    for name, value in found.items():
        match form.parameters[name].kind:
            case inspect.Parameter.VAR_POSITIONAL:
                given.update(enumerate(value))
            case inspect.Parameter.VAR_KEYWORD:
                given.update(value)
            case _:
                given[name] = value
    return given


@functools.cache
def builder_parameters(build: Callable[..., Any]) -> tuple[int | None, frozenset[str]]:
    """How many operands a builder takes (None: as many as the function must be given), and what it takes by name."""
    parameters = list(inspect.signature(build).parameters.values())[1:]
    variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    names = frozenset(p.name for p in parameters if p.default is not inspect.Parameter.empty)
    return None if variadic else len(parameters) - len(names), names


def required(function: Any) -> list[str]:
    """The names of the arguments without a default."""
    form = library_signature(function).parameters.values()
    return [p.name for p in form if p.default is inspect.Parameter.empty]


def supported(function: Any, build: Callable[..., Any], given: Given) -> tuple[list[Any], Given]:
    """Operands and keywords for the builder; TypeError where something is given that it does not take."""
    form = library_signature(function).parameters
    count, names = builder_parameters(build)
    leading = required(function) if count is None else list(form)[:count]
    operands: list[Any] = []
    keywords: Given = {}
    for name, value in given.items():
        if name in names:
            keywords[name] = value
        elif name in leading or isinstance(name, int):
            operands.append(value)
        elif not has_no_effect(name, form[name].default if name in form else None, value):
            raise TypeError(f"{label(function)}: the argument {name}= is not supported")
    return operands, keywords


def for_definition(
    function: Any,
    name: str,
    definition: Any,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    plain: Callable[[Any], Any],
) -> Given:
    """What a definition is given. `name`: the function's, in messages; `plain`: a value as Python has it, where known.

    The signature is the library's own where that names its arguments. What `*operands` gathers is a tuple, where the
    definition has a parameter of that name.
    """
    own, form = inspect.signature(definition), library_signature(function)
    unnamed = [p for p in form.parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if gathered := [p.name for p in unnamed if p.name in own.parameters]:
        return {gathered[0]: arguments, **arguments_by_name(form, name, (), keywords)}
    if unnamed:
        form = own
    given = arguments_by_name(form, name, arguments, keywords)
    for key, value in given.items():
        if (
            key != "out"
            and key not in own.parameters
            and not has_no_effect(key, form.parameters[key].default, plain(value))
        ):
            raise TypeError(f"{name}: the argument {key}= is not supported")
    return {key: value for key, value in given.items() if key == "out" or key in own.parameters}


# What changes nothing here, whatever the function's own default is.
NOTHING: dict[str, tuple[Any, ...]] = {
    "out": (None,), "where": (True,), "keepdims": (False,), "casting": ("same_kind",), "order": ("C", "K"),
    "subok": (True, False), "device": (None, "cpu"), "like": (None,), "copy": (None, True), "mode": ("raise",),
    "kind": ("stable", "quicksort", "mergesort", "heapsort"), "stable": (None, True, False),
    "overwrite_input": (True, False),
}  # fmt: skip


def has_no_effect(name: str, default: Any, value: Any) -> bool:
    """Whether an argument is given what it is anyway."""
    if not isinstance(value, bool | int | float | str | None):
        return value is default
    return any(type(value) is type(each) and value == each for each in (default, *NOTHING.get(name, ())))
