def power(x, n):
    if n == 0:
        return 1.0
    result = x * power(x, n - 1)
    return result


def power_vjp(x, n, result_bar):
    if n == 0:
        return 0.0
    t = power(x, n - 1)
    t_bar = x * result_bar
    x_bar = result_bar * t
    x_bar2 = power_vjp(x, n - 1, t_bar)
    x_bar += x_bar2
    return x_bar


def calls_power_value_and_grad(x, n):
    t = power(x, n)
    x_bar = power_vjp(x, n, x)
    x_bar = t + x_bar
    return t * x, x_bar
