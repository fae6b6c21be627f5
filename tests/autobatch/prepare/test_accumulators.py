"""Sums of recursive calls that are passed along: the same integers, and calls in the same order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lane_programs import outcome

from autobatch.prepare.accumulators import pass_sums_on
from codegen.emit.module import show
from codegen.infer.trace import trace
from codegen.ir import Program
from codegen.ir.check import check
from codegen.pytree import describe, known_size
from codegen.simplify.driver import simplify


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def linear(n):
    return 1 if n <= 0 else linear(n - 1) * n


def late_term(n, m):
    """Terms that are there before the calls, between and after them."""
    if n <= 0:
        return m
    first = late_term(n - 1, m + 1)
    k = first_of(m)
    return first + k * k + late_term(n - 2, m) + (n ^ m) + 1


def first_of(m):
    return m if m < 3 else m // 2


def queens(board, columns, left, right):
    if columns == board:
        return 1
    ways = 0
    free = board & ~(columns | left | right)
    while free != 0:
        place = free & -free
        free ^= place
        ways += queens(board, columns | place, (left | place) << 1, (right | place) >> 1)
    return ways


def branches(n):
    """A sum that a loop carries, begun with something, added to in one branch of another."""
    total = n
    for k in range(n):
        if k % 2 == 0:
            if k % 3 != 1:
                total += branches(k) + k
        else:
            total = 3 + total
    return total + 1


def bits(n):
    if n == 0:
        return 0
    return (bits(n // 2) | (n & 5)) | bits(n // 3)


def helper(n, m):
    """A function that calls one, not recursive itself, with what it has."""
    return 3 * fib(n) - fib(m)


def in_the_middle(n):
    """A result that is another call's argument."""
    return n - 1 if n < 3 else in_the_middle(in_the_middle(n - 1) % 4) + in_the_middle(n - 2)


def used_twice(n):
    if n < 2:
        return n
    t = used_twice(n - 1)
    return t + t + used_twice(n - 2)


def difference(n):
    return n if n < 2 else difference(n - 1) - difference(n - 2)


def floats(n, x):
    return x if n == 0 else floats(n - 1, 0.5 * x) + floats(n - 1, x)


def last(n, m):
    return m if n == 0 else last(n - 1, m + n)


def dropped(n):
    """A loop whose sum begins anew in one branch."""
    total = 0
    for k in range(n):
        total = 1 if k % 3 == 2 else total + dropped(k)
    return total


def refuses(n):
    if n < 1:
        return 1
    found = refuses(n - 2)
    if n == 5:
        raise ValueError("five")
    return found + refuses(n - 1)


def narrow(n):
    return n if n < np.int32(2) else narrow(n - np.int32(1)) + narrow(n - np.int32(2))


PASSED: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (fib, [(n,) for n in range(9)]),
    (linear, [(0,), (5,), (25,), (70,)]),
    (late_term, [(0, 1), (3, 2), (7, 5)]),
    (queens, [(15, 0, 0, 0), (63, 0, 0, 0)]),
    (branches, [(n,) for n in (0, 1, 2, 7)]),
    (bits, [(0,), (7,), (1000,)]),
    (helper, [(7, 3), (0, 1)]),
    (refuses, [(3,), (4,), (5,), (6,)]),
    (narrow, [(np.int32(n),) for n in (0, 1, 9)]),
]
LEFT: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (in_the_middle, (7,)), (used_twice, (7,)), (difference, (7,)), (floats, (3, 1.0)), (last, (4, 1)), (dropped, (5,)),
]  # fmt: skip


def program_of(f: Callable[..., Any], *lane: Any) -> Program:
    return check(simplify(trace(f, tuple(describe(a, known_size) for a in lane), known_sizes=True).program))


@pytest.mark.parametrize("f, lanes", PASSED, ids=lambda x: getattr(x, "__name__", ""))
def test_the_same_integers(f: Callable[..., Any], lanes: list[tuple[Any, ...]]) -> None:
    before = program_of(f, *map(np.asarray, lanes[0])) if f is not narrow else program_of(f, *lanes[0])
    after = check(pass_sums_on(before))
    assert any("onto" in name for name in after.functions)
    for lane in lanes:
        wanted, found = (outcome(program, list(lane)) for program in (before, after))
        assert str(wanted) == str(found)


@pytest.mark.parametrize("f, lane", LEFT, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_no_such_sum_is_left_alone(f: Callable[..., Any], lane: tuple[Any, ...]) -> None:
    before = program_of(f, *lane)
    assert pass_sums_on(before) is before


LATE_TERM = """\
    total += n ^ m
    total += 1
    total = late_term_onto(n - 1, m + 1, total)
    k = first_of(m)
    total += k * k
    total = late_term_onto(n - 2, m, total)
    return total
"""


def test_terms_go_before_the_calls_that_they_do_not_need() -> None:
    text = show(check(pass_sums_on(program_of(late_term, np.int64(3), np.int64(2)))))
    assert text.endswith(LATE_TERM)
