"""Objects around a program: as operands beside those that it makes, and one of several that is chosen when it runs."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit


@dataclass(frozen=True)
class Vec:
    x: float
    y: float

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y)

    def __rmul__(self, scale):
        return Vec(scale * self.x, scale * self.y)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __lt__(self, other):
        return self.x < other.x

    def __abs__(self):
        return math.hypot(self.x, self.y)


@dataclass(frozen=True)
class Near:
    x: float

    def __eq__(self, other):
        return abs(self.x - other.x) < 0.1


class Rate:
    def __init__(self, k):
        self.k = k

    def __add__(self, other):
        return Rate(self.k + (other.k if isinstance(other, Rate) else other))

    __radd__ = __add__

    def __getitem__(self, time):
        return self.k * time

    def __contains__(self, value):
        return value < self.k

    def __call__(self, time):
        return self.k * time


@dataclass(frozen=True)
class Disc:
    centre: Vec
    radius: float
    shade: float = 1

    def distance(self, p):
        return abs(p - self.centre) - self.radius


ORIGIN, ONE, NEAR, RATE, SLOW = Vec(0.0, 0.0), Vec(1.0, 2.0), Near(1.0), Rate(2.0), Rate(0.5)
SCENE = [Disc(Vec(0, 0), 1.0, 0.25), Disc(Vec(3.0, 0.5), 0.5), Disc(Vec(1.0, 4.0), 2.0, 0.5)]


def compared(x):
    made = Vec(x, 2.0)
    return made == ONE, ONE == made, made != ONE, Near(x) == NEAR, made in (ORIGIN, ONE), made == 1.0


def computed(x):
    made = Vec(x, 1.0)
    return (
        (made + ONE).x,
        (ONE - made).y,
        (x * ONE).y,
        (ONE + ORIGIN).y,
        (-ONE).x * x,
        ONE < made,
        abs(ONE) * x,
    )


def of_plain_classes(x):
    return (RATE + x).k, (x + RATE).k, (RATE + Rate(x)).k, (RATE + SLOW).k, RATE[x], x in RATE, RATE(x)


def shade(x, y):
    p, best, hit = Vec(x, y), math.inf, None
    for disc in SCENE:
        if disc.distance(p) < best:
            best, hit = disc.distance(p), disc
    rate = None
    for each in (RATE, SLOW):
        if each.k < x:
            rate = each
    return hit.shade * best * x + hit.radius + (0.0 if rate is None else rate(y))


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("f", [compared, computed, of_plain_classes])
def test_they_are_operands(f, target):
    for x in (1.0, 1.5, 3.0):
        np.testing.assert_allclose(jit(f, target=target)(x), f(x))


def test_one_is_chosen():
    xs = np.array([0.2, 1.5, 3.5])
    np.testing.assert_allclose([jit(shade)(x, 1.0) for x in xs], [shade(x, 1.0) for x in xs])
    np.testing.assert_allclose(batch(shade, in_axes=(0, None))(xs, 1.0), [shade(x, 1.0) for x in xs])
    near = (shade(1.5 + 1e-6, 1.0) - shade(1.5 - 1e-6, 1.0)) / 2e-6
    np.testing.assert_allclose(grad(shade)(1.5, 1.0), near, rtol=1e-6)


def test_which_one_it_is_is_not_asked():
    with pytest.raises(SourceError, match="`is` of one of several objects around the program"):
        jit(lambda x: (ONE if x > 0.0 else ORIGIN) is ONE)(1.0)


def test_they_keep_their_fields():
    def changed(x):
        rate = RATE if x > 1.0 else SLOW
        rate.k = x
        return rate.k

    with pytest.raises(
        SourceError, match="an object that the program is given, or that is around it, keeps its fields"
    ):
        jit(changed)(2.0)
