"""Products of few numbers are added up where they are asked for: SMALL_PRODUCTS, what stands in for Numba's functions.

    y[i] = R[i] @ x[i]        three numbers each, which is known when the program runs

Numba calls BLAS, which takes a tenth of a microsecond to begin. (What is known to be small while a program is made is
loops in its text, by codegen/loops/products.py.)
"""

# mypy: disable-error-code="no-untyped-def, call-arg"

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.extending import intrinsic
from numba.np import linalg
from numba.np.arrayobj import make_array

from codegen.backend.numba.analyses import Attribute
from codegen.backend.numba.symmetric_products import put_symmetric_product

LARGEST = {(2, 2): 600, (2, 1): 260, (1, 2): 260, (1, 1): 32}  # multiplications, by ranks
ROUNDED_ONCE = ("contract",)  # a product and the sum that it goes into


def is_few(builder, ranks, shapes):
    """Whether a product of arrays whose sizes fit is of few multiplications."""
    (*rows, length), (meets, *columns) = shapes
    number = length
    for size in (*rows, *columns):
        number = builder.mul(number, size)
    few = builder.icmp_unsigned("<=", number, number.type(LARGEST[ranks]))
    return builder.and_(few, builder.icmp_signed("==", length, meets))


def sum_of_products(builder, length, zero, factors):
    """Of the numbers at pairs of addresses, one after the other."""
    total = cgutils.alloca_once_value(builder, zero)
    with cgutils.for_range(builder, length) as loop:
        term = builder.fmul(*map(builder.load, factors(loop.index)), flags=ROUNDED_ONCE)
        builder.store(builder.fadd(builder.load(total), term, flags=ROUNDED_ONCE), total)
    return builder.load(total)


def element(context, builder, kind, array):
    """What gives the address of an element of a contiguous array."""
    shape, strides = (cgutils.unpack_tuple(builder, x) for x in (array.shape, array.strides))

    def address(*places):
        given = array.data, shape, strides, kind.layout, places
        return cgutils.get_item_pointer2(context, builder, *given, wraparound=False, boundscheck=False)

    return address


@intrinsic
def put_small_product(typing, a, b, out):
    """Whether a product with a matrix is of few numbers; then it is there."""
    ranks = a.ndim, b.ndim

    def generate(context, builder, signature, args):
        left, right, whole = (make_array(kind)(context, builder, x) for kind, x in zip((a, b, out), args))
        shapes = [cgutils.unpack_tuple(builder, x.shape) for x in (left, right)]
        few = is_few(builder, ranks, shapes)
        x, y, made = (
            element(context, builder, kind, array) for kind, array in ((a, left), (b, right), (out, whole))
        )
        (*rows, length), (_, *columns) = shapes
        with builder.if_then(few), ExitStack() as loops:
            i, j = (
                [loops.enter_context(cgutils.for_range(builder, size)).index for size in sizes]
                for sizes in (rows, columns)
            )
            zero = context.get_constant(a.dtype, 0.0)
            total = sum_of_products(builder, length, zero, lambda k: (x(*i, k), y(k, *j)))
            builder.store(total, made(*i, *j))
        return few

    return types.boolean(a, b, out), generate


def product(a, b):
    out = np.empty(a.shape[:-1] + b.shape[1:], a.dtype)
    if not put_small_product(a, b, out):
        np.dot(a, b, out)
    return out


def product_of_turned(a, b):
    """The same of two matrices, one of them by rows and the other by columns."""
    out = np.empty(a.shape[:-1] + b.shape[1:], a.dtype)
    if not put_small_product(a, b, out) and not put_symmetric_product(a, b, out):
        np.dot(a, b, out)
    return out


def written(plain: Any) -> Any:
    """What writes a product with a matrix, of floats; of complex numbers Numba's does."""

    def write(context, builder, sig, args):
        if not isinstance(sig.return_type.dtype, types.Float):
            return plain(context, builder, sig, args)
        turned = {kind.layout for kind in sig.args if kind.ndim == 2} == {"C", "F"}
        made = context.compile_internal(builder, product_of_turned if turned else product, sig, args)
        return impl_ret_new_ref(context, builder, sig.return_type, made)

    return write


def scalar_written(plain: Any) -> Any:
    """The same of two vectors."""

    def write(context, builder, sig, args, conjugate=False):
        if not isinstance(sig.return_type, types.Float):
            return plain(context, builder, sig, args, conjugate)
        arrays = [make_array(kind)(context, builder, x) for kind, x in zip(sig.args, args)]
        shapes = [cgutils.unpack_tuple(builder, x.shape) for x in arrays]
        x, y = (element(context, builder, kind, array) for kind, array in zip(sig.args, arrays))
        zero = context.get_constant(sig.return_type, 0.0)
        made = cgutils.alloca_once_value(builder, zero)
        with builder.if_else(is_few(builder, (1, 1), shapes)) as (few, many):
            with few:
                builder.store(sum_of_products(builder, shapes[0][0], zero, lambda k: (x(k), y(k))), made)
            with many:
                builder.store(plain(context, builder, sig, args), made)
        return builder.load(made)

    return write


SMALL_PRODUCTS: list[Attribute] = [
    *((linalg, name, written(getattr(linalg, name))) for name in ("dot_2_mm", "dot_2_mv", "dot_2_vm")),
    (linalg, "dot_2_vv", scalar_written(linalg.dot_2_vv)),
]
