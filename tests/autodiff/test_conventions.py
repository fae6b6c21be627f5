"""What docs/derivatives.md says of points without a derivative, in both modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import xlogy

from autodiff import grad, jacrev, jvp

NUMPY: dict[str, Any] = {"target": "numpy"}
NAN, INF = np.nan, np.inf

# A function of numbers, a point, its slopes there.
CASES: list[tuple[Callable[..., Any], tuple[float, ...], tuple[float, ...]]] = [
    (lambda x, y, z: np.max(np.stack((x, y, z))), (1.0, 2.0, 2.0), (0.0, 0.5, 0.5)),
    (lambda x, y, z: np.min(np.stack((x, y, z))), (1.0, 1.0, 2.0), (0.5, 0.5, 0.0)),
    (lambda x, y: np.maximum(x, y), (1.0, 1.0), (0.5, 0.5)),
    (lambda x, y: np.minimum(x, y), (1.0, 1.0), (0.5, 0.5)),
    (lambda x, y: max(x, y), (1.0, 1.0), (0.5, 0.5)),
    (lambda x, y: min(x, y), (1.0, 1.0), (0.5, 0.5)),
    (lambda x, y: np.max(np.stack((x, y))), (1.0, NAN), (NAN, NAN)),
    (lambda x, y: np.maximum(x, y), (NAN, 1.0), (NAN, NAN)),
    (lambda x: np.clip(x, 0.0, 1.0), (1.0,), (0.5,)),
    (lambda x: np.clip(x, 0.0, 1.0), (0.0,), (0.5,)),
    (lambda x: np.abs(x), (0.0,), (0.0,)),
    (lambda x: np.sign(x) + np.floor(x) + np.ceil(x) + np.rint(x) + x // 2.0 + (x > 0.0), (0.0,), (0.0,)),
    (lambda x, y: x % y, (6.0, 3.0), (1.0, -2.0)),
    (lambda x, y: np.prod(np.stack((x, y, 3.0))), (0.0, 2.0), (6.0, 0.0)),
    (lambda x, y: np.prod(np.stack((x, y, 3.0))), (0.0, 0.0), (0.0, 0.0)),
    (lambda x, y: x**y, (0.0, 0.0), (0.0, 0.0)),
    (lambda x, y: x**y, (0.0, 1.0), (1.0, 0.0)),
    (lambda x, y: x**y, (0.0, 2.0), (0.0, 0.0)),
    (lambda x: x**2 + x**0 + x**2.0, (-2.0,), (-8.0,)),
    (lambda x, y: x**y, (-2.0, 2.0), (-4.0, NAN)),
    (lambda x, y: xlogy(x, y), (0.0, 0.0), (0.0, 0.0)),
    (lambda x: np.sqrt(x), (0.0,), (INF,)),
    (lambda x, y: np.linalg.norm(np.stack((x, y))), (0.0, 0.0), (NAN, NAN)),
    (lambda x, y: np.hypot(x, y), (0.0, 0.0), (NAN, NAN)),
    (lambda x, y: np.arctan2(x, y), (0.0, 0.0), (NAN, NAN)),
    (lambda x, y: np.std(np.stack((x, y))), (1.0, 1.0), (NAN, NAN)),
]


@np.errstate(all="ignore")
@pytest.mark.parametrize("case", range(len(CASES)))
def test_both_modes_follow_the_table(case):
    f, numbers, slopes = CASES[case]
    point = tuple(map(np.float64, numbers))
    np.testing.assert_array_equal(grad(f, argnums=tuple(range(len(point))), **NUMPY)(*point), slopes)
    forward = jvp(f, point, (1.0, *(0.0,) * (len(point) - 1)), **NUMPY)[1]
    assert forward == slopes[0] or np.isnan(slopes).any() and np.isnan(forward)


def test_compiled_code_follows_it_too():
    def f(x, y):
        return (
            max(x, y),
            np.maximum(x, y),
            np.abs(x - y),
            np.clip(x, 0.0, 1.0),
            (x - y) ** y,
            np.prod(np.stack((x - y, y))),
        )

    np.testing.assert_array_equal(jacrev(f)(1.0, 1.0), (0.5, 0.5, 0.0, 0.5, 1.0, 1.0))


@np.errstate(all="ignore")
def test_a_branch_not_taken_has_no_part_in_the_slope():
    assert np.isnan(grad(lambda x: np.where(x > 0.0, np.sqrt(x), 0.0), **NUMPY)(np.float64(0.0)))
    assert grad(lambda x: np.sqrt(x) if x > 0.0 else 0.0, **NUMPY)(0.0) == 0.0
