"""Derivatives through dicts that loops inside loops make larger, and through arrays whose sizes hang on what tests and
loops find out: against differences, lanes against a loop, and work, which grows as that of the function."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from count_work import work
from differentiate import active_in, grad_of, program_of

from autobatch import batch
from autodiff import check_grads, grad

RNG = np.random.default_rng(5)
NODES = 14
SOURCES = np.concatenate([np.arange(NODES - 1), RNG.integers(0, NODES - 1, 12)])
TARGETS = np.concatenate([np.arange(1, NODES), RNG.integers(SOURCES[NODES - 1 :] + 1, NODES)])
WEIGHTS = RNG.uniform(0.5, 2.0, (2, len(SOURCES)))


def edges_by_source():
    after = {}
    for k in range(len(SOURCES)):
        after.setdefault(SOURCES[k], []).append(k)
    return after


def nearest(w):
    """The length of the shortest way to the last node."""
    after = edges_by_source()
    distance = {0: 0.0}
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u] or u not in after:
            continue
        for k in after[u]:
            v, there = TARGETS[k], d + w[k] * w[k]
            if v not in distance or there < distance[v]:
                distance[v] = there
                heapq.heappush(heap, (there, v))
    return distance[NODES - 1]


def longest(w):
    """The same of the longest way; nodes are numbered as the edges go."""
    after = edges_by_source()
    length = {}
    u = 0
    while u < NODES:
        for k in after.get(u, []):
            length[TARGETS[k]] = max(length.get(TARGETS[k], 0.0), length.get(u, 0.0) + math.sin(w[k]))
        u += 1
    return length[NODES - 1]


def walk(p, steps=12):
    """The second moment of a walk whose places are found as it goes: each step has a dict of its own."""
    share = {0: 1.0}
    k = 0
    while k < steps:
        after = {}
        for place, q in share.items():
            after[place + 1] = after.get(place + 1, 0.0) + q * p
            after[place - 1] = after.get(place - 1, 0.0) + q * (1.0 - p) * (1.0 + 0.1 * place)
        share = after
        k += 1
    return sum(place * place * q for place, q in share.items())


def remembered(x, starts=(7, 9, 27, 6)):
    """What paths cost, which end where one went before."""
    cost = {1: 0.0}
    total = 0.0
    for n in starts:
        path = []
        m = n
        while m not in cost:
            path.append(m)
            m = m // 2 if m % 2 == 0 else 3 * m + 1
        while path:
            k = path.pop()
            cost[k] = math.sin(0.9 * cost[m] + x * (1.0 if k % 2 == 0 else 2.0))
            m = k
        total += cost[n]
    return total


PROGRAMS: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "nearest": (nearest, *WEIGHTS),
    "longest": (longest, *WEIGHTS),
    "walk": (walk, 0.6, 0.3),
    "remembered": (remembered, 0.3, 0.4),
}


def difference(f: Callable[..., Any], x: Any) -> Any:
    """The slopes of a function of a number or a vector, by central differences."""
    ways = np.eye(np.size(x)).reshape((np.size(x), *np.shape(x))) * 1e-6
    return np.reshape([(f(x + way) - f(x - way)) / 2e-6 for way in ways], np.shape(x))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_slopes_are_differences(name: str) -> None:
    f, x, _ = PROGRAMS[name]
    wanted = difference(f, x)
    np.testing.assert_allclose(grad(f)(x), wanted, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(grad(f, target="numpy")(x), wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes_are_each_for_itself(name: str) -> None:
    f, x, y = PROGRAMS[name]
    wanted = [difference(f, each) for each in (x, y)]
    np.testing.assert_allclose(batch(grad(f))(np.stack((x, y))), wanted, rtol=1e-6, atol=1e-8)


def by_layers(w):
    """What comes to the last place of those that go a few places further."""
    value = {0: w[0]}
    u = 0
    while u < len(w):
        if u in value:
            for j in range(1 + u % 3):
                v = u + 1 + 2 * j
                value[v] = value.get(v, 0.0) * 0.5 + np.sin(value[u] * w[u])
        u += 1
    return value[len(w) - 1]


def by_distance(w):
    """The shortest way there."""
    distance = {0: w[0]}
    heap = [(w[0], 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d <= distance[u]:
            for j in range(1 + u % 3):
                v = u + 1 + 2 * j
                there = d + w[u] * (j + 1.5)
                if v < len(w) and (v not in distance or there < distance[v]):
                    distance[v] = there
                    heapq.heappush(heap, (there, v))
    return distance[len(w) - 1]


@pytest.mark.turns(4)
@pytest.mark.parametrize("f", [by_layers, by_distance])
def test_work_is_a_constant_times_the_function_s(f: Callable[..., Any]) -> None:
    """Of dicts and lists that get large a round goes through a part, and no more is kept for it."""
    weights = [np.random.default_rng(n).uniform(0.5, 2.0, n) for n in (20, 100)]
    program = program_of(f, weights[:1])
    gradient = grad_of(program, active_in(program))
    few, many = (work(gradient, w) / work(program, w) for w in weights)
    assert many < 6 and many < 1.1 * few
    check_grads(f, weights[:1])


def doubled(v):
    """A size that hangs on how often a loop inside goes round."""
    a = v[:2]
    for i in range(len(v)):
        m = 2
        while m < i:
            m *= 2
        a = np.sin(np.full(m, np.sum(a * a) * v[i] / m))
    return np.sum(a)


def counted(v):
    """The same of a loop over a range."""
    a = v[:1]
    for i in range(len(v)):
        m = 1
        for _ in range(i):
            m += 2
        a = np.sin(np.full(m, np.sum(a * a) * v[i] / m))
    return np.sum(a)


def chosen(v):
    """A size that a test chooses."""
    a = v[:3]
    for i in range(len(v)):
        m = 3
        if i % 3 == 1:
            m = 5
        a = np.sin(np.full(m, np.sum(a * a) * v[i] / m))
    return np.sum(a)


def selected(v):
    """The same, of two numbers that are both there."""
    a = v[:3]
    for i in range(len(v)):
        m = np.where(i % 3 == 1, 5, 3)
        a = np.sin(np.full(m, np.sum(a * a) * v[i] / m))
    return np.sum(a)


@pytest.mark.turns(4)
@pytest.mark.parametrize("f", [doubled, counted, chosen, selected])
def test_sizes_that_hang_on_conditions(f: Callable[..., Any]) -> None:
    check_grads(f, (WEIGHTS[0, :9],), order=2)
    check_grads(f, (WEIGHTS[0, :9],), target="numba")


def exchanged(v, n):
    """A set whose least element a loop takes, and another one adds, until it is empty."""
    active = {i for i in range(n) if v[i] <= 1.0}
    for _ in range(5):
        if len(active) == 0:
            return np.sum(v)
        active.remove(sorted(active)[0])
        for i in range(n):
            if i not in active:
                step, last = v[i], i
        v = np.sin(v * step)
        active.add(last)
    return np.sum(v)


@pytest.mark.turns(4)
def test_slots_that_a_way_changes_before_a_loop_reads_them() -> None:
    for v in (WEIGHTS[0, :9], WEIGHTS[0, :9] + 2.0):
        slope = [(exchanged(v + step, 9) - exchanged(v - step, 9)) / 2e-6 for step in 1e-6 * np.eye(9)]
        np.testing.assert_allclose(grad(exchanged)(v, 9), slope, rtol=1e-6, atol=1e-8)
