"""Divisions by what is known beforehand, with the reciprocal at hand: with_reciprocals : Region -> Region.

    x / 5.0             ->      fast_quotient(x, 5.0, 0.2)
    x / sigma[i]        ->      fast_quotient(x, S[SIGMA + i], S[SIGMA_INVERSE + i])

A processor divides eight doubles in the time of some twenty products, a thread of a GPU takes a dozen instructions for
one of float32. The divisor is a literal, or an element of an array that all lanes share, at places that are literals or
indices of the loops around it (`divisions`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from autobatch.cost_model import QUOTIENT_OPERATIONS, UNROLLED_QUOTIENT_OPERATIONS
from autobatch.kernel.ir import Element, Memory, Operation, Quotient, Region, Value
from autobatch.kernel.lower import Lowering
from autobatch.kernel.walk import rebuilt
from autobatch.simd.vectorisable import has_known_bounds, is_tall, known_trips, unrolled_size
from codegen.analysis.places import is_nowhere
from codegen.ir import Apply, Equation, For, Lit, Type, Var
from codegen.ir.kinds import Access, Arithmetic
from codegen.ir.substitution import blocks

# Between these, what has a reciprocal that is a normal number.
NORMAL = {"f8": (2.0**-1021, 2.0**1021), "f4": (2.0**-125, 2.0**125)}


def with_reciprocals(
    region: Region,
    divisions: Mapping[Apply, Lit | Apply],
    low: Lowering,
    inverse: Callable[[Memory], Memory | None],
) -> Region:
    """`inverse`: where the reciprocals of an array are, if they are anywhere."""

    def quotient(value: Value) -> Value:
        divisor = divisions.get(value.op) if isinstance(value, Operation) else None
        if divisor is None or not isinstance(value, Operation):
            return value
        operands = tuple(
            Lit(in_precision(each, value.type), value.type) if isinstance(each, Lit) else each
            for each in value.operands
        )
        if isinstance(divisor, Lit):
            return Quotient(
                value.op, operands, Lit(1.0 / in_precision(divisor, value.type), value.type), value.type
            )
        if is_nowhere(divisor):
            return value
        address = low.address(divisor, divisor.operands[0])
        if (memory := inverse(address.memory)) is None:
            return value
        reciprocal = Element(replace(address, memory=memory), value.type)
        return Quotient(value.op, operands, reciprocal, value.type)

    return rebuilt(region, quotient)


def divisions(
    equations: Iterable[Equation],
    elements: Mapping[Var, Apply] = MappingProxyType({}),
    indices: frozenset[Var] = frozenset(),
    *,
    vectors: bool = True,
) -> dict[Apply, Lit | Apply]:
    """The divisions, each with its divisor: a literal, or the `index` that reads it.

    `elements`: what was read before at places that are literals or `indices` of the loops around. `vectors`: loops that
    LLVM would not unroll any more are left alone, and divisions of float32, of which a vector has twice as many.
    """
    read, found = dict(elements), dict[Apply, Lit | Apply]()
    dtypes = ("f8",) if vectors else tuple(NORMAL)
    for equation in equations:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.kind is Access.READ:
            if all(isinstance(place, Lit) or place in indices for place in op.operands[1:]):
                read[equation.outs[0]] = op
        elif (
            isinstance(op, Apply)
            and op.primitive.kind is Arithmetic.DIV
            and (type_ := equation.outs[0].type).dtype in dtypes
        ):
            divisor = op.operands[1]
            if isinstance(divisor, Lit):
                found |= {op: divisor} if has_reciprocal(divisor, type_) else {}
            elif divisor in read and divisor.type.dtype == type_.dtype:
                found[op] = read[divisor]
        for block in blocks(op):
            around = indices | {op.index} if isinstance(op, For) else indices
            inside = divisions(block.equations, read, around, vectors=vectors)
            if (
                not vectors
                or not isinstance(op, For)
                or is_tall(equation)
                or is_still_unrolled(op, len(inside))
            ):
                found |= inside
    return found


def has_reciprocal(divisor: Lit, type_: Type) -> bool:
    """Whether products with the reciprocal are not exact anyway, and the reciprocal is a normal number."""
    value = abs(in_precision(divisor, type_))
    low, high = NORMAL[type_.dtype]
    return low < value < high and math.frexp(value)[0] != 0.5


def in_precision(lit: Lit, type_: Type) -> float:
    """The number that it is among numbers of this type."""
    return float(np.asarray(lit.value).astype(type_.dtype))


def is_still_unrolled(loop: For, divisions: int) -> bool:
    """Whether the compiler writes the loop out although so many of its divisions are longer."""
    return (
        has_known_bounds(loop)
        and known_trips(loop) * (unrolled_size(loop.body) + QUOTIENT_OPERATIONS * divisions)
        <= UNROLLED_QUOTIENT_OPERATIONS
    )
