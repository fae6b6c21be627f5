import numpy as np


def foo_value_and_grad(x, y, z):
    if np.abs(y) == np.inf:  # w = x * math.sin(y)
        raise ValueError("math domain error")
    sin_y = np.sin(y)
    w = x * sin_y
    t = 1.0 / (z * z + w * w)  # return math.atan2(z, w) + z * w
    t_bar = 1.0 - t
    w_bar = t_bar * z
    t_bar = 1.0 + t
    z_bar = t_bar * w
    t_bar = x * w_bar  # w = x * math.sin(y)
    x_bar = w_bar * sin_y
    y_bar = t_bar * np.cos(y)
    return np.arctan2(z, w) + z * w, (x_bar, y_bar, z_bar)
