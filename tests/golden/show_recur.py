import numpy as np


def recur(a, x0):
    n = len(a)
    x = np.zeros(n)
    x[0] = x0
    for i in range(1, n):
        x[i] = x[i - 1] * a[i]
    return x
