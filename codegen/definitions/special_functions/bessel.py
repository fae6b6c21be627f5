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
    spherical_falling_slope,
    spherical_first,
    spherical_first_slope,
    spherical_growing,
    spherical_growing_slope,
    spherical_second,
    spherical_second_slope,
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
    return (spherical_first_slope if derivative else spherical_first)(np.trunc(numbers(n)), numbers(z))


@stands_for("scipy.special.spherical_yn")
def spherical_yn(n, z, derivative=False):
    return (spherical_second_slope if derivative else spherical_second)(np.trunc(numbers(n)), numbers(z))


@stands_for("scipy.special.spherical_in")
def spherical_in(n, z, derivative=False):
    return (spherical_growing_slope if derivative else spherical_growing)(np.trunc(numbers(n)), numbers(z))


@stands_for("scipy.special.spherical_kn")
def spherical_kn(n, z, derivative=False):
    return (spherical_falling_slope if derivative else spherical_falling)(np.trunc(numbers(n)), numbers(z))
