"""`[None] * n`, filled place by place: a list that is appended to, where nobody sees a None."""

from __future__ import annotations

import numpy as np
import pytest
from over_lanes import holds_with_derivatives
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit
from codegen.read import tree
from codegen.read.function import read_function
from codegen.read.scope import all_statements

X = np.array([0.3, 0.5, -0.7, 1.1])

MADE = """
def f(x):
    n = len(x)
    ys = [None] * n
    for i in range(n):
        ys[i] = np.sin(x[i])
    total = 0.0
    for i in range(n):
        total += ys[i] * x[i]
    return total + sum(ys)
"""

NUMBERED = """
def f(x):
    ys = [None for _ in range(len(x))]
    for i, v in enumerate(x):
        w = v * v
        ys[i] = w
        w = ys[i] + 1.0
    return np.sum(np.array(ys) ** 2)
"""

RECURRENT = """
def f(x):
    n = len(x) - 1
    ys, k = [], 0
    fs = [None] * (n + 1)
    fs[0] = x[0]
    fs[1] = x[1] * fs[0]
    for i in range(2, n + 1):
        if fs[i - 1] > 0.0:
            k += 1
        fs[i] = np.sin(fs[i - 1]) + fs[i - 2] * x[i] + k * fs[0]
    return fs[n] + fs[-2]
"""

ROWS = """
def f(x):
    ys = len(x) * [None]
    for i in range(len(x)):
        ys[i] = x * x[i]
    total = 0.0
    for y in ys:
        total += np.sum(y**3)
    return total
"""

IN_LOOPS = """
def f(x):
    total = 0.0
    for k in range(3):
        ys = [None] * len(x)
        for i in range(len(x)):
            zs = [None] * 2
            for j in range(2):
                zs[j] = x[i] * (j + k)
            ys[i] = zs[0] + zs[1] ** 2
        total += max(ys)
    return total
"""

KNOWN = """
def f(x):
    n = 4
    ys = [None] * n
    ys[n - 1] = x[0]
    for i in range(n - 2, -1, -1):
        ys[i] = np.sin(ys[i + 1]) * x[i % 2]
    memo = [None] * 4
    for i in [2, 0, 2, 3]:
        if memo[i] is None:
            memo[i] = x[0] * i
    return ys[0] + memo[0] * memo[2] + memo[3]
"""

LAYERS = """
def f(x):
    hs = [None] * 3
    hs[0] = x
    for i in range(2):
        hs[i + 1] = np.append(np.tanh(hs[i]), i * x[0])
    return np.sum(hs[-1]) + np.sum(hs[1] * 2.0)
"""

PROGRAMS = {
    "made": MADE,
    "numbered": NUMBERED,
    "recurrent": RECURRENT,
    "rows": ROWS,
    "in loops": IN_LOOPS,
    "known": KNOWN,
    "layers": LAYERS,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives(name):
    f = loaded(PROGRAMS[name])
    holds_with_derivatives(f, X)


@pytest.mark.parametrize("name", ["made", "recurrent", "known"])
def test_compiled(name):
    f = loaded(PROGRAMS[name])
    assert jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    lanes = np.stack([X, -X, 2.0 * X])
    slopes = batch(grad(f))(lanes)
    np.testing.assert_allclose(slopes, [grad(f, target="numpy")(x) for x in lanes], rtol=1e-12)


def test_text():
    text = jit(loaded(MADE), target="numpy").source(X)
    assert "    ys = np.empty(n)\n    for i in range(n):\n        ys[i] = np.sin(x[i])\n" in text


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_lists_that_are_too_short(n):
    f = loaded(
        "def f(x, n):\n    ys = [None] * n\n    ys[0] = x\n    ys[1] = x * x\n"
        "    for i in range(2, n):\n        ys[i] = ys[i - 1] + ys[i - 2]\n    return ys[-1]\n"
    )
    for target in ("numpy", "numba"):
        made = jit(f, target=target)
        if n < 2:
            with pytest.raises(IndexError, match="^list assignment index out of range$"):
                made(2.0, n)
        else:
            assert made(2.0, n) == f(2.0, n)


LOOP = "for i in range(n):\n    "
SEEN = [
    LOOP + "if x[i] < 0.0:\n        break\n    ys[i] = x[i]",
    LOOP + "if x[i] < 0.0:\n        continue\n    ys[i] = x[i]",
    LOOP + "if x[i] < 0.0:\n        ys[i] = x[i]",
    LOOP + "ys[i] = x[i] if ys[i - 1] is None else x[i] + ys[i - 1]",
    LOOP + "ys[i] = x[i] if ys[-1] is None else ys[-1]",
    LOOP + "ys[n - 1 - i] = x[i]",
    LOOP + "n = i + 1\n    ys[i] = x[i]",
    LOOP + "i = 0\n    ys[i] = x[i]",
    LOOP + "g = lambda: ys[0]\n    ys[i] = x[i]",
    "for i in range(n - 1):\n    ys[i] = x[i]",
    "for i in range(1, n):\n    ys[i] = x[i]",
    "for i in range(n - 1, -1, -1):\n    ys[i] = x[i]",
    "ys[1] = 0.5\n" + LOOP + "ys[i] = x[i]",
    "ys[0] = len(ys)\nfor i in range(1, n):\n    ys[i] = x[i]",
    "n = n - 1\n" + LOOP + "ys[i] = x[i]",
]


@pytest.mark.parametrize("body", SEEN)
def test_lists_of_which_a_none_may_be_seen_stay(body):
    lines = ["n = len(x)", "ys = [None] * n", *body.split("\n"), "return ys"]
    f = loaded("def f(x):\n" + "".join(f"    {line}\n" for line in lines))
    appended = [
        node
        for node in all_statements(read_function(f).body)
        if isinstance(node, tree.Change) and isinstance(node.statement, tree.Evaluate)
    ]
    assert appended == []


def test_refused():
    """Where it is not known how many there are, and their order is another one."""
    f = loaded(
        "def f(x):\n    n = len(x)\n    ys = [None] * n\n"
        "    for i in range(n - 1, -1, -1):\n        ys[i] = x[i]\n    return ys[0]\n"
    )
    with pytest.raises(
        SourceError, match="^a list of items that are no numbers or arrays: give all items one"
    ):
        jit(f, target="numpy")(X)
