"""Queues with a `maxlen`, whose last items stay."""

import collections
from collections import deque
from typing import Any

import numpy as np
import pytest
from plain_python import complaint
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

x = np.array([0.5, -1.0, 2.0, 0.25, 3.0, -0.5])
AROUND = {"np": np, "deque": deque, "collections": collections}

MEANS = """
    out = np.zeros_like(x)
    window = deque(maxlen=w)
    for i, v in enumerate(x):
        window.append(v)
        out[i] = sum(window) / len(window)
    return out"""

ENDS = """
    last = collections.deque([1.0, 2.0, 3.0], maxlen=2)
    front = deque(maxlen=3)
    for v in x:
        last.append(v * last[0])
        if v > 0:
            front.appendleft(v)
        if len(front) > 1:
            last.extend(front)
    return last[-1] + 2 * last[0], len(front), list(front), np.mean(last), max(last)"""

TURNED = """
    q = deque(x, maxlen=w)
    a = q.popleft()
    q.append(a)
    q.append(v)
    all_of = deque([0.0], maxlen=None)
    for each in q:
        all_of.append(each)
    return sum(v for v in q), q.count(v), len(all_of), [each * 1.0 for each in q]"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("text", [MEANS, ENDS, TURNED])
def test_the_last_items_stay(text: str, target: str) -> None:
    for w in (1, 3, 4, 10):
        assert complaint(text, {"x": x, "w": w, "v": x[2]}, target=target, around=AROUND) is None


def test_derivatives_and_lanes() -> None:
    f: Any = loaded(f"def f(x, w):\n{MEANS}\n")
    f.__globals__.update(AROUND)

    def total(x, w):
        return np.sum(f(x, w) ** 2)

    near = [(total(x + d, 3) - total(x - d, 3)) / 2e-6 for d in 1e-6 * np.eye(6)]
    assert np.allclose(grad(total)(x, 3), near, atol=1e-7)
    xs, ws = np.array([x, 2.0 * x, -x]), np.array([2, 3, 10])
    assert np.allclose(batch(f)(xs, ws), [f(row, int(w)) for row, w in zip(xs, ws, strict=True)])


OTHERS = [
    "    same = q = deque(maxlen=2)\n    return len(same)",
    "    q = deque(maxlen=2)\n    push(q, x)\n    return len(q)",
    "    q = deque(maxlen=2)\n    q.rotate(1)\n    return len(q)",
    "    q = deque(maxlen=2)\n    q = [x]\n    return len(q)",
    "    q = deque(maxlen=2)\n    r = q.copy()\n    r.append(x)\n    return len(r)",
    "    q = deque(maxlen=2)\n    a, b = q.append(x), q.append(x)\n    return len(q)",
    "    q = deque(maxlen=2)\n    q.append(x) if x > 0 else q.append(-x)\n    return len(q)",
    "    q = deque(maxlen=2)\n\n    def more(v):\n        q.append(v)\n\n    more(x)\n    return len(q)",
]


@pytest.mark.parametrize("text", OTHERS)
def test_of_other_names_it_is_not_known(text: str) -> None:
    f = loaded(f"def push(q, v):\n    q.append(v)\n\ndef f(x):\n{text}\n")
    f.__globals__.update(AROUND)
    with pytest.raises(SourceError, match="a deque with `maxlen` has one name here, in one function"):
        jit(f)(1.5)


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_a_maxlen_below_zero(target: str) -> None:
    text = "    q = deque(x, maxlen=w - 2)\n    return len(q)"
    for w in (1, 2, 3):
        assert complaint(text, {"x": x, "w": w}, target=target, around=AROUND) is None
