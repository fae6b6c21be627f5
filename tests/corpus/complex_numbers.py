"""Complex numbers and arrays: fractals, transforms, waves, circuits, roots."""

import cmath

import numpy as np

from corpus.case import case

Z = np.array([0.3 + 1.0j, -2.0 - 0.5j, 0.7j, 1.5 + 0.25j])
W = np.array([1.0 - 1.0j, 0.5j, 2.0 + 0.5j, -1.0 - 1.0j])
A = np.array([[1.0 + 1.0j, 2.0, 0.5j], [0.3, 3.0 - 1.0j, 1.0], [2.0j, 1.0, 1.0 - 2.0j]])
B = np.array([[0.5, 1.0j, 1.0], [1.0 + 0.5j, 2.0, 0.3], [0.0, 1.0 - 1.0j, 4.0]])
X = np.array([0.4, -1.2, 0.7, 2.0])


@case((0.3 + 0.2j,), (-0.7 + 0.4j,), (1.0 + 1.0j,))
def mandelbrot(c):
    z = 0j
    for k in range(50):
        if abs(z) > 2.0:
            return k
        z = z * z + c
    return 50


@case((Z, 0.3 - 0.5j), (W, -0.8 + 0.156j), marks="arrays")
def julia(z, c):
    """How long each stays, all at once."""
    count = np.zeros(len(z))
    for _ in range(12):
        inside = np.abs(z) < 2.0
        count += inside
        z = np.where(inside, z * z + c, z)
    return count


@case((Z,), (W,), marks="arrays")
def fourier_by_halves(x):
    """Cooley and Tukey's."""
    n = len(x)
    if n == 1:
        return x
    even, odd = fourier_by_halves(x[::2]), fourier_by_halves(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


@case((Z,), (W,), marks="arrays")
def fourier_by_definition(x):
    n = len(x)
    made = np.zeros(n, dtype=complex)
    for k in range(n):
        for j in range(n):
            made[k] += x[j] * cmath.exp(-2j * cmath.pi * k * j / n)
    return made


@case((Z, X, 0.01), (W, X[::-1].copy(), 0.02), marks="arrays")
def wave_in_a_well(psi, potential, step):
    """Crank and Nicolson's step, by the sweep of a tridiagonal system."""
    n = len(psi)
    diagonal = 1.0 + 0.5j * step * (2.0 + potential)
    off = -0.5j * step
    right = np.empty(n, complex)
    for k in range(n):
        left = psi[k - 1] if k > 0 else 0.0
        other = psi[k + 1] if k < n - 1 else 0.0
        right[k] = (1.0 - 0.5j * step * (2.0 + potential[k])) * psi[k] - off * (left + other)
    for k in range(1, n):
        factor = off / diagonal[k - 1]
        diagonal[k] -= factor * off
        right[k] -= factor * right[k - 1]
    right[n - 1] /= diagonal[n - 1]
    for k in range(n - 2, -1, -1):
        right[k] = (right[k] - off * right[k + 1]) / diagonal[k]
    return right, np.sum(np.abs(right) ** 2)


@case((0.7, 1.3, 2.0), (1.2, 0.4, 1.0))
def transfer_matrices(k, q, width):
    """How much of a wave goes through three barriers."""
    step = np.array([[1.0 + q / k, 1.0 - q / k], [1.0 - q / k, 1.0 + q / k]]) * 0.5
    phase = np.array([[np.exp(1j * q * width), 0.0], [0.0, np.exp(-1j * q * width)]])
    total = np.eye(2, dtype=complex)
    for _ in range(3):
        total = total @ step @ phase
    return abs(1.0 / total[0, 0]) ** 2, total


@case((1.0 + 2.0j, 0.3j), (-0.5j, 2.0 - 1.0j))
def moebius(z, w):
    a, b, c, d = 1.0 + 1j, -2.0, 0.5j, 3.0
    first = (a * z + b) / (c * z + d)
    second = (d * w - b) / (-c * w + a)
    return first, second, first.conjugate() * second


@case((np.array([1.0, -6.0, 11.0, -6.0]),), (np.array([1.0, 0.0, 2.0, 4.0]),), marks="arrays")
def durand_kerner(coefficients):
    """All roots of a polynomial at once."""
    degree = len(coefficients) - 1
    roots = np.array([(0.4 + 0.9j) ** k for k in range(3)])
    for _ in range(30):
        for i in range(degree):
            below = 1.0 + 0j
            for j in range(degree):
                if i != j:
                    below *= roots[i] - roots[j]
            roots[i] -= np.polyval(coefficients, roots[i]) / below
    return roots


@case((100.0, 1e-3, 1e-6, 5000.0), (10.0, 2e-3, 5e-6, 900.0))
def circuit(resistance, inductance, capacitance, frequency):
    """Gain and phase of a low pass."""
    omega = 2.0 * np.pi * frequency
    shunt = 1.0 / (1j * omega * capacitance)
    gain = shunt / (resistance + 1j * omega * inductance + shunt)
    return 20.0 * np.log10(abs(gain)), np.angle(gain), cmath.phase(gain)


@case((A, B), (B, A), marks="arrays")
def complex_matrices(a, b):
    v = a[0]
    return a @ b, a.T @ v, np.linalg.solve(a, v), np.linalg.inv(a), np.linalg.det(a), np.trace(a @ b.conj().T)


@case((Z, W, X), (W, Z, X + 1.0), marks="arrays")
def written_parts(z, w, x):
    """Writes are seen under every name, and in z.real and z.imag."""
    made = z.copy()
    real, part = made.real, made[1:]
    made[0] = w[1]
    real[2] = 5.0
    part *= 2.0j
    made.imag[3] = -1.0
    made[1:3] += x[:2]
    made[w.real > 0.6] = 1j
    return made, real.sum(), part, made.real


@case((Z, 2), (W, 3), marks="arrays")
def kinds_that_meet(z, n):
    """A float on one way and a complex number on another is complex; so is what a loop makes so."""
    s = 0
    for each in z:
        s += each * n
    t = z[0] if n > 2 else 1.5
    return s, t * 1j, abs(s + t)


@case((Z, W), (W, Z), marks="arrays")
def elementary_of_complex(z, w):
    return (
        np.exp(z) + np.log(w), np.sqrt(z), np.sin(z), np.cosh(w), np.tan(z), z**2, w**-1, z**0.5, z**w,
        np.abs(z - w), np.angle(z), z.conj(), np.isfinite(z), z == w,
    )  # fmt: skip


@case((Z.astype(np.complex64),), (W.astype(np.complex64),), marks="arrays")
def single_precision(z):
    return z * 2.0, z * np.float32(0.5), np.abs(z), (z / (1.0 + z)).sum(), z.real, z * np.float64(2.0)


@case((Z, np.sqrt(Z)), (W, np.sqrt(W)), marks="arrays")
def sums_of_complex(z, w):
    return (
        z.sum(), np.mean(z), np.vdot(z, w), z @ w, np.cumsum(z), np.prod(z), np.var(z), np.outer(z, w)[1], sum(z),
        np.einsum("i,i,j->j", z, w, z), np.linalg.norm(w), np.convolve(z, w),
    )  # fmt: skip
