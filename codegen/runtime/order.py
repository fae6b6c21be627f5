"""Numbers in order, by NumPy; NaN comes last. Compiled: sorting.py.

ordered(x)          the elements of a vector, ascending
places_in_order(x)  their places, of equal ones the first first
"""

import numpy as np


def ordered(x: np.ndarray) -> np.ndarray:
    return np.sort(x)


def places_in_order(x: np.ndarray) -> np.ndarray:
    return np.argsort(x, kind="stable")
