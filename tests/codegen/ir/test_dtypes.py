"""Dtypes on every target: what NumPy computes of arrays and scalars of each dtype, step by step, and what a call
gives back."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, jvp, linearize
from codegen import SourceError, jit

TARGETS = ("numba", "numpy")


def plain(f: Callable[..., Any], *arguments: Any) -> Any:
    with np.errstate(all="ignore"):
        return f(*arguments)


def alike(made: Any, wanted: Any, exactly: bool = True) -> None:
    """Values and dtypes; a number is Python's where plain Python's is."""
    assert len(made) == len(wanted)
    for k, (value, want) in enumerate(zip(made, wanted)):
        want = want[()] if isinstance(want, np.ndarray) and not want.ndim else want
        if not isinstance(want, bool | np.bool_):
            assert type(value) is type(want), (k, value, want)
        assert np.asarray(value).dtype == np.asarray(want).dtype, (k, value, want)
        tolerance = 2e-6 if np.asarray(want).dtype == np.float32 else 1e-14
        np.testing.assert_allclose(value, want, rtol=tolerance, err_msg=str(k))


# Steps that wrap or round in their own dtype, before the next.


def ints(x, y):
    return (
        x + y, x * y, x - y, -x, ~x, abs(x - y), x // y, x % y, x & y, x | y, x ^ y,
        (x + y) // 2, (x * y) > 0, (x * x) - y, -(x * y) // 3, (x + 1) * 2, (x * 3) % 7, (x - y) < (y - x),
        x**2, x**3, x**20, 3 - x, x >> 1, x << 2, np.maximum(x, y), np.minimum(x * x, y), np.square(x), np.sign(x),
        x / y, x / 3, 1 / y, x * 0.5, x * 2 + 1.5, (x + y) / 3, np.where(x < y, x, y), np.where(x > 2, x, 0.5),
        (x * y).astype(np.float64), np.isnan(x), x == y, x != y,
    )  # fmt: skip


def float_functions(x, y):
    return (
        np.sqrt(x * x),
        np.exp(x // 4),
        np.arctan2(x, y),
        np.hypot(x, y),
        np.float32(1.5) * x,
        np.tanh(x),
        np.rint(x),
    )


def sums(x, y):
    return (
        np.sum(x), np.prod(x), np.max(x), np.min(x - y), np.argmax(x * y), np.cumsum(x), np.sum(x * y), x @ y,
        np.outer(x, y), np.diff(x), np.any(x), np.sum(x > y), np.min(x + 1), np.sum(x // 2), np.mean(x),
        np.sum(np.outer(x, y), axis=0), np.concatenate((x, y)),
    )  # fmt: skip


VALUES: dict[str, list[Any]] = {
    "i1": [100, -7, 3, -128, 127], "i2": [30000, -7, 3, -32768, 181], "i4": [2**30, -7, 3, -(2**31), 46341],
    "u1": [200, 7, 3, 255, 16], "u2": [60000, 7, 3, 65535, 256], "u4": [2**31, 7, 3, 2**32 - 1, 65536],
    "u8": [2**63, 7, 3, 2**40 - 1, 2**33], "i8": [2**62, -7, 3, -(2**63), 12345],
    "f4": [1.5, -2.25, 3.0, 0.1, 1e9], "f8": [1.5, -2.25, 3.0, 0.1, 1e9],
}  # fmt: skip
OTHERS = {dtype: [v[k] for k in (1, 2, 0, 4, 3)] for dtype, v in VALUES.items()}


def given(*dtypes: str) -> list[np.ndarray]:
    return [np.array(v[d], d) for d, v in zip(dtypes, (VALUES, OTHERS))]


ALIKE = ["i1", "i2", "i4", "u1", "u4", "u8"]


@pytest.mark.parametrize("dtype", ALIKE)
def test_steps_of_ints_wrap_on_numpy(dtype):
    x, y = given(dtype, dtype)
    for f in (ints, sums):
        with np.errstate(all="ignore"):
            alike(jit(f, target="numpy")(x, y), plain(f, x, y))
    with np.errstate(all="ignore"):
        for a, b in zip(x, y):
            alike(jit(ints, target="numpy")(a, b), plain(ints, a, b))
    lanes = batch(ints, target="numpy")(x, y)
    for k in range(len(x)):
        alike([column[k] for column in lanes], plain(ints, x[k], y[k]))


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", ["i2", "u8"])
def test_steps_of_ints_wrap_on_numba(dtype):
    """Arrays whole and one by one."""
    x, y = given(dtype, dtype)
    arrays, numbers = plain(ints, x, y), [plain(ints, a, b) for a, b in zip(x, y)]
    both = lambda x, y: (*ints(x, y), *ints(x[1], y[1]), *sums(x, y))
    alike(jit(both)(x, y), (*arrays, *numbers[1], *plain(sums, x, y)))
    lanes = batch(ints)(x, y)
    for k, wanted in enumerate(numbers):
        alike([column[k] for column in lanes], wanted)


def meet(a, i, u, v, w, f):
    """int8, int32, uint8, uint32, uint64, float32: what comes of each two is as wide as both, or a float."""
    return (
        a + i, i * u, v * i, w + i, w * a, w - v, i / w, w / a, f * a, f * i, f / w, f + u, f * v, i // v, a % i,
        np.maximum(w, i), np.where(w > 3, w, i), w > i, i <= w, v == i, f < i, np.hypot(i, f), np.arctan2(f, a),
        (w + i) * f, (f * a) * (f * a), (i * v) // u, np.copysign(i, f), f**2, f ** a, np.float64(a) / w,
    )  # fmt: skip


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
def test_dtypes_that_meet(target):
    mixed = [np.array(VALUES[d], d) for d in ("i1", "i4", "u1", "u4", "u8", "f4")]
    first = [x[1] for x in mixed]
    both = lambda a, i, u, v, w, f: (
        *meet(a, i, u, v, w, f), *meet(a[1], i[1], u[1], v[1], w[1], f[1])
    )  # fmt: skip
    with np.errstate(all="ignore"):
        alike(jit(both, target=target)(*mixed), (*plain(meet, *mixed), *plain(meet, *first)))


@pytest.mark.turns(4)
def test_dtypes_that_meet_in_lanes():
    mixed = [np.array(VALUES[d], d) for d in ("i1", "i4", "u1", "u4", "u8", "f4")]
    lanes = batch(meet)(*mixed)
    for k, row in enumerate(zip(*mixed)):
        alike([column[k] for column in lanes], plain(meet, *row))


@pytest.mark.parametrize("target", TARGETS)
def test_functions_of_short_ints_are_float32(target):
    x, y = np.array([3, 7, 100], np.int16), np.array([5, -2, 9], np.int16)
    both = lambda x, y: (*float_functions(x, y), *float_functions(x[0], y[1]))
    alike(
        jit(both, target=target)(x, y), (*plain(float_functions, x, y), *plain(float_functions, x[0], y[1]))
    )


def test_what_would_be_float16_is_refused():
    """At the line of the function, which says what to write."""

    def root(x):
        return np.sqrt(x)

    wanted = "sqrt of {} is float16 for NumPy, which is not supported: cast first, as in x.astype(np.float64)"
    line = inspect.getsourcelines(root)[1] + 1
    for x, name in (
        (np.array([4, 9], np.int8), "i1"),
        (np.array([True]), "b1"),
        (np.array([4], np.uint8), "u1"),
    ):
        for make in (jit, batch):
            with pytest.raises(SourceError) as raised:
                make(root)(x)
            assert (raised.value.msg, raised.value.lineno) == (wanted.format(name), line)


# What a call gives back.


def back(x, n, a):
    return x + 1, x * 2.0, n + 1, n // 2, a * a, a, x, float(a), int(n), np.float64(x), np.int64(n), x * a


@pytest.mark.parametrize("target", TARGETS)
def test_results_are_the_numbers_that_numpy_gives(target):
    """NumPy's scalars in their dtypes, Python's numbers where they come of Python's alone."""
    f = jit(back, target=target)
    for arguments in ((1.5, 3, np.float32(0.5)), (np.float64(1.5), np.int64(3), np.uint8(5))):
        alike(f(*arguments), back(*arguments))
        for value, want in zip(f(*arguments), back(*arguments)):
            assert type(value) is type(want)


def test_python_s_numbers_in_tuples_are_python_s():
    f = jit(lambda s: (s[0] // s[1], s[0] + 1, np.int64(s[0]) + 1, s[0] > 2), target="numpy")
    assert [type(v) for v in f((5, 2))] == [int, int, np.int64, bool]
    with pytest.raises(ZeroDivisionError):
        f((5, 0))


def test_derivatives_of_float32_are_float32():
    f = lambda x: x * x + np.sin(x)
    for target in TARGETS:
        assert type(grad(f, target=target)(np.float32(2.0))) is np.float32
        value, dot = jvp(f, (np.float32(2.0),), (np.float32(1.0),), target=target)
        assert type(value) is type(dot) is np.float32
        y, push = linearize(f, np.float32(2.0), target=target)
        assert type(y) is type(push(np.float32(1.0))) is np.float32


# Python's numbers in text for NumPy.


def chosen(t, x, k):
    return (
        np.where(t, np.int8(100), np.int64(3)) + np.int8(100),
        np.where(k < 5, x[k], 0.0),
        np.where(t, k, 0.5),
    )


def test_where_of_numbers_has_both_in_one_dtype():
    x = np.ones(3)
    for target in TARGETS:
        alike(jit(chosen, target=target)(np.True_, x, np.int64(1)), chosen(np.True_, x, np.int64(1)))
        with pytest.raises(IndexError):
            jit(chosen, target=target)(np.True_, x, np.int64(9))
    text = jit(lambda x, k: np.where(k < 5, x[k], 0.0), target="numpy").source(x, 9)
    assert "return np.where(k < 5, x[k], 0.0)[()]" in text


def casts(n, a, b):
    return np.int64(n) + np.int64(n), np.float64(a) / b, np.float64(b) ** -0.5, n + n


def test_python_s_numbers_can_be_made_numpy_s():
    with np.errstate(all="ignore"):
        for target in TARGETS:
            made = jit(casts, target=target)(2**62, 1.0, 0.0)
            alike(made[:3], casts(2**62, 1.0, 0.0)[:3])


def quotients(x, y, n):
    s = 0.0
    for _ in range(n):
        s += x
    return x / y, (x + 1.0) / (y * 2.0), y**-0.5, x // y, x % y, s / n, (x - 1.0) / s


def test_division_of_python_s_floats_follows_numpy():
    """Also where a sum of nothing is divided."""
    strong = lambda x, y, n: quotients(np.float64(x), np.float64(y), n)
    with np.errstate(all="ignore"):
        wanted = [1.0 * v for v in strong(1.0, 0.0, 2)]
        for target in TARGETS:
            made = jit(quotients, target=target)(1.0, 0.0, 2)
            np.testing.assert_array_equal(made, wanted)
            assert np.isnan(jit(quotients, target=target)(1.0, 0.0, 0)[-2])


DERIVED = {
    "where": lambda x: np.where(x > 0.0, np.log(x), 0.0),
    "root": lambda x: x**0.5,
    "angle": lambda x: np.arctan2(x, x),
    "least": lambda x: np.minimum(1.0, 1.0 / x),
}


@pytest.mark.parametrize("name", DERIVED)
def test_derivatives_at_poles_follow_numpy(name):
    f = DERIVED[name]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(grad(f, target="numpy")(0.0), grad(f, target="numpy")(np.float64(0.0)))


def test_parameters_are_made_numpy_s_where_that_matters():
    divided, scaled = lambda x, y: x / y, lambda x, y: x / 2.0 + y
    assert "x = np.float64(x)" in jit(divided, target="numpy").source(1.0, 2.0)
    for text in (
        jit(divided, target="numpy").source(np.float64(1.0), 2.0),
        jit(scaled, target="numpy").source(1.0, 2.0),
        jit(divided).source(1.0, 2.0),
    ):
        assert "float64" not in text


def test_warnings_are_numpy_s():
    with warnings.catch_warnings(), pytest.raises(RuntimeWarning, match="divide by zero"):
        warnings.simplefilter("error")
        jit(lambda x, y: x / y, target="numpy")(np.float64(1.0), 0.0)
