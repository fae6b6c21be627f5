"""Functions that call functions: recursion, functions as values, closures, defaults, keywords."""

import functools
import math

import numpy as np

from corpus.case import case


def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


def scaled(a):
    def inner(x):
        return a * x

    return inner


TWICE, THRICE = scaled(2.0), scaled(3.0)


@case(1.0, -2.0, gives=(23.0, -46.0))
def functions_that_one_function_made(x):
    return TWICE(x) * 10.0 + THRICE(x)


@case(5, 6, 8, 9, gives=(8, 13, 34, 55), marks="recursive")
def fibonacci(n):
    if n <= 1:
        return 1
    return fibonacci(n - 1) + fibonacci(n - 2)


@case(np.int32(0), np.int32(1), np.int32(3), gives=(1, 1, 3), marks="recursive")
def fibonacci_int32(n):
    return fib(n)


@case(5.0, 6.0, gives=(8, 13), marks="recursive")
def fibonacci_float(n):
    return fib(n)


@case(np.float32(5), np.float32(6), gives=(8, 13), marks="recursive")
def fibonacci_float32(n):
    return fib(n)


@case(6, 7, 8, 7, gives=(8, 13, 21, 13), marks="recursive")
def fibonacci_other_order(n):
    if n > 2:
        return fibonacci_other_order(n - 1) + fibonacci_other_order(n - 2)
    else:
        return 1


@case(3, 7, 4, 5, gives=(3, 21, 5, 8), marks="recursive")
def fibonacci_one_exit(n):
    if n > 1:
        left = fibonacci_one_exit(n - 1)
        right = fibonacci_one_exit(n - 2)
        ans = left + right
    else:
        ans = 1
    return ans


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@case(5, 6, 8, 9, 0, gives=(False, True, True, False, True), marks="recursive")
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def nuts(depth, state):
    if depth > 0:
        state = nuts(depth - 1, state)
        state = state + 1
        state = nuts(depth - 1, state)
        state = state + 1
    return state


@case((3, 3, 0), (3, 3, 5), gives=(42, 47), marks="recursive")
def pea_nuts(count, depth, state):
    while count > 0:
        count = count - 1
        state = nuts(depth, state)
    return state


@case((3, 0), (1, 1), (5, 2), (2, 3), gives=(8, 2, 28, 14), marks="recursive")
def pea_nuts_of_changing_depth(count, lane):
    state = 0
    while count > 0:
        count = count - 1
        state = nuts((count + lane) % 4, state)
    return state


@case((12, 0), (-13, 0), (100, 0), gives=(78, 0, 5050), marks="recursive")
def iota_sum(n, acc):
    if n <= 0:
        return acc
    return iota_sum(n - 1, acc + n)


@case((7, 9), (12, 9), (49, 56), gives=(1, 3, 7), marks="recursive")
def gcd(a, b):
    if a == b:
        return a
    if a > b:
        return gcd(a - b, b)
    return gcd(b, a)


@case((2.0, 5), (1.1, 3), marks="recursive differentiable")
def power_by_squaring(x, n):
    if n == 0:
        return 1.0
    half = power_by_squaring(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


@case((2, 2), (2, 1), (1, 3), gives=(7, 5, 5), marks="recursive")
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@case((3, 0.5), (4, 0.25), marks="recursive differentiable")
def tree_of_pairs(depth, x):
    left, right = branch(depth, x)
    return left * right


def branch(depth, x):
    if depth == 0:
        return x, 1.0 - x
    a, b = branch(depth - 1, x * 0.5)
    c, d = branch(depth - 1, x + 0.1)
    return a + d, math.sin(b) * c


def scaled(x, by=2.0, *, shift=0.5):
    return x * by + shift


@case(1.0, -3.0, marks="differentiable")
def defaults_and_keywords(x):
    return scaled(x) + scaled(x, 3.0) + scaled(by=x, x=2.0) + scaled(x, shift=x)


def twice(f, x):
    return f(f(x))


def increment(x):
    return x + 1.0


@case(1.5, -0.5, marks="differentiable")
def functions_as_arguments(x):
    return twice(increment, x) + twice(math.sin, x) + twice(np.cos, x)


@case((1.5, 2.0), (-0.5, 3.0), marks="differentiable")
def closures_of_scalars(x, a):
    def scale(y):
        return a * y

    b = a + 1.0
    shift = lambda y: y + b
    return twice(scale, x) + twice(shift, x) + (lambda z, w=b: z * w)(x)


@case((np.array([1.0, 2.0]), 3.0), (np.array([0.5, -2.0]), 1.0), marks="arrays differentiable")
def closures_of_arrays(x, c):
    def density(k):
        return x[k] * c + np.sum(x)

    total = 0.0
    for k in range(2):
        total += density(k)
    return total


@case(2.0, 3.0, marks="differentiable")
def late_binding(x):
    def f(y):
        return y * scale

    scale = 2.0
    first = f(x)
    scale = x
    return first + f(x)


@case(2.0, 3.0, marks="differentiable")
def late_binding_in_comprehensions(x):
    k = 50.0
    scaled_ = [lambda y: y * k for k in range(3)]
    nested = [[lambda y: y * i + j + k for j in range(2)] for i in (x, 2.0 * x)]
    k = 100.0
    return scaled_[0](x) + nested[0][1](x) - k


def factorial_of(n):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)

    return fact(n)


@case(5, 6, gives=(120, 720), marks="recursive")
def nested_recursion(n):
    return factorial_of(n)


PARTIAL = functools.partial(scaled, by=4.0)


@case(1.0, 2.0, marks="differentiable")
def partial_functions(x):
    mine = functools.partial(scaled, x, shift=1.0)
    return PARTIAL(x) + mine() + mine(by=x)


@case(1.0, 2.0, marks="differentiable")
def chosen_function(x):
    f = math.sin if len("ab") == 2 else math.cos
    g = increment
    return f(x) + g(x)


@case(4.0, 5.0, marks="differentiable")
def name_reused_for_a_result(x):
    x = increment(x)
    increment_ = x
    x = increment(increment_)
    return x * increment_


def quotient(a, b):
    if b == 0:
        return 0, False
    return a // b, True


@case((7, 2), (7, 0), gives=(3, -1))
def tuple_results_of_callees(a, b):
    q, fine = quotient(a, b)
    return q if fine else -1


def clear_first(x):
    x[0] = 0.0
    return x


@case(np.array([1.0, 2.0]), np.array([3.0, 4.0]), marks="arrays differentiable")
def callee_writes_its_argument(x):
    y = x.copy()
    z = clear_first(y)
    z[1] += x[0]
    return y, z, x


@case((np.array([4.0, 1.0, 3.0, 2.0, 5.0])), (np.array([1.0, 5.0, 2.0, 2.0, 0.0])), marks="arrays recursive")
def quicksort(x):
    y = x.copy()
    sort_between(y, 0, len(y) - 1)
    return y


def sort_between(x, low, high):
    if low >= high:
        return
    pivot = x[high]
    at = low
    for k in range(low, high):
        if x[k] < pivot:
            x[k], x[at] = x[at], x[k]
            at += 1
    x[at], x[high] = x[high], x[at]
    sort_between(x, low, at - 1)
    sort_between(x, at + 1, high)


@case((3, 1.0), (5, 2.0), marks="differentiable")
def calls_in_loops(n, x):
    for k in range(n):
        x = scaled(x, shift=0.1 * k) if k % 2 == 0 else increment(x)
    return x
