"""Products of matrices and vectors: what is known of their sizes, and which are not for BLAS: those that are too small,
and of two vectors those in loops, and those of which a vector or the matrix would be stored for the product alone.

    d = x[i] - x[j]                     s = 0.0
    s = d @ d                  ->       for k in range(n):
                                            s = plus(s, (x[i, k] - x[j, k]) * (x[i, k] - x[j, k]))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from math import prod

from codegen.cost_model import SMALL_PRODUCT
from codegen.ir import Apply, Atom, Block, Dim, Equation, Operation, Program
from codegen.ir.kinds import Access, Product
from codegen.ir.substitution import blocks, reads
from codegen.ir.traversal import equations, operands


def contracted_size(x: Atom, y: Atom) -> Dim:
    """The size of the axis that a product sums over: an int where one of the operands has it."""
    return next((n for n in (x.type.shape[-1], y.type.shape[0]) if isinstance(n, int)), x.type.shape[-1])


def is_small_product(op: Operation) -> bool:
    """Whether an operation is a product of matrices or vectors that is known to be of few numbers."""
    if not isinstance(op, Apply) or op.primitive.kind is not Product.MATRIX:
        return False
    x, y = op.operands
    if max(x.type.rank, y.type.rank) > 2:
        return False
    sizes = (*x.type.shape[:-1], contracted_size(x, y), *y.type.shape[1:])
    known = [n for n in sizes if isinstance(n, int)]
    return len(known) == len(sizes) and prod(known) <= SMALL_PRODUCT


def is_of_vectors(op: Operation) -> bool:
    """Whether an operation is a product of two vectors."""
    return (
        isinstance(op, Apply)
        and op.primitive.kind is Product.MATRIX
        and all(x.type.rank == 1 for x in op.operands)
    )


def products_of_made(program: Program) -> frozenset[Equation]:
    """The products of two vectors of which one is computed or gathered for them alone, and of a vector and a matrix
    that is."""
    return frozenset(e for f in program.functions.values() for e in products_within(f.body))


def products_within(block: Block) -> Iterator[Equation]:
    made: dict[Atom, Operation] = {out: e.op for e in equations(block) for out in e.outs}
    uses = Counter(operands(block))
    inner = (b for e in equations(block) for b in blocks(e.op))
    for each in (block, *inner):
        here = {out for e in each.equations for out in e.outs}
        for e in each.equations:
            given = Counter(largest_factors(e.op, here))
            if any(x in made and is_computed(made[x]) and uses[x] == n for x, n in given.items()):
                yield e


def largest_factors(op: Operation, here: Container[Atom]) -> tuple[Atom, ...]:
    """The vectors of a product of two; of a vector and a matrix the matrix, if no loop is between it and the product,
    which would compute it again."""
    if is_of_vectors(op):
        return tuple(reads(op))
    if not isinstance(op, Apply) or op.primitive.kind is not Product.MATRIX:
        return ()
    by_vector = sorted(x.type.rank for x in op.operands) == [1, 2]
    return tuple(x for x in op.operands if by_vector and x.type.rank == 2 and x in here)


def is_computed(op: Operation) -> bool:
    """Whether an array is made element by element, not a part of what is there."""
    if not isinstance(op, Apply):
        return False
    gathers = op.primitive.kind is Access.READ and "a" in op.params["spec"]
    return gathers or op.primitive.family == "elementwise"
