"""Order of many numbers, which compiled code finds otherwise than that of few: against NumPy."""

import numpy as np
import pytest

from autodiff import grad
from codegen import jit


def sorted_and_places(x):
    return np.sort(x), np.argsort(x)


def many_numbers():
    """As many as are put in order byte by byte: whatever they have in common, and what floats have at their ends."""
    rng = np.random.default_rng(9)
    x = rng.standard_normal(1500)
    ends = x.copy()
    ends[::5], ends[1::7], ends[2::11], ends[3::13], ends[4::17] = np.nan, 0.0, -0.0, np.inf, -np.inf
    ends[::9] = -np.nan
    ints = rng.integers(-(2**63), 2**63 - 1, 1500)
    near = [1.0 + 1e-15 * x, np.round(x, 1), np.zeros(1500), np.sort(x)[::-1].copy()]
    few = [ints // 2**60, ints // 2**40, (ints // 2**35).astype(np.int32), np.sort(ints) // 2]
    return [
        x,
        ends,
        *near,
        x.astype(np.float32),
        ends.astype(np.float32),
        ints,
        *few,
        ints.astype(np.uint64),
        x > 0.5,
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("x", many_numbers(), ids=range(15))
def test_many_numbers_in_order(x):
    found, places = jit(sorted_and_places)(x)
    np.testing.assert_array_equal(found, np.sort(x), strict=True)
    np.testing.assert_array_equal(places, np.argsort(x, kind="stable"), strict=True)
    assert np.sum(np.signbit(found[found == 0])) == np.sum(np.signbit(x[x == 0]))


NARROW = [x for x in many_numbers() if x.dtype.itemsize == 4]


@pytest.mark.parametrize("x", [*NARROW, np.array([2**31 - 1, -(2**31), 0], np.int32)], ids=range(4))
@pytest.mark.parametrize("step", [1, 2, -1])
def test_many_numbers_of_four_bytes_in_order(x, step):
    """By digits of their own, where there are more of them; not next to one another, too."""
    many = np.tile(x, 2**14 // len(x))[::step]
    found = jit(lambda x: np.sort(x))(many)
    np.testing.assert_array_equal(found, np.sort(many), strict=True)
    assert np.sum(np.signbit(found[found == 0])) == np.sum(np.signbit(many[many == 0]))


@pytest.mark.turns(8)
@pytest.mark.sampled(7)
@pytest.mark.parametrize("x", many_numbers(), ids=range(15))
@pytest.mark.parametrize("shape", [(500, 3), (20, 75), (12, 125), (1, 1500)], ids=str)
def test_rows_in_order(x, shape):
    rows = x.reshape(shape)
    found, places = jit(sorted_and_places)(rows)
    np.testing.assert_array_equal(found, np.sort(rows), strict=True)
    np.testing.assert_array_equal(places, np.argsort(rows, kind="stable"), strict=True)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("n", [2047, 2049, 5000, 20000])
def test_long_rows_in_order(n, dtype):
    """The longest are not put in order side by side."""
    rows = (1000 * np.random.default_rng(n).standard_normal((9, n))).astype(dtype)
    if dtype is not np.int64:
        rows[2, ::3], rows[3] = np.nan, np.inf
    np.testing.assert_array_equal(jit(sorted_and_places)(rows)[0], np.sort(rows), strict=True)


def many_more_numbers():
    """As many as are not all put in order where one rank is wanted."""
    return [np.tile(x, 7) for x in many_numbers()] + [np.arange(9000.0), np.arange(9000)[::-1] % 11]


def in_parts(x, kth):
    return np.partition(x, kth), np.argpartition(x, kth)


@pytest.mark.turns(8)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("x", many_more_numbers(), ids=range(17))
def test_parts_of_many_numbers(x, target):
    f = jit(in_parts, target=target)
    for kth in (0, 17, len(x) // 2, -1):
        made, places = f(x, kth)
        element = np.sort(x)[kth]
        np.testing.assert_array_equal(made, x[places], strict=True)
        np.testing.assert_array_equal(np.sort(places), np.arange(len(x)))
        np.testing.assert_array_equal(made[kth], element)
        np.testing.assert_array_equal(np.sort(made[:kth]), np.sort(x)[:kth])


def test_a_part_beyond_the_last_element_is_refused():
    with pytest.raises(ValueError, match=r"kth\(=4\) out of bounds \(4\)"):
        jit(in_parts)(np.arange(4.0), 4)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("x", many_more_numbers(), ids=range(17))
def test_quantiles_of_many_numbers(x):
    f = jit(quantiles_by_rank)
    with np.errstate(all="ignore"):
        expected = quantiles_by_rank(x)
        found = f(x)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6 if x.dtype == np.float32 else 1e-13)


def quantiles_by_rank(x):
    q = np.linspace(0.0, 1.0, 21)
    y = x * 1.0
    return np.median(y), np.nanmedian(y), np.percentile(y, 30), np.quantile(y, q[1:5]), np.quantile(y, q)


def test_ranks_that_a_sample_misses():
    """Every element of a sample, taken at equal steps, is larger than all others."""
    x = np.arange(10240.0)
    x[::10] += 1e6
    for kth in (0, 3000, 9000, 9500):
        np.testing.assert_array_equal(jit(in_parts)(x, kth)[0][kth], np.sort(x)[kth])


def test_a_median_of_many_has_the_slope_of_its_element():
    x = np.random.default_rng(4).permutation(6001) * 1.0
    np.testing.assert_array_equal(grad(lambda x: np.median(x))(x), x == 3000.0)


def placed(a, x):
    return np.searchsorted(a, x), np.searchsorted(a, x, "right")


@pytest.mark.turns(8)
@pytest.mark.sampled(5)
@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 40, 1500])
@pytest.mark.parametrize("x", many_numbers(), ids=range(15))
def test_places_among_numbers_in_order(x, n):
    a = np.sort(x[:n])
    for found, expected in zip(jit(placed)(a, x[::2]), placed(a, x[::2]), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_places_among_the_least_ints():
    a = np.array([-(2**63), -(2**63), 5])
    for found, expected in zip(jit(placed)(a, a), placed(a, a), strict=True):
        np.testing.assert_array_equal(found, expected)


def counted(x, bins):
    return np.histogram(x, bins)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bins", [1, 7, 100, 1000])
def test_equal_bins_hold_what_their_edges_say(bins):
    rng = np.random.default_rng(2)
    for x in (
        rng.standard_normal(5000),
        np.round(rng.standard_normal(5000), 2),
        rng.integers(-9, 9, 99),
        np.zeros(5),
    ):
        for found, expected in zip(jit(counted)(x, bins), counted(x, bins), strict=True):
            np.testing.assert_array_equal(found, expected)


def counted_between(x):
    return np.histogram(x, 30, (-0.5, 0.7))[0]


def test_bins_leave_out_what_lies_outside_them():
    x = np.random.default_rng(3).standard_normal(4000)
    x[::9] = np.nan
    np.testing.assert_array_equal(jit(counted_between)(x), counted_between(x))


def among(x, y):
    return np.isin(x, y), np.isin(x, y, invert=True)


LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
ENDS = np.array([LEAST, MOST, 0, 5])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize(
    "x, y",
    [
        (np.arange(-50, 50), np.array([7, -20, 3, 7])),
        (ENDS, np.array([MOST, LEAST])),
        (ENDS, np.array([MOST, MOST - 2])),
        (ENDS, np.array([LEAST + 5, LEAST])),
        (np.arange(12).reshape(3, 4).astype(np.int32), np.array([[3], [11]])),
        (np.arange(12).astype(np.uint8), np.array([3, 300])),
        (np.arange(12).astype(np.uint64), np.array([3, 11])),
        (np.arange(5), np.arange(0)),
        (np.arange(0), np.arange(5)),
        (np.int64(3), np.array([3, 5])),
        (np.arange(5.0), np.array([3, 5])),
    ],
    ids=range(11),
)
def test_ints_among_others(x, y, target):
    """Close together and as far apart as they can be."""
    for found, wanted in zip(jit(among, target=target)(x, y), among(x, y), strict=True):
        np.testing.assert_array_equal(found, wanted)
