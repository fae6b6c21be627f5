"""Bessel functions of whole and half orders, by those of any."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import kv, kve, yv

from codegen.definitions.special import in_loop, numbers
from codegen.definitions.table import stands_for
from codegen.primitives.special import in_dtype_of
from codegen.primitives.special_functions.spherical import (
    spherical_falling,
    spherical_first,
    spherical_growing,
    spherical_second,
)


@stands_for("scipy.special.y0")
def y0(x):
    return in_loop(yv(0.0, numbers(x)), x)


@stands_for("scipy.special.y1")
def y1(x):
    return in_loop(yv(1.0, numbers(x)), x)


@stands_for("scipy.special.k0")
def k0(x):
    return in_loop(kv(0.0, numbers(x)), x)


@stands_for("scipy.special.k1")
def k1(x):
    return in_loop(kv(1.0, numbers(x)), x)


@stands_for("scipy.special.k0e")
def k0e(x):
    return in_loop(falling_scaled(0.0, numbers(x)), x)


@stands_for("scipy.special.k1e")
def k1e(x):
    return in_loop(falling_scaled(1.0, numbers(x)), x)


def falling_scaled(order, z):
    """Of very large numbers, for which SciPy's kve gives up, by the first term of its series."""
    far = z > 1e9
    return np.where(far, np.sqrt(0.5 * np.pi / np.where(far, z, 1e9)), kve(order, np.where(far, 1e9, z)))


@stands_for("scipy.special.yn")
def yn(x1, x2):
    return in_dtype_of(special.yn, yv(np.trunc(numbers(x1)), numbers(x2)), x1, x2)


@stands_for("scipy.special.kn")
def kn(x1, x2):
    return in_dtype_of(special.kn, kv(np.trunc(numbers(x1)), numbers(x2)), x1, x2)


@stands_for("scipy.special.spherical_jn")
def spherical_jn(n, z, derivative=False):
    n, z = np.trunc(numbers(n)), numbers(z)
    if derivative:
        return spherical_slope(spherical_first, 1.0, -1.0, n, z)
    return spherical_first(n, z)


@stands_for("scipy.special.spherical_yn")
def spherical_yn(n, z, derivative=False):
    n, z = np.trunc(numbers(n)), numbers(z)
    if derivative:
        return spherical_slope(spherical_second, 1.0, -1.0, n, z)
    return spherical_second(n, z)


@stands_for("scipy.special.spherical_in")
def spherical_in(n, z, derivative=False):
    n, z = np.trunc(numbers(n)), numbers(z)
    if derivative:
        return spherical_slope(spherical_growing, 1.0, 1.0, n, z)
    return spherical_growing(n, z)


@stands_for("scipy.special.spherical_kn")
def spherical_kn(n, z, derivative=False):
    n, z = np.trunc(numbers(n)), numbers(z)
    if derivative:
        return spherical_slope(spherical_falling, -1.0, -1.0, n, z)
    return spherical_falling(n, z)


def spherical_slope(f, below, above, n, z):
    """By the functions of the orders beside it (DLMF 10.51.1 and 10.51.4)."""
    smaller, larger = f(np.maximum(n - 1.0, 0.0), z), f(n + 1.0, z)
    return ((below * n) * smaller + (above * (n + 1.0)) * larger) / (2.0 * n + 1.0)
