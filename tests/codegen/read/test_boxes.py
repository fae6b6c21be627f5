"""Names that nested functions rebind: what Python gives."""

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

TEXTS = [
    "    c = 0\n    def f(x):\n        nonlocal c\n        c += 1\n        return x * x\n    s = f(2.0)\n"
    "    for i in range(n):\n        s += f(i * 1.0)\n    return s, c",
    "    best, at = -1.0, 0\n    def look(i, v):\n        nonlocal best, at\n"
    "        if v > best:\n            best, at = v, i\n"
    "    for i in range(n):\n        look(i, (i * 7 % 5) * 0.5)\n    return best, at",
    "    s = 0\n    def outer():\n        k = 1\n        def inner():\n"
    "            nonlocal s, k\n            s += k\n"
    "            k *= 2\n        for _ in range(n):\n            inner()\n        return k\n"
    "    k = outer()\n    return s, k",
    "    def g():\n        nonlocal n\n        n = n * 2\n        return n\n    return g() + g(), n",
    "    t = 0\n    def g(v):\n        nonlocal t\n        t += v * 0.5\n"
    "    for v in range(n):\n        g(v)\n    t = t + 1\n"
    "    u = (lambda t: t + 1)(3)\n    return t, u, [t for t in range(2)], (lambda: t)()",
    "    def g():\n        nonlocal t\n        t += 1\n        if t < n:\n            g()\n"
    "    t = 0\n    g()\n    return t",
    "    t = 0\n    def g():\n        t = 5\n        def h():\n            nonlocal t\n"
    "            t += n\n        h()\n"
    "        return t\n    return g(), t",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_python_says(text: str, target: str) -> None:
    assert complaint(text, {"n": 4}, target=target) is None


def summed(x, n):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v
        return v * x

    s = 0.0
    for i in range(n):
        s += add(x + i)
    return s * total


def test_derivatives_and_lanes() -> None:
    h = 1e-6
    slope = (summed(0.7 + h, 4) - summed(0.7 - h, 4)) / (2 * h)
    assert np.isclose(grad(summed)(0.7, 4), slope)
    assert np.allclose(
        batch(summed, in_axes=(0, None))(np.array([0.7, 0.8]), 4), [summed(0.7, 4), summed(0.8, 4)]
    )


def test_around_the_function() -> None:
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return x

    with pytest.raises(SourceError, match="'count' is a name around the function that is transformed"):
        jit(f)(1.0)
    assert count == 0
