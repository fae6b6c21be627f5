import numpy as np


def size_grad_parts(z_re, z_im):
    result = np.hypot(z_re, z_im)  # return np.sum(np.abs(z) ** 2)
    result_bar = result * 2.0
    t_bar = result_bar / np.where(result == 0.0, 1.0, result)
    z_im_bar = t_bar * z_im
    z_re_bar = t_bar * z_re
    z_im_bar = -z_im_bar
    return z_re_bar, z_im_bar


def size_grad(z):
    z_re = z.real
    z_im = z.imag
    z_re_bar, z_im_bar = size_grad_parts(z_re, z_im)
    return complex_of(z_re_bar, z_im_bar)


# What the functions above call.


def complex_of(re, im):
    """A complex array or number of its two parts."""
    made = np.empty(np.shape(re), np.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made[()]
