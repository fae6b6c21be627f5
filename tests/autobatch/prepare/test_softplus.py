"""softplus: log(1 + exp(z)) and its slope by one exponential, value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import value_and_grad

Z = np.array(
    [0.0, -0.0, 1e-300, -1e-9, 0.5, -3.0, 37.0, -37.0, 700.0, -745.0, -800.0, np.inf, -np.inf, np.nan]
)


def density(z):
    return np.logaddexp(0.0, z)


def other_way_round(z):
    return 2.0 * np.logaddexp(z, 0.0)


def of_an_expression(z):
    return np.logaddexp(0.0, -3.0 * z)


def in_a_loop(z):
    total = 0.0
    for k in range(3):
        total += np.logaddexp(0.0, k * z)
    return total


def by_hand(z):
    log = np.logaddexp(0.0, z)
    return log, np.exp(z - log), np.exp(log - z)


def not_zero(z):
    """Of other numbers than zero nothing is rewritten."""
    log = np.logaddexp(1.0, z)
    return log, np.exp(z - log)


@pytest.mark.parametrize("f", [density, other_way_round, of_an_expression, in_a_loop])
def test_value_and_slope(f: Any) -> None:
    many, plain = batch(value_and_grad(f)), value_and_grad(f, target="numpy")
    compared(many, plain)


@pytest.mark.parametrize("f", [by_hand, not_zero])
def test_written_by_hand(f: Any) -> None:
    compared(batch(f), f)


def compared(many: Any, plain: Any) -> None:
    """NaN and infinity where NumPy has them."""
    with np.errstate(all="ignore"):
        found, wanted = many(Z), [plain(z) for z in Z]
    for part, values in zip(found, zip(*wanted, strict=True), strict=True):
        np.testing.assert_allclose(part, np.array(values, dtype=float), rtol=1e-14, atol=1e-320)


def test_the_slope_shares_the_exponential() -> None:
    text = batch(value_and_grad(density)).source(Z)
    assert "fast_log_expit(" in text
    assert "fast_expit(" in text
    assert "fast_logaddexp(" not in text
