"""Arguments to parameters, by Python's rules, and what those are without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.infer.dependencies import note_defaults
from codegen.infer.frame import Frame
from codegen.infer.unloaded import ReadFunction, Unread
from codegen.infer.values import Conflict, Nest, Static, Value
from codegen.ir import Lit
from codegen.read.tree import Define, Lambda
from codegen.source import Span, refuse

Arguments = tuple[Value, ...]
Keywords = dict[str, Value]
RESTS = ("star", "stars")  # the kinds of *args and **kwargs


def bind_call(
    define: Define | Lambda,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    defaults: Mapping[str, Any],
    *,
    label: str | None = None,
    span: Span | None = None,
) -> dict[str, Any]:
    """The arguments by parameter, as they stand in the call, then defaults where none is given. `*args` has a tuple and
    `**kwargs` a dict of those that no other parameter has.

    Errors, at `span`, are Python's own.
    """
    parameters = define.parameters
    label = label or (define.name if isinstance(define, Define) else "lambda")
    span = span or define.span
    rest = {p.kind: p.name for p in parameters if p.kind in RESTS}
    by_place = [p for p in parameters if p.kind in ("positional", "plain")]
    if len(arguments) > len(by_place) and "star" not in rest:
        plural = "" if len(by_place) == 1 else "s"
        raise refuse(
            span,
            f"{label}() takes {len(by_place)} positional argument{plural} but {len(arguments)} were given",
        )
    bound = {p.name: a for p, a in zip(by_place, arguments, strict=False)}
    if "star" in rest:
        bound[rest["star"]] = Nest(tuple, arguments[len(by_place) :])
    by_name = {p.name for p in parameters if p.kind in ("plain", "keyword")}
    others = {key: value for key, value in keywords.items() if key not in by_name}
    if others and "stars" not in rest:
        raise refuse(span, f"{label}() got an unexpected keyword argument {next(iter(others))!r}")
    for key in by_name & keywords.keys() & bound.keys():
        raise refuse(span, f"{label}() got multiple values for argument {key!r}")
    bound |= {key: value for key, value in keywords.items() if key in by_name}
    if "stars" in rest:
        bound[rest["stars"]] = Nest(dict, tuple(others.values()), tuple(others))
    for p in parameters:
        if p.name not in bound and p.name not in defaults:
            raise refuse(span, f"{label}() is missing the argument {p.name!r}")
    return {**bound, **{p.name: defaults[p.name] for p in parameters if p.name not in bound}}


def given_in_turn(define: Define | Lambda, bound: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments one by one, those of `*args` and `**kwargs` too."""
    rests = {p.name for p in define.parameters if p.kind in RESTS}
    spread = ((name in rests, value) for name, value in bound.items())
    return tuple(each for is_rest, value in spread for each in (value.items if is_rest else (value,)))


def defaults_of(frame: Frame, f: Any) -> dict[str, Value]:
    """The defaults of a function's parameters as values."""
    if isinstance(f, ReadFunction):
        return {
            key: Conflict(str(obj)) if isinstance(obj, Unread) else frame.constant(obj, key)
            for key, obj in f.defaults.items()
        }
    note_defaults(f)
    return {key: frame.constant(obj, key) for key, obj in default_objects(f).items()}


def default_objects(f: Any) -> dict[str, Any]:
    """The defaults of a live function's parameters."""
    if isinstance(f, ReadFunction):
        return {key: obj for key, obj in f.defaults.items() if not isinstance(obj, Unread)}
    places = f.__code__.co_varnames[: f.__code__.co_argcount]
    given = f.__defaults__ or ()
    return {**dict(zip(places[len(places) - len(given) :], given, strict=True)), **(f.__kwdefaults__ or {})}


def as_known(value: Value) -> Any:
    """A value as Python has it, where it is known."""
    return value.value if isinstance(value, Static | Lit) else value
