import numpy as np


def walk(rng, n):
    x = 0.0
    for _ in range(n):
        if rng.random() < 0.3:
            x += 0.5 * rng.standard_normal()
    z = rng.standard_normal(3)
    return x + np.sum(z), rng.integers(0, n)
