import numpy as np


def binomial_tree_grad(spot, strike, p, disc, n):
    up = np.exp(0.2 / np.sqrt(n))
    # values = np.maximum(strike - spot * up ** np.arange(-n, n + 1, 2), 0.0)
    n2 = max(-((-n - (n + 1)) // 2), 0)
    t = up ** (np.int64(-n) + np.arange(n2) * 2)
    t2 = strike - spot * t
    values = np.maximum(t2, 0.0)
    t3 = values == 0.0
    t4 = max(n, 0)
    starts = np.empty(t4, np.int64)
    stops = np.empty(t4, np.int64)
    values_rows = np.empty(0)
    values2 = values
    start = 0
    for i in range(n):
        room = len(values_rows)
        stop = start + n2
        starts[i] = start
        stops[i] = stop
        if stop > room:
            values_rows2 = np.empty(stop * 2)
            values_rows2[:room] = values_rows
            values_rows = values_rows2
        values_rows[start:stop] = values2
        t5 = values2[1:]  # values = disc * (p * values[1:] + (1.0 - p) * values[:-1])
        n2 = len(t5)
        t6 = values2[:-1]
        values2 = disc * (p * t5 + (1.0 - p) * t6)
        start = stop
    if n2 <= 0:  # return values[0]
        raise IndexError(f"index 0 is out of bounds for axis 0 with size {n2}")
    values_bar = np.zeros(n2)
    values_bar[0] = 1.0
    p_bar = 0.0
    for i in range(n - 1, -1, -1):
        start = starts[i]
        stop = stops[i]
        values2 = values_rows[start:stop]
        n2 = len(values2)
        t_bar = disc * values_bar  # values = disc * (p * values[1:] + (1.0 - p) * values[:-1])
        t_bar2 = (1.0 - p) * t_bar
        p_bar += np.sum(-(t_bar * values2[:-1]))
        values_bar = np.zeros(n2)
        values_bar[:-1] = t_bar2
        t_bar2 = p * t_bar
        p_bar += np.sum(t_bar * values2[1:])
        values_bar[1:] += t_bar2
    # values = np.maximum(strike - spot * up ** np.arange(-n, n + 1, 2), 0.0)
    spot_bar = np.sum(-(values_bar * np.where(t2 == values, np.where(t3, 0.5, 1.0), np.where(t3, 0.0, np.nan)) * t))
    return spot_bar, p_bar

