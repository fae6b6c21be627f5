def counted(d, k):
    d_keys = np.array([*d], np.int64)
    d_values = np.array([*d.values()], np.int64)
    d_count, d_keys2, d_values2 = counted_parts(d_keys, d_values, k)
    d.clear()
    d.update(dict(zip(d_keys2.tolist(), d_values2.tolist())))
    return d_count


def visited(s, n):
    s_keys = np.array([*s], np.int64)
    t, s_count, result, s_keys2 = visited_parts(s_keys, n)
    s.clear()
    s.update(set(s_keys2.tolist()))
    return (t, s_count, result.tolist())


# What the functions above call.


def ordered(x: np.ndarray) -> np.ndarray:
    return np.sort(x)


def points(d, k):
    d_keys = np.array([*d], np.int64)
    d_values_0 = np.array([value[0] for value in d.values()], np.float64)
    d_values_1 = np.array([value[1] for value in d.values()], np.float64)
    s, t, t2, t_0, t_1 = points_parts(d_keys, d_values_0, d_values_1, k)
    return s, (t, t2), (t_0, t_1)
