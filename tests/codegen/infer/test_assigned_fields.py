"""Objects whose fields are assigned to: what Python gives, or a refusal at the line; and the text that is emitted."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from plain_python import difference
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

NUMPY: dict[str, Any] = {"target": "numpy"}


@dataclass
class P:
    x: float
    y: float = 0.0
    count: int = 0


@dataclass
class Vec:
    x: float
    y: float

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s)


@dataclass
class Particle:
    pos: Vec
    vel: Vec

    def step(self, dt):
        self.pos += self.vel * dt
        self.vel = self.vel * 0.9


@dataclass
class Arrays:
    a: np.ndarray
    n: int = 0


@dataclass(frozen=True)
class Frozen:
    x: float


class Named(NamedTuple):
    x: float


class Base:
    steps = 0

    def __init__(self, x):
        super().__init__()
        self.x = x

    def go(self):
        self.x += self.rate()
        self.steps += 1

    def rate(self):
        return 1.0


class Derived(Base):
    def __init__(self, x):
        super().__init__(x)
        self.log = []
        self.reset()

    def reset(self):
        self.n = 0

    def go(self):
        super().go()
        self.n += 2
        self.log.append(self.x)

    def rate(self):
        return 2.0 + super().rate()


class Celsius:
    def __init__(self, c):
        self.c = c
        if c > 3.0:
            return
        setattr(self, "c", c + 1.0)

    @property
    def f(self):
        return self.c * 1.8 + 32.0

    @f.setter
    def f(self, value):
        self.c = (value - 32.0) / 1.8

    @property
    def known(self):
        return 1.0


class Node:
    def __init__(self, v):
        self.v = v
        self.next = None


class Stream:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.drawn = 0

    def normal(self):
        self.drawn += 1
        return self.rng.normal()


def moved(p, dx):
    p.x += dx
    p.count += 1
    return p


def twice(p, q):
    p.x += 1.0
    q.x *= 2.0
    return p.x


def pair(x):
    p = P(x)
    p.x += 1.0
    return p, p, [p]


def kept(holder, x):
    p = P(x)
    holder.pos = p
    return p


def upwards(p, n):
    for k in range(n):
        p.x += k
        yield p.x


def failing(p):
    p.x += 1.0
    if p.x > 2.0:
        raise ValueError("large")


AROUND = P(3.0)

RIGHT = """
p, q = P(x), P(x)
return twice(p, p) + 10.0 * twice(p, q) + 100.0 * p.x + q.x

d = {"p": P(x)}
t = (d["p"], 3)
t[0].x += 1.0
d["p"].y = 4.0
return d["p"].x + t[0].y

ps = [P(x)] * 2
ps.append(P(3.0))
for q in ps:
    q.x += 1.0
return ps[1].x + ps[2].x

ps = [P(x), P(2.0 * x), P(3.0)]
for k in range(n):
    ps[k % 3].x += 1.0
ps[n % 2].y = 5.0
return [p.x + p.y for p in ps]

ps = []
for k in range(n):
    ps.append(P(x + k))
for q in ps:
    q.x += 1.0
return sum(q.x for q in ps)

p = Arrays(np.array([x, 1.0]))
old = p.a
p.a = p.a * 2.0
old[0] = 7.0
p.a[1] += 3.0
p.n += 1
return old[0] + 10.0 * p.a[0] + 100.0 * p.a[1]

u = np.array([x, 1.0])
p = Arrays(u)
p.n = 2
p.a += 1.0
u[0] = 5.0
p.a[1] = 9.0
return u[0] + u[1] + p.a[0]

a, b = Node(x), Node(2.0)
a.next, b.next = b, a
b.v += 1.0
a.v = 3.0
return a.next.v + 10.0 * b.next.v

p = P(x)
f = lambda d: moved(p, d).x
return f(1.0) + f(2.0) + p.x

p, q, [r] = pair(x)
p.x += 1.0
q.y = 2.0
return p.x + r.x * p.y

p = P(x)
q = None
if x > 1.0:
    q = p
p.x += 1.0
return p.x if q is None else q.x * 2.0

a, b = P(x), P(2.0 * x)
for _ in range(n):
    a, b = b, a
    a.x += 1.0
return a.x + 10.0 * b.x

for k in range(n):
    p = P(x + k)
    p.x += 1.0
return p.x

p = P(x)
for v in upwards(p, 3):
    p.y += v
return p.x * p.y

v = Vec(x, 1.0)
w = v
v += Vec(1.0, 2.0)
return w.x + 10.0 * v.y

p = Particle(Vec(x, 0.0), Vec(1.0, 2.0))
for _ in range(n):
    p.step(0.1)
return p.pos.x, p.pos.y, p.vel.y

d = Derived(x)
for _ in range(n):
    d.go()
return d.x, d.n, d.steps, d.log

t = Celsius(x)
t.f = 100.0
t.f += t.c
return t.c + Celsius(x).c

p, q = P(x, 2.0), P(x)
p.x, p.y = p.y, p.x
p.x = q.y = p.x + 1.0
return p == P(3.0, x), p is q, p is p, p.x, q.y

s = Stream(n)
total = 0.0
for _ in range(n):
    total += s.normal()
return total + s.drawn

p = P(x)
def count(y):
    p.count += 1
    return y * p.x
listed = [count(k) for k in range(n)] + [count(1.0)]
made = np.array([count(1.0 * k) for k in range(n)])
return sum(listed) + np.sum(made) + sum(map(count, [1.0, 2.0])) + p.count

p = P(x)
for k in range(n):
    try:
        if k == 2:
            raise ValueError("no")
        p.x += k
    except ValueError:
        p.y += 1.0
    finally:
        p.count += 1
return p.x + p.y * p.count

p = P(x)
while moved(p, 1.0).x < 6.0:
    p.y += 1.0
return p

p, q = P(x), P(0.5)
p.x += 1.0
q.count = n
return p if x > 1.0 else q

p, q = P(x), P(0.5)
p.x += 1.0
if n < 5:
    return p
return q

p = P(x)
p.y += n
return {"p": [p, P(2.0)], "q": moved(p, 1.0).x}
"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("body", RIGHT.strip().split("\n\n"))
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_as_in_python(body: str, target: str) -> None:
    f = function(body)
    for given in ((1.5, 4), (0.25, 5)):
        assert difference(jit(f, target=target)(*given), f(*given)) is None


def function(body: str) -> Any:
    """The function of x and n with such a body."""
    f = loaded(f"def f(x, n):\n{textwrap.indent(body, '    ')}\n")
    f.__globals__.update({key: value for key, value in globals().items() if not key.startswith("_")})
    return f


OUTSIDE = (
    "an object that the program is given, or that is around it, keeps its fields: make a new one in the program, "
    "`dataclasses.replace(...)` of it"
)
# Objects of which it is found out when the program runs which one is meant: rows (test_objects_as_rows.py).
FOUND_OUT = """
p, q = P(x), P(2.0)
r = p if x > 1.0 else q
r.x += 1.0
return p.x

p = P(x)
q = p
for k in range(n):
    p = P(p.x + k)
    p.x += 1.0
return p.x + q.x

p, q = P(x), P(2.0)
if x > 1.0:
    p, q = q, p
p.x += 1.0
return p.x - q.x

ps = [P(float(k)) for k in range(3)]
ps[int(x)].y += 1.0
return ps[0].y + 2.0 * ps[1].y
"""


@pytest.mark.parametrize("body", FOUND_OUT.strip().split("\n\n"))
def test_which_object_is_meant_is_found_out(body: str) -> None:
    f = function(body)
    for x in (0.5, 1.5):
        assert jit(f, **NUMPY)(x, 4) == f(x, 4)


REFUSED = f"""
p = P(x)
try:
    failing(p)
except ValueError:
    p.y = 1.0
return p.x
# 3: 'p_x' is changed here before what may raise inside `try`: make it statements of their own

p = Frozen(x)
p.x = 2.0
return p.x
# 2: cannot assign to field 'x': Frozen is frozen; use dataclasses.replace

p = Named(x)
p.x = 2.0
return p.x
# 2: a named tuple keeps its fields: write `Named(...)`, or `_replace`

p = P(x)
p.z = 2.0
return p.z
# 2: P has no field 'z': give the dataclass one

t = Celsius(x)
t.known = 2.0
return t.c
# 2: property 'known' of 'Celsius' object has no setter

AROUND.x += x
return AROUND.x
# 1: {OUTSIDE}

x.real.part = 1.0
return x
# 1: assigning to the attribute 'part' of a float is not supported: make a new one

p = P(x)
for k in range(n):
    p.x = (1.0, x)
return p.x
# 2: 'p_x' is a float before an iteration and a tuple of 2 after it: give it one kind of value
"""


@pytest.mark.parametrize("block", REFUSED.strip().split("\n\n"))
def test_refused(block: str) -> None:
    body, _, expected = block.rpartition("\n# ")
    line, _, message = expected.partition(": ")
    with pytest.raises(SourceError) as error:
        jit(function(body), **NUMPY)(1.5, 4)
    span, said = error.value.problems[0]
    assert span is not None
    assert (span.line - 1, said) == (int(line), message)


def test_arguments_keep_their_fields() -> None:
    with pytest.raises(SourceError) as error:
        jit(moved, **NUMPY)(P(1.0), 2.0)
    assert error.value.problems[0][1] == OUTSIDE


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        a = -self.x
        self.v += dt * a
        self.x += dt * self.v


def oscillator(x, n):
    body = Body(x, 0.0)
    for _ in range(n):
        body.step(0.01)
    return body.x


def test_fields_are_variables(golden: Any) -> None:
    golden("fields.py", jit(oscillator, **NUMPY).source(1.0, 3))


# ---- tests of loops that assign to fields ----


class Settled:
    def __init__(self, tol):
        self.tol, self.last = tol, None

    def __call__(self, v):
        if self.last is not None and abs(v - self.last) < self.tol:
            return True
        self.last = v
        return False


class Shrinking:
    def __init__(self):
        self.size = 1

    def goes_on(self, by):
        self.size = self.size * by
        return self.size > 0.01


class Path:
    def __init__(self):
        self.place = None

    def goes_on(self, x):
        self.place = 1.0 * x if self.place is None else self.place + x
        return self.place[0] < 5.5


class Never:
    def __init__(self):
        self.calls = 0.0

    def goes_on(self, x):
        self.calls += x
        return False


def root(x, k):
    settled, v, n = Settled(1e-3), x[0], 0
    while not settled(v):
        v = 0.5 * (v + 2.0 * x[1] / v)
        n += 1
    return v * n + settled.last


def root_left(x, k):
    settled, v, n = Settled(1e-9), x[0], 0
    while not settled(v):
        if n > k:
            break
        v = 0.5 * (v + 2.0 * x[1] / v)
        n += 1
    return v * n + settled.last


def roots(x, k):
    total = 0.0
    for i in range(3):
        settled, v = Settled(1e-2), x[i]
        while not settled(v):
            v = 0.5 * (v + x[1] / v)
        total += settled.last
    return total


def shrunk(x, k):
    shrinking, n = Shrinking(), 0
    while shrinking.goes_on(x[0] / x[1]):
        n += 1
    return shrinking.size * n


def walked(x, k):
    path, total = Path(), 0.0
    while path.goes_on(x):
        total += path.place[1]
    return total + path.place[2]


def never(x, k):
    test = Never()
    while test.goes_on(x[1]):
        test.calls += 100.0
    return test.calls * x[0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", [root, root_left, roots, shrunk, walked, never], ids=lambda f: f.__name__)
def test_kinds_that_a_test_changes(f: Any) -> None:
    """A field is None, or an int, until the loop's test is asked."""
    x = np.array([1.0, 2.0, 3.0])
    want = f(x, 1)
    assert jit(f)(x, 1) == pytest.approx(want, rel=1e-14)
    assert jit(f, **NUMPY)(x, 1) == pytest.approx(want, rel=1e-14)
    np.testing.assert_allclose(batch(f, in_axes=(0, None))(np.stack((x, x)), 1), (want, want), rtol=1e-13)
    y = x + 0.125
    slope = [(f(y + step, 1) - f(y - step, 1)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(grad(f)(y, 1), slope, rtol=1e-6, atol=1e-7)


class Filter:
    def __init__(self, gain):
        self.gain, self.steps = gain, 0

    def predict(self, v):
        self.points = np.array([self.gain * v, v + 1.0])
        self.least = None
        self.steps += 1

    def update(self, v):
        if self.least is None or v < self.least:
            self.least = v
        self.points[0] += 0.25 * v
        self.gain = self.gain + 0.1 * (v - self.points.sum())


def filtered(x, k):
    kept = Filter(x[0])
    for i in range(len(x)):
        if i != k:
            kept.predict(x[i])
        kept.update(x[i])
    return kept.gain * kept.steps + kept.least * kept.points[1]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_fields_that_a_method_gives_first_in_a_loop(k: int) -> None:
    x = np.array([0.5, 2.0, 3.0])
    want = filtered(x, k)
    assert jit(filtered)(x, k) == pytest.approx(want, rel=1e-14)
    np.testing.assert_allclose(
        batch(filtered, in_axes=(0, None))(np.stack((x, x)), k), (want, want), rtol=1e-13
    )
    slope = [(filtered(x + step, k) - filtered(x - step, k)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(grad(filtered)(x, k), slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_fields_that_are_used_before(target: str) -> None:
    with pytest.raises(AttributeError, match="'least' is used before it is given a value|'least'"):
        jit(filtered, target=target)(np.array([0.5, 2.0, 3.0]), 0)
