"""Where the largest or smallest element of a vector is, the first of equal ones, and the first NaN before all.

    place_of_highest(np.array([1.0, 3.0, 3.0]))        # 1

A loop that carries the best element and its place makes no vectors; the extreme of a piece does.
"""

import numpy as np
from numba import njit

from .reductions import highest, lowest

PIECE = 1024
FEW = 64


@njit(error_model="numpy")
def place_of_highest(x: np.ndarray) -> int:
    place, best = 0, x[0]
    for first in range(0, len(x), PIECE):
        piece = x[first : first + PIECE]
        most = piece[0]
        for k in range(len(piece)):
            most = highest(most, piece[k])
        if most > best or (most != most and best == best):
            place, best = first, most
    return place_of(x, best, place)


@njit(error_model="numpy")
def place_of_lowest(x: np.ndarray) -> int:
    place, best = 0, x[0]
    for first in range(0, len(x), PIECE):
        piece = x[first : first + PIECE]
        least = piece[0]
        for k in range(len(piece)):
            least = lowest(least, piece[k])
        if least < best or (least != least and best == best):
            place, best = first, least
    return place_of(x, best, place)


@njit(error_model="numpy")
def place_of(x: np.ndarray, best: float, place: int) -> int:
    """From a place on, the first of an element or, of NaN, of any; few are looked at together, as a vector."""
    is_here = 0
    while is_here == 0:
        few = x[place : place + FEW]
        for k in range(len(few)):
            is_here += (few[k] == best) | ((best != best) & (few[k] != few[k]))
        place += FEW if is_here == 0 else 0
    while not (x[place] == best or (best != best and x[place] != x[place])):
        place += 1
    return place
