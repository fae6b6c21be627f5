"""Dicts and sets whose keys are numbers: what Python gives, by every transformation and target, and what is refused."""

import collections
import functools
import re
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest
from number_keys import DICTS, SETS
from plain_python import complaint, difference, outcome
from user_programs import loaded

from autobatch import LaneError, Schedule, batch
from autodiff import check_grads, grad, jvp
from codegen import SourceError, jit

V = np.array([3.0, 1.0, 2.0, 5.0, 0.0, 4.0, 3.0])
W = np.array([3, 1, 2, 3, 1, -7])
AROUND = {
    "collections": collections, "Counter": Counter, "OrderedDict": OrderedDict, "defaultdict": defaultdict,
    "TABLE": {0: 1.5, 1: 2.5, 2: -1.0}, "ODD": {1, 3, 5},
}  # fmt: skip
PROGRAMS = DICTS | {f"a set, {name}": text for name, text in SETS.items()}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_python_says(name: str) -> None:
    """Values and exceptions, with what these tell."""
    plain = loaded(f"def f(n, v, w):\n{PROGRAMS[name]}\n")
    plain.__globals__.update(AROUND)
    made = jit(plain, target="numpy")
    for n in (0, 1, 4):
        want, got = outcome(plain, [n, V, W]), outcome(made, [n, V, W])
        if isinstance(want, Exception):
            assert (type(got), got.args) == (type(want), want.args)
        else:
            assert not isinstance(got, Exception), got
            assert difference(got, want) is None


@pytest.mark.turns(4)
@pytest.mark.sampled(90)
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled(name: str) -> None:
    plain = loaded(f"def f(n, v, w):\n{PROGRAMS[name]}\n")
    plain.__globals__.update(AROUND)
    made = jit(plain)
    for n in (0, 1, 4):
        want, got = outcome(plain, [n, V, W]), outcome(made, [n, V, W])
        if isinstance(want, Exception):
            assert (type(got), got.args) == (type(want), want.args)
        else:
            assert difference(got, want) is None


REFUSED = {
    "    s = {1, n}\n    t = 0\n    for x in s:\n        t += x\n    return t":
        "a set is gone through in an order that hangs on how CPython stores it: go through sorted(...) of it",
    "    return list({1, n})":
        "a set is gone through in an order that hangs on how CPython stores it: go through sorted(...) of it",
    "    s = {1, n}\n    return s.pop()":
        "which element set.pop() takes hangs on how CPython stores it: take min(...) of it, and remove that",
    "    s = {1, n}\n    return sum(0.1 * x for x in s)":
        "a sum of floats hangs on their order, and a set has none: go through sorted(...) of it",
    "    s = {1, n}\n    return max(s, key=lambda x: -x)":
        "a set is gone through in an order that hangs on how CPython stores it: go through sorted(...) of it",
    "    d = {}\n    d[n * 0.5] = n\n    return len(d)":
        "keys of dicts and elements of sets are ints, bools or tuples of ints, and this is a float: take int(...) of "
        "it",
    "    d = {1: n}\n    d['a'] = 2\n    return len(d)":
        "a dict has texts that are known for keys, or numbers",
    "    d = {}\n    d[n] = 1\n    d[n, 1] = 1\n    return len(d)":
        "a dict of items that are made in more than one way: give its keys one kind, and its values one kind and shape",
    "    d = {}\n    d[n] = v * 2\n    return d[n]":
        "the values of a dict whose keys are numbers are numbers, tuples of numbers, or lists of such: keep others in "
        "a list, and their places in the dict",
    "    d = {}\n    d[n] = 1\n    print(d)\n    return len(d)":
        "a text cannot say a dict whose keys are numbers: give it numbers, arrays, texts, and tuples of them",
    "    d = {n: 1, 7: 2}\n    for k in d:\n        del d[k]\n    return len(d)":
        "this goes through a dict that it makes longer or shorter: use a `while` and an index, or a copy",
    "    d = {n: 1, 7: 2}\n    for k in d:\n        d[k + 1] = 2\n        break\n    return len(d)":
        "this may put a key into the dict that the loop around, which may be left early, goes through: go through "
        "list(...) of it",
    "    d = {1: 2}\n    d[n] = 3\n    return np.sum(d)":
        "a number or an array is needed here, not a dict whose keys are numbers",
    "    d = {n: 2, 5: 1}\n    e = {1, n}\n    return d | e":
        "`|` of a dict whose keys are numbers and a set is not supported: write a loop over their keys",
    "    d = defaultdict(set)\n    d[n].add(1)\n    return len(d)":
        "defaultdict() takes int, float, bool, list or a lambda of a number or an empty list: keep others in a list, "
        "and their places in the dict",
    "    d = defaultdict(int)\n    d[n] += 1\n    return d":
        "a defaultdict or Counter is no result: return dict(...) of it",
    "    return TABLE.update({n: 1.0})":
        "a dict that is given, or whose keys are of several kinds, gets no other keys: make a new one, `dict()`, and "
        "put into it what it has",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    assert complaint(text, {"n": 3, "v": V}, REFUSED[text], around=AROUND) is None


def test_a_key_that_comes_in_a_loop() -> None:
    """Python's RuntimeError, where a loop goes through the dict."""
    text = "    d = {0: 1, n: 2}\n    for k in d:\n        d[k + 1] = 3\n    return len(d)"
    plain = loaded(f"def f(n):\n{text}\n")
    for target in ("numpy", "numba"):
        with pytest.raises(RuntimeError, match="^dictionary changed size during iteration$"):
            jit(plain, target=target)(4)
        assert jit(plain, target=target)(1) == plain(1) if outcome(plain, [1]) == 2 else True


# ---- derivatives and lanes ----


def by_key(x, ks):
    d = {}
    for i in range(len(ks)):
        d[ks[i]] = d.get(ks[i], 1.0) * x[i]
    s = 0.0
    for k, m in d.items():
        s += m**2 * k
    return s


def augmented(x, ks):
    d = {}
    for i in range(len(ks)):
        if ks[i] not in d:
            d[ks[i]] = x[i]
        else:
            d[ks[i]] += np.sin(x[i]) * x[0]
    return sum(v * v for v in d.values())


def memo(x, ks):
    made = {}

    def poly(k):
        if k in made:
            return made[k]
        r = 1.0 if k == 0 else x[0] * poly(k - 1) + x[1]
        made[k] = r
        return r

    return poly(6) + poly(len(ks))


def removed(x, ks):
    d = {}
    for i in range(len(ks)):
        d[i] = x[i] * x[i]
    a = d.pop(1)
    del d[0]
    return a * sum(d.values())


def given(x, ks):
    def note(d, k, u):
        d[k] = d.get(k, 0.0) + u

    d = {}
    for i in range(len(ks)):
        note(d, ks[i] % 3, x[i] ** 2)
    return d[0] * d[2] if 0 in d and 2 in d else x[0] ** 2


def seen_once(x, ks):
    seen = set()
    s = 0.0
    for i in range(len(ks)):
        if ks[i] in seen:
            continue
        seen.add(ks[i])
        s += x[i] ** 3
    return s


def made_anew(x, ks):
    s = 0.0
    for i in range(3):
        d = {}
        for j in range(len(ks)):
            d[ks[j] % (i + 1)] = d.get(ks[j] % (i + 1), 0.0) + x[j] * (i + 1)
        for k in d:
            s += d[k] ** 2
    return s


def pairs(x, ks):
    d = {}
    for i in range(len(ks)):
        d[(ks[i], i % 2)] = (x[i], x[i] * x[0])
    s = 0.0
    for a, b in d.values():
        s += a * b
    return s


def in_a_while(x, ks):
    d = {}
    k = 27
    s = 0.0
    while k != 1 and k not in d:
        d[k] = x[k % 4] * 2.0
        s += d[k] ** 2
        k = k // 2 if k % 2 == 0 else 3 * k + 1
    return s


def defaults(x, ks):
    d = defaultdict(float)
    for i in range(len(ks)):
        d[ks[i]] += x[i] ** 2
    return sum(v**2 for v in d.values())


DIFFERENTIABLE = [
    by_key, augmented, memo, removed, given, seen_once, made_anew, pairs, in_a_while, defaults,
]  # fmt: skip
X, KS = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 7, 5, 9])
LANES = np.stack([X, X * 0.5, X + 1.0]), np.stack([KS, KS[::-1], KS % 5])


@pytest.mark.turns(4)
@pytest.mark.sampled(8)
@pytest.mark.parametrize("f", DIFFERENTIABLE, ids=lambda f: f.__name__)
def test_derivatives(f) -> None:
    """Forward and reverse, and forward of reverse, against differences."""
    check_grads(lambda x: f(x, KS), (X,))
    slope, h = grad(f, target="numpy"), 1e-6
    along = jvp(lambda x: slope(x, KS), (X,), (X,), target="numpy")[1]
    np.testing.assert_allclose(along, (slope(X + h * X, KS) - slope(X - h * X, KS)) / (2 * h), rtol=1e-5)


@pytest.mark.turns(8)
@pytest.mark.sampled(12)
@pytest.mark.parametrize("f", DIFFERENTIABLE, ids=lambda f: f.__name__)
def test_lanes(f) -> None:
    """In turn, also of derivatives; each lane has a dict of its own."""
    for target in ("numpy", "numba"):
        np.testing.assert_allclose(batch(f, target=target)(*LANES), [f(x, k) for x, k in zip(*LANES)])
    slopes = [grad(f, target="numpy")(x, k) for x, k in zip(*LANES)]
    np.testing.assert_allclose(batch(grad(f))(*LANES), slopes)
    np.testing.assert_allclose(grad(f)(X, KS), slopes[0])


@pytest.mark.turns(4)
def test_a_lane_that_lacks_a_key_fails_alone() -> None:
    def f(n, k):
        d = {1: 2}
        for i in range(n):
            d[i * i] = i
        return d[k]

    for target in ("numpy", "numba"):
        with pytest.raises(LaneError) as caught:
            batch(f, target=target)(np.array([3, 4, 5]), np.array([4, 5, 16]))
        (failure,) = caught.value.failures
        assert (failure.lane, failure.exception) == (1, "KeyError")
        np.testing.assert_array_equal(caught.value.results[[0, 2]], [2, 4])


def test_lanes_side_by_side_are_refused() -> None:
    with pytest.raises(SourceError, match="would differ from lane to lane"):
        batch(seen_once, target="numpy", schedule=Schedule("local_static"))(*LANES)


# ---- how it is done ----


def test_emitted(golden) -> None:
    def counted(xs):
        counts = {}
        for x in xs:
            counts[x] = counts.get(x, 0) + 1
        return counts

    golden("counted.py", jit(counted).source(W))


def test_results_without_keys_stand_alone() -> None:
    """The text of a function that gives dicts and sets runs by itself."""

    def several(n):
        return {}, set(), {n}, {1: 2, -3: 4}, dict(Counter()), {(n, 1): 0.5}

    for target in ("numpy", "numba"):
        names: dict = {}
        exec(jit(several, target=target).source(3).replace("cache=True, ", ""), names)
        assert names["several"](3) == several(3) == jit(several, target=target)(3)


def test_many_keys() -> None:
    """As many steps a key as with few: keys that a table of slots might put into one place, removed ones too."""

    def far(n, step):
        d = {}
        for i in range(n):
            d[i * step] = i
        s = set()
        for k in d:
            s.add(k)
        for k in d:
            s.remove(k)
        return len(d), len(s)

    made = jit(far)
    for step in (1, 2**10, 2**20 + 1, -(2**40), 3 * 2**30):
        assert made(200_000, step) == (200_000, 0)


@pytest.mark.parametrize("seed", range(8))
def test_random_changes(seed: int) -> None:
    """Keys put in, removed and asked for at random, far more often than there is room at first."""

    def changed(what, keys):
        d = {}
        s = 0
        for i in range(len(keys)):
            k = keys[i]
            if what[i] < 5:
                d[k] = d.get(k, 0) + i
            elif what[i] < 8:
                s = (s * 31 + d.pop(k, -1)) % 1000003
            elif len(d) > 0:
                a, b = d.popitem()
                s = (s * 31 + a + b) % 1000003
        for k, m in d.items():
            s = (s * 31 + k * 7 + m) % 1000003
        return s, len(d)

    rng = np.random.default_rng(seed)
    spread = (7, 40, 300, 2**50)[seed % 4]
    what, keys = rng.integers(0, 9 + seed % 2, 600), rng.integers(-spread, spread, 600)
    made = jit(changed, target="numba" if seed < 2 else "numpy")
    assert made(what, keys) == changed(what.tolist(), keys.tolist())


def test_lists_have_room_for_all_keys() -> None:
    """What a loop through a dict appends is as much as the dict has keys."""

    def listed(n):
        d = {}
        for i in range(n):
            d[i * 7] = i
        xs = [0]
        while len(xs) < 2:
            xs.append(1)
        for k in d:
            xs.append(k)
        xs.extend(d)
        return sum(xs), len(xs)

    for target in ("numpy", "numba"):
        assert jit(listed, target=target)(1000) == listed(1000)


def test_inference_knows_what_lists_are_of() -> None:
    """A message tells one problem, at its line."""
    f = loaded("def f(n):\n    d = {}\n    d[n] = 1\n    d[0.5] = 2\n    return d\n")
    with pytest.raises(SourceError) as caught:
        jit(f)(1)
    assert caught.value.lineno == 4
    assert re.match("keys of dicts and elements of sets are ints", caught.value.msg)


@pytest.mark.turns(4)
def test_nested_functions_that_remember_their_results() -> None:
    """Their recursion takes as long as it has results."""

    def legendre(x, n):
        @functools.cache
        def p(k):
            if k < 2:
                return x if k else 1.0
            return ((2 * k - 1) * x * p(k - 1) - (k - 1) * p(k - 2)) / k

        @functools.lru_cache(maxsize=None)
        def scaled(u):
            return 2.0 * u

        return p(n) + scaled(x)

    def ways(n, coins):
        @functools.lru_cache
        def count(left, k):
            if left == 0:
                return 1
            if left < 0 or k == len(coins):
                return 0
            return count(left - coins[k], k) + count(left, k + 1)

        return count(n, 0)

    for target in ("numpy", "numba"):
        assert jit(ways, target=target)(300, (1, 2, 5, 10)) == ways(300, (1, 2, 5, 10))
        assert jit(legendre, target=target)(0.3, 60) == pytest.approx(legendre(0.3, 60), rel=1e-12)
        slope = (legendre(0.3 + 1e-6, 9) - legendre(0.3 - 1e-6, 9)) / 2e-6
        assert grad(legendre, target=target)(0.3, 9) == pytest.approx(slope, rel=1e-6)
