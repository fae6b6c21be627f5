"""What a gradient costs: value and gradient of a log density over the density alone.

Logistic regression, 10,000 x 100; one lane, one thread of control, both compiled for the CPU.
"""

import measuring as m


def main() -> None:
    options = m.options(__doc__)
    count = 50 if options.quick else 200
    commands = {"primal": m.ours("primal", count), "gradient": m.ours("gradient", count)}
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, options.rounds)
    ratios = [p / g for p, g in zip(rates["primal"], rates["gradient"], strict=True)]
    print(m.table([m.show(m.bounded("value and gradient / value, logistic", "times", ratios, 3.0))]))


if __name__ == "__main__":
    main()
