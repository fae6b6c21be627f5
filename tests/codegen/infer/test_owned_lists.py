"""Lists and dicts that are changed in place: as in Python where one name has them, refused where another may."""

from typing import Any

import numpy as np
import pytest
from plain_python import complaint

v, A = np.array([3.0, -1.0, 2.0]), np.arange(6.0).reshape(2, 3)

RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("    d = {'sum': 0.0, 'n': 0}\n    for u in v:\n        d['sum'] += u\n        d['n'] += 1\n"
     "    return d", {"v": v}),
    ("    d = {}\n    d['a'] = x\n    d['b'] = d['a'] * 2\n    d['a'] = 1\n    return d, len(d), 'b' in d", {"x": 2.5}),
    ("    xs = [0.0, 0.0]\n    for u in v:\n        xs[0] += u\n        xs[1] = u\n    return xs", {"v": v}),
    ("    xs = [0.0] * 3\n    for i in range(3):\n        xs[i] = v[i] * 2\n    return xs, sum(xs)", {"v": v}),
    ("    xs = [0] * 3\n    for i in range(n):\n        xs[i - 3] += i\n    return xs", {"n": 3}),
    ("    xs = [0.0, 1.5]\n    xs[n] = 2.0\n    return xs[n]", {"n": 1}),
    *(("    xs = [0, 1, 2]\n    xs[n] = 5\n    return xs", {"n": n}) for n in (0, 2, -1, -3, 3, -4, True)),
    ("    xs = [0, 1]\n    xs[np.int64(1)] = n\n    return xs", {"n": 2}),
    ("    xs = []\n    xs.append(x)\n    xs.append(x + 1)\n    xs.extend((5, x))\n    return np.array(xs)", {"x": 2.0}),
    ("    xs = []\n    for k in range(4):\n        xs.append(x * k)\n    return np.stack(xs), len(xs)", {"x": v}),
    ("    xs = []\n    for k in range(4):\n        if k % 2:\n            xs += [k]\n    return xs", {}),
    ("    xs = [1, 2, 3]\n    xs.pop()\n    xs.insert(1, x)\n    xs.reverse()\n    xs.pop(0)\n    return xs", {"x": 7}),
    ("    xs = [1, x]\n    xs *= 2\n    xs.insert(-1, 9)\n    xs.insert(99, 8)\n    return xs", {"x": 7}),
    ("    xs = [1, 2, 3, x]\n    xs[1:3] = (4.5, x, 6)\n    del xs[0], xs[-1:]\n    xs[::2] = [7, 8]\n"
     "    return xs", {"x": 7}),
    ("    xs = [1, 2]\n    del xs[n]\n    xs[:0] = [n] * 2\n    return xs", {"n": 1}),
    ("    d = {'a': 1, 'b': x}\n    del d['a']\n    d['a'] = 2\n    return d", {"x": 7}),
    ("    xs = [1]\n    del xs[1]\n    return xs", {}),
    ("    xs = [1, 2, 3]\n    xs[::2] = [4]\n    return xs", {}),
    ("    xs = [1]\n    xs.clear()\n    d = {'a': 1}\n    d.clear()\n    d['b'] = x\n    return xs, d", {"x": 7}),
    ("    xs = [x, 2.0]\n    xs[0], xs[1] = xs[1], xs[0]\n    return xs", {"x": 7.0}),
    ("    xs = [1, 2]\n    if x > 0:\n        xs[0] = 5\n    else:\n        xs[1] = 6\n    return xs", {"x": 1.0}),
    ("    xs = [1.0, 2.0]\n    while xs[0] < 50:\n        xs[0] *= xs[1]\n        xs[1] += 1\n    return xs", {}),
    ("    xs = [v * 0, v]\n    xs[0] += v\n    xs[1] = xs[0] * 2\n    return xs", {"v": v}),
    ("    a = v * 1\n    xs = [a, v]\n    xs[0] += 1\n    return a, xs", {"v": v}),
    ("    xs = [1, 2]\n    ys = xs + [3]\n    zs = xs.copy()\n    ts = list(xs)\n    xs[0] = x\n"
     "    return xs, ys, zs, ts",
     {"x": 7}),
    ("    xs = [1, 2]\n    ys = xs[:]\n    n = len(xs) + max(xs)\n    xs[0] = x\n    return xs, ys, n", {"x": 7}),
    ("    xs = [1, 2]\n    n = [k * 2 for k in xs]\n    m = sum(k for k in xs)\n    xs[0] = x\n"
     "    return n, m, xs", {"x": 7}),
    ("    xs = [1, 2]\n    t = 0\n    for k, u in enumerate(xs):\n        t += k * u\n    xs[0] = x\n"
     "    return t, xs", {"x": 7}),
    ("    def total(v):\n        s = [0.0]\n        for u in v:\n            s[0] += u\n"
     "        return s[0]\n    return total(v)",
     {"v": v}),
    ("    a, b = v * 1, v + 1\n    r = (a, b)[i]\n    k, w = [(1, a), (2, b)][i]\n"
     "    return r, k * w", {"v": v, "i": 1}),
    ("    xs = [False, False]\n    xs[n] = True\n    xs[n - 1] = True\n"
     "    return xs[0] + xs[1], xs, sum(xs)", {"n": 1}),
    ("    a = True if x[0] > 0 else False\n    b = x[1] > 0 and x[0] > 0\n"
     "    return a + a, b, sum(True if u > 0 else False for u in x)",
     {"x": v}),
    *(("    return [np.int8(1), 100][i], (1.5, 2.5)[i - 1]", {"i": i}) for i in (0, -2, 2)),
    ("    for row in A:\n        xs = [0.0, 0.0]\n        for u in row:\n            xs[0] += u\n"
     "        xs[1] = xs[0]\n"
     "    return xs", {"A": A}),
    ("    xs = [0]\n    for k in range(3):\n        xs += [k, *xs]\n        xs[0] += 1\n"
     "        if len(xs) > 2:\n            break\n"
     "    return xs", {}),
    ("    d = {'a': 1.0, 'b': x}\n    for _ in range(3):\n        for k in d:\n            d[k] += 0.5 * d['a']\n"
     "    for k in d.keys():\n        d[k] = [d[k]]\n    return d", {"x": 7}),
    ("    d = {k: x * len(k) for k in ('a', 'bc')}\n    for i, (k, u) in enumerate(d.items()):\n"
     "        if u > 1.0:\n            d[k] = i + u * d['a']\n    e = d\n    return e, len(d)", {"x": 1.5}),
    ("    xs = v.tolist()\n    xs.append(1.0)\n    xs[0] = 7.0\n    v[1] = 9.0\n    return xs, v", {"v": v}),
    ("    xs = v.tolist()\n    t = 0.0\n    while xs:\n        u = xs.pop()\n        t = t * 2 + u\n"
     "        if u > 2.5:\n            xs.insert(0, u - 1)\n    return t", {"v": v}),
    ("    t = v.sum().tolist()\n    t += 1\n    return t", {"v": v}),
    ("    d = dict.fromkeys(('a', 'b'), v)\n    e = d['b']\n    for k, u in d.items():\n        d[k] = u + 1\n"
     "    d['a'] += 2\n    return d, e", {"v": v}),
]  # fmt: skip

# Another name may have the object, or what goes through it later: as in Python, or refused.
SHARED: list[tuple[str, dict[str, Any]]] = [
    (text.replace("CHANGE", change), {"x": 7})
    for text in (
        "    xs = [1, 2]\n    ys = xs\n    CHANGE\n    return ys",
        "    ys = xs = [1, 2]\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    ys = (xs, 3)\n    CHANGE\n    return ys[0]",
        "    xs = [1, 2]\n    ys = [xs]\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    d = {'a': xs}\n    CHANGE\n    return d['a']",
        "    xs = [1, 2]\n    ys = xs if x > 3 else [5, 6]\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    ys = x > 9 and [3, 4] or xs\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    def same(u):\n        return u\n    ys = same(xs)\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    def seen():\n        return xs\n    CHANGE\n    return seen()",
        "    xs = [1, 2]\n    seen = lambda: xs\n    CHANGE\n    return seen()",
        "    xs = [1, 2]\n    seen = lambda u=xs: u\n    CHANGE\n    return seen()",
        "    xs = [1, 2]\n    ys = zip(xs, xs)\n    CHANGE\n    return [a for a, b in ys]",
        "    xs = [1, 2]\n    ys = enumerate(xs)\n    CHANGE\n    return [b for a, b in ys]",
        "    xs = [1, 2]\n    ys = reversed(xs)\n    CHANGE\n    return [a for a in ys]",
        "    xs = [1, 2]\n    t = 0\n    for u in xs:\n        CHANGE\n        t += u\n"
         "        if t > 20:\n            break\n    return t",
        "    xs = [1, 2]\n    t = 0\n    for u, w in zip(xs, [1, 2]):\n        CHANGE\n        t += u\n    return t",
        "    xs = [1, 2]\n    ys, n = xs, 1\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    for ys in (xs, [3, 4]):\n        CHANGE\n    return ys, xs",
        "    xs = [1, 2]\n    ys = [xs for k in range(2)]\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    ys = [3, 4]\n    ys[0] = xs\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    ys = []\n    ys.append(xs)\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    ys = max(xs, [0])\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    ys = max((xs), default=3)\n    CHANGE\n    return ys, xs",
        "    xs = [1, 2]\n    ys = sum([], xs)\n    CHANGE\n    return ys",
        "    def len(u):\n        return u\n    xs = [1, 2]\n    ys = len(xs)\n    CHANGE\n    return ys",
        "    def list(u):\n        return u\n    def f():\n        xs = [1, 2]\n        ys = list(xs)\n        CHANGE\n"
        "        return ys\n    return f()",
        "    xs = [1, 2]\n    ys = [*xs, xs]\n    CHANGE\n    return ys",
        "    xs = [1, 2]\n    def f(u=xs):\n        return u\n    CHANGE\n    return f()",
        "    xs = [1, 2]\n    ys = xs\n    for k in range(2):\n        CHANGE\n        xs = ys\n    return xs, ys",
    )
    for change in ("xs[0] = x", "xs += [x]", "xs[1] += x", "xs.append(x)", "xs.reverse()")
] + [
    ("    d = {'a': 1.0, 'b': x}\n    e = d\n    for k in d:\n        d[k] += 1\n    return e", {"x": 7}),
    ("    d = {'a': 1.0, 'b': x}\n    for k, u in d.items():\n        d['b'] = u + d['b']\n    return d", {"x": 7}),
    ("    d = {'a': 1.0, 'b': x}\n    for k in d:\n        for j in d:\n            d[k] += d[j]\n"
     "    return d", {"x": 7}),
    ("    d = {'a': 1.0, 'b': x}\n    for k in d:\n        d[k + 'c'] = 1.0\n    return d", {"x": 7}),
    ("    xs = [2, 0, 1]\n    for k in xs:\n        xs[k] = x\n        if xs[0] == x:\n            break\n"
     "    return xs", {"x": 0}),
    ("    d = {'a': 1}\n    e = d.values()\n    d['a'] = x\n    return [u for u in e]", {"x": 7}),
    ("    d = {'a': 1}\n    e = d.items()\n    d['a'] = x\n    return [u for k, u in e]", {"x": 7}),
    ("    d = {'a': 1, 'b': 2}\n    t = 0\n    for k in d:\n        d['b'] = x\n        t += d[k]\n"
     "    return t", {"x": 7}),
    ("    d = {'a': 1, 'b': 2}\n    t = 0\n    for u in d.values():\n        d['b'] = x\n"
     "        t += u\n    return t", {"x": 7}),
    ("    xs = [[1], [2]]\n    y = xs[0]\n    xs[0] += [x]\n    return y", {"x": 7}),
    ("    xs = [[1], [2]]\n    y = xs[0]\n    xs[0][0] = x\n    return y", {"x": 7}),
    ("    xs = [[0]] * 2\n    xs[0][0] = x\n    return xs", {"x": 7}),
    ("    y = [1]\n    xs = [y]\n    y[0] = x\n    return xs", {"x": 7}),
    ("    xs = [1, 2]\n    xs[0:1] = [x]\n    return xs", {"x": 7}),
    *((f"    a, b = v * 1, v + 1\n    {text}", {"v": v, "i": 1}) for text in (
        "xs = [a, b]\n    xs[i] += 1\n    return a + b",
        "xs = (a, b)\n    xs[i][0] = 5\n    return a + b",
        "r = (b, a)[i]\n    a[0] = 5\n    return r",
        "r = [a[:2], b[:2]][i]\n    r[0] = 9\n    return a, b",
        "k, w = [(1, a), (2, b)][i]\n    w += 1\n    return a, b",
        "(a, b)[i].fill(3)\n    return a, b",
        "np.add(v, v, out=(a, b)[i])\n    return a, b",
    )),
    ("    xs = [0]\n    xs[0] = 1\n    for xs[0] in range(3):\n        x += xs[0]\n    return xs, x", {"x": 7}),
    ("    xs = [0, 1]\n    xs[0] = 5\n    for k in range(x):\n        (a, (xs[0], b)), xs[1] = (k, (k + 1, k)), xs[0]\n"
     "    return xs, a, b", {"x": 3}),
    ("    xs = [0, 1]\n    xs[0] = 5\n    for k in range(x):\n        a, *xs[0] = k, 1, 2\n    return xs, a", {"x": 3}),
    ("    xs = list(v)\n    xs[0] = x\n    return xs, v", {"x": 7.0, "v": v}),
    ("    xs = b.copy()\n    xs[0] = x\n    xs.sort()\n    xs.append(5)\n    return xs, b", {"x": 7, "b": [1, 2]}),
    ("    xs = v.copy()\n    xs[0] = x\n    xs += 1\n    d = {'a': x}\n    e = d.copy()\n    e['a'] = 2.0\n"
     "    return xs, v, d, e", {"x": 7.0, "v": v}),
    ("    xs = b\n    xs[0] = x\n    return xs", {"x": 7, "b": [1, 2]}),
    ("    b[0] = x\n    return b", {"x": 7, "b": [1, 2]}),
    ("    b.append(x)\n    return len(b)", {"x": 7, "b": [1, 2]}),
    ("    b = b + [1]\n    b[0] = x\n    return b", {"x": 7, "b": [1, 2]}),
    ("    b = [*b]\n    b[0] = x\n    return b", {"x": 7, "b": [1, 2]}),
]  # fmt: skip


# What has both lists, or one, behind a display that nobody names.
BEHIND = (
    "[v for v in (us, ws)]", "tuple(v for v in [us, ws])", "[v if x > 0 else None for v in (us, ws)]",
    "[w for v in ((us, ws), (ws, us)) for w in v]", "list((us, ws))", "[*(us, ws)]", "[us, ws].copy()", "[us, ws][:]",
    "[us, ws][0]", "[us] * 2", "[us, ws] + [ws]", "list(zip((1, 2), (us, ws)))", "list(enumerate([us, ws]))",
    "list(reversed([us, ws]))", "dict(zip('ab', (us, ws)))", "{k: v for k, v in zip(('a', 'b'), (us, ws))}",
    "{k: v for k, v in {'a': us, 'b': ws}.items()}", "{**{'a': us}}",
)  # fmt: skip
BEHIND_STATEMENTS = (
    "both = []\n    both.extend((us, ws))", "both = []\n    both += (us, ws)",
    "both = [1, 2]\n    both[0:2] = (us, ws)",
    "both = {}\n    both.update(a=us)", "both = {}\n    both.update({'a': us})", "for both in (ws, us):\n        pass",
    "for v in (ws, us):\n        both = v", "both, last = (v for v in (us, ws))",
)  # fmt: skip


@pytest.mark.parametrize("made", (*map("both = {}".format, BEHIND), *BEHIND_STATEMENTS))
def test_lists_behind_displays(made: str) -> None:
    text = (
        f"    us, ws = [x], [x + 1.0]\n    {made}\n    us[0] = -9.0\n    ws[0] = 2.0\n    return both, us, ws"
    )
    assert complaint(text, {"x": 1.5}) is None


@pytest.mark.parametrize("text, arguments", RIGHT)
def test_one_name(text: str, arguments: dict[str, Any]) -> None:
    assert complaint(text, arguments) is None


@pytest.mark.parametrize("text, arguments", SHARED)
def test_another_name(text: str, arguments: dict[str, Any]) -> None:
    said = complaint(text, arguments)
    assert said is None or said.startswith("SourceError"), said


def test_on_numba() -> None:
    for text, arguments in (RIGHT[0], RIGHT[2], RIGHT[3], RIGHT[9]):
        assert complaint(text, arguments, target="numba") is None


class Holder:
    def __init__(self) -> None:
        self.items = [1.0, 2.0]

    def copy(self) -> list[float]:
        return self.items


def test_names_that_mean_something_else_around() -> None:
    copied = complaint("    xs = h.copy()\n    xs[0] += x\n    return xs", {"x": 7}, around={"h": Holder()})
    assert copied is not None and copied.startswith("SourceError")
    text = "    xs = [1, 2]\n    ys = sum(xs)\n    xs[0] = x\n    return ys"
    assert complaint(text, {"x": 7}) is None
    assert complaint(text, {"x": 7}, around={"sum": lambda u: u}) is None
    assert complaint(text, {"x": 7}, around={"sum": np.sum}) is None
