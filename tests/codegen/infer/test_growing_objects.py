"""Lists that get longer and shorter in functions, under several names: what Python gives, and what is refused."""

import heapq
from collections import deque

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import grad, jvp
from codegen import SourceError, jit

v = np.array([3.0, 1.0, 2.0, 5.0, 0.0, 4.0])

PUSH = "    def push(zs, u):\n        zs.append(u)\n        return len(zs)\n"
RIGHT = [
    "    xs = []\n    def keep(u):\n        xs.append(u)\n    for i in range(n):\n"
    "        keep(i * 0.5)\n    return xs, len(xs)",
    PUSH + "    xs = []\n    for i in range(n):\n        push(xs, i)\n    return xs, sum(xs)",
    "    def small(zs):\n        zs[0] += 1\n        return zs[0] < 4\n    xs = [n]\n"
    "    while small(xs) and len(xs) < 6:\n        xs.append(xs[-1] + 5)\n    return xs",
    "    xs = []\n    ys = [(xs.append(i * 2), i)[1] for i in range(n)]\n    zs = xs\n    return zs, len(ys)",
    PUSH + "    xs = [1, 2]\n    ys = xs\n    ys.append(n)\n    push(xs, n + 1)\n    return xs, ys, len(ys)",
    PUSH + "    a, b = [], [0.5]\n    push(a, n)\n    push(b, 1.5)\n    return a, b, push([1], 2)",
    PUSH + "    s = 0\n    for i in range(n):\n        new = [i]\n        push(new, n)\n"
    "        s += sum(new)\n    return s",
    PUSH + "    xs = []\n    push(xs, (n, 0.5))\n    for i, u in xs:\n        n += i\n    return xs, n",
    "    xs = [1, 2]\n    def f():\n"
    "        xs.extend([n, 9]); xs.insert(0, 9); xs.remove(2); del xs[0]; xs[1:2] = [7, 8]\n"
    "        xs.sort()\n    f()\n    xs += [4]\n    xs.reverse()\n"
    "    return xs, xs[::2], xs[-1], 4 in xs, xs.count(9)",
    "    out = []\n    path = []\n    def go(k):\n        if k == 0:\n            s = 0\n            for p in path:\n"
    "                s = s * 10 + p\n            out.append(s)\n            return\n        for i in range(n):\n"
    "            path.append(i)\n            go(k - 1)\n            path.pop()\n    go(2)\n    return out, path",
    "    todo = [n]\n    seen = []\n    def visit():\n        k = todo.pop()\n"
    "        seen.append(k)\n        if k > 1:\n"
    "            todo.append(k - 1)\n    while todo:\n        visit()\n    return seen, todo",
    "    xs = []\n    def f(i):\n        if i % 3 in xs:\n            return False\n        xs.append(i % 3)\n"
    "        return True\n    return [f(i) for i in range(n)], xs",
    "    xs = []\n    def f():\n        return xs.pop() if xs else -1\n    a = f()\n"
    "    xs.append(n)\n    return a, f(), f()",
    "    xs = [n]\n    ys = list(xs)\n    def f():\n        xs.clear()\n        ys.append(2)\n"
    "    f()\n    return xs, ys",
    PUSH + "    def make(k):\n        made = []\n        for i in range(k):\n            push(made, i)\n"
    "        return made\n"
    "    xs = make(n)\n    push(xs, 7)\n    return xs, make(2)",
    "    xs = [n, 1]\n    ys = xs\n    ys.sort()\n    xs.reverse()\n    return xs, ys",
    "    xs = sorted([n, 1, 2])\n    ys = xs\n    ys += [7]\n    return xs, ys",
    "    xs = [1]\n    ys = xs\n    ys += [n, 2]\n    s = 0\n    for u in reversed(xs):\n        s = s * 3 + u\n"
    "    return s, [i * u for i, u in enumerate(reversed(ys))]",
    "    ys = []\n    def f(k):\n        ys.append([k, 2 * k])\n    for i in range(n):\n        f(i)\n"
    "    return ys, len(ys), [sum(y) for y in ys]",
    "    xs = [1.0]\n    ys = [n, 2, 3]\n    zs = ys\n    if n > 2:\n        zs = ys\n    else:\n        zs = [4]\n"
    "    ys[0] = 8\n    return xs, ys",
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", RIGHT)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_python_says(text: str, n: int) -> None:
    assert complaint(text, {"n": n}) is None


def test_compiled() -> None:
    assert complaint(RIGHT[7], {"n": 3}, target="numba") is None


HEAP = """
    def sift(heap, u):
        heap.append(u)
        i = len(heap) - 1
        while i > 0 and heap[(i - 1) // 2] > heap[i]:
            heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
            i = (i - 1) // 2
    heap = []
    for u in v:
        sift(heap, u)
    return heap
"""


def test_a_heap() -> None:
    assert complaint(HEAP, {"v": v}) is None


QUEUES = {
    "dijkstra": """
    ends = [0.0] + [np.inf] * 5
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > ends[u]:
            continue
        for w in range(6):
            if w != u and d + abs(v[u] - v[w]) + n < ends[w]:
                ends[w] = d + abs(v[u] - v[w]) + n
                heapq.heappush(heap, (ends[w], w))
    return ends""",
    "a window": """
    q, most = deque(), []
    for i in range(len(v)):
        while q and v[q[-1]] <= v[i]:
            q.pop()
        q.append(i)
        if q[0] <= i - n:
            q.popleft()
        most.append(v[q[0]])
    q.appendleft(n)
    return most, q[0], len(q)""",
    "a heap of a closure": """
    heap = []
    def put(u):
        heapq.heappush(heap, (u, len(heap)))
    for u in v:
        put(u)
    s = 0
    while heap:
        s = s * 3 + heapq.heappop(heap)[1]
    return s""",
    "none left": "    heap = [n]\n    heapq.heappop(heap)\n    return heapq.heappop(heap)",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", QUEUES)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_heaps_and_queues(name: str, target: str) -> None:
    around = {"np": np, "heapq": heapq, "deque": deque}
    assert complaint(QUEUES[name], {"v": v, "n": 2}, target=target, around=around) is None


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_the_order_of_tuples(sign: str) -> None:
    pairs = ["(a, b)", "(b, a)", "(a, a)", "(a,)", "(a, b, a)", "(a, (b, 1))", "()"]
    fit = [(p, q) for p in pairs for q in pairs if ("((" in p or "(b, 1" in p) == ("(b, 1" in q)]
    text = ", ".join(f"{p} {sign} {q}" for p, q in fit)
    for a, b in ((1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (np.nan, 1.0), (1.0, np.nan)):
        assert complaint(f"({text})", {"a": a, "b": b}) is None


REFUSED = {
    "    def f(zs):\n        zs.append(1)\n    f(xs)\n    return xs":
        "a"
    " list that other names may have gets longer or shorter only if the program made it, of numbers or tuples of "
        "numbers: make a new one, `xs = xs + [x]`",
    "    ys = [1]\n    def f():\n        ys.append(1)\n    for _, y in zip(ys, ys):\n"
    "        if y + len(ys) < 5:\n            f()\n    return ys":
        "this goes through a list that it makes longer or shorter: use a `while` and an index, or a copy",
    "    ys = [1]\n    def f():\n        ys.append(1)\n        return 1\n    return [f() for y in ys if len(ys) < 4]":
        "this goes through a list that it makes longer or shorter: use a `while` and an index, or a copy",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    assert complaint(text, {"xs": [1, 2]}, REFUSED[text]) is None


def path(x, n):
    seen = []

    def keep(u):
        seen.append(u)

    y = x
    for i in range(n):
        y = np.sin(y) + 0.5 * y
        if i % 2:
            keep(y)
    total = 0.0
    for u in seen:
        total += u * u
    return total


def test_derivatives() -> None:
    h = 1e-6
    slope = (path(0.7 + h, 5) - path(0.7 - h, 5)) / (2 * h)
    assert np.isclose(grad(path)(0.7, 5), slope)
    assert np.isclose(grad(path, target="numpy")(0.7, 5), slope)
    assert np.isclose(jvp(lambda x: path(x, 5), (0.7,), (1.0,))[1], slope)


def test_lanes_in_turn() -> None:
    """Each has a list of its own length."""
    xs = np.array([0.7, 0.8])
    for target in ("numba", "numpy"):
        found = batch(path, in_axes=(0, None), target=target)(xs, 5)
        np.testing.assert_allclose(found, [path(x, 5) for x in xs])


def test_lanes_side_by_side_have_arrays_of_one_size() -> None:
    with pytest.raises(
        SourceError, match="how long a list gets, 'seen', is not known before the program runs"
    ):
        batch(path, in_axes=(0, None), schedule="program_counter")(np.array([0.7, 0.8]), 5)


def test_emitted(golden) -> None:
    def orbit(n):
        seen = []

        def visit(k):
            seen.append(k)
            if k != 1:
                visit(k // 2 if k % 2 == 0 else 3 * k + 1)

        visit(n)
        return seen

    golden("orbit.py", jit(orbit).source(6))


def first_of(queue):
    return queue.popleft()


def told_first(queue, v):
    queue.appendleft(v)


def served(n):
    queue, total = deque(), 0
    for k in range(n):
        queue.append(k)
    while queue:
        k = first_of(queue)
        total = 2 * total + k
        if k == 2:
            told_first(queue, 7)
    return total


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_queues_that_functions_are_given(target: str) -> None:
    assert [jit(served, target=target)(n) for n in range(6)] == [served(n) for n in range(6)]
