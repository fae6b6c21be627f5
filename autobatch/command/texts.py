"""Small texts of wrappers, and what they ask of types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.emit.coalescing import identifier
from codegen.infer.values import Static
from codegen.ir import Type, Var

LANE_AXIS = Var("lanes", Type("i8"))
"""The size that marks the lane axis of an argument."""


@dataclass(frozen=True)
class Argument:
    """A parameter of the wrapper. kind: 'positional', 'plain' or 'keyword'; `default`: its text."""

    name: str
    kind: str
    entry: Any
    default: str | None = None


def param_list(arguments: Sequence[Argument]) -> list[str]:
    """Parameters with `/` and `*` where the user's function has them."""
    found = []
    required = [k for k, a in enumerate(arguments) if a.kind != "keyword" and a.default is None]
    for k, argument in enumerate(arguments):
        before = arguments[k - 1].kind if k else None
        if before == "positional" and argument.kind != "positional":
            found.append("/")
        if argument.kind == "keyword" and before != "keyword":
            found.append("*")
        bare = argument.default is None or (argument.kind != "keyword" and k < max(required, default=0))
        found.append(argument.name if bare else f"{argument.name}={argument.default}")
    if arguments and arguments[-1].kind == "positional":
        found.append("/")
    return found


def is_written(leaf: Any) -> bool:
    """Whether a leaf of what is returned can stand in a file: a result of the program, or a literal."""
    if isinstance(leaf, Static):
        return leaf.value is None or isinstance(leaf.value, bool | int | float | str | np.generic)
    return isinstance(leaf, Type)


def is_narrow(type_: Type) -> bool:
    """Whether NumPy takes Python's numbers for wider ones than the leaf's."""
    return type_.dtype not in ("f8", "i8", "b1", "rng")


def is_laned(type_: Type) -> bool:
    """Whether a leaf has a lane axis."""
    return bool(type_.shape) and type_.shape[0] is LANE_AXIS


def result_name(atom: Any, k: int) -> str:
    name = getattr(atom, "name", "t")
    return f"t{k}" if name == "t" else identifier(name)
