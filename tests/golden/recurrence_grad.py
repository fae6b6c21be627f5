import numpy as np


def recurrence_value_and_grad(a, x0):
    n = len(a)
    x = np.zeros(n)
    x[0] = x0
    for i in range(1, n):
        x[i] = x[i - 1] * a[i]
    t = n - 1
    result = x[t]
    x_bar = np.zeros(n)
    x_bar[t] = 1.0
    a_bar = np.zeros(n)
    for i in range(t, 0, -1):
        t = i - 1
        t_bar = x_bar[i]
        x_bar[i] = 0.0
        t_bar2 = x[t] * t_bar
        t_bar *= a[i]
        a_bar[i] += t_bar2
        x_bar[t] += t_bar
    x0_bar = x_bar[0]
    return result, a_bar, x0_bar
