"""Recursion over lanes: fib(20), about 22,000 calls, on 10,000 lanes against a Python loop over lanes.

The loop runs 20 lanes and is counted in lanes per second; a lane costs it the same however many there are.
"""

import measuring as m


def main() -> None:
    options = m.options(__doc__)
    commands = {"ours": m.ours("fib", 10_000, 20), "Python loop": m.ours("fib_loop", 20, 20)}
    with m.contenders(commands) as processes:
        rates = m.interleaved(processes, options.rounds)
    print(m.table([m.show(m.comparison("fib(20), 10,000 lanes", "lanes/s", rates, "Python loop", 100.0))]))


if __name__ == "__main__":
    main()
