import numpy as np


def newton_value_and_grad(a, x):
    a = np.float64(a)
    e = 1.0
    x2 = x
    count = 0
    while np.abs(e) > 1e-9:
        e = (x2 * x2 - a) / (2.0 * x2)  # e = (x * x - a) / (2.0 * x)
        x2 -= e  # x = x - e
        count += 1
    n = count
    xs = np.empty(n)
    for k in range(n):
        xs[k] = x
        e = (x * x - a) / (2.0 * x)
        x -= e  # x = x - e
    t = x2 * x2  # return x * x * x
    t_bar = x2 + x2
    x_bar = t + t_bar * x2
    a_bar = 0.0
    for k in range(n - 1, -1, -1):
        x = xs[k]
        t2 = 2.0 * x  # e = (x * x - a) / (2.0 * x)
        e = (x * x - a) / t2
        t_bar = x_bar / t2
        t_bar2 = t_bar * e
        t_bar3 = -t_bar
        x_bar += 2.0 * t_bar2
        a_bar += t_bar
        t_bar = t_bar3 - t_bar
        x_bar += t_bar * x
    return t * x2, (a_bar, x_bar)
