"""SciPy's functions at zeros, poles, infinities and NaN, of floats, float32 and ints."""

import mpmath
import numpy as np
import pytest
from plain_python import difference, outcome
from scipy import special
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import jit
from codegen.definitions import standing_for
from codegen.primitives.row import FUNCTIONS

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
        special.psi(x), special.log1p(x), special.expm1(x), special.erfcx(x),
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


@pytest.mark.sampled(3)
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


@pytest.mark.parametrize("x", [2.0, 3, True, np.float32(2.0), np.float64(0.5), 1.0 + 2.0j], ids=repr)
def test_logsumexp_of_a_number_has_an_axis(x) -> None:
    def f(x):
        kept = special.logsumexp(x, keepdims=True), special.logsumexp(x, b=2.0, keepdims=True)
        return *kept, special.logsumexp(x), special.logsumexp(x, axis=0), special.logsumexp(x, b=[1.0, 2.0])

    assert compared(f, "numpy", x) is None


def test_dtypes_that_meet_are_scipy_s() -> None:
    def f(x, y):
        return special.xlogy(x, y), special.log1p(x), special.expm1(y), special.polygamma(0, x)

    values = (True, 2, 0.5, np.int8(1), np.uint16(2), np.float32(0.5), np.float32([1.0, 2.0]))
    for x in values:
        for y in (1, 0.5, np.int64(1), np.float32(0.5)):
            assert compared(f, "numpy", x, y) is None


@pytest.mark.turns(4)
def test_edges_in_lanes() -> None:
    lanes = outcome(batch(of_one), [FLOATS])
    for k, x in enumerate(FLOATS):
        assert difference(tuple(part[k] for part in lanes), outcome(of_one, [x])) is None


def test_what_is_known_over_lanes() -> None:
    """A number of NumPy's that hangs on no lane is each lane's."""

    def f(x):
        return special.entr(-1)

    assert isinstance(jit(f, target="numpy")(1.0), np.float64)
    for target in ("numpy", "numba"):
        assert batch(f, target=target)(np.zeros(3)).tolist() == [-np.inf] * 3


UFUNCS = [
    name
    for name, f in vars(special).items()
    if isinstance(f, np.ufunc) and f.nin < 4 and f.nout == 1 and (f in FUNCTIONS or standing_for(f))
]
DTYPES = (
    *(("f4", "f4", "f4"), ("f8", "f8", "f8"), ("i8", "i8", "i8"), ("f8", "f4", "f4"), ("f4", "i4", "f4")),
    *(("i1", "u2", "i1"), ("b1", "i2", "u1"), ("u2", "f4", "i1"), ("i4", "i1", "i1")),
)


@pytest.mark.turns(8)
@pytest.mark.sampled(9)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:non-integer arg:DeprecationWarning")
@pytest.mark.parametrize("dtypes", DTYPES, ids="-".join)
def test_dtypes_of_all(dtypes):
    values = np.array([0.3, 0.7, 0.45]), np.array([0.5, 0.2, 0.9]), np.array([0.2, 0.6, 0.8])
    given = [
        (4.0 * v).astype(d) if d[0] in "iu" else v.astype(d) for v, d in zip(values, dtypes, strict=True)
    ]
    calls = [f"special.{name}({', '.join('xyz'[: getattr(special, name).nin])})" for name in UFUNCS]
    calls = [call for call in calls if takes(call, given)]
    if dtypes[0][0] == "f":  # of polynomials of degrees that are no ints, which are refused
        calls = [call for call in calls if not call.startswith("special.eval_")]
    f = loaded("def f(x, y, z):\n    return (" + ",\n".join(calls) + ",)\n")
    f.__globals__["special"] = special
    assert len(calls) > 40
    for call, got, want in zip(calls, jit(f, target="numpy")(*given), f(*given), strict=True):
        assert got.dtype == want.dtype, call
        tolerance = 2e-5 if want.dtype == np.float32 else 1e-11  # SciPy's own betainc of float32 is 1e-5 off
        np.testing.assert_allclose(got, want, tolerance, tolerance, err_msg=call)


def takes(call, given):
    """Whether SciPy takes arguments of these dtypes."""
    try:
        eval(call, {"special": special}, dict(zip("xyz", given, strict=True)))
    except TypeError:
        return False
    return True


EDGES = np.array([-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, NAN])


def at_edges(x, y):
    return (
        (
            special.y0(x),
            special.y1(x),
            special.k0(x),
            special.k1(x),
            special.k0e(x),
            special.k1e(x),
            special.erfi(x),
        ),
        (special.ellipk(x), special.ellipkm1(x), special.ellipe(x), special.spence(x), special.wofz(x)),
        (
            special.ellipkinc(x, y),
            special.ellipeinc(x, y),
            special.gammaincinv(x, y),
            special.gammainccinv(x, y),
        ),
        (
            special.stdtr(x, y),
            special.chdtr(x, y),
            special.chdtrc(x, y),
            special.chdtri(x, y),
            special.poch(x, np.where(np.isnan(y), 1.0, y)),
        ),
        (special.voigt_profile(x, y, 0.5), special.voigt_profile(x, 0.5, y), special.elliprf(x, y, 1.0)),
        (special.betaincinv(x, y, 0.5), special.betaincinv(0.5, x, y), special.betaincc(x, y, 0.5)),
        (special.fdtr(x, y, 0.5), special.fdtrc(x, 0.5, y), special.binom(x, y)),
    )


@pytest.mark.turns(4)
def test_edges_of_integrals_and_inverses():
    """Where there is none, poles, and what is 0 or 1."""
    x, y = (g.ravel() for g in np.meshgrid(EDGES, EDGES))
    with np.errstate(all="ignore"):
        for found, wanted in zip(jit(at_edges, target="numpy")(x, y), at_edges(x, y), strict=True):
            for k, (a, b) in enumerate(zip(found, wanted, strict=True)):
                np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13, err_msg=f"{k} of {len(found)}")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_far_ratios():
    x, y = np.array([1e-300, 1e300, 1e-320, 0.0, 1e-300]), np.array([1e300, 1e-300, 1.0, 1.0, 1e-310])
    assert jit(relative, target="numpy")(x, y) == pytest.approx(special.rel_entr(x, y), rel=1e-15)
    assert grad(relative)(1e-300, 1e300) == pytest.approx(np.log(1e-300) - np.log(1e300) + 1.0)
    n, k = np.array([np.inf, np.inf, np.inf, 5.0]), np.array([2.0, 0.0, np.inf, np.inf])
    np.testing.assert_array_equal(jit(choices, target="numpy")(n, k), special.comb(n, k))


def relative(x, y):
    return special.rel_entr(x, y)


def choices(n, k):
    return special.comb(n, k)


@pytest.mark.turns(4)
def test_slopes_where_a_gamma_function_has_a_pole():
    """The value is 0, its slope is not; those of quotients by the pole were NaN."""
    of_beta = grad(special.beta, argnums=(0, 1), target="numpy")
    np.testing.assert_allclose(of_beta(0.5, -0.5), [-2.0 * np.pi] * 2, rtol=1e-12)
    of_binom = grad(special.binom, argnums=(0, 1), target="numpy")
    np.testing.assert_allclose(of_binom(5.0, -1.0), [0.0, 1.0 / 6.0], rtol=1e-12)
    np.testing.assert_allclose(of_binom(0.0, 2.0), [-0.5, 0.5], rtol=1e-12)
    np.testing.assert_allclose(grad(special.rgamma, target="numpy")(700.0), 0.0)
    assert grad(grad(special.rgamma), target="numpy")(400.0) == 0.0
    assert grad(special.rgamma, target="numpy")(-100.5) == pytest.approx(1.3761329977349324e159, rel=1e-12)


def test_slopes_beside_a_zero_with_a_sign():
    assert grad(special.j1, target="numpy")(-0.0) == pytest.approx(0.5, rel=1e-15)
    for f, x in ((special.boxcox, 0.0), (special.boxcox1p, -1.0)):
        np.testing.assert_allclose(grad(f, argnums=(0, 1), target="numpy")(x, 2.0), [0.0, 0.25])
        np.testing.assert_allclose(grad(f, argnums=(0, 1), target="numpy")(x, 1.0), [1.0, 1.0])


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int32, np.float32, np.float64])
def test_airy_of_narrow_ints_is_float32(dtype):
    x = np.array([0, 1], dtype)
    for got, want in zip(jit(special.airy, target="numpy")(x), special.airy(x), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)


def beta_of(a, b):
    return special.beta(a, b)


@np.errstate(all="ignore")
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_beta_of_any_numbers(target: str) -> None:
    """SciPy's own has lost digits where its arguments are far from 0; NaN where both are tiny."""
    near, tiny = (-2.5, 0.0, 0.5, 2.0, 9.5, 79.9), (-1e-300, 1e-310, 1e-300, 1e-20)
    values = (*near, *tiny, -200.5, -79.5, -10.25, 80.0, 170.0, 1e3)
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    found = jit(beta_of, target=target)(a, b)
    for x, y, made in zip(a, b, found, strict=True):
        is_pole = x == 0.0 or y == 0.0
        size = np.inf if is_pole else 0.0 if x + y == 0.0 else float(mpmath.beta(x, y))
        assert abs(made) == abs(size) or abs(made - size) <= 1e-12 * abs(size), (x, y, made, size)
