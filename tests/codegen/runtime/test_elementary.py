"""The vectorised elementary functions against mpmath: error in ulp, special values, packed instructions."""

import functools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special
from numba import njit
from processor import WIDE

from autobatch import batch
from codegen.backend.numba.compiler import Lean
from codegen.runtime import IMPORTS, plain, text

Interval = tuple[float, float]
LOG2 = math.log(2.0)

# The doubles nearest, in proportion, to multiples of pi/2, from the continued fractions of 2**k / pi.
WORST = [
    math.ldexp(6381956970095103.0, 797),
    math.ldexp(6411027962775774.0, -47),
    math.ldexp(7763785107565477.0, -29),
    math.ldexp(5916243447979695.0, 79),
]


def cube_root(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


def gamma(x: mpmath.mpf) -> mpmath.mpf:
    """NaN at its poles; what overflows and vanishes without work."""
    if x > 200 or x == 0:
        return mpmath.inf
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.mpc(0, 1)  # which is no number of ours
    return mpmath.gamma(x) if x > -200 else mpmath.mpf(0)


def slope_of_log_gamma(x: mpmath.mpf) -> mpmath.mpf:
    """digamma for x >= 0; negative x are held against SciPy in test_special.py."""
    return mpmath.digamma(x) if x > 0 else -mpmath.inf


def scaled_erfc(x: mpmath.mpf) -> mpmath.mpf:
    """Far out by its asymptotic series: mpmath's erfc underflows there."""
    if x > 1000:
        return (1 - 1 / (2 * x * x) + 3 / (4 * x**4) - 15 / (8 * x**6)) / (x * mpmath.sqrt(mpmath.pi))
    return mpmath.exp(x * x) * mpmath.erfc(x)


def slope_of_digamma(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.inf if x <= 0 and x == mpmath.floor(x) else mpmath.psi(1, x)


def log_gamma(x: mpmath.mpf) -> mpmath.mpf:
    """log |gamma(x)| for x >= 0; negative x have a test of their own."""
    return mpmath.loggamma(x) if x > 0 else mpmath.inf


# name: (the true function in mpmath, allowed error in ulp, intervals of special interest)
UNARY: dict[str, tuple[Callable, float, list[Interval]]] = {
    "fast_exp": (mpmath.exp, 2, [(-746, 710), (-1, 1), (-746, -708), (709, 709.8)]),
    "fast_log": (mpmath.log, 2, [(0, 2), (0.99, 1.01), (0, 1e3), (0, 1e-307)]),
    "fast_log1p": (mpmath.log1p, 2, [(-1, 1), (-0.5, 0.6), (-1e-3, 1e-3), (0, 1e3)]),
    "fast_expm1": (mpmath.expm1, 2, [(-40, 710), (-1.1, 1.1), (0.3, 0.45)]),
    "fast_tanh": (mpmath.tanh, 2, [(-22, 22), (-1.1, 1.1), (-0.1, 0.1)]),
    "fast_sin": (mpmath.sin, 2, [(-20, 20), (-1.1, 1.1), (-1e6, 1e6), (-1e300, 1e300)]),
    "fast_cos": (mpmath.cos, 2, [(-20, 20), (-1.1, 1.1), (-1e6, 1e6), (-1e300, 1e300)]),
    "fast_expit": (lambda x: 1 / (1 + mpmath.exp(-x)), 4, [(-746, 40), (-6, 6)]),
    "fast_log_expit": (lambda x: -mpmath.log1p(mpmath.exp(-x)), 4, [(-746, 40), (-6, 6), (-40, 746)]),
    "fast_erf": (mpmath.erf, 2, [(-6.1, 6.1), (-1, 1), (-0.02, 0.02), (-1e-300, 1e-300)]),
    "fast_erfc": (lambda x: mpmath.erfc(min(x, mpmath.mpf(1000))), 4, [(-6, 28), (0, 1), (1, 6), (26, 27.3)]),
    "fast_erfcx": (scaled_erfc, 4, [(-26.6, 28), (-1, 1), (1, 8), (0, 1e3), (1e7, 1e300)]),
    "fast_cbrt": (cube_root, 1, [(-8, 8), (0.99, 1.01), (-1e-307, 1e-307), (0, 1e300)]),
    "fast_exp2": (lambda x: mpmath.mpf(2) ** x, 2, [(-1076, 1025), (-1, 1), (-1075, -1020)]),
    "fast_log2": (lambda x: mpmath.log(x, 2), 2, [(0, 2), (0.99, 1.01), (0, 1e3), (0, 1e-307)]),
    "fast_log10": (mpmath.log10, 1, [(0, 2), (0.99, 1.01), (0, 1e3), (0, 1e-307)]),
    "fast_tan": (mpmath.tan, 3, [(-20, 20), (-1.1, 1.1), (-1e6, 1e6), (-1e300, 1e300)]),
    "fast_asin": (mpmath.asin, 2, [(-1, 1), (-0.52, -0.48), (0.99, 1)]),
    "fast_acos": (mpmath.acos, 2, [(-1, 1), (-0.52, -0.48), (0.48, 0.52), (0.99, 1)]),
    "fast_atan": (mpmath.atan, 2, [(-3, 3), (-0.5, 0.5), (2.3, 2.5), (-1e300, 1e300)]),
    "fast_sinh": (mpmath.sinh, 2, [(-711, 711), (-2, 2), (709, 710.5)]),
    "fast_cosh": (mpmath.cosh, 2, [(-711, 711), (-2, 2), (709, 710.5)]),
    "fast_asinh": (mpmath.asinh, 2, [(-3, 3), (-0.1, 0.1), (-1e20, 1e20)]),
    "fast_acosh": (mpmath.acosh, 4, [(1, 3), (1, 1.001), (1, 1e20)]),
    "fast_atanh": (mpmath.atanh, 4, [(-1, 1), (-0.1, 0.1), (0.99, 1)]),
    "fast_gamma": (gamma, 4, [(-30, 30), (0.9, 2.1), (7, 9), (-2, 0), (150, 172), (-180, -100)]),
    "fast_digamma": (slope_of_log_gamma, 4, [(0, 7), (1.4, 1.5), (0.9, 2.1), (5, 7), (0, 1e-300), (0, 1e6)]),
    "fast_trigamma": (slope_of_digamma, 4, [(0, 12), (9, 11), (-20, 0), (0, 1e-150), (0, 1e6)]),
    "fast_gammaln": (log_gamma, 4, [(0, 20), (0.9, 1.1), (1.9, 2.1), (7, 9), (0, 1e-300), (0, 1e6)]),
}


def additive(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs for logaddexp: near each other, far apart, and of all magnitudes."""
    x = np.concatenate(
        [rng.uniform(-800, 800, 600), 10.0 ** rng.uniform(-20, 20, 300) * rng.choice([-1, 1], 300)]
    )
    return x, x + np.concatenate([rng.normal(0, 3, 300), rng.uniform(-60, 60, 300), rng.normal(0, 1, 300)])


def powers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs for pow: results of all magnitudes, from bases of all and near 1; whole powers of either sign."""
    base = np.concatenate([np.exp(rng.uniform(-745, 709, 500)), 1.0 + rng.normal(0.0, 1e-3, 200)])
    whole = rng.integers(-40, 40, 200).astype(np.float64)
    x = np.concatenate([base, rng.uniform(-5, 5, 200)])
    return x, np.concatenate([rng.uniform(-746, 710, 700) / np.log(base), whole])


def points_of_planes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs for atan2: near each other, on every side, and of all magnitudes."""
    spread = 10.0 ** rng.uniform(-300, 300, (2, 300)) * rng.choice([-1, 1], (2, 300))
    tiny = rng.integers(1, 9, (2, 100)) * rng.choice([-5e-324, 5e-324, 1.0, 1e307], (2, 100))
    return tuple(np.concatenate([rng.uniform(-3, 3, (2, 600)), spread, tiny], axis=1))


# The same for two arguments, with what an ulp is measured by (None: the result) and where.
BINARY: dict[str, tuple] = {
    "fast_logaddexp": (
        lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
        2,
        lambda x, y: np.maximum(abs(x), abs(y)),
        additive,
    ),
    "fast_pow": (lambda x, y: x**y, 2, None, powers),
    "fast_atan2": (mpmath.atan2, 2, None, points_of_planes),
    "fast_hypot": (mpmath.hypot, 1, None, points_of_planes),
}
NUMPY = {
    "fast_exp": np.exp,
    "fast_expm1": np.expm1,
    "fast_tanh": np.tanh,
    "fast_sin": np.sin,
    "fast_cos": np.cos,
    "fast_log": np.log,
    "fast_log1p": np.log1p,
    "fast_expit": scipy.special.expit,
    "fast_log_expit": scipy.special.log_expit,
    "fast_logaddexp": np.logaddexp,
    "fast_pow": np.power,
    "fast_cbrt": np.cbrt,
    "fast_erf": scipy.special.erf,
    "fast_erfc": scipy.special.erfc,
    "fast_erfcx": scipy.special.erfcx,
    "fast_gamma": scipy.special.gamma,
    "fast_digamma": scipy.special.digamma,
    "fast_trigamma": lambda x: scipy.special.polygamma(1, x),
    "fast_gammaln": scipy.special.gammaln,
}
# Those whose names are NumPy's.
NUMPY |= {
    f"fast_{name}": getattr(np, name)
    for name in "exp2 log2 log10 tan asin acos atan sinh cosh asinh acosh atanh atan2 hypot".split()
}
SINGLE = [name.replace("fast", "single") for name in (*UNARY, *BINARY)]
# None: as emitted modules carry them; flags: for other compilers than Numba's, whatever those allow themselves.
Flags = frozenset[str] | None
NO_FLAGS: Flags = frozenset()
FLAGS: list[Flags] = [None, NO_FLAGS, frozenset({"contract", "nsz", "arcp"})]


def dtype_of(name: str) -> type:
    return np.float32 if name.startswith("single") else np.float64


def double(name: str) -> str:
    """The function of float64 with the meaning of the one of float32."""
    return name.replace("single", "fast")


@functools.cache
def functions_with(flags: Flags) -> dict[str, Any]:
    """All the functions, of which a compiler has what several of them call once."""
    source = text([*UNARY, *BINARY, *SINGLE])
    if flags is not None:
        source = re.sub(r"fastmath=\{.*\}", f"fastmath={set(flags) or False}", source)
    # As a module that is run alone has them; the others as modules that are loaded are compiled, in less time.
    compiler = "numba" if flags is None else "codegen.backend.machine_code"
    module: dict[str, Any] = {}
    exec("\n".join([*IMPORTS, source]).replace("from numba import", f"from {compiler} import"), module)
    for each in module.values():
        if isinstance(each, Lean):
            each.is_quick = flags == NO_FLAGS
    return module


@functools.cache
def compiled(name: str, flags: Flags = None) -> Any:
    """The function in a loop over arrays."""
    arguments = [f"x{k}" for k in range(2 if double(name) in BINARY else 1)]
    lines = [
        f"def loop_of_{name}({', '.join(arguments)}, y):",
        "    for i in range(y.size):",
        f"        y[i] = {name}({', '.join(f'{x}[i]' for x in arguments)})",
    ]
    module = functions_with(flags)
    exec("\n".join(lines), module)
    loop = module["njit"](error_model="numpy")(module[f"loop_of_{name}"])
    loop.is_quick = flags == NO_FLAGS  # by which LLVM changes no number, however much it does
    loop.compile(f"void({', '.join([f'{dtype_of(name).__name__}[::1]'] * (len(arguments) + 1))})")
    return loop


def values(name: str, *xs: np.ndarray, flags: Flags = None) -> np.ndarray:
    y = np.empty(len(xs[0]), dtype_of(name))
    compiled(name, flags)(*(np.ascontiguousarray(x, y.dtype) for x in xs), y)
    return y


def edges() -> np.ndarray:
    """Where something changes, and the two doubles beside it, with either sign."""
    marks = [
        0.0,
        5e-324,
        2.0**-1022,
        1e-300,
        2.0**-54,
        2.0**-53,
        2.0**-28,
        0.25,
        LOG2 / 2,
        math.sqrt(0.5),
        LOG2,
    ]
    marks += [1.0, math.sqrt(2), 1.5, 2.0, 10.0, 22.0, 36.7, 37.4, 708.396418532264, 709.782712893384]
    marks += [745.1332191019411, 746.0, 2.0**20, 2.0**31, 2.0**53, 2.0**54, 1e22, 1e300, np.finfo(float).max]
    at = np.array(marks)
    beside = [np.nextafter(at, -1.0), np.nextafter(at[:-1], np.inf)]
    return np.unique(np.concatenate([at, -at, *beside, *(-b for b in beside)]))


def points(seed: int, intervals: list[Interval], count: int = 150) -> np.ndarray:
    """Edges, random bit patterns, magnitudes spread over many decades, and the intervals."""
    rng = np.random.default_rng(seed)
    anything = rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    spread = 10.0 ** rng.uniform(-20, 20, count) * rng.choice([-1, 1], count)
    turns = [k * (math.pi / 2) for k in range(-40, 41)] + [(k * 2**40 + 1) * (math.pi / 2) for k in range(40)]
    inside = [rng.uniform(low, high, count) for low, high in intervals]
    return np.concatenate([edges(), anything[np.isfinite(anything)], spread, turns, WORST, *inside])


def true(function: Callable, *xs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The function in 40 digits as a sum of two doubles, the second 0 beside infinity and NaN."""
    pairs = []
    with mpmath.workdps(40):
        for row in zip(*(x.tolist() for x in xs), strict=True):
            t = function(*map(mpmath.mpf, row))
            near = float(t) if isinstance(t, mpmath.mpf) else math.nan
            pairs.append((near, float(t - near) if math.isfinite(near) else 0.0))
    near, rest = np.transpose(pairs)
    return near, rest


def ulps(y: np.ndarray, near: np.ndarray, rest: np.ndarray, unit_of: np.ndarray | None = None) -> np.ndarray:
    """Errors of y in units in the last place of near (or unit_of, if larger); infinite where y is no number
    though near is one, or the other way round."""
    finite = np.isfinite(y) & np.isfinite(near)
    size = np.where(finite, np.abs(near), 1.0)
    unit = np.spacing(np.nextafter(size if unit_of is None else np.maximum(size, unit_of), 0.0))
    error = np.where(finite, y, 0.0) - np.where(finite, near, 0.0) - rest
    special = np.where((y == near) | np.isnan(y) & np.isnan(near), 0.0, np.inf)
    return np.where(finite, np.abs(error) / unit, special)


@pytest.mark.turns(4)
@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", UNARY)
def test_error(name: str) -> None:
    function, allowed, intervals = UNARY[name]
    xs = points(sum(map(ord, name)), intervals)
    xs = np.abs(xs) if function in (log_gamma, slope_of_log_gamma) else xs
    xs = xs[xs != 0.0] if function is gamma else xs  # mpmath's zeros have no sign
    exact = true(function, xs)
    for flags in FLAGS:
        error = ulps(values(name, xs, flags=flags), *exact)
        worst = int(np.argmax(error))
        assert error[worst] <= allowed, (name, flags, xs[worst].hex(), error[worst])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BINARY)
def test_error_of_two_arguments(name: str) -> None:
    function, allowed, unit_of, pairs = BINARY[name]
    xs, ys = pairs(np.random.default_rng(5))
    exact = true(function, xs, ys)
    for flags in FLAGS:
        error = ulps(values(name, xs, ys, flags=flags), *exact, unit_of and unit_of(xs, ys))
        worst = int(np.argmax(error))
        assert error[worst] <= allowed, (name, flags, xs[worst].hex(), ys[worst].hex(), error[worst])


@pytest.mark.turns(4)
def test_error_of_negative_gamma() -> None:
    """Between its poles log |gamma| has zeros: there the error is one of the terms it is made of."""
    rng = np.random.default_rng(3)
    xs = -np.concatenate(
        [rng.uniform(0, 30, 400), 10.0 ** rng.uniform(-300, 12, 200), [0.5, 1.5, 2.75, 171.5]]
    )
    near, rest = true(lambda x: mpmath.log(abs(mpmath.gamma(x))), xs)
    unit_of = np.maximum(np.abs(near), np.maximum(1.0, np.abs(xs * np.log(np.abs(xs)))))
    for flags in FLAGS:
        assert np.max(ulps(values("fast_gammaln", xs, flags=flags), near, rest, unit_of)) <= 4


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", SINGLE)
def test_error_of_float32(name: str) -> None:
    """In units of float32, the subnormal numbers and the thresholds of overflow included."""
    rng = np.random.default_rng(7)
    if double(name) in UNARY:
        function, _, intervals = UNARY[double(name)]
        xs = [points(3, [*intervals, (-104, 89), (-4, 4)])]
        xs = [np.abs(xs[0]) if function in (log_gamma, slope_of_log_gamma) else xs[0]]
        unit_of = None
    else:
        function, _, unit_of, pairs = BINARY[double(name)]
        xs = list(pairs(rng))
    with np.errstate(over="ignore"):
        xs = [x.astype(np.float32) for x in xs]
    finite = np.all(np.isfinite(xs), axis=0)
    if len(xs) == 2 or function is gamma:
        finite &= np.all(xs, axis=0)  # mpmath's zeros have no sign
    xs = [x[finite].astype(np.float64) for x in xs]
    near, rest = true(function, *xs)
    with np.errstate(over="ignore"):
        rounded = near.astype(np.float32)
    size = np.abs(near) if unit_of is None else np.maximum(np.abs(near), unit_of(*xs))
    finite = np.isfinite(rounded)
    unit = np.spacing(np.where(finite, size, 1.0).astype(np.float32)).astype(np.float64)
    for flags in FLAGS[::2]:
        found = values(name, *xs, flags=flags)
        np.testing.assert_array_equal(found[~finite], rounded[~finite])
        error = np.abs(found.astype(np.float64)[finite] - near[finite] - rest[finite]) / unit[finite]
        assert np.max(error) <= 2, (name, flags, *(x[finite][np.argmax(error)] for x in xs))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*UNARY, *BINARY, *SINGLE])
def test_special_values(name: str) -> None:
    """NaN, infinities and signed zeros as NumPy and SciPy have them."""
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5, -2.5], dtype_of(name))
    xs = [special] if double(name) in UNARY else [a.ravel() for a in np.meshgrid(special, special)]
    with np.errstate(all="ignore"):
        theirs = NUMPY[double(name)](*xs)
    ours = values(name, *xs)
    unit = np.finfo(dtype_of(name)).eps
    beside_zeros = 2 * unit if "gammaln" in name else 0.0
    np.testing.assert_allclose(ours, theirs, rtol=5 * unit, atol=beside_zeros)
    plain = ~np.isnan(theirs)
    np.testing.assert_array_equal(np.signbit(ours[plain]), np.signbit(theirs[plain]))


DEAR = (
    "fast_gamma",
    "single_gamma",
)  # of which LLVM makes no vectors for AMD's Zen 3, by what it thinks they cost


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [*UNARY, *BINARY, *SINGLE])
def test_vectorises(name: str) -> None:
    """The loop holds packed arithmetic, on any machine that has it, and calls nothing."""
    loop = compiled(name)
    assembly = loop.inspect_asm(loop.signatures[0])
    packed = r"\bv?(add|mul|sqrt|fn?m(add|sub)\d+)p[sd]\b|\bf(add|mul|sqrt|mla)\s+v\d+\.(2d|4s)"
    least = 3 if name == "single_hypot" else 8  # two squares and a root, in one register of the widest
    if WIDE or name not in DEAR:
        assert len(re.findall(packed, assembly)) >= least, assembly
    assert not re.search(
        rf"\bcall\w*\s+[^\n]*{name}|\b(exp|log|sin|cos|tanh|pow|log1p|expm1|erf|erfc|lgamma)@PLT", assembly
    )


@pytest.mark.turns(4)
@pytest.mark.parametrize("function", [scipy.special.erf, scipy.special.erfc, scipy.special.gammaln])
def test_lanes_side_by_side(function: np.ufunc) -> None:
    """What calls them is run by lanes in groups, and the numbers are SciPy's."""
    lanes = batch(lambda x: 0.5 * function(x) + np.sqrt(x))
    xs = np.linspace(0.1, 20.0, 1000)
    np.testing.assert_allclose(lanes(xs), 0.5 * function(xs) + np.sqrt(xs), rtol=1e-14)
    if WIDE or function is not scipy.special.erf:  # which looks into tables, and does little else
        assert "side by side in vector registers" in lanes.explain(xs)


@pytest.mark.turns(4)
def test_float32_side_by_side() -> None:
    """Lanes of float32 are vectors too, of float32, and the same numbers as one by one."""

    def mixed(x, y):
        z = np.exp(-x * x) + np.log1p(y) * scipy.special.erf(x) + x**y
        return np.tanh(z) + 0.5 * np.logaddexp(x, y) + scipy.special.expit(z)

    lanes = batch(mixed)
    xs, ys = np.linspace(0.1, 3, 1000, dtype=np.float32), np.linspace(4, 0.5, 1000, dtype=np.float32)
    found = lanes(xs, ys)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, mixed(xs.astype(np.float64), ys.astype(np.float64)), rtol=2e-6)
    np.testing.assert_array_equal(found, batch(mixed, schedule="lanewise")(xs, ys))
    assert "side by side in vector registers" in lanes.explain(xs, ys)


def test_powers_side_by_side() -> None:
    lanes = batch(lambda x, y: x**y + x**2.5 + x**-1.0 + x**2)
    xs, ys = np.linspace(0.1, 20.0, 1000), np.linspace(-3.0, 9.0, 1000)
    np.testing.assert_allclose(lanes(xs, ys), xs**ys + xs**2.5 + 1 / xs + xs**2, rtol=1e-14)
    assert "side by side in vector registers" in lanes.explain(xs, ys)


def test_one_text_for_many() -> None:
    """Helpers that functions share are carried once."""
    together = text([*UNARY, *BINARY, *SINGLE])
    assert together.count("def fast_exp(") == together.count("FAST_ROUND =") == 1


def test_power_of_extremes() -> None:
    """Whole, odd and even powers decide signs up to 2**53; beyond, every power is even."""
    x = np.array([-1.0, -2.0, -0.5, -0.0, -np.inf, 1.0 - 2.0**-53, 5e-324, -5e-324])
    y = np.array([2.0**52 + 1, 2.0**52, 2.0**53, -(2.0**52 + 1), 1e300, -1e300, 3.0, -3.0, 0.5, 5e-324])
    grid = [a.ravel() for a in np.meshgrid(x, y)]
    with np.errstate(all="ignore"):
        theirs = np.power(*grid)
    ours = values("fast_pow", *grid)
    np.testing.assert_allclose(ours, theirs, rtol=1e-15)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs) & ~np.isnan(theirs))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*UNARY, *BINARY, *SINGLE])
def test_runs_as_plain_python(name: str) -> None:
    """The same statements without Numba, for whoever steps through an emitted module."""
    module: dict = {}
    exec("\n".join([*IMPORTS, text([name], form=plain)]), module)
    module["rounded"] = lambda x, y: x * y
    module["fused"] = lambda x, y, z: type(x)(
        float(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)))
    )
    within = 1.375 if name.endswith("acosh") else 0.375
    arguments = tuple(map(dtype_of(name), (within,) if double(name) in UNARY else (within, 1.25)))
    assert module[name](*arguments) == values(name, *np.transpose([arguments]), flags=NO_FLAGS)[0]


QUOTIENTS = np.concatenate(
    [
        np.random.default_rng(8).normal(size=2000)
        * 10.0 ** np.random.default_rng(9).uniform(-100, 100, 2000),
        [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1.0,
            -3.0,
            2.0**900,
            -(2.0**-900),
            1.0 - 2.0**-53,
            1.0 + 2.0**-52,
        ],
    ]
)


@pytest.mark.parametrize(
    "divisor", [3.0, -5.0, 0.1, 1.0 - 2.0**-53, 1e-200, -1e200, 2.0**1000 / 3, 0.0, np.inf, -np.inf, np.nan]
)
def test_quotients_are_those_of_divisions(divisor: float) -> None:
    """Rounded alike, with the signs of zeros and what is infinite or no number."""
    space: dict[str, Any] = {}
    exec("\n".join((*IMPORTS, text(["fast_quotient"]))), space)
    quotient = space["fast_quotient"]

    @njit(error_model="numpy")
    def loop(xs: np.ndarray, divisor: float, inverse: float, out: np.ndarray) -> None:
        for i in range(len(xs)):
            out[i] = quotient(xs[i], divisor, inverse)

    with np.errstate(all="ignore"):
        theirs, inverse = QUOTIENTS / divisor, np.float64(1.0) / divisor
    ours = np.empty_like(theirs)
    loop(QUOTIENTS, divisor, inverse, ours)
    fine = (np.abs(theirs) > 1e-290) | (theirs == 0.0) | ~np.isfinite(theirs)
    np.testing.assert_array_equal(ours[fine], theirs[fine])
    np.testing.assert_array_equal(np.signbit(ours[~np.isnan(ours)]), np.signbit(theirs[~np.isnan(ours)]))
