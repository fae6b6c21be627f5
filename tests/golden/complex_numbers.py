import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic


@njit(cache=True, error_model="numpy")
def scaled_parts(z_re, z_im, w_re, w_im, x):
    n = len(z_re)
    if n <= 0:
        raise IndexErrorWith(0, n)
    z_re[0] = w_re * x - w_im * 0.0
    z_im[0] = w_re * 0.0 + w_im * x
    t = np.empty((n, 2))
    t2 = half_of(t, 0)
    t3 = half_of(t, 1)
    for i in range(n):
        z_re_i = z_re[i]
        z_im_i = z_im[i]
        t2[i] = z_re_i * 0.0 - z_im_i * 2.0
        t3[i] = z_re_i * 2.0 + z_im_i * 0.0
    return whole_of(t, t2, t3), w_re + 1.0, w_im + 0.0, math.hypot(w_re, w_im)


def scaled(z, w, x):
    z_re = np.ascontiguousarray(z.real)
    z_im = np.ascontiguousarray(z.imag)
    w_re = w.real
    w_im = w.imag
    t, t2, t3, result = scaled_parts(z_re, z_im, w_re, w_im, x)
    z.real[...] = z_re
    z.imag[...] = z_im
    return t.view(np.complex128)[..., 0], complex(t2, t3), result


# What the functions above call.


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


class IndexErrorWith(IndexError):
    """An IndexError, put together when it is raised."""

    def __new__(cls, value=None, n=None):
        if isinstance(value, BaseException):
            return value
        return IndexError(f"index {value} is out of bounds for axis 0 with size {n}")
