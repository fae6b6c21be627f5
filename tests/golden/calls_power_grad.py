import numpy as np


def power_count(n, call):
    call += 1
    if n == 0:
        return call
    call = power_count(n - 1, call)  # return x * power(x, n - 1)
    return call


def power_forward(x, n, call, ts, numbers):
    call2 = call + 1
    if n == 0:
        result = 1.0
        t = 0.0
        number = 0
    else:
        t, ts, numbers = power_forward(x, n - 1, call2, ts, numbers)  # return x * power(x, n - 1)
        result = x * t
        number = call2
    ts[call] = t
    numbers[call] = number
    return result, ts, numbers


def power_vjp(x, n, call, ts, numbers, result_bar):
    ts_call = ts[call]
    number = numbers[call]
    if n == 0:
        return 0.0
    t_bar = x * result_bar  # return x * power(x, n - 1)
    x_bar = result_bar * ts_call
    x_bar2 = power_vjp(x, n - 1, number, ts, numbers, t_bar)
    x_bar += x_bar2
    return x_bar


def calls_power_value_and_grad(x, n):
    calls = power_count(n, 0)  # return power(x, n) * x
    ts = np.empty(calls)
    numbers = np.empty(calls, np.int64)
    t, ts, numbers = power_forward(x, n, 0, ts, numbers)
    x_bar = power_vjp(x, n, 0, ts, numbers, x)
    x_bar = t + x_bar
    return t * x, (x_bar,)
