"""Tuples, patterns, named tuples, dataclasses and dicts."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corpus.case import case

Point = namedtuple("Point", ["x", "y"])


class State(NamedTuple):
    position: np.ndarray
    momentum: np.ndarray
    energy: float = 0.0
    count: int = 0


@dataclass(frozen=True)
class Ball:
    height: float
    speed: float = 0.0

    def unused(self):
        return self.height


@case(1, 2, gives=(((1, 3), 4, (5, 6)), ((1, 3), 4, (5, 6))))
def part_of_a_pattern_overwritten(n):
    (a, b), c, (d, e) = (1, 2), 4, (5, 6)
    b = 3
    return (a, b), c, (d, e)


@case(3, 4, 5, gives=((5, 7), (6, 8), (7, 9)))
def one_name_holds_a_nest(x):
    ans = (x + 1, (x + 2, x + 3))
    y, (z, w) = ans
    return z, w + 1


@case(3, 4, 5, gives=(((4, 5), (6, 7)), ((5, 6), (7, 8)), ((6, 7), (8, 9))))
def restructured_returns(x):
    one, two, three, four = x + 1, x + 2, x + 3, x + 4
    return (one, two), (three, four)


@case(6, 7, 8, gives=(12, 13, 14))
def unpacked_list(x):
    a, b, c = [1, 2, 3]
    return x + a + b + c


@case((1.0, 2.0), (5.0, -1.0))
def starred_patterns(x, y):
    first, *rest = x, y, x * y, 4.0
    *init, last = rest
    a, *nothing, b = first, last
    return first, last, len(rest), init[0], rest, nothing, a - b


@case((1, 2), (5, -1), gives=((2, 1), (-1, 5)))
def swap(a, b):
    a, b = b, a
    return a, b


@case(4.0, 5.0, marks="differentiable")
def dummy_names(x):
    _, y = x, x * 2.0
    _, (_, z) = 1.0, (2.0, y + 1.0)
    return y * z


def shifted(p):
    return p._replace(x=p.x + 1.0)


@case(Point(1.0, 2.0), Point(-3.0, 4.0), marks="differentiable")
def named_tuples_keep_their_type(p):
    q = shifted(p)
    x, y = q
    r = Point(y=x, x=y)
    return r._replace(y=r.y + q[0])


@case(
    State(np.array([1.0, 2.0]), np.array([0.5, 0.5])),
    State(np.array([0.0, 3.0]), np.array([1.0, 0.0])),
    marks="arrays",
)
def named_tuple_of_arrays(state):
    for _ in range(3):
        momentum = state.momentum - 0.1 * state.position
        position = state.position + 0.1 * momentum
        energy = 0.5 * np.sum(momentum**2) + 0.5 * np.sum(position**2)
        state = State(position, momentum, energy, state.count + 1)
    return state


@case(Ball(10.0, 1.0), Ball(3.0, -2.0), marks="differentiable")
def dataclasses_of_numbers(ball):
    t = 0.1
    faster = Ball(ball.height + t * ball.speed, ball.speed - 9.81 * t)
    return Ball(speed=faster.speed, height=faster.height * 2.0)


@case({"mu": 1.0, "tau": 2.0}, {"mu": -1.0, "tau": 0.5}, marks="differentiable")
def dicts_with_string_keys(params):
    d = {"a": params["mu"] * 2.0, "b": (params["tau"], 1.0)}
    e = dict(z=d["a"], w=d["b"][0])
    total = 0.0
    for key, value in e.items():
        total += value
        if key == "w":
            total *= 3.0
    return {"total": total, "mu": params["mu"], "in": "a" in d}


@case((1.0, 2), (3.0, 4))
def tuples_added_and_repeated(x, n):
    t = (x, 2.0) + (n,)
    u = (0,) * 3 + t[1:]
    return t + u, len(t), t[-1], u[::2]


@case((1, 2, 3), (3, 2, 1), gives=((True, False, True), (False, False, True)))
def tuples_compared(a, b, c):
    return (a, b) == (1, 2), (a, b) == (b, c, a), (a, b) != (c, b)


@case(np.array([1.0, 2.0, 3.0]), np.array([0.0, -1.0, 5.0]), marks="arrays differentiable")
def arrays_in_tuples(x):
    pair = (x, x * 2.0)
    total = 0.0
    for each in pair:
        total += each.sum()
    first, second = pair
    return total + first[0] * second[1], (second, (first,))


@case((True, 1.0), (False, 1.0))
def nests_joined(flag, x):
    if flag:
        p = Point(x, 2.0)
    else:
        p = Point(3.0, x)
    return p, p.x - p.y


@case((1.0, 2.0), (3.0, 4.0))
def list_comprehensions(x, y):
    powers = [x**k for k in range(4)]
    pairs = [(a, b) for a, b in zip(powers, [y, y + 1.0, y + 2.0])]
    return np.array(powers), [a * b for a, b in pairs], sum([p for p in powers])


@case((np.array([1.0, -2.0, 3.0]), 2.0), (np.array([0.5, 4.0, -1.0]), -1.0), marks="arrays differentiable")
def arrays_of_comprehensions(x, y):
    """Lists of as many items as an array has, which NumPy makes arrays of."""
    powers = np.array([[a**k for k in range(len(x))] for a in x])
    pairs = np.array([[a * y, b - y] for a, b in zip(x, x[::-1])])
    return (
        powers,
        pairs,
        np.sum([a * np.sin(a) for a in x]),
        np.stack([row / np.sum(np.abs(row)) for row in powers]),
    )


@case((np.array([1.0, -2.0, 3.0]), 2), (np.array([0.5, 4.0, -1.0]), 3), marks="arrays differentiable")
def generator_expressions(x, n):
    """Functions of what is made item by item, of lengths that are known or not."""
    total = sum(a * a for a in x if a > 0.0) + sum(x[i] * x[j] for i in range(n) for j in range(i))
    largest = max(a * total for a in x)
    least = min((a for a in x if a > largest), default=-1.0)
    near = [x[i] - x[j] for i in range(3) for j in range(3) if abs(i - j) == 1]
    if any(a > 3.5 for a in x) or all(1.0 / a < 1.0 for a in x if a != 0.0):
        total = 2.0 * total
    return total, largest, least, near[0] * near[3]
