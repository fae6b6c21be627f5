"""contract: the terms of short sums in one step, in every machine the same; what users write is rounded as written."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import Schedule, batch
from autobatch.pipeline import prepared
from autobatch.prepare.contraction import contract_definition, contract_products
from codegen.infer import trace
from codegen.ir import Apply, Block, Program, Type, program
from codegen.ir.interpreter import evaluate
from codegen.ir.substitution import blocks

F8 = Type("f8")
X = np.random.default_rng(5).normal(size=200)
Y = np.random.default_rng(6).normal(size=200)


def names(program: Program) -> list[str]:
    """The primitives of a program in order, inner blocks included."""

    def inside(block: Block) -> list[str]:
        found: list[str] = []
        for equation in block.equations:
            found += [equation.op.primitive.name] if isinstance(equation.op, Apply) else []
            found += [name for b in blocks(equation.op) for name in inside(b)]
        return found

    return [name for f in program.functions.values() for name in inside(f.body)]


def found(f: Callable[..., Any], *types: Type) -> list[str]:
    return names(contract_products(prepared(trace(f, types, known_sizes=True).program)))


@pytest.mark.parametrize(
    ("f", "sizes"),
    [
        (lambda x, y: np.dot(x, y), (10,)),
        (lambda x, y: np.sum(x * y), (10,)),
        (lambda x, y: np.sum(x**2) + np.sum(y), (10,)),
        (lambda x, y: np.sum(np.square(x - y)), (10,)),
        (lambda x, y: np.sum(x * y), (4, 5)),
    ],
)
def test_sums(f: Callable[..., Any], sizes: tuple[int, ...]) -> None:
    assert "muladd" in found(f, Type("f8", sizes), Type("f8", sizes))
    assert "muladd" not in found(f, Type("f4", sizes), Type("f4", sizes))


def by_hand(x, y):
    s = 0.0
    for i in range(10):
        s += x[i] * y[i]
    return s


@pytest.mark.parametrize(
    ("f", "sizes"),
    [
        (lambda x, y: x * y + 1.0, ()),
        (lambda x, y: x - y * y, ()),
        (lambda x, y: x + 0.5 * y, (10,)),
        (lambda x, y: np.sum(x * y), (1000,)),
        (by_hand, (10,)),
    ],
)
def test_what_is_left(f: Callable[..., Any], sizes: tuple[int, ...]) -> None:
    """What users write, and long sums."""
    assert "muladd" not in found(f, Type("f8", sizes), Type("f8", sizes))


def test_expressions_round_as_numpy_rounds_them() -> None:
    def residual(x, y):
        return x * y - 1.0, x - y * (x / y), x * x - y * (x * x / y)

    x = np.random.default_rng(8).uniform(0.5, 2.0, 2000)
    y = 1.0 / x
    for wanted, given in zip(residual(x, y), batch(residual)(x, y), strict=True):
        np.testing.assert_array_equal(given, wanted)


def orbit(x, y, n):
    """Long enough that lanes differ where roundings do."""
    for _ in range(n):
        r = 1.0 + np.sum(np.array([x, y, x - y]) ** 2)
        x, y = 0.5 * y + np.sin(r) - 0.1 * x, 0.5 * x - np.exp(-r * r) * y
    return x, y


@pytest.mark.turns(4)
def test_every_machine_rounds_alike() -> None:
    turns = np.random.default_rng(7).integers(0, 60, 200)
    one_by_one = batch(orbit, schedule="lanewise")(X, Y, turns)
    for schedule in (Schedule(group=16), Schedule(group=32, layout="rows"), Schedule("program_counter")):
        np.testing.assert_array_equal(batch(orbit, schedule=schedule)(X, Y, turns), one_by_one)
    few = np.flatnonzero(turns < 8)  # roundings grow
    plain = np.array([orbit(X[k], Y[k], turns[k]) for k in few]).T
    np.testing.assert_allclose(np.array(one_by_one)[:, few], plain, rtol=1e-9)


def steps(u, v, w):
    """Every way in which a product is added or taken away; the last two are read twice, or no numbers of float64."""
    for i in range(len(u)):
        u[i] += w * v[i]
        u[i] -= v[i] * v[i]
        u[i] = w - u[i] * v[i]
        u[i] = u[i] * w - 2.0 * v[i]
        u[i] = -(u[i] * w) - v[i]
    for i in range(len(u)):
        t = v[i] * w
        u[i] = u[i] + t + t
    return u


def test_definitions_multiply_and_add_in_one_step() -> None:
    whole = trace(steps, (Type("f8", (6,)), Type("f8", (6,)), Type("f8"))).program
    made = program({whole.main: contract_definition(whole.entry)}, whole.main)
    assert names(made).count("muladd") == 5
    given = np.arange(1.0, 7.0), np.linspace(-1.0, 2.0, 6), 0.5
    wanted = steps(given[0].copy(), given[1], given[2])
    (found,) = evaluate(made, given[0].copy(), *given[1:])
    np.testing.assert_array_equal(found, wanted)
