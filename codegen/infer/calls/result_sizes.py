"""Sizes across a call: those of a callee's results, in terms of what it is given."""

from __future__ import annotations

from typing import Any

from codegen.ir import Atom, Lit, Type, Var
from codegen.ir.broadcasting import sized_alike


def argument_sizes(params: tuple[Var, ...], operands: list[Atom]) -> dict[Var, Any]:
    """What a callee's sizes are at a call: those of its arrays, and the ints it is given, which its arrays may have."""
    sizes: dict[Var, Any] = {}
    for param, operand in zip(params, operands, strict=True):
        if param.type.dtype == "i8" and not param.type.rank:
            if isinstance(operand, Var) and operand.type.dtype == "i8":
                sizes[param] = operand
            elif isinstance(operand, Lit) and operand.value >= 0:
                sizes[param] = int(operand.value)
        for n, m in zip(param.type.shape, operand.type.shape, strict=True):
            if isinstance(n, Var):
                sizes.setdefault(n, m)
    return sizes


def type_at_call(type_: Type, sizes: dict[Var, Any]) -> Type:
    """A callee's type in the caller's sizes; each size made inside is a fresh one, from then on."""

    def outer(n: Any) -> Any:
        if not isinstance(n, int) and n not in sizes:
            sizes[n] = sized_alike(n)
        return n if isinstance(n, int) else sizes[n]

    return Type(type_.dtype, tuple(map(outer, type_.shape)), type_.weak)
