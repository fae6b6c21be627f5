"""Systems of complex equations and determinants by NumPy, without exceptions. Matrices are given by their parts,
parts[0] + 1j * parts[1]. Compiled: systems_lapack.py, systems_elimination.py.

    complex_solved(parts, right)       the parts of the x with A x = B; NaN where A is singular
    complex_log_determinant(parts)     the parts of det A / |det A|, and log |det A|; 0, 0 and -inf where A is singular
"""

import numpy as np


def complex_solved(parts: np.ndarray, right: np.ndarray) -> np.ndarray:
    """np.linalg.solve."""
    try:
        x = np.linalg.solve(parts[0] + 1j * parts[1], right[0] + 1j * right[1])
    except np.linalg.LinAlgError:
        return np.full_like(right, np.nan)
    return np.stack((x.real, x.imag))


def complex_log_determinant(parts: np.ndarray) -> np.ndarray:
    """np.linalg.slogdet."""
    with np.errstate(all="ignore"):
        sign, size = np.linalg.slogdet((parts[0] + 1j * parts[1])[None])
    return np.concatenate((sign.real, sign.imag, size)).astype(parts.dtype)
