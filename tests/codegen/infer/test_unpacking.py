"""Unpacking lists whose length is known when the program runs: with a star, and by `zip(*rows)`."""

from typing import Any

import numpy as np
import pytest
from plain_python import complaint
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import jit

LIST = """
    xs = [x * i for i in range(n)]
    a, *between, z = xs
    first, *others = between
    return a, z, len(between), sum(between), first + sum(others), others"""

ELEMENTS = """
    a, *rest = list(v[:n])
    *some, z = rest
    return a * z + sum(some) + len(rest) * rest[-1]"""

RECURSION = """
    def total(xs):
        if len(xs) == 0:
            return 0.0
        a, *rest = xs
        return a + 0.5 * total(rest)

    return total([x * i for i in range(n)])"""

ROWS = """
    log = []
    for i in range(9):
        if i % n != 1:
            log.append((i, x * i, (x, i > 3)))
    steps, values, pairs = zip(*log)
    log.append((0, 0.0, (0.0, False)))
    return steps[-1], np.array(values).sum() + len(pairs), sum(v * s for s, v in zip(steps, values)), pairs[2][1]"""

v = np.array([0.5, -1.0, 2.0, 0.25, 3.0])


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("text", [LIST, ELEMENTS, RECURSION, ROWS])
def test_what_names_are_given(text: str, target: str) -> None:
    for n in (3, 4, 5):
        assert complaint(text, {"x": 1.5, "n": n, "v": v}, target=target) is None


@pytest.mark.parametrize(
    "text",
    [
        "    a, *rest, z = [x] * n\n    return a",
        "    a, *rest = list(v[:n])\n    return a",
        "    xs = []\n    for i in range(n - 1):\n        xs.append((x, i))\n    a, b = zip(*xs)\n    return a[0]",
    ],
)
def test_too_few_values(text: str) -> None:
    f: Any = loaded(f"def f(x, n, v):\n{text}\n")
    given = 1.5, 1, v[:0]
    with pytest.raises(ValueError, match="not enough values") as plain:
        f(*given)
    with pytest.raises(ValueError, match="not enough values") as compiled:
        jit(f)(*given)
    assert str(compiled.value) == str(plain.value)


def test_derivatives_and_lanes() -> None:
    f: Any = loaded(f"def f(v, n):\n{ELEMENTS}\n")
    step = 1e-6 * np.eye(5)
    near = [(f(v + d, 4) - f(v - d, 4)) / 2e-6 for d in step]
    assert np.allclose(grad(f)(v, 4), near, atol=1e-7)
    g: Any = loaded(f"def f(x, n):\n{ROWS}\n")
    xs, n = np.array([1.5, -0.5, 2.0]), np.array([3, 5, 4])
    lanes = zip(*batch(g)(xs, n), strict=True)
    assert np.allclose([*lanes], [g(*given) for given in zip(xs, n, strict=True)])
