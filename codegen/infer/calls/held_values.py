"""What ranges, zips and their like, and methods, hold: values across a call as any others.

f(zip(x, y))      ->      x and y are operands; in the callee the parameter is a zip of its own two arrays
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from codegen.infer.values import Enumerate, Method, Product, Range, Reversed, Value, Zip

Holding = Range | Enumerate | Zip | Reversed | Product | Method


def with_held(value: Holding, make: Callable[[Value], Value]) -> tuple[Any, Holding]:
    """What is known of a value but for what it holds, comparable; and the value with `make` of that."""
    facts: list[Any] = [type(value)]
    made: dict[str, Any] = {}
    for field in fields(value):
        held = getattr(value, field.name)
        if held is None or isinstance(held, bool | str):
            facts.append(held)
        elif isinstance(held, tuple):
            facts.append(len(held))
            made[field.name] = tuple(map(make, held))
        else:
            made[field.name] = make(held)
    return tuple(facts), replace(value, **made)
