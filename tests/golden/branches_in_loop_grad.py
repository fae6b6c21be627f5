import numpy as np


def branches_in_loop_value_and_grad(a, b):
    n = len(a)
    ss = np.empty(n)
    s = 0.0
    for i in range(n):
        ss[i] = s
        a_i = a[i]
        if a_i > 0.5:
            t = a_i * b[i]  # t = a[i] * b[i]
            s += t * t
        elif b[i] > 1.0:
            if np.abs(a_i) == np.inf:  # s = s * math.cos(a[i])
                raise ValueError("math domain error")
            s *= np.cos(a_i)
    a_bar = np.zeros(n)
    b_bar = np.zeros(len(b))
    s_bar = 1.0
    for i in range(n - 1, -1, -1):
        s2 = ss[i]
        a_i = a[i]
        if a_i > 0.5:
            b_i = b[i]  # t = a[i] * b[i]
            t_bar = s_bar + s_bar  # s += t * t
            t_bar *= a_i * b_i
            t_bar2 = a_i * t_bar  # t = a[i] * b[i]
            t_bar *= b_i
            b_bar[i] += t_bar2
        else:
            if b[i] > 1.0:
                t_bar = s2 * s_bar  # s = s * math.cos(a[i])
                s_bar *= np.cos(a_i)
                t_bar *= np.sin(a_i)
                t_bar = -t_bar
            else:
                t_bar = 0.0
        a_bar[i] += t_bar
    return s, (a_bar, b_bar)
