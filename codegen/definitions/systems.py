"""Systems of linear equations."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import stands_for
from codegen.runtime.linalg import is_singular, solved


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
