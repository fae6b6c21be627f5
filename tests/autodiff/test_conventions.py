"""What docs/derivatives.md says of points without a derivative, in both modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
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
    (lambda x, y: np.logaddexp(x, y), (-INF, -INF), (0.0, 0.0)),
    (lambda x, y: np.logaddexp(x, y), (-INF, 1.0), (0.0, 1.0)),
    (lambda x, y: np.logaddexp.reduce(np.stack((x, y))), (-INF, 1.0), (0.0, 1.0)),
    (lambda x, y: special.logsumexp(np.stack((x, y))), (-INF, -INF), (0.0, 0.0)),
    (lambda x, y: special.logsumexp(np.stack((x, y))), (-INF, 1.0), (0.0, 1.0)),
    (lambda x, y: np.linalg.norm(np.stack((x, y))), (0.0, 0.0), (NAN, NAN)),
    (lambda x, y: np.hypot(x, y), (0.0, 0.0), (0.0, 0.0)),
    (lambda x, y: np.arctan2(x, y), (0.0, 0.0), (NAN, NAN)),
    (lambda x, y: np.std(np.stack((x, y))), (1.0, 1.0), (NAN, NAN)),
    (
        lambda x, y, z: np.var(np.stack((x, y, z)), where=np.stack((x, y, z)) > 0.0),
        (1.0, NAN, 3.0),
        (-1.0, 0.0, 1.0),
    ),
    (
        lambda x, y, z: np.std(np.stack((x, y, z)), where=np.stack((x, y, z)) > 0.0),
        (1.0, NAN, 3.0),
        (-0.5, 0.0, 0.5),
    ),
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


# Smooth functions of a number, a point where their formulas change, the first and second derivative there.
SMOOTH: list[tuple[Callable[..., Any], float, float, float]] = [
    (special.j0, 0.0, 0.0, -0.5),
    (special.j1, 0.0, 0.5, 0.0),
    (special.i0, 0.0, 0.0, 0.5),
    (special.i1, 0.0, 0.5, 0.0),
    (np.i0, 0.0, 0.0, 0.5),
    (np.sinc, 0.0, 0.0, -(np.pi**2) / 3),
    (special.exprel, 0.0, 0.5, 1 / 3),
    (special.rgamma, -2.0, 2.0, NAN),
    (lambda x: np.logaddexp2(x, 1.5), 1.5, 0.5, np.log(2.0) / 4),
    (lambda x: special.boxcox(np.e, x), 0.0, 0.5, 1 / 3),
    (lambda x: special.boxcox1p(1.0, x), 0.0, np.log(2.0) ** 2 / 2, np.log(2.0) ** 3 / 3),
    (lambda x: special.inv_boxcox(1.0, x), 0.0, -np.e / 2, np.e * 11 / 12),
    (lambda x: special.betaln(x, 2.0), 2.0, -5 / 6, 13 / 36),
    (lambda x: special.huber(1.0, x), 0.0, 0.0, 1.0),
    (lambda x: special.pseudo_huber(1.0, x), 0.0, 0.0, 1.0),
    (lambda x: special.owens_t(0.0, x), 0.0, 0.5 / np.pi, 0.0),
    (lambda x: special.owens_t(x, 1.0), 0.0, 0.0, -1 / (2 * np.pi)),
    (lambda x: special.xlogy(x, 2.0), 0.0, np.log(2.0), 0.0),
    (lambda x: special.xlog1py(x, 1.0), 0.0, np.log(2.0), 0.0),
    (lambda x: np.fmod(x, 0.5), 0.0, 1.0, 0.0),
    (lambda x: math.remainder(x, 0.5), 1.0, 1.0, 0.0),
    (stats.logistic.logpdf, 0.0, 0.0, -0.5),
    (stats.laplace.cdf, 0.0, 0.5, NAN),
    (lambda x: stats.t.cdf(x, 3.0), 0.0, 2 / (np.pi * np.sqrt(3.0)), 0.0),
    (lambda x: stats.t.cdf(x, 3.0), 1.0, stats.t.pdf(1.0, 3.0), -stats.t.pdf(1.0, 3.0)),
    (lambda x: stats.f.cdf(x, 3.0, 3.0), 1.0, 1 / np.pi, -1 / np.pi),
    (lambda x: stats.beta.cdf(x, 2.0, 2.0), 0.5, 1.5, 0.0),
    (lambda x: special.comb(x, 2.0), 3.0, 2.5, 1.0),
]


@pytest.mark.sampled(8)
@np.errstate(all="ignore")
@pytest.mark.parametrize("case", range(len(SMOOTH)))
def test_formulas_that_change_have_the_derivatives_of_what_they_say(case):
    f, x, first, second = SMOOTH[case]
    assert grad(f, **NUMPY)(x) == pytest.approx(first, rel=1e-12, abs=1e-14)
    if not np.isnan(second):
        assert jvp(grad(f, **NUMPY), (x,), (1.0,), **NUMPY)[1] == pytest.approx(second, rel=1e-9, abs=1e-12)
