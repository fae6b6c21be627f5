"""Products of matrices and vectors: what is known of their sizes, and which are too small for BLAS."""

from __future__ import annotations

from math import prod

from codegen.cost_model import SMALL_PRODUCT
from codegen.ir import Apply, Atom, Dim, Operation
from codegen.ir.kinds import Product


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
