"""Python's own functions and lists: what Python says, or a refusal by name."""

import functools
import math
from typing import Any

import numpy as np
import pytest
from plain_python import complaint
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

v, nan, late = np.array([3.0, 1.0]), np.array([np.nan, 2.0]), np.array([1.0, np.nan, 0.5])
small, A = np.array([100, 100], np.int8), np.arange(6.0).reshape(2, 3)
ZIPPED = "    s = 0.0\n    for a, b in zip(x, y, strict=True):\n        s += a * b\n    return s"
COUNTED = "    s = 0\n    for k, (a, b) in enumerate(zip(x, y, strict=True), 2):\n        s += a * b * k\n    return s"

TUPLES = """    kept = []
    for k in range(len(x)):
        if x[k] == x[k]:
            kept.append((x[k], (k % 2, k)))
    ordered = sorted(kept, reverse=True)
    kept.sort(key=lambda each: (each[1], each[0]))
    return max(kept), min(kept)[0], kept, ordered"""

TAKES_HELD = """    def f(pairs):
        s = 0.0
        for a, b in pairs:
            s = s + a * b
        return s

    def g(numbers):
        s = 0
        for a in numbers:
            s = 2 * s + a
        return s

    def h(method):
        return method()

"""

LAZY = (
    "a generator expression is not supported but in a call of Python's sum, any, all, max, min, next, sorted, tuple or "
    "list, in a loop over it, or in a call of a function that has such: nothing is computed lazily; write a list "
    "comprehension `[... for ...]`"
)

ONCE = """    total = 0.0
    for k in range(3):
        pairs = zip(x, y)
        for a, b in pairs:
            total += a * b
    pairs = enumerate(x)
    counted = pairs
    for i, a in counted:
        total += i * a
    pairs = zip(x, y)
    if total > 3.0:
        total += sum(a * b for a, b in pairs)
    else:
        total -= sum(a + b for a, b in pairs)
    back = reversed(y)
    return total, [a for a in back]"""

ADDED = """    total, scale, last = 0, 1.0, True
    for a in x:
        for b in x:
            total += a * np.array([b, 1.0])
            total = 0.5 * total - np.array([a, b])
        last = last + (a + 1) * x
    k = 0
    while k < len(x):
        scale *= np.outer(x, x) + k
        k += 1
    return total, scale, last"""

RIGHT: list[tuple[str, dict[str, Any]]] = [
    (ADDED, {"x": v}), (ADDED, {"x": late.astype(np.float32)}), (ADDED, {"x": np.array([1, 2, 3])}),
    ("sum(a * np.outer(x, x) for a in x), sum((a * x for a in x), 1)", {"x": v}),
    *(("next((k for k, a in enumerate(x) if a < 0), -1), next(a for a in x if a > 1.0)", {"x": x}) for x in (v, late)),
    *(("next((a for a in x if a > 9), None) is None, next(2 * a for a in x if a > 9)", {"x": x}) for x in (v, v[:0])),
    ("max(*(a + 1 for a in (x[0], x[1]))), [*(2 * a for a in x), 1.0], (0, *(a for a in x[:2]))", {"x": v}),
    ("    a, (b, c) = (u * k for u, k in ((x, 2), (np.ones(2), 3)))\n    return a, b, c", {"x": 2.5}),
    ("math.prod(a + 1 for a in x), math.prod((a for a in x), start=2)", {"x": v}),
    ("np.fromiter((a * a for a in x if a > 0), float), np.fromiter((k for k in (4, 5)), dtype=int, count=1)", {"x": v}),
    ("np.fromiter((a for a in x), float, len(x)), np.fromiter(x, np.float32)", {"x": v}),
    (ONCE, {"x": v, "y": late[:2] + 1}), (ONCE, {"x": [1.0, 2.0], "y": [3.0, 5.0]}), (ONCE, {"x": v[:0], "y": v}),
    ("list(filter(lambda u: u > t, v)), sum(filter(None, v)), sorted(filter(math.isfinite, v)), "
     "any(filter(None, [0, t]))", {"v": np.array([3.0, 0.0, 1.0, 2.0]), "t": 1.5}),
    ("    def filter(a, b):\n        return [a * b]\n    return sum(filter(x, 2)), list(filter(x, x))", {"x": 3}),
    ("sum(map(lambda a, b: a * b, v, v)), list(map(abs, v)), max(map(float, v), default=0.0), "
     "np.fromiter(map(math.sin, v), float)", {"v": np.arange(300.0) - 7.5}),
    ("    item = 2.0\n    return sum(map(lambda a: a * item, v)) + item, list(filter(lambda a: a < item, v))",
     {"v": v}),
    ("    a, b = map(abs, (x, -2))\n    (c, d), e = zip((x, 2), (3, 4))\n    return a, b, c, d, e", {"x": 3}),
    ("    a, b = zip(*[(x, 2), (3, 4)])\n    m = map(abs, a)\n    return [*map(abs, b)], max(*m)", {"x": -3.0}),
    *(("max(x), min(x)", {"x": x}) for x in (v, nan, late, small)),
    *(("max(x)", {"x": x}) for x in (v[:0], 3)),
    ("max(x[0], x[1], x[2]), min(x[1], x[0])", {"x": late}),
    ("max((1, 2), (1, x)), min([(3, x), (1, 5), (1, 4)]), max(((x, 1.0),))", {"x": 3}),
    ("sorted([(2, x), (1, 5), (2, 1)]), sorted(((x, 1), (x, 0)), reverse=True)", {"x": 3}),
    ("sorted([1, x, -2], key=lambda a: (a % 2, -a)), max(x, -5, key=lambda a: (abs(a) > 1, a))", {"x": 3}),
    ("max((x, 2.0), (3.0, 1.0), (3.0, 0.5)), min((x, 1), (1.0, 0)), max([(k, x) for k in range(6)])", {"x": 3.0}),
    (TUPLES, {"x": late}), (TUPLES, {"x": v}),
    ("max(3, 1, 2), min((3, 1)), max([1.5, 2.5])", {}),
    ("max((), default=3.0), max((1, 2), default=0), max(1, 2, key=None)", {}),
    *(("sum(x)", {"x": x}) for x in (v, small, A, A > 2, 3)),
    ("sum(x, 10.0), sum(x, start=1), sum((1, 2), start=3), sum([1, 2.5], 3), sum(x, start=x)", {"x": v}),
    ("[k for k in enumerate(iterable=x, start=2)][1][0], [k for k in enumerate(x, 1)][0]", {"x": (5, 6)}),
    ("[k for k in enumerate(x, start=2.0)]", {"x": (5, 6)}),
    *((text, {"x": v, "y": y}) for text in (ZIPPED, COUNTED) for y in (v + 1, late)),
    (ZIPPED, {"x": (1, 2), "y": (3, 4)}),
    (ZIPPED.replace(", strict=True", ", strict=False"), {"x": v, "y": late}),
    ("    s = 0.0\n    for k, a in zip(range(len(x)), x, strict=True):\n        s += a * k\n    return s", {"x": v}),
    ("round(x), round(-x), round(x, ndigits=None), round(number=x)", {"x": 2.5}),
    ("round(2.567, 2), round(1234, -2), int('12', base=8), int('12'), int(3.7), int(), float(), bool()", {}),
    ("round(x), pow(x, 2), pow(base=x, exp=3), pow(x, 2, None), divmod(x, 2)", {"x": 7}),
    *(("len(range(x)), len(range(1, x, 3)), len(range(x, 0, y)), len(range(4))", {"x": x, "y": y})
      for x, y in ((7, -2), (0, 1), (-3, 4), (2, 0))),
    *(("round(x, 2), round(x, 0), round(x, n), round(-x, 1)", {"x": x, "n": n})
      for x, n in ((2.675, 3), (1.005, 0), (0.125, 15), (-0.5, 2), (0.0, 1), (1e300, 2), (7, 3), (True, 1),
                   (np.inf, 2), (np.nan, 2), (90071992547409.91, 2), (5e-324, 15), (-0.285, 5), (2.5, np.int64(2)))),
    ("round(x)", {"x": v}),
    ("x | (1 << n), 1 << n, x << n, x >> n", {"x": 13, "n": 1}),
    ("(x, y, x).count(x), (x, y).index(y), (1, 2, 1).count(1)", {"x": 3, "y": 4}),
    ("(x, y).index(z)", {"x": 3, "y": 4, "z": 5}),
    *((TAKES_HELD + f"    return {text}", {"x": v, "n": 4}) for text in (
        "f(zip(x, range(3))) + 10 * f(zip(x, x)) + 100 * f(enumerate(x)) + 1000 * f(enumerate(x, 1))",
        "g(range(3)) + 100 * g(range(5)) + 10000 * g(range(1, n, 2)) + 1000000 * g(range(n))",
        "g(reversed(x)) + 100 * g(reversed(range(n))) + 10000 * g(reversed(range(2)))",
        "h(x.sum) + 10 * h(x.max) + 100 * h((2 * x).sum)",
    )),
    *((f"    r = range(1, n)\n    s = {f}(k * k == n for k in r)\n    r = range(3)\n    return s, sum(k for k in r)",
       {"n": n}) for f in ("any", "all") for n in (4, 7)),
    *(("n in range(x), n not in range(2, 9, 3), n in range(8, 1, -2), n in range(0, 9, x), n in range(9, 0, -x)",
       {"n": n, "x": x}) for n, x in ((5, 3), (2, 4), (8, 3), (6.0, 3), (2.5, 4), (True, 2), (np.int8(5), 6))),
    *(("x is True, x is not False, False is x", {"x": x}) for x in (True, False, 1, np.bool_(True), 0.5)),
    ("type(x) is int, type(y) is float, type(y) == int, type((x, y)) is tuple", {"x": 1, "y": 2.0}),
    *(("x in {1, 2, 3}, x not in {4, y}", {"x": x, "y": 2}) for x in (2, 4)),
    *(("pow(x, n, m)", {"x": x, "n": n, "m": m})
      for x, n, m in ((3, 5, 7), (-2, 3, 5), (2, 0, 1), (7, 70, -13), (2, 3, 0), (10**9, 5, 10**9 + 7))),
    ("pow(x, 2, 5)", {"x": 3.0}),
    *(("n.bit_length(), n.bit_count()", {"n": n}) for n in (0, 1, -1, 37, -64, True, 2**63 - 1, -(2**63))),
    *(("x.is_integer()", {"x": x})
      for x in (2.0, -2.5, np.inf, np.nan, np.float32(3.0), np.float64(0.1), np.int64(7))),
    ("callable(abs), callable(lambda u: u), callable(x), callable([x]), callable(None), callable(type(x))", {"x": 1.0}),
    *((f"sorted(x, key=lambda v: v % 3{more}), max(x, key=lambda v: -v * v), min(x, key=lambda v: v % 2)", {"x": x})
      for x in ([3, -1, 5, 2, 4], np.array([3, -1, 5, 2, 4]), [*range(70, 0, -1)]) for more in ("", ", reverse=True")),
    *((f"sorted(p, key=lambda r: r[1]{more}), max(p, key=lambda r: r[1]), min(p, key=lambda r: -r[0])", {"p": p})
      for p in ([(1, 2), (3, 4), (0, 4), (9, 1)], [[1, 2.5], [3, 0.5]]) for more in ("", ", reverse=True")),
    ("sorted([i * 7 % 5 for i in range(n)], key=lambda v: v % 3), max(range(n), key=lambda i: i * 3 % 7)", {"n": 9}),
    ("sorted(a * 2 for a in x), max((a for a in x), key=lambda v: -v), max(x[0], x[1], key=abs)", {"x": v}),
    ("max([a for a in range(n)], key=lambda v: -v)", {"n": 0}),
    ("max(x, key=lambda v: v)", {"x": late}),
    *((f"    y = [(a % 3, a) for a in range(n) if a > 2]\n    y.sort(key=lambda r: r[0]{more})\n    return y", {"n": 7})
      for more in ("", ", reverse=True")),
    *((f"    y = {made}\n    y.remove(k)\n    return y", {"x": [1, 2, 3, 2], "k": k})
      for made in ("list(x)", "[a for a in range(len(x))]") for k in (2, 7)),
    *(("    p = [None, x]\n    if x > 2:\n        p[0] = y\n    return p[k]", {"x": x, "y": 7, "k": k})
      for x in (1, 3) for k in (0, 1)),
    ("int(x, base=8)", {"x": 3}),
    ("any(x), all(x)", {"x": v}),
    ("sum(a * b for a, b in zip(x, y) if b > 0), sum(1 for a in x)", {"x": v, "y": late}),
    ("sum((a for a in x), 2.5), sum((a for a in x), start=x[0])", {"x": v}),
    ("sum(total * a for total in x for a in range(int(total)) if a), total_", {"x": v, "total_": 2}),
    ("sum(np.roll(x, i) * j for i in (-1, 0, 1) for j in (1, 2) if (i, j) != (0, 1))", {"x": v}),
    ("sum(sum(a) for a in x), max(max(a) for a in x), any(any(b > 4 for b in a) for a in x)", {"x": A}),
    *((f"any(1 / a > {c} for a in x), all(a > {c} for a in x)", {"x": late}) for c in (0.5, 1.5, -1)),
    ("any(1 // a for a in x)", {"x": np.array([1, 0])}),
    *(("max(a * a for a in x), min(abs(a - 2) for a in x)", {"x": x}) for x in (v, nan, late, small)),
    *((f"{f}(a for a in x if a > {c})", {"x": v}) for f in ("max", "min") for c in (2, 5)),
    ("max((a for a in x if a > 5), default=-1.0), min((a for a in x), default=0.0)", {"x": v}),
    ("np.array([a * 2 for a in x]), np.array([[a, k] for k, a in enumerate(x)]), np.mean([a for a in x])", {"x": v}),
    ("np.array([[a * b for b in x] for a in y]), np.sum([[a for a in row] for row in A])", {"x": v, "y": late, "A": A}),
    ("np.array([x[:k].sum() for k in range(n)]), np.array([k > 0 for k in range(n)])", {"x": v, "n": 2}),
    ("np.array([k * 1.5 for k in range(n)]), np.sum([k * 1.5 for k in range(n)])", {"n": 0}),
    ("np.array([[a for a in y] for k in range(2)])", {"y": v[:0]}),
    ("np.stack([row * 2 for row in A[:0]])", {"A": A}),
    ("np.stack([row - row.mean() for row in A]), np.max([np.max(row) for row in A], axis=0)", {"A": A}),
    ("    i, made = 5, 2.0\n    z = np.array([made * i for i in x])\n    return z, i, made", {"x": v}),
    ("np.array([small[k] for k in range(n)]), np.array([np.float32(k) for k in range(n)])", {"small": small, "n": 2}),
    ("np.array([[a for a in range(3)] for b in x]), np.array([(a, (a, a)) for a in x])", {"x": v}),
    ("np.array([1 / (a - 3.0) for a in x]), np.array([x[k + 1] for k in range(len(x))])", {"x": v}),
    ("tuple(a * 2 for a in (x, 3)), list(k for k in range(4) if k % 2)", {"x": 3}),
    ("[10 * i + j for i in range(3) for j in range(i) if i + j != 2], [a for a in () if a]", {}),
    ("np.sum(a for a in x)", {"x": v}),
    ("sum((a for a in x), 1, 2)", {"x": v}),
    ("any((a for a in x), 1)", {"x": v}),
    ("any((0, x)), all([1, x]), all([])", {"x": 0.0}),
    ("any(x)", {"x": A}),
    ("len(x, 1)", {"x": v}),
    ("reversed(zip(x, x))", {"x": (1, 2)}),
    ("    np.add.at(x, [0, 0], 1.0)\n    return x", {"x": v}),
    ("    np.add.at(x, [0, 0], [1, 2])\n    return x", {"x": v}),
    ("    np.subtract.at(x, x > 0.5, 1.0)\n    np.maximum.at(x, slice(0, 2), [3.0, 4.0])\n    return x", {"x": v}),
    ("    a = (x,)\n    b = a\n    a += (3.0,)\n    return a, b", {"x": 1.0}),
    ("    a = [x]\n    b = a\n    a = a + [3.0]\n    return a, b", {"x": 1.0}),
    ("    a = [np.zeros(2), np.ones(2)]\n    b = a[0]\n    a[0] += x\n    a[-1] *= 2\n    return a, b", {"x": 1.0}),
    ("    a = {'w': np.zeros(2)}\n    b = a\n    a['w'] += x\n    b['w'] -= 3 * x\n    return a['w']", {"x": 1.0}),
    ("    a = [np.zeros(2)] * 2\n    a[0][0] = x\n    return a", {"x": 1.0}),
    ("[x] + (x,)", {"x": 1.0}),
    ("(x,) == [x], [x, 1] == [x, 1], (x, 1) != (x, 2), [x] == [x, x], x == (1.0,), None == (x,)", {"x": 1.0}),
    ("{'a': x, 'b': 1} == {'b': 1, 'a': x}, {'a': x} == {'b': x}, {'a': 1} == (1,)", {"x": 1.0}),
    ("list(enumerate([x, 4.0]))[n], ((1, (x, 2)), (3, (x, 4)))[n - 2], [{'a': x}, {'a': 2.0}][n]", {"x": 1.0, "n": 1}),
    ("max([x]), min([u for u in (x,)]), max([x, 2.0][1:]), min((x,), default=3)", {"x": True}),
    ("x in [1.0, (2.0, 3.0)], [x] * 2, 2 * (x,), [x] * -1", {"x": 5.0}),
    ("sorted([x, 1.0 - x, 0.3]), sorted((3, 1, 2), reverse=True), sorted({'b': x, 'a': 1}), sorted([])", {"x": 0.5}),
    ("sorted([x[0], x[1], x[0]], reverse=True), sorted({'b': 1, 'a': x[0]}.items(), key=lambda kv: kv[0])", {"x": v}),
    ("[v for _, v in sorted({'b': x, 'a': 2.0 * x}.items()) + sorted({'b': 1, 'a': x}.items(), reverse=True)]",
     {"x": 0.5}),
    ("dict([('a', x), ('b', 2)], b=x), dict({'a': x}), dict(), dict(())", {"x": 0.5}),
    ("{'a': x}.get('a'), {'a': x}.get('b', 2.0), {'a': x}.get('b') is None, {'a': x}.get('b', x)", {"x": 0.5}),
    ("x[slice(1)], x[slice(None, -1)], [x, 2, 3][slice(0, 3, 2)], A[slice(0, 1), slice(1, None)]", {"x": v, "A": A}),
    ("sum(map(abs, x)), list(map(np.add, x, [1, 2])), all(map(lambda a, b: a < b, (1, 2), (2, 3, 0)))",
     {"x": (-1.0, 2.0)}),
    ("A.item((1, 2)), A.item(1, 2), A.item(4), A.item(-1), x.item((1,)), x.item(0)", {"A": A, "x": v}),
    *(("    y = (1, x) if x > 2 else None\n    z = x if x > 1 else None\n    return bool(y), bool(z), not z, "
       "isinstance(y, tuple), isinstance(z, float), isinstance(z, (int, type(None)))", {"x": x})
      for x in (0.5, 1.5, 3.0)),
    *(("bool(x), not x, 1 if x else 2, x and x + 1", {"x": np.array([[x]])}) for x in (0.0, 2.0)),
    *(("x.itemsize, x.nbytes, [v for v in x.flat], x.flat[1], sum(x.flat), x[0].itemsize", {"x": x})
      for x in (A, v, small)),
    *(("x.tolist(), len(x.tolist()), x[0].tolist()", {"x": x}) for x in (v, small, v > 2, v.astype(np.float32))),
    ("x.itemsize, x.nbytes", {"x": np.ones(3, complex)}),
    ("    from operator import getitem\n    return getitem([x, 2.0], 1), getitem((x, 3.0), n), getitem(A, (0, n)), "
     "getitem(A, slice(0, n)), getitem({'a': x}, 'a')", {"x": 1.0, "n": 1, "A": A}),
]  # fmt: skip

IN_PLACE = "a list is not changed in place: write"
REFUSED = [
    ("(a for a in x)", {"x": v}, LAZY),
    ("np.array([x[:k] for k in range(len(x))])", {"x": late, },
     "the size of a row is known only when it is made: fill an array in a loop"),
    ("np.array(a for a in x)", {"x": v}, LAZY),
    ("len(a for a in x)", {"x": v}, LAZY),
    ("max((a for a in x), start=1)", {"x": v}, "max() of a generator expression takes beside it 'default' alone"),
    ("all((a for a in x), x)", {"x": v}, "all() of a generator expression takes nothing beside it"),
    ("max(x, default=3.0)", {"x": v}, "max() of an array takes no default here: test its length before"),
    ("max((1, x), key=abs, default=2)", {"x": 3}, "max() by a key takes no default here: test its length before"),
    ("sorted((1.5, x), key=lambda a: a)", {"x": 3},
     "sorted() by a key takes items of one kind: make ints floats before, or use arrays"),
    ("pow(x, 2, 5)", {"x": np.int64(3)}, "pow() of three numbers takes Python's ints: write int(x)"),
    ("max((1, 2), (3, (x, 1)))", {"x": 1.5}, "`>` of a tuple of 2 and an int is not supported: use arrays"),
    ("max([1.0, 2.0], [1.0, x])", {"x": 1.5}, "max() of lists is not supported: compare tuples, or use arrays"),
    ("sorted([1, x], key=lambda a: [a, a])", {"x": 300},
     "sorted() takes keys that are numbers of one kind: sort by np.argsort or np.lexsort"),
    ("round(x, -1)", {"x": 2.5}, "round() to digits takes 0 to 15 of them"),
    ("round(x, 1.5)", {"x": 2.5}, "round() takes an int as the number of digits"),
    ("    s = 0\n    for a in x:\n        s += a\n    return s", {"x": tuple(range(1000))},
     "a loop over a tuple or list of 1000 is written out, 256 at most: use an array"),
    (ZIPPED.replace("s +=", "break\n        s +="), {"x": v, "y": v},
     "a loop through zip(strict=True) cannot be left: compare the lengths before"),
    ("    a = [x]\n    b = a\n    a *= 2\n    return b", {"x": 1.0}, f"{IN_PLACE} `a = a * ...`, a new one"),
    ("x in range(1.0)", {"x": 0}, "'float' object cannot be interpreted as an integer"),
    ("    a = x\n    a ^= y\n    return a", {"x": {"p", "q"}, "y": {"q"}},
     "a set is not changed in place: write `a = a ^ ...`, a new one"),
    ("A.item(0, 1)", {"A": np.ones((2, 2, 2))}, "incorrect number of indices for array"),
    ("    a = [[x], 2]\n    a[0][0] += 1\n    return a", {"x": 2.0},
     "a list is not changed in place: make a new one, or use an array"),
    ("    d = {'a': x}\n    e = d\n    e['a'] = 3.0\n    return d['a']", {"x": 2.0},
     "a dict is not changed in place: make a new one, or use an array"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text, arguments", RIGHT)
def test_python_says(text: str, arguments: dict[str, Any]) -> None:
    assert complaint(text, arguments) is None


@pytest.mark.parametrize("text, arguments, message", REFUSED)
def test_refused_by_name(text: str, arguments: dict[str, Any], message: str) -> None:
    assert complaint(text, arguments, message) is None


def test_on_numba() -> None:
    body = ZIPPED + ", max(x), min(y), max(z), sum(i * 1.0), sum(z > 0)"
    arguments = {"x": nan, "y": late[:2].copy(), "z": late, "i": small}
    assert complaint(body, arguments, target="numba") is None


@pytest.mark.parametrize("held", ["b", "(b[0], 2)", "{'k': b[0]}"])
def test_numbers_of_lists_stay_pythons_in_functions(held: str) -> None:
    first = "['k']" if held.startswith("{") else "[0]"
    closure = f"    x = {held}\n    def inner():\n        return x{first}\n    return inner(), 1 % inner()"
    argument = f"    def inner(x):\n        return x{first}\n    return inner({held}), 1 % inner({held})"
    for text in (closure, argument):
        for value in (0, 3, 0.5, True):
            assert complaint(text, {"b": [value]}) is None


@pytest.mark.parametrize(
    "listed", ["[k for k in range(n)]", "[[k * 0.5] for k in range(n)]", "[x[k] for k in range(n)]"]
)
def test_arrays_of_lists_without_items(listed: str) -> None:
    arguments = {"n": 0, "x": small}
    assert complaint(f"np.array({listed})", arguments | {"n": 2}) is None
    assert "a list without items" in str(complaint(f"np.array({listed})", arguments))


@pytest.mark.parametrize(
    "drawn",
    ["random()", "normal()", "normal(x)", "uniform(0, x)", "exponential(2)", "integers(0, 5)", "random(2)"],
)
def test_a_draw_is_a_number_as_numpys_is(drawn: str) -> None:
    f = loaded(f"def f(rng, x):\n    u = rng.{drawn}\n    return u, u * x, u * x * 0 + 1\n")
    want, got = (
        g(np.random.Generator(np.random.Philox(5)), np.float32(2.0)) for g in (f, jit(f, target="numpy"))
    )
    assert [type(u) for u in got] == [type(u) for u in want]
    assert all(
        np.allclose(u, w, rtol=1e-6) and np.asarray(u).dtype == np.asarray(w).dtype for u, w in zip(got, want)
    )


@pytest.mark.parametrize(
    "text",
    [
        "math.sqrt(4), math.sin(1), math.hypot(3, 4), math.log(8, 2), math.atan2(1, 2) * x[0], math.exp(1) + x.ndim",
        "math.frexp(8.5), math.modf(2.5), math.isnan(2.0), math.floor(2.5), math.fmod(7, 3)",
        "np.allclose(x, y), np.allclose(x, -y) or np.array_equal(x, x), np.allclose(x, x) + 1, np.allclose(1.0, 1)",
        "np.allclose(x + 1j, x), np.isclose(x[0], y[0]), np.all(x == y)",
    ],
)
def test_numbers_are_of_the_kind_that_the_library_gives(text: str) -> None:
    f = loaded(f"import math\ndef f(x, y):\n    return {text}\n")
    for target in ("numpy", "numba"):
        want, got = f(v, nan), jit(f, target=target)(v, nan)
        assert [type(each) for each in got] == [type(each) for each in want]
        assert complaint(text, {"x": v, "y": nan}, target=target, around={"math": math}) is None


@functools.lru_cache(None)
def square(x):
    return x * x


def test_results_that_are_kept_are_made_anew():
    def twice(x):
        return 2.0 * square(x)

    assert jit(twice, target="numpy")(3.0) == 18.0


def test_functions_may_be_called_kernels():
    def blur_kernel(x):
        return x * 0.5

    assert jit(lambda x: blur_kernel(x) + 1.0)(3.0) == 2.5
    assert jit(blur_kernel)(3.0) == 1.5


def test_long_lists_are_named():
    with pytest.raises(
        SourceError, match="'of_a_list' is given 5000 numbers and arrays in lists or tuples: give it an array"
    ):
        jit(of_a_list)([1.0, 2] * 2500)


def of_a_list(xs):
    return xs[0]


def longest_chain(x, i):
    return x[i] + max((longest_chain(x, j) for j in range(i + 1, len(x)) if x[j] > x[i]), default=0)


def cheapest_way(x, i):
    if i == len(x) - 1:
        return x[i]
    return x[i] + min((cheapest_way(x, j) for j in (i + 1, i + 2) if j < len(x)), default=np.inf)


def fewest_coins(x, n):
    if n == 0:
        return 0.0
    return x[0] + min((fewest_coins(x, n - c) for c in (2, 5) if c <= n), default=math.inf)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("f", "k"), [(longest_chain, 0), (cheapest_way, 0), (fewest_coins, 9)])
def test_extremes_that_a_recursion_ends_at(f, k):
    """Their default is all that is known before the function has been gone through."""
    x = np.array([1.0, 3.0, 2.0, 5.0, 4.5])
    want = f(x, k)
    for target in ("numba", "numpy"):
        assert jit(f, target=target)(x, k) == pytest.approx(want, rel=1e-14)
    np.testing.assert_allclose(batch(f, in_axes=(0, None))(np.stack((x, x)), k), (want, want), rtol=1e-13)
    slope = [(f(x + step, k) - f(x - step, k)) / 2e-6 for step in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(grad(f)(x, k), slope, rtol=1e-6, atol=1e-7)
