import numpy as np


def perfect_nest_value_and_grad(m):
    n, n2 = m.shape
    s = 0.0
    for i in range(n):
        for j in range(n2):
            m_i_j = m[i, j]  # s += math.exp(m[i, j])
            if not (not m_i_j > 709.782712893384 or m_i_j == np.inf):
                raise OverflowError("math range error")
            s += np.exp(m_i_j)
    m_bar = np.zeros((n, n2))
    for i in range(n - 1, -1, -1):
        for j in range(n2 - 1, -1, -1):
            t_bar = 1.0 * np.exp(m[i, j])  # s += math.exp(m[i, j])
            m_bar[i, j] += t_bar
    return s, (m_bar,)
