"""Calls that a function ends with become turns of a loop, and give what they gave."""

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import calls
from over_lanes import directory, same_as_loop  # noqa: F401
from places import ROOT

from autobatch import LaneError, Schedule, batch
from autobatch.host.tail_calls import loop_tail_calls
from codegen.emit.module import show
from codegen.infer.trace import trace
from codegen.ir import program
from codegen.ir.check import check
from codegen.pytree import describe, known_size
from codegen.simplify.driver import simplify


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def first_call_last(n, m):
    return m if n <= 0 else (3 * n) ^ first_call_last(n - 1, m + 1) ^ (m & first_call_last(n - 2, m))


def product(n):
    return n * product(n - 1) * 3 if n > 0 else 1


def bits(n):
    if n == 0:
        return -1
    return bits(n // 2) & (n | 5)


def union(n):
    return 0 if n == 0 else union(n - 1) | (1 << (n % 7))


def several_ends(n, s):
    """Ends, leaves and a call that is no end, in branches of branches."""
    if n > 20:
        return several_ends(n - 3, s + 1)
    if n > 10:
        if s % 2 == 0:
            return s + several_ends(n - 1, s // 2)
        return 7
    if n > 0:
        return several_ends(n - 1, s) + several_ends(n - 4, s + 1) + 1
    return s


def two_operations(n):
    if n < 2:
        return n + 1
    if n % 3 == 0:
        return two_operations(n - 1) * two_operations(n - 2)
    return two_operations(n - 1) + two_operations(n - 3)


def call_first(n):
    """A call decides whether the other is made."""
    if n <= 0:
        return True
    return not call_first(n - 1) or call_first(n - 2)


def difference(n):
    return n if n < 2 else difference(n - 1) - difference(n - 2)


def mean(n, x):
    return x if n == 0 else 0.1 * x + mean(n - 1, 0.7 * x)


def halves(n, x):
    return x if n == 0 else halves(n - 1, 0.5 * x)


def refuses(n):
    if n < 0:
        raise ValueError("below zero")
    if n < 2:
        return n
    if n % 11 == 0:
        raise ValueError("eleven")
    return refuses(n - 1) + refuses(n - 2)


def refuses_late(n):
    if n < 1:
        return 0
    rest = refuses_late(n - 2)
    if n == 4:
        raise ValueError(f"four: {n + rest}")
    return rest + n


INTS = [(n,) for n in (0, 1, 2, 5, 9, 12)]
PAIRS = [(n, s) for n in (0, 1, 4, 11, 12, 30) for s in (0, 3)]
FLOATS = [(0, 1.0), (3, -0.0), (9, 2.3), (40, 1e300)]


@pytest.mark.turns(4)
@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "f, lanes",
    [
        (fib, INTS), (first_call_last, PAIRS[:6]), (product, INTS), (bits, INTS), (union, INTS),
        (several_ends, PAIRS), (two_operations, INTS), (call_first, INTS), (difference, INTS), (mean, FLOATS),
        (halves, FLOATS), (refuses, INTS[:-1]),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)  # fmt: skip
def test_the_same_as_a_loop_over_lanes(f: Callable[..., Any], lanes: list[tuple[Any, ...]]) -> None:
    same_as_loop(batch(f), f, lanes)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("f", [fib, calls.fibonacci, product])
def test_integers_that_overflow(f: Callable[..., Any], dtype: type) -> None:
    n = np.arange(16).astype(dtype)
    found, wanted = batch(f)(n), batch(f, schedule=Schedule("program_counter"))(n)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def looped(f: Callable[..., Any], *one: Any) -> str:
    whole = trace(f, tuple(describe(a, known_size) for a in one)).program
    made = {name: loop_tail_calls(g) for name, g in whole.functions.items()}
    return show(simplify(check(program(made, whole.main), after="tail_calls")), target="numpy")


FIB = """
def fib(n):
    total = 0
    while not n < 2:
        t = fib(n - 1)
        total += t
        n -= 2
    total = np.int64(total) + n
    return total
"""


def test_the_text_of_a_loop() -> None:
    assert looped(fib, 3).endswith(FIB.lstrip())


def test_what_is_left_alone() -> None:
    """A sum of floats rounds in its order; a difference is not associative."""
    assert "while" not in looped(mean, 3, 1.0)
    assert "while" not in looped(difference, 3)
    assert "while" in looped(halves, 3, 1.0)


@pytest.mark.turns(4)
def test_lanes_that_fail_or_go_too_deep() -> None:
    with pytest.raises(LaneError) as raised:
        batch(refuses)(np.array([3, -1, 12, 10, 40]))
    assert [(f.lane, f.message) for f in raised.value.failures] == [
        (1, "below zero"), (2, "eleven"), (4, "eleven"),
    ]  # fmt: skip
    line = inspect.getsourcelines(refuses)[1]
    assert [f.span.line - line for f in raised.value.failures] == [2, 6, 6]
    np.testing.assert_array_equal(raised.value.results[[0, 3]], [2, 55])
    with pytest.raises(LaneError) as raised:
        batch(refuses_late)(np.array([5, 6]))
    assert [(f.lane, f.message) for f in raised.value.failures] == [(1, "four: 6")]
    assert "while" in batch(refuses_late).source(np.array([5]))
    n = np.array([3, 9_999, 10_001, 30_000])
    np.testing.assert_array_equal(batch(calls.iota_sum)(n, 0 * n), n * (n + 1) // 2)


def zigs(n):
    return 0 if n < 1 else zags(n - 1) + zags(n - 2)


def zags(n):
    return 1 if n < 1 else zigs(n - 1) - zigs(n - 2)


CHILD = """
import sys
import numpy as np
from autobatch import batch
from codegen.backend.load import load
from test_tail_calls import fib, refuses, several_ends, zigs
from corpus.calls import is_even, tree_of_pairs

singly = (fib, (12,)), (refuses, (7,)), (several_ends, (30, 3)), (tree_of_pairs, (3, 0.5)), (is_even, (6,))
for f, args in *singly, (zigs, (9,)):
    many = batch(f)
    assert np.all(many(*[np.array([a, a]) for a in args]) == f(*args))
    (machine,) = many.machines.values()
    over = getattr(load(machine.host.text, machine.program.main), machine.host.run)
    print(sum(over.stats.cache_hits.values()), *("numba.unresolved" in t for t in over.inspect_asm().values()))
"""


@pytest.mark.slow
def test_compiled_recursion_is_kept_where_its_calls_have_addresses(tmp_path: Path) -> None:
    """A mutual recursion of two functions is compiled by each process: taken from the cache it would call address 0."""
    environment = {**os.environ, "AUTOBATCH_CACHE_DIR": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), *sys.path))
    runs = [
        subprocess.run([sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True)
        for _ in range(3)
    ]
    assert [r.returncode for r in runs] == [0, 0, 0], runs[-1].stderr
    assert runs[0].stdout.split("\n")[:-1] == ["0 False"] * 5 + ["0 True"]
    assert runs[1].stdout == runs[2].stdout
    assert [line[0] for line in runs[1].stdout.split("\n")[:-1]] == ["1"] * 5 + ["0"]
