import numpy as np


def recurrence_value_and_grad(a, x0):
    n = len(a)
    x = np.zeros(n)
    x[0] = x0
    for i in range(1, n):
        x[i] = x[i - 1] * a[i]
    x_bar = np.zeros(n)  # return x[n - 1]
    x_bar[n - 1] = 1.0
    a_bar = np.zeros(n)
    for i in range(n - 1, 0, -1):
        t_bar = x_bar[i]  # x[i] = x[i - 1] * a[i]
        x_bar[i] = 0.0
        t_bar2 = x[i - 1] * t_bar
        t_bar *= a[i]
        a_bar[i] += t_bar2
        x_bar[i - 1] += t_bar
    x0_bar = x_bar[0]  # x[0] = x0
    return x[n - 1], (a_bar, x0_bar)
