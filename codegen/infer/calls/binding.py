"""Arguments to parameters, by Python's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.infer.values import Value
from codegen.read.tree import Define, Lambda
from codegen.source import Span, refuse

Arguments = tuple[Value, ...]
Keywords = dict[str, Value]


def bind_call(
    define: Define | Lambda,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    defaults: Mapping[str, Any],
    *,
    label: str | None = None,
    span: Span | None = None,
) -> dict[str, Any]:
    """The arguments by parameter, as they stand in the call, then defaults where none is given.

    Errors, at `span`, are Python's own.
    """
    parameters = define.parameters
    label = label or (define.name if isinstance(define, Define) else "lambda")
    span = span or define.span
    by_place = [p for p in parameters if p.kind != "keyword"]
    if len(arguments) > len(by_place):
        plural = "" if len(by_place) == 1 else "s"
        raise refuse(
            span,
            f"{label}() takes {len(by_place)} positional argument{plural} but {len(arguments)} were given",
        )
    bound = {p.name: a for p, a in zip(by_place, arguments, strict=False)}
    for key, value in keywords.items():
        if not any(p.name == key and p.kind != "positional" for p in parameters):
            raise refuse(span, f"{label}() got an unexpected keyword argument {key!r}")
        if key in bound:
            raise refuse(span, f"{label}() got multiple values for argument {key!r}")
        bound[key] = value
    for p in parameters:
        if p.name not in bound and p.name not in defaults:
            raise refuse(span, f"{label}() is missing the argument {p.name!r}")
    return {**bound, **{p.name: defaults[p.name] for p in parameters if p.name not in bound}}
