"""Integrals, differential equations and roots over lanes, against a loop over SciPy's calls; all cores against one.

The functions are those of peers/calculus.py: Kepler's equation, an integral of a normal density, hares and lynxes. The
results must be the same up to what SciPy's tolerances leave.
"""

import measuring as m

WORKS = {
    "brentq": ("Kepler's equation, brentq", 20_000, 2_000),
    "quad": ("a normal integral, quad", 20_000, 2_000),
    "solve_ivp": ("hares and lynxes, solve_ivp", 10_000, 50),
}


def main() -> None:
    options = m.options(__doc__)
    figures = []
    for work, (name, lanes, calls) in WORKS.items():
        commands = {
            "ours": m.here("calculus.py", "ours", work, lanes),
            "SciPy": m.here("calculus.py", "SciPy", work, calls),
        }
        with m.contenders(commands) as processes:
            rates = m.interleaved(processes, options.rounds)
            m.agree(processes)
        figures.append(m.show(m.comparison(f"{name}, {lanes:,} lanes", "calls/s", rates, "SciPy")))
    print(m.table(figures))


if __name__ == "__main__":
    main()
