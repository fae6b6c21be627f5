"""Systems of complex equations, as real ones of twice the size: (A + iB)(x + iy) has the parts Ax - By and Bx + Ay."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.table import of_complex, refused


@of_complex("numpy.linalg.solve")
def solve(a, b):
    n = square_size(a)
    x = np.linalg.solve(of_both_parts(a), np.concatenate((b.real, b.imag)))
    return complex_of(x[:n].copy(), x[n:].copy())


@of_complex("numpy.linalg.inv")
def inv(a):
    n = square_size(a)
    made = np.linalg.inv(of_both_parts(a))
    return complex_of(made[:n, :n].copy(), made[n:, :n].copy())


@of_complex("numpy.linalg.det")
def det(a):
    """By elimination, the largest of each column first."""
    n = square_size(a)
    a = np.array(a)
    made = 1.0 + 0.0j
    for k in range(n):
        largest = k
        for i in range(k + 1, n):
            if np.abs(a[i, k]) > np.abs(a[largest, k]):
                largest = i
        if largest != k:
            for j in range(k, n):
                a[k, j], a[largest, j] = a[largest, j], a[k, j]
            made = -made
        pivot = a[k, k]
        made = made * pivot
        if pivot == 0:
            return made
        for i in range(k + 1, n):
            factor = a[i, k] / pivot
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
    return made


def square_size(a):
    if a.ndim != 2:
        refused("of complex numbers linalg takes one square matrix")
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return len(a)


def of_both_parts(a):
    """[[A, -B], [B, A]]"""
    re, im = +a.real, +a.imag
    return np.concatenate((np.concatenate((re, -im), axis=1), np.concatenate((im, re), axis=1)))
