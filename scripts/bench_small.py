"""Programs over arrays of a few numbers: `jit` against Numba on the same text, and JAX; a gradient against JAX's.

The functions are those of peers/small.py: a differential equation, Kalman's filter, a quaternion. The results must be
the same up to rounding.
"""

import measuring as m

STEPS = 10_000
WORKS = {
    "predators": "hares and lynxes, Runge-Kutta",
    "kalman": "Kalman's filter, two states",
    "attitude": "a quaternion, turned",
}


def against_both(work: str, rounds: int) -> list[m.Figure]:
    commands = {
        "ours": m.ours("small", work, STEPS),
        "Numba": m.here("hand_small.py", work, STEPS),
        "JAX": m.peer("jax_small.py", work, STEPS),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
        m.agree(processes)
    return [m.show(m.comparison(WORKS[work], "steps/s", rates, peer)) for peer in ("Numba", "JAX")]


def gradient(rounds: int) -> m.Figure:
    commands = {
        "ours": m.ours("small_gradient", "kalman", STEPS),
        "JAX": m.peer("jax_small.py", "gradient", "kalman", STEPS),
    }
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, rounds)
        m.agree(processes, 1e-7)
    return m.show(m.comparison("Kalman's filter, gradient", "steps/s", rates, "JAX"))


def main() -> None:
    options = m.options(__doc__)
    figures = [figure for work in WORKS for figure in against_both(work, options.rounds)]
    print(m.table([*figures, gradient(options.rounds)]))


if __name__ == "__main__":
    main()
