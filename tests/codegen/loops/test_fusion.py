"""fuse: loops over one range made one, where that is the same to the last bit; how many are left says whether."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_arrays import array_program
from random_ir import equations, keeps, same
from random_loops import random_loops

from codegen import ir
from codegen.infer.trace import trace
from codegen.ir import Apply, For, Function, Lit, Program, Type, Var
from codegen.ir.buffers import AT
from codegen.ir.build import SIZE, Builder
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.loops.fusion import fuse
from codegen.loops.lower import scalarize
from codegen.primitives import ROWS
from codegen.primitives.index import Cut, Inside
from codegen.pytree import describe, known_size
from codegen.simplify.driver import simplify


def of_loops(f: Callable[..., Any], *args: Any) -> Program:
    signature = tuple(describe(a, known_size) for a in args)
    return simplify(scalarize(simplify(trace(f, signature, {}, known_sizes=True).program)))


def loops(p: Program) -> int:
    return sum(isinstance(e.op, For) for e in equations(p))


def arrays(p: Program) -> int:
    made = [e.op.primitive.name for e in equations(p) if isinstance(e.op, Apply)]
    return made.count("empty") + made.count("full")


def fused(f: Callable[..., Any], *args: Any) -> Program:
    """The program with its loops fused, which gives exactly what it gave before."""
    before = of_loops(f, *args)
    after = simplify(check(fuse(before), after="fuse"))
    assert same(evaluate(after, *args), evaluate(before, *args))
    return after


X, Y = np.linspace(0.5, 2.0, 7), np.linspace(-1.0, 3.0, 7)


def sums_of_one_array(x, y):
    r = (x - y) / y
    return np.sum(r * r), np.sum(r * x), np.dot(r, y)


def written_then_read(x, y):
    z = np.zeros(len(x))
    for i in range(len(x)):
        z[i] = x[i] * y[i]
    total = 0.0
    for i in range(len(x)):
        total = total + z[i] * z[i]
    return total


def in_place_twice(x, y):
    z = x * y
    for i in range(len(z)):
        z[i] = z[i] * y[i]
    for i in range(len(z)):
        z[i] = z[i] + x[i]
    return z


def apart_by_a_sum(x, y):
    """The second loop needs the whole of the first."""
    s = np.sum(x)
    return np.sum(y * s)


def read_ahead(x, y):
    """The second loop reads what the first has not written yet."""
    z = np.zeros(len(x))
    for i in range(len(x)):
        z[i] = x[i] * y[i]
    total = 0.0
    for i in range(len(x) - 1):
        total = total + z[i + 1]
    w = 0.0
    for i in range(len(x)):
        w = w + z[len(x) - 1 - i]
    return total, w


def read_before_written(x, y):
    """The first loop reads all of what the second writes in place."""
    z = x * 1.0
    total = 0.0
    for i in range(len(z)):
        total = total + z[len(z) - 1 - i] * y[i]
    for i in range(len(z)):
        z[i] = 2.0 * i
    return total, z


def added_up_then_written_over(x, y):
    """The first loop reads the row before, as it left it and not as the second does."""
    z = x * 1.0
    for i in range(1, len(z)):
        z[i] = z[i - 1] + y[i]
    for i in range(1, len(z)):
        z[i] = z[i] * 2.0
    return z


def two_arrays_swapped(x, y):
    """What is carried under one name is another array in every iteration."""
    a, b = x * 1.0, y * 1.0
    for i in range(len(x)):
        a[i] = a[i] + 1.0
        a, b = b, a
    total = 0.0
    for i in range(len(x)):
        total = total + a[i]
    return total, b


def draws_between(x, y, rng):
    """Which numbers are drawn where must not change."""
    a, b = np.zeros(len(x)), np.zeros(len(x))
    for i in range(len(x)):
        a[i] = x[i] + rng.random()
    for i in range(len(x)):
        b[i] = y[i] + rng.random()
    return a, b


def rows_then_rows(x, y):
    """Three loops over rows are one, and the two inside that need no whole row."""
    a = np.outer(x, y)
    b = np.exp(a - np.max(a, axis=1)[:, None])
    return b / np.sum(b, axis=1)[:, None]


def rows_then_columns(x, y):
    a = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            a[i, j] = x[i] * y[j]
    b = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(x)):
            b[i] += a[j, i]
    return b


def twice_around(x, y):
    """Negative places are others': each element is written twice before it is read."""
    z = x * 1.0
    for i in range(-len(x), len(x)):
        z[i] = z[i] * y[i]
    total = 0.0
    for i in range(-len(x), len(x)):
        total = total + z[i]
    return total


@pytest.mark.parametrize(
    ("f", "left"),
    [(sums_of_one_array, 1), (written_then_read, 1), (in_place_twice, 1), (rows_then_rows, 4)],
)
def test_loops_that_are_one(f: Any, left: int) -> None:
    assert loops(fused(f, X, Y)) == left


def test_what_is_read_at_once_is_not_stored() -> None:
    assert arrays(fused(sums_of_one_array, X, Y)) == 0
    assert arrays(fused(written_then_read, X, Y)) == 0


@pytest.mark.parametrize(
    "f",
    [
        apart_by_a_sum, read_ahead, read_before_written, added_up_then_written_over, two_arrays_swapped,
        rows_then_columns, twice_around,
    ],
)  # fmt: skip
def test_loops_that_stay_apart(f: Any) -> None:
    """Each needs more of the other than its own row."""
    assert loops(fused(f, X, Y)) >= 2


def test_draws_stay_in_their_order() -> None:
    p = of_loops(draws_between, X, Y, np.random.default_rng(0))
    assert loops(simplify(fuse(p))) == loops(p) == 2


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(150))
def test_random_loops(seed: int) -> None:
    names: dict[str, Any] = {}
    text = random_loops(seed)
    lines = linecache.cache[f"<loops {seed}>"] = (
        len(text),
        None,
        text.splitlines(keepends=True),
        f"<loops {seed}>",
    )
    exec(compile(text, lines[3], "exec"), names)
    rng = np.random.default_rng(seed)
    arguments = *(rng.uniform(-1.0, 1.0, 6) for _ in range(3)), rng.uniform(-1.0, 1.0, (6, 6))
    before = of_loops(names["f"], *arguments)
    after = simplify(check(fuse(before), after="fuse"))
    try:
        expected = evaluate(before, *arguments)
    except IndexError as error:
        with pytest.raises(type(error)):
            evaluate(after, *arguments)
        return
    assert same(evaluate(after, *arguments), expected)


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed: int) -> None:
    program, arguments = array_program(seed)
    before = simplify(scalarize(simplify(program)))
    after = simplify(check(fuse(before), after="fuse"))
    assert keeps(before, after, arguments)


def doubled_into(b: Builder, x: Var, room: Var) -> Var:
    """The loop that writes the doubles of a vector of seven into another."""
    i, before, after = Var("i", SIZE), Var("a", room.type), Var("a", room.type)
    body = b.inner()
    double = body.apply("mul", body.apply("index", x, i, spec=AT), 2.0)
    made = body.atom(body.apply("update", before, double, i, spec=AT))
    ends = Lit(0, SIZE), Lit(7, SIZE)
    b.emit((after,), For(i, *ends, 1, (before,), (room,), body.block((made,)), kind="parallel"))
    return after


def test_a_size_that_an_array_between_brings() -> None:
    """A loop that waits for it comes after it."""
    n, m, k = Var("n", SIZE), Var("m", SIZE), Var("k", SIZE)
    x, y, part = Var("x", Type("f8", (7,))), Var("y", Type("f8", (n,))), Var("part", Type("f8", (m,)))
    b = Builder(checked=False)
    first = doubled_into(b, x, b.atom(b.apply("empty", 7, dtype="f8")))
    b.emit((part,), Apply(ROWS["index"], (y, k), {"spec": Inside((Cut(start=True, stop=False),))}))
    second = doubled_into(b, x, b.atom(b.apply("full", 0.0, m, dtype="f8")))
    main = Function("f", (x, y, k), b.block((first, second)))
    before = ir.program({"f": main}, "f")
    after = check(fuse(check(before, after="by hand")), after="fuse")
    given = X, np.arange(12.0), 3
    assert same(evaluate(after, *given), evaluate(before, *given)) and loops(after) == 1
