"""Lists as values of dicts whose keys are numbers: what Python gives, under all names that they have, and what is
refused."""

import copy
from collections import defaultdict

import numpy as np
import pytest
from lists_in_dicts import CALLS, GRAPH, add_edge, bfs
from plain_python import complaint, difference, outcome

from autobatch import batch
from autodiff import check_grads, grad
from codegen import jit


def held(f, made, arguments) -> None:
    """A call gives what plain Python does, and leaves its arguments so, whose lists are the caller's own."""
    plain, own = copy.deepcopy(arguments), copy.deepcopy(arguments)
    lists = [*own[0].values()] if isinstance(own[0], dict) else []
    want, got = outcome(f, [*plain]), outcome(made, [*own])
    if isinstance(want, Exception):
        assert (type(got), got.args) == (type(want), want.args)
        return
    assert not isinstance(got, Exception), got
    assert difference(got, want) is None
    assert difference(own, plain) is None
    assert all(any(one is each for each in own[0].values()) for one in lists)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_python_says(f) -> None:
    made = jit(f, target="numpy")
    for arguments in CALLS[f]:
        held(f, made, arguments)


@pytest.mark.turns(4)
@pytest.mark.sampled(48)
@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_compiled(f) -> None:
    made = jit(f)
    for arguments in CALLS[f]:
        held(f, made, arguments)


NAMED = (
    "a list that has a name is a value of a dict whose keys are numbers: give the dict a copy, `list(...)`"
)
LONGER = "this goes through a list that it makes longer or shorter: use a `while` and an index, or a copy"
OTHERS = (
    "the values of a dict whose keys are numbers are numbers, tuples of numbers, or lists of such: keep others in a "
    "list, and their places in the dict"
)
REFUSED = {
    "    xs = [1, 2]\n    d = {}\n    for i in range(n):\n        d[i] = xs\n    d[0].append(5)\n    return len(xs)":
        NAMED,
    "    xs = [1]\n    d = {n: xs}\n    d[n].append(2)\n    return len(xs)": NAMED,
    "    xs = [1]\n    d = {}\n    d.setdefault(n, xs).append(2)\n    return len(xs)": NAMED,
    "    d = {}\n    for i in range(n):\n        xs = [i]\n        d[i] = xs\n        xs.append(3)\n    return d[0]":
        NAMED,
    "    d = {0: [n], 1: []}\n    for x in d[0]:\n        if x < 5:\n            d[0].append(x + 1)\n    return d[0]":
        LONGER,
    "    a, b = {}, {}\n    a[n] = [1]\n    b[n] = a[n]\n    return len(b)":
        "a list in a dict is put into another one: give it a copy, `list(...)`",
    "    d = {0: [1]}\n    d.update({n: [2]})\n    return d[n]":
        "this is not done with dicts whose values are lists: write a loop over their keys",
    "    d = {n: [1]}\n    d[n].append((1, 2))\n    return d[n]":
        "the lists in a dict are a list of items that are made in more than one way: give all their items one kind and "
        "shape",
    "    d = {n: [1]}\n    d[n] = 2\n    return d[n]":
        "a dict of items that are made in more than one way: give its keys one kind, and its values one kind and shape",
    "    d = {n: [[1]]}\n    return d[n]": OTHERS,
    "    d = {n: [1]}\n    d[n] -= [1]\n    return d[n]": "`-=` of a list in a dict is not supported: write a loop",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    assert complaint(text, {"n": 300}, REFUSED[text]) is None


def test_one_list_twice() -> None:
    shared = [1]
    with pytest.raises(
        ValueError, match="^add_edge changes lists in a dict that it is given, and one of them is in"
    ):
        jit(add_edge, target="numpy")({0: shared, 1: shared}, (0, 1))
    assert jit(bfs, target="numpy")({0: shared, 1: shared}, 0) == [0, 1]


# ---- derivatives and lanes ----


def grouped_means(x, ks):
    d = defaultdict(list)
    for i in range(len(ks)):
        d[ks[i]].append(x[i])
    s = 0.0
    for k in d:
        s += k * (sum(d[k]) / len(d[k])) ** 2
    return s


def stacks(x, ks):
    d = {}
    for i in range(len(ks)):
        d.setdefault(ks[i] % 2, []).append(x[i] * x[0])
    d[1].append(d[1].pop() ** 2)
    d[1][0] = np.sin(d[1][0])
    return sum(v * v for v in d[1]) + d[1][-1]


def flow(x, graph):
    at = {0: x[0]}
    for u in range(3):
        for v, w in graph[u]:
            at[v] = at.get(v, 0.0) + at[u] * w * x[1]
    return at[3]


X, KS = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 7, 5, 9])


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [grouped_means, stacks], ids=lambda f: f.__name__)
def test_derivatives(f) -> None:
    check_grads(lambda x: f(x, KS), (X,))
    slopes = grad(f, target="numpy")
    np.testing.assert_allclose(grad(f)(X, KS), slopes(X, KS))
    lanes = np.stack([X, X * 0.5, X + 1.0]), np.stack([KS, KS[::-1], KS % 4 * 2 + 1])
    for target in ("numpy", "numba"):
        made = batch(f, target=target)(*lanes)
        np.testing.assert_allclose(made, [f(x, k) for x, k in zip(*lanes, strict=True)])
    np.testing.assert_allclose(batch(grad(f))(*lanes), [slopes(x, k) for x, k in zip(*lanes, strict=True)])


@pytest.mark.turns(4)
def test_derivatives_beside_a_graph() -> None:
    graph = {0: [(1, 0.5), (2, 2.0)], 1: [(3, 3.0)], 2: [(3, 1.0)], 3: []}
    x = np.array([1.5, 2.0])
    assert jit(flow)(x, graph) == flow(x, graph) == 21.0
    np.testing.assert_allclose(grad(flow)(x, graph), [14.0, 21.0])


def test_emitted(golden) -> None:
    """It runs by itself, on what it is given."""
    texts = []
    for f, arguments in ((bfs, (GRAPH, 0)), (add_edge, (GRAPH, (3, 9)))):
        text = jit(f, target="numpy").source(*arguments)
        names: dict = {}
        exec(text, names)
        held(f, names[f.__name__], arguments)
        texts.append(text)
    golden("lists_in_dicts.py", "\n\n".join(texts))


@pytest.mark.turns(4)
def test_many_items() -> None:
    """Places move rarely: as many steps an item as with few."""

    def spread(n, m):
        d = defaultdict(list)
        for i in range(n):
            d[i % m].append(i)
        s = 0
        for k in d:
            s += d[k][-1] + len(d[k])
        return s

    made = jit(spread)
    for m in (1, 7, 100_000):
        assert made(200_000, m) == spread(200_000, m)
