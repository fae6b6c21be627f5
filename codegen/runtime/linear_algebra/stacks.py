"""Products of the matrices of two stacks, by NumPy; compiled: stack_products.py.

stack_products(x, y)         x[k] @ y[k] for each k
stack_products_left(x, y)    x[k].T @ y[k]
stack_products_right(x, y)   x[k] @ y[k].T
"""

import numpy as np


def stack_products(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.matmul(x, y)


def stack_products_left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.matmul(np.swapaxes(x, 1, 2), y)


def stack_products_right(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.matmul(x, np.swapaxes(y, 1, 2))
