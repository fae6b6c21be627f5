"""Discrete Fourier transforms, numpy.fft's, of the primitive along the middle of three axes."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.table import of_complex, refused, stands_for
from codegen.runtime.fourier.sums import fourier_back, fourier_forth


@of_complex("numpy.fft.fft", always=True)
def fft(a, n=None, axis=-1, norm=None):
    x = of_length(a, n, axis)
    return scaled(transformed(fourier_forth, x, axis), x.shape[axis], norm, "forward")


@of_complex("numpy.fft.ifft", always=True)
def ifft(a, n=None, axis=-1, norm=None):
    x = of_length(a, n, axis)
    return scaled(transformed(fourier_back, x, axis), x.shape[axis], norm, "backward")


@of_complex("numpy.fft.rfft", always=True)
def rfft(a, n=None, axis=-1, norm=None):
    """The first half, of which the other one is the conjugate."""
    if np.iscomplexobj(a):
        refused("rfft takes real numbers")
    x = of_length(a, n, axis)
    count = x.shape[axis]
    if count % 2 == 0:
        half = np.moveaxis(of_pairs(np.moveaxis(x, axis, 0)), 0, axis)
    else:
        half = taken(transformed(fourier_forth, x, axis), count // 2 + 1, axis)
    return scaled(half, count, norm, "forward")


def of_pairs(x):
    """Of real numbers, by the transform of x[::2] + i x[1::2], of which both are parts; along the first axis."""
    made = transformed(fourier_forth, complex_of(+x[::2], +x[1::2]), 0)
    made = np.concatenate((made, made[:1]))
    back = np.conjugate(made[::-1])
    return 0.5 * (made + back) - 0.5j * half_turn(made, len(x) // 2, -1.0) * (made - back)


def half_turn(x, half, sign):
    """exp(i pi k / half) for k = 0, ..., half, beside an array x and in its dtype."""
    angle = (sign * np.pi / half) * np.arange(half + 1)
    return complex_of(np.cos(angle), np.sin(angle)).astype(x.dtype).reshape((half + 1,) + (1,) * (x.ndim - 1))


@of_complex("numpy.fft.irfft", always=True)
def irfft(a, n=None, axis=-1, norm=None):
    """Of the first half and its conjugate; imaginary parts of the first and the middle number are dropped."""
    a = np.asarray(a)
    count = 2 * (a.shape[axis] - 1) if n is None else n
    first = of_length(a, count // 2 + 1, axis)
    if count % 2 == 0:
        made = np.moveaxis(as_pairs(np.moveaxis(first, axis, 0), count), 0, axis)
        return scaled(made, count, norm, "backward")
    others = np.conjugate(np.flip(taken(first, (count + 1) // 2, axis), axis))
    whole = np.concatenate((first, taken(others, (count - 1) // 2, axis)), axis)
    return scaled(transformed(fourier_back, whole, axis).real, count, norm, "backward")


def as_pairs(x, count):
    """The way back of `of_pairs`."""
    half = count // 2
    ends = (np.arange(half + 1) % half == 0).reshape((half + 1,) + (1,) * (x.ndim - 1))
    x = complex_of(+x.real, np.where(ends, 0.0, x.imag))
    back = np.conjugate(x[::-1])
    both = (x + back) + 1j * half_turn(x, half, 1.0) * (x - back)
    pairs = transformed(fourier_back, both[:half], 0)
    made = np.empty((count,) + pairs.shape[1:], pairs.real.dtype)
    made[::2], made[1::2] = pairs.real, pairs.imag
    return made


@of_complex("numpy.fft.hfft", always=True)
def hfft(a, n=None, axis=-1, norm=None):
    count = 2 * (np.shape(a)[axis] - 1) if n is None else n
    return irfft(np.conjugate(a), count, axis, turned(norm))


@of_complex("numpy.fft.ihfft", always=True)
def ihfft(a, n=None, axis=-1, norm=None):
    return np.conjugate(rfft(a, n, axis, turned(norm)))


def turned(norm):
    return "forward" if norm is None or norm == "backward" else "backward" if norm == "forward" else norm


@of_complex("numpy.fft.fftn", always=True)
def fftn(a, s=None, axes=None, norm=None):
    return over_axes(fft, a, s, axes, norm)


@of_complex("numpy.fft.ifftn", always=True)
def ifftn(a, s=None, axes=None, norm=None):
    return over_axes(ifft, a, s, axes, norm)


@of_complex("numpy.fft.fft2", always=True)
def fft2(a, s=None, axes=(-2, -1), norm=None):
    return over_axes(fft, a, s, axes, norm)


@of_complex("numpy.fft.ifft2", always=True)
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return over_axes(ifft, a, s, axes, norm)


@of_complex("numpy.fft.rfftn", always=True)
def rfftn(a, s=None, axes=None, norm=None):
    a, places = np.asarray(a), axes_of(a, s, axes)
    last = len(places) - 1
    made = rfft(a, None if s is None else s[last], places[last], norm)
    if last == 0:
        return made
    return over_axes(fft, made, None if s is None else s[:last], places[:last], norm)


@of_complex("numpy.fft.rfft2", always=True)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return rfftn(a, s, axes, norm)


@of_complex("numpy.fft.irfftn", always=True)
def irfftn(a, s=None, axes=None, norm=None):
    a, places = np.asarray(a), axes_of(a, s, axes)
    last = len(places) - 1
    made = a if last == 0 else over_axes(ifft, a, None if s is None else s[:last], places[:last], norm)
    return irfft(made, None if s is None else s[last], places[last], norm)


@of_complex("numpy.fft.irfft2", always=True)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return irfftn(a, s, axes, norm)


def over_axes(transform, a, s, axes, norm):
    """Along the last axis first, as NumPy."""
    made, places = np.asarray(a), axes_of(a, s, axes)
    sizes = (None,) * len(places) if s is None else s
    for n, axis in reversed(tuple(zip(sizes, places, strict=True))):
        made = transform(made, n, axis, norm)
    return made


def axes_of(a, s, axes):
    if axes is not None:
        return axes
    rank = np.ndim(a)
    return tuple(range(0 if s is None else rank - len(s), rank))


def of_length(a, n, axis):
    """The first n numbers along an axis, zeros after those that there are; floats."""
    a = np.asarray(a)
    a = a if a.dtype.kind in "fc" else a.astype(np.float64)
    if n is None:
        check_length(a.shape[axis])
        return a
    check_length(n)
    have = a.shape[axis]
    if n <= have:
        return taken(a, n, axis)
    rows = np.moveaxis(a, axis, 0)
    made = np.zeros((n,) + rows.shape[1:], a.dtype)
    made[:have] = rows
    return np.moveaxis(made, 0, axis)


def check_length(n):
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")


def taken(a, n, axis):
    return np.moveaxis(np.moveaxis(a, axis, 0)[:n], 0, axis)


def transformed(sums, x, axis):
    """The sums along an axis."""
    place = axis if axis >= 0 else x.ndim + axis
    before, n, after = math.prod(x.shape[:place]), x.shape[place], math.prod(x.shape[place + 1 :])
    both = np.stack((x.real, x.imag)).reshape((2, before, n, after))
    made = sums(both)
    return complex_of(made[0].reshape(x.shape), made[1].reshape(x.shape))


def scaled(x, n, norm, inverse):
    """Divided as `norm` says; "forward" and "backward" say of which transform."""
    if norm == "ortho":
        return x * np.asarray(1.0 / np.sqrt(n)).astype(x.real.dtype)
    if norm is not None and norm != "forward" and norm != "backward":
        refused('Invalid norm value; should be "backward","ortho" or "forward".')
    return x * (1.0 / n) if (norm == "forward") == (inverse == "forward") else x


@stands_for("numpy.fft.fftfreq")
def fftfreq(n, d=1.0):
    """Cycles per unit: 0, 1, ... and -n // 2, ..., -1 over n d."""
    first = (n - 1) // 2 + 1
    places = np.arange(n)
    return np.where(places < first, places, places - n) * (1.0 / (n * d))


@stands_for("numpy.fft.rfftfreq")
def rfftfreq(n, d=1.0):
    return np.arange(0, n // 2 + 1) * (1.0 / (n * d))


@stands_for("numpy.fft.fftshift", generic=True)
def fftshift(x, axes=None):
    """The zero frequency in the middle."""
    made = np.asarray(x)
    for axis in shifted_axes(made, axes):
        made = np.roll(made, made.shape[axis] // 2, axis)
    return made


@stands_for("numpy.fft.ifftshift", generic=True)
def ifftshift(x, axes=None):
    made = np.asarray(x)
    for axis in shifted_axes(made, axes):
        made = np.roll(made, -(made.shape[axis] // 2), axis)
    return made


def shifted_axes(x, axes):
    if axes is None:
        return tuple(range(x.ndim))
    return axes if isinstance(axes, tuple) else (axes,)
