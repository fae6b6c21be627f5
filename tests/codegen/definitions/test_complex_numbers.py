"""Definitions for complex arguments: values, special ones too, derivatives and lanes, against plain Python.

A definition without an entry in CALLS fails, so a new one comes with the calls it is tried by.
"""

import cmath
import itertools
import math
import operator
import re
import warnings

import numpy as np
import pytest
from scipy import linalg, special
from user_programs import loaded

from autobatch import Schedule, batch
from autodiff import grad, jvp
from codegen import SourceError, jit
from codegen.definitions import COMPLEX

VALUES = {
    "z": np.array([0.3 + 1.0j, -2.0 - 0.5j, 0.75j, 1.5 + 0.25j]),
    "w": np.array([1.0 - 1.0j, 0.5j, 2.0 + 0.5j, -1.0 - 1.0j]),
    "A": np.array([[1.0 + 1.0j, 2.0, 0.5j], [0.3, 3.0 - 1.0j, 1.0], [2.0j, 1.0, 1.0 - 2.0j]]),
    "x": np.array([0.4, -1.2, 0.7, 2.0]),
    "R": np.array([[0.2, 1.0, -0.4], [0.6, 0.1, 2.0]]),
    "s": 0.6 - 0.8j,
    "k": 5,
}
ELEMENTWISE = """exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh
arccosh arctanh square reciprocal sign conjugate absolute""".split()
CMATH = "exp sqrt log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh phase".split()
OPERATORS = {"operator.truediv": "operator.truediv(z, w)", "operator.pow": "operator.pow(z, w)"}
CALLS = {
    **{f"numpy.{name}": [f"np.{name}(z)"] for name in ELEMENTWISE},
    **{f"cmath.{name}": [f"cmath.{name}(s)"] for name in CMATH},
    **{name: [call] for name, call in OPERATORS.items()},
    "builtins.abs": ["abs(z)", "abs(s)"],
    "builtins.pow": ["pow(z, 3)", "pow(2.0, z)", "pow(s, k)", "pow(s, -k)"],
    "numpy.divide": ["np.divide(z, w)", "z / x", "x / z", "s / 2", "k / s"],
    "numpy.power": [
        "z**2",
        "z**-3",
        "z**0.5",
        "x**z",
        "z**w",
        "np.power(z, 7)",
        "s**k",
        "z**0",
        "np.power(s, 1.5)",
    ],
    "numpy.float_power": ["np.float_power(z, 2.5)"],
    "numpy.max": [
        "np.max(z)",
        "np.max(A * s, 0)",
        "(A * s).max(-1, keepdims=True)",
        "np.max(A[None] * s, (0, 2))",
    ],
    "numpy.amax": ["np.amax(A * s, 1)"],
    "numpy.min": ["np.min(z)", "np.min(A, 1)", "z.min()", "np.min(A * s, (0, 1), keepdims=True)"],
    "numpy.amin": ["np.amin(w)"],
    "numpy.maximum": ["np.maximum(z, w)", "np.maximum(z, x)", "np.maximum(A, s)"],
    "numpy.minimum": ["np.minimum(z, w)", "np.minimum(x, z)", "np.minimum(A * s, A.T)"],
    "numpy.partition": [
        "np.partition(z, 3)[3:]",
        "np.partition(A * s, (0, 1), 0)",
        "np.sort(np.partition(A[:2] * s, 2, None))",
    ],
    "numpy.argpartition": ["np.argpartition(z, 0)[:1] * s", "np.argpartition(A * s, 2)[:, 2] * s"],
    "scipy.special.logsumexp": [
        "special.logsumexp(z)",
        "special.logsumexp(A, 0)",
        "special.logsumexp(A, 1, None, True)",
        "special.logsumexp(z + 800.0, b=x)",
        "special.logsumexp(x, b=z)",
        "special.logsumexp(A, 0, return_sign=True)",
    ],
    "scipy.special.erf": ["special.erf(z)", "special.erf(1.0 - A)"],
    "scipy.special.erfc": ["special.erfc(z)", "special.erfc(2.0 * A - 1.0)"],
    "scipy.special.erfcx": ["special.erfcx(z)"],
    "scipy.special.erfi": ["special.erfi(z)", "special.erfi(0.01 * s)"],
    "scipy.special.dawsn": ["special.dawsn(z)", "special.dawsn(2.0 * A)"],
    "numpy.real": ["np.real(z) * 2.0"],
    "numpy.imag": ["np.imag(z) * 2.0"],
    "numpy.angle": ["np.angle(z)", "np.angle(A, deg=True)", "np.angle(z, True)"],
    "numpy.iscomplex": ["np.iscomplex(z) * x"],
    "numpy.isreal": ["np.isreal(A) * s"],
    "numpy.isnan": ["np.isnan(z) * x"],
    "numpy.isinf": ["np.isinf(z) * x"],
    "numpy.isfinite": ["np.isfinite(z) * x"],
    "cmath.isnan": ["cmath.isnan(s)"],
    "cmath.isinf": ["cmath.isinf(s)"],
    "cmath.isfinite": ["cmath.isfinite(s)"],
    "cmath.isclose": [
        "cmath.isclose(s, s + 1e-12)",
        "cmath.isclose(s, 2 * s, abs_tol=3.0)",
        "cmath.isclose(s, 1)",
    ],
    "cmath.log": ["cmath.log(s)", "cmath.log(s, 2)", "cmath.log(-3.0)"],
    "cmath.polar": ["cmath.polar(s)"],
    "cmath.rect": ["cmath.rect(2.0, k * 0.3)"],
    "numpy.nan_to_num": ["np.nan_to_num(z / (x > 0), nan=2.0, posinf=3.0)"],
    "numpy.round": ["np.round(z, 1)", "z.round()"],
    "numpy.around": ["np.around(z)"],
    "numpy.rint": ["np.rint(z)"],
    "numpy.isclose": ["np.isclose(z, z + 1e-12) * x", "np.isclose(A, A.T) * s"],
    "numpy.argsort": [
        "np.argsort(s * np.array([3.0, 1.0, 2.0j])) * s",
        "np.argsort(s * np.array([[3.0, 1.0], [1j, 2.0j]]), None) * s",
    ],
    "numpy.sort": [
        "np.sort(s * np.array([3.0, 1.0, 2.0j]))",
        "np.sort(s * np.array([[3.0, 1.0], [1j, 2.0j]]), axis=0)",
    ],
    "numpy.argmax": ["np.argmax(A, axis=1) * s", "np.argmax(z, keepdims=True) * s"],
    "numpy.argmin": ["np.argmin(A, axis=0) * s", "np.argmin(z) * s"],
    "numpy.any": ["np.any(z)", "np.any(A, axis=0)"],
    "numpy.all": ["np.all(z)", "np.all(A, axis=1, keepdims=True)"],
    "numpy.count_nonzero": ["np.count_nonzero(z)", "np.count_nonzero(A, axis=0)"],
    "numpy.nonzero": ["z[np.nonzero(z)]"],
    "numpy.flatnonzero": ["z[np.flatnonzero(z)]"],
    "numpy.prod": [
        "np.prod(z)",
        "np.prod(A, axis=0)",
        "A.prod(1)",
        "np.prod(A, keepdims=True)",
        "np.prod(A, axis=(-1, 0), keepdims=True)",
        "np.prod(np.stack((A, A)), axis=(0, -1))",
    ],
    "numpy.var": ["np.var(z)", "np.var(A, axis=0, ddof=1)", "z.var()"],
    "numpy.std": ["np.std(z)", "np.std(A, axis=1, keepdims=True)", "np.std(A, axis=(0, 1), correction=1)"],
    "numpy.nansum": ["np.nansum(np.where(x > 0.5, np.nan, z))", "np.nansum(A, axis=0)"],
    "numpy.nanprod": ["np.nanprod(np.where(x > 0.5, np.nan, z))", "np.nanprod(A, axis=1, keepdims=True)"],
    "numpy.nancumsum": ["np.nancumsum(np.where(x > 0.5, np.nan, z))", "np.nancumsum(A, axis=1)"],
    "numpy.nancumprod": ["np.nancumprod(np.where(x > 0.5, np.nan, z))", "np.nancumprod(A, axis=1)"],
    "numpy.nanmean": ["np.nanmean(np.where(x > 0.5, np.nan, z))", "np.nanmean(A, axis=0)"],
    "numpy.nanvar": ["np.nanvar(np.where(x > 0.5, np.nan, z))", "np.nanvar(A, axis=0, ddof=1)"],
    "numpy.nanstd": ["np.nanstd(np.where(x > 0.5, np.nan, z), correction=0.5)", "np.nanstd(A, axis=1)"],
    "numpy.interp": [
        "np.interp(x, [-1.0, 0.0, 0.5, 1.0], z)",
        "np.interp(x, [0.1, 0.2, 0.5, 0.8], z, 1j, 2.0)",
    ],
    "numpy.vdot": ["np.vdot(z, w)", "np.vdot(A, A.T)", "np.vdot(z, x)"],
    "numpy.vecdot": ["np.vecdot(z, w)"],
    "numpy.linalg.vecdot": ["np.linalg.vecdot(A, A.T)"],
    "numpy.vecmat": ["np.vecmat(A[0], A)"],
    "numpy.correlate": [
        "np.correlate(z, w[:2])",
        "np.correlate(z, w, 'full')",
        "np.correlate(w[:2], z, 'same')",
    ],
    "numpy.linalg.norm": [
        "np.linalg.norm(z)",
        "np.linalg.norm(A)",
        "np.linalg.norm(A, axis=0)",
        "np.linalg.norm(z, 1)",
        "np.linalg.norm(A, 2)",
        "np.linalg.norm(A, 'nuc')",
        "np.linalg.norm(np.stack((A, A * s)), -2, axis=(1, 2))",
    ],
    "numpy.linalg.solve": [
        "np.linalg.solve(A, A[0])",
        "np.linalg.solve(A, A.T)",
        "np.linalg.solve(A, R[0])",
        "np.linalg.solve(np.stack((A, A.T)), A[:, :2])",
    ],
    "numpy.linalg.inv": ["np.linalg.inv(A)", "np.linalg.inv(np.stack((A, A.T * s)))"],
    "numpy.linalg.det": [
        "np.linalg.det(A)",
        "np.linalg.det(A[::-1] * s)",
        "np.linalg.det(np.stack((A, A * s)))",
    ],
    "numpy.linalg.slogdet": [
        "np.linalg.slogdet(A)[0]",
        "np.linalg.slogdet(A[::-1] * s)[1]",
        "np.linalg.slogdet(np.stack((A, A * s)))[0]",
    ],
    "numpy.linalg.cholesky": [
        "np.linalg.cholesky(A @ np.conj(A.T))",
        "np.linalg.cholesky(A @ np.conj(A.T), upper=True)",
        "np.linalg.cholesky(np.stack((A, A * s)) @ np.conj(np.stack((A.T, A.T * 2.0 * s))))",
    ],
    # Phases of vectors are free: sizes, and products in which they cancel.
    "numpy.linalg.eigh": [
        "np.linalg.eigh(A)[0]",
        "np.abs(np.linalg.eigh(A, 'U')[1])",
        "np.linalg.eigh(A)[1] @ np.conj(np.linalg.eigh(A)[1] * x[:3]).T",
        "np.abs(np.linalg.eigh(np.stack((A, A * s)))[1])",
    ],
    "numpy.linalg.eigvalsh": ["np.linalg.eigvalsh(A)", "np.linalg.eigvalsh(np.stack((A, A * s)), 'U')"],
    "numpy.linalg.svd": [
        "np.linalg.svd(A)[1]",
        "np.linalg.svd(A)[0] @ np.linalg.svd(A)[2]",
        "np.abs(np.linalg.svd(A[:2], full_matrices=False)[2])",
        "np.abs(np.linalg.svd(A[:, :2], full_matrices=False)[0])",
        "np.abs(np.linalg.svd(A[:2])[2])",
        "np.abs(np.linalg.svd(A[:, :2])[0])",
        "np.linalg.svd(A, compute_uv=False)",
        "np.abs(np.linalg.svd(np.stack((A[:2], A[1:] * s)), full_matrices=False)[0])",
    ],
    "numpy.linalg.svdvals": ["np.linalg.svdvals(A[:2])", "np.linalg.svdvals(np.stack((A, A * s)))"],
    "numpy.linalg.qr": [
        "np.linalg.qr(A)[0]",
        "np.linalg.qr(A[:, :2])[1]",
        "np.linalg.qr(A[:2])[1]",
        "np.linalg.qr(np.stack((A[:, :2], A[:, 1:])))[0]",
        "np.linalg.qr(A, 'r')",
    ],
    "numpy.linalg.pinv": [
        "np.linalg.pinv(A[:2])",
        "np.linalg.pinv(np.stack((A[:, :2], A[:, 1:])), rcond=1e-9)",
    ],
    "numpy.linalg.lstsq": ["np.linalg.lstsq(A[:, :2], A[:, 2])[0]", "np.linalg.lstsq(A[:, :2], A[:, 1:])[3]"],
    "numpy.linalg.matrix_rank": ["np.linalg.matrix_rank(A[:2]) * x"],
    "numpy.linalg.cond": ["np.linalg.cond(A)", "np.linalg.cond(A[:2], -2)", "np.linalg.cond(A, 'fro')"],
    "numpy.fft.fft": [
        "np.fft.fft(z)",
        "np.fft.fft(x, 7)",
        "np.fft.fft(A, 2, 0)",
        "np.fft.fft(A, norm='ortho')",
    ],
    "numpy.fft.ifft": ["np.fft.ifft(z)", "np.fft.ifft(A, 5, axis=0)", "np.fft.ifft(z, norm='forward')"],
    "numpy.fft.rfft": ["np.fft.rfft(x)", "np.fft.rfft(R)", "np.fft.rfft(R, axis=0)", "np.fft.rfft(x, 7)"],
    "numpy.fft.irfft": [
        "np.fft.irfft(z)",
        "np.fft.irfft(z, 7)",
        "np.fft.irfft(A, axis=0)",
        "np.fft.irfft(z, 12)",
    ],
    "numpy.fft.hfft": ["np.fft.hfft(z)", "np.fft.hfft(z, 5, norm='ortho')"],
    "numpy.fft.ihfft": ["np.fft.ihfft(x)", "np.fft.ihfft(x, norm='forward')"],
    "numpy.fft.fft2": ["np.fft.fft2(A)", "np.fft.fft2(R, (3, 2))"],
    "numpy.fft.ifft2": ["np.fft.ifft2(A)"],
    "numpy.fft.fftn": ["np.fft.fftn(A)", "np.fft.fftn(A, axes=(0,))"],
    "numpy.fft.ifftn": ["np.fft.ifftn(A, norm='ortho')"],
    "numpy.fft.rfft2": ["np.fft.rfft2(R)"],
    "numpy.fft.irfft2": ["np.fft.irfft2(A)"],
    "numpy.fft.rfftn": ["np.fft.rfftn(R)", "np.fft.rfftn(x)"],
    "numpy.fft.irfftn": ["np.fft.irfftn(A)"],
}
REFUSES = {"numpy.real_if_close"}
H = "(A @ np.conj(A.T))"
OF_SCIPY_LINALG = f"""inv(A); det(A); solve(A, z[:3]); solve(A, x[1:]); solve({H}, z[:3], assume_a="pos"); expm(A)
solve({H}, z[1:], assume_a="her", lower=True); solve(A, z[:3], assume_a="sym"); cholesky({H}); cholesky({H}, lower=True)
cho_solve(linalg.cho_factor({H}), w[:3]); cho_factor({H}, lower=True)[0]; cho_solve((A, True), x[:3]); det(A[None] * s)
solve_triangular(A, z[1:]); solve_triangular(A, z[:3], lower=True, trans="T"); solve_triangular(R[:, 1:], z[:2])
solve_triangular(A, x[1:], trans="C", unit_diagonal=True); sqrtm({H}); logm(A); cosm(A); sinm(A); block_diag(A, x)
solve_sylvester(A, {H}, A); solve_continuous_lyapunov(A, {H}); solve_discrete_lyapunov(0.1 * A, {H}); toeplitz(z)
hankel(z, x); circulant(z); companion(z); qr(A[:, :2], mode="economic")[0]; qr(A, mode="r")[0]; pinv(A[:2])
pinvh({H}, lower=False); eigh({H}, np.abs(A) @ np.abs(A).T + np.eye(3))[0]; eigvalsh(A, lower=False)
convolution_matrix(z, 2); solve(np.stack((A, A * s)), z[:3]); inv(A, assume_a="upper triangular")"""
EVERY = [call for calls in CALLS.values() for call in calls]
EVERY += [f"linalg.{call.strip()}" for line in OF_SCIPY_LINALG.splitlines() for call in line.split(";")]
EXACT = (
    "round",
    "rint",
    "sign",
    "is",
    "any",
    "all",
    "count",
    "nonzero",
    "nan_to_num",
    "isclose",
)  # no slopes to try


def program(text):
    """A function of the values that an expression has, and those."""
    names = [name for name in VALUES if re.search(rf"(?<![\w.]){name}\b", text)]
    f = loaded(f"def f({', '.join(names)}):\n    return {text}\n")
    f.__globals__.update(cmath=cmath, linalg=linalg, math=math, operator=operator, special=special)
    return f, [VALUES[name] for name in names]


def same(got, want, tolerance=1e-12):
    if isinstance(want, tuple):
        assert type(got) is tuple and len(got) == len(want)
        for one, other in zip(got, want):
            same(one, other, tolerance)
        return
    assert np.asarray(got).dtype == np.asarray(want).dtype and np.shape(got) == np.shape(want), (got, want)
    assert np.allclose(got, want, tolerance, tolerance, equal_nan=True), (got, want)


def test_every_definition_has_calls():
    assert COMPLEX.keys() - REFUSES == CALLS.keys()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("text", EVERY)
def test_values(text, target="numpy"):
    f, values = program(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(jit(f, target=target)(*values), f(*values))


@pytest.mark.sampled(240)
@pytest.mark.parametrize("text", EVERY)
def test_compiled(text):
    test_values(text, "numba")


@pytest.mark.sampled(132)
@pytest.mark.parametrize("text", [t for t in EVERY if not any(word in t for word in EXACT)])
def test_slopes(text):
    """In a direction against differences; reverse mode by the real part of tangent times gradient."""
    f, values = program(text)
    random = np.random.default_rng(1)
    moving = [k for k, v in enumerate(values) if not isinstance(v, int)]
    directions = [
        random.normal(size=np.shape(v))
        + (1j * random.normal(size=np.shape(v)) if np.iscomplexobj(v) else 0.0)
        for v in (values[k] for k in moving)
    ]
    directions = [d if np.ndim(d) else type(values[k])(d) for k, d in zip(moving, directions)]

    def g(*given):
        every = list(values)
        for k, v in zip(moving, given, strict=True):
            every[k] = v
        return parts_of(f(*every))

    def at(step):
        return g(*(values[k] + step * d for k, d in zip(moving, directions, strict=True)))

    wrapped = by_places(text, moving)
    primals = tuple(values[k] for k in moving)
    _, change = jvp(wrapped, primals, tuple(directions), target="numpy")
    want = [(a - b) / 2e-6 for a, b in zip(at(1e-6), at(-1e-6), strict=True)]
    for one, other in zip(parts_of(change), want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)
    total = weighted(text, moving)
    slopes = grad(total, tuple(range(len(moving))), target="numpy")(*primals)
    forward = jvp(total, primals, tuple(directions), target="numpy")[1]
    back = sum(np.sum(s * d).real for s, d in zip(slopes, directions, strict=True))
    np.testing.assert_allclose(back, forward, rtol=1e-9, atol=1e-9)


def parts_of(value):
    """What a call gives, as real arrays."""
    listed = value if isinstance(value, tuple) else (value,)
    return [part for v in listed for part in ((np.real(v), np.imag(v)) if np.iscomplexobj(v) else (v,))]


def by_places(text, moving):
    """The call as a function of those of its values that move."""
    f, values = program(text)
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    fixed = "".join(f"    {n} = {v!r}\n" for k, (n, v) in enumerate(zip(names, values)) if k not in moving)
    made = loaded(f"def f({', '.join(names[k] for k in moving)}):\n{fixed}    return {text}\n")
    made.__globals__.update(f.__globals__ | {"np": np})
    return made


def weighted(text, moving):
    """A real number that all parts of the result go into."""
    f, _ = program(text)
    inner = by_places(text, moving)
    names = inner.__code__.co_varnames[: inner.__code__.co_argcount]
    made = loaded(
        f"def f({', '.join(names)}):\n    v = g({', '.join(names)})\n"
        "    total = 0.0\n"
        "    for each in v if isinstance(v, tuple) else (v,):\n"
        "        y = np.asarray(each)\n"
        "        total += np.sum(np.cos(np.real(y)) + 0.7 * np.sin(np.imag(y)))\n"
        "    return total\n"
    )
    made.__globals__.update(f.__globals__ | {"g": inner, "np": np})
    return made


OF_LANES = [
    text
    for text in EVERY
    if "flatnonzero" not in text
    and "z[np.nonzero" not in text
    and not all(isinstance(value, int) for value in program(text)[1])  # ints are not lanes' own
]


@pytest.mark.sampled(210)
@pytest.mark.parametrize("text", OF_LANES)
def test_lanes(text):
    f, values = program(text)
    moving = [not isinstance(v, int) for v in values]
    lanes = [np.stack([v, v * 1.25]) if over else v for v, over in zip(values, moving)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        axes = tuple(0 if over else None for over in moving)
        got = batch(f, in_axes=axes, schedule=Schedule(optimize="fast"))(*lanes)  # which runs once
        for k in range(2):
            own = [v[k] if over else v for v, over in zip(lanes, moving)]
            for one, other in zip(parts_of(got), parts_of(f(*own)), strict=True):
                np.testing.assert_allclose(one[k], other, rtol=1e-11, atol=1e-12)


SPECIAL = [-math.inf, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan]
SPECIALS = np.array([complex(x, y) for x, y in itertools.product(SPECIAL, SPECIAL)])
# Zeros of either sign that NumPy's own libraries do not agree on, and what C99 leaves open.
FINITE = SPECIALS[np.isfinite(SPECIALS)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(
    "name", ["exp", "log", "sqrt", "sinh", "cosh", "sin", "cos", "conjugate", "absolute", "square"]
)
def test_special_values(name, target):
    """Which parts are infinite, NaN or finite, and what they are; beside a NaN C99 leaves signs open."""
    f, _ = program(f"np.{name}(z)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = jit(f, target=target)(SPECIALS), getattr(np, name)(SPECIALS)
    for z, g, w in zip(SPECIALS, got, want):
        for one, other in zip(parts_of(g), parts_of(w), strict=True):
            size = abs if np.isnan(w) else float
            assert np.isclose(size(one), size(other), 1e-13, 1e-13, equal_nan=True), (z, g, w)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(
    "name",
    ["sqrt", "log", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "tan", "tanh", "exp"],
)
def test_sides_of_cuts(name, target):
    """The sign of a zero says on which side of a cut a number is."""
    f, _ = program(f"np.{name}(z)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = jit(f, target=target)(FINITE), getattr(np, name)(FINITE)
    for z, g, w in zip(FINITE, got, want):
        assert np.isclose(g, w, 1e-13, 1e-13, equal_nan=True), (z, g, w)


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_operators_of_special_values(sign, target):
    """As NumPy's arrays have them, signs of zeros too; a real operand is a complex one."""
    f = loaded(f"def f(z, w, x):\n    return z {sign} w, z {sign} x, x {sign} z\n")
    z, w = (np.array(each) for each in zip(*itertools.product(SPECIALS[::5], SPECIALS[::7])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = jit(f, target=target)(z, w, w.real.copy()), f(z, w, w.real.copy())
    for ours, numpys in zip(got, want):
        for g, n in zip(parts_of(ours), parts_of(numpys)):
            agree = np.isclose(g, n, 1e-14, 0.0, equal_nan=True) & (
                (n != 0) | (np.signbit(g) == np.signbit(n))
            )
            assert np.all(agree), [(z[k], w[k], ours[k], numpys[k]) for k in np.flatnonzero(~agree)[:5]]


@pytest.mark.parametrize("text", ["np.median(A)", "np.percentile(A, 30, 0)"])
def test_numbers_without_order(text):
    f, values = program(text)
    with pytest.raises(
        SourceError, match="of complex numbers is not supported: compute it of .real and .imag"
    ):
        jit(f, target="numpy")(*values)


IN_ORDER = np.array(
    [2 + 1j, 1 - 1j, 2 - 1j, 1 - 1j, np.nan + 1j, complex(1, np.nan), 0j, complex(np.nan, np.nan), -5 + 2j]
)


def ordered(z):
    a = z[:4].reshape(2, 2)
    return (
        np.sort(z), np.argsort(z, kind="stable"), np.argmax(z), np.argmin(z), np.argmax(z[:4]), np.argmin(z[:4]),
        np.max(z), np.min(z), np.max(z[:4]), np.min(a, 0), np.maximum(z, z[::-1]), np.minimum(z, z[::-1]),
        np.sort(a, 0), np.argmax(a, 1), np.unique(z), *np.unique(z[:4], True, True, True), np.unique_counts(z[:4])[1],
    )  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_order(target):
    """By real parts, then by imaginary ones, NaN last, where there is one behind those without."""
    for found, wanted in zip(jit(ordered, target=target)(IN_ORDER), ordered(IN_ORDER), strict=True):
        np.testing.assert_array_equal(found, wanted)


def in_single_precision(value):
    if isinstance(value, int):
        return value
    return np.asarray(value).astype(np.complex64 if np.iscomplexobj(value) else np.float32)[()]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("numpy.")])
def test_single_precision_stays(name):
    """Of arrays, and of numbers where a function takes them: float64 in a definition's text would make them double."""
    for text in CALLS[name]:
        f, values = program(text)
        arrays = [in_single_precision(value) for value in values]
        numbers = [x[0] if np.ndim(x) == 1 else x for x in arrays]
        for given in (arrays, numbers):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    want = f(*given)
                except (ValueError, TypeError, IndexError):
                    assert given is numbers
                    continue
                got = jit(f, target="numpy")(*given)
            dtypes = [
                [np.asarray(x).dtype for x in (v if isinstance(v, tuple) else (v,))] for v in (got, want)
            ]
            assert dtypes[0] == dtypes[1], text
