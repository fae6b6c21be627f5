import numpy as np


def gauss(b, m):
    n = len(b)
    xs = np.empty((m, n))
    x = np.zeros(n)
    for t in range(m):
        xs[t] = x
        for i in range(1, n - 1):
            x[i] = 0.25 * (b[i] + x[i - 1] + np.sin(x[i] * x[i + 1]))
    return x, xs
