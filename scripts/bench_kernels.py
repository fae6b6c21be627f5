"""Numerical kernels: a NumPy function of one example, batched, against plain Numba and JAX.

Numba is a loop over examples under prange with sums in any order, JAX is jit and vmap in float64; ours is
to take at most 0.7 of the time of the better of the two. The results must be the same up to rounding. --quick leaves
out cross-entropy, MRI-Q and the large grids.
"""

from statistics import median

import measuring as m

FLOOR = round(1 / 0.7, 2)
WORKS = {
    "logsumexp": ("logsumexp of 256", "rows/s", 40_000),
    "cross_entropy": ("softmax cross-entropy, 10 classes", "rows/s", 1_000_000),
    "black_scholes": ("Black-Scholes, call and put", "options/s", 2_000_000),
    "mriq": ("MRI-Q, 1,024 samples", "voxels/s", 16_384),
    "kmeans_cost": ("k-means cost, 32 centres, 8 dimensions", "points/s", 500_000),
    "hotspot": ("hotspot, one grid of 1,024 x 1,024", "cells/s", 1024),
    "hotspot_large": ("hotspot, one grid of 4,096 x 4,096", "cells/s", 4096),
    "hotspot_chips": ("hotspot, 256 grids of 64 x 64", "cells/s", 256),
}
QUICK = ("logsumexp", "black_scholes", "kmeans_cost", "hotspot_chips")


def against_both(work: str, rounds: int) -> list[m.Figure]:
    name, unit, size = WORKS[work]
    commands = {
        "ours": m.ours("kernel", work, size),
        "Numba prange": m.here("hand_kernels.py", work, size),
        "JAX": m.peer("jax_kernels.py", work, size),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
        m.agree(processes)
    better = max(("Numba prange", "JAX"), key=lambda peer: median(rates[peer]))
    floors = {better: FLOOR}
    return [m.show(m.comparison(name, unit, rates, p, floors.get(p))) for p in ("Numba prange", "JAX")]


def main() -> None:
    options = m.options(__doc__)
    works = QUICK if options.quick else tuple(WORKS)
    print(m.table([figure for work in works for figure in against_both(work, options.rounds)]))


if __name__ == "__main__":
    main()
