"""Linear algebra, contractions and functions of arrays, against NumPy: calls in the same time, on one thread of BLAS.

Of lanes: 10,000 matrices of 8 x 8 and 1,000 of 64 x 64, a lane each, against NumPy's function of the stack and a loop
over its calls, which have one core; lanes have all, as they do for users, or one. What a gradient costs with n = 500.
np.einsum against its own optimize=True on ten patterns, and functions of a million numbers: both sides in turn in one
process, by processor time, which the load of others meets alike. What the first calls of such functions take.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import measuring as m
from bench_first_use import answered, caches

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))


def lanes(rounds: int) -> list[m.Figure]:
    every = os.sched_getaffinity(0)
    try:
        return [figure for cores in (every, {min(every)}) for figure in lanes_on(cores, rounds)]
    finally:
        os.sched_setaffinity(0, every)


def lanes_on(cores: set[int], rounds: int) -> list[m.Figure]:
    """On these cores, which processes inherit: `batch` has threads of its own."""
    os.sched_setaffinity(0, cores)
    os.environ["NUMBA_NUM_THREADS"] = str(len(cores))
    figures = []
    for count, n, floor in ((10_000, 8, 20.0), (1_000, 64, 3.0)):
        for work in ("solve", "cholesky", "eigh"):
            commands = {who: m.here("matrices.py", who, work, count, n) for who in ("ours", "loop", "stack")}
            with m.contenders(commands) as processes:
                rates = m.interleaved(processes, rounds)
            name = f"{work}, {count:,} lanes of {n} x {n}{', one core' if len(cores) == 1 else ''}"
            floors = (None, None) if len(cores) == 1 else (floor, 1.0)
            for peer, least in zip(("loop", "stack"), floors, strict=True):
                figures.append(m.show(m.comparison(name, "calls/s", rates, peer, least)))
    return figures


def gradients(rounds: int) -> list[m.Figure]:
    figures = []
    for work in ("solve", "logdet"):
        rates, _ = side_by_side("gradient", work, "value", rounds)
        ratios = [value / both for value, both in zip(rates["value"], rates["ours"], strict=True)]
        figures.append(
            m.show(m.bounded(f"value and gradient / value, {work}, n = 500", "times", ratios, 3.0))
        )
    return figures


def gaussian_process(rounds: int) -> list[m.Figure]:
    """Both on all cores, BLAS on one thread: chains share the cores. Two rounds at most, of minutes each."""
    os.environ["NUMBA_NUM_THREADS"] = str(len(os.sched_getaffinity(0)))
    sizes = (4, 100, 100)
    commands = {
        "ours": m.here("gaussian_process.py", "ours", *sizes),
        "NumPyro": m.peer("gaussian_process.py", "NumPyro", *sizes),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, min(rounds, 2))
    return [m.show(m.comparison("Gaussian process of 300 points, 4 chains", "ESS/s", rates, "NumPyro", 5.0))]


def side_by_side(work: str, what: object, peer: str, rounds: int) -> tuple[dict[str, list[float]], float]:
    """Rates of both in one process, by processor time, and the first call with nothing compiled, imports aside."""
    with tempfile.TemporaryDirectory() as home:
        told: Any = answered(m.here("matrices.py", "pair", work, what, peer, max(rounds, 9)), **caches(home))
    return told["rates"], told["first"]


def patterns(rounds: int) -> list[m.Figure]:
    import matrices

    figures = []
    for k, (subscripts, *_) in enumerate(matrices.PATTERNS):
        rates, _first = side_by_side("einsum", k, "optimize", rounds)
        figures.append(m.show(m.comparison(f"einsum {subscripts}", "calls/s", rates, "optimize", 1.0)))
    return [*figures, m.show(m.together("einsum, geometric mean", figures, 1.0))]


def functions(rounds: int) -> list[m.Figure]:
    import matrices

    figures, firsts = [], []
    for name in matrices.FUNCTIONS:
        rates, first = side_by_side("function", name, "NumPy", rounds)
        firsts.append(first)
        figures.append(m.show(m.comparison(f"{name} of a million", "calls/s", rates, "NumPy", 1 / 1.2)))
    return [
        *figures,
        m.show(m.together("functions of a million, geometric mean", figures, 1.0)),
        m.show(m.bounded("first call of such a function, median", "s", firsts, 1.0)),
        m.show(m.bounded("first call of such a function, the slowest", "s", [max(firsts)], 1.0)),
    ]


def main() -> None:
    options = m.options(__doc__)
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = "1"
    small = (patterns, functions)
    parts = (lanes, gradients) if options.quick else (lanes, gradients, *small, gaussian_process)
    print(m.table([figure for part in parts for figure in part(options.rounds)]))


if __name__ == "__main__":
    main()
