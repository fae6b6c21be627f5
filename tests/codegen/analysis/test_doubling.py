"""Ints that double wrap within a hundred iterations; places that are made of them are looked at. Others are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from codegen import jit

DOUBLED = {
    "a sum with itself": "d = 1\nfor _ in range(n):\n    d = d + d\n    if d < len(x):\n        s += x[d]\n",
    "a product": "d = 3\nfor _ in range(n):\n    if d < len(x):\n        s += x[d]\n    d *= 5\n",
    "a sum of two that follow": (
        "a, b = 0, 1\nfor _ in range(n):\n    a, b = b, a + b\n    if b < len(x):\n        s += x[b]\n"
    ),
    "a while": (
        "h, k = 0, 0\nwhile k < n:\n    k += 1\n    h = h + h + 1\n    if h < len(x):\n        s += x[h]\n"
    ),
    "on one way": (
        "d = 1\nfor k in range(n):\n    d = d + d if k % 2 == 0 else d + 1\n    if d < len(x):\n        s += x[d]\n"
    ),
    "a part of one": "a, b = 0, 1\nfor _ in range(n):\n    a, b = b, a + b\n    s += x[(b >> 60) % 9 + (b >> 63)]\n",
    "high bits": "a, b = 0, 1\nfor _ in range(n):\n    a, b = b, a + b\n    s += x[b >> 60]\n",
    "steps that are large": "h = 0\nfor _ in range(n):\n    h = h + 2177342782468422677\n    s += x[h >> 60]\n",
    "a place that is large": (
        "h = 0\nfor _ in range(n):\n    if h < len(x):\n        s += x[h]\n    h = h + 4611686018427387904\n"
    ),
    "what is written": "d = 1\nfor _ in range(n):\n    d = d + d\n    if d < len(x):\n        x[d] += 1.0\n",
}
HELD = {
    "widths": (
        "d = 1\nwhile d < len(x):\n    for k in range(0, len(x) - d, 2):\n        s += x[k] * x[k + d]\n    d *= 2\n"
    ),
    "the middle of two": (
        "i, j = 0, len(x)\nwhile i < j:\n    m = (i + j) // 2\n    s += x[m]\n"
        "    i, j = (m + 1, j) if x[m] < n else (i, m)\n"
    ),
    "a remainder": "a, b = 0, 1\nfor _ in range(n):\n    a, b = b, (a + b) % len(x)\n    s += x[b]\n",
    "the least of two": "d = 1\nfor _ in range(n):\n    d = min(2 * d, len(x) // 2)\n    s += x[d]\n",
    "a sum of counters": (
        "i, j = 0, 0\nwhile i + j < len(x):\n    s += x[i + j]\n    if x[i + j] > n:\n        i += 1\n"
        "    else:\n        j += 1\n"
    ),
}  # fmt: skip


def program(body: str) -> Any:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return loaded(f"import numpy as np\n\n\ndef f(x, n):\n    s = 0.0\n{lines}    return s\n")


def wrapping(body: str) -> Any:
    """The program with NumPy's ints where it has Python's, which have 64 bits and wrap as NumPy's do."""
    first, _, rest = body.partition("\n")
    names, _, numbers = first.partition(" = ")
    return program(f"{names} = {', '.join(f'np.int64({n})' for n in numbers.split(', '))}\n{rest}")


def result(f: Any, n: int) -> str:
    """What a call gives, or its IndexError, and the array, which is a part of a larger one."""
    x = np.full(60, 1e9)
    x[20:40] = np.arange(20.0)
    try:
        with np.errstate(over="ignore"):
            made = float(f(x[20:40], n))
    except IndexError as error:
        return str(error)
    return f"{made} {x}"


@pytest.mark.parametrize("body", DOUBLED.values(), ids=DOUBLED)
def test_places_that_double_count_from_the_end_where_they_wrap(body: str) -> None:
    made = jit(program(body))
    for n in (1, 4, 70, 200):
        assert result(made, n) == result(wrapping(body), n)


@pytest.mark.parametrize("body", HELD.values(), ids=HELD)
def test_ints_that_are_held_below_something_are_not_looked_at(body: str) -> None:
    made = jit(program(body))
    assert result(made, 7) == result(program(body), 7)
    text = made.source(np.arange(20.0), 7)
    assert "< -" not in text and "not -" not in text and "wrapping" not in text
