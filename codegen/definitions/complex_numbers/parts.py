"""The parts of complex numbers, and what is said of each of them."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import of_complex, refused
from codegen.primitives.shape import with_partial, without_partial


def complex_of(re, im):
    """re + i im, part by part: `re + 1j * im` makes NaN of infinities."""
    re, im = np.broadcast_arrays(re, im)
    made = np.empty(re.shape, np.result_type(re, im, np.complex64))
    made.real, made.imag = re, im
    return made[()]


def apart(x):
    """The parts of a number, for functions that tell their derivative themselves (`with_derivative`)."""
    return without_partial(x.real), without_partial(x.imag)


def with_derivative(made, x, slope):
    """A function of the parts told `apart`, with its complex derivative: by the equations of Cauchy and Riemann one
    number for four partial derivatives, where those of the steps of an algorithm would hang on its cases."""
    re = with_partial(with_partial(made.real, x.real, slope.real), x.imag, -slope.imag)
    im = with_partial(with_partial(made.imag, x.real, slope.imag), x.imag, +slope.real)
    return complex_of(re, im)


@of_complex("numpy.real")
def real(val):
    return val.real


@of_complex("numpy.imag")
def imag(val):
    return val.imag


@of_complex("numpy.conjugate")
def conjugate(x):
    return complex_of(+x.real, -x.imag)


@of_complex("numpy.absolute", "builtins.abs")
def absolute(x):
    return np.hypot(x.real, x.imag)


@of_complex("numpy.angle")
def angle(z, deg=False):
    phi = np.arctan2(z.imag, z.real)
    return phi * (180 / np.pi) if deg else phi


@of_complex("cmath.phase")
def phase(z):
    return np.arctan2(z.imag, z.real)


@of_complex("cmath.polar")
def polar(z):
    return np.hypot(z.real, z.imag), np.arctan2(z.imag, z.real)


@of_complex("cmath.rect")
def rect(r, phi):
    return complex_of(r * np.cos(phi), r * np.sin(phi))


@of_complex("numpy.iscomplex")
def iscomplex(x):
    return x.imag != 0


@of_complex("numpy.isreal")
def isreal(x):
    return x.imag == 0


@of_complex("numpy.real_if_close")
def real_if_close(a, tol=100):
    refused("whether real_if_close gives real numbers hangs on what the parts are: take .real")


@of_complex("numpy.isnan", "cmath.isnan")
def isnan(x):
    return np.isnan(x.real) | np.isnan(x.imag)


@of_complex("numpy.isinf", "cmath.isinf")
def isinf(x):
    return np.isinf(x.real) | np.isinf(x.imag)


@of_complex("numpy.isfinite", "cmath.isfinite")
def isfinite(x):
    return np.isfinite(x.real) & np.isfinite(x.imag)


@of_complex("numpy.nan_to_num")
def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    re = np.nan_to_num(x.real, nan=nan, posinf=posinf, neginf=neginf)
    return complex_of(re, np.nan_to_num(x.imag, nan=nan, posinf=posinf, neginf=neginf))


@of_complex("numpy.round")
def round_(a, decimals=0):
    return complex_of(np.round(a.real, decimals), np.round(a.imag, decimals))


@of_complex("numpy.around")
def around(a, decimals=0):
    return round_(a, decimals)


@of_complex("numpy.rint")
def rint(x):
    return complex_of(np.rint(x.real), np.rint(x.imag))


@of_complex("numpy.isclose")
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Of infinities those that are equal."""
    near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b) | (a == b)
    return near | (np.isnan(a) & np.isnan(b)) if equal_nan else near


@of_complex("cmath.isclose")
def isclose_of_two(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    apart = np.abs(a - b)
    near = apart <= rel_tol * np.maximum(np.abs(a), np.abs(b)) or apart <= abs_tol
    return a == b or (near and not np.isinf(a) and not np.isinf(b))


@of_complex("numpy.any")
def any_(a, axis=None, keepdims=False):
    return np.any(a != 0, axis=axis, keepdims=keepdims)


@of_complex("numpy.all")
def all_(a, axis=None, keepdims=False):
    return np.all(a != 0, axis=axis, keepdims=keepdims)


@of_complex("numpy.count_nonzero")
def count_nonzero(a, axis=None, keepdims=False):
    return np.count_nonzero(a != 0, axis=axis, keepdims=keepdims)


@of_complex("numpy.nonzero")
def nonzero(a):
    return np.nonzero(a != 0)


@of_complex("numpy.flatnonzero")
def flatnonzero(a):
    return np.flatnonzero(a != 0)
