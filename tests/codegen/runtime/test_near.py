"""Functions of near arguments against mpmath: error in ulp where they are near, which arguments are, and the zeros."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from numba import njit

from codegen.loops.vectors.strips import NEAR
from codegen.runtime.near import angles, powers

ALLOWED = {"tan": {np.float64: 2.5, np.float32: 2.1}, "pow": {np.float64: 2.0, np.float32: 2.0}}
TRUE = {"sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "pow": lambda x, y: x**y}


def both(name: str) -> tuple[Any, type, Any]:
    """What fills two arrays, with values and whether they are near; the dtype; the true function."""
    prefix, function = name.split("_")
    store = powers if function == "pow" else angles
    near, test = getattr(store, f"near_{name}"), getattr(store, NEAR[name])
    if function == "pow":

        @njit(error_model="numpy")
        def fill(x, y, values, is_near):
            for i in range(len(x)):
                is_near[i] = test(x[i], y[i])
                values[i] = near(x[i], y[i])
    else:

        @njit(error_model="numpy")
        def fill(x, values, is_near):
            for i in range(len(x)):
                is_near[i] = test(x[i])
                values[i] = near(x[i])

    return fill, np.float64 if prefix == "fast" else np.float32, TRUE[function]


def filled(fill: Any, *xs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, is_near = np.empty_like(xs[0]), np.empty(len(xs[0]), np.bool_)
    fill(*xs, values, is_near)
    return values, is_near


def beside_quarter_turns(dtype: type, largest: float) -> np.ndarray:
    """The numbers nearest to multiples of pi/2, of which sine or cosine is all but nothing."""
    rng = np.random.default_rng(1)
    n = np.unique(np.concatenate([np.arange(1, 400), 2.0 ** rng.uniform(0, math.log2(largest), 400) // 1]))
    with mpmath.workdps(60):
        return np.array([float(int(k) * mpmath.pi / 2) for k in n]).astype(dtype)


def errors(values: np.ndarray, true: Any, *xs: np.ndarray) -> np.ndarray:
    """In units in the last place."""
    made = []
    with mpmath.workdps(60):
        for value, *row in zip(values.tolist(), *(x.tolist() for x in xs)):
            wanted = true(*map(mpmath.mpf, row))
            unit = float(np.spacing(values.dtype.type(abs(float(wanted)))))
            made.append(float(abs(wanted - value)) / unit)
    return np.array(made)


@pytest.mark.parametrize("name", [name for name in NEAR if not name.endswith("pow")])
def test_error_of_angles(name: str) -> None:
    fill, dtype, true = both(name)
    largest = angles.NEAR_ANGLE if dtype is np.float64 else float(angles.NEAR_SINGLE_ANGLE)
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], 400)
    spread = signs * 2.0 ** rng.uniform(-20, math.log2(largest) - 0.01, 400)
    x = np.concatenate([beside_quarter_turns(dtype, largest / 2), spread, rng.uniform(-4, 4, 1000)]).astype(
        dtype
    )
    values, is_near = filled(fill, x)
    assert np.all(is_near)
    found = errors(values, true, x)
    worst = int(np.argmax(found))
    assert found[worst] <= ALLOWED.get(name.split("_")[1], {}).get(dtype, 1.6), (x[worst], found[worst])


@pytest.mark.parametrize("name", [name for name in NEAR if not name.endswith("pow")])
def test_which_angles_are_near(name: str) -> None:
    """NaN is; the smallest numbers are as they should be, and so is the zero with a sign."""
    fill, dtype, _ = both(name)
    largest = angles.NEAR_ANGLE if dtype is np.float64 else angles.NEAR_SINGLE_ANGLE
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.array([0.0, -0.0, tiny, -tiny, np.nan, largest, 2 * largest, np.inf, -np.inf], dtype)
    values, is_near = filled(fill, x)
    np.testing.assert_array_equal(is_near, [True] * 6 + [False] * 3)
    wanted = getattr(np, name.split("_")[1])(x[:5])
    np.testing.assert_array_equal(values[:5], wanted)
    np.testing.assert_array_equal(np.signbit(values[:4]), np.signbit(wanted[:4]))


@pytest.mark.parametrize("name", ["fast_pow", "single_pow"])
def test_error_of_powers(name: str) -> None:
    """Of numbers near 1 and far from it, with results up to the largest that are near."""
    fill, dtype, true = both(name)
    rng = np.random.default_rng(2)
    largest, scale = (
        (powers.NEAR_POWER, 1000.0) if dtype is np.float64 else (float(powers.NEAR_SINGLE_POWER), 120.0)
    )
    of_log = [rng.uniform(-0.6, 0.6, 500), rng.uniform(-1e-3, 1e-3, 200), rng.uniform(-scale, scale, 500)]
    x = (2.0 ** np.concatenate(of_log)).astype(dtype)
    with np.errstate(divide="ignore"):
        y = (rng.uniform(-0.999 * largest, 0.999 * largest, len(x)) / np.log2(x.astype(np.float64))).astype(
            dtype
        )
    ends = np.array([*powers.NEAR_ENDS, *powers.NEAR_CENTRES, math.sqrt(0.5), math.sqrt(2.0)]).astype(dtype)
    x = np.concatenate([x, ends, np.nextafter(ends, dtype(0.0)), np.nextafter(ends, dtype(9.0))])
    y = np.concatenate([y, np.full(3 * len(ends), dtype(2.7))])
    plain = np.isfinite(y)
    x, y = x[plain], y[plain]
    values, is_near = filled(fill, x, y)
    assert np.mean(is_near) > 0.99
    found = errors(values[is_near], true, x[is_near], y[is_near])
    worst = int(np.argmax(found))
    assert found[worst] <= ALLOWED["pow"][dtype], (x[is_near][worst], y[is_near][worst], found[worst])


@pytest.mark.parametrize("name", ["fast_pow", "single_pow"])
def test_which_powers_are_near(name: str) -> None:
    """Of 0 to powers above 0, which are 0; not of what is negative, subnormal or not finite, nor of huge results."""
    fill, dtype, _ = both(name)
    tiny, largest = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    zeros = [(0.0, 2.5), (-0.0, 0.3), (0.0, 1e-3), (0.0, np.inf)]
    near = [(1.0, 0.0), (1.0, largest), (2.0, -3.0), (np.finfo(dtype).tiny, 0.5), (largest, -0.5)]
    far = [
        (0.0, 0.0), (0.0, -1.0), (-2.0, 2.0), (tiny, 1.0), (np.inf, 1.0), (2.0, largest), (2.0, np.inf),
        (np.nan, 1.0), (1.0, np.nan), (1.0, np.inf), (np.nan, 0.0), (-np.inf, 3.0), (0.0, np.nan),
    ]  # fmt: skip
    x, y = np.array([*zeros, *near, *far], dtype).T
    values, is_near = filled(fill, np.ascontiguousarray(x), np.ascontiguousarray(y))
    np.testing.assert_array_equal(is_near, [True] * (len(zeros) + len(near)) + [False] * len(far))
    plain = slice(len(zeros) + len(near))
    np.testing.assert_allclose(values[plain], x[plain] ** y[plain], rtol=2 * np.finfo(dtype).eps)
    assert not np.any(np.signbit(values[plain]))
