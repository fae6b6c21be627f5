"""Where a mask holds: places_where : b1[n] -> i8[m], as np.flatnonzero has it.

places_where(np.array([True, False, True]))        # [0, 2]
"""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def places_where(mask: np.ndarray) -> np.ndarray:
    """Each place is written where the next one goes, and counts if it holds: no processor has to foresee which do."""
    count = 0
    for k in range(len(mask)):
        count += mask[k]
    places = np.empty(count + 1, np.int64)
    count = 0
    for k in range(len(mask)):
        places[count] = k
        count += mask[k]
    return places[:count]
