"""Systems of equations whose unknowns are an array with several axes."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("numpy.linalg.tensorinv", generic=True)
def tensorinv(a, ind=2):
    """The inverse of the map by which a's last axes are summed."""
    a = np.asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    rows, columns = a.shape[:ind], a.shape[ind:]
    size = math.prod(columns)
    return np.linalg.inv(a.reshape((size, a.size // max(size, 1)))).reshape(columns + rows)


@stands_for("numpy.linalg.tensorsolve", generic=True)
def tensorsolve(a, b, axes=None):
    """The x with tensordot(a, x, x.ndim) = b."""
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        a = np.moveaxis(a, axes, tuple(range(a.ndim - len(axes), a.ndim)))
    if a.ndim < b.ndim:
        refused("tensorsolve: b has more axes than a")
    unknown = a.shape[b.ndim :]
    size = math.prod(unknown)
    if a.size != size**2:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return np.linalg.solve(a.reshape((size, size)), b.reshape(-1)).reshape(unknown)
