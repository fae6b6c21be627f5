"""Dataclasses and named tuples: methods, operators and makers of their classes are Python's."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import InitVar, asdict, astuple, dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

NUMPY: dict[str, Any] = {"target": "numpy"}


class Scaled:
    factor = 2.0

    def larger(self):
        return self.a * self.factor


@dataclass
class P(Scaled):
    a: float
    b: float

    def __add__(self, other):
        return P(self.a + other.a, self.b + other.b)

    def __rmul__(self, s):
        return P(self.a * s, self.b)

    def __neg__(self):
        return P(-self.a, self.b)

    def __lt__(self, other):
        return self.a < other.a

    def __eq__(self, other):
        return self.a == other.a

    def __bool__(self):
        return self.a > 2.0

    def __len__(self):
        return 7

    def __call__(self, x):
        return self.a * x

    def __abs__(self):
        return abs(self.a)

    def __getitem__(self, i):
        return self.a * i

    def __iter__(self):
        return iter((self.b, self.a))

    @staticmethod
    def of(x):
        return P(x, x * 2.0)

    @classmethod
    def zero(cls):
        return cls(0.0, 0.5)


@dataclass
class Plain:
    a: float
    b: float = field(init=False, default=3.0)
    c: float = field(kw_only=True, default=1.0)
    d: tuple[float, ...] = field(default_factory=lambda: (1.0, 2.0))


@dataclass(eq=False)
class Object:
    a: float


@dataclass(init=False)
class Own:
    a: float

    def __init__(self, x):
        self.a = 2.0 * x


class Pair(NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Pair(self.x + other.x, self.y - other.y)


def gone_through(p):
    total = 0.0
    for x in p:
        total += x
    return total


def unpacked(p):
    a, b = p
    return a - b


@pytest.mark.parametrize(
    "f",
    [
        lambda p: p + p,
        gone_through,
        lambda p: (2.0 * p).a,
        lambda p: -p,
        lambda p: p < P(2.0, 0.0),
        lambda p: p > P(2.0, 0.0),
        lambda p: p == P(1.0, 9.0),
        lambda p: 1 if p else 2,
        lambda p: (p or P(4.0, 5.0)).a,
        lambda p: len(p),
        lambda p: p(3.0),
        lambda p: abs(-p),
        lambda p: p.of(3.0),
        lambda p: P.zero(),
        lambda p: p.larger() + p.factor,
        lambda p: replace(p, a=5.0),
        lambda p: Plain(p.a, p.b).d,
        lambda p: Plain(p.a, c=p.b),
        lambda p: replace(Plain(p.a, c=p.b), a=2.0),
        lambda p: Pair(p.a, p.b) + Pair(1.0, 1.0),
        lambda p: Pair(p.a, p.b)._asdict(),
        lambda p: p[3] - p[-1],
        lambda p: ({"a": p.a} | {"b": p.b, "a": 3.0})["a"],
    ],
)
def test_as_their_classes_say(f):
    assert jit(f, **NUMPY)(P(1.0, 2.0)) == f(P(1.0, 2.0))


@pytest.mark.parametrize(
    "f, value, said",
    [
        (unpacked, Object(1.0), "a Object of 1 is gone through by its fields: name them one by one"),
        (lambda p: np.sum(p), Object(1.0), "a number or an array is needed here, not a Object of 1"),
        (lambda p: len(p), Object(1.0), "a Object of 1 has no len()"),
        (lambda p: p[0], Object(1.0), "a Object of 1 is read by its fields: name one"),
        (lambda p: 1.0 in p, P(1.0, 2.0), "`in` a P of 2 is not supported: compare with its fields"),
        (lambda p: p == p, Object(1.0), "`==` compares objects: compare their fields"),
        (lambda p: p != p, P(1.0, 2.0), "`!=` of a P of 2 is not supported: write `not ... == ...`"),
        (
            lambda p: np.ones(2) * p,
            P(1.0, 2.0),
            "`*` of an array and a P of 2 asks each element: turn them round",
        ),
        (
            lambda p: Own(p.a),
            P(1.0, 2.0),
            "Own does more than hold its fields (__init__): use a plain class of fields",
        ),
        (lambda p: replace(1.0, a=p), 2.0, "replace() is of dataclasses, not of a float"),
    ],
)
def test_what_they_do_not_say_is_refused(f, value, said):
    with pytest.raises(SourceError) as error:
        jit(f, **NUMPY)(value)
    assert error.value.problems[0][1] == said


def test_numbers_of_fields_stay_pythons_in_calls():
    def f(p, v):
        return p.larger() * v

    for dtype in (np.float32, np.int8):
        v = np.ones(2, dtype)
        for p in (P(1.5, 0.0), P(3, 0)):
            assert jit(f, **NUMPY)(p, v).dtype == f(p, v).dtype


def test_results_are_made_of_fields():
    given = Own(1.0)
    assert jit(lambda p: p, **NUMPY)(given) == given
    assert grad(lambda p: p.a**2, **NUMPY)(given).a == 4.0


def test_names_of_pythons_own_tuples() -> None:
    def smallest(x):
        return x + sys.float_info.min, x * sys.float_info.epsilon, sys.float_info.dig

    assert jit(smallest)(1.5) == smallest(1.5)


@dataclass
class Wire:
    length: float
    width: float = 0.5
    area: float = field(init=False)

    def __post_init__(self):
        if self.length < 0.0:
            raise ValueError(f"a length of {self.length}")
        self.area = self.length * self.width
        self.width *= 2.0


@dataclass
class Coil(Wire):
    turns: float = 3.0

    def __post_init__(self):
        super().__post_init__()
        self.turns += self.area


@dataclass(frozen=True)
class Lens:
    radius: float
    power: float = field(init=False, default=0.0)

    def __post_init__(self):
        object.__setattr__(self, "power", 2.0 / self.radius)


@dataclass
class Scaling:
    a: float
    by: InitVar[float] = 2.0

    def __post_init__(self, by):
        self.a *= by


def wires(x):
    made, k = [], 0
    while k < 2 + (x > 1.0):
        made.append(Wire(x + k))
        k += 1
    made[1].width += 1.0
    coil = replace(Coil(x, turns=1.0), length=2.0 * x)
    return sum(w.area + w.width for w in made) + coil.turns * coil.width + Lens(x).power


def test_after_their_fields_they_are_finished():
    xs = np.array([0.5, 1.5])
    np.testing.assert_allclose([jit(wires)(x) for x in xs], [wires(x) for x in xs])
    np.testing.assert_allclose(batch(wires)(xs), [wires(x) for x in xs])
    np.testing.assert_allclose(grad(wires)(0.5), (wires(0.5 + 1e-6) - wires(0.5 - 1e-6)) / 2e-6, rtol=1e-6)
    assert jit(lambda x: Wire(x, 3.0))(1.5) == Wire(1.5, 3.0)
    with pytest.raises(ValueError, match=r"a length of -1\.0"):
        jit(wires)(-1.0)
    with pytest.raises(SourceError, match=r"Scaling does more than hold its fields \(InitVar\)"):
        jit(lambda x: Scaling(x).a)(1.5)


Number = TypeVar("Number")


class Method(ABC):
    order = 2.0

    def __init__(self, x):
        self.x = x

    @abstractmethod
    def step(self, y): ...

    def twice(self, y):
        return self.step(self.step(y))


class Adding(Method):
    def step(self, y):
        return self.x * y + self.order


class Shifting(Method, Generic[Number]):
    def __init__(self, x):
        super().__init__(x)
        self.shift = x + 1.0

    def step(self, y):
        return self.shift * y


def test_classes_that_tell_what_they_are_for():
    def both(x):
        return Adding(x).twice(2.0) + Shifting(x).twice(1.0)

    assert jit(both)(1.5) == both(1.5)
    with pytest.raises(SourceError, match="objects of Method are not made here"):
        jit(lambda x: Method(x).x)(1.5)


def test_names_of_fields_that_are_known():
    def summed(x):
        method, total = Adding(x), 0.0
        for name in ("x", "order"):
            total += getattr(method, name)
        if hasattr(method, "shift"):
            total += 100.0
        return total + getattr(method, "shift", 7.0) + getattr(method, "step")(1.0)

    assert jit(summed)(1.5) == summed(1.5)
    with pytest.raises(SourceError, match=r"getattr\(\) takes a text that is known"):
        jit(lambda x: getattr(Adding(x), str(int(x))))(1.5)


class Ends:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        return iter((self.a, self.b))


class Yielding(Ends):
    def __iter__(self):
        yield self.a
        yield 2.0 * self.b


class Held:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def test_what_says_how_it_is_gone_through():
    def f(x):
        p, q = Ends(x, 2.0 * x), Yielding(x, 3.0)
        a, b = p
        total = 0.0
        for c in Held([x, 1.0, 2.0]):
            total = total * x + c
        return sum(c * c for c in p) + a * b + np.array([*q]).sum() + sum(u * w for u, w in zip(p, q)) + total

    assert jit(f)(1.5) == f(1.5)
    with pytest.raises(SourceError, match="`iter` stands in an `__iter__` alone"):
        jit(lambda x: next(iter((x, 2.0))))(1.5)


class Point:
    def __init__(self, place):
        self.place = np.array(place, dtype=float)
        self.force = np.zeros(2)


def pulled(places, n):
    points = [Point(place) for place in places]
    for _ in range(n):
        for p in points:
            p.force[:] = 0.0
        for i, p in enumerate(points):
            for q in points[:i]:
                p.force += q.place - p.place
                q.force -= q.place - p.place
        for p in points:
            p.place += 0.1 * p.force
    return np.array([p.place for p in points])


def test_arrays_in_fields_of_as_many_objects_as_an_array_has_rows():
    places = np.array([[0.0, 1.0], [2.0, 0.5], [-1.0, 3.0]])
    np.testing.assert_allclose(jit(pulled)(places, 4), pulled(places, 4))
    np.testing.assert_allclose(jit(pulled)(places[:2], 4), pulled(places[:2], 4))


def test_as_dicts_and_tuples():
    @dataclass
    class Both:
        p: Wire
        rest: tuple

    def f(x):
        wire = Wire(x)
        both = Both(wire, (1.0, Wire(2.0)))
        return asdict(both), astuple(both), sum(asdict(wire).values())

    assert jit(f)(1.5) == f(1.5)


def recent(x, n):
    last = deque(maxlen=n)
    total = 0.0
    for i in range(8):
        last.append((x * i, np.arange(2.0) * i))
        if last and i > 3:
            total += last[0][0]
        while last and last[0][0] < x:
            last.popleft()
    for (a, v), b in zip(last, reversed(last)):
        total += a * v.sum() * b[0]
    return total if last else 0.0


def test_queues_with_room_are_asked_for_their_truth():
    assert jit(recent)(1.5, 3) == recent(1.5, 3)
    with pytest.raises(SourceError, match="a deque with `maxlen` has one name here"):
        jit(lambda n: sum(Ends(deque(maxlen=n), 1.0).a))(3)


TOLD = {"rate": 2.0, "shift": 0.5}


def test_namespaces():
    def f(x, told=TOLD):
        held = SimpleNamespace(**told, x=x)
        same = held
        for _ in range(3):
            held.x = held.x * held.rate + held.shift
        same.rate = 5.0
        return held.x * held.rate

    assert jit(f)(1.5) == f(1.5)
    np.testing.assert_allclose(batch(f)(np.array([0.5, 1.5])), [f(0.5), f(1.5)])
    assert grad(f)(1.5) == 40.0

    def later(x):
        held = SimpleNamespace(x=x)
        held.y = 2.0 * x
        return held.y

    with pytest.raises(
        SourceError, match="a SimpleNamespace has the fields that it is made with: make it with 'y', too"
    ):
        jit(later)(1.5)


def test_what_to_write_instead_of_pythons_own():
    with pytest.raises(SourceError, match=r"builtins.bytearray has no row: np.zeros\(n, np.uint8\) does"):
        jit(lambda n: len(bytearray(n)))(3)
