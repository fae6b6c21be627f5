"""Whether a function can be called so: check_call : function, how many arguments, names -> Python's TypeError.

Python itself says what is wrong, of a function that has the same parameters and does nothing.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

from codegen.infer.calls.library import check_library_call, is_library
from codegen.infer.calls.partials import held
from codegen.infer.unloaded import ReadFunction
from codegen.process_cache import forgettable
from codegen.read.texts import not_a_function

Made = TypeVar("Made")


def once_for(make: Callable[..., Made]) -> Callable[..., Made]:
    """make(f, ...), once for each function and the rest; objects without a hash have theirs made at each call."""
    kept = forgettable(functools.lru_cache(maxsize=512)(make))

    @functools.wraps(make)
    def of(f: Any, *rest: Any) -> Made:
        check_readable(f)
        return (make if type(f).__hash__ is None else kept)(f, *rest)

    return of


def check_readable(f: Any) -> None:
    """TypeError for what has no Python text: numbers, classes, what is built in."""
    of = held(f).function
    made = hasattr(of, "trace") and hasattr(of, "__wrapped__")
    if not (made or is_library(of) or isinstance(of, types.FunctionType | ReadFunction)):
        raise TypeError(not_a_function(of))


def check_call(f: Any, count: int, keywords: tuple[str, ...]) -> None:
    of = held(f)
    function = of.function
    count, keywords = count + len(of.arguments), (*(of.keywords or {}), *keywords)
    keywords = tuple(dict.fromkeys(keywords))
    if hasattr(function, "check_call"):
        function.check_call(count, keywords)
    elif is_library(function):
        check_library_call(function, count, keywords)
    elif isinstance(function, types.FunctionType):
        stub_like(function)(*(None,) * count, **dict.fromkeys(keywords))


def stub_like(f: types.FunctionType) -> types.FunctionType:
    """A function that takes the same arguments, and does nothing."""
    code, nothing = f.__code__, (lambda: None).__code__
    rest = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + rest.bit_count()
    same = nothing.replace(
        co_argcount=code.co_argcount,
        co_posonlyargcount=code.co_posonlyargcount,
        co_kwonlyargcount=code.co_kwonlyargcount,
        co_nlocals=count,
        co_varnames=code.co_varnames[:count],
        co_flags=nothing.co_flags | rest,
    )
    stub = types.FunctionType(same, {}, f.__name__, f.__defaults__)
    stub.__qualname__, stub.__kwdefaults__ = f.__qualname__, f.__kwdefaults__
    return stub
