"""Objects of which as many are made as is known when the program runs: rows of arrays."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from user_programs import of_a_number

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

NUMPY: dict[str, Any] = {"target": "numpy"}
ASKED_FOR_IN_TEXTS = heapq, math, replace


class Node:
    def __init__(self, at, cost, parent=None):
        self.at, self.cost = at, cost
        self.parent = parent

    def reach(self, other, way):
        if other.cost + way < self.cost:
            self.cost = other.cost + way
            self.parent = other

    def depth(self):
        return 0 if self.parent is None else 1 + self.parent.depth()


class Bird:
    def __init__(self, x, v):
        self.x, self.v = x, v
        self.turns = 0

    def fly(self, dt):
        self.x += dt * self.v
        if self.x > 2.0:
            self.v *= -0.5
            self.turns += 1


class Boid:
    """Whose neighbours are others, found anew in each step."""

    def __init__(self, x, v):
        self.x, self.v = x, v
        self.near = []


class Swarm:
    def __init__(self, n, v):
        self.boids = []
        for k in range(n):
            self.boids.append(Boid(0.1 * k, v * math.sin(k)))

    def step(self, dt):
        for one in self.boids:
            one.near = []
            for other in self.boids:
                if other is not one and abs(one.x - other.x) < 0.3:
                    one.near.append(other)
        for one in self.boids:
            for other in one.near:
                one.v += dt * (other.v - one.v)
            one.x += dt * one.v


class Flock:
    def __init__(self, n, v):
        self.birds = []
        for k in range(n):
            self.birds.append(Bird(0.5 * k, v))

    def fly(self, dt):
        for bird in self.birds:
            bird.fly(dt)

    def middle(self):
        return sum(bird.x for bird in self.birds) / len(self.birds)


class Cell:
    """Half of a cell, and so on."""

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi
        self.mass, self.moment = 0.0, 0.0
        self.left = None
        self.right = None

    def insert(self, x, m):
        self.mass += m
        self.moment += m * x
        if self.hi - self.lo < 0.2:
            return
        mid = 0.5 * (self.lo + self.hi)
        if x < mid:
            if self.left is None:
                self.left = Cell(self.lo, mid)
            self.left.insert(x, m)
        else:
            if self.right is None:
                self.right = Cell(mid, self.hi)
            self.right.insert(x, m)

    def pull(self, x):
        if self.left is None and self.right is None:
            return self.moment - self.mass * x
        total = 0.0
        if self.left is not None:
            total += self.left.pull(x)
        if self.right is not None:
            total += 0.5 * self.right.pull(x)
        return total


class Link:
    def __init__(self, value):
        self.value = value
        self.next = None


class Person:
    def __init__(self, state):
        self.state, self.days = state, 0


class Member:
    """Gives itself to others while it is made."""

    def __init__(self, club, fee):
        self.fee = fee
        self.number = len(club)
        club.append(self)


class Branch:
    def __init__(self, length, depth):
        self.length = length
        self.left = Branch(0.5 * length, depth - 1) if depth > 0 else None
        self.right = Branch(0.25 * length, depth - 2) if depth > 1 else None

    def total(self):
        total = self.length
        if self.left is not None:
            total += self.left.total()
        if self.right is not None:
            total += self.right.total()
        return total


class Job:
    def __init__(self, time, work):
        self.time, self.work = time, work

    def __lt__(self, other):
        return self.time < other.time


class Part:
    """It has parts, and notes."""

    def __init__(self, weight):
        self.weight = weight
        self.parts = []
        self.notes = []

    def total(self):
        total = self.weight
        for part in self.parts:
            total += 0.5 * part.total()
        return total


class Route:
    def __init__(self, stops):
        self.stops, self.cost = stops, 0.0


class Coin:
    """Coins of one value are equal."""

    def __init__(self, value, year):
        self.value, self.year = value, year

    def __eq__(self, other):
        return self.value == other.value


@dataclass
class Point:
    x: float
    k: int


def coins(n):
    found = []
    for k in range(n):
        found.append(Coin(k % 3, 1990 + k))
    return found


PROGRAMS = """
# nodes in a dict, whose fields are assigned to at a key
nodes = {}
for k in range(n):
    nodes[k] = Node(k, 1e9)
nodes[0].cost = 0.0
for _ in range(n):
    for k in range(n - 1):
        nodes[k + 1].reach(nodes[k], x * (k + 1))
return nodes[n - 1].cost + nodes[n - 1].depth()

# a search: what is open has the cost of the cheapest way, which may be found late
waiting, done = {}, {}
waiting[0] = Node(0, 0.0)
while waiting:
    at = min(waiting, key=lambda k: waiting[k].cost)
    node = waiting[at]
    if at == n * n - 1:
        break
    del waiting[at]
    done[at] = node
    for step in (1, n, n + 1):
        to = at + step
        if to >= n * n or to in done:
            continue
        cost = node.cost + x * (1.0 + (7 * to) % 5)
        if to in waiting:
            if waiting[to].cost > cost:
                waiting[to].cost = cost
                waiting[to].parent = node
        else:
            waiting[to] = Node(to, cost, node)
return node.cost + 0.1 * node.depth()

# a list in a field
flock = Flock(n, x)
for _ in range(10):
    flock.fly(0.3)
return flock.middle() + sum(bird.turns for bird in flock.birds)

# a list of objects in the field of each, made anew
swarm = Swarm(n, x)
for _ in range(5):
    swarm.step(0.05)
return sum(boid.x * boid.x for boid in swarm.boids) + len(swarm.boids[0].near)

# an item that has a name, and another name
birds = [Bird(x * k, 1.0) for k in range(n)]
bird = birds[n // 2]
same = bird
same.x += 10.0
bird.v = 3.0
birds[n // 2].x *= 2.0
return same.x + 100.0 * birds[n // 2].v + birds[0].x

# one of several, found in a loop, and its place elsewhere
birds = [Bird(math.sin(k), x * k) for k in range(n)]
best = birds[0]
for bird in birds:
    if bird.x < best.x:
        best = bird
best.v = 7.0 * x
other = birds[1] if x > 0.5 else birds[2]
other.v += 1.0
return sum((k + 1) * bird.v for k, bird in enumerate(birds))

# the same objects in two lists and a dict
birds = []
for k in range(n):
    birds.append(Bird(math.cos(k), x))
ahead = [bird for bird in birds if bird.x > 0.0]
for bird in ahead:
    bird.x = -1.0
byplace = {7 * k: bird for k, bird in enumerate(birds)}
byplace[7].x = 50.0 * x
taken = byplace.pop(14)
taken.x += 5.0
return sum(bird.x for bird in birds) + len(byplace)

# sorted, and the least by a key
birds = [Bird(math.sin(k), x * k) for k in range(n)]
birds.sort(key=lambda bird: bird.x)
least = min(birds, key=lambda bird: -bird.v)
least.x = 30.0
birds[0].v += 2.0
return sum((k + 1) * bird.v * bird.x for k, bird in enumerate(birds))

# as many as the program finds out: some part, others are left out
birds = [Bird(1.0, 0.1)]
for _ in range(n):
    new = []
    for bird in birds:
        bird.x *= 1.0 + x
        if bird.x > 2.0:
            bird.x *= 0.5
            new.append(Bird(bird.x, bird.v + 0.1))
    birds += new
    birds = [bird for bird in birds if bird.v < 0.35]
return sum(bird.x for bird in birds) + len(birds)

# linked
head = None
for k in range(n):
    link = Link(x * k)
    link.next = head
    head = link
head.next.value = 9.0
total, link = 0.0, head
while link is not None:
    total = 0.5 * total + link.value
    link = link.next
return total

# a tree that is made while it is gone through
root = Cell(0.0, 1.0)
for k in range(n):
    root.insert((0.37 * k) % 1.0, x + k)
return root.pull(0.3) + root.left.mass

# a tree that makes itself
tree = Branch(x, n - 2)
tree.left.length += 1.0
return tree.total()

# texts that say in what state they are
people = []
for k in range(n):
    people.append(Person("well" if k else "ill"))
for day in range(4):
    for k in range(n):
        if people[k].state == "ill":
            people[k].days += 1
            if k + 1 < n and people[k + 1].state == "well":
                people[k + 1].state = "ill"
            if people[k].days > 2:
                people[k].state = "immune"
return x * sum(1 for one in people if one.state == "immune") + people[1].days

# given to others while they are made
club = []
for k in range(n):
    Member(club, x * k)
club[2].fee += club[1].number
return sum(one.fee for one in club)

# in order by a method
jobs = []
for k in range(n):
    heapq.heappush(jobs, Job((5 * k) % 7, x * k))
jobs[0].work += 1.0
total = 0.0
while jobs:
    total = 0.5 * total + heapq.heappop(jobs).work
return total

# a copy of a dataclass is another object, which is equal or not
points = []
for k in range(n):
    points.append(Point(x * k, k % 2))
for point in points:
    point.x += 0.5
copied = replace(points[1], k=7)
copied.x += 1.0
same = Point(points[2].x, 0)
found = points.index(same) + 10 * (points[1] == copied) + 100 * (points[1] is points[1]) + 1000 * (same in points)
return copied.x + points[1].x + found + (points[2] is same)

# one object or another
birds = [Bird(x * k, 1.0) for k in range(n)]
bird = birds[2]
return x * sum(10 * (each is bird) + (each == bird) + 100 * (each != bird) for each in birds) + birds.index(bird)

# functions inside change them, and what is raised is caught
birds = [Bird(x * k, 1.0) for k in range(n)]
def kick(k, v):
    birds[k].x += v
for k in range(n):
    kick(k, 0.1 * k)
    try:
        birds[k].v = 1.0 / (k - 2)
        birds[k].x += 1.0
    except ZeroDivisionError:
        birds[0].x -= 1.0
return sum((k + 1) * bird.x for k, bird in enumerate(birds))

# lists in fields: of objects, in a tree
parts = []
for k in range(n):
    parts.append(Part(x * k))
    if k > 0:
        parts[(k - 1) // 2].parts.append(parts[k])
parts[1].weight = 3.0 * x
return parts[0].total() + len(parts[1].parts)

# lists in fields: of numbers, under other names, and of another object
parts = [Part(x * k) for k in range(n)]
for day in range(3):
    for k, part in enumerate(parts):
        part.weight += 0.1
        part.notes.append(part.weight)
        if k % 2:
            part.notes.append(1.0)
notes = parts[1].notes
notes.append(100.0 * x)
parts[2].notes = []
parts[2].notes.append(7.0)
parts[3].notes = parts[1].notes
parts[3].notes.append(9.0)
return sum((k + 1) * sum(part.notes) for k, part in enumerate(parts)) + len(parts[1].notes) + parts[0].notes[-1]

# lists in fields that are only read
routes = []
for k in range(n):
    routes.append(Route([x * k, 1.0, 2.0 * k]))
for route in routes:
    route.cost = sum(route.stops) + route.stops[0]
return sum((k + 1) * route.cost for k, route in enumerate(routes)) + len(routes[0].stops)

# a number that is an int at first
people = []
for k in range(n):
    people.append(Bird(0, k))
for k in range(n):
    people[k].x = people[k].x + x * k
return sum(one.x for one in people) / people[1].v
"""


def function(body: str) -> Any:
    return of_a_number(body, globals())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("block", PROGRAMS.strip().split("\n\n"))
def test_objects_are_rows(block: str) -> None:
    f = function(block)
    for n, x in ((5, 0.7), (6, 0.4)):
        given = float(n)
        np.testing.assert_allclose(jit(f)(given, x), f(given, x), rtol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("block", [b for b in PROGRAMS.strip().split("\n\n") if "[at]" not in b])
def test_gradients_and_lanes(block: str) -> None:
    f, given, h = function(block), 5.0, 1e-6
    slope = grad(f, argnums=1, **NUMPY)(given, 0.7)
    np.testing.assert_allclose(
        slope, (f(given, 0.7 + h) - f(given, 0.7 - h)) / (2.0 * h), rtol=1e-6, atol=1e-6
    )
    xs = np.array([0.7, 0.4, 0.55])
    lanes = batch(f, in_axes=(None, 0))(given, xs)
    np.testing.assert_allclose(lanes, [f(given, x) for x in xs], rtol=1e-12)


def test_the_text_has_a_column_a_field() -> None:
    def f(given, x):
        n = int(given)
        flock = Flock(n, x)
        flock.fly(0.3)
        return flock.birds[n - 1].x

    compiled = jit(f, **NUMPY)
    assert compiled(4.0, 1.5) == f(4.0, 1.5)
    assert "b = self_birds" not in compiled.source()
    print(compiled.source())


def test_lists_of_objects_that_say_what_is_equal() -> None:
    def f(given):
        n = int(given)
        found = coins(n)
        return (Coin(2, 0) in found) + 10 * found.index(Coin(1, 0)) + 100 * found.count(
            Coin(0, 0)
        ), found == coins(n)

    assert jit(f)(5.0) == f(5.0)


REFUSED = """
birds = []
for k in range(n):
    birds.append(Bird(x, np.ones(3)))
birds[0].x = 2.0
return birds[1].x
# 3: the field 'v' of Bird holds an array: fields of objects, of which there are as many as is known when the program \
runs, hold numbers, texts, tuples of such, lists of numbers, None, and other such objects

birds = []
for k in range(n):
    birds.append(Bird(x, {1: 1.0}))
birds[0].x = 2.0
return birds[1].x
# 3: the field 'v' of Bird holds a dict or set, or a list of lists: fields of objects, of which there are as many as \
is known when the program runs, hold numbers, texts, tuples of such, lists of numbers, None, and other such objects

birds = []
for k in range(n):
    birds.append(Bird(x, 1.0))
birds[0].v = (1.0, x)
return birds[1].x
# 4: the field 'v' of Bird is a list of items that are made in more than one way: give it one kind of value

birds = []
for k in range(n):
    bird = Bird(x, 1.0)
    bird.name = k
    birds.append(bird)
return birds[1].name
# 3: the field 'name' of Bird may have no value when the object is made, and of such objects there are as many as is \
known when the program runs: give it one in `__init__`

stops = [1.0]
routes = []
for k in range(n):
    routes.append(Route(stops))
routes[0].cost = x
routes[0].stops.append(5.0)
return len(routes[1].stops)
# 6: a list that has a name is put into the field 'stops' of Route, or another: give it a copy, `list(...)`

points = []
for k in range(n):
    points.append(Point(x, k))
points[1].x += 1.0
return points
# 5: an object of Point, of which there are as many as is known when the program runs, stays in the program: give its \
fields

birds = []
for k in range(n):
    birds.append(Bird(x, 1.0))
birds[1].x += 1.0
return np.array(birds)
# 5: a list of objects, Bird, is no array of numbers: make a list of a field
"""


@pytest.mark.parametrize("block", REFUSED.replace("\\\n", "").strip().split("\n\n"))
def test_refused(block: str) -> None:
    body, _, expected = block.rpartition("\n# ")
    line, _, message = expected.partition(": ")
    with pytest.raises(SourceError) as error:
        jit(function(body), **NUMPY)(4.0, 1.5)
    span, said = error.value.problems[0]
    assert span is not None
    assert (span.line - 2, said) == (int(line), message)
