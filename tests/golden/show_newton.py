import numpy as np


def newton(a, x0):
    """The root of a, from x0."""
    x = x0
    e = 1.0
    while np.abs(e) > 1e-9:
        e = (x * x - a) / (2.0 * x)
        x -= e
    return x
