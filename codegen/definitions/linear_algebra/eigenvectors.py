"""Eigenvalues and eigenvectors of any square matrix, and roots of polynomials, which are eigenvalues.

Results are complex, whatever they are: NumPy's are real where all imaginary parts are 0, which a type cannot say.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.matrices import matrices, square
from codegen.definitions.scipy_linalg import square_matrices
from codegen.definitions.table import refused, stands_for
from codegen.runtime.complex_matrices.general import general_eigensystem, general_eigenvalues_in

EigResult = type(np.linalg.eig(np.eye(1)))


@stands_for("numpy.linalg.eig", generic=True)
def eig(a):
    """Right eigenvectors in columns, of length 1, with a real largest element: LAPACK's."""
    a = finite(square(a))
    n, lead = a.shape[a.ndim - 1], a.shape[: a.ndim - 2]
    if a.ndim == 2:
        values, vectors = eigenvectors_of(a)
        return EigResult(values, vectors)
    flat = matrices(a)
    values, vectors = np.empty((len(flat), n), complex_kind(a)), np.empty(flat.shape, complex_kind(a))
    for k in range(len(flat)):
        values[k], vectors[k] = eigenvectors_of(flat[k])
    return EigResult(values.reshape(lead + (n,)), vectors.reshape(a.shape))


@stands_for("numpy.linalg.eigvals", generic=True)
def eigvals(a):
    a = finite(square(a))
    if a.ndim == 2:
        return values_of(a)
    flat = matrices(a)
    values = np.empty(flat.shape[:2], complex_kind(a))
    for k in range(len(flat)):
        values[k] = values_of(flat[k])
    return values.reshape(a.shape[: a.ndim - 1])


def finite(a):
    if not np.all(np.isfinite(a)):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")
    return a


def complex_kind(a):
    return np.complex64 if a.dtype == np.float32 or a.dtype == np.complex64 else np.complex128


def parts_of(a):
    """One matrix, or the two of its parts."""
    if a.dtype.kind == "c":
        return np.stack((+a.real, +a.imag))
    return (a if a.dtype.kind == "f" else a.astype(np.float64))[None]


def eigenvectors_of(a):
    parts = parts_of(a)
    system = general_eigensystem(parts)
    values = converged(general_eigenvalues_in(system, parts))
    return complex_of(values[0], values[1]), complex_of(system[0], system[1])


def values_of(a):
    parts = parts_of(a)
    values = converged(general_eigenvalues_in(general_eigensystem(parts), parts))
    return complex_of(values[0], values[1])


def converged(values):
    if np.any(np.isnan(values)):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return values


@stands_for("scipy.linalg.eigvals", generic=True)
def scipy_eigvals(a, b=None, overwrite_a=False, check_finite=True):
    one_problem(b)
    return np.linalg.eigvals(square_matrices(a, check_finite))


@stands_for("scipy.linalg.eig", generic=True)
def scipy_eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True):
    one_problem(b)
    a = square_matrices(a, check_finite)
    if left:
        refused("eig: left eigenvectors are those of the transposed matrix's conjugate: np.linalg.eig(a.T)")
    if not right:
        return np.linalg.eigvals(a)
    found = np.linalg.eig(a)
    return found[0], found[1]


def one_problem(b):
    if b is not None:
        refused(
            "a second matrix, b=, is not supported: of one that is not singular, take np.linalg.solve(b, a)"
        )


@stands_for("numpy.roots", generic=True)
def roots(p):
    """Eigenvalues of the companion matrix of what is between the first and the last coefficient that are not 0."""
    p = np.atleast_1d(np.asarray(p))
    if p.ndim != 1:
        refused("Input must be a rank-1 array.")
    some = np.flatnonzero(p)
    first, last = (some[0], some[-1]) if len(some) > 0 else (0, len(p) - 1)
    inner = p[first : last + 1]
    zeros = len(p) - 1 - last
    count = len(inner) - 1 if len(some) > 0 else 0
    companion = np.zeros((count, count), (inner[:0] + 0.0).dtype)
    for k in range(count):
        companion[0, k] = -inner[k + 1] / inner[0]
        if k > 0:
            companion[k, k - 1] = 1.0
    found = np.linalg.eigvals(companion)
    return np.concatenate((found, np.zeros(zeros, found.dtype)))
