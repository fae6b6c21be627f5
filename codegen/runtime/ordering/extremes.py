"""Where the largest or smallest element of a vector is, the first of equal ones, and the first NaN before all.

    place_of_highest(np.array([1.0, 3.0, 3.0]))        # 1

A loop that carries the best element and its place makes no vectors; the extreme of a piece does, but for few elements.
"""

# mypy: disable-error-code="call-arg"

import numpy as np
from numba import njit

from ..reductions import highest, lowest

PIECE = 512
FEW = 32


@njit(error_model="numpy")
def place_of_highest(x: np.ndarray) -> int:
    place, best = 0, x[0]
    if len(x) <= FEW:
        for k in range(1, len(x)):
            best = highest(best, x[k])
        return place_among_few(x, best)
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
    if len(x) <= FEW:
        for k in range(1, len(x)):
            best = lowest(best, x[k])
        return place_among_few(x, best)
    for first in range(0, len(x), PIECE):
        piece = x[first : first + PIECE]
        least = piece[0]
        for k in range(len(piece)):
            least = lowest(least, piece[k])
        if least < best or (least != least and best == best):
            place, best = first, least
    return place_of(x, best, place)


@njit(error_model="numpy")
def place_among_few(x: np.ndarray, best: float) -> int:
    place = 0
    while not (x[place] == best or x[place] != x[place]):
        place += 1
    return place


@njit(error_model="numpy")
def place_of(x: np.ndarray, best: float, place: int) -> int:
    """In the piece from a place on, the first of an element or, of NaN, of any: the least place of all, as a vector has
    no way to stop."""
    piece = x[place : place + PIECE]
    first = PIECE
    if best == best:
        for k in range(len(piece)):
            first = min(first, k if piece[k] == best else PIECE)
    else:
        for k in range(len(piece)):
            first = min(first, k if piece[k] != piece[k] else PIECE)
    return place + first
