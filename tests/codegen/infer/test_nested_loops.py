"""Loops over combinations: plain Python is the reference."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

X = np.array([1.0, 2.0, 3.0, 4.0])


def table(x):
    t = np.zeros((len(x), 3))
    for i, j in np.ndindex(len(x), 3):
        t[i, j] = x[i] * j
    return t, i, j


def by_places(x):
    total = 0.0
    for place in np.ndindex(x.shape):
        total += x[place] * place[0]
    return total


def enumerated(x):
    y = x.reshape(2, 2).copy()
    for (i, j), v in np.ndenumerate(y):
        y[i, j] = v * i + j
    for place, v in np.ndenumerate(x):
        x[place] = v + place[0]
    return y


def triples(x):
    total = 0.0
    for i, j, k in itertools.product(range(len(x)), repeat=3):
        if i == j:
            continue
        total += x[i] * x[j] * x[k]
    return total


def until_large(x):
    total = 0.0
    for a, (k, b) in itertools.product(x, enumerate(x)):
        total += a * b + k
        if total > 10.0:
            break
    else:
        total = -1.0
    return total, a, k


def breaks_inside(x):
    n = 0
    for i, j in np.ndindex(*x.reshape(2, 2).shape):
        for k in range(j):
            if k == 1:
                break
            n += i + j
    return n


def inside_one_another(x):
    total = 0.0
    for i, j in np.ndindex(2, len(x)):
        for k, m in itertools.product(range(j), (i, j)):
            total += x[k] * m
    return total


def known(x):
    pairs = [a * b for a, b in itertools.product((1, 2), (3, 4))]
    total = 0.0
    for a, b in itertools.product([1.0, 2.0], pairs):
        total += a * b
    return (
        total,
        pairs,
        sum(a * b for a, b in itertools.product(x, x)),
        list(itertools.product((1, 2), (True,))),
    )


def empty(x):
    n = 0
    for _, _ in itertools.product(x, x[:0]):
        n += 1
    return n, [k for k in np.ndindex(2, 0)], list(itertools.product())


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f",
    [table, by_places, enumerated, triples, until_large, breaks_inside, inside_one_another, known, empty],
)
def test_programs(f: Callable[..., Any], target: str):
    ours, plain = X.copy(), X.copy()
    assert repr((jit(f, target=target)(ours), ours)) == repr((f(plain), plain))


def test_the_text_is_what_one_would_write():
    text = jit(triples).source(X)
    assert text.count("for ") == 3 and "%" not in text and "//" not in text


def test_derivatives_and_lanes():
    assert grad(triples)(X).tolist() == [250.0, 230.0, 210.0, 190.0]
    assert batch(by_places)(np.stack([X, 2 * X])).tolist() == [20.0, 40.0]


def test_refused():
    with pytest.raises(SourceError, match="repeat=\\) takes an int that is known"):
        jit(lambda n: [i for i in itertools.product((1, 2), repeat=n[0])])(np.array([2]))
    with pytest.raises(SourceError, match="ndenumerate takes an array, not a tuple of 2"):
        jit(lambda x: [i for i in np.ndenumerate((x, x))])(2.0)


CHOSEN = [
    "sum(a * b for a, b in itertools.combinations([x, 2.0, 3.0], 2))",
    "[p[0] * 10 + p[1] for p in itertools.permutations([1, 2, x])]",
    "list(itertools.permutations([1, 2, 3], 2)), list(itertools.combinations([1, x], 3))",
    "list(itertools.combinations_with_replacement([x, 2], 2)), list(itertools.pairwise([x]))",
    "sum(a * b for a, b in itertools.combinations(v, 2)), len(list(itertools.combinations(v[:1], 2)))",
    "[b - a for a, b in itertools.pairwise(v)], [(a, b) for a, b in itertools.pairwise([x, 1, 2])]",
    "[b - a for a, b in itertools.pairwise([i * i for i in range(len(v))])]",
    "[v[b] - v[a] for a, b in itertools.pairwise(range(len(v)))], list(itertools.pairwise(range(len(v), -1, -2)))",
    "[v[b] * u - v[a] for (a, b), u in zip(itertools.pairwise(range(len(v))), v)]",
    "list(itertools.pairwise(range(3, 1))), list(itertools.pairwise(range(len(v), len(v) + 1)))",
    "list(itertools.accumulate(v)), [k * a for k, a in enumerate(itertools.accumulate(v, max))]",
    "list(itertools.accumulate([1, x, 2.0])), list(itertools.accumulate([2, x], pow))",
    "list(itertools.accumulate(v[:0])), list(itertools.accumulate(v[:0], initial=2.0))",
    "sum(itertools.accumulate(v, lambda a, b: a * b, initial=2.0)), max(itertools.accumulate([x, 2], initial=1))",
    "list(itertools.accumulate([a for a in v if a > 1.0])), [a * b for a, b in zip(itertools.accumulate(v), v)]",
    "list(itertools.chain([1, x], (2,), [])), sum(itertools.chain(v, v[1:])), min(itertools.chain(v, [0.5]))",
    "list(itertools.islice([1, 2, x, 4], 3)), list(itertools.islice([1, 2, x, 4], 1, None, 2)), sum(reversed(v))",
    "list(itertools.starmap(pow, [(2, 3), (x, 2)])), [a * b for a, b in zip(v, itertools.repeat(2.0, 2))]",
    "[a + b for a, b in itertools.zip_longest([1, 2], [3, x, 5], fillvalue=0)]",
]


@pytest.mark.parametrize("text", CHOSEN)
def test_chosen_items(text):
    assert complaint(text, {"v": X, "x": 3}, around={"itertools": itertools}) is None


def test_many_chosen_items():
    message = "itertools.permutations of more than 256: write loops inside one another"
    text = "len(list(itertools.permutations([1, 2, 3, 4, 5, 6])))"
    assert complaint(text, {"x": 1}, message, around={"itertools": itertools}) is None
    message = (
        "itertools.combinations takes a number of items that is known, and how many of them: write loops inside one "
        "another, `for j in range(i + 1, n)`"
    )
    assert (
        complaint(
            "len(list(itertools.combinations(v, 3)))",
            {"v": np.ones(40)},
            message,
            around={"itertools": itertools},
        )
        is None
    )


def test_what_was_accumulated_is_gone_through_once():
    def twice(x):
        sums = itertools.accumulate(x)
        return sum(sums) + sum(sums)

    with pytest.raises(SourceError, match="'sums' is an iterator, which is empty once it was gone through"):
        jit(twice)(X)
    with pytest.raises(SourceError, match="itertools takes a number of items that is known"):
        jit(lambda x: list(itertools.islice(x, 2)))(np.ones(1000))
    assert jit(lambda x: list(itertools.islice(x, 2)))(X) == X[:2].tolist()


def test_slopes_of_running_values():
    def running(x):
        return sum(a * a for a in itertools.accumulate(x, lambda a, b: a * b))

    rises = [(running(X + e) - running(X - e)) / 2e-6 for e in 1e-6 * np.eye(len(X))]
    assert np.allclose(grad(running)(X), rises, rtol=1e-6)
    assert np.allclose(batch(running)(np.stack((X, 2 * X))), [running(X), running(2 * X)])


def test_slopes_of_pairs():
    def energy(x):
        return sum((a - b) ** 2 for a, b in itertools.combinations(x, 2))

    assert np.allclose(grad(energy)(X), 2.0 * (len(X) * X - X.sum()))
