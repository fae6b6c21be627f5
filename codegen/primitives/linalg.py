"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.ir import Apply, Atom, Type
from codegen.ir.build import Builder
from codegen.ir.kinds import Product
from codegen.primitives.elementwise import result_dtype
from codegen.primitives.reduce import as_array
from codegen.primitives.row import FUNCTIONS, lowers, row


def matmul_type(x: Atom, y: Atom) -> Type:
    left, right = x.type.shape, y.type.shape
    if not (1 <= len(left) <= 2 and 1 <= len(right) <= 2):
        raise TypeError(f"@ takes vectors and matrices, not {x.type} and {y.type}")
    n, m = left[-1], right[0]
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise ValueError(f"{x.type} @ {y.type}: sizes {n} and {m} meet")
    return Type(result_dtype(np.add, (x, y)), (*left[:-1], *right[1:]))


def matmul_left(ct: Any, x: Any, y: Any) -> Any:
    """The cotangent of x in x @ y; outer products where both sides lose an axis."""
    match (len(x.shape), len(y.shape)):
        case (1, 1):
            return ct * y
        case (2, 1):
            return np.outer(ct, y)
        case (1, 2):
            return y @ ct
        case _:
            return ct @ y.T


def matmul_right(ct: Any, x: Any, y: Any) -> Any:
    match (len(x.shape), len(y.shape)):
        case (1, 1):
            return x * ct
        case (2, 1):
            return x.T @ ct
        case (1, 2):
            return np.outer(x, ct)
        case _:
            return x.T @ ct


def outer_type(x: Atom, y: Atom) -> Type:
    return Type(result_dtype(np.multiply, (x, y)), (*x.type.shape, *y.type.shape))


def alike(op: Apply) -> bool:
    return len({o.type.dtype for o in op.operands}) == 1


# fmt: off
row("matmul", np.matmul, matmul_type, "linalg", kind=Product.MATRIX, operator="@", cost=2,
    numba=lambda op: alike(op) and op.operands[0].type.is_float,
    jvp=(lambda t, out, x, y: t @ y, lambda t, out, x, y: x @ t), transpose={0: matmul_left, 1: matmul_right})
row("outer", np.outer, outer_type, "linalg", kind=Product.OUTER, call="np.outer", numba=lambda op: alike(op),
    jvp=(lambda t, out, x, y: np.outer(t, y), lambda t, out, x, y: np.outer(x, t)),
    transpose={0: lambda ct, x, y: ct @ y, 1: lambda ct, x, y: x @ ct})
# fmt: on


UNALIGNED = "matmul: Input operand 1 has a mismatch in its core dimension 0"


@lowers(np.matmul)
def matmul(b: Builder, x: Any, y: Any) -> Any:
    if b.atom(x).type.rank and b.atom(y).type.rank:
        b.same_size(b.atom(x).type.shape[-1], b.atom(y).type.shape[0], UNALIGNED)
    return b.apply("matmul", x, y)


@lowers(np.dot)
def dot(b: Builder, x: Any, y: Any) -> Any:
    x, y = operand(b, x), operand(b, y)
    if not b.atom(x).type.rank or not b.atom(y).type.rank:
        return b.apply("mul", x, y)
    return matmul(b, x, y)


def operand(b: Builder, x: Any) -> Any:
    """A vector or matrix, or a number of NumPy's: products make an array of Python's."""
    if isinstance(x, tuple | list):
        return FUNCTIONS[np.array](b, x)
    type_ = b.atom(x).type
    return b.apply("cast", x, dtype=type_.dtype) if type_.weak else x


@lowers(np.vdot)
def vdot(b: Builder, x: Any, y: Any) -> Any:
    return dot(b, *(np.reshape(as_array(b, each), (-1,)) for each in (x, y)))


@lowers(np.inner)
def inner(b: Builder, x: Any, y: Any) -> Any:
    """Sums over the last axis of both."""
    x, y = operand(b, x), operand(b, y)
    return dot(b, x, y.T if b.atom(x).type.rank and b.atom(y).type.rank > 1 else y)


@lowers(np.outer)
def outer(b: Builder, x: Any, y: Any) -> Any:
    return b.apply("outer", *(np.reshape(as_array(b, each), (-1,)) for each in (x, y)))


@lowers(np.cross)
def cross(
    builder: Builder, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Of vectors of three components, along an axis of each array."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = (components(builder, each, k) for each, k in ((a, axisa), (b, axisb)))
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    made = builder.apply("stack", *parts)
    return np.moveaxis(made, 0, axisc) if made.ndim > 1 else made


def components(b: Builder, x: Any, axis: int) -> Any:
    """The three components, first."""
    x = np.moveaxis(as_array(b, x), axis, 0)
    n = x.type.shape[0]
    if isinstance(n, int) and n != 3:
        raise ValueError(
            f"cross takes vectors of three components, not {n}: a product in the plane is written out"
        )
    if not isinstance(n, int) and b.checked:
        b.require(b.apply("eq", b.size(n), 3), "ValueError", "cross takes vectors of three components")
    return x
