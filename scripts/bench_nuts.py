"""NUTS with a fixed step size: useful leapfrogs per second against NumPyro and a hand-written Numba sampler.

Eight schools (non-centred, 10 dimensions, step 0.3, unit metric, depth at most 10) with 1,024 chains and with
one; logistic regression 10,000 x 100 with 16, 128 and 1,024 chains, where a leapfrog is a gradient. NumPyro
runs in two ways: as its users run it, MCMC.run with its defaults, and with its kernel kept compiled in a loop of
our own, which is faster with one chain. The floor for one chain is on the first, that for many chains on the
second. NumPyro's vectorised chains wait for the longest trajectory, so what a step size does to it differs:
0.0095 is what its own adaptation settles at, and makes trajectories of 7 to over 100 leapfrogs; at 0.008 all take
15, its best case. "dgemm" is the two matrix products of a gradient and nothing else, for all chains at once: the
limit.
"""

import measuring as m

RUN, KEPT = "NumPyro's MCMC.run, defaults", "NumPyro, kernel kept compiled"
DGEMM = "dgemm of the same products"
LOGISTIC = {
    "logistic": "logistic 10,000 x 100, {} chains, step 0.0095",
    "logistic_even": "logistic 10,000 x 100, {} chains, step 0.008 (all trajectories equal)",
}


def eight_schools(
    chains: int, draws: dict[str, int], floors: dict[str, float], rounds: int
) -> list[m.Figure]:
    """Ours against NumPyro in both ways, with the floors, and against the hand-written sampler."""
    commands = {
        "ours": m.ours("eight_schools", chains, draws["ours"]),
        RUN: m.peer("numpyro_nuts.py", "run", "eight_schools", chains, draws["NumPyro"]),
        KEPT: m.peer("numpyro_nuts.py", "kept", "eight_schools", chains, draws["NumPyro"]),
        "by hand": m.here("hand_nuts.py", chains, draws["ours"]),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    name = f"eight schools, {chains:,} chain{'s' if chains > 1 else ''}"
    peers = (RUN, KEPT, "by hand")
    return [m.show(m.comparison(name, "leapfrogs/s", rates, p, floors.get(p))) for p in peers]


def logistic(
    work: str, chains: int, draws: dict[str, int], floors: dict[str, float], rounds: int
) -> list[m.Figure]:
    """Ours against NumPyro's kept kernel, and against the matrix products alone."""
    commands = {
        "ours": m.ours(work, chains, draws["ours"]),
        KEPT: m.peer("numpyro_nuts.py", "kept", work, chains, draws["NumPyro"]),
        DGEMM: m.here("dgemm.py", chains, max(1, 2000 // chains)),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    name = LOGISTIC[work].format(f"{chains:,}")
    return [m.show(m.comparison(name, "gradients/s", rates, p, floors.get(p))) for p in (KEPT, DGEMM)]


def main() -> None:
    options = m.options(__doc__)
    size = 1 if options.quick else 4
    figures = eight_schools(1024, {"ours": 250 * size, "NumPyro": 40 * size}, {KEPT: 15.0}, options.rounds)
    figures += eight_schools(
        1, {"ours": 50_000 * size, "NumPyro": 10_000 * size}, {RUN: 50.0}, options.rounds
    )
    even = "logistic_even"
    figures += logistic("logistic", 16, {"ours": 8 * size, "NumPyro": 4 * size}, {KEPT: 1.5}, options.rounds)
    figures += logistic("logistic", 128, {"ours": 4 * size, "NumPyro": size}, {KEPT: 4.0}, options.rounds)
    figures += logistic(even, 128, {"ours": 4 * size, "NumPyro": 2 * size}, {KEPT: 2.0}, options.rounds)
    figures += logistic(even, 1024, {"ours": 2 * size, "NumPyro": 1}, {KEPT: 7.0, DGEMM: 0.6}, options.rounds)
    print(m.table(figures))


if __name__ == "__main__":
    main()
