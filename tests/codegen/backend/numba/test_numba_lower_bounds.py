"""Places that are known not to be negative are not looked at; all others count from the end, as Python's do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.np import arrayobj
from user_programs import loaded

from codegen.backend.load import load
from codegen.backend.machine_code import compile_anew

TEXT = """
import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def f(x, a, k):
    n = len(x)
    y = 0.0
    c = -2
{body}    return y
"""

PROGRAMS = {
    "down to a negative place": "for i in range(n - 1, -3, -1):\n    y = 2 * y + x[i]\n",
    "down from one by twos": "for i in range(n - 1, -2, -2):\n    y = 2 * y + x[i]\n",
    "up from a negative place": "for i in range(-3, n):\n    y = 2 * y + x[i]\n",
    "up from a literal's name": "for i in range(c, n):\n    y = 2 * y + x[i]\n",
    "by a step that is not known": "for i in range(-1, 4, k):\n    y = 2 * y + x[i]\n",
    "before an index": "for i in range(n):\n    y = 2 * y + x[i - 1]\n",
    "before an index from one": "for i in range(1, n):\n    y = 2 * y + x[i - 1]\n",
    "two before an index from one": "for i in range(1, n):\n    y = 2 * y + x[i - 2]\n",
    "far behind a bound": "for i in range(20, 22):\n    y = 2 * y + x[i - 19] + x[i - 22]\n",
    "the difference of two": "for i in range(3):\n    for j in range(3):\n        y = 2 * y + x[i - j]\n",
    "the negative of one": "for i in range(n):\n    y = 2 * y + x[-i]\n",
    "the complement of one": "for i in range(n):\n    y = 2 * y + x[~i] + x[i ^ -1]\n",
    "a remainder of a negative divisor": "for i in range(n):\n    y = 2 * y + x[i % -3] + x[i // -9]\n",
    "a remainder of a negative number": "for i in range(n):\n    y = 2 * y + x[(c - i) % n]\n",
    "the least of two": "for i in range(n):\n    y = 2 * y + x[min(i, c)] + x[max(i, c)]\n",
    "one of several values": "p = 0\nfor i in range(n):\n    y = 2 * y + x[p]\n    p = -1 if i == 2 else i\n",
    "one that goes down": "p = 3\nwhile p > -4:\n    y = 2 * y + x[p]\n    p -= 1\n",
    "one that goes up": "p = -3\nwhile p < n:\n    y = 2 * y + x[p]\n    p += 1\n",
    "a search": (
        "lo, hi = 0, n\nwhile lo < hi:\n    m = (lo + hi) // 2\n    y = 2 * y + x[m] + x[lo - 1]\n"
        "    lo, hi = (m + 1, hi) if m < k else (lo, m)\n"
    ),
    "one that stays or doubles": (
        "p, q = 1, 2\nfor i in range(n):\n    y = 2 * y + x[p % 6]\n    if i % 2:\n        p = p + q\n    q = p\n"
    ),
    "an argument": "y = x[-k] + x[k] + x[k - 3]\n",
    "of two axes": "for i in range(2):\n    for j in range(3):\n        y = 2 * y + a[i, -j] + a[-i, j] + a[i, j]\n",
    "a tuple": "q = (-1, 2)\ny = a[q]\nfor i in range(2):\n    q = (i, c)\n    y = 2 * y + a[q]\n",
    "a part of a tuple": "q = (1, -2)\nn, m = a.shape\ny = x[q[0]] + x[q[1]] + a[n - 2, m - 4]\n",
    "an element": "for i in np.array([1, -1, 2]):\n    y = 2 * y + x[i]\n",
    "written": "for i in range(n):\n    x[i - 2] += x[i] * 0.5\n    a[i - 3, -1] = x[i]\ny = x.sum() + a.sum()\n",
}


def program(body: str) -> str:
    return TEXT.format(body="".join(f"    {line}\n" for line in body.splitlines()))


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)
def test_places_are_pythons(body: str) -> None:
    compiled: Any = load(program(body), "places").f
    plain: Callable[..., float] = loaded(
        program(body).replace('@njit(cache=True, error_model="numpy")\n', "")
    )
    results = []
    for f in (compiled, plain):
        x, a = np.arange(1.0, 7.0), np.arange(18.0).reshape(6, 3)
        with np.errstate(over="ignore"):
            results.append((f(x, a, 2), x, a))
    for mine, pythons in zip(*results, strict=True):
        np.testing.assert_array_equal(mine, pythons)


NOT_LOOKED_AT = {
    "for i in range(n - 1, -1, -1):\n    for j in range(i):\n        y += x[i] * a[j, 0]\n": 0,
    "for i in range(1, n - 1):\n    y += x[i - 1] + x[i + 1] + a[i // 2, (i * 2) % 3]\n": 0,
    "m = min(n, a.shape[0])\nfor i in range(m):\n    y += x[max(i - 3, 0)] + x[m - 1]\n": 1,
    "lo, hi = 0, n\nwhile lo < hi:\n    m = (lo + hi) // 2\n    lo, hi = (m + 1, hi) if x[m] < k else (lo, m)\n": 0,
    "for i in range(n):\n    y += x[i - 1]\n": 1,
}


@pytest.mark.parametrize("body", NOT_LOOKED_AT)
def test_places_that_are_not_negative_are_not_looked_at(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    look = arrayobj.fix_integer_index
    monkeypatch.setattr(arrayobj, "fix_integer_index", lambda *given: looked_at.append(given) or look(*given))
    compiled: Any = load(program(body), "signs").f
    compile_anew([compiled])
    compiled(np.arange(6.0), np.ones((6, 3)), 2)
    assert len(looked_at) == NOT_LOOKED_AT[body]


def test_products_that_wrap_count_from_the_end() -> None:
    """As Numba's own: of int64, whose products wrap, x[-1] and x[-2] are elements."""
    body = "h = 5381\nfor i in range(40):\n    h = h * 33 + 7\n    y = y + x[h >> 62] * i\n"
    compiled: Any = load(program(body), "places").f
    numbas: Callable[..., float] = loaded(program(body).replace("cache=True, ", ""))
    x, a = np.arange(1.0, 7.0), np.zeros((6, 3))
    assert compiled(x, a, 2) == numbas(x, a, 2) != 40 * 39 / 2
