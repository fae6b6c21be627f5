"""Functions that are built of rows or defined in our own language: values, derivatives of both orders and lanes.

A definition without an entry in CASES fails, so a new one comes with the calls it is tried by.
"""

import bisect
import functools
import heapq
import math
import operator
import traceback

import mpmath
import numpy as np
import pytest
from plain_python import difference
from scipy import integrate, linalg, optimize, signal, special, stats
from user_programs import loaded

from autobatch import LaneError, batch
from autodiff import check_grads, grad, jvp
from codegen import SourceError, jit
from codegen.definitions import DEFINITIONS
from codegen.definitions.table import GENERATOR
from codegen.primitives import ROWS

# Calls by the function's name; of these values, which may be differentiated.
VALUES = {
    "x": np.array([0.31, 0.72, 0.53]),
    "y": np.array([0.64, 0.27, 0.88]),
    "A": np.array([[2.31, 0.72, 0.53], [0.15, 1.44, 0.96], [0.6, 0.2, 3.0]]),
    "s": 1.3,
}
CASES = {
    "scipy.stats.norm.logpdf": [
        "norm.logpdf(x)",
        "norm.logpdf(x, y)",
        "norm.logpdf(s, x, scale=A)",
        "norm.logpdf(s)",
    ],
    **{
        f"scipy.stats.{call.partition('(')[0]}": [f"stats.{call}"]
        for call in (
            "expon.logpdf(x, scale=s)", "uniform.logpdf(x, -s, A + 3)", "laplace.logpdf(x, y + 1, s)",
            "logistic.logpdf(x, y, scale=A)", "cauchy.logpdf(x, y, s)", "halfnorm.logpdf(x, scale=s)",
            "halfcauchy.logpdf(x, 0, s)", "t.logpdf(x, A, y, s)", "gamma.logpdf(x, A, scale=s)",
            "chi2.logpdf(x, s * 3)", "invgamma.logpdf(x, A, scale=s)", "beta.logpdf(x, y, A)",
            "lognorm.logpdf(x, s, scale=y)", "pareto.logpdf(x + 2, s)", "weibull_min.logpdf(x, y, scale=s)",
            "poisson.logpmf([0, 2, 1], A)", "bernoulli.logpmf([0, 1, 1], x)", "binom.logpmf([0, 3, 7], 7, x)",
            "geom.logpmf([1, 4, 2], x)", "nbinom.logpmf([0, 4, 2], A, x)",
        )
    },
    "scipy.integrate.quad": [
        "integrate.quad(lambda t: np.exp(-s * t * t) * x[0], y[0], 2.0)[0] * y",
        "integrate.quad(lambda t, a: np.exp(-a * t * t), -np.inf, np.inf, (s,))[0]",
    ],
    "scipy.integrate.solve_ivp": [
        "integrate.solve_ivp(lambda t, z: -s * z + t, (0, 1), x, t_eval=[0.3, 1], rtol=1e-9, atol=1e-9).y",
        "integrate.solve_ivp(lambda t, z, a: a @ z, (0, -s), x, 'RK23', [-s], args=(A,), rtol=1e-7, atol=1e-7).y[:, 0]",
    ],
    **{
        f"scipy.optimize.{name}": [f"optimize.{name}(lambda t: t * np.exp(t) - s * y[0], 0.0, 4.0) * x"]
        for name in ("brentq", "brenth", "bisect", "ridder")
    },
    "scipy.optimize.newton": [
        "optimize.newton(lambda t: t * t - s, 1.0, lambda t: 2.0 * t) * x",
        "optimize.newton(lambda t, a: t ** 3 - a, s, args=(y[0],))",
    ],
    "numpy.argsort": ["np.argsort(x) * s", "np.argsort(A, axis=0) * x", "np.argsort(A, None) * s"],
    "numpy.sort": ["np.sort(x)", "np.sort(A, axis=0)", "np.sort(A, axis=None)"],
    "numpy.searchsorted": ["np.searchsorted(np.sort(x), y) * s", "np.searchsorted([0.21, 0.5], A, side='right') * s"],
    "numpy.digitize": ["np.digitize(A, [0.1, 0.7, 1.1]) * s", "np.digitize(x, [1.0, 0.5], right=True) * s"],
    "numpy.histogram": [
        "np.histogram(A, 3)[0] * s",
        "np.histogram(A, 4, (0, 3.3), weights=A)[0]", "np.histogram(x, [0, 0.5, 1], density=True)[0]"],
    "numpy.unique": [
        "np.sum(np.unique(x) * 2)", "np.unique(A, return_inverse=True)[1] * s",
        "np.unique(x, return_index=True, return_counts=True)[1] * s",
    ],
    "numpy.flatnonzero": ["np.sum(x[np.flatnonzero(y > -9)])"],
    "numpy.partition": ["np.partition(x, 1)[1]", "np.partition(A, 1)[:, 1]", "np.partition(x, -1)[2]"],
    "numpy.bitwise_count": ["np.bitwise_count(np.array([3, 255, -1])) * s", "np.bitwise_count(7) * s"],
    "numpy.ndarray.tolist": ["np.array(x.tolist()) * s", "max(A[0].tolist())"],
    "numpy.trim_zeros": ["np.trim_zeros(np.array([0.0, s, 0.0]))", "np.trim_zeros(np.array([0.0, s, 0.0]), 'b')"],
    "numpy.median": ["np.median(x)", "np.median(A[:2], axis=0)", "np.median(A, axis=1, keepdims=True)"],
    "numpy.percentile": ["np.percentile(x, 30)", "np.percentile(A, [10, 90], axis=1)", "np.percentile(A, 30, (0, 1))"],
    "numpy.quantile": ["np.quantile(x, 0.3)", "np.quantile(A, [0.1, 0.9])", "np.quantile(A, 0.4, 0, keepdims=True)"],
    "numpy.cumprod": ["np.cumprod(x)", "np.cumprod(A, axis=1)", "np.cumprod(A)"],
    "numpy.ediff1d": ["np.ediff1d(A)", "np.ediff1d(x, to_end=y, to_begin=s)"],
    "numpy.interp": ["np.interp(x, [0.0, 0.5, 1.0], y)", "np.interp(A * 1.1, np.sort(x), y, left=s)"],
    "numpy.convolve": ["np.convolve(x, y)", "np.convolve(x, y[:2], 'same')", "np.convolve(x, y[:2], 'valid')"],
    "numpy.correlate": ["np.correlate(x, y)", "np.correlate(x, y[:2], 'full')", "np.correlate(x, y[:2], 'same')"],
    "numpy.fft.fftfreq": ["np.fft.fftfreq(5, 0.1) * s", "np.fft.fftfreq(4, s)"],
    "numpy.fft.rfftfreq": ["np.fft.rfftfreq(5) * s", "np.fft.rfftfreq(4, d=s)"],
    "numpy.fft.fftshift": ["np.fft.fftshift(x)", "np.fft.fftshift(A)", "np.fft.fftshift(A, 1)"],
    "numpy.fft.ifftshift": ["np.fft.ifftshift(x)", "np.fft.ifftshift(A, axes=(0,))"],
    "numpy.bincount": ["np.bincount([1, 0, 1], x, 4)", "np.bincount([2, 0, 2], minlength=4) * s"],
    "math.prod": ["math.prod(A.shape) * s", "math.prod((s, 2, s), start=3)", "math.prod(x)"],
    "numpy.shape": ["np.zeros(np.shape(A)) + s"],
    "numpy.ndim": ["np.ndim(A) * s"],
    "numpy.size": ["np.size(A) * s", "np.size(A, 1) * x"],
    "numpy.nonzero": ["A[np.nonzero(A > -9)]"],
    "numpy.argwhere": ["np.sum(np.argwhere(A > -9)) * s"],
    "numpy.compress": ["np.compress([True, False, True], A, axis=1)"],
    "numpy.extract": ["np.extract([[True, False, True]] * 3, A)"],
    "numpy.choose": ["np.choose([2, 0, 1], [x, y, A[0]])"],
    "numpy.insert": ["np.insert(x, 1, s)", "np.insert(A, -1, y, axis=0)", "np.insert(x, [2, 0], y[:2])"],
    "numpy.delete": ["np.delete(x, 1)", "np.delete(A, 2, axis=1)", "np.delete(A, [0, -1], 0)"],
    "numpy.unravel_index": ["A[np.unravel_index([7, 2], (3, 3))]"],
    "numpy.ravel_multi_index": ["A.ravel()[np.ravel_multi_index(([2, 0], [1, 2]), (3, 3))]"],
    "numpy.copy": ["np.copy(A)"],
    "numpy.ascontiguousarray": ["np.ascontiguousarray(A.T)"],
    "numpy.asfortranarray": ["np.asfortranarray(A)", "np.asfortranarray(x) * s", "np.asfortranarray(s)"],
    "numpy.tril_indices": ["A[np.tril_indices(3)]"],
    "numpy.triu_indices": ["A[np.triu_indices(3, 1)]"],
    "numpy.diag_indices": ["A[np.diag_indices(3)]"],
    "numpy.isin": ["np.isin([1, 4], [4, 2]) * s"],
    "numpy.union1d": ["np.sum(np.union1d(x, y))"],
    "numpy.intersect1d": ["np.sum(np.intersect1d(x, x))"],
    "numpy.setdiff1d": ["np.sum(np.setdiff1d(x, y))"],
    **{
        f"operator.{name}": [f"operator.{name}(A, y)"]
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
    },
    **{f"operator.{name}": [f"operator.{name}(A)"] for name in ("neg", "pos", "abs")},
    **{f"operator.{name}": [f"operator.{name}(A, y) * s"] for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{f"operator.{name}": [f"operator.{name}(6, 3) * s"] for name in ("and_", "or_", "xor", "lshift", "rshift")},
    **{f"operator.{name}": [f"operator.{name}(6) * s"] for name in ("invert", "inv", "not_", "truth")},
    **{
        f"operator.i{name}": [f"operator.i{name}(A * 1, y)"]
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
    },
    **{f"operator.i{name}": [f"operator.i{name}(6, 3) * s"] for name in ("and", "or", "xor", "lshift", "rshift")},
    "operator.imatmul": ["operator.imatmul(A * 1, A)"],
    "operator.concat": ["np.array(operator.concat([s, 2.0], [s]))"],
    "operator.iconcat": ["np.array(operator.iconcat((s, 2.0), (s,)))"],
    "operator.contains": ["operator.contains((1, 3), 3) * s"],
    "operator.countOf": ["operator.countOf((1, 3, 3), 3) * s"],
    "operator.indexOf": ["operator.indexOf((1, 3, 3), 3) * s"],
    "operator.is_": ["operator.is_(None, None) * s"],
    "operator.is_not": ["operator.is_not(s, None) * s"],
    "bisect.bisect_left": ["bisect.bisect_left([0.2, 0.5, 0.5, 3.0], 0.5) * s", "bisect.bisect_left(x, s, 1, 2) * s"],
    "bisect.bisect_right": ["bisect.bisect([0.2, 0.5, 0.5, 3.0], 0.5) * s", "bisect.bisect_right(x, s, lo=1) * s"],
    "numpy.polyval": ["np.polyval(x, y)", "np.polyval([2.0, 1.0], A)"],
    "numpy.vecdot": ["np.vecdot(x, y)", "np.vecdot(A, x)"],
    "numpy.matrix_transpose": ["np.matrix_transpose(A) * x"],
    "numpy.nanmedian": ["np.nanmedian(np.where(A > 2.9, np.nan, A), axis=1)"],
    "math.factorial": ["math.factorial(4) * s"],
    "math.comb": ["math.comb(7, 3) * s"],
    "math.perm": ["math.perm(7, 3) * s"],
    "numpy.add.accumulate": ["np.add.accumulate(A)", "np.add.accumulate(A, axis=1)"],
    "numpy.multiply.accumulate": ["np.multiply.accumulate(A)", "np.multiply.accumulate(x)"],
    "numpy.maximum.accumulate": ["np.maximum.accumulate(A)", "np.maximum.accumulate(x)"],
    "numpy.minimum.accumulate": ["np.minimum.accumulate(A, axis=-1)"],
    "numpy.fmax.accumulate": ["np.fmax.accumulate(A)"],
    "numpy.fmin.accumulate": ["np.fmin.accumulate(A, axis=1)"],
    **{
        f"numpy.{name}.{method}": [f"np.{name}.{method}(A)", f"np.{name}.{method}(A, axis=1)"]
        for name in ("subtract", "divide", "copysign", "float_power", "hypot", "logaddexp2")
        for method in ("reduce", "accumulate")
    },
    **{f"numpy.{name}.accumulate": [f"np.{name}.accumulate(x)"] for name in ("power", "arctan2")},
    **{
        f"numpy.{name}.{method}": [f"np.{name}.{method}([7, 3, 2]) * s"]
        for name in ("floor_divide", "remainder", "fmod", "gcd", "lcm", "logical_xor")
        for method in ("reduce", "accumulate")
    },
    **{
        f"numpy.{name}.accumulate": [f"np.{name}.accumulate([7, 3, 2]) * s"]
        for name in ("logical_and", "logical_or", "bitwise_and", "bitwise_or", "bitwise_xor")
    },
    **{
        f"numpy.{name}.reduceat": [f"np.{name}.reduceat(A, [0, 2, 1])", f"np.{name}.reduceat(A, [1, 0], axis=1)"]
        for name in ("add", "multiply", "subtract", "divide", "maximum", "minimum", "fmax", "fmin", "logaddexp")
    },
    **{
        f"numpy.{name}.reduceat": [f"np.{name}.reduceat([7, 3, 2, 0], [0, 2, 3]) * s"]
        for name in ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")
    },
    "numpy.bitwise_and.reduce": ["np.bitwise_and.reduce([6, 3, 7]) * s"],
    "numpy.bitwise_or.reduce": ["np.bitwise_or.reduce([[6, 3], [8, 1]], axis=1) * s"],
    "numpy.bitwise_xor.reduce": ["np.bitwise_xor.reduce([6, 3, 7]) * s"],
    "numpy.nancumprod": ["np.nancumprod(x)", "np.nancumprod(A, axis=1)"],
    "numpy.logaddexp.accumulate": ["np.logaddexp.accumulate(A)"],
    "numpy.logaddexp.reduce": ["np.logaddexp.reduce(x)", "np.logaddexp.reduce(A, axis=1)"],
    "math.isqrt": ["math.isqrt(99) * s"],
    "math.gcd": ["math.gcd(84, 36) * s"],
    "math.lcm": ["math.lcm(84, 36) * s"],
    "math.remainder": ["math.remainder(s, 0.7)", "math.remainder(2.0, s)"],
    "math.dist": ["math.dist(x, y)"],
    "math.cbrt": ["math.cbrt(s)"],
    "math.exp2": ["math.exp2(s)"],
    "math.gamma": ["math.gamma(s)"],
    "math.fmod": ["math.fmod(s, 0.4)"],
    "math.degrees": ["math.degrees(s)"],
    "math.radians": ["math.radians(s)"],
    "math.isclose": ["math.isclose(s, s + 1e-12) * s"],
    "numpy.linalg.trace": ["np.linalg.trace(A)"],
    "numpy.linalg.diagonal": ["np.linalg.diagonal(A)"],
    "numpy.linalg.outer": ["np.linalg.outer(x, y)"],
    "numpy.linalg.matmul": ["np.linalg.matmul(A, A)"],
    "numpy.linalg.cross": ["np.linalg.cross(x, y)"],
    "numpy.linalg.vecdot": ["np.linalg.vecdot(A, x, axis=-1)"],
    "numpy.linalg.vector_norm": [
        "np.linalg.vector_norm(A, ord=3)", "np.linalg.vector_norm(A, axis=0)", "np.linalg.vector_norm(A, axis=(1, 0))",
    ],
    "scipy.linalg.lstsq": ["linalg.lstsq(A, x)[0]", "linalg.lstsq(A[:, :2], y, 1e-9)[3]"],
    "scipy.linalg.norm": ["linalg.norm(A, 1)", "linalg.norm(A, axis=1)"],
    "numpy.linalg.matrix_norm": ["np.linalg.matrix_norm(A)", "np.linalg.matrix_norm(A, ord=1)"],
    **{
        f"scipy.linalg.{call.partition('(')[0]}": [f"linalg.{call}"]
        for call in (
            "inv(A)", "det(A)", "solve(A, x)", "cholesky(A @ A.T, lower=True)", "solve_triangular(A, x, lower=True)",
            "cho_factor(A @ A.T)[0]", "cho_solve(linalg.cho_factor(A @ A.T), x)", "expm(0.3 * A)", "toeplitz(x, y)",
            "solve_banded((1, 1), A, x)", "solve_sylvester(A, A[:2, :2] + s, A[:, :2])", "lu_factor(A)[0]",
            "lu_solve(linalg.lu_factor(A[::-1]), x, 1)", "qr(A[:, :2])[1]", "pinv(A[:2])", "pinvh(A, rtol=1e-9)",
            "sqrtm(A @ A)", "logm(A)", "cosm(A)", "sinm(A)", "tanm(A)", "coshm(A)",
            "sinhm(A)", "tanhm(A)", "polar(A, 'left')[1]", "solve_continuous_lyapunov(A, A.T)", "hankel(x, y)",
            "solve_discrete_lyapunov(0.2 * A, A.T)", "circulant(A)", "companion(x)", "leslie(x, y[:2])", "fiedler(x)",
            "hilbert(3) * s", "convolution_matrix(x, 4, 'same')", "orth(A)", "null_space(A[:2]) ** 2",
        )
    },
    "scipy.signal.convolve": ["signal.convolve(A, A[:2, :2], 'same')", "signal.convolve(x, y[:2], mode='valid')"],
    "scipy.signal.fftconvolve": ["signal.fftconvolve(x[:2], y, 'same')"],
    "scipy.signal.correlate": ["signal.correlate(x[:2], y, 'valid')", "signal.correlate(A, A[:1])"],
    "scipy.signal.convolve2d": ["signal.convolve2d(A[:2], A, 'same')"],
    "scipy.signal.correlate2d": ["signal.correlate2d(A, A[:2, :2], 'same')", "signal.correlate2d(A[:1], A, 'valid')"],
    "scipy.stats.multivariate_normal.entropy": ["stats.multivariate_normal.entropy(x, A @ A.T)"],
    **{
        f"scipy.special.{call.partition('(')[0]}": [f"special.{call}"]
        for call in (
            "betaln(x, y)", "beta(A, s)", "multigammaln(s + x, 2)", "factorial([4, 2]) * s", "kl_div(x, y)", "exp10(x)",
            "boxcox(x, s)", "inv_boxcox(x, s)", "huber(s, A)", "pseudo_huber(s, A)", "log_ndtr(x - 2 * y)",
            "gammasgn(0.5 - A)", "ndtri(x)", "erfinv(y)", "erfcinv(x)", "comb(7, [2, 3]) * s", "loggamma(x)",
            "rgamma(A)", "exprel(A)", "cosm1(x)", "boxcox1p(x, s)", "softplus(A)", "cbrt(A)", "exp2(x)", "i0(x)",
            "i1(x)", "i0e(x)", "i1e(x)",
        )
    },
    **{
        f"scipy.stats.{call.partition('(')[0]}": [call if call[:5] == "norm." else f"stats.{call}"]
        for call in (
            "f.logpdf(x, s, y)", "skewnorm.logpdf(x, s)", "vonmises.logpdf(x, s)", "truncnorm.logpdf(x, -s, y + 2)",
            "betabinom.logpmf([0, 2, 5], 5, x, s)", "hypergeom.logpmf([0, 2], 9, 4, 3) * s",
            "dirichlet.logpdf(x / np.sum(x), y)", "multinomial.logpmf([1, 0, 2], 3, x / np.sum(x))",
            "multivariate_normal.logpdf(x, y, A @ A.T)", "norm.pdf(x, s, y)", "expon.pdf(x, scale=s)",
            "uniform.pdf(x, -s, 4)", "laplace.pdf(x, s, y)", "logistic.pdf(x, s, y)", "cauchy.pdf(x, s, y)",
            "halfnorm.pdf(x, scale=y)", "halfcauchy.pdf(x, scale=y)", "t.pdf(x, s)", "gamma.pdf(x, s)",
            "chi2.pdf(x, s)", "invgamma.pdf(x, s)", "beta.pdf(x, y, s)", "lognorm.pdf(x, s)", "pareto.pdf(x + 2, s)",
            "weibull_min.pdf(x, s)", "poisson.pmf([0, 2, 1], x)", "bernoulli.pmf([0, 1, 1], x)",
            "binom.pmf([0, 3, 7], 7, x)", "geom.pmf([1, 4, 2], x)", "nbinom.pmf([0, 4, 2], s, x)", "f.pdf(x, s, y)",
            "skewnorm.pdf(x, s)", "vonmises.pdf(x, s)", "truncnorm.pdf(x, -s, y)",
            "betabinom.pmf([0, 2, 5], 5, x, s)", "hypergeom.pmf([0, 2], 9, 4, 3) * s",
            "dirichlet.pdf(x / np.sum(x), y)", "multinomial.pmf([1, 0, 2], 3, x / np.sum(x))",
            "multivariate_normal.pdf(x, y, A @ A.T)", "norm.cdf(x, s, y)", "norm.logcdf(x, s, y)", "norm.sf(x, s, y)",
            "norm.logsf(x, s, y)", "norm.ppf(x, s, y)", "norm.isf(x, s, y)", "expon.sf(x, scale=s)",
            "expon.logsf(x, scale=s)", "expon.ppf(x, scale=s)", "expon.isf(x, scale=s)", "uniform.sf(x, -s, 4)",
            "uniform.logsf(x, -s, 4)", "uniform.ppf(x, -s, 4)", "uniform.isf(x, -s, 4)", "laplace.sf(x, s, y)",
            "laplace.logsf(x, s, y)", "laplace.ppf(x, s, y)", "laplace.isf(x, s, y)", "logistic.sf(x, s, y)",
            "logistic.logsf(x, s, y)", "logistic.ppf(x, s, y)", "logistic.isf(x, s, y)", "cauchy.sf(x, s, y)",
            "cauchy.logsf(x, s, y)", "cauchy.ppf(x, s, y)", "cauchy.isf(x, s, y)", "halfnorm.sf(x, scale=y)",
            "halfnorm.logsf(x, scale=y)", "halfnorm.ppf(x, scale=y)", "halfnorm.isf(x, scale=y)",
            "halfcauchy.sf(x, scale=y)", "halfcauchy.logsf(x, scale=y)", "halfcauchy.ppf(x, scale=y)",
            "halfcauchy.isf(x, scale=y)", "lognorm.sf(x, s)", "lognorm.logsf(x, s)", "lognorm.ppf(x, s)",
            "lognorm.isf(x, s)", "pareto.sf(x + 2, s)", "pareto.logsf(x + 2, s)", "pareto.ppf(x, s)",
            "pareto.isf(x, s)", "weibull_min.sf(x, s)", "weibull_min.logsf(x, s)", "weibull_min.ppf(x, s)",
            "weibull_min.isf(x, s)", "truncnorm.sf(x, -s, y + 2)", "truncnorm.logsf(x, -s, y + 2)",
            "skewnorm.sf(x, s)", "skewnorm.logsf(x, s)", "vonmises.sf(x, s)", "expon.cdf(x, scale=s)",
            "uniform.cdf(x, -s, 4)",
            "laplace.cdf(x, s, y)", "logistic.cdf(x, s, y)", "logistic.logcdf(x, s, y)", "cauchy.cdf(x, s, y)",
            "halfnorm.cdf(x, scale=y)", "halfcauchy.cdf(x, scale=y)", "lognorm.cdf(x, s)", "pareto.cdf(x + 2, s)",
            "weibull_min.cdf(x, s)",
        )
    },
    "numpy.gcd": ["np.gcd([12, -18], 8) * s"],
    "numpy.lcm": ["np.lcm([12, -18], 8) * s"],
    "numpy.fromfunction": ["np.fromfunction(lambda i, j: (i - j) * s, (3, 2))", "x * np.fromfunction(np.sin, (3,))"],
    "numpy.lib.stride_tricks.sliding_window_view": [
        "np.lib.stride_tricks.sliding_window_view(x, 2)", "np.lib.stride_tricks.sliding_window_view(A, 2, axis=0)",
        "np.lib.stride_tricks.sliding_window_view(A, (2,), axis=-1) * s",
        "np.lib.stride_tricks.sliding_window_view(A, (2, 1))", "np.lib.stride_tricks.sliding_window_view(A, A.shape)",
        "np.lib.stride_tricks.sliding_window_view(A, [1, 2], axis=(-1, 0))",
    ],
    "functools.reduce": [
        "functools.reduce(lambda a, b: a * 2 + b, x)", "functools.reduce(operator.add, x, s)",
        "functools.reduce(lambda a, b: a @ b, [A, A.T, A])", "functools.reduce(np.maximum, A)",
    ],
    "numpy.tri": ["np.tri(3, k=-1) * A", "np.tri(2, 3) * x"],
    "numpy.vander": ["np.vander(x)", "np.vander(y, 2, increasing=True)"],
    "numpy.take_along_axis": ["np.take_along_axis(A, np.argsort(A, axis=1), axis=1)"],
    "numpy.logspace": ["np.logspace(0.0, s, 4)", "np.logspace(s, 2.0, 3, base=2.0)"],
    "numpy.linalg.inv": ["np.linalg.inv(A)", "np.linalg.inv(np.stack((A, A.T * s)))"],
    "numpy.linalg.det": ["np.linalg.det(A)", "np.linalg.det(np.stack((A, -A.T)))"],
    "numpy.linalg.slogdet": ["np.linalg.slogdet(A)[1]", "np.linalg.slogdet(-A)[0] * s"],
    "numpy.linalg.cholesky": [
        "np.linalg.cholesky(A @ A.T)", "np.linalg.cholesky(A @ A.T, upper=True)",
        "np.linalg.cholesky(np.stack((A @ A.T, A.T @ A)))",
    ],
    "numpy.linalg.matrix_power": ["np.linalg.matrix_power(A, 3)", "np.linalg.matrix_power(A, -2)"],
    "numpy.linalg.qr": ["np.linalg.qr(A)[0]", "np.linalg.qr(A[:2])[1]", "np.linalg.qr(A[:, :2], 'complete')[0]",
                        "np.linalg.qr(np.stack((A[:2], A[1:])))[1]"],
    "numpy.allclose": ["np.allclose(A, A * 1.0) * s", "np.allclose(x, y) * s"],
    "numpy.array_equal": ["np.array_equal(A, A) * s", "np.array_equal(x, y) * s"],
    "numpy.geomspace": ["np.geomspace(s, 9.0, 4)", "np.geomspace(1.0, s, 3, endpoint=False)"],
    "scipy.special.gammainc": ["special.gammainc(s, [0.4, 9.0])", "special.gammainc(30 * s, 41.0)"],
    "scipy.special.gammaincc": ["special.gammaincc(s + 1.7, [0.4, 9.0])", "special.gammaincc(0.01, s)"],
    "scipy.special.betainc": ["special.betainc(s, s + 1.7, [0.3, 0.9])", "special.betainc(9.0, 30 * s, 0.2)"],
    **{
        f"scipy.stats.{call.partition('(')[0]}": [f"stats.{call}"]
        for call in (
            "gamma.cdf(2.0, s, scale=s)", "gamma.sf(s, 3.0)", "chi2.cdf(1.1, 3 * s)", "invgamma.cdf(s, 2.0)",
            "poisson.cdf(2, s)", "beta.cdf(0.4, s, 2.0)", "t.cdf(0.7, s)", "f.cdf(s, 3.0, 2.0)",
            "binom.cdf(3, 9, 0.3 * s)", "nbinom.cdf(3, s, 0.4)", "geom.cdf([1, 2, 9], x)", "gamma.logsf(s, 3.0)",
            "gamma.ppf(x, 2.5, scale=s)", "gamma.isf(x, 2.5, scale=s)", "chi2.sf(1.1, 3 * s)", "chi2.logsf(s, 3.0)",
            "chi2.ppf(x, 3.0)", "chi2.isf(x, 3.0, scale=s)", "invgamma.sf(s, 2.0)", "invgamma.ppf(x, 2.0)",
            "invgamma.isf(x, 2.0)", "beta.sf(0.4, s, 2.0)", "beta.ppf(x, 1.5, 2.0)", "beta.isf(x, 1.5, 2.0)",
            "t.sf(0.7, s)", "t.logsf(0.7, s)", "t.ppf(x, 3.0)", "t.isf(x, 3.0)", "f.sf(s, 3.0, 2.0)",
            "f.ppf(x, 3.0, 2.0)", "f.isf(x, 3.0, 2.0)", "bernoulli.sf(0, x)", "geom.sf([1, 2, 9], x)",
            "poisson.sf(2, s)", "binom.sf(3, 9, 0.3 * s)", "nbinom.sf(3, s, 0.4)", "betabinom.sf(2, 9, s, 1.5)",
            "hypergeom.sf([0, 2], 9, 4, 3) * s",
        )
    },
    "numpy.linalg.eigh": [
        "np.linalg.eigh(A)[0]", "np.linalg.eigh(A, 'U')[0]", "np.abs(np.linalg.eigh(A)[1])",
        "np.linalg.eigh(np.stack((A, A * s)))[0]",
    ],
    "numpy.linalg.eigvalsh": ["np.linalg.eigvalsh(A)", "np.linalg.eigvalsh(np.stack((A, A * s)))"],
    "numpy.linalg.svd": [
        "np.abs(np.linalg.svd(A)[0])", "np.linalg.svd(A[:2], full_matrices=False)[1]",
        "np.abs(np.linalg.svd(A[:, :2], False)[2])", "np.linalg.svd(np.stack((A, A * s)))[1]",
        "np.abs(np.linalg.svd(A[:, :2])[0])", "np.abs(np.linalg.svd(A[:2])[2])",
    ],
    "numpy.linalg.svdvals": ["np.linalg.svd(A, compute_uv=False)", "np.linalg.svdvals(np.stack((A[1:], A[:2])))"],
    "numpy.linalg.pinv": [
        "np.linalg.pinv(A)", "np.linalg.pinv(A[:2])", "np.linalg.pinv(A[:, :2])",
        "np.linalg.pinv(np.stack((A[:2], A[1:])))",
    ],
    "numpy.linalg.lstsq": ["np.linalg.lstsq(A[:, :2], x)[0]", "np.linalg.lstsq(A, x)[0]"],
    "numpy.linalg.matrix_rank": [
        "np.linalg.matrix_rank(A) * s", "np.linalg.matrix_rank(np.stack((A, A[:1] + 0 * A))) * s",
    ],
    "numpy.linalg.norm": [
        "np.linalg.norm(A)", "np.linalg.norm(A, 2)", "np.linalg.norm(A, 'nuc')", "np.linalg.norm(A[:2], -2)",
        "np.linalg.norm(x)", "np.linalg.norm(x, 3)", "np.linalg.norm(A, 1)", "np.linalg.norm(A, axis=0)",
    ],
    "numpy.linalg.cond": ["np.linalg.cond(A)", "np.linalg.cond(A, 1)", "np.linalg.cond(A[:2], -2)"],
    "scipy.linalg.eigh": [
        "linalg.eigh(A)[0]", "linalg.eigh(A, eigvals_only=True, lower=False)", "linalg.eigh(A, A @ A.T)[1] ** 2",
        "linalg.eigh(A, A @ A.T, type=3, subset_by_index=[1, 2])[0]",
    ],
    "scipy.linalg.eigvalsh": ["linalg.eigvalsh(A)", "linalg.eigvalsh(A, A @ A.T, type=2, lower=False)"],
    "numpy.unique_all": ["np.unique_all(x)[1] * s"],
    "numpy.unique_counts": ["np.unique_counts(x)[1] * s"],
    "numpy.unique_inverse": ["np.unique_inverse(A)[1] * s"],
    "numpy.apply_over_axes": ["np.apply_over_axes(np.sum, A, (0, 1))", "np.apply_over_axes(np.cumsum, A, 0)"],
    "numpy.fromiter": ["np.fromiter(x, float)", "np.fromiter(x, float, 2)"],
    "numpy.asarray_chkfinite": ["np.asarray_chkfinite(A)"],
    "numpy.mask_indices": ["A[np.mask_indices(3, np.triu)]", "A[np.mask_indices(3, np.tril, -1)]"],
    "scipy.integrate.trapezoid": ["integrate.trapezoid(A, np.sort(x))", "integrate.trapezoid(A, dx=s, axis=0)"],
    "scipy.integrate.cumulative_trapezoid": [
        "integrate.cumulative_trapezoid(A, np.sort(x))", "integrate.cumulative_trapezoid(A, axis=0, initial=0)",
    ],
    "scipy.integrate.simpson": [
        "integrate.simpson(A, x=np.sort(x))", "integrate.simpson(np.concatenate((x, y)), dx=s)",
        "integrate.simpson(A, axis=0)", "integrate.simpson(A[:, :2])",
        "integrate.simpson(np.concatenate((A, A * s)), x=np.cumsum(np.concatenate((x, y))), axis=0)",
    ],
    "scipy.signal.lfilter": [
        "signal.lfilter(x, y, A)", "signal.lfilter(x, [s], A, axis=0)", "signal.lfilter(x, y, A[0], zi=y[:2])[1]",
    ],
    "numpy.linalg.eig": ["np.linalg.eig(A)[0].real", "np.abs(np.linalg.eig(A)[1])"],
    "numpy.linalg.eigvals": ["np.linalg.eigvals(A).real", "np.linalg.eigvals(np.stack((A, A * s))).real"],
    "scipy.linalg.eig": ["linalg.eig(A)[0].real", "linalg.eig(A, right=False).real"],
    "scipy.linalg.eigvals": ["linalg.eigvals(A).real"],
    "numpy.roots": ["np.roots(x).imag", "np.roots(x[:2]).real", "np.roots([s, 0.0]).real", "np.poly(A)"],
    "numpy.linalg.tensorinv": ["np.linalg.tensorinv(A[:, :, None], 1)"],
    "numpy.linalg.tensorsolve": [
        "np.linalg.tensorsolve(A[:, None], x)", "np.linalg.tensorsolve(A[:, :, None], x, (0,))",
    ],
    **{
        f"scipy.special.{call.partition('(')[0]}": [f"special.{call}"]
        for call in (
            "y0(A)", "y1(A)", "k0(A)", "k1(A)", "k0e(A)", "k1e(A)", "yn(2, A)", "kn(3, A)", "spherical_jn(2, A)",
            "spherical_yn(1, A)", "spherical_in(0, A)", "spherical_kn(1, A)", "wofz(A).real", "voigt_profile(A, x, s)",
            "erfi(x)", "ellipk(x)", "ellipkm1(A)", "ellipe(x)", "ellipkinc(A, x)", "ellipeinc(A, x)",
            "elliprf(x, A, s)", "spence(A)", "gammaincinv(s, x)", "gammainccinv(s, x)", "betaincinv(s, y, x)",
            "betaincc(s, y, x)", "betainccinv(s, y, x)", "stdtr(y, x)", "stdtrit(y, x)", "chdtr(A, x)", "chdtrc(A, x)",
            "chdtri(s, x)", "pdtr(2, A)", "pdtrc(1, A)", "fdtr(s, y, x)", "fdtrc(s, y, x)", "binom(A, x)", "poch(A, x)",
            "bdtr(2, [3, 4, 5], x)", "bdtrc(2, 5, x)", "bdtri([2, 1, 0], 5, x)", "nbdtr(3, 2, x)", "nbdtrc(3, 2, x)",
            "gdtr(s, A, x)", "gdtrc(s, A, x)", "pdtri(2, x)", "kolmogorov(A)",
            "perm(A + 2, [2, 1, 3])", "powm1(A, x)",
            "zetac(A + 1)", "eval_legendre([0, 3, 4], A)", "eval_chebyt(3, A)", "eval_chebyu(3, A)",
            "eval_hermite([2, 0, 3], x)", "eval_hermitenorm(3, A)", "eval_laguerre([1, 2, 4], A)",
            "eval_genlaguerre(3, s, x)", "eval_gegenbauer(3, x, A)", "eval_jacobi([3, 0, 1], s, y, x)", "fresnel(A)[1]",
        )
    },
    "scipy.special.airy": [f"special.airy({x})[{k}]" for x in ("3.0 * x - 2.0", "s") for k in range(4)],
    "scipy.special.ellipj": [*(f"special.ellipj(A, x)[{k}]" for k in range(4)), "special.ellipj(s, 0.3)[1]"],
    "scipy.special.lambertw": [
        "special.lambertw(A).real", "special.lambertw(x - 1.2).imag", "special.lambertw(-0.3 * y, -1).real",
        "np.abs(special.lambertw(x + 1j * y, 2))", "special.lambertw(s).real",
    ],
    "scipy.linalg.svd": ["linalg.svd(A)[1]", "np.abs(linalg.svd(A[:2])[2])"],
    "scipy.linalg.svdvals": ["linalg.svdvals(A)"],
    "numpy.linalg.multi_dot": ["np.linalg.multi_dot((A, A, x))"],
    "numpy.triu": ["np.triu(A)", "np.triu(A, k=1)", "np.triu(x, -1)", "np.triu(A[:2], 1)"],
    "numpy.tril": ["np.tril(A)", "np.tril(A, k=1)", "np.tril(x, -1)", "np.tril(A[:2], -1)"],
    "numpy.repeat": [
        "np.repeat(x, 2)", "np.repeat(A, len(y), axis=1)", "np.repeat(A, [2, 0, 1], 0)", "np.repeat(A, 3)",
        "np.repeat(s, 2)", "np.sum(np.repeat(A, np.arange(3), 0) ** 2, 0)",
    ],
    "numpy.einsum": [
        "np.einsum('i,i', x, y)", "np.einsum('ij,j->i', A, x)", "np.einsum('ij,jk->ki', A, A)", "np.einsum('ii', A)",
        "np.einsum('ij->j', A)", "np.einsum('i,j,ij->', x, y, A)", "np.einsum('ij,ij->ij', A[:1], A)",
        "np.einsum('bi,bij->bj', A, A[None] * x[:, None, None])", "np.einsum('...i,ij,j->...', A, A, x)",
        "np.einsum('ik,jk,kl->ijl', A, A, A)", "np.einsum('ii->i', A)", "np.einsum(',i', s, x)",
        "np.einsum('ijk,jk->i', A[None] * x[:, None, None], A)",
    ],
    "numpy.polyadd": ["np.polyadd(x, y[:2])", "np.polyadd(s, x)"],
    "numpy.polysub": ["np.polysub(x[:1], y)"],
    "numpy.polymul": ["np.polymul(x, y)"],
    "numpy.polydiv": ["np.polydiv(A.ravel(), y)[0]", "np.polydiv(A[0], y[:2])[0]"],
    "numpy.polyder": ["np.polyder(x)", "np.polyder(A.ravel(), 2)"],
    "numpy.polyint": ["np.polyint(x)", "np.polyint(x, 2, [s, 1.0])"],
    "numpy.poly": ["np.poly(x)"],
    "numpy.polyfit": ["np.polyfit(x, y, 1)", "np.polyfit([0.0, 1.0, 2.5], A, 1, w=y)"],
    "numpy.argpartition": ["np.argpartition(x, 1) * s"],
    "numpy.lexsort": ["np.lexsort((x, [1, 0, 1])) * s"],
    "numpy.histogram_bin_edges": ["np.histogram_bin_edges(x, 4)"],
    "numpy.unique_values": ["np.sum(np.unique_values(x) * 2)"],
    "numpy.setxor1d": ["np.sum(np.setxor1d(x, y))"],
    "numpy.nanquantile": [
        "np.nanquantile(x, 0.3)",
        "np.nanquantile(np.where(A > 2.9, np.nan, A), 0.4, axis=1)",
        "np.nanquantile(np.where(A > 2.9, np.nan, A), [0.4, 1.0], 0, method='inverted_cdf', weights=A)",
    ],
    "numpy.nanpercentile": ["np.nanpercentile(np.where(A > 2.9, np.nan, A), 30, axis=0, keepdims=True)"],
    "numpy.tril_indices_from": ["A[np.tril_indices_from(A)]"],
    "numpy.triu_indices_from": ["A[np.triu_indices_from(A, 1)]"],
    "numpy.diag_indices_from": ["A[np.diag_indices_from(A)]"],
    "numpy.apply_along_axis": ["np.apply_along_axis(np.sum, 0, A)", "np.apply_along_axis(np.cumsum, 1, A)"],
    "numpy.resize": ["np.resize(x, 7)", "np.resize(A, (2, 2))"],
    **{f"numpy.{name}": [f"np.{name}(5) * s"] for name in ("bartlett", "hanning", "hamming", "blackman")},
    "numpy.kaiser": ["np.kaiser(5, 6.0) * s"],
    "numpy.i0": ["np.i0(x)"],
    "numpy.array_equiv": ["np.array_equiv(A, A[:1]) * s"],
    "numpy.linalg.matrix_transpose": ["np.linalg.matrix_transpose(A) * x"],
    "numpy.matvec": ["np.matvec(A, x)"],
    "numpy.vecmat": ["np.vecmat(x, A)"],
    "numpy.linalg.tensordot": ["np.linalg.tensordot(A, A, axes=1)"],
    "numpy.cumulative_sum": ["np.cumulative_sum(x)", "np.cumulative_sum(A, axis=1)"],
    "numpy.cumulative_prod": ["np.cumulative_prod(x)"],
    "numpy.unwrap": ["np.unwrap(9 * x)", "np.unwrap(5 * A, axis=0)"],
    "numpy.angle": ["np.angle(x) * s"],
    "math.ldexp": ["math.ldexp(s, 3)"],
    "math.modf": ["math.modf(s)[0]"],
    "math.frexp": ["math.frexp(s)[0]"],
    "numpy.piecewise": ["np.piecewise(x, [x < 0.5, x > 1], [np.sin, s, 2.0])", "np.piecewise(A, [A > 1], [np.exp])"],
    "scipy.linalg.lu": [
        "linalg.lu(A)[1]", "linalg.lu(A[:2])[2]", "linalg.lu(A[:, :2], permute_l=True)[0]", "linalg.lu(A.T)[0] * s",
    ],
    "math.nextafter": ["math.nextafter(1.0, 2.0) * s"],
    "math.ulp": ["math.ulp(1.0) * s"],
    "scipy.special.j0": ["special.j0(x)", "special.j0(9 * x)", "special.j0(30 + A)"],
    "scipy.special.j1": ["special.j1(x)", "special.j1(9 * x)", "special.j1(-30 - A)"],
    "scipy.special.zeta": ["special.zeta(x + 2)", "special.zeta(-x)", "special.zeta(x + 2, y)"],
    "numpy.astype": ["np.astype(A, np.float64) * s", "np.astype(x, float, copy=False)"],
    "scipy.special.owens_t": ["special.owens_t(x, A)", "special.owens_t(9 * x, A)"],
    "scipy.linalg.block_diag": ["linalg.block_diag(A, x, s, A[:2])", "linalg.block_diag(y[:0], A.T)"],
    "scipy.stats.skewnorm.cdf": ["stats.skewnorm.cdf(x, s)", "stats.skewnorm.cdf(-x, A, y, s + 1)"],
    "scipy.stats.vonmises.cdf": ["stats.vonmises.cdf(x, s)", "stats.vonmises.cdf(9 * x, 40 * y, s, A)"],
    "numpy.histogramdd": [
        "np.histogramdd(A, bins=(2, 3, 2), weights=y)[0]",
        "np.histogramdd((x, y), 3, density=True)[0] * s", "np.histogramdd(A, 2, range=((0, 3), (0, 2), (0, 4)))[0] * s",
    ],
    "numpy.histogram2d": [
        "np.histogram2d(x, y, 3, weights=y)[0]", "np.histogram2d(x, y, [[0, 0.5, 1], 2], density=True)[0] * s",
    ],
    **{
        f"scipy.stats.{call.partition('(')[0]}": [f"stats.{call}"]
        for call in (
            "truncnorm.cdf(x, -s, y + 2)", "bernoulli.cdf([0, 1, 0], x)", "betabinom.cdf([0, 2, 5], 5, x, s)",
            "hypergeom.cdf([0, 2], 9, 4, 3) * s", "binom.logcdf(3, 9, 0.3 * s)", "nbinom.logcdf(3, s, 0.4)",
            "hypergeom.logcdf([0, 2], 9, 4, 3) * s", "poisson.logcdf(2, s)", "binom.logpmf([10, 30], 40, 0.3 * s)",
            "wishart.logpdf(A @ A.T, 4.5, A.T @ A)",
            "wishart.pdf(A @ A.T, 4.5, A.T @ A)",
        )
    },
    "numpy.linalg.solve": [
        "np.linalg.solve(A, x)", "np.linalg.solve(A.T, A * s)", "np.linalg.solve(A * s, [1, 2, 3])",
        "np.linalg.solve(np.stack((A, A.T)), x)", "np.linalg.solve(A, np.stack((A, A.T)))",
    ],
}  # fmt: skip

for _share in "cdf", "sf":
    for _name in [name for name in CASES if name.endswith(f".{_share}")]:
        _calls = [call.replace(f".{_share}(", f".log{_share}(") for call in CASES[_name]]
        CASES.setdefault(_name.replace(f".{_share}", f".log{_share}"), _calls)
for _name, _call in {
    "cauchy": "(1e9 * x)", "laplace": "(60.0 * x)", "gamma": "(90.0 * x, 2.5)", "chi2": "(150.0 * x, y)",
    "t": "(1e6 * x, 3.5)",
}.items():  # fmt: skip
    CASES[f"scipy.stats.{_name}.logcdf"].append(f"stats.{_name}.logcdf{_call}")  # tails: tiny, not 0
# Which write into an argument, a copy of A or of x.
WRITES = {
    "numpy.fill_diagonal": ("np.fill_diagonal(B, s)", "np.fill_diagonal(B, x)"),
    "numpy.copyto": ("np.copyto(B, y)", "np.copyto(z, s, where=y > 0.5)", "np.copyto(B[0], x, where=True)"),
    "numpy.put": ("np.put(z, [0, -1], s)", "np.put(B[0], 1, y)", "np.put(B, [0, -2, 4], y)"),
    "numpy.putmask": ("np.putmask(B, A > 1, x)", "np.putmask(z, [True, False, True], s)"),
    "numpy.place": ("np.place(B, A > 0.5, x)", "np.place(z, [False, True, True], y)"),
    "numpy.put_along_axis": (
        "np.put_along_axis(B, np.array([[0, 2, 1]]), y, 0)", "np.put_along_axis(B, np.array([[1], [0], [2]]), s, 1)",
        "np.put_along_axis(z, np.array([0, 2]), s, 0)",
    ),
    "numpy.multiply.at": ("np.multiply.at(z, np.array([0, 0, 2]), y)", "np.multiply.at(B, np.array([1, 1]), x)"),
    "numpy.maximum.at": ("np.maximum.at(z, np.array([0, 0, 2]), y)",),
    "numpy.minimum.at": ("np.minimum.at(B, 1, s)",),
    "numpy.subtract.at": ("np.subtract.at(z, np.array([0, 0, 2]), y)",),
    "numpy.logaddexp.at": ("np.logaddexp.at(z, np.array([0, 0, 2]), y)",),
    "heapq.heappush": ("h = [s]", "heapq.heappush(h, x[0])", "heapq.heappush(h, x[1])", "z[1] = h[0] + 2 * h[1]"),
    "heapq.heappop": ("h = [x[0], x[2], s]", "z[0] = heapq.heappop(h)", "z[1] = heapq.heappop(h) * h[0]"),
    "heapq.heapify": ("h = [s, x[1], x[0], x[2]]", "heapq.heapify(h)", "B[0] = h[0] + h[1] * 2 + h[2] * 3"),
    "heapq.heapreplace": ("h = [x[0], s]", "z[2] = heapq.heapreplace(h, y[2])", "z[0] = h[0] * h[1]"),
    "heapq.heappushpop": ("h = [x[0], s]", "z[2] = heapq.heappushpop(h, y[2])", "z[0] = h[0] * h[1]"),
    "heapq.nlargest": ("z[0], z[1] = heapq.nlargest(2, [x[0], x[2], y[2]])", "z[2] = heapq.nlargest(9, y, key=abs)[1]"),
    "heapq.nsmallest": ("z[0], z[1] = heapq.nsmallest(2, [x[0], x[2], y[2]])", "z[2] = sum(heapq.nsmallest(2, y))"),
    "bisect.insort_left": ("h = [x[0], s]", "bisect.insort_left(h, x[1])", "z[0] = h[1] * h[2]"),
    "bisect.insort_right": ("h = [x[0], s]", "bisect.insort(h, x[1])", "z[0] = h[1] * h[2]"),
}  # fmt: skip


def function(calls):
    found = loaded(f"def f({', '.join(VALUES)}):\n    return ({', '.join(calls)},)\n")
    found.__globals__.update(
        bisect=bisect,
        functools=functools,
        integrate=integrate,
        math=math,
        norm=stats.norm,
        stats=stats,
        linalg=linalg,
        operator=operator,
        optimize=optimize,
        signal=signal,
        special=special,
    )
    return found


# Where second derivatives go through what other definitions do not have; their rows' own are tested elsewhere.
TWICE = (
    "numpy.linalg.eigh", "numpy.linalg.svd", "numpy.linalg.pinv",
    "scipy.special.y0", "scipy.special.k1e", "scipy.special.spence", "scipy.special.ellipe", "scipy.special.wofz",
    "numpy.einsum", "numpy.linalg.solve", "numpy.linalg.cholesky", "numpy.linalg.qr", "numpy.interp", "numpy.sort",
    "numpy.linalg.lstsq", "scipy.linalg.lu", "scipy.linalg.solve_triangular", "numpy.cumprod", "scipy.linalg.cho_solve",
    "scipy.linalg.expm", "scipy.special.ndtri", "scipy.stats.t.logpdf", "scipy.special.airy", "scipy.special.ellipj",
    "scipy.special.lambertw",
)  # fmt: skip


@pytest.mark.turns(8)
@pytest.mark.sampled(624)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name):
    f = function(CASES[name])
    assert difference(jit(f, target="numpy")(*VALUES.values()), f(*VALUES.values())) is None
    check_grads(f, tuple(VALUES.values()), order=2 if name in TWICE else 1, atol=1e-5, rtol=1e-4)


# Those with loops of their own; what others are made of is compiled everywhere.
COMPILED = (
    ("numpy.linalg.eigh", "numpy.linalg.svd", "numpy.linalg.pinv", "numpy.linalg.lstsq"),
    ("scipy.special.gammaincc", "scipy.special.betainc"),
    (
        "scipy.special.y1",
        "scipy.special.k0",
        "scipy.special.wofz",
        "scipy.special.ellipk",
        "scipy.special.spence",
    ),
    ("numpy.einsum", "numpy.linalg.solve", "numpy.linalg.slogdet", "scipy.stats.t.logpdf"),
    ("numpy.sort", "numpy.searchsorted", "numpy.histogram", "numpy.quantile"),
    ("numpy.cumprod", "numpy.interp", "numpy.convolve", "numpy.vander", "scipy.linalg.solve_banded"),
    ("scipy.signal.convolve", "scipy.signal.correlate2d", "scipy.stats.t.cdf", "scipy.special.boxcox"),
    ("numpy.linalg.cholesky", "numpy.linalg.matrix_power", "numpy.linalg.qr", "numpy.gcd"),
    (
        "scipy.linalg.cho_solve",
        "scipy.linalg.expm",
        "scipy.special.ndtri",
        "scipy.special.i1e",
    ),
)
# Which differ from lane to lane.
SIZED_BY_VALUES = (
    "numpy.unique", "numpy.flatnonzero", "numpy.nonzero", "numpy.argwhere", "numpy.union1d", "numpy.intersect1d",
    "numpy.setdiff1d", "numpy.setxor1d", "numpy.unique_values", "numpy.polymul", "numpy.trim_zeros", "numpy.roots",
    "numpy.unique_all", "numpy.unique_counts", "scipy.linalg.orth", "scipy.linalg.null_space",
)  # fmt: skip


@pytest.mark.turns(4)
@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "names", [*COMPILED, ("numpy.bincount", *SIZED_BY_VALUES[2:5])], ids=lambda names: names[0]
)
def test_compiled(names):
    f = function([CASES[name][0] for name in names])
    assert difference(jit(f)(*VALUES.values()), f(*VALUES.values())) is None


def over_lanes(f, target, shared=()):
    """Three lanes, each with its own values but for those that are shared, against the function of each."""
    lanes = [[v + 0.1 * lane for v in VALUES.values()] for lane in range(3)]
    given = [lanes[0][k] if k in shared else np.stack([lane[k] for lane in lanes]) for k in range(4)]
    axes = tuple(None if k in shared else 0 for k in range(4))
    got = batch(f, in_axes=axes, target=target)(*given)
    for k, lane in enumerate(lanes):
        own = [lanes[0][j] if j in shared else v for j, v in enumerate(lane)]
        assert difference(tuple(g[k] for g in got), tuple(map(np.asarray, f(*own)))) is None


LANE_GROUPS = 30


@pytest.mark.turns(8)
@pytest.mark.sampled(30)
@pytest.mark.parametrize("group", range(LANE_GROUPS))
def test_lanes(group):
    """In every other one with a matrix that lanes share."""
    names = sorted(CASES.keys() - {*SIZED_BY_VALUES})[group::LANE_GROUPS]
    shared = (2,) if group % 2 else ()
    over_lanes(function([call for name in names for call in CASES[name]]), "numpy", shared)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    lines = "".join(f"    {call}\n" for call in WRITES[name])
    f = loaded(f"def f({', '.join(VALUES)}):\n    B, z = A.copy(), x.copy()\n{lines}    return B, z\n")
    f.__globals__.update(bisect=bisect, heapq=heapq)
    for target in ("numpy", "numba"):
        assert difference(jit(f, target=target)(*VALUES.values()), f(*VALUES.values())) is None
    check_grads(f, tuple(VALUES.values()), order=1, atol=1e-5, rtol=1e-4)
    over_lanes(f, "numpy")


@pytest.mark.slow
@pytest.mark.parametrize("names", COMPILED, ids=lambda names: names[0])
def test_lanes_compiled(names):
    over_lanes(function([CASES[name][0] for name in names]), "numba", shared=(2,))


RAGGED = (  # whose calls give such arrays
    "numpy.unique", "numpy.nonzero", "numpy.polymul", "numpy.trim_zeros", "numpy.roots", "numpy.unique_all",
    "numpy.unique_counts", "scipy.linalg.orth", "scipy.linalg.null_space",
)  # fmt: skip


@pytest.mark.parametrize("name", RAGGED)
def test_results_of_sizes_that_differ_from_lane_to_lane(name):
    f = function(CASES[name])
    with pytest.raises(SourceError, match="from lane to lane|not known before"):
        batch(f, target="numpy")(*(np.stack([v, v]) for v in VALUES.values()))


@pytest.mark.parametrize("name", sorted({*SIZED_BY_VALUES} - {*RAGGED}))
def test_arrays_of_sizes_that_differ_from_lane_to_lane(name):
    """Lanes are run in turn."""
    over_lanes(function(CASES[name]), "numpy")


def solve(a, b):
    return np.linalg.solve(a, b)


A, B = VALUES["A"], VALUES["x"]
SYSTEMS = {
    "Singular matrix": (np.ones((3, 3)), B),
    "Last 2 dimensions of the array must be square": (A[:2], B),
}


def test_a_vector_is_no_system():
    with pytest.raises(SourceError, match="the array must be at least two-dimensional"):
        jit(solve)(B, B)


@pytest.mark.parametrize("message", SYSTEMS)
def test_systems_without_a_solution(message):
    for f in (solve, jit(solve, target="numpy")):
        with pytest.raises(np.linalg.LinAlgError) as caught:
            f(*SYSTEMS[message])
        assert str(caught.value) == message


def test_systems_compiled():
    """What NumPy's LAPACK does with singular matrices, NaN and other dtypes, vectors and their order in memory."""
    f = jit(solve)
    for a in (A, A.T, A[::-1], (4 * A).astype(int)):
        np.testing.assert_allclose(f(a, B), solve(a, B), rtol=1e-13)
    assert np.isnan(f(A, B * np.nan)).all()
    with pytest.raises(np.linalg.LinAlgError, match="^Singular matrix$") as caught:
        f(np.ones((3, 3)), B)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return np.linalg.solve(a, b)"


def test_systems_cost_the_cube_of_their_size():
    work = ROWS["solve"].work
    assert 7 * work((32, 32), (32,)) < work((64, 64), (64,)) < 8 * work((32, 32), (32,))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_singular_lane_fails_alone(target):
    matrices = np.stack([A, np.ones((3, 3)), A.T])
    with pytest.raises(LaneError) as caught:
        batch(solve, in_axes=(0, None), target=target)(matrices, B)
    (failure,) = caught.value.failures
    assert (failure.lane, repr(failure.error)) == (1, "LinAlgError('Singular matrix')")
    assert failure.span.text == "return np.linalg.solve(a, b)"


@pytest.mark.turns(4)
def test_values_have_derivatives_where_vectors_have_none():
    """Of equal eigenvalues: each value's, which are those of the matrix; vectors' are NaN, no number that is wrong."""

    def squares(a):
        return np.sum(np.linalg.eigvalsh(a) ** 2) + np.linalg.norm(a, "nuc")

    def first(a):
        return np.linalg.eigh(a)[1][0, 0]

    for target in ("numpy", "numba"):
        np.testing.assert_allclose(grad(squares, target=target)(np.eye(3)), 3.0 * np.eye(3))
    with np.errstate(all="ignore"):
        assert np.isnan(grad(first, target="numpy")(np.eye(3))).any()


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_has_no_decomposition(target):
    broken = np.array([[np.nan, 1.0], [1.0, 2.0]])
    assert np.isnan(jit(lambda a: np.linalg.eigvalsh(a), target=target)(broken)).all()
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        jit(lambda a: np.linalg.svdvals(a), target=target)(broken)


def general(a):
    values, vectors = np.linalg.eig(a)
    return values, vectors, np.linalg.eigvals(a)


GENERAL = np.random.default_rng(6).normal(size=(2, 3, 4, 4))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_eigenvectors_of_any_matrix(target):
    """LAPACK's, in its order, of lanes too; complex, whatever their values are, where NumPy's may be real."""
    compiled = jit(general, target=target)
    a = GENERAL[0]
    for each in (
        a[0],
        a,
        a + 1j * GENERAL[1],
        np.arange(9).reshape(3, 3),
        np.triu(a[0]),
        a[:0],
        a.astype("f4"),
    ):
        exact = 1e-4 if each.dtype == np.float32 else 1e-11
        for x, y in zip(compiled(each), general(each), strict=True):
            np.testing.assert_allclose(x, y, rtol=exact, atol=exact)
            assert x.dtype == (np.complex64 if each.dtype == np.float32 else np.complex128)
    for x, y in zip(batch(general, target=target)(a), general(a), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)
    for number in (np.nan, np.inf):
        with pytest.raises(np.linalg.LinAlgError, match="must not contain infs or NaNs"):
            compiled(np.where(a == a[0, 1, 2], number, a))


def general_parts(re, im):
    """Vectors with their phases, in pairs too."""
    (values, vectors), (first, second) = np.linalg.eig(re + 1j * im), np.linalg.eig(re)
    return (
        values.real,
        values.imag,
        vectors.real,
        vectors.imag,
        first.real,
        first.imag,
        second.real,
        second.imag,
    )


@pytest.mark.turns(4)
def test_slopes_of_eigenvectors():
    re, im = GENERAL[:, 0]
    assert np.iscomplex(np.linalg.eigvals(re)).any() and np.isreal(np.linalg.eigvals(re)).any()
    check_grads(general_parts, (re, im), order=2, atol=1e-5, rtol=1e-4)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_roots(target):
    """Without the zeros at both ends, those at the lower one being roots."""
    compiled = jit(lambda p: np.roots(p), target=target)
    for p in ([1.0, -6, 11, -6], [0, 0, 2, 3, 0, 1, 0, 0], [5.0], [0.0, 0.0], [0.0, 0, 1], [1, 2j, 3]):
        found, wanted = compiled(np.array(p)), np.roots(p)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        assert found.dtype == np.complex128
    whole = jit(lambda a: np.poly(a), target=target)
    for a in (GENERAL[0, 0], np.arange(9).reshape(3, 3), GENERAL[0, 0] + 1j * GENERAL[1, 0]):
        np.testing.assert_allclose(whole(a), np.poly(a), rtol=1e-11, atol=1e-11)
        assert whole(a).dtype == np.poly(a).dtype


@pytest.mark.turns(4)
def test_inverses_of_shares():
    """Of small and large parameters, in both tails: SciPy's."""
    rng = np.random.default_rng(0)
    a, b = 10 ** rng.uniform(-2, 4, 60), 10 ** rng.uniform(-1, 2, 60)
    p = np.concatenate(
        (rng.uniform(0, 1, 30), 10 ** rng.uniform(-12, -1, 15), 1 - 10 ** rng.uniform(-7, -1, 15))
    )
    inverses = jit(
        lambda a, b, p: (special.gammaincinv(a, p), special.gammainccinv(a, p), special.betaincinv(a, b, p))
    )
    wanted = special.gammaincinv(a, p), special.gammainccinv(a, p), special.betaincinv(a, b, p)
    for x, y in zip(inverses(a, b, p), wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-300)


def of_orders(v, x):
    return special.jv(v, x)


@pytest.mark.turns(4)
def test_no_slope_by_the_order():
    with pytest.raises(TypeError, match="jv: no derivative with respect to the order"):
        grad(of_orders)(0.5, 1.0)
    np.testing.assert_allclose(grad(of_orders, argnums=1)(0.5, 1.0), special.jvp(0.5, 1.0), rtol=1e-14)


def all_vectors(a):
    return np.linalg.svd(a)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_all_singular_vectors(target):
    """LAPACK's, those beyond the singular values too; in lanes any at right angles."""
    compiled = jit(all_vectors, target=target)
    rng = np.random.default_rng(2)
    for shape in ((4, 3), (3, 4), (7, 2), (2, 7), (3, 1), (1, 3), (3, 0), (0, 3), (2, 4, 3), (2, 2, 5)):
        for a in (rng.normal(size=shape), rng.normal(size=shape) + 1j * rng.normal(size=shape)):
            for x, y in zip(compiled(a), all_vectors(a), strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-13)
    for a in (rng.normal(size=(3, 4, 2)), rng.normal(size=(3, 2, 5)) + 1j * rng.normal(size=(3, 2, 5))):
        u, s, v = batch(all_vectors, target=target)(a)
        k = s.shape[-1]
        np.testing.assert_allclose((u[..., :k] * s[:, None]) @ v[:, :k], a, atol=1e-14)
        for vectors in (u, v):
            one = np.broadcast_to(np.eye(vectors.shape[-1]), vectors.shape)
            np.testing.assert_allclose(vectors @ np.conj(vectors.swapaxes(1, 2)), one, atol=1e-14)


def spaces(re, im):
    """What of vectors beyond does not hang on which they are: the matrices that project on them."""
    u, _, v = np.linalg.svd(re + 1j * im)
    n = min(re.shape)
    one, other = u[:, n:] @ np.conj(u[:, n:]).T, np.conj(v[n:]).T @ v[n:]
    real = np.linalg.svd(re)
    return (
        one.real,
        one.imag,
        other.real,
        other.imag,
        real[0][:, n:] @ real[0][:, n:].T,
        real[2][n:].T @ real[2][n:],
    )


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_slopes_of_spaces_beyond(shape):
    rng = np.random.default_rng(4)
    check_grads(spaces, (rng.normal(size=shape), rng.normal(size=shape)), order=2, atol=1e-5, rtol=1e-4)


def solution(a, b):
    return np.linalg.solve(a, b)


def factor(a, b):
    return np.linalg.cholesky(a @ a.T + np.eye(len(a)))


def of_factors(a, b):
    triangle = np.linalg.cholesky(a @ a.T + np.eye(len(a)))
    whole = linalg.solve_triangular(triangle, a, lower=True), linalg.solve_triangular(triangle.T, a)
    return linalg.lu(a + 9.0 * np.eye(len(a)))[2], np.linalg.inv(a @ a.T + np.eye(len(a))), *whole


def eigenvectors(a, b):
    values, vectors = np.linalg.eigh(a + a.T)
    return values, vectors @ np.diag(values) @ vectors.T


@pytest.mark.turns(4)
@pytest.mark.sampled(9)
@pytest.mark.parametrize("n", [9, 40])
@pytest.mark.parametrize("f", [solution, factor, of_factors, eigenvectors])
def test_lanes_of_large_matrices(f, n):
    """By loops over numbers and by LAPACK; of sizes near the ends of what there is, with equal values, and of none."""
    rng = np.random.default_rng(8)
    a, b = rng.standard_normal((5, n, n)), rng.standard_normal((5, n))
    a[1] = np.eye(n)
    if f is eigenvectors:
        a[2] *= 1e200
        a[3] *= 1e-250
        a[4] = 0.0
    found = batch(f)(a, b)
    for lane in range(5):
        wanted = f(a[lane], b[lane])
        for got, want in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
            np.testing.assert_allclose(got[lane], want, rtol=1e-9, atol=1e-13 * np.max(np.abs(want)))


def shares(x):
    low = special.gammainc(1.0, x), special.gammainc(2.5, x), special.gammaincc(1.0, x)
    return (
        *low,
        special.betainc(1.0, 2.5, x),
        special.betainc(2.0, 2.5, x),
        special.betainc(2.5, 1.0, 1.0 - x),
    )


@pytest.mark.turns(4)
def test_incomplete_functions_have_slopes_where_they_begin():
    """And to the last digits where SciPy's are not: of ints, of large parameters beside small ones."""
    f = jit(shares, target="numpy")
    np.testing.assert_allclose(f(0.0), (0.0, 0.0, 1.0, 0.0, 0.0, 1.0))
    _, slopes = jvp(shares, (0.0,), (1.0,), target="numpy")
    np.testing.assert_allclose(slopes, (1.0, 0.0, -1.0, 2.5, 0.0, -2.5))
    share = jit(lambda a, b, x: special.betainc(a, b, x), target="numpy")
    for n in (3.0, 8.0, 12.0):
        np.testing.assert_allclose(
            share(2.5, 10.0**n, 4.0 * 10.0**-n), special.betainc(2.5, 10.0**n, 4.0 * 10.0**-n), rtol=1e-13
        )


@pytest.mark.turns(4)
def test_incomplete_functions_of_tiny_and_huge_parameters():
    """Both sides of every border between two ways to compute them, from 1e-300 to 1e300."""
    sizes = np.array([1e-300, 1e-12, 0.5, 2.0, 1e9, 1.1e10, 1e12, 999999e6, 3e38, 1e300])
    near = np.array([1e-300, 1e-10, 0.05, 0.3, 0.5, 0.5 + 1e-7, 0.93, 1 - 1e-10, 1.0])
    f = jit(lambda a, x: (special.gammainc(a, x), special.gammaincc(a, x)), target="numpy")
    np.testing.assert_allclose(
        f(sizes[:, None], sizes),
        (special.gammainc(sizes[:, None], sizes), special.gammaincc(sizes[:, None], sizes)),
        rtol=1e-7,
    )
    share = jit(lambda a, b, x: special.betainc(a, b, x), target="numpy")
    expected = special.betainc(sizes[:, None, None], sizes[:, None], near)
    with np.errstate(all="ignore"):  # of products of 1e300
        made = share(sizes[:, None, None], sizes[:, None], near)
    is_one = ~np.isnan(expected)
    np.testing.assert_allclose(made[is_one], expected[is_one], rtol=1e-7, atol=1e-280)


def test_a_share_of_beta_by_a_tiny_parameter_keeps_its_digits():
    """Of 12.5, where the number was computed with 60 digits."""
    share = jit(lambda a, b, x: special.betainc(a, b, x), target="numpy")
    x = 1.0 - 2.0**-40
    np.testing.assert_allclose(share(12.5, 1e-12, x), 2.46634759059284635e-11, rtol=1e-13)


@pytest.mark.turns(4)
def test_shares_of_beta_and_gamma_keep_their_digits():
    """Of ints and others, large and small, in both tails: against numbers of 40 digits."""
    rng = np.random.default_rng(3)
    a = np.concatenate([rng.uniform(0.5, 40, 30), rng.integers(1, 80, 30), 10.0 ** rng.uniform(-3, 3, 30)])
    b = np.concatenate([rng.uniform(0.5, 90, 30), rng.integers(1, 80, 30), 10.0 ** rng.uniform(-3, 3, 30)])
    x = rng.beta(np.minimum(a, 50.0), np.minimum(b, 50.0)) ** rng.uniform(0.5, 2.0, 90)
    shares = jit(lambda a, b, x: (special.betainc(a, b, x), special.gammainc(a, b), special.gammaincc(a, b)))
    found = shares(a, b, x)
    with mpmath.workdps(40):
        rows = zip(a.tolist(), b.tolist(), x.tolist())
        of_beta = [mpmath.betainc(p, q, 0, u, regularized=True) for p, q, u in rows]
        both = [(mpmath.mpf(p), mpmath.mpf(q)) for p, q in zip(a.tolist(), b.tolist())]
        low = [mpmath.gammainc(p, 0, q, regularized=True) for p, q in both]
        high = [mpmath.gammainc(p, q, mpmath.inf, regularized=True) for p, q in both]
    for made, wanted in zip(found, (of_beta, low, high), strict=True):
        np.testing.assert_allclose(made, np.array(wanted, np.float64), rtol=1e-12, atol=1e-250)


@pytest.mark.turns(4)
def test_slopes_of_a_share_of_beta_by_ints():
    """Its value is a sum that ends, or a fraction that ends; its slope is that beside the int."""
    slopes = grad(lambda a, b, x: special.betainc(a, b, x), argnums=(0, 1), target="numpy")

    def near(a, b, x):
        return mpmath.betainc(a, b, 0, x, regularized=True)

    for b in (1.0, 2.0, 7.0, 64.0, 65.0):
        for a, x in ((1.0, 0.3), (2.5, 0.01), (40.0, 0.9), (9.0, 0.6)):
            with mpmath.workdps(40):
                by_a = near(a + 1e-5, b, x) - near(a - 1e-5, b, x)
                by_b = near(a, b + 1e-5, x) - near(a, b - 1e-5, x)
            wanted = float(by_a) / 2e-5, float(by_b) / 2e-5
            np.testing.assert_allclose(slopes(a, b, x), wanted, rtol=1e-6, atol=1e-13)


def test_tails_keep_their_digits():
    """Of skewnorm, where SciPy integrates to 1e-8, and of Owen's T: numbers of 40 digits."""

    def tails(x, h):
        return stats.skewnorm.cdf(x, [3.0, 0.5]), special.owens_t(h, [0.5, 2.0])

    left, small = jit(tails, target="numpy")(-4.0, 6.0)
    np.testing.assert_allclose(left, [1.17432912521673223e-38, 1.12668805725702153e-6], rtol=1e-13)
    np.testing.assert_allclose(small, [4.9224186091317393e-10, 4.9329382251884907e-10], rtol=1e-13)


def fitted(a, b):
    return np.linalg.lstsq(a, b)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_least_squares_leave(target):
    """Sums of squares, where the rank is that of the columns; none of a matrix of less, or that is not tall."""
    for a in (A[:, :2], A, np.ones((3, 2)), A[:2]):
        found, wanted = jit(fitted, target=target)(a, B[: len(a)]), fitted(a, B[: len(a)])
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-15)
            assert np.asarray(x).dtype == np.asarray(y).dtype


def factored(a):
    return (*np.linalg.qr(a), np.linalg.qr(a, "r"), *linalg.lu(a)[1:], *linalg.lu(a, permute_l=True))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_factors_of_any_shape(target):
    """Of a singular matrix, float32 and ints too, and of no rows or columns."""
    compiled = jit(factored, target=target)
    for a in (
        A,
        A[:2],
        A[:, :2],
        np.ones((3, 3)),
        A[:, :0],
        A[:0],
        A.astype(np.float32),
        np.arange(6).reshape(3, 2),
    ):
        for x, y in zip(compiled(a), factored(a), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5 if a.dtype == np.float32 else 1e-12, atol=1e-6)
            assert (x.dtype, x.shape) == (y.dtype, y.shape)


@pytest.mark.turns(4)
def test_columns_of_no_length_get_vectors_at_right_angles():
    """In lanes, whose decompositions are rotations."""
    a = np.outer([3.0, 0.0, 4.0, 0.0], [1.0, 2.0, 2.0])
    u, s, v = batch(lambda a: np.linalg.svd(a, full_matrices=False))(np.stack((a, 0.0 * a)))
    for k, singular in enumerate((15.0, 0.0)):
        np.testing.assert_allclose(s[k], [singular, 0.0, 0.0], atol=1e-14)
        np.testing.assert_allclose(u[k].T @ u[k], np.eye(3), atol=1e-14)
        np.testing.assert_allclose(v[k] @ v[k].T, np.eye(3), atol=1e-14)


def test_every_definition_is_tried():
    """Methods of generators are tried in test_generators.py."""
    others = {name for name in DEFINITIONS if not name.startswith(GENERATOR)}
    assert others <= CASES.keys() | WRITES.keys()


def test_mistakes_in_a_call_are_at_the_users_line():
    f = loaded("def f(x):\n    y = x + 1.0\n    return np.triu(y, [1])\n")
    with pytest.raises(SourceError) as caught:
        jit(f)(np.ones((2, 2)))
    assert (caught.value.filename, caught.value.lineno) == (f.__code__.co_filename, 3)


@pytest.mark.parametrize(
    "a, b", [(-170.5, 1.0), (-0.5, 100.0), (-180.5, 3.0), (-0.5, 1e10), (-10.5, 1e8), (-95.3, -3.2)]
)
def test_beta_functions_of_negative_numbers(a: float, b: float) -> None:
    for function in (special.beta, special.betaln):
        found = jit(lambda a, b, function=function: function(a, b), target="numpy")(a, b)
        np.testing.assert_allclose(found, function(a, b), rtol=1e-11)


def test_reductions_of_one_number_begin_with_what_there_is_for_none() -> None:
    def f(x: float, k: int) -> tuple[float, int, float]:
        return np.hypot.reduce(x), np.gcd.reduce(k), np.logaddexp2.reduce(x)

    assert jit(f, target="numpy")(-1.5, -4) == f(-1.5, -4)


def test_quantiles_of_no_freedom() -> None:
    df, p = np.array([0.0, -1.0, 4.0, 4.0, np.nan]), np.array([0.0, 0.3, 0.0, 0.3, 0.0])
    found = jit(lambda df, p: special.stdtrit(df, p), target="numpy")(df, p)
    np.testing.assert_allclose(found, special.stdtrit(df, p), rtol=1e-12)
