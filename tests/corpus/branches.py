"""Constants, conditions, and names defined on one way only."""

import math

import numpy as np

from corpus.case import case


@case(5, 10, 15, gives=(2, 2, 2))
def last_write_wins(n):
    ans = 1
    ans = 2
    return ans


@case(0, 5, -15, gives=(0, 2, 0))
def two_or_zero(n):
    if n > 1:
        ans = 2
    else:
        ans = 0
    return ans


@case(0, 5, -15, gives=(0, 2, 0))
def two_or_zero_expression(n):
    return 2 if n > 1 else 0


@case(1, 5, 60, 3, 7, gives=(1, 3, 5, 1, 3))
def one_armed_nested_ifs(n):
    ans = 1
    if n > 4:
        ans = 3
        if n > 50:
            ans = 5
    return ans


@case(3.0, 4.0, marks="differentiable")
def literal_conditions(x):
    if True:
        y = x * x
    else:
        y = missing_entirely + x  # noqa: F821
    while False:
        y = y + 1.0
    if not 0:
        y = y + 1.0
    return y


@case(-2.0, 0.5, 3.0, marks="differentiable")
def elif_chain(x):
    if x < -1.0:
        y = x * x
    elif x < 1.0:
        y = 2.0 * x
    elif x < 2.0:
        y = 7.0
    else:
        y = math.exp(-x)
    return y + x


@case(-2.0, 3.0, marks="differentiable")
def early_return(x):
    if x < 0.0:
        return -x
    y = x * x
    if y > 5.0:
        return y + 1.0
    return math.sin(y)


@case(True, False, gives=(3, 9))
def defined_in_one_branch(flag):
    if flag:
        y = 3
    if not flag:
        return 9
    return y


@case((1.0, True), (1.0, False), gives=(2.0, 1.0))
def changed_in_one_branch(x, flag):
    if flag:
        x += 1.0
    return x


@case((2, 3), (3, 2), (2, 2), gives=(1, 2, 4))
def chained_comparisons(a, b):
    if 0 < a < b <= 3:
        return 1
    if 3 >= a > b != 0:
        return 2
    return 4


@case((3, 5), (9, 5), (-1, 5), gives=(1, 0, 0))
def and_protects_an_index(k, n):
    flags = np.zeros(5)
    flags[3] = 1.0
    if 0 <= k < n and flags[k] == 1.0:
        return 1
    return 0


@case(0, 1, 5, gives=(True, True, False))
def or_protects_a_division(n):
    return n == 0 or 10 % n == 0 and n < 5


@case((0.0, 2.0), (3.0, 2.0), gives=(2.0, 3.0))
def or_gives_an_operand(x, y):
    return x or y


@case((0, 2), (3, 2), gives=(0, 2))
def and_gives_an_operand(x, y):
    return x and y


@case((1.0, 2), (0.0, 2), marks="widens")
def int_on_one_way(x, n):
    if x > 0.5:
        y = n
    else:
        y = x + 0.5
    return y * 2


@case((7, 2.0), (-7, 2.0), marks="differentiable")
def nested_conditionals(n, x):
    return (x if n > 5 else 2.0 * x) if n > 0 else (-x if n < -5 else x * x)


@case((1, 2.0, 3.0, 4.0, True, 6, 7.0), (2, 2.0, 5.0, 4.0, False, 6, 1.0), shared=(1, 3, 5))
def seven_arguments(a, b, c, d, e, f, g):
    if e:
        c = c + b
    if a > 1:
        d = d * f + len("four")
    return a + b + c + d + g


@case((True, True), (True, False), (False, False))
def logic_of_bools(a, b):
    return (a and b, a or b, not a, a == b, a != b, a & b, a | b, a ^ b)


@case(3, -3, 0)
def truth_of_numbers(n):
    count = 0
    if n:
        count += 1
    if not n:
        count += 10
    if n and n > 0:
        count += 100
    return count


@case((2, None), (3, None))
def none_and_is(n, nothing):
    if nothing is None:
        return n
    return nothing + 1


@case(1.5, -0.5, marks="differentiable")
def pass_and_docstrings(x):
    """Statements that do nothing."""
    if x > 0:
        pass
    else:
        x = x * 2.0
    ...
    return x * x


@case(
    (np.array([1.0, 2.0, -0.5]),), (np.array([1.0, 2.0, -5.0]),), (np.array([1.0, 2.0, 5.0]),), marks="arrays"
)
def assigned_in_tests(x):
    k = 0
    while k < len(x) and (v := x[k]) > 0.0:
        k += 1
    if k < len(x) and (w := x[k] ** 2) < 1.0 and (z := w + v) < 1.0:
        return w + 10.0 * z
    elif not (k > 2 or (s := x[k] + k) < -1.0):
        return s
    return float(k)


@case((np.array([1.0, 2.0, -0.5]),), (np.array([1.0, 0.5, -5.0]),), marks="arrays grows")
def assigned_in_conditions(x):
    return sum([y + v for v in x if v > 0.0 and (y := v * v) > 0.5 and y < 9.0])
