"""Functions that a function returns: what they hold, as a nest of values; and what a caller makes of it.

def scaled(a):                           Closure(f, {a: x})    ->    Nest(ClosureShape(f), (x,), ("a",))
    def f(y):
        return a * y
    return f                             g = scaled(2.0)       ->    Closure(f, {a: 2.0})
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.values import Choice, Closure, Nest, Partial, Static, Value, leaves
from codegen.read.tree import Define, Lambda
from codegen.source import Span, refuse

NO_FUNCTION = "a function cannot be returned from a function"


@dataclass(frozen=True)
class ClosureShape:
    """The class of a nest that stands for a nested function: its tree, and how many of the items are its defaults."""

    define: Define | Lambda
    defaults: int
    frame: Any = field(compare=False)


@dataclass(frozen=True, eq=False)
class Applied:
    """A transformed nested function, with the values that go after its arguments. Callable in the user's program."""

    function: Any
    extra: tuple[Value, ...]

    @property
    def __wrapped__(self) -> Any:
        return self.function

    @property
    def trace(self) -> Any:
        return self.function.trace


@dataclass(frozen=True)
class AppliedShape:
    """The class of a nest that stands for an `Applied`."""

    function: Any


@dataclass(frozen=True)
class PartialShape:
    """The class of a nest that stands for a functools.partial: how many of the items are given by name."""

    named: int


def as_nests(frame: Frame, value: Value, span: Span, within: tuple[Closure, ...] = ()) -> Value:
    """A value with nests in place of the functions in it."""

    def inner(each: Value) -> Value:
        return as_nests(frame, each, span, within)

    match value:
        case Nest(_, items):
            return value.with_items(tuple(map(inner, items)))
        case Partial(function, arguments, keywords):
            items = (*arguments, *keywords.values())
            names = (*map(str, range(len(arguments))), *keywords)
            return Nest(
                PartialShape(len(keywords)), tuple(map(inner, (function, *items))), ("function", *names)
            )
        case Static(Applied(function, extra)) if extra:
            return Nest(AppliedShape(function), tuple(map(inner, extra)), tuple(map(str, range(len(extra)))))
        case Closure():
            if any(each.define is value.define for each in within):
                raise refuse(span, "a function that calls itself cannot be returned from a function")
            captured = frame.captured_values(value)
            if not captured and not value.defaults:  # it holds nothing
                return value
            within = (*within, value)
            items = (*captured.values(), *value.defaults.values())
            form = ClosureShape(value.define, len(value.defaults), value.frame)
            return Nest(form, tuple(map(inner, items)), (*captured, *value.defaults))
    return value


def as_functions(value: Value) -> Value:
    """The functions that nests stand for."""
    if not isinstance(value, Nest):
        return value
    items = tuple(map(as_functions, value.items))
    names = value.keys or ()
    match value.cls:
        case ClosureShape(define, defaults, frame):
            count = len(items) - defaults
            env, given = (
                dict(zip(names[cut], items[cut], strict=True)) for cut in (slice(count), slice(count, None))
            )
            return Closure(define, frame, env, given)
        case PartialShape(named):
            count = len(items) - named
            keywords = dict(zip(names[count:], items[count:], strict=True))
            return Partial(items[0], items[1:count], keywords)
        case AppliedShape(function):
            return Static(Applied(function, items))
    return value.with_items(items)


def holds_function(value: Any) -> bool:
    """Whether a returned value is, or has in it, a function that holds something."""
    return isinstance(value, Nest) and (
        isinstance(value.cls, ClosureShape | PartialShape | AppliedShape | Choice)
        or any(map(holds_function, value.items))
    )


def refuse_functions(value: Any, span: Span) -> None:
    """SourceError where a program would return a function."""
    for leaf in leaves(value):
        if isinstance(leaf, Closure):
            raise refuse(leaf.define.span, NO_FUNCTION)
    if holds_function(value) or any(isinstance(leaf, Partial) for leaf in leaves(value)):
        raise refuse(span, NO_FUNCTION)
