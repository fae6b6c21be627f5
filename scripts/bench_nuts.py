"""NUTS with a fixed step size: useful leapfrogs per second against NumPyro and a hand-written Numba sampler.

Eight schools (non-centred, 10 dimensions, step 0.3, unit metric, depth at most 10) with 1,024 chains and with
one. NumPyro runs in two ways: as its users run it, MCMC.run with its defaults, and with its kernel kept compiled
in a loop of our own, which is faster with one chain. The floor for one chain is on the first, that for many
chains on the second. The sampler of the library makes Stan's three checks where the one by hand makes one, and keeps
the statistics of every draw; the algorithm by hand written plainly, as recursion (down to single leaves, or to twigs of
two) and as a loop over leaves, is measured too. --quick leaves out NumPyro's slower way, and of the plain ones all but
the plainest recursion with 1,024 chains.
"""

from collections.abc import Mapping

import measuring as m

RUN, KEPT, HAND = "NumPyro's MCMC.run, defaults", "NumPyro, kernel kept compiled", "by hand"

# What ours is, and how the table calls it.
SOURCES = {
    "eight_schools": "",
    "recursive": ", plain recursion",
    "twigs": ", recursion down to twigs",
    "iterative": ", a loop over leaves",
}

# The algorithm by hand written plainly: how, chains, draws, and the floor against the one by hand.
PLAIN = (
    ("recursive", 1024, 250, 1.6),
    ("twigs", 1024, 250, 1.6),
    ("iterative", 1024, 250, 2.2),
    ("recursive", 1, 50_000, 0.9),
    ("twigs", 1, 50_000, 0.9),
    ("iterative", 1, 50_000, 0.9),
)


def eight_schools(
    chains: int,
    draws: tuple[int, int],
    floors: Mapping[str, float | None],
    rounds: int,
    source: str = "eight_schools",
) -> list[m.Figure]:
    """Ours, so many draws a measurement, against the peers that have floors (None: measured without one)."""
    mine, theirs = draws
    peers = {
        RUN: m.peer("numpyro_nuts.py", "run", "eight_schools", chains, theirs),
        KEPT: m.peer("numpyro_nuts.py", "kept", "eight_schools", chains, theirs),
        HAND: m.here("hand_nuts.py", chains, mine),
    }
    commands = {"ours": m.ours(source, chains, mine), **{p: peers[p] for p in floors}}
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    name = f"eight schools, {chains:,} chain{'s' if chains > 1 else ''}"
    name += SOURCES[source]
    return [m.show(m.comparison(name, "leapfrogs/s", rates, p, floor)) for p, floor in floors.items()]


def main() -> None:
    options = m.options(__doc__)
    size, plain = (1, PLAIN[:1]) if options.quick else (4, PLAIN)
    many, one = {KEPT: 15.0, HAND: 1.6}, {HAND: 0.9}
    if not options.quick:
        many, one = {RUN: None, **many}, {RUN: 50.0, KEPT: None, **one}
    figures = eight_schools(1024, (250 * size, 40 * size), many, options.rounds)
    figures += eight_schools(1, (50_000 * size, 10_000 * size), one, options.rounds)
    for source, chains, draws, floor in plain:
        figures += eight_schools(chains, (draws * size, 0), {HAND: floor}, options.rounds, source)
    print(m.table(figures))


if __name__ == "__main__":
    main()
