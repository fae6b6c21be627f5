"""What Numba compiles functions for, written where it is called: written_here : function, types -> intrinsic.

    np.empty(n, a.dtype)    np.zeros((n, m))    np.full(n, x)    np.ones(n)    np.arange(n)    np.reshape(a, (n, m))
    max(i, j)    min(i, j)    int(x)

Numba has functions in Python of these, which call what writes the instructions. Each is typed, lowered, optimised and
linked for each number of sizes and each dtype, which takes longer than the function that calls it. Calls with other
arguments are Numba's.

CALLS_WITHIN: the same for functions that are called by what Numba writes itself: room for an array, whether an array is
one piece of memory.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.extending import intrinsic
from numba.np import arrayobj
from numba.np.numpy_support import is_contiguous

from codegen.backend.numba.analyses import Attribute

Types = tuple[Any, ...]


def written_here(function: Any, args: Types) -> Any:
    """What writes a call of Numba's function with arguments of such types; None where Numba does."""
    if function not in WRITTEN:
        return None
    kinds = tuple(map(types.unliteral, args))
    return next((found for fits, found in WRITTEN[function] if fits(kinds)), None)


def given_shape(args: Types) -> bool:
    return len(args) == 1 and parse_shape(args[0]) is not None


def given_shape_and_dtype(args: Types) -> bool:
    return len(args) == 2 and given_shape(args[:1]) and isinstance(args[1], types.DTypeSpec)


def given_shape_and_number(args: Types) -> bool:
    return len(args) == 2 and given_shape(args[:1]) and isinstance(args[1], types.Number | types.Boolean)


def given_shape_number_and_dtype(args: Types) -> bool:
    return len(args) == 3 and given_shape_and_number(args[:2]) and given_shape_and_dtype(args[::2])


def given_rows_and_shape(args: Types) -> bool:
    return (
        len(args) == 2
        and isinstance(args[0], types.Array)
        and args[0].layout == "C"
        and given_shape(args[1:])
    )


def given_ints(count: int) -> Callable[[Types], bool]:
    return lambda args: args == (types.int64,) * count


def given_number(args: Types) -> bool:
    return len(args) == 1 and isinstance(args[0], types.Integer | types.Float)


def written_array(dtype, shape, *more, fill):
    """The signature of what makes an array of that dtype and shape, and what writes it."""
    result = types.Array(dtype, parse_shape(shape), "C")

    def generate(context, builder, signature, args):
        sizes = arrayobj._parse_shape(context, builder, shape, args[0])
        array = arrayobj._empty_nd_impl(context, builder, result, sizes)
        fill(context, builder, array, args)
        return array._getvalue()

    return result(shape, *more), generate


def fill_nothing(context, builder, array, args):
    pass


def fill_zeros(context, builder, array, args):
    cgutils.memset(builder, array.data, builder.mul(array.itemsize, array.nitems), 0)


def fill_places(context, builder, array, args):
    with cgutils.for_range(builder, array.nitems) as loop:
        builder.store(loop.index, builder.gep(array.data, [loop.index]))


def fill_with_number(number, dtype):
    """A number that was given, as a number of that dtype."""

    def fill(context, builder, array, args):
        value = args[1] if len(args) > 1 else context.get_constant(number, 1.0)
        value = context.cast(builder, value, number, dtype)
        value = context.get_value_as_data(builder, dtype, value)
        with cgutils.for_range(builder, array.nitems) as loop:
            builder.store(value, builder.gep(array.data, [loop.index]))

    return fill


@intrinsic
def write_empty(typing, shape):
    return written_array(types.float64, shape, fill=fill_nothing)


@intrinsic
def write_empty_of(typing, shape, dtype):
    return written_array(parse_dtype(dtype), shape, dtype, fill=fill_nothing)


@intrinsic
def write_zeros(typing, shape):
    return written_array(types.float64, shape, fill=fill_zeros)


@intrinsic
def write_zeros_of(typing, shape, dtype):
    return written_array(parse_dtype(dtype), shape, dtype, fill=fill_zeros)


@intrinsic
def write_ones(typing, shape):
    return written_array(types.float64, shape, fill=fill_with_number(types.float64, types.float64))


@intrinsic
def write_full(typing, shape, number):
    return written_array(number, shape, number, fill=fill_with_number(number, number))


@intrinsic
def write_full_of(typing, shape, number, dtype):
    kind = parse_dtype(dtype)
    return written_array(kind, shape, number, dtype, fill=fill_with_number(number, kind))


@intrinsic
def write_places(typing, count):
    return written_array(types.int64, count, fill=fill_places)


@intrinsic
def write_reshaped(typing, array, shape):
    """Of an array in one piece, row after row."""
    result = array.copy(ndim=parse_shape(shape))

    def generate(context, builder, signature, args):
        old = arrayobj.make_array(array)(context, builder, args[0])
        new = arrayobj.make_array(result)(context, builder)
        sizes = arrayobj._parse_shape(context, builder, shape, args[1])
        strides = [old.itemsize]
        for size in reversed(sizes):
            strides.insert(0, builder.mul(strides[0], size))
        length = builder.mul(old.itemsize, old.nitems)
        with cgutils.if_unlikely(builder, builder.icmp_signed("!=", strides[0], length)):
            told = ("total size of new array must be unchanged",)
            context.call_conv.return_user_exc(builder, ValueError, told)
        arrayobj.populate_array(new, old.data, sizes, strides[1:], old.itemsize, old.meminfo, old.parent)
        return impl_ret_borrowed(context, builder, result, new._getvalue())

    return result(array, shape), generate


def write_choice(comparison: str) -> Any:
    @intrinsic
    def chosen(typing, x, y):
        def generate(context, builder, signature, args):
            return builder.select(builder.icmp_signed(comparison, args[1], args[0]), args[1], args[0])

        return x(x, y), generate

    return chosen


@intrinsic
def write_as_int(typing, x):
    result = x if isinstance(x, types.Integer) else types.intp

    def generate(context, builder, signature, args):
        return context.cast(builder, args[0], x, result)

    return result(x), generate


WRITTEN: dict[Any, list[tuple[Callable[[Types], bool], Any]]] = {
    np.empty: [(given_shape, write_empty), (given_shape_and_dtype, write_empty_of)],
    np.zeros: [(given_shape, write_zeros), (given_shape_and_dtype, write_zeros_of)],
    np.full: [(given_shape_and_number, write_full), (given_shape_number_and_dtype, write_full_of)],
    np.ones: [(given_shape, write_ones)],
    np.arange: [(given_ints(1), write_places)],
    np.reshape: [(given_rows_and_shape, write_reshaped)],
    max: [(given_ints(2), write_choice(">"))],
    min: [(given_ints(2), write_choice("<"))],
    int: [(given_number, write_as_int)],
}


# ---- within what Numba writes ----


def write_room(context, builder, signature, args):
    return context.nrt.meminfo_alloc_aligned(builder, args[1], args[2])


def write_whether_in_order(context, builder, signature, args):
    """Whether elements lie one behind the other, the last axis first; so do those of no array."""
    sizes, strides = (cgutils.unpack_tuple(builder, each) for each in args[:2])
    step, fits, none = args[2], cgutils.true_bit, cgutils.false_bit
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        alone = builder.icmp_signed("==", size, size.type(1))
        fits = builder.and_(fits, builder.or_(alone, builder.icmp_signed("==", stride, step)))
        none = builder.or_(none, builder.icmp_signed("==", size, size.type(0)))
        step = builder.mul(step, size)
    return builder.or_(fits, none)


WITHIN: dict[Any, Any] = {arrayobj._call_allocator: write_room, is_contiguous: write_whether_in_order}
compile_function: Any = BaseContext.compile_internal


def compile_internal(self, builder, function, signature, args, *more, **options):
    write = WITHIN.get(function)
    if write is not None:
        return write(self, builder, signature, args)
    return compile_function(self, builder, function, signature, args, *more, **options)


CALLS_WITHIN: list[Attribute] = [(BaseContext, "compile_internal", compile_internal)]
