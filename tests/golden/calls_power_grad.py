import numpy as np


def power_count(n, call):
    call += 1
    if n == 0:
        return call
    call = power_count(n - 1, call)  # return x * power(x, n - 1)
    return call


def power_forward(x, n, call, ts):
    call2 = call + 1
    if n == 0:
        result = 1.0
        t = 0.0
    else:
        t, ts = power_forward(x, n - 1, call2, ts)  # return x * power(x, n - 1)
        result = x * t
    ts[call] = t
    return result, ts


def power_vjp(x, n, call, ts, result_bar):
    ts_call = ts[call]
    number = call + 1
    if n == 0:
        return 0.0
    t_bar = x * result_bar  # return x * power(x, n - 1)
    x_bar = result_bar * ts_call
    x_bar2 = power_vjp(x, n - 1, number, ts, t_bar)
    x_bar += x_bar2
    return x_bar


def calls_power_value_and_grad(x, n):
    calls = power_count(n, 0)  # return power(x, n) * x
    ts = np.empty(calls)
    t, ts = power_forward(x, n, 0, ts)
    x_bar = power_vjp(x, n, 0, ts, x)
    x_bar = t + x_bar
    return t * x, (x_bar,)
