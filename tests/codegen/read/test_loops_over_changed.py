"""Loops over lists that they make longer or shorter, and lists that names give away: as plain Python has them."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

PROGRAMS = """
queue = [1]
for x in queue:
    if x > n:
        break
    queue.append(2 * x)
else:
    return [0]
return queue

queue, total = [1, 2], 0
for x in queue:
    if x % 3 == 0:
        continue
    for y in queue:
        total += y
    if len(queue) < n:
        queue.extend([x + 1, x + 2])
return [total, x, *queue]

queue = [n]
for x in queue:
    if x > 1:
        queue += [x // 2]
return queue

queue = [1]
def more(k):
    queue.append(k)
for x in queue:
    if x < n:
        more(x + 1)
return queue

def inner(m):
    left = [m]
    for x in left:
        if x > 0:
            left.append(x - 1)
    return len(left)
return [inner(k) for k in range(n)]

near = [[] for _ in range(n)]
for k in range(3 * n):
    near[k * k % n].append((k + 1) % n)
steps, queue = [-1] * n, [0]
steps[0] = 0
for u in queue:
    for v in near[u]:
        if steps[v] < 0:
            steps[v] = steps[u] + 1
            queue.append(v)
return steps + queue

queue = list(range(3))
for x in queue:
    if len(queue) < n:
        queue.insert(0, x + 10)
return queue

queue, found = [n], []
for k, x in enumerate(queue):
    found.append(k * x)
    if x > 1:
        queue += [x // 2, x // 3]
return found

queue, total = list(range(n)), 0
for x in queue:
    total += x
    if len(queue) > 3:
        total += 10 * queue.pop()
    if x == 2:
        queue.remove(1)
        del queue[0]
return [total, *queue]

rows, row = [], []
for k in range(n):
    row.append(k)
    if k % 3 == 2:
        rows.append(row)
        row = [k]
if row:
    rows.append(row)
return [len(each) for each in rows] + sum(rows, [])

held, row = {}, []
k = 0
while k < n:
    row.append(k)
    k += 1
    if k % 2:
        continue
    held[k] = row
    row = []
return [10 * key + sum(each) for key, each in held.items()]
"""


def function(body: str) -> Any:
    return loaded("def f(n):\n" + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("body", PROGRAMS.strip().split("\n\n"))
def test_values(body: str, target: str) -> None:
    f = function(body)
    for n in (0, 1, 6, 11):
        try:
            wanted = f(n)
        except IndexError:
            continue
        assert jit(f, target=target)(n) == wanted


def halved(x, n):
    parts = [(x, 1)]
    for length, level in parts:
        if level < n:
            parts.append((0.5 * length, level + 1))
            parts.append((length * length, level + 2))
    return sum(length * level for length, level in parts)


@pytest.mark.turns(2)
def test_slopes_and_lanes() -> None:
    h = 1e-6
    slope = (halved(0.7 + h, 5) - halved(0.7 - h, 5)) / (2.0 * h)
    np.testing.assert_allclose(grad(halved)(0.7, 5), slope, rtol=1e-8)
    ns = np.array([1, 5, 3, 7])
    np.testing.assert_allclose(batch(halved, in_axes=(None, 0))(0.7, ns), [halved(0.7, n) for n in ns])


def doubled(n):
    queue = deque([1])
    for x in queue:
        if x < n:
            queue.append(2 * x)
    return len(queue)


def of_the_caller(queue):
    for x in queue:
        if x < 5:
            queue.append(x + 1)
    return len(queue)


def bound_anew(n):
    queue = [1, 2, 3]
    total = 0
    for x in queue:
        queue = [x]
        queue.append(n)
        total += x + len(queue)
    return total


@pytest.mark.parametrize(
    "f, argument, said",
    [
        (doubled, 9, "goes through a list that it makes longer"),
        (of_the_caller, [1], "only if the program made it"),
    ],
)
def test_what_python_may_refuse_is_refused(f: Any, argument: Any, said: str) -> None:
    """A deque that gets longer while it is gone through; a list of the caller's may be one."""
    with pytest.raises(SourceError, match=said):
        jit(f)(argument)


def test_the_list_at_the_beginning_is_gone_through() -> None:
    assert jit(bound_anew, target="numpy")(4) == bound_anew(4)


def shared(n):
    rows, row = [], []
    for k in range(n):
        row.append(k)
        rows.append(row)
    return len(rows[0])


def known_by_another(n):
    rows, row = [], []
    other = row
    for k in range(n):
        row.append(k)
        if k % 2:
            rows.append(row)
            row = []
    other.append(7)
    return len(rows[0])


@pytest.mark.parametrize("f", [shared, known_by_another])
def test_lists_that_names_have_still_are_no_copies(f: Any) -> None:
    with pytest.raises(SourceError):
        jit(f)(4)
