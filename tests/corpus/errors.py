"""Programs that end in an exception at run time."""

import numpy as np

from corpus.case import case


class Divergence(Exception):
    """Not one of Python's own."""


@case(-1.0, -2.0, raises=ValueError)
def raises_an_error(x):
    if x < 0.0:
        raise ValueError("x must not be negative")
    return x


@case(3.0, 4.0, raises=AssertionError)
def fails_an_assertion(x):
    assert x < 2.0, "too large"
    return x


@case((np.array([1.0, 2.0]), 2), (np.array([1.0, 2.0]), -3), raises=IndexError, marks="arrays")
def index_out_of_range(x, k):
    return x[k]


@case((np.zeros(2), 5), raises=IndexError, marks="arrays")
def write_out_of_range(x, k):
    for i in range(k):
        x[i] = 1.0
    return x


@case(5, 7, raises=RecursionError, marks="recursive")
def gives_up(n):
    if n > 3:
        raise RecursionError(f"{n} is too deep")
    return gives_up(n - 1) if n > 0 else 0


@case(7, 9, raises=RuntimeError)
def raises_in_a_loop(n):
    for k in range(n):
        if k * k > 10:
            raise RuntimeError
    return k


@case(0, raises=UnboundLocalError)
def unbound_after_a_loop(n):
    for i in range(n):
        last = i
    return last


@case(2.0, 5.0)
def raises_on_no_lane(x):
    if x < 0.0:
        raise Divergence("never")
    assert x > 1.0
    y = x
    if y > 100.0:
        raise ValueError(f"{y} is large")
    else:
        y = y * 2.0
    return y


@case((np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])), raises=ValueError, marks="arrays")
def sizes_differ(x, y):
    return x + y


@case((np.array([0.5]), np.array([-1.0])), (np.array([0.25]), np.array([-2.0])), marks="arrays")
def would_read_beyond_one_element(x, z):
    total = 0.0
    for i in range(len(x)):
        if z[i] > 0.0:
            total = total * 0.5 + z[i + 1]
        total += x[i]
    return total


@case((np.array([0.5]), np.array([1.0])), raises=IndexError, marks="arrays")
def reads_beyond_one_element(x, z):
    total = 0.0
    for i in range(len(x)):
        if z[i] > 0.0:
            total = total * 0.5 + z[i + 1]
        total += x[i]
    return total


@case((np.array([0.5]), np.array([-1.0])), (np.array([0.25]), np.array([-2.0])), marks="arrays")
def would_write_beyond_one_element(x, z):
    x = x.copy()
    for i in range(len(x)):
        if z[i] > 0.0:
            x[i + 1] = z[i]
        x[i] *= 2.0
    return x


@case((np.array([0.5]), np.array([1.0])), raises=IndexError, marks="arrays")
def writes_beyond_one_element(x, z):
    x = x.copy()
    for i in range(len(x)):
        if z[i] > 0.0:
            x[i + 1] = z[i]
        x[i] *= 2.0
    return x


@case((np.zeros(0), 2.0), raises=IndexError, marks="arrays")
def reads_the_first_of_none(x, y):
    for i in range(1):
        if y > 1.0:
            y += x[i]
    return y


@case((np.array([[0.5, 1.5]]), np.array([-1.0])), (np.array([[0.25, 2.5]]), np.array([-2.0])), marks="arrays")
def would_read_a_row_beyond_the_last(x, z):
    total = np.zeros(2)
    for i in range(len(x)):
        if z[i] > 0.0:
            total = total * 0.5 + x[i + 1]
        total = total + x[i]
    return total
