"""Products of matrices and vectors: what is known of their sizes, and which are not for BLAS: those that are too small,
and of two vectors those in loops, and those of which one would be stored for the product alone.

    d = x[i] - x[j]                     s = 0.0
    s = d @ d                  ->       for k in range(n):
                                            s = plus(s, (x[i, k] - x[j, k]) * (x[i, k] - x[j, k]))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from codegen.cost_model import SMALL_PRODUCT
from codegen.ir import Apply, Atom, Block, Dim, Equation, Operation, Program
from codegen.ir.kinds import Access, Product
from codegen.ir.substitution import reads
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
    """The products of two vectors of which one is computed or gathered for them alone."""
    return frozenset(e for f in program.functions.values() for e in products_within(f.body))


def products_within(block: Block) -> Iterator[Equation]:
    made: dict[Atom, Operation] = {out: e.op for e in equations(block) for out in e.outs}
    uses = Counter(operands(block))
    for e in equations(block):
        given = Counter(reads(e.op)) if is_of_vectors(e.op) else {}
        if any(x in made and is_computed(made[x]) and uses[x] == n for x, n in given.items()):
            yield e


def is_computed(op: Operation) -> bool:
    """Whether a vector is made element by element, not a part of what is there."""
    if not isinstance(op, Apply):
        return False
    gathers = op.primitive.kind is Access.READ and "a" in op.params["spec"]
    return gathers or op.primitive.family == "elementwise"
