"""Functions that hold some of their arguments: held : partial, method, callable object -> function, what it holds.

functools.partial(f, 2.0)(x)        def f(x):
                              ->        a = 2.0
                                        ...
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.infer.calls.library import is_library
from codegen.infer.frame import Frame
from codegen.infer.values import Partial, Static
from codegen.primitives.signatures import arguments_by_name
from codegen.read.tree import (
    Assign,
    CallExpr,
    Constant,
    Define,
    Expression,
    Name,
    Parameter,
    Starred,
    Tuple,
)


@dataclass(frozen=True, eq=False)
class Held:
    """A Python function and the arguments that it is given already."""

    function: Any
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] | None = None


def held(f: Any) -> Held:
    """What a callable calls in the end, and with what before its own arguments."""
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while True:
        f = bound_by_name(f) or f
        if is_library(f):
            return Held(f, arguments, keywords)
        if getattr(f, "transparent", False):
            f = f.__wrapped__
        elif hasattr(f, "py_func"):  # compiled by Numba
            f = f.py_func
        elif isinstance(f, functools.partial):
            arguments, keywords, f = (*f.args, *arguments), {**f.keywords, **keywords}, f.func
        elif isinstance(f, types.MethodType):
            arguments, f = (f.__self__, *arguments), f.__func__
        elif maps_numbers(f):
            arguments, f = (f, *arguments), call_over_elements
        elif (call := call_method_of(f)) is not None:
            arguments, f = (f, *arguments), call
        else:
            return Held(f, arguments, keywords)


def call_over_elements(f: Any, *arguments: Any) -> Any:
    return f(*arguments)


def maps_numbers(f: Any) -> bool:
    """Whether it calls a function of numbers for each element of arrays, as what Numba's `vectorize` makes does, and
    NumPy's where the dtype is given, which is that of the first result else.
    """
    if isinstance(f, np.vectorize):
        return len(f.otypes or ()) == 1 and f.signature is None and not f.excluded
    return (type(f).__module__, type(f).__name__) == ("numba.np.ufunc.dufunc", "DUFunc")


def function_and_dtypes(f: Any, given: Sequence[Any]) -> tuple[Any, Any, Any]:
    """The function of numbers, and the dtypes that it takes and gives if it was made for some. `given`: dtypes of
    arguments, of Python's numbers their types.
    """
    if isinstance(f, np.vectorize):
        return f.pyfunc, None, np.dtype((f.otypes or "d")[0]).type
    if all(map(is_pythons, given)):
        given = [np.dtype(each) for each in given]
    for loop in f.types:
        takes, gives = (tuple(np.dtype(each).type for each in part) for part in loop.split("->"))
        if all(map(may_be_taken, given, takes)):
            return f._dispatcher.py_func, takes, gives[0]
    if f._frozen and f.types and given:  # others are made for more as they are called
        raise TypeError(f"{f.__name__} takes no such arguments: it was made for {', '.join(f.types)}")
    return f._dispatcher.py_func, None, None


def may_be_taken(given: Any, dtype: type[np.generic]) -> bool:
    """Whether NumPy takes numbers of a dtype, or of Python's type, for those of another one."""
    return np.result_type(given(), dtype) == dtype if is_pythons(given) else np.can_cast(given, dtype)


def is_pythons(given: Any) -> bool:
    return any(given is each for each in (bool, int, float, complex))


def call_method_of(f: Any) -> types.FunctionType | None:
    """What runs when an object that is no function is called, where that is written in Python."""
    if isinstance(f, type | types.FunctionType | types.BuiltinFunctionType) or hasattr(f, "trace"):
        return None
    call = next((vars(cls)["__call__"] for cls in type(f).__mro__ if "__call__" in vars(cls)), None)
    return call if isinstance(call, types.FunctionType) and not hasattr(f, "py_func") else None


def is_distribution(obj: Any) -> bool:
    """Whether it is a distribution of scipy.stats, which is called with its parameters: `norm(mu, sigma)`."""
    return is_of_stats(obj) and type(obj).__name__.endswith("_gen")


def holding_parameters(
    frame: Frame, distribution: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> Partial:
    """`norm(mu, sigma)`: the distribution, whose methods are given these by name."""
    word = type(distribution).__name__.removesuffix("_gen")
    with frame.refusing():
        given = arguments_by_name(parameters_of(distribution), word, tuple(arguments), keywords)
    return Partial(Static(distribution), (), {str(name): value for name, value in given.items()})


def is_of_stats(obj: Any) -> bool:
    return type(obj).__module__.startswith("scipy.stats.")


def parameters_of(distribution: Any) -> inspect.Signature:
    """What it is called with, which its methods take by the same names."""
    if not hasattr(distribution, "shapes"):  # of arrays
        listed = inspect.signature(distribution.__call__).parameters.values()
        return inspect.Signature([p for p in listed if p.name != "seed"])
    shapes = (distribution.shapes or "").replace(",", " ").split()
    places = dict.fromkeys(shapes, inspect.Parameter.empty) | {"loc": 0.0}
    if hasattr(distribution, "pdf"):
        places["scale"] = 1.0
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind, default=value) for name, value in places.items()])


def bound_by_name(f: Any) -> functools.partial[Any] | None:
    """A method of a distribution that holds its parameters, made outside of the program, as SciPy's own with these."""
    owner: Any = f.__self__ if isinstance(f, types.MethodType) else None
    if not is_of_stats(owner) or not type(owner).__name__.endswith("_frozen"):
        return None
    copy = owner.dist if hasattr(owner, "dist") else owner._dist
    own = next((each for each in vars(sys.modules["scipy.stats"]).values() if type(each) is type(copy)), copy)
    form = parameters_of(own)
    if hasattr(owner, "dist"):
        given = form.bind_partial(*owner.args, **owner.kwds).arguments
    else:
        given = {name: getattr(owner, name) for name in form.parameters if hasattr(owner, name)}
    return functools.partial(getattr(own, f.__name__), **given)


def without(
    define: Define, of: Held, keywords: Mapping[str, Any], globals_: Callable[[str], Any]
) -> tuple[Define, Callable[[str], Any]]:
    """The function of the arguments that are still to be given, and the names around it."""
    by_place = [p.name for p in define.parameters if p.kind in ("positional", "plain")]
    objects = dict(zip(by_place, of.arguments, strict=False))
    given = {name: obj for name, obj in (of.keywords or {}).items() if name not in keywords}
    left: list[Parameter] = []
    behind = False  # what comes after an argument given by name is given by name too
    for parameter in define.parameters:
        behind = behind or parameter.name in (of.keywords or {})
        if parameter.name in given:
            objects[parameter.name] = given[parameter.name]
        elif parameter.name not in objects:
            left.append(
                replace(parameter, kind="keyword") if behind and parameter.kind == "plain" else parameter
            )
    span = define.span
    first: list[Assign] = []
    around: dict[str, Any] = {}
    for name, obj in objects.items():
        first.append(Assign(span, (Name(span, name),), held_name := Name(span, f"{name}%held")))
        around[held_name.id] = obj
    rests = {p.kind: p.name for p in define.parameters}
    more = {name: obj for name, obj in given.items() if name not in {p.name for p in define.parameters}}
    for kind, obj in (("star", of.arguments[len(by_place) :]), ("stars", more)):
        if obj and kind in rests:
            rest, held_name = Name(span, rests[kind]), Name(span, f"{rests[kind]}%held")
            first.append(Assign(span, (rest,), both_rests(held_name, rest, kind)))
            around[held_name.id] = obj

    def find(name: str) -> Any:
        return around[name] if name in around else globals_(name)

    return replace(define, parameters=tuple(left), body=(*first, *define.body)), find


def both_rests(before: Name, given: Name, kind: str) -> Expression:
    """What `*args` has before what it is given, or `**kwargs` beside it."""
    span = given.span
    if kind == "star":
        return Tuple(span, (Starred(span, before), Starred(span, given)))
    return CallExpr(span, Constant(span, dict), (), ((None, before), (None, given)))


def meaning_of(frame: Frame, obj: Any) -> Any:
    """The function that one stands for which is compiled, or whose results functools.cache keeps; None of others."""
    if getattr(obj, "transparent", False):
        return obj.__wrapped__
    if not isinstance(obj, functools._lru_cache_wrapper):
        return None
    inner = obj.__wrapped__
    code = getattr(inner, "__code__", None)
    if code is not None and inner.__name__ in (*code.co_names, *code.co_freevars):
        raise frame.refusal(
            f"{inner.__name__} remembers its results from call to call, which programs do not: move it into the "
            "function that calls it, fill an array in a loop, or leave functools.cache out"
        )
    return inner
