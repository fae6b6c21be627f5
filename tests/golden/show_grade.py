import numpy as np


def grade(x, low, high):
    if x < low:
        y = low
        k = 0
    elif x > high:
        y = high
        k = 2
    else:
        y = x
        k = 1
    z = np.log(y) if y > 0.0 else 0.0
    if not (np.isfinite(z) & (k != 5)):
        raise ValueError("z is not finite")
    return y, k, z
