"""Decompositions of one complex matrix by NumPy. It is given by its parts, parts[0] + 1j * parts[1], and so are
vectors; NaN of NaN and infinities. Compiled: unitary_lapack.py, unitary_rotations.py.

    hermitian_eigensystem(parts)           [0] and [1] the eigenvectors in columns, [2, 0] the eigenvalues, ascending
    complex_singular_system(parts, wide)   A = U S V^H of no more columns than rows: [0] and [1] U, [2] and [3] V in the
                                           first rows, [4, 0] S, descending; `wide`: computed as of A', with LAPACK's
                                           phases of that
    complex_full_singular_system(parts, wide)  the same with all columns of U; V in the first rows and columns
    complex_orthogonal_factors(parts)      A = Q R: [0] and [1] Q, [2] and [3] R in the first rows

Each is one array, so that it is one operation; hermitian_eigenvalues_in and complex_singular_values_in read the values.
"""

import numpy as np


def hermitian_eigensystem(parts: np.ndarray) -> np.ndarray:
    """np.linalg.eigh."""
    finite = np.all(np.isfinite(parts))
    made = np.full((3, *parts.shape[1:]), 0.0 if finite else np.nan, parts.dtype)
    if finite:
        values, vectors = np.linalg.eigh(parts[0] + 1j * parts[1])
        made[0], made[1], made[2, :1] = vectors.real, vectors.imag, values
    return made


def hermitian_eigenvalues_in(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return system[2, :1].reshape(parts.shape[2])


def complex_singular_system(parts: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd, thin."""
    finite = np.all(np.isfinite(parts))
    made = np.full((5, *parts.shape[1:]), 0.0 if finite else np.nan, parts.dtype)
    if finite:
        a = parts[0] + 1j * parts[1]
        left, values, right = np.linalg.svd(a.T if wide else a, full_matrices=False)
        if wide:
            left, right = right.T, left.T
        n = a.shape[1]
        made[0], made[1], made[4, :1] = left.real, left.imag, values
        made[2, :n], made[3, :n] = right.real.T, -right.imag.T
    return made


def complex_full_singular_system(parts: np.ndarray, wide: int) -> np.ndarray:
    """np.linalg.svd of more rows than columns."""
    m, n = parts.shape[1:]
    finite = np.all(np.isfinite(parts))
    made = np.full((5, m, m), 0.0 if finite else np.nan, parts.dtype)
    if finite:
        a = parts[0] + 1j * parts[1]
        left, values, right = np.linalg.svd(a.T if wide else a)
        if wide:
            left, right = right.T, left.T
        made[0], made[1], made[4, :1, :n] = left.real, left.imag, values
        made[2, :n, :n], made[3, :n, :n] = right.real.T, -right.imag.T
    return made


def complex_full_singular_values_in(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return system[4, 0, : parts.shape[2]]


def complex_singular_values_in(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return system[4, :1].reshape(parts.shape[2])


def complex_orthogonal_factors(parts: np.ndarray) -> np.ndarray:
    """np.linalg.qr."""
    made = np.zeros((4, *parts.shape[1:]), parts.dtype)
    left, upper = np.linalg.qr(parts[0] + 1j * parts[1])
    n = parts.shape[2]
    made[0], made[1], made[2, :n], made[3, :n] = left.real, left.imag, upper.real, upper.imag
    return made
