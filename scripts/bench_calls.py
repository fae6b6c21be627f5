"""First calls of some three hundred functions of NumPy and SciPy, compiled for the CPU: processor seconds, each in a
process of its own with nothing compiled, imports aside. What takes more than a second is listed.

--quick takes every twentieth.
"""

import sys
from pathlib import Path

import measuring as m
from bench_first_use import cold

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))


def main() -> None:
    from library_calls import calls

    options = m.options(__doc__)
    cold(1, "import", "codegen")  # which leaves bytecode
    texts = [*calls()][:: 20 if options.quick else 1]
    taken: dict[str, float] = {}
    for text in texts:
        taken[text] = min(cold(options.rounds, "call", text)["first"])
        print(f"{taken[text]:.2f} {text}", file=sys.stderr, flush=True)
    slowest = max(taken, key=taken.__getitem__)
    figures = [
        m.show(m.bounded(f"first calls of {len(taken)} functions, median", "s", [*taken.values()], 1.0)),
        m.show(m.bounded(f"the slowest, {slowest}", "s", [taken[slowest]], 1.0)),
    ]
    for text in sorted(taken, key=taken.__getitem__, reverse=True)[1:]:
        if taken[text] > 1.0:
            figures.append(m.show(m.bounded(text, "s", [taken[text]], 1.0)))
    print(m.table(figures))


if __name__ == "__main__":
    main()
