import math

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def binomial_tree_grad(spot, strike, p, disc, n):
    up = math.exp(0.2 / math.sqrt(n))  # up = np.exp(0.2 / np.sqrt(n))
    # values = np.maximum(strike - spot * up ** np.arange(-n, n + 1, 2), 0.0)
    t = max(-((-n - (n + 1)) // 2), 0)
    t2 = -n
    t3 = max(n, 0)
    starts = np.empty(t3, np.int64)
    stops = np.empty(t3, np.int64)
    values_rows = np.empty(0)
    t4 = np.empty(t)
    t5 = np.empty(t)
    for i in range(t):
        t6 = up ** np.float64(wrapping_add(t2, wrapping_mul(i, 2)))
        t7 = strike - spot * t6
        t8 = np.maximum(t7, 0.0)
        t9 = t8 == 0.0
        t4[i] = (0.5 if t9 else 1.0) if t7 == t8 else 0.0 if t9 else np.nan
        t5[i] = t6
    values = np.empty(t)
    for i in range(t):
        values[i] = np.maximum(strike - spot * t5[i], 0.0)
    n2 = t
    start = 0
    for i in range(n):
        room = len(values_rows)
        stop = start + n2
        starts[i] = start
        stops[i] = stop
        if stop > room:
            values_rows2 = np.empty(stop * 2)
            for i2 in range(room):
                values_rows2[i2] = values_rows[i2]
            values_rows = values_rows2
        for i2 in range(n2):
            values_rows[start + i2] = values[i2]
        n2 = max(n2 - 1, 0)  # values = disc * (p * values[1:] + (1.0 - p) * values[:-1])
        t6 = 1.0 - p
        values2 = np.empty(n2)
        for i2 in range(n2):
            values2[i2] = disc * (p * values[1 + i2] + t6 * values[i2])
        values = values2
        start = stop
    if n2 <= 0:  # return values[0]
        raise IndexErrorWith(0, n2)
    values_bar = np.zeros(n2)
    values_bar[0] = 1.0
    p_bar = 0.0
    for i in range(n - 1, -1, -1):
        start = starts[i]
        stop = stops[i]
        n2 = stop - start
        n3 = max(n2 - 1, 0)  # values = disc * (p * values[1:] + (1.0 - p) * values[:-1])
        t6 = 1.0 - p
        values_bar2 = np.zeros(n2)
        for i2 in range(n3):
            values_bar2[i2] = t6 * (disc * values_bar[i2])
        t6 = 0.0
        t7 = 0.0
        for i2 in range(n3):
            t2 = 1 + i2
            t8 = disc * values_bar[i2]
            values_bar2[t2] += p * t8
            t6 = plus(t6, -(t8 * values_rows[start + i2]))
            t7 = plus(t7, t8 * values_rows[start + t2])
        p_bar += t6
        p_bar += t7
        values_bar = values_bar2
    spot_bar = 0.0
    for i in range(t):
        spot_bar = plus(spot_bar, -(values_bar[i] * t4[i] * t5[i]))
    return spot_bar, p_bar
