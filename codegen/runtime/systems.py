"""Systems of linear equations whose singular matrices raise nothing, by NumPy; compiled: linalg.py.

solved(a, b)        the x with a @ x = b, b a vector or the columns of a matrix; NaN where a is singular
is_singular(a)      whether a pivot of a is 0
"""

import numpy as np


def solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """np.linalg.solve; NaN where the matrix is singular."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def is_singular(a: np.ndarray) -> np.bool_:
    """Whether a pivot of the matrix is 0."""
    with np.errstate(all="ignore"):
        return np.bool_(np.linalg.slogdet(a)[0] == 0.0)
