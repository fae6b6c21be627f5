"""Bessel functions of whole and half orders, by those of any."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import iv, jv, kv, kve, yv

from codegen.definitions.special import in_loop, numbers
from codegen.definitions.table import stands_for
from codegen.primitives.special import in_dtype_of


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
    """sqrt(pi / (2 z)) J of order n + 1/2 (DLMF 10.47.3)."""
    return spherical(first_kind, n, z, derivative)


@stands_for("scipy.special.spherical_yn")
def spherical_yn(n, z, derivative=False):
    return spherical(second_kind, n, z, derivative)


@stands_for("scipy.special.spherical_in")
def spherical_in(n, z, derivative=False):
    n, z = numbers(n), numbers(z)
    if derivative:
        return np.where(n == 0.0, growing(1.0, z), growing(n - 1.0, z) - (n + 1.0) / z * growing(n, z))
    return growing(n, z)


@stands_for("scipy.special.spherical_kn")
def spherical_kn(n, z, derivative=False):
    n, z = numbers(n), numbers(z)
    if derivative:
        return np.where(n == 0.0, -falling(1.0, z), -falling(n - 1.0, z) - (n + 1.0) / z * falling(n, z))
    return falling(n, z)


def spherical(f, n, z, derivative):
    """Slopes by DLMF 10.51.2 and, of the first, 10.51.1."""
    n, z = numbers(n), numbers(z)
    if derivative:
        return np.where(n == 0.0, -f(1.0, z), f(n - 1.0, z) - (n + 1.0) / z * f(n, z))
    return f(n, z)


def first_kind(n, z):
    size = np.abs(z)
    near = size == 0.0
    u = np.where(near, 1.0, size)
    made = np.where(near, np.where(n == 0.0, 1.0, 0.0), np.sqrt(0.5 * np.pi / u) * jv(n + 0.5, u))
    return odd_of(made, n, z)


def second_kind(n, z):
    size = np.abs(z)
    near = size == 0.0
    u = np.where(near, 1.0, size)
    return -odd_of(np.where(near, np.inf, -np.sqrt(0.5 * np.pi / u) * yv(n + 0.5, u)), n + 1.0, z)


def growing(n, z):
    size = np.abs(z)
    near = size == 0.0
    u = np.where(near, 1.0, size)
    made = np.where(near, np.where(n == 0.0, 1.0, 0.0), np.sqrt(0.5 * np.pi / u) * iv(n + 0.5, u))
    return odd_of(made, n, z)


def falling(n, z):
    return np.where(z > 0.0, np.sqrt(0.5 * np.pi / np.where(z > 0.0, z, 1.0)) * kv(n + 0.5, z), np.inf)


def odd_of(made, n, z):
    """Of z below 0, where odd orders have another sign."""
    return np.where((z < 0.0) & (np.mod(n, 2.0) == 1.0), -made, made)
