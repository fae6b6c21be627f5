"""Functions that are chosen when the program runs, and then called."""

from typing import Any

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import grad

v = np.array([3.0, -1.0, 2.0])


def square(x):
    return x * x


def cube(x):
    return x * x * x


def filled(x):
    x[0] = 7.0
    return 1.0


def left_alone(x):
    return x[1]


AROUND = {"square": square, "cube": cube, "filled": filled, "left_alone": left_alone}
PROGRAMS: list[tuple[str, dict[str, Any]]] = [
    *(("    f = square if x > 0 else cube\n    return f(x) + f(2 * x)", {"x": x}) for x in (1.5, -1.5)),
    *(
        ("    if x > 1:\n        f = np.sin\n    elif x > 0:\n        f = lambda u: u + x\n    else:\n"
         "        f = cube\n    return f(x)", {"x": x})
        for x in (1.5, 0.5, -1.5)
    ),
    ("    f = np.exp if x > 0 else np.log\n    return f(v * v)", {"x": -1.0, "v": v}),
    ("    s = 0.0\n    for u in v:\n        f = square if u > 0 else cube\n        s += f(u)\n    return s", {"v": v}),
    ("    def g(f, u):\n        return f(u) + 1\n    return g(square if x > 0 else cube, x)", {"x": -1.5}),
    *(("    y = v.copy()\n    f = filled if x > 0 else left_alone\n    return f(y), y", {"x": x, "v": v})
      for x in (1.0, -1.0)),
    ("    f = square if n else cube\n    g = f if n > 1 else np.abs\n    return g(3.0), f is not None", {"n": 2}),
    ("    def step(u):\n        return u * x\n    def half(u):\n        return u / 2\n    f = step if x > 2 else half\n"
     "    x = x + 1\n    return f(3.0)", {"x": 2.5}),
]  # fmt: skip
REFUSED: list[tuple[str, dict[str, Any]]] = [
    (
        "    f = square\n    s = 0.0\n    for u in v:\n        s += f(u)\n        f = cube if u > 0 else square\n"
        "    return s, f(s)",
        {"v": v},
    ),
    ("    return square if x > 0 else cube", {"x": 1.0}),
    ("    f = square if x > 0 else 3.0\n    return f(x)", {"x": 1.0}),
]


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("text, arguments", PROGRAMS)
def test_python_says(text: str, arguments: dict[str, Any], target: str) -> None:
    assert complaint(text, arguments, around=AROUND, target=target) is None


@pytest.mark.parametrize("text, arguments", REFUSED)
def test_refused(text: str, arguments: dict[str, Any]) -> None:
    said = complaint(text, arguments, around=AROUND)
    assert said is not None and said.startswith("SourceError"), said


def test_derivatives_and_lanes() -> None:
    def chosen(x):
        f = square if x > 0 else cube
        return f(x) * 2.0

    assert [grad(chosen)(x) for x in (1.5, -1.5)] == [6.0, 13.5]
    np.testing.assert_array_equal(batch(chosen)(np.array([1.5, -1.5])), [4.5, -6.75])
    np.testing.assert_array_equal(batch(grad(chosen))(np.array([1.5, -1.5])), [6.0, 13.5])
