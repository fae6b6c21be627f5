"""NUTS with a fixed step size: useful leapfrogs per second against NumPyro and a hand-written Numba sampler.

Eight schools (non-centred, 10 dimensions, step 0.3, unit metric, depth at most 10) with 1,024 chains and with
one; logistic regression 10,000 x 100 with 128 chains, where a leapfrog is a gradient. NumPyro's vectorised
chains wait for the longest trajectory, so what a step size does to it differs: 0.0095 is what its own
adaptation settles at, and makes trajectories of 7 to over 100 leapfrogs; at 0.008 all take 15, its best case.
"""

import measuring as m

LOGISTIC = {
    "logistic": "logistic 10,000 x 100, 128 chains, step 0.0095",
    "logistic_even": "the same, step 0.008 (all trajectories equal)",
}


def eight_schools(chains: int, draws: dict[str, int], at_least: float, rounds: int) -> list[m.Figure]:
    """Ours against NumPyro, with the floor, and against the hand-written sampler."""
    commands = {
        "ours": m.ours("eight_schools", chains, draws["ours"]),
        "NumPyro": m.peer("numpyro_nuts.py", "eight_schools", chains, draws["NumPyro"]),
        "by hand": m.here("hand_nuts.py", chains, draws["ours"]),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    name = f"eight schools, {chains:,} chain{'s' if chains > 1 else ''}"
    return [
        m.show(m.comparison(name, "leapfrogs/s", rates, "NumPyro", at_least)),
        m.show(m.comparison(name, "leapfrogs/s", rates, "by hand")),
    ]


def logistic(work: str, draws: dict[str, int], rounds: int) -> m.Figure:
    commands = {
        "ours": m.ours(work, 128, draws["ours"]),
        "NumPyro": m.peer("numpyro_nuts.py", work, 128, draws["NumPyro"]),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    return m.show(m.comparison(LOGISTIC[work], "gradients/s", rates, "NumPyro", 2.0))


def main() -> None:
    options = m.options(__doc__)
    size = 1 if options.quick else 4
    figures = eight_schools(1024, {"ours": 250 * size, "NumPyro": 40 * size}, 15.0, options.rounds)
    figures += eight_schools(1, {"ours": 50_000 * size, "NumPyro": 10_000 * size}, 50.0, options.rounds)
    figures.append(logistic("logistic", {"ours": 4 * size, "NumPyro": size}, options.rounds))
    figures.append(logistic("logistic_even", {"ours": 4 * size, "NumPyro": 2 * size}, options.rounds))
    print(m.table(figures))


if __name__ == "__main__":
    main()
