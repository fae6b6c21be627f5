"""Sizes that checks show to be equal are one from there on, so that loops over them are one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_gpu import with_arrays_there
from array_programs import same_outcome

from codegen import jit

X, Y = np.arange(6.0).reshape(3, 2), np.arange(4.0).reshape(2, 2)


def in_turn(x, y, z):
    """Three sizes, of which the last check joins two pairs."""
    a, b = x * y, np.exp(z)
    return a + b, np.sum(a) - np.sum(b)


def tables(X, Y):
    """Sizes of two axes, one of which is the other array's."""
    Z = X @ Y
    return Z * X, np.sum(Z + X, axis=1)


def in_branches(x, y):
    """What one branch shows is not known in the other, nor after it."""
    if len(x) > 3:
        return np.sum(x * y)
    return np.sum(x) + np.sum(y)


CALLS = [
    (in_turn, (X[:, 0].copy(), X[:, 1].copy(), X[:, 0].copy())),
    (tables, (X, Y)),
    (in_branches, (X[0], Y[:, 0].copy())),
    (in_branches, (np.ones(5), np.ones(5))),
    (in_branches, (np.ones(2), np.ones(4))),
]


@pytest.mark.parametrize(("f", "given"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f: Any, given: tuple[Any, ...]) -> None:
    same_outcome(f, given, with_arrays_there)


@pytest.mark.parametrize(
    ("f", "given"),
    [(in_turn, (X[:, 0].copy(), X[:, 1].copy(), X[0])), (in_branches, (np.ones(5), np.ones(4)))],
)
def test_sizes_that_differ(f: Any, given: tuple[Any, ...]) -> None:
    with with_arrays_there(), pytest.raises(ValueError, match="could not be broadcast together"):
        jit(f, target="cuda")(*given)


def test_loops_are_one() -> None:
    """And a check that an earlier one has made is not made again."""
    text = jit(in_turn, target="cuda").source(*CALLS[0][1])
    assert text.count("_loop_kernel(") == 1 and "_loop2" not in text
    assert text.count("raise ValueError") == 2
