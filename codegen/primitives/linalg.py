"""Products of vectors, matrices and stacks of them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Atom, Type
from codegen.ir.build import Builder
from codegen.ir.kinds import Product
from codegen.ir.primitive import Rule
from codegen.lazy import lazily
from codegen.primitives.einsum import contraction
from codegen.primitives.elementwise import result_dtype
from codegen.primitives.reduce import as_array, axes_given
from codegen.primitives.row import FUNCTIONS, lowers, row
from codegen.primitives.shape import require_equal
from codegen.runtime.linear_algebra import stacks as meaning

compiled = lazily("codegen.runtime.linear_algebra.stack_products")  # Numba comes with it


def matmul_type(x: Atom, y: Atom) -> Type:
    left, right = x.type.shape, y.type.shape
    if not (1 <= len(left) <= 2 and 1 <= len(right) <= 2):
        raise TypeError(f"@ takes vectors and matrices, not {x.type} and {y.type}")
    n, m = left[-1], right[0]
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise ValueError(f"{x.type} @ {y.type}: sizes {n} and {m} meet")
    return Type(result_dtype(np.add, (x, y)), (*left[:-1], *right[1:]))


# The cotangents of x and y in x @ y, by their axes; outer products where both sides lose one.
MATMUL_BACK: dict[tuple[int, int], tuple[Rule, Rule]] = {
    (1, 1): (lambda ct, x, y: ct * y, lambda ct, x, y: x * ct),
    (2, 1): (lambda ct, x, y: np.outer(ct, y), lambda ct, x, y: x.T @ ct),
    (1, 2): (lambda ct, x, y: y @ ct, lambda ct, x, y: np.outer(x, ct)),
    (2, 2): (lambda ct, x, y: ct @ y.T, lambda ct, x, y: x.T @ ct),
}


def matmul_back(k: int) -> Rule:
    return lambda ct, x, y: MATMUL_BACK[len(x.shape), len(y.shape)][k](ct, x, y)


def outer_type(x: Atom, y: Atom) -> Type:
    return Type(result_dtype(np.multiply, (x, y)), (*x.type.shape, *y.type.shape))


# fmt: off
row("matmul", np.matmul, matmul_type, "linalg", kind=Product.MATRIX, operator="@", cost=2,
    work=lambda x, y: 2 * prod(x) * prod(y[1:]),
    jvp=(lambda t, out, x, y: t @ y, lambda t, out, x, y: x @ t), transpose={0: matmul_back(0), 1: matmul_back(1)})
row("outer", np.outer, outer_type, "linalg", kind=Product.OUTER, call="np.outer",
    jvp=(lambda t, out, x, y: np.outer(t, y), lambda t, out, x, y: np.outer(x, t)),
    transpose={0: lambda ct, x, y: ct @ y, 1: lambda ct, x, y: x @ ct})
# fmt: on


# Of stacks, each pair of matrices: x @ y, and with one of them transposed, where it is.
STACKED = {
    "stack_products": (False, False),
    "stack_products_left": (True, False),
    "stack_products_right": (False, True),
}


def stacked_type(turned: tuple[bool, bool]) -> Callable[..., Type]:
    def type_(x: Atom, y: Atom) -> Type:
        stack, left, right = x.type.shape[0], x.type.shape[1 + turned[0]], y.type.shape[2 - turned[1]]
        return Type(x.type.dtype, (stack, left, right))

    return type_


def stacked(name: str) -> Callable[..., Any]:
    return lambda x, y: x.builder.apply(name, x, y)


plain, left_turned, right_turned = map(stacked, STACKED)
STACKED_BACK: dict[str, tuple[Rule, Rule]] = {
    "stack_products": (lambda ct, x, y: right_turned(ct, y), lambda ct, x, y: left_turned(x, ct)),
    "stack_products_left": (lambda ct, x, y: right_turned(y, ct), lambda ct, x, y: plain(x, ct)),
    "stack_products_right": (lambda ct, x, y: plain(ct, y), lambda ct, x, y: left_turned(ct, x)),
}
# fmt: off
for _name, _turned in STACKED.items():
    _of = stacked(_name)
    row(_name, getattr(meaning, _name), stacked_type(_turned), "linalg", call=_name, helper=f"{_name}_by_matrices",
        definition=lambda name=_name: getattr(compiled, f"{name}_by_numbers").py_func,
        work=lambda x, y, k=1 + (not _turned[1]): 2 * prod(x) * y[k],
        jvp=(lambda t, out, x, y, of=_of: of(t, y), lambda t, out, x, y, of=_of: of(x, t)),
        transpose=dict(enumerate(STACKED_BACK[_name])))
# fmt: on


UNALIGNED = "matmul: Input operand 1 has a mismatch in its core dimension 0"


@lowers(np.matmul)
def matmul(b: Builder, x: Any, y: Any) -> Any:
    ranks = [b.atom(v).type.rank for v in (x, y)]
    if max(ranks) > 2 and min(ranks):
        inner_y = b.atom(y).type.shape[-2 if ranks[1] > 1 else 0]
        require_equal(b, b.atom(x).type.shape[-1], inner_y, UNALIGNED)
        stacks = [tuple(range(2 - rank, 0)) for rank in ranks]
        rows, columns = ("h",) * (ranks[0] > 1), ("j",) * (ranks[1] > 1)
        terms = [(*stacks[0], *rows, "i"), (*stacks[1], "i", *columns)]
        out = (*max(stacks, key=len), *rows, *columns)
        return contraction(b, [as_array(b, v) for v in (x, y)], terms, out, matched="i")
    if min(ranks):
        b.same_size(b.atom(x).type.shape[-1], b.atom(y).type.shape[0], UNALIGNED)
    return b.apply("matmul", x, y)


@lowers(np.dot)
def dot(b: Builder, x: Any, y: Any) -> Any:
    x, y = as_operand(b, x), as_operand(b, y)
    ranks = [b.atom(v).type.rank for v in (x, y)]
    if not min(ranks):
        return b.apply("mul", x, y)
    return matmul(b, x, y) if max(ranks) < 3 else tensordot(b, x, y, ([-1], [-min(ranks[1], 2)]))


def as_operand(b: Builder, x: Any) -> Any:
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
    x, y = as_operand(b, x), as_operand(b, y)
    ranks = [b.atom(v).type.rank for v in (x, y)]
    if max(ranks) > 2 and min(ranks):
        return tensordot(b, x, y, ([-1], [-1]))
    return dot(b, x, y.T if min(ranks) and ranks[1] > 1 else y)


@lowers(np.kron)
def kron(b: Builder, x: Any, y: Any) -> Any:
    """Each element of the first times the whole second, side by side."""
    x, y = as_array(b, x), as_array(b, y)
    rank = max(x.ndim, y.ndim)
    sizes = [(*(1,) * (rank - v.ndim), *v.shape) for v in (x, y)]
    apart = [
        np.reshape(x, tuple(n for k in sizes[0] for n in (k, 1))),
        np.reshape(y, tuple(n for k in sizes[1] for n in (1, k))),
    ]
    return np.reshape(apart[0] * apart[1], tuple(n * m for n, m in zip(*sizes, strict=True)))


@lowers(np.tensordot)
def tensordot(b: Builder, x: Any, y: Any, axes: Any = 2) -> Any:
    """Sums of products over axes of both, as one product of matrices."""
    x, y = as_array(b, x), as_array(b, y)
    if isinstance(axes, int | np.integer):
        pair: Any = tuple(range(x.ndim - int(axes), x.ndim)), tuple(range(int(axes)))
    else:
        pair = axes
    over = [axes_given(a, v.ndim) for a, v in zip(pair, (x, y), strict=True)]
    if len(over[0]) != len(over[1]):
        raise ValueError("shape-mismatch for sum")
    free = [[k for k in range(v.ndim) if k not in o] for v, o in zip((x, y), over, strict=True)]
    for n, m in zip(*over, strict=True):
        b.same_size(x.type.shape[n], y.type.shape[m], "shape-mismatch for sum")
    rows, columns = (tuple(v.shape[k] for k in f) for v, f in zip((x, y), free, strict=True))
    length = prod(x.shape[k] for k in over[0])
    left = np.reshape(np.transpose(x, (*free[0], *over[0])), (prod(rows), length))
    right = np.reshape(np.transpose(y, (*over[1], *free[1])), (length, prod(columns)))
    return np.reshape(left @ right, (*rows, *columns))


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
    x, y = (cross_components(builder, each, k) for each, k in ((a, axisa), (b, axisb)))
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    made = builder.apply("stack", *parts)
    return np.moveaxis(made, 0, axisc) if made.ndim > 1 else made


def cross_components(b: Builder, x: Any, axis: int) -> Any:
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
