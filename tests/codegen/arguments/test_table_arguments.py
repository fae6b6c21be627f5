"""Dicts and sets whose keys are numbers as arguments: what Python does, on what is the caller's."""

import copy
import heapq

import numpy as np
import pytest
from plain_python import complaint, difference, outcome
from user_programs import loaded

from autobatch import batch
from autodiff import grad, jvp
from codegen import SourceError, jit


def total(d, k):
    s = 0.0
    for key, v in d.items():
        s += key * v
    return s + d[k]


def counted(d, k):
    d[k] = d.get(k, 0) + 1
    for i in range(k):
        d[i] = d.get(i, 0) + i
    return len(d)


def remembered(memo, n):
    def fib(k):
        if k in memo:
            return memo[k]
        memo[k] = k if k < 2 else fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)


def itself(d, k):
    d[k] = 2 * d[k]
    return d, {j: v for j, v in d.items() if v > 3}


def visited(s, n):
    new = n not in s
    s.add(n)
    return new, len(s), sorted(s)


def taken(d, k):
    if k in d:
        return d.pop(k)
    d.clear()
    return 0


def places(d, k):
    return d[k, 1] + max(d.values()) + sum(i * j for i, j in d)


def points(d, k):
    s = 0.0
    for i, (x, y) in d.items():
        s += i * x - y
    return s, d[k], d.get(k + 1, (0.0, 0.0))


def changed_in_a_function(d, k):
    def put(e, v):
        e[k] = v

    put(d, 7)
    return d == {k: 7}


def parameters(d, k):
    return d[0] * k + d[1]


def by_value(d, k):
    return min(d, key=d.get), sorted(d), [v for v in d.values() if v != k]


def shortest(graph, s):
    dist = {u: float("inf") for u in graph}
    dist[s] = 0.0
    heap = [(0.0, s)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in graph[u].items():
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist


def length_of_path(graph, path):
    s = 0.0
    for i in range(len(path) - 1):
        s += graph[path[i]][path[i + 1]]
    return s


def edges(graph, k):
    out = [(u, v, w) for u in graph for v, w in graph[u].items() if w > k]
    n = sum((len(vs) for vs in graph.values()))
    m = 0.0
    for u, vs in graph.items():
        for v in vs:
            m += vs[v] * u
    return (out, n, m, graph[0].get(7, -1.0), 1 in graph[0])


def in_common(graph, u):
    t = 0
    for v in sorted(graph[u]):
        t = t * 7 + v + len(graph[u] & graph[v])
    return (t, u in graph[u], sorted(graph[u] - {1}), max((len(s) for s in graph.values())))


def with_the_dict(graph, u):
    return (graph[u], graph)


def copies(graph, u):
    s = graph[u].copy()
    s.add(9)
    t = set(graph[u])
    t.add(8)
    return (sorted(s), sorted(t), sorted(s | graph[u]))


ROADS = {0: {1: 4.0, 2: 1.0}, 1: {3: 1.0}, 2: {1: 2.0, 3: 5.0}, 3: {}}
FRIENDS = {0: {1, 2}, 1: {0, 2}, 2: {0, 1, 3}, 3: {2}}
CALLS = {
    shortest: [(ROADS, 0), (ROADS, 3)],
    length_of_path: [(ROADS, [0, 2, 1, 3]), (ROADS, [0, 3])],
    edges: [(ROADS, 1.5)],
    in_common: [(FRIENDS, 2), ({k: {k, (k + 1) % 40, 1} for k in range(40)}, 5)],
    with_the_dict: [(FRIENDS, 1), (ROADS, 1)],
    copies: [(FRIENDS, 1)],
    total: [({1: 2.0, 3: 4.5}, 3), ({1: 2.0}, 1), ({1: 2.0, 3: 4.5}, 4), ({}, 1)],
    counted: [({}, 3), ({1: 5}, 3), ({i: i for i in range(100)}, 120), ({2**40: 1, -(2**40): 2}, 0)],
    remembered: [({}, 10), ({0: 0, 1: 1}, 10), ({4: 100}, 4)],
    itself: [({1: 2, 5: 1}, 5), ({1: 2}, 5), ({False: 2, True: 7}, True)],
    visited: [({1, 2}, 3), ({1, 2}, 1), (set(), 0), ({*range(40)}, 55)],
    taken: [({1: 2, 3: 4}, 3), ({1: 2}, 3), ({1: 0.5}, 1)],
    places: [({(1, 1): 2, (4, 5): 6}, 1), ({(1, 1): 2}, 2)],
    points: [({1: (0.5, 1.5), 3: (2.0, -1.0)}, 3), ({1: (0.5, 1.5)}, 3)],
    changed_in_a_function: [({1: 2}, 1), ({}, 4), ({1: 2}, 4)],
    parameters: [({0: 1.5, 1: 2.0}, 3.0), ({0: np.ones(2), 1: 2.0}, 3.0), ({0: 1.5}, 3.0)],
    by_value: [({3: 5, 1: -2, 0: 7}, 5), ({3: 0.5, 1: -2.0}, 5)],
}


def held(f, made, arguments) -> None:
    """A call gives what plain Python does, and leaves its arguments so; an exception tells the same."""
    plain, own = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want, got = outcome(f, plain), outcome(made, own)
    if isinstance(want, Exception):
        assert (type(got), got.args) == (type(want), want.args)
        return
    assert not isinstance(got, Exception), got
    assert difference(got, want) is None
    assert repr(own) == repr(plain)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_python_says(f) -> None:
    made = jit(f, target="numpy")
    for arguments in CALLS[f]:
        held(f, made, [*arguments])


@pytest.mark.sampled(15)
@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_compiled(f) -> None:
    made = jit(f)
    for arguments in CALLS[f]:
        held(f, made, [*arguments])


def test_the_callers_own_is_given_back() -> None:
    d = {1: 2, 5: 1}
    for target in ("numpy", "numba"):
        assert jit(itself, target=target)(d, 5)[0] is d
    s = {1}
    assert jit(lambda s: (s, 1), target="numpy")(s)[0] is s


def test_by_name() -> None:
    d, e = {1: 2}, {3: 4}

    def moved(a, b, k):
        b[k] = a.pop(k)
        return b

    assert jit(moved, target="numpy")(k=1, b=e, a=d) is e
    assert (d, e) == ({}, {3: 4, 1: 2})


def test_one_dict_twice() -> None:
    def into(a, b, k):
        a[k] = 1
        return len(b)

    d, made = {1: 2}, jit(into, target="numpy")
    assert made(d, {1: 3}, 2) == 1
    with pytest.raises(
        ValueError, match="^into changes dicts or sets that it is given, and one of them is in two"
    ):
        made(d, d, 2)
    made = jit(lambda a, b, k: a[k] + b[k], target="numpy")
    assert made(d, d, 1) == 4


def test_floats_come_to_ints() -> None:
    """A dict has one kind of values: ints beside floats are floats."""

    def put(d, k):
        d[k] = 0.5
        return d

    d = {1: 2}
    assert jit(put, target="numpy")(d, 3) is d
    assert d == {1: 2, 3: 0.5}
    assert jit(lambda d, k: d[k], target="numpy")({1: 2, 4: 0.5}, 1) == 2.0


@pytest.mark.parametrize("value", [{1: 2, "a": 3}, {0.5: 1}, {None: 1}, {(): 1}])
def test_other_keys_are_refused(value) -> None:
    with pytest.raises(
        TypeError, match="argument 'd' of <lambda>: a dict argument must have strings for keys"
    ):
        jit(lambda d, k: d[k], target="numpy")(value, 1)


def test_values_of_several_kinds_are_refused() -> None:
    with pytest.raises(
        SourceError, match="the value is a float on one way to here and a tuple of 2 on another"
    ):
        jit(lambda d, k: d[k], target="numpy")({1: 1.0, 300: (3, 2)}, 300)
    values = {k: (1.0 if k else (1, 2)) for k in range(40)}
    with pytest.raises(
        TypeError, match="argument 'd' of <lambda>: a dict or set that is an argument has ints"
    ):
        jit(lambda d, k: d[k], target="numpy")(values, 2)


READ = (
    "dicts and sets in a dict that is an argument are read, and neither they nor it are changed or copied: put what is "
    "in it into a new one, in a loop"
)


CHANGED = ("d[k].add(5)", "del d[k]", "d[k] |= {k}", "d[k].clear()", "d.pop(k)", "d[k].update([1, 2])")


@pytest.mark.parametrize("text", CHANGED)
def test_sets_in_an_argument_are_read(text: str) -> None:
    given = {"d": copy.deepcopy(FRIENDS), "k": 1}
    assert complaint(f"    {text}\n    return len(d)", given, READ) is None


def test_a_set_that_is_known_is_changed() -> None:
    d = {0: {1}, 1: {2}}
    assert jit(lambda d, k: d[0].add(k), target="numpy")(d, 5) is None
    assert d == {0: {1, 5}, 1: {2}}


REBOUND = (
    "'d_values' is written in place, but in some iterations it may be the array that was 'd_values' before the loop: "
    "make a copy under a name of its own first"
)


def test_names_that_are_bound_anew() -> None:
    """What the caller has may be what a name is bound to, or not."""
    loop = (
        "    for i in range(n):\n        new = {}\n        for k in d:\n            new[k % 3] = d[k] + i\n"
        "        d = new\n"
    )
    for n in (0, 3):
        assert (
            complaint(f"{loop}    d[n] = 1.0\n    return len(d)", {"d": {5: 1.0, 7: 2.0}, "n": n}, REBOUND)
            is None
        )
        assert complaint(f"{loop}    return sum(d.values())", {"d": {5: 1.0, 7: 2.0}, "n": n}) is None


def test_one_program_for_all_sizes() -> None:
    made = jit(lambda d, k: d[k], target="numpy")
    made({1: 2}, 1)
    first = made.last
    for size in (2, 7, 8, 1000):
        assert made({k: k * k for k in range(size)}, size - 1) == (size - 1) ** 2
        assert made.last is first


def test_derivatives_by_values() -> None:
    """A dict is a structure there, as JAX has it."""

    def p(w, x):
        s = 0.0
        for k, v in w.items():
            s += v * v * k
        return s * x

    w = {1: 2.0, 3: 4.0}
    assert grad(p)(w, 2.0) == {1: 8.0, 3: 48.0}
    assert grad(p, argnums=1)(w, 2.0) == 52.0
    assert grad(p, argnums=(0, 1))(w, 2.0) == ({1: 8.0, 3: 48.0}, 52.0)
    assert jvp(lambda w: p(w, 1.0), (w,), ({1: 1.0, 3: 0.5},)) == (52.0, 16.0)
    assert grad(lambda w, k: w[k] ** 2)({1: 2.0, 5: 3.0}, 5) == {1: 0.0, 5: 6.0}
    assert grad(lambda x, w, k: w[k] * x * x)(2.0, {1: 2.0, 5: 3.0}, 5) == 12.0


@pytest.mark.turns(4)
def test_lanes_share_them() -> None:
    def walk(graph, p, start):
        k, s = start, 0.0
        for i in range(5):
            s = s * 2.0 + p[k] * i
            if graph[k]:
                k = graph[k][i % len(graph[k])]
        return s

    graph, p = {0: [1, 2], 1: [0], 2: []}, {0: 0.5, 1: 1.5, 2: -1.0}
    for target in ("numpy", "numba"):
        made = batch(walk, in_axes=(None, None, 0), target=target)
        np.testing.assert_allclose(made(graph, p, np.arange(3)), [walk(graph, p, k) for k in range(3)])
        inside = batch(lambda s, k: k in s, in_axes=(None, 0), target=target)
        np.testing.assert_array_equal(inside({0, 3}, np.arange(4)), [True, False, False, True])

    def put(d, k):
        d[k] = 1
        return len(d)

    with pytest.raises(
        SourceError, match="a dict that is given, or whose keys are of several kinds, gets no other"
    ):
        batch(put, in_axes=(None, 0), target="numpy")({0: 1, 3: 2}, np.arange(2))


def test_emitted(golden) -> None:
    """It runs by itself, on what it is given."""
    texts = []
    for f, arguments in ((counted, ({1: 5}, 3)), (visited, ({1, 2}, 3)), (points, CALLS[points][0])):
        text = jit(f, target="numpy").source(*arguments)
        names: dict = {}
        exec(text, names)
        held(f, names[f.__name__], [*arguments])
        texts.append(text[text.index(f"def {f.__name__}(") :])
    golden("table_arguments.py", "\n\n".join(texts))


def test_beside_arrays_whose_sizes_are_asked_for() -> None:
    def first_and_last(d, x, k):
        first, *others = x
        return d[k] + first, others[-1]

    assert jit(first_and_last, target="numpy")({3: 1.5, 1: 2.0}, np.arange(1.0, 4.0), 1) == (3.0, 3.0)


SEEN = (
    "    if (k, 1) in s:\n        return -1\n    s.add((k, 1))\n    return len(s)",
    "    for j in range(k):\n        s.add(j * j)\n    return sum(s)",
    "    s |= {k}\n    return k in s, sorted(s | {0})",
    "    return len(s), k in s",
    "    def visit(j):\n        if j in s or j > k:\n            return 0\n        s.add(j)\n"
    "        return 1 + visit(2 * j) + visit(3 * j)\n    return visit(1)",
)


@pytest.mark.parametrize("text", SEEN)
def test_sets_without_elements(text: str) -> None:
    """What comes to them says what their elements are."""
    f, ours, pythons = loaded(f"def f(s, k):\n{text}\n"), set(), set()
    assert jit(f, target="numpy")(ours, 9) == f(pythons, 9)
    assert ours == pythons


def test_a_set_that_is_returned_is_the_callers() -> None:
    for given in (set(), {1}):
        assert jit(lambda s: s, target="numpy")(given) is given
