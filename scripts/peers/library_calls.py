"""Calls of NumPy and SciPy, of which first calls are measured: calls(), each with what it is of.

s is a positive definite matrix of 4 x 4, x are 1,000 numbers between 0 and 1.

python library_calls.py [WORD ...]: NumPy's or SciPy's processor time / ours for a million numbers, of all calls that
take as many, or of those that have one of the words in them.
"""

import linecache
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = "import numpy as np\nimport scipy.linalg\nfrom scipy import special, stats\n"
# Of a million these are of as many bins, or of numbers that are not in order, or make a table.
OF_FEW = ("np.digitize", "np.interp", "outer", "multinomial")

MATRICES = """
np.linalg.solve(s, s[0]); np.linalg.inv(s); np.linalg.det(s); np.linalg.slogdet(s)[1]; np.linalg.cholesky(s)
np.linalg.qr(s); np.linalg.eigh(s); np.linalg.eigvalsh(s); np.linalg.svd(s); np.linalg.svd(s, full_matrices=False)
np.linalg.svd(s, compute_uv=False); np.linalg.pinv(s); np.linalg.lstsq(s, s[0])[0]; np.linalg.matrix_power(s, 5)
np.linalg.norm(s, 2); np.linalg.norm(s, 'nuc'); np.linalg.norm(s, axis=1, keepdims=True)
np.linalg.multi_dot([s, s, s]); scipy.linalg.solve_triangular(s, s[0], lower=True); scipy.linalg.cho_factor(s)[0]
scipy.linalg.cho_solve((s, True), s[0]); scipy.linalg.expm(s); np.einsum('ij,jk,kl->il', s, s, s)
np.einsum('...ij,...jk->...ik', s, s); np.tensordot(s, s, 1); np.kron(s, s); np.outer(s, s); np.inner(s, s)
np.vdot(s, s); np.cross(s[:, :3], s[:, 1:]); np.trace(s, 1); np.diagonal(s, 1)
np.triu(s, 1); np.tril(s, 1); np.diag(s, 1); np.diagflat(s, 1); np.vstack((s, s)); np.hstack((s, s))
np.dstack((s, s)); np.column_stack((s, s)); np.append(s, s); np.split(s, 2)[0]; np.array_split(s, 3)[0]
np.repeat(s, 3, axis=1); np.tile(s, (2, 3)); np.roll(s, (1, 2), axis=(0, 1)); np.rot90(s); np.pad(s, 2)
np.pad(s, 2, mode='reflect'); np.pad(s, 2, mode='linear_ramp'); np.pad(s, 2, mode='mean'); np.r_[s[0], s[1]]
np.c_[s[0], s[1]]; np.vander(s[0]); np.insert(s, 1, 2.0, axis=0); np.delete(s, 1, axis=0)
np.meshgrid(s[0], s[1])[0]; np.indices(s.shape); np.tri(4); np.cov(s); np.corrcoef(s)
special.logsumexp(s, axis=1, b=s); special.softmax(s, axis=1); special.log_softmax(s, axis=1)
stats.multivariate_normal.logpdf(s[0], np.zeros(4), s); stats.dirichlet.logpdf(np.full(4, 0.25), np.abs(s[0]) + 1.0)
stats.wishart.logpdf(s, 6, s)
"""

ORDER = """
np.sort(x); np.argsort(x, kind='stable'); np.partition(x, 5); np.argpartition(x, 5); np.searchsorted(x, x)
np.digitize(x, x[:10]); np.bincount((10 * x).astype(int)); np.histogram(x, 10)[0]
np.histogram(x, 10, density=True)[0]; np.unique(x); np.unique(x, return_counts=True)[1]; np.cumsum(x)
np.cumprod(x); np.diff(x, 2); np.ediff1d(x); np.gradient(x); np.trapezoid(x); np.interp(x, x, x)
np.convolve(x, x[:9]); np.correlate(x, x[:9]); np.percentile(x, 30.0); np.quantile(x, 0.3); np.median(x)
np.average(x, weights=x); np.ptp(x); np.nansum(x); np.nanmean(x); np.nanmax(x); np.nanstd(x); np.nanvar(x)
np.nanmedian(x); np.nanpercentile(x, 30.0); np.nanargmax(x); np.nancumsum(x); np.nanprod(x)
np.count_nonzero(x > 0.5); np.any(x > 2); np.all(x > 2); np.argmax(x); np.max(x, initial=0.0, where=x > 0.5)
np.std(x)
"""

ELEMENTWISE = """
np.fmax(x, 0.5); np.logaddexp2(x, x); np.exp2(x); np.log2(x); np.cbrt(x); np.deg2rad(x); np.sinc(x)
np.nan_to_num(x); np.copysign(x, x); np.nextafter(x, 1.0); np.heaviside(x, 0.5); np.fmod(x, 0.3)
np.remainder(x, 0.3); np.divmod(x, 0.3); np.gcd((10 * x).astype(int), 6); np.lcm((10 * x).astype(int), 6)
np.isclose(x, x); np.allclose(x, x); np.array_equal(x, x); np.ldexp(x, 3); np.frexp(x); np.modf(x)
np.hypot(x, x); np.signbit(x); np.add.outer(x[:9], x); np.multiply.reduce(x); np.logaddexp.reduce(x)
np.maximum.accumulate(x); np.logaddexp.accumulate(x); np.logaddexp(x, x)
special.gamma(x); special.gammaln(x); special.digamma(x); special.polygamma(2, x); special.beta(x, x)
special.betaln(x, x); special.betainc(2.0, 3.0, x); special.gammainc(2.0, x); special.gammaincc(2.0, x)
special.erf(x); special.erfc(x); special.erfinv(x); special.erfcx(x); special.ndtr(x); special.ndtri(x)
special.log_ndtr(x); special.expit(x); special.logit(x); special.log_expit(x); special.logsumexp(x)
special.xlogy(x, x); special.xlog1py(x, x); special.rel_entr(x, x); special.entr(x); special.i0(x); special.i1(x)
special.i0e(x); special.i1e(x); special.j0(x); special.j1(x); special.zeta(1.0 + x); special.comb(10.0, x)
special.factorial((10 * x).astype(int)); special.multigammaln(x + 5.0, 3)
stats.multinomial.logpmf(np.array([1, 2, 3]), 6, np.array([0.2, 0.3, 0.5]))
"""

# Distributions and their parameters, before loc and scale.
CONTINUOUS = {
    "norm": "", "lognorm": "0.5, ", "t": "4.0, ", "cauchy": "", "laplace": "", "logistic": "", "gamma": "2.0, ",
    "invgamma": "2.0, ", "beta": "2.0, 3.0, ", "expon": "", "weibull_min": "2.0, ", "pareto": "0.5, ", "chi2": "3.0, ",
    "f": "3.0, 4.0, ", "uniform": "", "truncnorm": "-1.0, 2.0, ", "halfnorm": "", "halfcauchy": "",
    "vonmises": "2.0, ", "skewnorm": "2.0, ",
}  # fmt: skip
DISCRETE = {
    "poisson": "2.0", "binom": "10, 0.3", "nbinom": "3, 0.3", "geom": "0.3", "bernoulli": "0.3",
    "betabinom": "10, 2.0, 3.0", "hypergeom": "20, 7, 12",
}  # fmt: skip


def calls() -> dict[str, str]:
    """Every call with the name of its argument."""
    made = dict.fromkeys(listed(MATRICES), "s") | dict.fromkeys(listed(ORDER + ELEMENTWISE), "x")
    for name, given in CONTINUOUS.items():
        for method in ("logpdf", "pdf", "logcdf", "cdf"):
            made[f"stats.{name}.{method}(x, {given}loc=0.1, scale=1.5)"] = "x"
    for name, given in DISCRETE.items():
        for method in ("logpmf", "pmf", "logcdf", "cdf"):
            made[f"stats.{name}.{method}(np.arange(5), {given})"] = "x"
    return made


def listed(texts: str) -> list[str]:
    return [text for line in texts.split("\n") for text in line.strip().split("; ") if text]


def argument(name: str) -> np.ndarray:
    if name == "x":
        return np.linspace(0.01, 0.9, 1000)
    a = np.random.default_rng(0).normal(size=(4, 4))
    return a @ a.T + np.eye(4)


def function(name: str, text: str) -> Callable[[Any], Any]:
    """A call as the only line of a function, whose text is kept as a notebook's is."""
    source, file, made = f"{NAMES}\n\ndef f({name}):\n    return {text}\n", f"<{text}>", dict[str, Any]()
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), made)
    return made["f"]


def processor_seconds(f: Callable[[Any], Any], x: Any) -> float:
    begun = time.process_time()
    f(x)
    return time.process_time() - begun


def main(words: list[str]) -> None:
    from codegen import jit

    rng = np.random.default_rng(0)
    floats, ints = rng.uniform(0.01, 0.9, 1_000_000), rng.integers(0, 12, 1_000_000)
    for text, name in calls().items():
        if (
            name != "x"
            or any(each in text for each in OF_FEW)
            or (words and not any(w in text for w in words))
        ):
            continue
        x = ints if "np.arange(5)" in text else floats
        theirs = function("x", text.replace("np.arange(5)", "x"))
        ours = jit(theirs)
        ours(x)
        first = processor_seconds(theirs, x)
        rounds = 1 if first > 1.0 else 8
        pairs = [(processor_seconds(ours, x), processor_seconds(theirs, x)) for _ in range(rounds)]
        best, least = (min(each) for each in zip(*pairs, strict=True))
        print(f"{least / best:8.2f}   ours {1e3 * best:8.2f} ns a number   {text}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
