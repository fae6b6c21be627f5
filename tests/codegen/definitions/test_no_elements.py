"""What NumPy and SciPy make of arrays without elements, of NaN and infinity, and of what is out of bounds: ours the
same, values, dtypes, shapes and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

from codegen import jit


def factors(a):
    return scipy.linalg.lu(a)


def factors_in_order(a):
    return scipy.linalg.lu(a, permute_l=True)


def least_squares(a, b):
    return np.linalg.lstsq(a, b)


def first_part(a, kth):
    return np.partition(a, kth)


def parts_of_rows(a):
    return np.partition(a, 1, axis=1)


def parts_at_two(a):
    return np.partition(a, (1, 7))


def margins(a, width):
    return np.pad(a, width, mode="edge")


def margins_of_columns(a):
    return np.pad(a, ((0, 0), (1, 2)), mode="edge")


def bins_of(x, edges):
    return np.digitize(x, edges), np.digitize(x, edges, right=True)


def counts(a):
    return np.histogram(a, bins=5, range=(0.1, 0.7))


def counts_of_whole_range(a):
    return np.histogram(a, bins=5, range=(0, 1))


def edges_alone(a):
    return np.histogram_bin_edges(a, bins=5, range=(0.1, 0.7))


def chances(k, mu):
    return scipy.stats.poisson.cdf(k, mu)


def times_power(x, n):
    return np.ldexp(x, n)


def empty(*shape: int) -> np.ndarray:
    return np.zeros(shape)


NAN, INF = np.nan, np.inf
ONE_MISSING = np.array([[NAN, 1.0], [1.0, 2.0], [0.0, 1.0]])
CASES: list[tuple[Any, ...]] = [
    *((f, empty(*shape)) for f in (factors, factors_in_order) for shape in ((3, 0), (0, 3), (0, 0))),
    *(
        (least_squares, empty(m, n), empty(m, *more))
        for m, n, *more in ((0, 3), (3, 0), (0, 0), (0, 3, 2), (3, 0, 2))
    ),
    (least_squares, ONE_MISSING, np.ones(3)),
    (least_squares, np.where(np.isnan(ONE_MISSING), INF, ONE_MISSING), np.ones(3)),
    (least_squares, np.arange(6.0).reshape(3, 2), np.array([1.0, NAN, 2.0])),
    (first_part, empty(0), 0),
    (first_part, np.ones(3), 3),
    (first_part, np.ones(3), -4),
    *((parts_of_rows, empty(*shape)) for shape in ((0, 3), (3, 0), (2, 1))),
    (parts_at_two, np.ones(3)),
    *((margins, empty(*shape), width) for shape in ((0,), (0, 3), (3,)) for width in (0, 1)),
    (margins_of_columns, empty(0, 3)),
    *(
        (bins_of, np.array([-1.0, 0.5, 2.0, NAN]), np.array(edges))
        for edges in (
            [0.0, 1.0, NAN],
            [NAN, 1.0, 0.0],
            [NAN, 0.0, 1.0],
            [NAN],
            [NAN, NAN],
            [NAN, 3.0],
            [1.0, 1.0, 0.0],
        )
    ),
    *(
        (f, (np.arange(20) / 20).astype(dtype))
        for f in (counts, counts_of_whole_range, edges_alone)
        for dtype in ("f4", "f8", "i4", "i8")
    ),
    *((chances, k, mu) for k in (INF, -INF, NAN, 3.0) for mu in (INF, 0.0, 2.0, NAN, -1.0)),
    *(
        (times_power, np.array([1.0, 0.0, INF, NAN]), np.array([n]))
        for n in (2**31, -(2**31) - 1, 2**40, -(2**63))
    ),
]


def outcome(function: Any, *arguments: Any) -> Any:
    """What a call gives, as arrays, or the error that it ends with."""
    with np.errstate(all="ignore"):
        try:
            made = function(*arguments)
        except ValueError as error:
            return type(error), str(error)
    return [np.asarray(each) for each in (made if isinstance(made, tuple) else (made,))]


@pytest.mark.sampled(35)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_as_the_library_has_it(case: tuple[Any, ...], target: str) -> None:
    function, *arguments = case
    ours, theirs = outcome(jit(function, target=target), *arguments), outcome(function, *arguments)
    if isinstance(theirs, tuple):
        assert ours == theirs
        return
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, strict=True)
