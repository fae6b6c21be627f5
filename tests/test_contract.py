"""contract: products and sums in one step, in every machine the same, and not where a difference must vanish."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import Schedule, batch
from autobatch.contract import contract
from autobatch.prepare import prepare
from codegen.infer import trace
from codegen.ir import Apply, Block, Program, Type
from codegen.rename import blocks

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
    return names(contract(prepare(trace(f, types, known_sizes=True).program)))


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x, y: x * y + 1.0, ["muladd"]),
        (lambda x, y: 1.0 - x * y, ["neg", "muladd"]),
        (lambda x, y: x * y - 1.0, ["muladd"]),
        (lambda x, y: x + y * y, ["muladd"]),
        (lambda x, y: x - y**2, ["neg", "muladd"]),
        (lambda x, y: x + np.square(y), ["muladd"]),
        (lambda x, y: x + y**3, ["pow", "add"]),
        (lambda x, y: x * x - y * y, ["mul", "mul", "sub"]),
        (lambda x, y: (x * y + x) * (x * y), ["mul", "add", "mul"]),
    ],
)
def test_pairs(f: Callable[..., Any], wanted: list[str]) -> None:
    assert found(f, F8, F8) == wanted


def test_other_numbers_are_left() -> None:
    assert "muladd" not in found(lambda n: n * n + 1, Type("i8"))
    assert "muladd" not in found(lambda x: x * x + x, Type("f4"))


def test_sums() -> None:
    """Short ones in one step; the terms of long ones are left to be reordered."""
    assert "muladd" in found(lambda x, y: np.dot(x, y), Type("f8", (10,)), Type("f8", (10,)))
    assert "muladd" not in found(lambda x, y: np.sum(x * y), Type("f8", (1000,)), Type("f8", (1000,)))


def test_a_difference_of_equal_products_is_zero() -> None:
    def area(x, y):
        return x * y - y * x + (x * x) * y - y * (x * x)

    np.testing.assert_array_equal(batch(area)(X, Y), np.zeros(200))


def orbit(x, y, n):
    """Long enough that lanes differ where roundings do."""
    for _ in range(n):
        r = 1.0 + x * x + 0.5 * y
        x, y = 0.5 * y + np.sin(r) - 0.1 * x, 0.5 * x - np.exp(-r * r) * y
    return x, y


def test_every_machine_rounds_alike() -> None:
    turns = np.random.default_rng(7).integers(0, 60, 200)
    one_by_one = batch(orbit, schedule="lanewise")(X, Y, turns)
    for schedule in (Schedule(group=16), Schedule(group=32, layout="rows"), Schedule("program_counter")):
        np.testing.assert_array_equal(batch(orbit, schedule=schedule)(X, Y, turns), one_by_one)
    plain = np.array([orbit(x, y, n) for x, y, n in zip(X[:20], Y[:20], turns[:20], strict=True)]).T
    np.testing.assert_allclose(np.array(one_by_one)[:, :20], plain, rtol=1e-9)
