"""What stacks.py says, in compiled code: matrix after matrix, in tiles or by BLAS, and of small ones as loops over
numbers, which lanes take. What reads one of the matrices turned round is handed to the loop.
"""

# mypy: disable-error-code="arg-type"

import numpy as np
from numba import njit, types

from .products import IS_WIDE, MOST_IN_TILES, put_product_in_tiles

FEWEST_FOR_BLAS, FEWEST_FOR_TILES = 1000, 400  # multiplications of two matrices


@njit(error_model="numpy", forceinline=True)
def as_it_is(matrix: np.ndarray) -> np.ndarray:
    return matrix


@njit(error_model="numpy", forceinline=True)
def turned(matrix: np.ndarray) -> np.ndarray:
    return matrix.T


@njit(error_model="numpy")
def products_by_numbers(
    x: np.ndarray, y: np.ndarray, left: types.Dispatcher, right: types.Dispatcher, made: np.ndarray
) -> None:
    for k in range(len(x)):
        first, second = left(x[k]), right(y[k])
        for i in range(first.shape[0]):
            for c in range(first.shape[1]):
                for j in range(second.shape[1]):
                    made[k, i, j] += first[i, c] * second[c, j]


@njit(error_model="numpy")
def products_by_matrices(
    x: np.ndarray, y: np.ndarray, left: types.Dispatcher, right: types.Dispatcher, made: np.ndarray
) -> None:
    work = x.shape[1] * x.shape[2] * made.shape[2]
    if work < (FEWEST_FOR_TILES if made.itemsize == 8 and IS_WIDE else FEWEST_FOR_BLAS):
        made.fill(0.0)
        products_by_numbers(x, y, left, right, made)
    elif made.itemsize == 8 and work <= MOST_IN_TILES:
        for k in range(len(x)):
            put_product_in_tiles(made[k], left(x[k]), right(y[k]), 1.0, False)
    else:
        for k in range(len(x)):
            np.dot(left(x[k]), right(y[k]), made[k])


@njit(error_model="numpy")
def stack_products_by_numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.zeros((len(x), x.shape[1], y.shape[2]), x.dtype)
    products_by_numbers(x, y, as_it_is, as_it_is, made)
    return made


@njit(error_model="numpy")
def stack_products_by_matrices(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.empty((len(x), x.shape[1], y.shape[2]), x.dtype)
    products_by_matrices(x, y, as_it_is, as_it_is, made)
    return made


@njit(error_model="numpy")
def stack_products_left_by_numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.zeros((len(x), x.shape[2], y.shape[2]), x.dtype)
    products_by_numbers(x, y, turned, as_it_is, made)
    return made


@njit(error_model="numpy")
def stack_products_left_by_matrices(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.empty((len(x), x.shape[2], y.shape[2]), x.dtype)
    products_by_matrices(x, y, turned, as_it_is, made)
    return made


@njit(error_model="numpy")
def stack_products_right_by_numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.zeros((len(x), x.shape[1], y.shape[1]), x.dtype)
    products_by_numbers(x, y, as_it_is, turned, made)
    return made


@njit(error_model="numpy")
def stack_products_right_by_matrices(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.empty((len(x), x.shape[1], y.shape[1]), x.dtype)
    products_by_matrices(x, y, as_it_is, turned, made)
    return made
