"""Programs that are all control flow, each written for one lane, and lanes that differ. NumPy and math only.

Both sides run these very functions: ours by `batch`, the other in a loop over lanes compiled by Numba.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def mandelbrot(cr, ci):
    """Steps until c's orbit leaves the disc of radius 2, at most 500."""
    x, y, steps = 0.0, 0.0, 0
    while steps < 500 and x * x + y * y < 4.0:
        x, y = x * x - y * y + cr, 2.0 * x * y + ci
        steps += 1
    return steps


def gcd(a, b):
    while a != b:
        if a > b:
            a -= b
        else:
            b -= a
    return a


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def hares_and_lynxes(x, y):
    """Lotka and Volterra's equations."""
    return x * (1.1 - 0.4 * y), y * (0.1 * x - 0.4)


def runge_kutta(tolerance):
    """Lynxes after 10 years by Bogacki and Shampine's pair (1989), its steps chosen by the local error."""
    t, x, y, h = 0.0, 10.0, 5.0, 0.01
    x1, y1 = hares_and_lynxes(x, y)
    while t < 10.0:
        h = min(h, 10.0 - t)
        x2, y2 = hares_and_lynxes(x + 0.5 * h * x1, y + 0.5 * h * y1)
        x3, y3 = hares_and_lynxes(x + 0.75 * h * x2, y + 0.75 * h * y2)
        new_x = x + h * (2.0 * x1 + 3.0 * x2 + 4.0 * x3) / 9.0
        new_y = y + h * (2.0 * y1 + 3.0 * y2 + 4.0 * y3) / 9.0
        x4, y4 = hares_and_lynxes(new_x, new_y)
        wrong_x = abs(-5.0 * x1 + 6.0 * x2 + 8.0 * x3 - 9.0 * x4)
        wrong_y = abs(-5.0 * y1 + 6.0 * y2 + 8.0 * y3 - 9.0 * y4)
        error = h * max(wrong_x, wrong_y) / 72.0
        if error <= tolerance:
            t, x, y, x1, y1 = t + h, new_x, new_y, x4, y4
        h *= min(5.0, max(0.2, 0.9 * (tolerance / max(error, 1e-300)) ** (1.0 / 3.0)))
    return y


def newton(a):
    """The square root of a, from a."""
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def queens(board, columns, left, right):
    """In how many ways the rows below can be filled; bits are columns that are taken, and attacked diagonals."""
    if columns == board:
        return 1
    ways = 0
    free = board & ~(columns | left | right)
    while free != 0:
        place = free & -free
        free ^= place
        ways += queens(board, columns | place, (left | place) << 1, (right | place) >> 1)
    return ways


class Work(NamedTuple):
    """A function of one lane, and one array an argument."""

    function: Callable[..., Any]
    lanes: tuple[np.ndarray, ...]


def work(name: str, lanes: int) -> Work:
    """The named function and that many lanes for it; the same for everyone."""
    rng = np.random.default_rng(5)
    match name:
        case "mandelbrot":  # the picture, row by row
            side = int(lanes**0.5)
            re, im = np.meshgrid(np.linspace(-2.0, 0.6, side), np.linspace(-1.3, 1.3, side))
            return Work(mandelbrot, (re.ravel(), im.ravel()))
        case "gcd":
            return Work(gcd, (rng.integers(1, 100_000, lanes), rng.integers(1, 100_000, lanes)))
        case "fib":
            return Work(fib, (rng.integers(5, 25, lanes),))
        case "runge_kutta":
            return Work(runge_kutta, (10.0 ** rng.permutation(np.linspace(-7.0, -3.0, lanes)),))
        case "runge_kutta_fine":  # some milliseconds a lane
            return Work(runge_kutta, (10.0 ** np.linspace(-10.0, -9.5, lanes),))
        case "newton":
            return Work(newton, (10.0 ** rng.uniform(-8.0, 8.0, lanes),))
        case "queens":
            return Work(queens, openings(rng, lanes))
    raise ValueError(f"no work {name}")


def openings(rng: np.random.Generator, lanes: int) -> tuple[np.ndarray, ...]:
    """Boards of 8 to 11 columns whose first row has its queen somewhere."""
    size = rng.integers(8, 12, lanes)
    place = 1 << rng.integers(0, size)
    return (1 << size) - 1, place, place << 1, place >> 1
