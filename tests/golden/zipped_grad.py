import numpy as np


def zipped_value_and_grad(xs, ys, weights):
    n = len(xs)
    n2 = len(ys)
    n3 = len(weights)
    t = min(n, n2)
    total = 0.0
    for j in range(t):
        x = xs[j]
        y = ys[j]
        for i in range(n3):
            w = weights[i]
            total += w * x * y + np.float64(i)  # total += w * x * y + i
    for place in range(t):
        x = xs[place]
        z = ys[n2 - 1 - place]
        total += np.float64(place) * x * z  # total += place * x * z
    xs_bar = np.zeros(n)
    ys_bar = np.zeros(n2)
    for place in range(t - 1, -1, -1):
        t2 = n2 - 1 - place
        x = xs[place]
        z = ys[t2]
        t3 = np.float64(place)  # total += place * x * z
        x_bar = t3 * z
        ys_bar[t2] += t3 * x
        xs_bar[place] += x_bar
    weights_bar = np.zeros(n3)
    for j in range(t - 1, -1, -1):
        x = xs[j]
        y = ys[j]
        x_bar = 0.0
        y_bar = 0.0
        for i in range(n3 - 1, -1, -1):
            w = weights[i]
            y_bar += w * x  # total += w * x * y + i
            x_bar += w * y
            w_bar = y * x
            weights_bar[i] += w_bar
        ys_bar[j] += y_bar
        xs_bar[j] += x_bar
    return total, (xs_bar, ys_bar, weights_bar)
