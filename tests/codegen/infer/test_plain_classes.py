"""Objects of plain classes, whose `__init__` gives them their fields, made inside of programs."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from plain_python import difference

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

x = np.array([0.5, -1.0, 2.0])


class Polynomial:
    """A polynomial of coefficients."""

    degree_limit = 10

    def __init__(self, coefficients, scale=1.0, *, shift=0.0):
        assert len(coefficients) <= self.degree_limit
        self.c = coefficients
        self.scale, self.shift = scale, shift
        if scale < 0.0:
            self.sign = -1.0
        else:
            self.sign = 1.0
        self.top = self.c[-1] * self.scale

    def __call__(self, t):
        return self.sign * self.scale * sum(c * (t - self.shift) ** k for k, c in enumerate(self.c))

    def __add__(self, other):
        return Polynomial([a + b for a, b in zip(self.c, other.c, strict=True)], self.scale)

    @property
    def slope(self):
        return self(self.shift + 1.0) - self(self.shift)


class Lattice:
    def __init__(self, n):
        n_ = n + 0
        self.n = n
        self.spins = np.ones(n)
        for k in range(1, n_, 2):
            self.spins[k] = -1.0

    def energy(self):
        return -sum(self.spins[k] * self.spins[(k + 1) % self.n] for k in range(self.n))

    def flip(self, k):
        self.spins[k] *= -1.0


class Grid:
    def __init__(self, n):
        self.n = n
        self.x = np.linspace(0.0, 1.0, self.n)
        self.h = self.x[1] - self.x[0]

    def trapezoid(self, y):
        return self.h * (np.sum(y) - 0.5 * (y[0] + y[-1]))


def polynomials(x):
    p = Polynomial([1.0, x[0], x[1]], shift=0.5)
    q = p + Polynomial([x[2], 2.0, 3.0], scale=-2.0)
    return (
        p(x[0]) + q.slope + (p.top if isinstance(q, Polynomial) else 0.0) + Polynomial([x[1], 1.0], -2.0)(2.0)
    )


def integral(x):
    grid = Grid(9)
    same = grid
    return same.trapezoid(np.exp(x[0] * grid.x)) * (x[1] if grid else 0.0) + x[2]


def flipped(x):
    grid = Grid(9)
    return grid.h * x[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [polynomials, integral, flipped])
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_objects_are_made(f: Any, target: str) -> None:
    assert difference(jit(f, target=target)(x), f(x)) is None
    near = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    assert np.allclose(grad(f, target=target)(x), near, atol=1e-7)
    xs = np.array([x, x + 0.5])
    assert np.allclose(batch(f)(xs), [f(each) for each in xs])


def energies(n):
    lattice = Lattice(n)
    before = lattice.energy()
    lattice.flip(0)
    return before, lattice.energy(), lattice.spins


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_arrays_of_objects_are_written(target: str) -> None:
    assert difference(jit(energies, target=target)(6), energies(6)) is None


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __getitem__(self, k):
        return self.a if k == 0 else self.b

    def __setitem__(self, k, value):
        if k == 0:
            self.a = value
        else:
            self.b = value

    def __contains__(self, value):
        return value in (self.a, self.b)


@dataclass
class Table:
    data: np.ndarray
    width: int

    def __getitem__(self, place):
        i, j = place
        return self.data[i * self.width + j]

    def __setitem__(self, place, value):
        self.data[place[0] * self.width + place[1]] = value


def subscripts(x, n):
    pair = Pair(x[0], 2.0)
    for k in range(n):
        pair[k % 2] += pair[1 - k % 2] * 0.5
        pair[0] = pair[1] * x[1] + 0.3
    table = Table(np.zeros(6), 3)
    for i in range(2):
        for j in range(3):
            table[i, j] = x[i] * pair[j % 2] - j
    table[1, n % 3] *= 3.0
    return table[1, 2] * table[0, n % 3] + pair[1] + (2.0 in pair) + (pair[0] not in pair)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_subscripts_are_methods(target: str) -> None:
    compiled = jit(subscripts, target=target)
    assert all(np.isclose(compiled(x, n), subscripts(x, n)) for n in range(4))
    near = [(subscripts(x + 1e-6 * e, 3) - subscripts(x - 1e-6 * e, 3)) / 2e-6 for e in np.eye(3)]
    assert np.allclose(grad(subscripts, target=target)(x, 3), near, atol=1e-7)
    xs, n = np.array([x, x + 0.5, -x]), np.array([3, 0, 1])
    assert np.allclose(batch(subscripts)(xs, n), [subscripts(*lane) for lane in zip(xs, n, strict=True)])


def test_methods_are_given_no_slices() -> None:
    with pytest.raises(SourceError, match="a method of a class takes no slice here"):
        jit(lambda n: Pair(n, 2)[0:1])(3)


class Guarded:
    def __init__(self, n):
        self.n = n

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2 * value)


class Made:
    def __new__(cls, n):
        return object.__new__(cls)


NOT_MADE = (
    "objects of {} are not made here, as a class may do anything to them: make it a dataclass (@dataclass, its fields "
    "in place of __init__), or make the object outside and pass it"
)


@pytest.mark.parametrize("cls", [Guarded, Made])
def test_classes_that_do_more_are_refused(cls: Any) -> None:
    with pytest.raises(SourceError) as error:
        jit(lambda n: cls(n).n)(2)
    assert error.value.problems[0][1] == NOT_MADE.format(cls.__name__)


def test_what_objects_are_not_asked() -> None:
    with pytest.raises(
        SourceError, match="an object of Grid is not returned: return its fields, or a dataclass"
    ):
        jit(lambda n: Grid(n))(3)
    with pytest.raises(SourceError, match="`==` compares objects: compare their fields"):
        jit(lambda n: Grid(n) == Grid(n))(3)


class Steps:
    """A filter whose order says what its fields are."""

    def __init__(self, order):
        self._order = order
        self.reset()

    def reset(self):
        self.n = 0
        self.x = np.zeros(self._order + 1)
        self.y = np.zeros(self._order + 1)

    def update(self, z):
        self.n += 1
        x = self.x
        if self._order == 0:
            self.y = z - x
            x[0] += (z - x) / self.n
        else:
            residual = z - x[0] - x[1]
            x[0] += x[1] + residual * 2.0 / (self.n + 1)
            x[1] += residual / self.n
        return x


def stepped(zs):
    steps = Steps(1)
    for z in zs:
        steps.update(z)
    return steps.x


def test_an_int_in_a_field_says_which_way_is_gone() -> None:
    zs = np.array([1.0, 2.5, 2.0, 4.0])
    np.testing.assert_allclose(jit(stepped)(zs), stepped(zs))
    np.testing.assert_allclose(batch(stepped)(np.array([zs, 2 * zs])), [stepped(zs), stepped(2 * zs)])
    slopes = [(stepped(zs + 1e-6 * e)[1] - stepped(zs - 1e-6 * e)[1]) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(grad(lambda zs: stepped(zs)[1])(zs), slopes, atol=1e-7)


class Modes(Enum):
    SLOW = 1
    FAST = 2


class Machine:
    class Part:
        def __init__(self, size):
            self.size = size

    kinds = Modes
    label = "machine"
    rates: ClassVar = [1.0, 2.0, 3.0]

    def __init__(self, x):
        self.__left = x
        self.mode = Modes.FAST
        self.__begin()

    def __begin(self):
        self.__left += 1.0

    @property
    def mode(self):
        return self.__mode

    @mode.setter
    def mode(self, value):
        self.__mode = value

    def run(self):
        part = self.Part(self.__left)
        if self.mode == self.kinds.FAST and self.label == "machine":
            self.__left = 2.0 * part.size
        left = lambda: self.__left  # noqa: E731
        return left() * self.rates[1]


def run(x):
    return Machine(x).run()


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_what_stands_in_a_class(target: str) -> None:
    """Names of two underscores, properties that `__init__` sets, classes and constants of the class."""
    assert jit(run, target=target)(0.5) == run(0.5) == 6.0
    assert grad(run, target=target)(0.5) == 4.0
    np.testing.assert_array_equal(batch(run)(np.array([0.5, 1.0])), [6.0, 8.0])


class Own:
    """Whose methods are called as a deque's are."""

    def __init__(self, x):
        self.x = x

    def popleft(self):
        return 2.0 * self.x


def test_own_methods_of_such_names() -> None:
    assert jit(lambda x: Own(x).popleft())(1.5) == 3.0


class Node:
    def __init__(self, place, cost, parent):
        self.place, self.cost, self.parent = place, cost, parent


class Step(NamedTuple):
    place: int
    cost: float
    parent: int


def shortest(costs, cls):
    """The cheapest way along a line, by steps of one and two, as a search over nodes in dicts."""
    open_nodes, closed, goal = {0: cls(0, 0.0, -1)}, {}, len(costs) - 1
    while open_nodes:
        at = min(open_nodes, key=lambda k: open_nodes[k].cost)
        node = open_nodes.pop(at)
        closed[at] = node
        for step in (1, 2):
            there = node.place + step
            if there > goal or there in closed:
                continue
            new = cls(there, node.cost + costs[there] * step, at)
            if there not in open_nodes or open_nodes[there].cost > new.cost:
                open_nodes[there] = new
    way = [goal]
    while closed[way[-1]].parent >= 0:
        way.append(closed[way[-1]].parent)
    return closed[goal].cost, way


COSTS = np.array([0.0, 3.0, 1.0, 0.5, 4.0, 1.0, 2.0])


@pytest.mark.turns(8)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("cls", [Node, Step])
def test_dicts_of_objects(cls: Any, target: str) -> None:
    assert jit(lambda costs: shortest(costs, cls), target=target)(COSTS) == shortest(COSTS, cls)
    lanes = np.array([COSTS, COSTS[::-1]])
    got = batch(lambda costs: shortest(costs, cls)[0], target=target)(lanes)
    np.testing.assert_allclose(got, [shortest(costs, cls)[0] for costs in lanes])


def test_dicts_of_objects_that_are_returned_or_changed() -> None:
    def steps(n):
        found = {}
        for k in range(n):
            found[2 * k] = Step(k, 0.5 * k, -1)
        return found

    assert jit(steps)(3) == steps(3)
    with pytest.raises(SourceError, match="an object of Node is not returned: return its fields"):
        jit(lambda n: [Node(k, 0.5, -1) for k in range(n)])(3)

    def changed(n):
        found = {}
        for k in range(n):
            found[k] = Node(k, 0.5, -1)
        found[1].cost = 2.0
        return found[1].cost

    assert jit(changed)(3) == changed(3)
