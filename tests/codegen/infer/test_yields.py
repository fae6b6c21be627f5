"""Loops over functions that yield: what plain Python makes of them."""

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

HEAD = """
import itertools
import numpy as np

SCALE = 2.0

def points(a, b, h):
    x = a
    while x <= b:
        yield x * SCALE
        x += h

def evens(n):
    for k in range(n):
        if k % 2 == 0:
            yield k, k * SCALE

def pairs(n):
    for k in range(n):
        for j in range(k):
            yield j

def some(n):
    for k in range(n):
        if k > 3:
            break
        yield k

def beside(i, n):
    if i > 0:
        yield i - 1
    if i < n - 1:
        yield i + 1

def triangle(n, limit):
    if n < 2:
        return
    for a in range(n):
        for b in range(a):
            if a * b > limit:
                return
            yield a, b
            limit -= 0.5

class Tree:
    def __init__(self, x):
        self.x, self.seen = x, 0

    def __iter__(self):
        for k in walk(np.array([1, 3, -1, -1, -1, -1]), np.array([2, 4, 5, -1, -1, -1])):
            self.seen += 1
            yield k, self.x + k

def walk(left, right):
    stack = [0]
    while stack:
        k = stack.pop()
        if k < 0:
            continue
        yield k
        stack.append(right[k])
        stack.append(left[k])
"""
PROGRAMS = {
    "left from inside": '''
def f(x, n):
    total, k = 0.0, 0
    for k in pairs(n):
        if k == 2:
            break
        total += x * k
    for p in points(x, n, 0.5):
        if p > 4.3:
            continue
        total += p * x
    return total + k
''',
    "several yields": '''
def f(x, n):
    total = 0.0
    for i in range(n):
        for k in beside(i, n):
            if k == 1:
                continue
            for m in beside(k, n):
                if m == 3:
                    break
                total += x * m
            if total > 9.0:
                break
        total *= 0.9
    return total + sum(beside(0, n)) * x
''',
    "returns": '''
def f(x, n):
    total = 0.0
    for a, b in triangle(n, 20.0):
        if a == 3:
            continue
        total += x * a * b
        if total > 30.0:
            break
        total += 0.1
    return total + len(list(triangle(n, 3.0))) * x
''',
    "numbered": '''
def f(x, n):
    total = 0.0
    for k, (j, v) in enumerate(evens(n), start=1):
        if k == 2:
            continue
        total += x * v * k
    for k, p in enumerate(points(x, x + n, 0.5)):
        if k > 3:
            break
        total += k * p
    return total
''',
    "a class": '''
def f(x, n):
    tree, total = Tree(x), 0.0
    for k, v in tree:
        if k == 4:
            continue
        if k > n:
            break
        total += k * v
    return total * tree.seen
''',
    "a stack": '''
def f(x, n):
    total, seen = 0.0, []
    for k in walk(np.array([1, 3, -1, -1, -1, -1]), np.array([2, 4, 5, -1, -1, -1])):
        if k == 4:
            continue
        if len(seen) > n:
            break
        seen.append(k)
        total = total * x + k
    return total
''',
    "one of several": '''
def f(x, n):
    for g in (beside, pairs_from):
        for k in g(1, n):
            x += 0.1 * k
    return x

def pairs_from(start, n):
    for k in range(start, n):
        yield k * SCALE
''',
    "by name": '''
def f(x, n):
    total, xs = 0.0, points(x, x + n, 0.5)
    for p in xs:
        total += p * p
    return total
''',
    "in a loop": '''
def f(x, n):
    total = 0.0
    for k in range(3):
        for k, v in evens(n):
            if v > 3.0:
                total += v * x
            x = x * 0.5
    return total + k
''',
    "nested": '''
def f(x, n):
    def below(m):
        i = 0
        while i < m:
            yield x * i
            i += 1
    i = 100
    for v in below(n):
        i += 1
        x = x + v
    return x * i
''',
    "early": '''
def f(x, n):
    for k, v in evens(n):
        if v > x:
            return k * x
    return -x
''',
    "left": '''
def f(x, n):
    total = 0.0
    for k, v in evens(n):
        if k == 2:
            continue
        total += v * x
        if total > 7.0:
            break
    else:
        total = total * x
    return total
''',
    "without end": '''
def f(x, n):
    for k in itertools.count(1):
        for y in itertools.count(x, step=0.71):
            if y > n:
                break
            x += 0.23 * k
        if k % 2 == 0:
            continue
        if x + k > n:
            return x * k
''',
    "sums": '''
def f(x, n):
    return sum(v * x for k, v in evens(n)) + max(p for p in points(x, x + n, 0.25))
''',
    "as lists": '''
def f(x, n):
    listed = list(points(x, x + n, 0.25))
    shares = np.array([v * x for v in points(x, x + n, 0.5)])
    largest = sorted(pairs(n), reverse=True)[:1]
    rows = np.array([np.array([k, x]) for k in some(n)])
    seen = [(k, v) for k, v in evens(n) if k != 2]
    total = sum(points(x, x + n, 0.5)) + listed[-1] * len(seen) + np.sum(shares)
    return total + len(largest) + max(some(n)) * np.sum(rows)
''',
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    f = loaded(HEAD + PROGRAMS[name])
    for x, n in ((0.5, 6), (2.5, 3), (1.25, 1)):
        assert jit(f, target="numpy")(x, n) == f(x, n)
        assert jit(f)(x, n) == pytest.approx(f(x, n))
        slope = (f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6
        assert grad(f)(x, n) == pytest.approx(slope, rel=1e-5)
    lanes = np.array([0.5, 2.5]), np.array([6, 3])
    np.testing.assert_allclose(batch(f)(*lanes), [f(0.5, 6), f(2.5, 3)])


ONCE = "a generator is gone through once, by a `for` in the loop that it was made in"
REFUSED = {
    "else": (
        "    for k in some(n):\n        x += k\n    else:\n        x = 0.0\n    return x", 1,
        "`else` of a loop over a generator is supported where the function ends with the loop that yields, and "
        "does not leave it: fill a list, and go through that",
    ),
    "twice": (
        "    e = evens(n)\n    for k, v in e:\n        x += v\n    for k, v in e:\n        x += v\n    return x",
        4, ONCE,
    ),
    "in another loop": (
        "    e = evens(n)\n    for i in range(2):\n        for k, v in e:\n            x += v\n    return x", 3, ONCE,
    ),
    "beside others": ("    return [v for _, v in zip(range(n), pairs(n))]", 1, "a generator cannot be iterated over"),
    "twice as a list": ("    e = evens(n)\n    return list(e) + list(e)", 2, ONCE),
    "a try": (
        "    def g():\n        try:\n            yield x\n        except ValueError:\n            pass\n"
        "    for v in g():\n        x += v\n    return x", 2,
        "a function that yields has up to 9 `yield`, and no `try` or functions in it: fill a list and return it",
    ),
    "the program": (
        "    yield x", 1, "a generator is gone through by a `for` statement alone: fill a list and return it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    body, line, message = REFUSED[name]
    f = loaded(f"{HEAD}\ndef f(x, n):\n{body}\n")
    with pytest.raises(SourceError) as caught:
        jit(f)(1.0, 3)
    assert (caught.value.lineno - f.__code__.co_firstlineno, caught.value.msg) == (line, message)


def doubling(x, k):
    size = 1.0
    while True:
        size *= x[k]
        yield size


def above(x, least):
    for v in x:
        if v > least:
            yield v * v


def all_of_them(x, k):
    return np.fromiter(above(x, 1.5), dtype=float) @ np.ones(3) + x[k]


def as_many(x, k):
    powers = np.fromiter(doubling(x, k), float, count=k + 3)
    return powers[-1] * np.sum(powers)


def not_one(x, k):
    return np.sum(np.fromiter(doubling(x, k), count=k - 1, dtype=float)) + x[k]


def nested_one(x, k):
    def steps(n):
        for i in range(n):
            yield x[i] * i

    return np.fromiter(steps(len(x)), dtype=np.float64, count=len(x)) @ x


def too_few(x, k):
    return np.sum(np.fromiter(above(x, 1.5), dtype=float, count=k + 4))


@pytest.mark.turns(4)
@pytest.mark.parametrize("f", [all_of_them, as_many, not_one, nested_one], ids=lambda f: f.__name__)
def test_arrays_of_what_is_yielded(f):
    x = np.array([1.0, 2.0, 3.0, 4.0])
    want = f(x, 1)
    for target in ("numba", "numpy"):
        assert jit(f, target=target)(x, 1) == pytest.approx(want, rel=1e-14)
    np.testing.assert_allclose(batch(f, in_axes=(0, None))(np.stack((x, x)), 1), (want, want), rtol=1e-13)
    slope = [(f(x + step, 1) - f(x - step, 1)) / 2e-6 for step in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(grad(f)(x, 1), slope, rtol=1e-6)


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_fewer_are_yielded_than_counted(target):
    x = np.array([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError) as plain:
        too_few(x, 1)
    with pytest.raises(ValueError) as made:
        jit(too_few, target=target)(x, 1)
    assert str(made.value) == str(plain.value)
