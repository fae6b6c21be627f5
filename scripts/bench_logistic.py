"""Logistic regression 10,000 x 100 by NUTS: useful gradients per second against NumPyro, and against dgemm.

16, 128 and 1,024 chains; a leapfrog is a gradient, two products with the design matrix. NumPyro is its kernel kept
compiled, its chains vectorised, and waits for the longest trajectory. So a step size does different things to it:
0.0095 is what its own adaptation settles at, and makes trajectories of 7 to hundreds of leapfrogs; at 0.008 all take
15, its best case. With 1,024 chains also: the share of what one dgemm of the same operations does on all cores.
--quick takes one step size for each, and 1,024 chains against dgemm alone.
"""

import measuring as m

PEER, DGEMM = "NumPyro, kernel kept compiled", "one dgemm of as many operations"
STEPS = {"logistic": "0.0095", "logistic_even": "0.008 (all equal)"}
FLOORS = {16: 1.5, 128: 4.0, 1024: 7.0}
DRAWS = {16: (32, 8), 128: (8, 1), 1024: (4, 1)}  # ours, NumPyro's
MOST = max(FLOORS)
QUICK = [("logistic", 16), ("logistic", 128), ("logistic_even", MOST)]


def compared(work: str, chains: int, quick: bool, rounds: int) -> list[m.Figure]:
    """Against NumPyro, and with the most chains against dgemm."""
    mine, theirs = DRAWS[chains]
    peers = {
        PEER: m.peer("numpyro_nuts.py", "kept", work, chains, theirs),
        DGEMM: m.here("one_dgemm.py", chains),
    }
    floors = {PEER: FLOORS[chains], DGEMM: 0.6}
    if chains < MOST:
        del floors[DGEMM]
    elif quick:
        del floors[PEER]
    commands = {"ours": m.ours(work, chains, mine), **{p: peers[p] for p in floors}}
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    name = f"logistic 10,000 x 100, {chains:,} chains, step {STEPS[work]}"
    return [m.show(m.comparison(name, "gradients/s", rates, peer, floor)) for peer, floor in floors.items()]


def main() -> None:
    options = m.options(__doc__)
    works = QUICK if options.quick else [(work, chains) for chains in FLOORS for work in STEPS]
    figures = [compared(work, chains, options.quick, options.rounds) for work, chains in works]
    print(m.table([figure for each in figures for figure in each]))


if __name__ == "__main__":
    main()
