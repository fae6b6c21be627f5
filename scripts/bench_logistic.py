"""Logistic regression 10,000 x 100 by NUTS: useful gradients per second against NumPyro, and against dgemm.

16, 128 and 1,024 chains; a leapfrog is a gradient, two products with the design matrix. NumPyro is its kernel kept
compiled, its chains vectorised, and waits for the longest trajectory. So a step size does different things to it:
0.0095 is what its own adaptation settles at, and makes trajectories of 7 to hundreds of leapfrogs; at 0.008 all take
15, its best case. The last figure is the share of what one dgemm of the same operations does on all cores.
--quick leaves out 1,024 chains at 0.0095: NumPyro takes a minute for one draw of them.
"""

import measuring as m

PEER = "NumPyro, kernel kept compiled"
STEPS = {"logistic": "0.0095", "logistic_even": "0.008 (all equal)"}
FLOORS = {16: 1.5, 128: 4.0, 1024: 7.0}
DRAWS = {16: (32, 8), 128: (8, 1), 1024: (1, 1)}  # ours, NumPyro's


def against_numpyro(work: str, chains: int, rounds: int) -> m.Figure:
    mine, theirs = DRAWS[chains]
    commands = {
        "ours": m.ours(work, chains, mine),
        PEER: m.peer("numpyro_nuts.py", "kept", work, chains, theirs),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    name = f"logistic 10,000 x 100, {chains:,} chains, step {STEPS[work]}"
    return m.show(m.comparison(name, "gradients/s", rates, PEER, FLOORS[chains]))


def against_dgemm(rounds: int) -> m.Figure:
    commands = {"ours": m.ours("logistic_even", 1024, 1), "one dgemm": m.here("one_dgemm.py", 1024)}
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
    return m.show(m.comparison("the same, share of dgemm", "gradients/s", rates, "one dgemm", 0.6))


def main() -> None:
    options = m.options(__doc__)
    figures = [
        against_numpyro(work, chains, options.rounds)
        for chains in FLOORS
        for work in STEPS
        if not (options.quick and chains == 1024 and work == "logistic")
    ]
    figures.append(against_dgemm(options.rounds))
    print(m.table(figures))


if __name__ == "__main__":
    main()
