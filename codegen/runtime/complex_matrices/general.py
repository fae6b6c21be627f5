"""Eigenvectors of a square matrix that is not Hermitian by NumPy. It is given by its parts, or by its real part alone.
NaN of NaN and infinities, and where LAPACK does not converge. Compiled: general_lapack.py, general_steps.py.

    general_eigensystem(parts)      [0] and [1] the parts of right eigenvectors in columns, of length 1 and with a real
                                    largest element; [2, 0] and [3, 0] those of the eigenvalues
    general_eigenvalues(parts)      the parts of the eigenvalues, without vectors
"""

import numpy as np


def general_eigensystem(parts: np.ndarray) -> np.ndarray:
    """np.linalg.eig."""
    made = np.full((4, *parts.shape[1:]), np.nan, parts.dtype)
    if not np.all(np.isfinite(parts)):
        return made
    try:
        values, vectors = np.linalg.eig(parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1])
        made[0], made[1], made[2, :1], made[3, :1] = vectors.real, vectors.imag, values.real, values.imag
    except np.linalg.LinAlgError:
        made.fill(np.nan)
    return made


def general_eigenvalues(parts: np.ndarray) -> np.ndarray:
    """np.linalg.eigvals."""
    made = np.full((2, parts.shape[1]), np.nan, parts.dtype)
    if not np.all(np.isfinite(parts)):
        return made
    try:
        values = np.linalg.eigvals(parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1])
        made[0], made[1] = values.real, values.imag
    except np.linalg.LinAlgError:
        made.fill(np.nan)
    return made


def general_eigenvalues_in(system: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return system[2:, :1].reshape((2, parts.shape[1]))
