"""The real or imaginary parts of complex numbers that are pairs in an array, where they are, in compiled code."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def half_of(typing, whole, first):
    """Every other number of a contiguous array, the first ones (0) or the second (1), without its last axis."""
    kind = types.Array(whole.dtype, whole.ndim - 1, "A", readonly=not whole.mutable)

    def generate(context, builder, signature, args):
        from numba.core import cgutils
        from numba.core.imputils import impl_ret_borrowed

        given = context.make_array(whole)(context, builder, args[0])
        made = context.make_array(kind)(context, builder)
        shape = cgutils.unpack_tuple(builder, given.shape)[:-1]
        strides = [context.get_constant(types.intp, whole.dtype.bitwidth // 4)]
        for size in shape[:0:-1]:
            strides.append(builder.mul(strides[-1], size))
        made.shape, made.strides = (cgutils.pack_array(builder, x) for x in (shape, strides[::-1]))
        made.data = builder.gep(given.data, [args[1]])
        made.nitems = builder.udiv(given.nitems, context.get_constant(types.intp, 2))
        made.itemsize, made.meminfo, made.parent = given.itemsize, given.meminfo, given.parent
        return impl_ret_borrowed(context, builder, kind, made._getvalue())

    return kind(whole, types.intp), generate


@njit(error_model="numpy", forceinline=True)
def whole_of(whole: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The array whose halves have been written."""
    return whole
