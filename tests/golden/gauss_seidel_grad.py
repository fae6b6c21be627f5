import numpy as np


def gauss_seidel_value_and_grad(b, m):
    n = len(b)
    x = np.ones(n)
    xs = np.empty((max(m, 0), n))
    for _t in range(m):
        xs[_t] = x
        for i in range(1, n - 1):
            t = x[i] * x[i + 1]  # x[i] = 0.25 * (b[i] + x[i - 1] + math.sin(x[i] * x[i + 1]))
            if np.abs(t) == np.inf:
                raise ValueError("math domain error")
            x[i] = 0.25 * (b[i] + x[i - 1] + np.sin(t))
    x_bar = 2.0 * x  # return np.sum(x * x)
    b_bar = np.zeros(n)
    for _t in range(m - 1, -1, -1):
        x2 = xs[_t]
        x_olds = np.empty(n)
        x_olds2 = np.empty(n)
        x2 = x2.copy()
        for i in range(1, n - 1):
            x_i = x2[i]  # x[i] = 0.25 * (b[i] + x[i - 1] + math.sin(x[i] * x[i + 1]))
            x_olds[i] = x_i
            t = x2[i + 1]
            x_olds2[i] = t
            x2[i] = 0.25 * (b[i] + x2[i - 1] + np.sin(x_i * t))
        for i in range(n - 2, 0, -1):
            x_olds_i = x_olds[i]
            x_olds_i2 = x_olds2[i]
            t_bar = x_bar[i]
            x_bar[i] = 0.0
            t_bar = 0.25 * t_bar
            t_bar2 = t_bar * np.cos(x_olds_i * x_olds_i2)
            t_bar3 = x_olds_i * t_bar2
            t_bar2 *= x_olds_i2
            x_bar[i + 1] += t_bar3
            x_bar[i] += t_bar2
            x_bar[i - 1] += t_bar
            b_bar[i] += t_bar
    return np.sum(x * x), (b_bar,)
