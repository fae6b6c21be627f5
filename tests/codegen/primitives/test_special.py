"""SciPy's functions at zeros, poles, infinities and NaN, of floats, float32 and ints."""

import numpy as np
import pytest
from plain_python import difference, outcome
from scipy import special

from autobatch import batch
from codegen import jit

INF, NAN = np.inf, np.nan
FLOATS = np.array(
    [INF, -INF, NAN, 0.0, -0.0, 1.0, 2.0, 0.5, -0.5, -1.0, -2.0, -2.5, 1e30, -1e30, 1e-30, 30.0, -800.0]
)
INTS = np.array([0, 1, 2, -1, -3, 5])
POSITIVE = np.array([INF, NAN, 0.0, 1.0, 2.0, 0.5, 1e30, 30.0])
LEFT, RIGHT = (g.ravel() for g in np.meshgrid(*[np.array([0.0, -0.0, 1.0, -1.0, NAN, INF, -INF])] * 2))
ROWS = np.array(
    [[1.0, 2.0], [INF, 1.0], [-INF, 1.0], [-INF, -INF], [NAN, 1.0], [INF, -INF], [1000.0, 1000.5]]
)


def of_one(x):
    return (
        special.erf(x), special.erfc(x), special.ndtr(x), special.expit(x), special.log_expit(x), special.gammaln(x),
        special.psi(x), special.log1p(x), special.expm1(x),
    )  # fmt: skip


def of_several(x, k, left, right, rows):
    return (
        (
            special.polygamma(0, x),
            special.polygamma(1, x),
            special.polygamma(2, k),
            special.polygamma(n=1, x=k),
        ),
        (special.xlogy(left, right), special.xlogy(k, k), special.xlogy(0.0, right)),
        (special.softmax(rows, axis=1), special.softmax(rows, axis=0), special.softmax(rows, (0, 1))),
        (special.logsumexp(rows, axis=1), special.logsumexp(rows, axis=(0, 1), keepdims=True)),
        (special.logsumexp(a=rows[:2], axis=0), special.logsumexp(rows[:0], axis=0), special.softmax(k)),
    )


def compared(f, target, *arguments):
    return difference(outcome(jit(f, target=target), list(arguments)), outcome(f, list(arguments)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_edges(target: str) -> None:
    for values in (FLOATS, FLOATS.astype(np.float32), INTS):
        assert compared(of_one, target, values) is None
    assert compared(of_several, target, POSITIVE, np.array([1, 2, 3]), LEFT, RIGHT, ROWS) is None


def test_float32_gives_what_scipy_gives() -> None:
    f4 = np.float32([1.0, 2.5])

    def f(x):
        return special.polygamma(1, x), special.xlogy(x, x), special.logsumexp(x), special.softmax(x)

    assert compared(f, "numpy", f4) is None


def test_dtypes_that_meet_are_scipy_s() -> None:
    def f(x, y):
        return special.xlogy(x, y), special.log1p(x), special.expm1(y), special.polygamma(0, x)

    values = (True, 2, 0.5, np.int8(1), np.uint16(2), np.float32(0.5), np.float32([1.0, 2.0]))
    for x in values:
        for y in (1, 0.5, np.int64(1), np.float32(0.5)):
            assert compared(f, "numpy", x, y) is None


def test_edges_in_lanes() -> None:
    lanes = outcome(batch(of_one), [FLOATS])
    for k, x in enumerate(FLOATS):
        assert difference(tuple(part[k] for part in lanes), outcome(of_one, [x])) is None
