import numpy as np


def gauss_grad(x, x_olds, x_bar, b_bar):
    n = len(x)
    x = x.copy()
    x_bar = x_bar.copy()
    b_bar = b_bar.copy()
    for i in range(n - 2, 0, -1):
        x[i] = x_olds[i]
        t_bar = 0.25 * x_bar[i]
        x_bar[i] = 0.0
        p_bar = t_bar * np.cos(x[i] * x[i + 1])
        x_bar[i - 1] += t_bar
        b_bar[i] -= t_bar
        x_bar[i + 1] += x[i] * p_bar
        x_bar[i] += p_bar * x[i + 1]
    return b_bar
