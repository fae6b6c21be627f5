"""Lists of lists that get longer each for itself, in functions, in fields, under other names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from user_programs import of_a_number

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

NUMPY: dict[str, Any] = {"target": "numpy"}


class Graph:
    def __init__(self, n):
        self.n = n
        self.edges = [[] for _ in range(n)]

    def join(self, u, v, length):
        self.edges[u].append((v, length))
        self.edges[v].append((u, length))

    def way(self, start):
        found = [1e9] * self.n
        found[start] = 0.0
        waiting = [start]
        while waiting:
            u = waiting.pop(0)
            for v, length in self.edges[u]:
                if found[u] + length < found[v]:
                    found[v] = found[u] + length
                    waiting.append(v)
        return found[self.n - 1]


class Index:
    """A dict of lists in a field."""

    def __init__(self):
        self.under = {}

    def put(self, key, value):
        if key not in self.under:
            self.under[key] = []
        self.under[key].append(value)


def join(graph, u, v):
    graph[u].append(v)
    graph[v].append(u)


PROGRAMS = """
# in a recursion
below = [[] for _ in range(n)]
for u in range(1, n):
    below[(u - 1) // 2].append(u)
def weight(u):
    return x + sum(0.5 * weight(v) for v in below[u])
return weight(0)

# given to a function
graph = [[] for _ in range(n)]
for u in range(n):
    join(graph, u, (u * u + 1) % n)
return x * max(len(row) for row in graph) + sum(10.0 * len(row) * k for k, row in enumerate(graph))

# an item that has another name
rows = [[] for _ in range(n)]
def put(v):
    row = rows[int(v * 7.0 + 0.23) % n]
    same = row
    row.append(v)
    same.append(2.0 * v)
    return len(row)
total = sum(put(x * k) for k in range(20))
last = rows[-1]
last.append(x)
rows[0][0] = 100.0 * x
return total + sum(sum(row) * (k + 1) for k, row in enumerate(rows)) + len(rows[n - 1])

# in a field
graph = Graph(n)
for k in range(n - 1):
    graph.join(k, k + 1, x * (k + 1))
graph.join(0, n - 2, 0.5 * x)
return graph.way(0)

# a dict of lists in a field
index = Index()
for k in range(3 * n):
    index.put(k % 4, x * k)
return sum((key + 1) * sum(row) for key, row in index.under.items())

# it gets longer, too, and items are replaced
rows = [[] for _ in range(n)]
def put(k, v):
    rows[k].append(v)
for k in range(9):
    put(k % n, x * k)
rows.append([])
put(-1, 5.0)
rows.append([7.0, 8.0])
rows[1] = []
put(1, 44.0)
rows[-2] = [x]
return sum((k + 1) * sum(row) for k, row in enumerate(rows)) + len(rows) + rows[n][0]

# what a search finds, of lengths that are not known
found = []
def search(way, left):
    if left == 0:
        found.append(way[:])
        return
    for k in range(1, left + 1):
        if not way or way[-1] <= k:
            way.append(k)
            search(way, left - k)
            way.pop()
search([], n)
return x * len(found) + sum((k + 1) * len(way) + way[0] for k, way in enumerate(found))
"""


def function(body: str) -> Any:
    return of_a_number(body, globals())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("block", PROGRAMS.strip().split("\n\n"))
def test_lists_of_lists(block: str) -> None:
    f = function(block)
    for n, x in ((5.0, 0.7), (6.0, 0.4)):
        np.testing.assert_allclose(jit(f)(n, x), f(n, x), rtol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("block", PROGRAMS.strip().split("\n\n"))
def test_gradients_and_lanes(block: str) -> None:
    f, given, h = function(block), 5.0, 1e-6
    slope = grad(f, argnums=1, **NUMPY)(given, 0.7)
    np.testing.assert_allclose(
        slope, (f(given, 0.7 + h) - f(given, 0.7 - h)) / (2.0 * h), rtol=1e-6, atol=1e-6
    )
    xs = np.array([0.7, 0.4, 0.55])
    np.testing.assert_allclose(batch(f, in_axes=(None, 0))(given, xs), [f(given, x) for x in xs], rtol=1e-12)


def test_they_are_returned_as_lists() -> None:
    def f(given):
        rows = [[] for _ in range(int(given))]

        def put(k, v):
            rows[k].append(v)

        for k in range(7):
            put(k % 3, 0.5 * k)
        return rows

    assert jit(f)(4.0) == f(4.0)


def test_places_that_there_are_not() -> None:
    def f(given, at):
        rows = [[] for _ in range(int(given))]

        def put(k, v):
            rows[k].append(v)

        put(at, 1)
        return len(rows[-1])

    assert jit(f)(3.0, -1) == 1
    for at in (3, -4):
        with pytest.raises(IndexError, match="list index out of range"):
            jit(f)(3.0, at)


REFUSED = """
rows = [[] for _ in range(n)]
def put(k, v):
    rows[k].append(v)
put(0, 1)
return [1] in rows
# 5: what is in a list of lists is asked for in a loop

rows = [[] for _ in range(n)]
def put(k, v):
    rows[k].append(v)
put(0, 1)
return rows == rows
# 5: `==` of lists of lists that get longer is not supported: write a loop

rows = [[] for _ in range(n)]
def put(k, v):
    rows[k].append(v)
put(0, 1)
rows.sort()
return rows[0]
# 5: a list of lists that get longer has no 'sort' here, only `append`: make a new one, in a loop
"""


@pytest.mark.parametrize("block", REFUSED.strip().split("\n\n"))
def test_refused(block: str) -> None:
    body, _, expected = block.rpartition("\n# ")
    line, _, message = expected.partition(": ")
    with pytest.raises(SourceError) as error:
        jit(function(body), **NUMPY)(4.0, 1.5)
    span, said = error.value.problems[0]
    assert span is not None
    assert (span.line - 2, said) == (int(line), message)


def test_arrays_are_no_items() -> None:
    """They would have other names, under which they are written."""

    def f(given):
        rows = [[] for _ in range(int(given))]
        x = np.zeros(2)

        def put(k, v):
            rows[k].append(v)

        for k in range(4):
            x += 1.0
            put(k % 2, x)
        return rows[0][0].sum()

    with pytest.raises(
        SourceError, match="a list in a dict, in a field or in another list that gets longer holds"
    ):
        jit(f)(3.0)
