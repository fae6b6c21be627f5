"""What is read as other statements: `:=`, `match`, dicts made of dicts, comprehensions of dicts; and `del`."""

from typing import Any

import numpy as np
import pytest
from plain_python import complaint

v, A = np.array([3.0, 1.0, 2.0]), np.array([[3.0, 1.0], [2.0, 5.0]])
MATCH = """    match n:
        case 0:
            y = x
        case 1 | 2:
            y = 2 * x
        case k if k > 5:
            y = k + x
        case -1:
            y = k
        case _:
            y = -x
    return y"""

PROGRAMS: list[tuple[str, dict[str, Any]]] = [
    *((MATCH, {"n": n, "x": 4}) for n in (-1, 0, 1, 2, 3, 9)),
    ("    match x:\n        case 1.5 if n > 2:\n            n = 0\n    return n", {"x": 1.5, "n": 3}),
    *(
        ("    match n:\n        case 'a':\n            return 1\n        case None:\n"
         "            return 2\n    return 3", {"n": n})
        for n in (None, "a", "b")
    ),
    ("    if (n := len(v)) > 2:\n        return n\n    return n * 10", {"v": v}),
    ("    if x > 5:\n        y = 1\n    elif (k := x * 2) > 3:\n        y = k\n    else:\n"
     "        y = k - 1\n    return y", {"x": 2}),
    ("    s = 0\n    while (x := x - 1) > 0:\n        if x == 3:\n            continue\n"
     "        s += x\n    return s, x", {"x": 7}),
    ("    return (y := x * 2) + y", {"x": 3}),
    ("    y = (a := (b := x + 1) * 2) - a * b\n    assert (c := a) > 0\n    return y, a, b, c", {"x": 3}),
    ("    while (far := v > x).any():\n        v = v - far\n    return (y := v + far).sum() + y[0] + x",
     {"v": v, "x": 0.5}),
    ("    t = 0\n    for u in (w := v * 2):\n        t += u\n    return t, w", {"v": v}),
    ("    y = x * 2\n    del y\n    y = 3\n    return y", {"x": 1.5}),
    ("    y = x\n    for i in range(3):\n        z, w = y + i, i\n        y = z\n        del z, w\n"
     "    return y", {"x": 1.5}),
    ("    if x > 0:\n        del x\n        x = 2.0\n    return x", {"x": 1.5}),
    ("    d = {'a': x, 'b': 2}\n    return {**d, 'c': 3, 'a': 5}, {'z': 1, **d}, {**d, **d}", {"x": 1.5}),
    ("    return {k: x * i for i, k in enumerate(('a', 'b'))}", {"x": 1.5}),
    ("    d = {'a': x, 'b': 2.0}\n    e = {k: u * 2 for k, u in d.items() if k != 'b'}\n"
     "    e['q'] = x\n    return d, e", {"x": 1.5}),
    ("    y = v.copy()\n    y.sort()\n    v.sort()\n    return y, v", {"v": v}),
    ("    y = A.copy()\n    y.sort(axis=0)\n    y[0].sort()\n    return y, A", {"A": A}),
]  # fmt: skip
# Python raises there, or what is written is refused.
ENDING: list[tuple[str, dict[str, Any]]] = [
    (
        "    match n:\n        case True:\n            return 1\n        case m:\n            return 2",
        {"n": True},
    ),
    ("    y = 2\n    del y\n    return y", {}),
    ("    y = 2\n    if x > 0:\n        del y\n    return y", {"x": 1.0}),
    ("    for i in range(n):\n        del x\n    return n", {"x": 1.0, "n": 2}),
    ("    return {i: x for i in range(3)}", {"x": 1.0}),
]


@pytest.mark.parametrize("text, arguments", PROGRAMS)
def test_python_says(text: str, arguments: dict[str, Any]) -> None:
    assert complaint(text, arguments) is None


@pytest.mark.parametrize("text, arguments", ENDING)
def test_ends(text: str, arguments: dict[str, Any]) -> None:
    said = complaint(text, arguments)
    assert said is None or said.startswith("SourceError"), said
