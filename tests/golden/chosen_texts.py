def step_2(s_0, x):
    if s_0 == 0:
        return 1, x + 1
    if s_0 == 1:
        return 2, x * 2
    return s_0, x - 1


def f_parts(x, n):
    s_0 = 0
    for _ in range(n):
        t_0_0, t_1 = step_2(s_0, x)
        s_0 = t_0_0
        x = t_1
    return s_0, x


def f(x, n):
    s_0, x2 = f_parts(x, n)
    return ("a", "b", "c")[s_0], x2
