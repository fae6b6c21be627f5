"""Divisions by what is known beforehand, with the reciprocal at hand: with_reciprocals : Region -> Region.

    x / 5.0             ->      fast_quotient(x, 5.0, 0.2)
    x / sigma[i]        ->      fast_quotient(x, S[SIGMA + i], S[SIGMA_INVERSE + i])

A processor divides eight doubles in the time of some twenty products. The divisor is a literal, or an element of an
array that all lanes share, at places that are literals or indices of the loops around it (`divisions`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from autobatch.cost_model import QUOTIENT_OPERATIONS, UNROLLED_QUOTIENT_OPERATIONS
from autobatch.kernel.ir import Element, Memory, Operation, Quotient, Region, Value
from autobatch.kernel.lower import Lowering
from autobatch.kernel.walk import rebuilt
from autobatch.simd.vectorisable import has_known_bounds, is_tall, known_trips, unrolled_size
from codegen.analysis.ranges import is_nowhere
from codegen.ir import Apply, Equation, For, Lit, Type, Var
from codegen.ir.kinds import Access, Arithmetic
from codegen.ir.substitution import blocks

NORMAL = 2.0**-1021, 2.0**1021  # between these, what has a reciprocal that is a normal number


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
        if isinstance(divisor, Lit):
            return Quotient(value.op, value.operands, Lit(1.0 / float(divisor.value), F8), value.type)
        if is_nowhere(divisor):
            return value
        address = low.address(divisor, divisor.operands[0])
        if (memory := inverse(address.memory)) is None:
            return value
        reciprocal = Element(replace(address, memory=memory), F8)
        return Quotient(value.op, value.operands, reciprocal, value.type)

    return rebuilt(region, quotient)


F8 = Type("f8")


def divisions(
    equations: Iterable[Equation],
    elements: Mapping[Var, Apply] = MappingProxyType({}),
    indices: frozenset[Var] = frozenset(),
    *,
    vectors: bool = True,
) -> dict[Apply, Lit | Apply]:
    """The divisions, each with its divisor: a literal, or the `index` that reads it.

    `elements`: what was read before at places that are literals or `indices` of the loops around. `vectors`: loops that
    LLVM would not unroll any more are left alone.
    """
    read, found = dict(elements), dict[Apply, Lit | Apply]()
    for equation in equations:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.kind is Access.READ:
            if all(isinstance(place, Lit) or place in indices for place in op.operands[1:]):
                read[equation.outs[0]] = op
        elif (
            isinstance(op, Apply)
            and op.primitive.kind is Arithmetic.DIV
            and equation.outs[0].type.dtype == "f8"
        ):
            divisor = op.operands[1]
            if isinstance(divisor, Lit):
                found |= {op: divisor} if is_rounded(divisor) else {}
            elif divisor in read:
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


def is_rounded(divisor: Lit) -> bool:
    """Whether products with the reciprocal are not exact anyway, and the reciprocal is a normal number."""
    value = abs(float(divisor.value))
    return NORMAL[0] < value < NORMAL[1] and math.frexp(value)[0] != 0.5


def is_still_unrolled(loop: For, divisions: int) -> bool:
    """Whether the compiler writes the loop out although so many of its divisions are longer."""
    return (
        has_known_bounds(loop)
        and known_trips(loop) * (unrolled_size(loop.body) + QUOTIENT_OPERATIONS * divisions)
        <= UNROLLED_QUOTIENT_OPERATIONS
    )
