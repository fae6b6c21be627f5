"""Lists whose length is known when the program runs: what Python gives, and what is refused."""

from typing import Any

import numpy as np
import pytest
from corpus import GROWING, Case
from plain_python import complaint, difference
from user_programs import loaded

from codegen import jit

v, A = np.array([3.0, -1.0, 2.0, 0.5]), np.arange(12.0).reshape(4, 3)
k = np.array([3, 1, 2, 1])

# Each ends with `return`, what is read of a list of unknown length, called xs.
KEPT = "    xs = []\n    for u in v:\n        if u > t:\n            xs.append({})\n"
STACK = "    xs = [1]\n    while len(xs) < n:\n        xs.append(xs[-1] + len(xs))\n"
READ = [
    "xs", "len(xs)", "sum(xs)", "xs[0], xs[-1]", "xs[n], xs[-n]",
    "xs[:2], xs[1:], xs[:-1], xs[-2:], xs[::-1], xs[1:3:2]",
    "xs[:n], xs[n:], xs[-n:n]", "xs[::n], xs[1::n], xs[::-n], xs[n::-n], xs[:n:-n]",
    "np.array(xs), np.asarray(xs)", "np.sum(xs), np.max(xs), np.cumsum(xs)",
    "max(xs), min(xs)", "any(xs), all(xs)", "[u * 2 for u in xs]", "[u for u in xs if u > 1]", "list(xs), xs.copy()",
    "sorted(xs), sorted(xs, reverse=True)", "bool(xs), not xs", "3 in xs, 0.5 in xs, 7 not in xs",
    "xs.count(3), xs.index(xs[0])", "xs + [9], [n] + xs, xs + xs", "list(reversed(xs)), list(zip(xs, xs[1:]))",
    "xs == sorted(xs), xs != xs[::-1], xs == [], [3.0, 2.0] == xs, xs == list(xs), (xs != [1, 2]) + 1",
    "[xs[0], *xs], [*xs, xs[-1], *xs[1:]], [*v, *v], [*xs], [*range(n), n]",
    "list(enumerate(xs)), list(enumerate(xs, 3))", "sum(u * j for j, u in enumerate(xs))", "np.array(xs) * 2",
    "v[0] + np.array(xs)", "np.stack(xs), np.concatenate([xs, xs])", "len([u for u in xs if u > 100])",
    "[xs[j] for j in range(len(xs))]", "sum([u for u in xs if u > 0])", "np.mean(xs), np.median(xs)",
    "isinstance(xs, list), isinstance(xs, tuple)", "xs[n] if n < len(xs) else -1.0", "max(len(xs), n)",
]  # fmt: skip
CHANGE = [
    "xs.append(4)", "xs.append(2.5)", "xs.pop()", "xs.pop(0)", "xs.pop(1)", "xs.pop(n)", "xs.pop(-1)",
    "xs.insert(0, 5)",    "xs.insert(n, 5)", "xs.insert(-1, 5)", "xs.insert(99, 5)",
    "xs.extend([7, 8])", "xs.extend(xs[:n])", "xs.extend(v)",
    "xs.extend(range(n))", "xs += [1, 2]", "xs += xs[1:]", "xs = xs + [n]", "xs.clear()", "xs.reverse()", "xs.sort()",
    "xs[0] = 9", "xs[n] = 9", "xs[-1] += 2", "xs[0], xs[-1] = xs[-1], xs[0]", "u = xs.pop() + 2 * xs.pop()",
    "xs[0] = xs.pop()", "if xs.pop() > 2:\n        xs.append(1)", "a, b = xs.pop(), xs.pop(0)\n    xs.append(a - b)",
    "ys = xs\n    xs = [5]", "xs.extend([])", "xs = sorted(xs)\n    xs.append(3)", "xs = xs[1:]\n    xs.append(3)",
    "while xs and xs[-1] > 1:\n        xs.pop()", "for j in range(n):\n        xs.append(xs[j] * 2)",
    "for j in range(n):\n        for i in range(j):\n            xs.append(i)",
    "while True:\n        if len(xs) > 9:\n            break\n        xs.append(xs[-1] + 1)",
    "xs[1:2] = [7, 8, n]", "xs[:n] = []", "xs[n:] = xs[:2]", "xs[1:1] = v", "xs[-1:] = range(n)", "xs[::2] = xs[::-2]",
    "xs[::-1] = xs", "xs[n::-1] = xs[:n + 1]", "xs[::n] = [5] * len(xs[::2])", "del xs[0]", "del xs[n - 1], xs[-1]",
    "del xs[1:]", "del xs[-n:n]", "for j in range(n):\n        xs[j:j] = [j, n]", "xs[:] = sorted(xs)",
    "while len(xs) > 1:\n        del xs[len(xs) // 2:]", "for j in range(n):\n        del xs[:1]\n        xs.append(j)",
    "for u in xs:\n        n += 1\n    xs.append(n)", "x = xs.pop() if len(xs) > 1 else 7\n    xs.append(x)",
]  # fmt: skip

ROWS = "    xs = []\n    for row in A:\n        if row[0] >= n:\n            xs.append({})\n"
OF_ROWS = [
    "xs", "np.array(xs)", "np.stack(xs), np.vstack(xs), np.concatenate(xs), np.hstack(xs)", "np.stack(xs, axis=1)",
    "xs[0], xs[-1]",    "len(xs), xs[0].sum(), xs[0][1]", "sum(xs), sum(u[0] for u in xs)",
    "np.array([u * 2 for u in xs])", "xs[1:]",
    "[u.max() for u in xs]", "np.mean(xs, axis=0)",
]  # fmt: skip
PAIRS = """    xs = []
    for i in range(n):
        for j in range(i, n):
            if (i + j) % 2:
                xs.append({})
"""
OF_PAIRS = [
    "xs", "len(xs), xs[0], xs[-1]", "np.array(xs)", "[i + 2 * j for i, j in xs]",
    "(0, 1) in xs, (1, 0) in xs, (1,) in xs",
    "sum(i * j for i, j in xs)", "sum(p[0] for p in xs)", "xs[1:]",
    "xs == xs[::-1], xs != [(0, 1)], xs == [*xs]", "[j for _, j in xs if j > 1]", "list(reversed(xs))",
]  # fmt: skip

TEXTS = [
    *(
        (KEPT.format("u") + f"    return {read}", {"v": v, "t": 0.0, "n": 1})
        for read in READ
        if "9" not in read
    ),
    *((STACK + f"    return {read}", {"n": 5, "v": v}) for read in READ),
    *((STACK + f"    return {read}", {"n": 2, "v": v}) for read in READ),
    *((STACK + f"    {change}\n    return [u * 1.0 for u in xs]", {"n": 3, "v": v}) for change in CHANGE),
    *(
        (KEPT.format("u") + f"    {change}\n    return [float(u) for u in xs]", {"v": v, "t": -9.0, "n": 2})
        for change in CHANGE
    ),
    *((ROWS.format("row") + f"    return {read}", {"A": A, "n": 2}) for read in OF_ROWS),
    *((ROWS.format("row * 2 + 1") + f"    return {read}", {"A": A, "n": 0}) for read in OF_ROWS),
    *((PAIRS.format("(i, j)") + f"    return {read}", {"n": 4}) for read in OF_PAIRS),
    *((PAIRS.format("(i, j * 0.5)") + f"    return {read}", {"n": 3}) for read in OF_PAIRS),
]
FAILING = [
    *((KEPT.format("u") + f"    return {read}", {"v": v, "t": 99.0, "n": 1})
      for read in ("xs[0]", "xs[-1]", "xs.pop()", "xs.pop(0)", "max(xs)", "xs.index(2.0)", "xs[n]")),
    *((STACK + f"    return {read}", {"n": 3, "j": j}) for j in (3, -4, 99)
      for read in ("xs[j]", "xs[3]", "xs[-4]", "xs.pop(j)", "xs.pop(-9)")),
    *((STACK + f"    {change}\n    return xs", {"n": 3, "j": j}) for j in (3, -4)
      for change in ("del xs[j]", "del xs[7]", "xs[::2] = [1]", "xs[::j - j] = [1]", "xs[::j - j]",
                     "xs[::0] = [1]", "xs[j] = 1", "xs[j] += 1", "xs[5] = 2",
                     "for _ in range(4):\n        xs.pop()", "a, b = xs")),
]  # fmt: skip
OTHERS = """
    xs = [1, 2]
    for i in range(1, len(xs) + n):
        xs.append(i * xs[i - 1])
    for u in list(xs):
        xs.append(u + 1)
    for u in sorted(xs):
        xs.insert(0, u)
    return xs
# n=3

    q = []
    s = 0
    for i in range(n):
        if i > 0:
            s += q.pop() + q[-1] if len(q) > 1 else q[-1]
        q.append(i)
    return s, q
# n=6

    q = []
    s = 0
    while s < n:
        s += q.pop() if s > 2 else 1
        q.append(s)
    return s, q
# n=9

    return [0.0] * n, [1, 2] * n, [x] * len(v)
# n=3, x=2.5, v=v

    xs = [0] * n
    for j in k:
        xs[j] += 1
    return xs, np.array(xs)
# n=4, k=k

    xs = [True] * (n + 1)
    xs[0] = xs[1] = False
    return sum(xs), xs
# n=5

    return list(v), list(range(n)), list(range(n, 0, -1)), list(A)
# v=v, n=4, A=A

    return [i * j for i in range(n) for j in range(i)], [(i, u) for i, u in enumerate(v)]
# n=4, v=v

    return [u for u in v if u > 0], [i for i in range(n) if i % 2], [x for i in range(n)]
# v=v, n=5, x=1.5

    return [a for a in (x, 2.0) if a > 2], [(i, j) for i in (1.0, x) for j in (i, 3.0) if j]
# x=3.0

    return sorted(v), sorted(list(v)), sorted(range(n), reverse=True)
# v=v, n=4

    if x > 0:
        xs = [1.0]
    else:
        xs = [1.0, 2.0]
    return xs
# x=1.0

    if x > 0:
        xs = [1.0]
    else:
        xs = [1.0, 2.0]
    return xs
# x=-1.0

    xs = [1.0]
    if x > 0:
        xs.append(x)
    if x > 1:
        xs.append(2.0)
    return xs
# x=2.0

    xs = [1.0]
    if x > 0:
        xs.append(x)
    if x > 1:
        xs.append(2.0)
    return xs
# x=0.5

    xs, ys = [], []
    for u in v:
        if u > 0:
            xs.append(u)
        else:
            ys.append(-u)
    return xs, ys
# v=v

    rows = []
    for i in range(n):
        row = []
        for j in range(3):
            row.append(i * j)
        rows.append(row)
    return np.array(rows)
# n=3

    prev = [1]
    for _ in range(n):
        cur = [1]
        for i in range(1, len(prev)):
            cur.append(prev[i - 1] + prev[i])
        cur.append(1)
        prev = cur
    return prev
# n=5

    xs = [x]
    while xs[-1] < 50:
        xs = xs + [xs[-1] * 2]
    return xs
# x=1.5

    s = {'xs': 0}
    xs = []
    for u in v:
        if u > 0:
            s['xs'] += 1
            xs.append(u)
    return s, xs
# v=v

    xs = []
    for i in range(n):
        xs.append(np.full(2, float(i)))
    xs[0] = np.ones(2)
    return xs
# n=3

    xs = [np.zeros(2)]
    for i in range(n):
        xs.append(xs[-1] + i)
    return np.array(xs)
# n=3

    xs = [v]
    for i in range(n):
        xs.append(xs[-1] * 2)
    return np.array(xs)
# n=3, v=v

    xs = []
    for u in v:
        xs.insert(0, u)
        if len(xs) > 2:
            xs.pop()
    return xs
# v=v

    def last(ys):
        return ys[-1] + len(ys)
    xs = [1]
    while len(xs) < n:
        xs.append(last(xs))
    return xs, last(xs)
# n=5

    def upto(m):
        ys = []
        for i in range(m):
            ys.append(i)
        return ys
    return sum(upto(n)), upto(n)[-1], len(upto(n)), upto(n)
# n=4

    xs = []
    for i in range(n):
        xs.append({'a': i, 'b': i * 0.5})
    return sum(d['b'] for d in xs), xs
# n=3

    xs = [2]
    for c in range(3, n):
        for p in xs:
            if c % p == 0:
                break
        else:
            xs.append(c)
    return xs
# n=20

    xs = [np.float32(1.0)]
    while len(xs) < n:
        xs.append(xs[-1] * np.float32(0.5))
    return xs
# n=4

    a, b, c = [u for u in v if u > 0]
    return a + b * c
# v=v

    total = 0
    xs = [n]
    while xs:
        m = xs.pop()
        total += m
        if m > 1:
            xs.extend((m // 2, m // 3))
    return total
# n=9

    xs = []
    for i in range(n):
        xs.pop()
    return n
# n=0

    xs = []
    return n if n > 0 else xs[0]
# n=3

    assert len(v) > 2
    xs = []
    while len(xs) < 3:
        xs.append(v[len(xs)])
    return xs
# v=v

    xs = []
    t = 0.0
    while t < x:
        t += 0.3
        xs.append(t)
        assert len(xs) <= 5
    return xs
# x=1.0
"""

ENDING = """
    xs = []
    return xs.pop()
#

    xs = []
    x = xs[n]
    return x + 1
# n=0

    xs = []
    for i in range(n):
        xs.pop()
    return n
# n=2

    xs = []
    while xs[-1] < n:
        xs.append(1)
    return n
# n=2

    xs = []
    return n if n > 0 else xs[0]
# n=0

    xs = []
    t = 0.0
    while t < x:
        t += 0.3
        xs.append(t)
        assert len(xs) <= 5
    return xs
# x=9.0

    a, b = [u for u in v if u > 0]
    return a + b
# v=v
"""

# Another name may have an item, or the list: as in Python, or refused.
SHARED = """
    xs = []
    ys = []
    for u in v:
        (xs if u > 0 else ys).append(u)
    return len(xs)
# v=v

    xs = []
    a = v * 1
    for i in range(n):
        a[0] += i
        xs.append(a)
    return np.array(xs)
# n=3, v=v

    xs = []
    a = v * 1
    for i in range(n):
        xs.append(a)
        a[0] += i
    return np.array(xs)
# n=3, v=v

    xs = []
    a = v * 1
    for i in range(n):
        xs.append(a)
    a[0] = 9
    return np.array(xs)
# n=3, v=v

    xs = []
    for i in range(n):
        xs.append(v * i)
    a = xs[1]
    a[0] = 9
    return np.array(xs)
# n=3, v=v

    xs = []
    for i in range(n):
        xs.append(v * i)
    xs[1][0] = 9
    return np.array(xs)
# n=3, v=v

    xs = []
    for i in range(n):
        xs.append(v * i)
    xs[1] += 9
    return np.array(xs)
# n=3, v=v

    xs = []
    for i in range(n):
        xs.append(v * i)
    for a in xs:
        a[0] = 9
    return np.array(xs)
# n=3, v=v

    xs = []
    for i in range(n):
        xs.append(v * i)
    a = xs.pop()
    a[0] = 9
    return a
# n=3, v=v

    a = v * 1
    xs = [a]
    for i in range(n):
        xs.append(xs[-1] + 1)
    xs[0][0] = 5
    return a
# n=3, v=v

    a = v * 1
    xs = [a]
    for i in range(n):
        xs.append(xs[-1] + 1)
    b = xs[0]
    a[0] = 7
    return b
# n=3, v=v

    xs = [1]
    ys = xs
    for i in range(n):
        xs.append(i)
    return ys
# n=3

    xs = []
    for i in range(n):
        xs.append(i)
        for u in xs:
            xs.append(u)
            if len(xs) > 9:
                break
    return xs
# n=3

    def same(ys):
        return ys
    xs = [1]
    ys = same(xs)
    for i in range(n):
        xs.append(i)
    return ys
# n=3

    def f():
        return len(xs)
    xs = [1]
    for i in range(n):
        xs.append(i)
    return f()
# n=3

    rows = []
    row = []
    for i in range(n):
        row.append(i)
        rows.append(row)
    return len(rows)
# n=3

    row, new = [1], [2]
    for i in range(n):
        new.append(i)
        row = new
    return row
# n=3

    xs = [1]
    for i in range(n):
        new = [i]
        row = new
        new.append(5)
    return row
# n=3

    xs = [u for u in v if u > 0]
    return xs == [3.0, 2.0, 0.5]
# v=v
"""


def blocks(listed: str) -> list[tuple[str, dict[str, Any]]]:
    """Bodies of functions and their arguments, which stand below them."""
    parts = (block.rpartition("\n#") for block in listed.strip("\n").split("\n\n"))
    return [(text, eval(f"dict({given})", {"v": v, "A": A, "k": k})) for text, _, given in parts]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text, arguments", [*TEXTS, *blocks(OTHERS)])
def test_python_says(text: str, arguments: dict[str, Any]) -> None:
    assert complaint(text, arguments) is None


@pytest.mark.sampled(16)
@pytest.mark.parametrize("case", GROWING, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    compiled = jit(case.function)
    for given, again in zip(case.lanes(), case.lanes(), strict=True):
        try:
            wanted = case.function(*again)
        except IndexError:
            with pytest.raises(IndexError):
                compiled(*given)
        else:
            assert difference(compiled(*given), wanted) is None


@pytest.mark.parametrize("text, arguments", [*FAILING, *blocks(ENDING)])
def test_python_raises(text: str, arguments: dict[str, Any]) -> None:
    assert complaint(text, arguments) is None


@pytest.mark.parametrize("text, arguments", blocks(SHARED))
def test_another_name(text: str, arguments: dict[str, Any]) -> None:
    said = complaint(text, arguments)
    assert said is None or said.startswith("SourceError"), said


TO_LISTS = [
    "    xs = v.tolist()\n    v[0] = 9.0\n    return xs, sum(xs), v.tolist()",
    "    return A.tolist(), A[0].tolist(), sum(A.T.tolist()[0]), (v > 1).tolist()",
    "    return v.astype(np.float32).tolist(), v.astype(int).tolist(), len(v[:0].tolist())",
]


@pytest.mark.parametrize("text", TO_LISTS)
def test_arrays_to_lists(text: str) -> None:
    assert complaint(text, {"v": v.copy(), "A": A}) is None


def test_what_has_no_list() -> None:
    message = "tolist() of an array u8[n] is not supported: write a loop, or return the array"
    assert complaint("x.tolist()", {"x": np.arange(3, dtype=np.uint64)}, message) is None


FILLED = {
    "by its own name": "    xs = list(range(len(x)))\n    for i in range(len(x)):\n        xs[i] = {}\n    return xs",
    "by a while": "    xs, i = [1] * len(x), 0\n    while i < len(x):\n        xs[i], i = {}, i + 1\n    return xs",
    "by a function": "    def put(zs, i, u):\n        zs[i] = u\n    xs = [0] * len(x)\n"
    "    for i in range(len(x)):\n        put(xs, i, {})\n    return xs",
    "in a closure": "    xs = list(range(len(x)))\n    def put(i):\n        xs[i] = {}\n"
    "    for i in range(len(x)):\n        put(i)\n    return xs",
    "in rows": "    xs = [[0] * len(x) for _ in range(2)]\n    for row in xs:\n        for i in range(len(x)):\n"
    "            row[i] = {}\n    return xs",
    "in tuples": "    def put(zs, i):\n        zs[i] = (i, {})\n    xs = [(0, 0)] * len(x)\n"
    "    for i in range(len(x)):\n        put(xs, i)\n    return xs",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2"])
@pytest.mark.parametrize("name", FILLED)
def test_numbers_written_into_a_list_of_ints(name: str, dtype: str) -> None:
    x = np.array([1.5, 0.0, 2.5]).astype(dtype)
    for item in ("x[i]", "x[i].item()"):
        text = FILLED[name].format(item)
        want, got = (f(text, x) for f in (plainly, compiled))
        assert difference(got, want) is None
        if item == "x[i]" and dtype[0] != "f" or dtype == "f4":
            assert types_in(got) == types_in(want)


def types_in(value: Any) -> Any:
    return [types_in(item) for item in value] if isinstance(value, list | tuple) else type(value)


def plainly(text: str, x: Any) -> Any:
    return loaded(f"def f(x):\n{text}\n")(x)


def compiled(text: str, x: Any) -> Any:
    return jit(loaded(f"def f(x):\n{text}\n"), target="numpy")(x)


ROWS_OF_LISTS = [
    "xs[0][1] = 7.0",
    "xs[n][1] = 7.0",
    "xs[n][1] += 7",
    "for i in range(2):\n        xs[i][0] = n * 0.5",
    "row = xs[n]\n    row[-1] = 5.0",
    "for row in xs:\n        if row[0] > 3:\n            break\n        row[0] = 4.0",
    "def put(row, u):\n        row[0] = u\n    put(xs[n], 3.0)\n    put(xs[0], 0.5)",
    "xs[n][0], xs[0][1] = v[2], v[3]",
    "xs[n].sort()\n    xs[0].reverse()",
    "n = xs[n].index(0) + sum(xs[n])",
]


@pytest.mark.parametrize("text", ROWS_OF_LISTS)
def test_rows_of_a_few_lists_of_unknown_length(text: str) -> None:
    made = "    xs = [[0.0] * len(v) for _ in range(2)]\n    "
    assert complaint(f"{made}{text}\n    return xs, n", {"v": v, "n": 1}) is None


@pytest.mark.parametrize("text", ROWS_OF_LISTS)
def test_no_row_of_unlike_lists_is_written_in_a_copy(text: str) -> None:
    lines = f"    xs = [[0.0] * len(v), [1.0] * n]\n    {text}\n    return xs, n"
    got = complaint(lines, {"v": v, "n": 1})
    assert got is None or "a list is not changed in place here" in got or "one name alone has" in got


def test_rows_have_one_size() -> None:
    """Which only the running program may know of some."""

    def stacked(y: Any, n: int) -> Any:
        rows = [y]
        for k in range(n):
            rows.append(np.array([y[0], k * y[1]]))
        return np.stack(rows)

    assert difference(jit(stacked)(v[:2], 3), stacked(v[:2], 3)) is None
    with pytest.raises(
        ValueError, match="a list of arrays has them of one size here, and this one is of another"
    ):
        jit(stacked)(v, 3)
