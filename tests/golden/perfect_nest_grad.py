import numpy as np


def perfect_nest_value_and_grad(m):
    n, n2 = m.shape
    s = 0.0
    for i in range(n):
        for j in range(n2):
            s += np.exp(m[i, j])  # s += math.exp(m[i, j])
    m_bar = np.zeros((n, n2))
    for i in range(n - 1, -1, -1):
        for j in range(n2 - 1, -1, -1):
            m_bar[i, j] += np.exp(m[i, j])  # s += math.exp(m[i, j])
    return s, m_bar
