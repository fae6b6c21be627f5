"""What stacks.py says, in compiled code: by BLAS, matrix after matrix, and of small ones as loops over numbers, which
lanes take.
"""

import numpy as np
from numba import njit

FEWEST_FOR_BLAS = 1000  # multiplications of two matrices


@njit(error_model="numpy")
def stack_products_by_numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.zeros((len(x), x.shape[1], y.shape[2]), x.dtype)
    for k in range(len(x)):
        for i in range(x.shape[1]):
            for c in range(x.shape[2]):
                for j in range(y.shape[2]):
                    made[k, i, j] += x[k, i, c] * y[k, c, j]
    return made


@njit(error_model="numpy")
def stack_products_by_blas(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.shape[1] * x.shape[2] * y.shape[2] < FEWEST_FOR_BLAS:
        return stack_products_by_numbers(x, y)
    made = np.empty((len(x), x.shape[1], y.shape[2]), x.dtype)
    for k in range(len(x)):
        np.dot(x[k], y[k], made[k])
    return made


@njit(error_model="numpy")
def stack_products_left_by_numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.zeros((len(x), x.shape[2], y.shape[2]), x.dtype)
    for k in range(len(x)):
        for i in range(x.shape[2]):
            for c in range(x.shape[1]):
                for j in range(y.shape[2]):
                    made[k, i, j] += x[k, c, i] * y[k, c, j]
    return made


@njit(error_model="numpy")
def stack_products_left_by_blas(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.shape[2] * x.shape[1] * y.shape[2] < FEWEST_FOR_BLAS:
        return stack_products_left_by_numbers(x, y)
    made = np.empty((len(x), x.shape[2], y.shape[2]), x.dtype)
    for k in range(len(x)):
        np.dot(x[k].T, y[k], made[k])
    return made


@njit(error_model="numpy")
def stack_products_right_by_numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = np.zeros((len(x), x.shape[1], y.shape[1]), x.dtype)
    for k in range(len(x)):
        for i in range(x.shape[1]):
            for c in range(x.shape[2]):
                for j in range(y.shape[1]):
                    made[k, i, j] += x[k, i, c] * y[k, j, c]
    return made


@njit(error_model="numpy")
def stack_products_right_by_blas(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.shape[1] * x.shape[2] * y.shape[1] < FEWEST_FOR_BLAS:
        return stack_products_right_by_numbers(x, y)
    made = np.empty((len(x), x.shape[1], y.shape[1]), x.dtype)
    for k in range(len(x)):
        np.dot(x[k], y[k].T, made[k])
    return made
