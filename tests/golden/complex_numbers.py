import math

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def scaled_parts(z_re, z_im, w_re, w_im, x):
    n = len(z_re)
    if n <= 0:
        raise IndexErrorWith(0, n)
    z_re[0] = w_re * x - w_im * 0.0
    z_im[0] = w_re * 0.0 + w_im * x
    t = np.empty(n)
    t2 = np.empty(n)
    for i in range(n):
        z_re_i = z_re[i]
        z_im_i = z_im[i]
        t[i] = z_re_i * 0.0 - z_im_i * 2.0
        t2[i] = z_re_i * 2.0 + z_im_i * 0.0
    return t, t2, w_re + 1.0, w_im + 0.0, math.hypot(w_re, w_im)


def scaled(z, w, x):
    z_re = np.ascontiguousarray(z.real)
    z_im = np.ascontiguousarray(z.imag)
    w_re = w.real
    w_im = w.imag
    t, t2, t3, t4, result = scaled_parts(z_re, z_im, w_re, w_im, x)
    z.real[...] = z_re
    z.imag[...] = z_im
    return complex_of(t, t2), complex(t3, t4), result


# What the functions above call.


def complex_of(re, im):
    """A complex array or number of its two parts."""
    made = np.empty(np.shape(re), np.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made[()]


class IndexErrorWith(IndexError):
    """An IndexError, put together when it is raised."""

    def __new__(cls, value=None, n=None):
        if isinstance(value, BaseException):
            return value
        return IndexError(f"index {value} is out of bounds for axis 0 with size {n}")
