"""Airy's functions, Jacobi's elliptic functions, by means of two numbers (DLMF 22.20), and Lambert's W."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.special import flat, in_narrow_loop, numbers
from codegen.definitions.table import stands_for
from codegen.primitives.shape import expansion_point, with_partial, with_slope, without_partial, without_slope
from codegen.primitives.special import in_dtype_of
from codegen.primitives.special_functions.airy import airy_ai, airy_ai_slope, airy_bi, airy_bi_slope

MEANS = 8  # as many as of 1 and 1e-8 become equal


@stands_for("scipy.special.airy")
def airy(x):
    """Ai, Ai', Bi and Bi'."""
    z = numbers(x)
    parts = airy_ai(z), airy_ai_slope(z), airy_bi(z), airy_bi_slope(z)
    return tuple([in_narrow_loop(part, x) for part in parts])


@stands_for("scipy.special.ellipj")
def ellipj(x1, x2):
    """sn, cn, dn and the amplitude, of parameters from 0 to 1."""
    u, m = numbers(x1), numbers(x2)
    u, m = np.broadcast_arrays(u, m)
    inside = (m >= 0.0) & (m < 1.0)
    p = np.where(inside, m, 0.5)
    apart, (sn, cn, dn, _) = without_partial(u), by_means(u, p)
    slopes = cn * dn, -sn * dn, -p * sn * cn, dn
    parts = [with_partial(part, u, slope) for part, slope in zip(by_means(apart, p), slopes)]
    out = ~((m >= 0.0) & (m <= 1.0))
    made = [
        np.where(out, np.nan, np.where(inside, here, there)) for here, there in zip(parts, at_one(u, 1.0 - m))
    ]
    of = special.ellipkinc  # which has the loops that ellipj has
    return tuple([in_dtype_of(of, each, x1, x2) for each in made])


def by_means(u, m):
    a, b = np.ones_like(m), np.sqrt(1.0 - m)
    shares = []
    for _ in range(MEANS):
        c = 0.5 * (a - b)
        a, b = 0.5 * (a + b), np.sqrt(a * b)
        shares.append(c / a)
    phase = 2.0**MEANS * a * u
    for share in reversed(shares):
        phase = 0.5 * (np.arcsin(share * np.sin(phase)) + phase)
    sn, cn = np.sin(phase), np.cos(phase)
    return sn, cn, np.sqrt(1.0 - m * sn * sn), phase


def at_one(u, rest):
    """At m = 1 they are hyperbolic functions (DLMF 22.10 has how they change with what is left to it: second slopes in
    m are not known, and infinite)."""
    near = np.clip(u, -300.0, 300.0)
    sinh, sech, tanh = np.sinh(near), 1.0 / np.cosh(near), np.tanh(u)
    quarter = with_slope(0.25 * rest, 0.25 * rest + rest**1.5)
    return (
        tanh + quarter * (tanh - u * sech * sech),
        sech - quarter * (sinh - u * sech) * tanh,
        sech + quarter * (sinh + u * sech) * tanh,
        np.arctan(sinh) + quarter * (sinh - u * sech),
    )


@stands_for("scipy.special.lambertw", generic=True)
def lambertw(z, k=0, tol=1e-8):
    """The branch k of w exp(w) = z, a complex number; two of Newton's steps have its first three derivatives."""
    z = np.asarray(z) + 0.0j
    found = branches(without_slope(z.real), without_slope(z.imag), k)
    settled = np.isfinite(found.real) & (found != -1.0)
    re = expansion_point("lambertw", 3, found.real, z.real, z.imag)
    im = expansion_point("lambertw", 3, found.imag, z.real, z.imag)
    w = np.where(settled, complex_of(re, im), 1.0)
    for _ in range(2):
        w = w - (w - z * np.exp(-w)) / (1.0 + w)
    re, im = np.where(settled, w.real, np.nan), np.where(settled, w.imag, np.nan)
    return complex_of(with_slope(found.real, re), with_slope(found.imag, im))


def branches(re, im, k):
    shape = re.shape
    re, im = flat(re, shape), flat(im, shape)
    made = np.empty(len(re), np.complex128)
    for i in range(len(re)):
        made[i] = branch(complex_of(re[i], im[i]), k)
    return made.reshape(shape)


def branch(z, k):
    """Halley's steps from the series about the branch point, from z, or from log z - log log z (Corless 1996)."""
    if np.isnan(z.real) or np.isnan(z.imag):
        return complex_of(np.nan, np.nan)
    if z.real == 0.0 and z.imag == 0.0:
        return complex_of(0.0, 0.0) if k == 0 else complex_of(-np.inf, 0.0)
    if z.real == np.inf:
        return complex_of(np.inf, 2.0 * np.pi * k)
    if z.real == -np.inf:
        return complex_of(np.inf, 2.0 * np.pi * k + np.pi)
    w = begun(z, k)
    for _ in range(100):
        small = np.exp(-w)
        off = w - z * small
        if off == 0.0 or w == -1.0:
            break
        step = off / (w + 1.0 - (w + 2.0) * off / (2.0 * w + 2.0))
        w = w - step
        if abs(step) <= 1e-16 * abs(w):
            break
    return w


def begun(z, k):
    logged = np.log(z) + complex_of(0.0, 2.0 * np.pi * k)
    near = abs(z + 0.36787944117144233) < 0.3
    small = z.real < 1.5 and z.real > max(-1.0, -0.2 - 2.5 * abs(z.imag)) and abs(z.imag) < 1.0
    if k == 0 and small and z.real > 0.3:
        return z / (1.0 + z)
    if k == 0 and (near or small) or near and (k == -1 and z.imag >= 0.0 or k == 1 and z.imag < 0.0):
        p = np.sqrt(2.0 * (2.718281828459045 * z + 1.0)) * (1.0 if k == 0 else -1.0)
        return -1.0 + p * (1.0 + p * (-1.0 / 3.0 + p * 0.1527777777777778))
    if k == -1 and z.imag == 0.0 and z.real < 0.0 and z.real > -0.36787944117144233:
        real = np.log(-z.real)
        return complex_of(real - np.log(-real), 0.0)
    return logged - np.log(logged)
