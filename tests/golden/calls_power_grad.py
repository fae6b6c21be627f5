def power(x, n):
    if n == 0:
        return 1.0
    result = x * power(x, n - 1)
    return result


def power_vjp(x, n, result_bar):
    if n == 0:
        return 0.0
    t = n - 1
    t2 = power(x, t)
    t_bar = x * result_bar
    x_bar = result_bar * t2
    x_bar2 = power_vjp(x, t, t_bar)
    x_bar += x_bar2
    return x_bar


def calls_power_value_and_grad(x, n):
    t = power(x, n)
    result = t * x
    x_bar = power_vjp(x, n, x)
    x_bar = t + x_bar
    return result, x_bar
