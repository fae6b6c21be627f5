"""Parts of matrices, and systems of linear equations."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for
from codegen.runtime.systems import is_singular, solved


@stands_for("numpy.triu")
def triu(m, k=0):
    m = np.asarray(m)
    return np.where(on_or_below_diagonal(m, k - 1), np.zeros(1, m.dtype), m)


@stands_for("numpy.tril")
def tril(m, k=0):
    m = np.asarray(m)
    return np.where(on_or_below_diagonal(m, k), m, np.zeros(1, m.dtype))


def on_or_below_diagonal(m, k):
    """Which places of a matrix (of those that a vector is broadcast to) are on its k-th diagonal or below."""
    if m.ndim < 1:
        refused("a number has no diagonal")
    if not isinstance(k, int | np.signedinteger):
        refused("the diagonal, k=, must be an int that has a sign")
    rows, columns = np.arange(m.shape[max(m.ndim - 2, 0)]), np.arange(m.shape[m.ndim - 1])
    return columns[None, :] - rows[:, None] <= k


@stands_for("numpy.linalg.solve")
def solve(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    x = solved(a, b)
    if np.any(np.isnan(x)) and is_singular(a):
        raise np.linalg.LinAlgError("Singular matrix")
    return x
