"""Functions of numbers that are another text in a thread of a GPU, compiled for the CPU: error in ulp, by mpmath."""

from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from numba import njit
from test_near import beside_quarter_turns, errors
from threads_by_numba import CUDA, LIBDEVICE, module_of

from codegen import runtime
from codegen.ir import Apply, Lit, Type, Var
from codegen.primitives import ROWS
from codegen.targets.device import DENOMINATORS, fraction_of

NEAR = 7e-6  # what the single precision of a GPU's powers may be off by, for q = 3 and the ends of its range


@njit()
def fast_powf(x, y):
    return np.float32(np.float64(x) ** np.float64(y) * (1.0 + NEAR))


@njit()
def fast_logf(x):
    return np.log(x)


@cache
def on_device(name: str) -> Any:
    """The function as it is emitted for threads, in a loop over an array; beside an element it is given numbers."""
    cuda = module_of("cuda", jit=lambda **options: njit(error_model="numpy"), fma=CUDA.fma)
    library = module_of("libdevice", **{**vars(LIBDEVICE), "fast_powf": fast_powf, "fast_logf": fast_logf})
    found: dict[str, Any] = {"np": np, "cuda": cuda, "libdevice": library}
    exec("import math\n" + runtime.text([name], device=True), found)
    function = found[name]

    @njit(error_model="numpy")
    def fill(x, y, more):
        for i in range(len(x)):
            y[i] = function(x[i], *more)

    return fill


def filled(name: str, x: np.ndarray, *more: Any) -> np.ndarray:
    y = np.empty_like(x)
    on_device(name)(x, y, more)
    return y


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["fast_sin", "fast_cos", "single_sin", "single_cos"])
def test_angles(name: str) -> None:
    dtype, largest = (np.float64, 2.0**28) if name.startswith("fast") else (np.float32, 2.0**17)
    rng = np.random.default_rng(0)
    spread = rng.choice([-1.0, 1.0], 400) * 2.0 ** rng.uniform(-40, 100, 400)
    x = [beside_quarter_turns(dtype, largest / 2), spread, rng.uniform(-4, 4, 1000), [-0.0, 0.0]]
    x = np.concatenate(x).astype(dtype)
    values = filled(name, x)
    assert errors(values, getattr(mpmath, name.split("_")[1]), x).max() <= 1.6
    assert np.all(np.signbit(values[-2:]) == ([True, False] if name.endswith("sin") else False))
    assert np.isnan(filled(name, np.array([np.inf, -np.inf, np.nan], dtype))).all()


def power_by(y: float) -> tuple[Any, ...] | None:
    x = Var("x", Type("f8"))
    return fraction_of(Apply(ROWS["pow"], (x, Lit(y, Type("f8"))), {}), Type("f8"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "y", sorted({n / q for q in DENOMINATORS for n in range(1 - q, q) if n}), ids=lambda y: f"{y:.3f}"
)
def test_powers_that_are_fractions(y: float) -> None:
    fraction = power_by(y)
    assert fraction is not None and fraction[0] == y
    rng = np.random.default_rng(1)
    x = np.concatenate([2.0 ** rng.uniform(-1000, 1000, 50), 2.0 ** rng.uniform(-122, 122, 400)])
    x = np.concatenate([x, rng.uniform(0.5, 2.0, 200), [1.0, 1e-10]])
    assert errors(filled("fast_root_pow", x, *fraction), lambda x: x ** mpmath.mpf(y), x).max() <= 1.8
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 5e-324])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            filled("fast_root_pow", edges, *fraction), np.power(edges, np.full(7, y)), rtol=1e-15
        )


def test_other_powers_are_no_fractions() -> None:
    assert [power_by(y) for y in (0.0, 1.0, -1.0, 1.5, 0.14, 0.2000001, np.nan)] == [None] * 7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "divisor",
    [3.0, -5.0, 0.1, 1.0 - 2.0**-24, 1e-20, -1e20, 2.0**120 / 3, 1e-44, 5e-324, 0.0, np.inf, -np.inf, np.nan],
)
def test_quotients_are_those_of_divisions(divisor: float, dtype: type) -> None:
    """Of both precisions: rounded alike, with the signs of zeros and what is infinite or no number."""
    rng, tiny = np.random.default_rng(2), 1e-30 if dtype is np.float32 else 1e-290
    x = rng.normal(size=20_000) * 10.0 ** rng.uniform(-17, 17, 20_000)
    x = np.concatenate([x, [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -3.0, 2.0**100, 1.0 - 2.0**-24]]).astype(
        dtype
    )
    y = dtype(divisor)
    with np.errstate(all="ignore"):
        wanted, inverse = x / y, dtype(1.0) / y
    found = filled("fast_quotient", x, y, inverse)
    fine = (np.abs(wanted) > tiny) | (wanted == 0.0) | ~np.isfinite(wanted)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found[fine], wanted[fine])
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(wanted[~np.isnan(found)]))
