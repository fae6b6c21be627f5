"""Programs that are all control flow: `batch` of a function of one lane against a Numba loop over lanes.

Both run the functions of peers/control.py as they stand there, on the same lanes, which need different numbers of
steps. The loop is what a Numba user writes: njit, prange, error_model="numpy"; the results must be the same.
"""

import measuring as m

WORKS = {
    "mandelbrot": ("mandelbrot, at most 500 steps", 1_000_000),
    "gcd": ("gcd by subtraction, up to 100,000", 2_000_000),
    "fib": ("fib(5) to fib(24)", 10_000),
    "runge_kutta": ("Runge-Kutta, adaptive, 100,000 tolerances", 100_000),
    "newton": ("Newton's square roots, 1e-8 to 1e8", 4_000_000),
    "queens": ("queens by recursion, 8 to 11", 16_000),
}


def against_a_loop(work: str, rounds: int) -> m.Figure:
    name, lanes = WORKS[work]
    commands = {
        "ours": m.ours("control", work, lanes),
        "Numba prange": m.here("hand_control.py", work, lanes),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
        m.agree(processes)
    return m.show(m.comparison(name, "lanes/s", rates, "Numba prange", 0.9))


def main() -> None:
    options = m.options(__doc__)
    figures = [against_a_loop(work, options.rounds) for work in WORKS]
    figures.append(m.show(m.together("control flow, geometric mean", figures, 1.5)))
    print(m.table(figures))


if __name__ == "__main__":
    main()
