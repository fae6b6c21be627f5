"""Systems of linear inequalities over ints: what is found to have no solution has none."""

from __future__ import annotations

import random
from itertools import product

import pytest

from autodiff.loops.inequalities import LinearSum, variable, without_solution

x, y, z = map(variable, "xyz")


@pytest.mark.parametrize(
    "positive, zero",
    [
        ([x - 1, -x], []),
        ([x - z, z - y - 1, y - x], []),
        ([], [x - y + 1, x - y]),
        ([], [x * 2 - y * 4 + 1]),
        ([x * 2 - 1, x * -2 + 1], []),  # between 0 and 1 there is no int
        ([y - x - 1, x - 2, y * -1 + 2], []),
        ([LinearSum({}, -1)], []),
        ([], [LinearSum({}, 3)]),
    ],
)
def test_none(positive: list[LinearSum], zero: list[LinearSum]) -> None:
    assert without_solution(positive, zero)


@pytest.mark.parametrize(
    "positive, zero", [([], []), ([x - 1, y - x], [x + y - 7]), ([x * 3 - 2, x * -3 + 4], []), ([], [x - x])]
)
def test_some(positive: list[LinearSum], zero: list[LinearSum]) -> None:
    assert not without_solution(positive, zero)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(20))
def test_what_has_a_solution_is_never_without(seed: int) -> None:
    """Against all choices of small ints."""
    chance = random.Random(seed)

    def total() -> LinearSum:
        terms = {v: chance.randint(-3, 3) for v in "xyz"}
        return LinearSum({v: c for v, c in terms.items() if c}, chance.randint(-4, 4))

    none = 0
    for _ in range(60):
        positive = [total() for _ in range(chance.randint(1, 6))]
        zero = [total() for _ in range(chance.randint(0, 2))]
        found = without_solution(positive, zero)
        none += found
        values = (dict(zip("xyz", v, strict=True)) for v in product(range(-5, 6), repeat=3))
        some = any(
            all(value(e, v) >= 0 for e in positive) and all(value(e, v) == 0 for e in zero) for v in values
        )
        assert not (found and some)
    assert none


def value(total: LinearSum, given: dict[str, int]) -> int:
    return total.constant + sum(c * given[str(v)] for v, c in total.terms.items())
