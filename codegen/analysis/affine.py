"""Ints as others and a literal: offset_of : Apply -> (x, c) of x + c, (x, -c) of x - c."""

from __future__ import annotations

from dataclasses import replace

from codegen.ir import Apply, Atom, Lit, Operation
from codegen.ir.kinds import Arithmetic


def offset_of(op: Operation | None) -> tuple[Atom, int] | None:
    """What a sum or difference adds to its first operand, where that is a literal; None for others."""
    match op:
        case Apply(primitive, (x, Lit(value=int(c)))) if primitive.kind is Arithmetic.ADD:
            return x, c
        case Apply(primitive, (x, Lit(value=int(c)))) if primitive.kind is Arithmetic.SUB:
            return x, -c
    return None


def sum_with_literal(op: Apply) -> tuple[Atom, int] | None:
    """The same with the literal on either side."""
    turned = replace(op, operands=op.operands[::-1]) if op.primitive.kind is Arithmetic.ADD else None
    return offset_of(op) or offset_of(turned)
