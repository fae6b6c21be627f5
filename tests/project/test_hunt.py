"""Random programs of every family against plain Python (tests/hunt), and the net itself: what it takes for the same,
what a program is shrunk to, and that what goes wrong is found.

Nothing is compiled here; `scripts/hunt` does that, and goes over as many programs as one likes.
"""

from __future__ import annotations

import ast
import gc
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hunt import forms, rules, session
from hunt.case import Case, Outcome, names_of, plain
from hunt.compare import difference
from hunt.families import FAMILIES, case_of
from hunt.shrink import shrunk
from hunt.verdicts import SAME, Verdict

# The seeds that each family is tested with, each by one of its forms: as many as take some seconds.
SEEDS = {
    "numbers": range(104, 404),
    "arrays": range(0, 260),
    "elementwise": range(0, 200),
    "functions": range(0, 260),
    "dtypes": range(0, 200),
    "reductions": range(80, 280),
    "writes": range(100, 340),
    "sharing": range(0, 50),
    "sequences": range(0, 100),
    "lists": range(0, 120),
    "list_arguments": range(0, 80),
    "grown": range(0, 60),
    "number_keys": range(0, 60),
    "control": range(100, 220),
    "optional": range(0, 60),
    "errors": range(100, 280),
    "tries": range(0, 90),
    "products": range(0, 12),
    "joined": range(0, 20),
    "customs": range(0, 16),
    "loops": range(0, 4),
    "nests": range(0, 8),
    "tables": range(0, 40),
    "ragged": range(0, 24),
    "neighbours": range(0, 24),
    "recursions": range(0, 36),
    "halves": range(0, 14),
    "draws": range(0, 60),
    "drawn": range(0, 30),
    "models": range(0, 12),
    "compositions": range(0, 8),
    "sizes": range(0, 18),
    "small": range(0, 60),
    "structures": range(0, 40),
    "structured": range(0, 24),
    "views": range(0, 40),
    "viewed": range(0, 24),
    "shown": range(0, 40),
    "complex": range(0, 60),
}
# Of the runs of a family, at most; those of `sharing` write into arguments that overlap, which is refused, as are
# some of the writes, and where `finally` and handlers leave in several ways.
REFUSED = dict.fromkeys(FAMILIES, 0.35) | {
    "sharing": 0.9,
    "writes": 0.4,
    "tries": 0.45,
    "sequences": 0.5,
    "lists": 0.5,
    "list_arguments": 0.5,
    "views": 0.5,
    "viewed": 0.5,
    "shown": 0.5,
}


@pytest.fixture
def settled_heap() -> Iterator[None]:
    """The collector does not go through what was there before, again and again."""
    gc.freeze()
    yield
    gc.unfreeze()


DAYS = 4  # in which every program of a family is run once, and then those of the families between


@pytest.mark.sampled(2 * DAYS)
@pytest.mark.parametrize("family, day", [(family, day) for family in FAMILIES for day in range(DAYS)])
def test_programs(family: str, day: int, settled_heap: None) -> None:
    kinds: Counter[str] = Counter()
    wrong = []
    for seed in SEEDS[family][day::DAYS]:
        case = case_of(family, seed)
        form = case.forms[seed % len(case.forms)]
        verdict = forms.settled(case.text, form)
        kinds[verdict.kind] += 1
        if verdict.kind == "mismatch":
            wrong.append(session.report(session.Mismatch(case.name, form, verdict, case.text)))
    assert not wrong, "\n".join(wrong)
    assert kinds["refused"] <= REFUSED[family] * sum(kinds.values()), kinds


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_is_one_program(family: str) -> None:
    assert case_of(family, 3) == case_of(family, 3)
    assert len({case_of(family, seed).text for seed in range(20)}) > 15


def test_generators_end() -> None:
    """A loop that halves an infinity until it is small is no statement of a program."""
    case = case_of("control", 2900519)
    assert names_of(case.text)["calls"]()


@pytest.mark.parametrize(
    "got, want, said",
    [
        (1, np.int64(1), None),
        (np.array(2.0), 2.0, None),
        (np.float32(1.0), 1.0, "dtype"),
        (1.0, 1, "dtype"),
        (np.ones(2), np.ones((1, 2)), "shape"),
        (float("nan"), np.float64("nan"), None),
        (0.0, -0.0, "sign of zero"),
        (1.0 + 1e-15, 1.0, None),
        (1.0 + 1e-12, 1.0, "values"),
        (np.inf, -np.inf, "values"),
        ((1, 2), [1, 2], "structure"),
        ([1], [1, 2], "length"),
        ({"p": 1}, {"q": 1}, "structure"),
        (None, 1, "structure"),
    ],
)
def test_what_is_the_same(got: Any, want: Any, said: str | None) -> None:
    assert difference(got, want) == said


CANCELS = """def f(x):
    return (x + 1.0) - 1.0

def calls():
    return [(1e-9,)]
"""
ACROSS = """def f():
    a = np.arange(16).reshape(4, 4)
    a[1] = a[:, 2]
    return a[1].tolist()

def calls():
    return [()]
"""
STEPS = "def f(a):\n    a[0] *= {}\n    return a[0]\n\ndef calls():\n    return [(np.ones(1, np.uint32),)]\n"
TOTAL = "def f(x):\n    return np.sum(x, dtype=np.uint32)\n\ndef calls():\n    return [({},)]\n"
CASTS = "def f(x):\n    return x.astype(np.uint8)\n\ndef calls():\n    return [(np.float64({}),)]\n"


SUMS = """def f(x):
    return np.sum(x, dtype=np.float64)

def calls():
    return [(np.array([1, -(2**63), 2**63 - 2, 1, 1]),)]
"""

DIAGONAL = """def f(a):
    return np.einsum("...i->...", a)

def calls():
    return [([0.3, 1.5, -2.5, 0.75],)]
"""


@pytest.mark.parametrize(
    "text, got, want, rule",
    [
        (CANCELS, 1e-9, 1.0 + 1e-9 - 1.0, "rounding"),
        (CANCELS, 2e-9, 1.0 + 1e-9 - 1.0, None),
        (CASTS.format("-7.0"), np.uint8(7), np.uint8(249), "undefined casts"),
        (CASTS.format("7.0"), np.uint8(8), np.uint8(7), None),
        (STEPS.format("-1.5"), np.uint32(0), np.uint32(2**32 - 1), "undefined casts"),
        (STEPS.format("1.5"), np.uint32(2), np.uint32(1), None),
        (TOTAL.format("1e10"), np.uint32(0), np.uint32(1410065408), "undefined casts"),
        (TOTAL.format("1e9"), np.uint32(0), np.uint32(10**9), None),
        (ACROSS, [2, 6, 10, 14], [2, 10, 10, 14], "copies"),
        (ACROSS, [2, 6, 10, 15], [2, 10, 10, 14], None),
        (SUMS, 3.0, 0.0, "rounding"),
        (SUMS, 1e5, 0.0, None),
        (DIAGONAL, np.float64(0.050000000000000044), np.float64(0.04999999999999982), "rounding"),
        (DIAGONAL, np.float64(0.05 + 1e-12), np.float64(0.04999999999999982), None),
        ("def f(x):\n    return sum(x)\n\ndef calls():\n    return [(np.zeros(0),)]\n", 0.0, 0, "empty sums"),
        (
            "def f(x):\n    return np.dot(x, 0)\n\ndef calls():\n    return [(np.array([inf, 1.0]),)]\n",
            np.array([np.nan, 0.0]),
            np.zeros(2),
            "zero times all",
        ),
        ("def f(n):\n    return n * n > 5\n\ndef calls():\n    return [(2**62,)]\n", False, True, "64 bits"),
        (
            "def f(x):\n    return x if x < 1.0 else 1\n\ndef calls():\n    return [(2.0,)]\n",
            1.0,
            1,
            "kinds that meet",
        ),
    ],
)
def test_rules(text: str, got: Any, want: Any, rule: str | None) -> None:
    said = difference(got, want)
    assert said is not None
    (given,) = names_of(text)["calls"]()
    assert rules.excuse(text, lambda: given, Outcome(got, given), Outcome(want, given), said) == rule


def test_too_large_for_any_memory() -> None:
    """NumPy raises IndexErrors of its own there, of arrays without axes too."""
    text = "def f(n):\n    np.linspace(0.0, 1.0, n)\n    return n\n\n\ndef calls():\n    return [({},)]\n"
    for n in ("2**63 - 2", "np.array(2**63 - 2)"):
        assert forms.verdict_of(text.format(n), "jit-numpy") == SAME


def test_differences_say_nothing_at_kinks() -> None:
    """Both sides are straight there, so that all steps agree."""
    text = "def f(b):\n    return np.min(np.clip(b, 0.5, 0.7))\n\n\ndef calls():\n    return [(np.array([0.7, 1]),)]\n"
    assert forms.verdict_of(text, "derivative-numpy") == SAME


def test_what_fails_inside_scipy_is_no_reference() -> None:
    text = "def f(x):\n    return {}\n\n\ndef calls():\n    return [(np.zeros((0, 2)),)]\n"
    assert forms.verdict_of(text.format("sp.logsumexp(x)"), "jit-numpy") == SAME
    error = plain(names_of(text.format("x[0, 0, 0]"))["f"], (np.zeros((0, 2)),)).error
    assert isinstance(error, IndexError)
    assert not rules.is_of_scipy(error)


def test_shrinks() -> None:
    """To what still goes wrong: here, a sine of an argument in a branch."""
    text = """def f(a, b, c):
    t0 = a * 2 + b
    if a > 1:
        t1 = np.maximum(np.sin(t0 - c), 1.0)
    else:
        t1 = 3
    for i in range(3):
        t1 = t1 + i
    return (t0, t1, c)

def calls():
    return [(1, 2, 3), (4, 5, 6)]
"""

    def run(candidate: str) -> Verdict:
        body = ast.parse(candidate).body[0]
        has = any(isinstance(n, ast.Attribute) and n.attr == "sin" for n in ast.walk(body))
        return Verdict("mismatch", "values") if has else SAME

    small, _ = shrunk(text, Verdict("mismatch", "values"), run)
    assert len(small.splitlines()) == 5
    assert "np.sin" in small and "for" not in small and "if" not in small


def test_derivatives_have_the_rules_of_values() -> None:
    """Kinds that meet; means and logsumexps of no elements, which are NaN in forward mode alone; functions of bools."""
    kinds = "    if a > 2.0:\n        t = a\n    else:\n        t = 1\n    return t"
    empty = "    return np.sum(np.sin(np.mean(np.diff(np.array([a])))))"
    beside = "    return a + sp.logsumexp(np.diff(np.array([a])))"
    half = "    return a + np.sin(max(a, True))"
    for body in (kinds, empty, beside, half):
        text = f"def f(a):\n{body}\n\n\ndef calls():\n    return [(0.5,)]\n"
        assert forms.verdict_of(text, "derivative-numpy") == SAME


def test_what_goes_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An add that is off by a little at 3, in the target that computes by NumPy's functions."""
    monkeypatch.setattr(forms, "jit", lambda f, target: lambda *given: f(*given) + (given[0] == 3) * 1e-6)
    text = "def f(a):\n    return a * 2.0\n\ndef calls():\n    return [(1.0,), (3.0,)]\n"
    said = session.Found()
    assert not session.examined(Case("planted", 0, text, ("jit-numpy",)), "jit-numpy", Counter(), said)
    (found,) = said.mismatches
    assert (found.verdict.what, found.verdict.want) == ("values", "3.0")
    assert found.text.splitlines()[-1] == "    return [(3.0,)]"
