"""contract: arrays without the axes of the loops around all their uses; what they are then says whether."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_arrays import array_program
from random_ir import equations, keeps, same

from codegen import jit
from codegen.analysis.definitions import is_empty
from codegen.infer.trace import trace
from codegen.ir import Program, Var
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.loops.contraction import contract
from codegen.loops.fusion import fuse
from codegen.loops.lower import scalarize
from codegen.pipeline import are_alike
from codegen.pytree import describe, known_size
from codegen.simplify.driver import simplify

X = np.linspace(-1.0, 2.0, 24).reshape(4, 6)


def made(p: Program) -> list[tuple[Any, ...]]:
    """The shapes of the empty arrays that a program makes."""
    return sorted(e.outs[0].type.shape for e in equations(p) if is_empty(e))


def contracted(f: Any, *args: Any, known: bool = True) -> Program:
    """The program with its loops fused and its arrays contracted, which gives exactly what it gave before."""
    signature = tuple(describe(a, known_size) if known else describe(a) for a in args)
    before = simplify(scalarize(simplify(trace(f, signature, {}, known_sizes=known).program)))
    after = simplify(check(contract(fuse(before)), after="contract"))
    assert same(evaluate(after, *args), evaluate(before, *args))
    return after


def softmax(x):
    powers = np.exp(x - np.max(x, axis=1)[:, None])
    return powers / np.sum(powers, axis=1)[:, None]


def rows_by_hand(x):
    n, m = x.shape
    t, y = np.empty((n, m)), np.zeros(n)
    for i in range(n):
        for j in range(m):
            t[i, j] = x[i, j] * 2.0
        for j in range(m):
            y[i] += t[i, m - 1 - j] * j
    return y


def columns_by_hand(x):
    n, m = x.shape
    t, y = np.empty((n, m)), np.zeros(m)
    for j in range(m):
        for i in range(n):
            t[i, j] = x[i, j] * 2.0
        for i in range(n):
            y[j] += t[n - 1 - i, j] * i
    return y


def given_back(x):
    n, m = x.shape
    t, y = np.empty((n, m)), np.zeros(n)
    for i in range(n):
        for j in range(m):
            t[i, j] = x[i, j] * 2.0
        for j in range(m):
            y[i] += t[i, m - 1 - j]
    return y, t


def row_before(x):
    n, m = x.shape
    t, y = np.empty((n, m)), np.zeros(n)
    for i in range(n):
        for j in range(m):
            t[i, j] = x[i, j] * 2.0
        for j in range(m):
            y[i] += t[max(i - 1, 0), m - 1 - j]
    return y


def planes(x):
    """What one loop over k writes, the next reads: iterations of i have their own part of t, those of k have not."""
    n, m = x.shape
    t, y = np.empty((n, m, 2)), np.zeros((n, m))
    for i in range(n):
        for k in range(m):
            t[i, k, 0] = x[i, k] * 2.0
        for k in range(m):
            y[i, k] = t[i, m - 1 - k, 0] + t[i, k, 0]
    return y


def turned(x):
    n = len(x)
    t, y = np.empty((n, n)), np.zeros(n)
    for i in range(n):
        for j in range(n):
            t[i, j] = x[i, j] * 2.0
    for i in range(n):
        for j in range(n):
            y[i] += t[j, i]
    return y


def counted_from_the_end(x):
    """Rows -1 and n - 1 are one: what is read was written two loops before."""
    n, m = x.shape
    t, y = np.empty((n, m)), np.zeros(n)
    for i in range(-n, n):
        for j in range(m):
            if i < 0:
                t[i, j] = x[i, j]
        for j in range(m):
            y[i] = y[i] + t[i, j]
    return y


def in_turn(x):
    """Which of the two arrays is written changes."""
    n, m = x.shape
    a, b, y = np.empty((n, m)), np.empty((n, m)), np.zeros(n)
    for i in range(n):
        for j in range(m):
            a[i, j] = x[i, j]
            b[i, j] = -x[i, j]
        for j in range(m):
            y[i] += a[i, m - 1 - j] * b[i, j]
        a, b = b, a
    return y


@pytest.mark.parametrize(
    ("f", "shapes"),
    [
        (softmax, [(4, 6), (6,)]),
        (rows_by_hand, [(6,)]),
        (columns_by_hand, [(4,)]),
        (planes, [(6, 2)]),
    ],
)
def test_rows_that_are_used_alone(f: Any, shapes: list[tuple[int, ...]]) -> None:
    assert made(contracted(f, X)) == shapes


def test_sizes_of_run_time() -> None:
    shapes = [e.outs[0].type.shape for e in equations(contracted(softmax, X, known=False)) if is_empty(e)]
    assert sorted(map(len, shapes)) == [1, 2] and all(isinstance(n, Var) for shape in shapes for n in shape)


@pytest.mark.parametrize("f", [given_back, row_before, in_turn, counted_from_the_end])
def test_rows_that_others_see(f: Any) -> None:
    assert all(shape == X.shape for shape in made(contracted(f, X)))


def test_rows_and_columns() -> None:
    assert made(contracted(turned, X[:, :4].copy())) == [(4, 4)]


@pytest.mark.parametrize(
    "f",
    [softmax, rows_by_hand, columns_by_hand, planes, given_back, row_before, in_turn, counted_from_the_end],
)
def test_compiled(f: Any) -> None:
    got, wanted = jit(f)(X), f(X)
    for one, other in zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]:
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed: int) -> None:
    program, arguments = array_program(seed)
    before = simplify(scalarize(simplify(program)))
    after = simplify(check(contract(fuse(before, are_alike)), after="contract"))
    assert keeps(before, after, arguments)
