"""Both sides of scripts/bench_matrices.py: python matrices.py WHO WORK [SIZES]

WHO is ours, stack (NumPy's function of the stack), loop (a Python loop over NumPy's function), optimize (np.einsum
with optimize=True) or value (ours without the gradient). Works: solve, cholesky, eigh LANES N, a matrix a lane;
gradient NAME, with the value, one of SINGLE; einsum K, the K-th of PATTERNS; function NAME, one of FUNCTIONS of a
million numbers.

python matrices.py pair WORK WHAT PEER ROUNDS: ours and the peer's in turn in one process, by processor time, and what
the first call of ours took.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from serving import answer, serve

# Of the documentation of NumPy and of opt_einsum, and of models: (subscripts, shapes).
PATTERNS = (
    ("ij,jk->ik", (300, 300), (300, 300)),
    ("bij,bjk->bik", (64, 64, 64), (64, 64, 64)),
    ("ij,j->i", (1000, 1000), (1000,)),
    ("i,j->ij", (1000,), (1000,)),
    ("ij,ij->", (1000, 1000), (1000, 1000)),
    ("bhqd,bhkd->bhqk", (4, 8, 64, 32), (4, 8, 64, 32)),
    ("ijk,ilm,njm,nlk,abc->", (8, 8, 8), (8, 8, 8), (8, 8, 8), (8, 8, 8), (8, 8, 8)),
    ("ea,fb,abcd,gc,hd->efgh", (16, 16), (16, 16), (16, 16, 16, 16), (16, 16), (16, 16)),
    ("ni,ij,nj->n", (10_000, 32), (32, 32), (10_000, 32)),
    ("ijj->ij", (200, 100, 100)),
)
FUNCTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "exp": lambda x: np.exp(x),
    "tanh": lambda x: np.tanh(x),
    "cbrt": lambda x: np.cbrt(x),
    "log10": lambda x: np.log10(np.abs(x)),
    "tan": lambda x: np.tan(x),
    "arctan": lambda x: np.arctan(x),
    "arcsinh": lambda x: np.arcsinh(x),
    "cosh": lambda x: np.cosh(x),
    "logaddexp": lambda x: np.logaddexp(x, 0.5),
    "sinc": lambda x: np.sinc(x),
    "nansum": lambda x: np.nansum(x),
    "nanmax": lambda x: np.nanmax(x),
    "argmax": lambda x: np.argmax(x),
    "nonzero": lambda x: np.nonzero(x > 0.0),
    "tile": lambda x: np.tile(x, 3),
    "cumsum": lambda x: np.cumsum(x),
    "diff": lambda x: np.diff(x),
    "sort": lambda x: np.sort(x),
    "median": lambda x: np.median(x),
    "roll": lambda x: np.roll(x, 7),
    "interp": lambda x: np.interp(x, np.linspace(-3.0, 3.0, 50), np.linspace(0.0, 1.0, 50) ** 2),
    "gamma": lambda x: special.gamma(np.abs(x)),
    "digamma": lambda x: special.digamma(np.abs(x)),
    "j0": lambda x: special.j0(x),
    "gammaln": lambda x: special.gammaln(np.abs(x)),
    "erf": lambda x: special.erf(x),
    "expit": lambda x: special.expit(x),
    "ndtri": lambda x: special.ndtri(special.expit(x)),
    "logsumexp": lambda x: special.logsumexp(x),
    "i0e": lambda x: special.i0e(x),
}


def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.solve(a, b)


def cholesky(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.cholesky(a)


def eigh(a: np.ndarray, b: np.ndarray) -> Any:
    return np.linalg.eigh(a)


def sum_of_solution(a: np.ndarray, b: np.ndarray) -> float:
    return np.sum(np.linalg.solve(a, b))


def logdet(a: np.ndarray, b: np.ndarray) -> float:
    return np.linalg.slogdet(a)[1]


LANES = {"solve": solve, "cholesky": cholesky, "eigh": eigh}
SINGLE = {"solve": sum_of_solution, "logdet": logdet}


def definite(n: int, *lead: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((*lead, n, n))
    return x @ np.swapaxes(x, -1, -2) + n * np.eye(n), rng.standard_normal((*lead, n))


def of_lanes(who: str, work: str, lanes: int, n: int) -> Callable[[], Any]:
    a, b = definite(n, lanes)
    f = LANES[work]
    if who == "ours":
        from autobatch import batch

        many = batch(f)
        return lambda: many(a, b)
    if who == "loop":
        return lambda: [f(x, y) for x, y in zip(a, b, strict=True)]
    return lambda: f(a, b[..., None])


def of_one(who: str, work: str) -> Callable[[], Any]:
    from autodiff import value_and_grad
    from codegen import jit

    a, b = definite(500)
    f = value_and_grad(SINGLE[work]) if who == "ours" else jit(SINGLE[work])
    return lambda: f(a, b)


def of_pattern(who: str, k: int) -> Callable[[], Any]:
    subscripts, *shapes = PATTERNS[k]
    rng = np.random.default_rng(4)
    operands = [rng.standard_normal(shape) for shape in shapes]
    if who == "optimize":
        return lambda: np.einsum(subscripts, *operands, optimize=True)
    from codegen import jit

    names = ", ".join(f"x{i}" for i in range(len(operands)))
    f = jit(written(f"def contract({names}):\n    return np.einsum({subscripts!r}, {names})\n")["contract"])
    return lambda: f(*operands)


def written(text: str) -> dict[str, Any]:
    """What a module of this text has, from a file: functions are read."""
    import runpy
    import tempfile
    from pathlib import Path

    file = Path(tempfile.mkdtemp()) / "contract.py"
    file.write_text(f"import numpy as np\n\n\n{text}")
    return runpy.run_path(str(file))


def of_million(who: str, name: str) -> Callable[[], Any]:
    x, f = np.random.default_rng(5).standard_normal(1_000_000), FUNCTIONS[name]
    if who == "ours":
        from codegen import jit

        f = jit(f)
    return lambda: f(x)


def made(who: str, work: str, *sizes: str) -> Callable[[], Any]:
    if work in LANES:
        return of_lanes(who, work, *map(int, sizes))
    if work == "einsum":
        return of_pattern(who, int(sizes[0]))
    if work == "function":
        return of_million(who, sizes[0])
    return of_one(who, sizes[0])


def pair(work: str, what: str, peer: str, rounds: str) -> dict[str, Any]:
    """What one process measures; what the first function that is compiled brings along is imported before."""
    import libcst  # noqa: F401
    import numba  # noqa: F401

    calls = {who: made(who, work, what) for who in ("ours", peer)}
    first = processor_seconds(calls["ours"], 1)
    counts = {}
    for who, call in calls.items():
        call()
        counts[who] = max(1, int(0.05 / max(processor_seconds(call, 1), 1e-7)))
    rates: dict[str, list[float]] = {who: [] for who in calls}
    for _ in range(int(rounds)):
        for who, call in calls.items():
            rates[who].append(counts[who] / processor_seconds(call, counts[who]))
    return {"first": first, "rates": rates}


def processor_seconds(call: Callable[[], Any], count: int) -> float:
    begun = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - begun


def main() -> None:
    if sys.argv[1] == "pair":
        answer(pair(*sys.argv[2:]))
        return
    run = made(*sys.argv[1:])
    begun = time.perf_counter()
    run()
    first = time.perf_counter() - begun
    run()
    begun = time.perf_counter()
    run()
    calls = max(1, int(0.2 / max(time.perf_counter() - begun, 1e-9)))

    def measured() -> dict[str, Any]:
        for _ in range(calls):
            run()
        return {"count": calls, "first": first}

    serve(measured)


if __name__ == "__main__":
    main()
