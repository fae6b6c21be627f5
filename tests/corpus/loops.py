"""while and for: ranges, break, continue, else, early return, loop variables, widening, zero trips."""

import math

from corpus.case import case


@case(10.0, 1000.0, 0.5, gives=(4, 10, 0))
def halvings(x):
    n = 0
    while x > 1.0:
        x = x / 2.0
        n += 1
    return n


@case(2.0, 9.0, marks="differentiable")
def newton_square_root(a):
    x, e = a, 1.0
    while abs(e) > 1e-9:
        e = (x * x - a) / (2.0 * x)
        x = x - e
    return x


@case(0, 1, 6, gives=(0, 0, 15))
def sum_of_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


@case((2, 11, 3), (11, 2, -2), (3, 3, 1), gives=(15, 35, 0))
def range_of_runtime_step(start, stop, step):
    s = 0
    for i in range(start, stop, step):
        s += i
    return s


@case(7, 10, 5)
def ranges_with_known_steps(n):
    down, up, none, back = 0, 0, 0, 0
    for i in range(n - 1, 0, -2):
        down = down * 10 + i
    for i in range(0, n, 3):
        up = up * 10 + i
    for i in range(5, n, 100):
        none += i
    for i in reversed(range(1, n, 4)):
        back = back * 10 + i
    return down, up, none, back


@case(5, 12, 2)
def break_and_else(n):
    for d in range(2, n):
        if n % d == 0:
            found = d
            break
    else:
        found = -1
    return found


@case(5, 12, 2, 3)
def continue_skips(n):
    odd, skipped = 0, 0
    for i in range(n):
        if i % 2 == 0:
            skipped += 1
            continue
        odd += i
    return odd, skipped


@case((4, 7), (10, 3), (1, 1))
def return_from_nested_loops(n, wanted):
    for i in range(n):
        for j in range(i):
            if i * j == wanted:
                return i, j
    return -1, -1


@case((4, 5), (6, 30), (2, 0))
def break_from_nested_loops(n, limit):
    total, rounds = 0, 0
    for i in range(n):
        for j in range(n):
            if total + i * j > limit:
                break
            total += i * j
        else:
            rounds += 1
            continue
        break
    return total, rounds


@case(3, 5, gives=(2, 4))
def loop_variable_afterwards(n):
    for i in range(n):
        last = i
    return i if i == last else -1


@case((0, 7), (3, 7), gives=(7, 2))
def loop_variable_was_set_before(n, i):
    for i in range(n):
        pass
    return i


@case((0, 2.0), (3, 2.0), marks="widens")
def zero_trips(n, x):
    s, k = 0, -1
    while n > 0:
        s += x
        n -= 1
        k = n
    return s, k


@case(4, 6, marks="widens")
def int_becomes_float(n):
    s = 0
    p = 1
    for i in range(n):
        s += i / 2
        p = p * 2 if i % 2 else p
    return s, p


@case(3, 9)
def widening_through_two_names(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b / 2
    return a + b * 1.0


@case((5, 3.0), (0, 3.0), gives=(8, 0))
def while_true(n, x):
    k = 0
    while True:
        if k * k >= n * 10:
            break
        k += 1
    return k


@case((10,), (1,), (97,), gives=(6, 0, 118))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@case(0, 3, 9)
def while_with_else(n):
    k = 0
    while k < n:
        if k == 5:
            r = 100
            break
        k += 1
    else:
        r = -k
    return r, k


@case(5, 8)
def name_defined_in_the_loop(n):
    for i in range(n):
        if i == 0:
            best = 10
        elif (i * 7) % 5 < best:
            best = (i * 7) % 5
    return best


@case(3, 4)
def loops_five_deep(n):
    s = 0
    for a in range(n):
        for b in range(a):
            c = 0
            while c < b:
                for d in range(c + 1):
                    for e in range(2):
                        s += a * b + c * d + e
                c += 1
    return s


@case((3, 1.0), (4, 0.5), marks="differentiable")
def values_swapped_in_a_loop(n, x):
    y = 2.0 * x
    for _ in range(n):
        x, y = y, x * y
    return x + 3.0 * y


@case((2, 1.5), (3, 1.5), marks="differentiable")
def triangular_loops(n, x):
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += math.sin(x * i) * (j + x)
    return total


@case(6, 11)
def while_with_continue(n):
    k, total = 0, 0
    while k < n:
        k += 1
        if k % 3 == 0:
            continue
        total += k
    return total


@case(4, 7)
def range_bound_read_once(n):
    count = 0
    for i in range(n):
        n = 100
        i = i * 2
        count += i
    return count, n


@case((20, 4), (3, 9))
def conditions_with_and(a, b):
    k = 0
    while k < a and k * k < b or k == 2:
        k += 1
    return k


@case((3, 2.0), (5, -1.0), marks="widens")
def return_in_a_loop(n, x):
    for i in range(n):
        x = x + i
        if x > 4.0:
            return x * 2.0
    return 0


@case(4, 9, gives=(2, 3))
def while_over_a_call(n):
    k = 0
    while not big_enough(k, n):
        k += 1
    return k


def big_enough(k, n):
    for j in range(k + 1):
        if j * j >= n:
            return True
    return False
