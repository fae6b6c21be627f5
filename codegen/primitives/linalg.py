"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.build import Builder, E
from codegen.ir import Atom, Type
from codegen.primitives.elementwise import result_dtype
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


# fmt: off
row("matmul", np.matmul, matmul_type, "linalg", operator="@", cost=2,
    jvp=(lambda t, out, x, y: t @ y, lambda t, out, x, y: x @ t), transpose={0: matmul_left, 1: matmul_right})
row("outer", np.outer, outer_type, "linalg", call="np.outer",
    jvp=(lambda t, out, x, y: np.outer(t, y), lambda t, out, x, y: np.outer(x, t)),
    transpose={0: lambda ct, x, y: ct @ y, 1: lambda ct, x, y: x @ ct})
# fmt: on


@lowers(np.matmul)
def matmul(b: Builder, x: Any, y: Any) -> Any:
    if b.atom(x).type.rank and b.atom(y).type.rank:
        b.same_size(b.atom(x).type.shape[-1], b.atom(y).type.shape[0])
    return b.apply("matmul", x, y)


@lowers(np.dot)
def dot(b: Builder, x: Any, y: Any) -> Any:
    if not b.atom(x).type.rank or not b.atom(y).type.rank:
        return x * y
    return matmul(b, x, y)


FUNCTIONS[np.vdot] = lambda b, x, y: dot(b, np.ravel(x), np.ravel(y))
FUNCTIONS[np.inner] = lambda b, x, y: dot(b, x, y if y.ndim == 1 else y.T)


@lowers(np.outer)
def outer(b: Builder, x: Any, y: Any) -> Any:
    return b.apply("outer", np.ravel(x), np.ravel(y))


@lowers(np.cross)
def cross(b: Builder, x: E, y: E) -> Any:
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return b.apply("stack", *parts)
