import numpy as np


def foo_value_and_grad(x, y, z):
    t = np.sin(y)
    w = x * t
    t2 = z * z + w * w
    result = np.arctan2(z, w) + z * w
    t_bar = 1.0 + -1.0 / t2
    w_bar = t_bar * z
    t_bar = 1.0 + 1.0 / t2
    z_bar = t_bar * w
    t_bar = x * w_bar
    x_bar = w_bar * t
    y_bar = t_bar * np.cos(y)
    return result, x_bar, y_bar, z_bar
