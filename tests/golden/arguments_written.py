import numpy as np


def halved(x, n):
    while n > 0:
        x[...] = x * 0.5
        x[n] = np.float64(n)
        n -= 1
