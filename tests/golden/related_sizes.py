import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def of_lifted_grad(field, out):
    n, n2 = field.shape
    n3, n4 = out.shape
    if n3 != n - 2:
        raise ValueError("this program was made for arguments of other sizes")
    if n4 != n2 - 2:
        raise ValueError("this program was made for arguments of other sizes")
    out = out.copy()
    for i in range(n3):
        for j in range(n4):
            t = 1 + j  # out[:, :] += top * (field[1 : i + 1, 2:] - field[1 : i + 1, :j])
            t2 = 1 + i
            out[i, j] += (field[2 + i, t] - field[i, t]) * (field[t2, 2 + j] - field[t2, j])
    field_bar = np.zeros((n, n2))
    for i in range(n - 2):
        for j in range(n2 - 2):
            t = 1 + j
            field_bar[1 + i, j] = -((field[2 + i, t] - field[i, t]) * (2.0 * out[i, j]))
    for i in range(n - 2):
        for j in range(n2 - 2):
            t = 1 + j
            field_bar[1 + i, 2 + j] += (field[2 + i, t] - field[i, t]) * (2.0 * out[i, j])
    for i in range(n - 2):
        for j in range(n2 - 2):
            t = 1 + i  # top = field[2 : i + 2, 1 : j + 1] - field[:i, 1 : j + 1]
            field_bar[i, 1 + j] -= 2.0 * out[i, j] * (field[t, 2 + j] - field[t, j])
    for i in range(n - 2):
        for j in range(n2 - 2):
            t = 1 + i
            field_bar[2 + i, 1 + j] += 2.0 * out[i, j] * (field[t, 2 + j] - field[t, j])
    return field_bar
