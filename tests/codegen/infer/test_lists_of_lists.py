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


def buckets(n, x):
    rows = [[] for _ in range(n)]
    for k in range(3 * n):
        rows[k * k % n].append(x * k)
    return rows


def weighed(rows):
    total = 0.0
    for k, row in enumerate(rows):
        total += (k + 1) * (sum(row) + 0.25 * len(row))
    return total


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

# taken out, put in, turned, put in order and joined, as lists are
rows = buckets(n, x)
del rows[0]
rows.insert(1, [9.0 * x, 9.0])
rows.extend([[1.0], [2.0 * x]])
last, first = rows.pop(), rows.pop(0)
last.append(7.0 * x)
rows.reverse()
rows += rows[1:2]
rows[-1].append(3.0)
rows += [[4.0]]
rows.sort(key=len)
both = rows + rows[:1]
both[0].append(x)
return weighed(rows) + 3.0 * weighed(both) + weighed([last, first])

# parts and copies have the same lists
rows = buckets(n, x)
for row in rows[1:]:
    row.append(-x)
for k, row in enumerate(reversed(rows)):
    row.append(k * x)
copy = rows.copy()
copy[0].append(1.0)
copy.append([3.0])
whole = list(rows)
whole[-1].append(x * x)
rows[0], rows[1] = rows[1], rows[0]
rows[2] = [1.0, 2.0]
rows[-1] = rows[0]
rows[0].append(55.0 * x)
return weighed(rows) + 2.0 * weighed(copy) + 3.0 * weighed(whole) + len(copy)

# chosen by a test, by places, by keys, and all their items
rows = buckets(n, x)
long = [row for row in rows if len(row) > 1]
long[0].append(5.0 * x)
order = sorted(range(n), key=lambda k: len(rows[k]))
placed = [rows[k] for k in order]
placed[-1].append(2.0)
most = max(rows, key=len)
most.append(x)
return weighed(sorted(rows, key=sum)) + weighed(long) + weighed(placed) + sum(min(rows, key=len)) + sum(sum(rows, []))

# lists of which each is made anew
rows = []
for k in range(n):
    row = [x * k]
    while len(row) <= k:
        row.append(row[-1] * x)
    rows.append(row)
rows[0].append(3.0)
return weighed(rows)

# a list that is put away before there is another one
rows, row = [], []
for k in range(3 * n):
    row.append(x * k)
    if len(row) == k // 3:
        rows.append(row)
        row = []
rows.append(row)
return weighed(rows)

# ways that wait
waiting, found = [[n]], []
while waiting:
    way = waiting.pop()
    if way[-1] == 0:
        found.append(way[:])
        continue
    waiting.append(way + [way[-1] - 1])
    if way[-1] > 1:
        waiting.append(way + [way[-1] - 2])
return x * len(found) + sum((k + 1) * sum(way) for k, way in enumerate(found))

# copies of those that a loop chooses
rows, chosen = buckets(n, x), []
for row in rows:
    if len(row) > 1:
        chosen.append(list(row))
rows[0].append(7.0)
return weighed(chosen)

# of lengths that are known
rows = [[1.0], [x, 2.0], []]
least = min(rows, key=lambda row: -len(row))
return sum(max(rows, key=len)) + 10.0 * sum(least) + max((0, x), (2, 3.0 * x), key=sum)[1]

# items that have names
rows = [[1.0], [x, 2.0]]
row = rows[n % 2]
row.append(4.0 * x)
for each in rows:
    each.append(len(each) * x)
return weighed(rows)

# one of some that are known
rows = [[1.0], [2.0, x], []]
for k in range(3 * n):
    rows[k * k % 3].append(x * k)
def more(at):
    rows[at].append(at + 0.5)
more(-1)
return weighed(rows)

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
# 5: lists in a list are put in order by a key: `key=...`

rows = [[] for _ in range(n)]
def put(k, v):
    rows[k].append(v)
put(0, 1)
return rows.count([])
# 5: a list of lists that get longer has no 'count' here: write a loop

row = [1]
rows = [row, []]
for k in range(n):
    rows[k % 2].append(k)
return len(row)
# 4: a list that has a name is put into a list of lists that get longer: give it a copy, `list(...)`

rows = [[] for _ in range(n)]
row = [1]
rows.extend([row])
rows[0].append(2)
row.append(3)
return len(rows[-1])
# 3: a list that has a name is put into a list of lists that get longer: give it a copy, `list(...)`

rows, chosen = buckets(n, x), []
for row in rows:
    if len(row) > 1:
        chosen.append(row)
return len(chosen)
# 4: a list in a list is put into another one: give it a copy, `list(...)`
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


def test_emitted(golden) -> None:
    def near(n, us, vs):
        adjacent = [[] for _ in range(n)]
        for u, v in zip(us, vs):
            adjacent[u].append(v)
            adjacent[v].append(u)
        steps = [-1] * n
        steps[0] = 0
        queue = [0]
        for u in queue:
            for v in adjacent[u]:
                if steps[v] < 0:
                    steps[v] = steps[u] + 1
                    queue.append(v)
        return max(steps), max(adjacent, key=len)

    us, vs = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3])
    assert jit(near)(4, us, vs) == near(4, us.tolist(), vs.tolist())
    golden("lists_of_lists.py", jit(near).source(4, us, vs))


NEXT: list[list[int]] = [[1, 2], [3], [3, 4], [5], [5], []]
WEIGHTS: list[list[tuple[int, float]]] = [[(1, 0.5), (2, 1.5)], [(2, 0.25)], []]
MIXED: list[list[Any]] = [[1, 2.5], [], [3.0]]


def steps(u):
    best = 0
    for v in NEXT[u]:
        best = max(best, 1 + steps(v))
    return best


def asked(u):
    row = NEXT[u]
    return len(row), sum(row), 3 in row, row == [3], sorted([*row, u])[0], len(NEXT[u] + NEXT[-1])


def weight(u):
    total = 0.0
    for v, w in WEIGHTS[u]:
        total += w * (v + len(NEXT[v])) + sum(MIXED[v])
    return total


def wandered(seed, u):
    rng = np.random.default_rng(seed)
    while NEXT[u]:
        u = NEXT[u][rng.integers(len(NEXT[u]))]
    return u


@pytest.mark.turns(4)
@pytest.mark.parametrize("f, count", [(steps, 6), (asked, 6), (weight, 3), (lambda u: wandered(u + 3, u), 6)])
def test_one_of_lists_around_the_program_that_differ_in_length(f: Any, count: int) -> None:
    """They are read at places that it finds out, by one program for all of them."""
    wanted = [f(u) for u in range(count)]
    compiled = jit(f)
    assert [compiled(np.int64(u)) for u in range(count)] == wanted
    assert [jit(f, **NUMPY)(u) for u in range(count)] == wanted
    made = batch(f)(np.arange(count))
    np.testing.assert_array_equal(np.transpose(made), np.array(wanted))


def test_one_of_lists_that_are_arguments() -> None:
    def reached(graph, u):
        far, waiting = {u: 0}, [u]
        while waiting:
            u = waiting.pop()
            for v in graph[u]:
                if v not in far:
                    far[v] = far[u] + 1
                    waiting.append(v)
        return len(far), max(far.values())

    made = batch(reached, in_axes=(None, 0))(NEXT, np.arange(6))
    np.testing.assert_array_equal(np.transpose(made), [reached(NEXT, u) for u in range(6)])

    def squares(rows, u):
        total = 0.0
        for x in rows[u]:
            total += x * x
        return total

    found = batch(grad(squares), in_axes=(None, 0))([[1.0, 2.0], [3.0], []], np.arange(3))
    assert [[x.tolist() for x in row] for row in found] == [
        [[2.0, 0.0, 0.0], [4.0, 0.0, 0.0]],
        [[0.0, 6.0, 0.0]],
        [],
    ]


def test_one_of_lists_around_the_program_is_read_only() -> None:
    def written(u):
        NEXT[u].append(1)
        return len(NEXT[u])

    def under_a_name(u):
        row = NEXT[u]
        row[0] = 7
        return NEXT[u][0]

    for f in (written, under_a_name):
        with pytest.raises(SourceError, match=r"lists are changed that one name|not changed in place"):
            jit(f)(np.int64(1))


def test_lists_around_the_program_that_change_between_calls() -> None:
    rows = [[1, 2], [3]]

    def total(u):
        return sum(rows[u])

    compiled = jit(total)
    assert (compiled(0), compiled(1)) == (3, 3)
    rows[1] = [4, 5, 6]
    assert (compiled(0), compiled(1)) == (3, 15)
    with pytest.raises(IndexError, match="list index out of range"):
        compiled(2)


def merged(starts, lengths):
    out = []
    for a, b in sorted(zip(starts, starts + lengths, strict=True)):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return sum(b - a for a, b in out)


def run_lengths(x):
    out = [[x[0], 1]]
    for v in x[1:]:
        if v == out[-1][0]:
            out[-1][1] += 1
        else:
            out.append([v, 1])
    return len(out), max(n for _, n in out)


def under_names(x):
    rows = []
    for v in x:
        rows.append([v, 0])
    last = rows[-1]
    last[1] = 4
    for row in rows:
        row[0] += 2 * row[1]
    return sum(row[0] for row in rows), rows[-1][1], rows[0][1]


def triangle(x):
    rows = []
    for i in range(x[0] + 2):
        rows.append([0] * (i + 1))
        rows[i][0] = rows[i][i] = 1
        for j in range(1, i):
            rows[i][j] = rows[i - 1][j - 1] + rows[i - 1][j]
    return sum(rows[-1]), max(rows[-1])


@pytest.mark.turns(4)
@pytest.mark.parametrize("f", [run_lengths, under_names, triangle])
def test_items_of_lists_that_were_appended_are_written(f: Any) -> None:
    x = np.random.default_rng(2).integers(0, 3, (7, 8))
    wanted = [f(row) for row in x]
    np.testing.assert_array_equal(np.transpose(batch(f)(x)), wanted)
    assert [jit(f)(row) for row in x] == wanted


@pytest.mark.turns(4)
def test_intervals_are_merged_in_place() -> None:
    rng = np.random.default_rng(0)
    starts, lengths = rng.uniform(0.0, 9.0, (7, 6)), rng.uniform(0.3, 1.5, (7, 6))
    each = list(zip(starts, lengths, strict=True))
    np.testing.assert_allclose(batch(merged)(starts, lengths), [merged(*pair) for pair in each])
    slopes = batch(grad(merged, argnums=1))(starts, lengths)
    for (a, b), made in zip(each, slopes, strict=True):
        wanted = [(merged(a, b + h) - merged(a, b - h)) / 2e-6 for h in 1e-6 * np.eye(6)]
        np.testing.assert_allclose(made, wanted, atol=1e-6)


def test_one_list_appended_again_and_again_is_one_list() -> None:
    def shared(n):
        row, rows = [1, 2], []
        for _ in range(n):
            rows.append(row)
        rows[0][0] = 7
        return rows[-1][0], row[0]

    with pytest.raises(SourceError, match="give it a copy"):
        batch(shared)(np.array([1, 3]))
