import numpy as np


def trisolve_value_and_grad(L, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    x_bar = 2.0 * x  # return np.sum(x * x)
    b_bar = np.zeros(n)
    L_bar = np.zeros((L.shape[0], L.shape[1]))
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        L_i_i = L[i, i]  # x[i] = s / L[i, i]
        t_bar = x_bar[i]
        x_bar[i] = 0.0
        t = t_bar / L_i_i
        t_bar = -t
        t_bar2 = -(t * (s / L_i_i))
        L_bar[i, i] += t_bar2
        for j in range(i - 1, -1, -1):
            t_bar2 = L[i, j] * t_bar  # s -= L[i, j] * x[j]
            t_bar3 = t_bar * x[j]
            x_bar[j] += t_bar2
            L_bar[i, j] += t_bar3
        b_bar[i] += t  # s = b[i]
    return np.sum(x * x), (L_bar, b_bar)
