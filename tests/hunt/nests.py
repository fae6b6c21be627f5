"""Nests of values: tuples, lists, named tuples, dicts and dataclasses, and the leaves in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


def parts(value: Any) -> list[Any] | None:
    """The items of a nest; None for a leaf."""
    if isinstance(value, tuple | list):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return None


def keys(value: Any) -> tuple[Any, ...]:
    """What nests of one form have in common."""
    if isinstance(value, dict):
        return (dict, *value)
    return type(value), len(parts(value) or ())


def rebuilt(value: Any, items: list[Any]) -> Any:
    """A nest like `value` with other items."""
    if isinstance(value, dict):
        return dict(zip(value, items, strict=True))
    if isinstance(value, list) or type(value) is tuple:
        return type(value)(items)
    return type(value)(*items)


def mapped(change: Callable[..., Any], first: Any, *others: Any) -> Any:
    """`change` of each leaf, and of the leaves in its place in the others; ValueError where they are unlike."""
    inside = parts(first)
    if inside is None:
        return change(first, *others)
    if any(keys(other) != keys(first) for other in others):
        raise ValueError("nests of different forms")
    columns = zip(inside, *(parts(other) or [] for other in others), strict=True)
    return rebuilt(first, [mapped(change, *column) for column in columns])


def leaves(value: Any) -> list[Any]:
    inside = parts(value)
    return [value] if inside is None else [leaf for item in inside for leaf in leaves(item)]
