"""NUTS with a fixed step size: useful leapfrogs per second against NumPyro and a hand-written Numba sampler.

Eight schools (non-centred, 10 dimensions, step 0.3, unit metric, depth at most 10) with 1,024 chains and with
one. NumPyro runs in two ways: as its users run it, MCMC.run with its defaults, and with its kernel kept compiled
in a loop of our own, which is faster with one chain. The floor for one chain is on the first, that for many
chains on the second.
"""

import measuring as m

RUN, KEPT = "NumPyro's MCMC.run, defaults", "NumPyro, kernel kept compiled"


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


def main() -> None:
    options = m.options(__doc__)
    size = 1 if options.quick else 4
    figures = eight_schools(1024, {"ours": 250 * size, "NumPyro": 40 * size}, {KEPT: 15.0}, options.rounds)
    figures += eight_schools(
        1, {"ours": 50_000 * size, "NumPyro": 10_000 * size}, {RUN: 50.0}, options.rounds
    )
    print(m.table(figures))


if __name__ == "__main__":
    main()
