"""What a gradient costs, over its function's value: both compiled for the CPU.

Value and gradient of a log density, logistic regression, 10,000 x 100; gradients of tables that loops over elements
fill, of loops that call functions, and of stencils (peers/tables.py).
"""

import measuring as m

TABLES = (
    "alignment", "intervals", "forward", "elimination", "cholesky", "rotations", "prey", "bonds", "burgers", "plate",
)  # fmt: skip
SIZES = (60, 200, 500)


def main() -> None:
    options = m.options(__doc__)
    count = 50 if options.quick else 200
    sides = m.ours("primal", count), m.ours("gradient", count)
    found = quotients(*sides, options.rounds)
    figures = [m.show(m.bounded("value and gradient / value, logistic", "times", found, 3.0))]
    for name in TABLES:
        for size in SIZES[: 1 if options.quick else None]:
            sides = m.ours("table", name, size), m.ours("table_gradient", name, size)
            found = quotients(*sides, options.rounds)
            figures.append(m.show(m.bounded(f"gradient / value, {name}, n = {size}", "times", found)))
    print(m.table(figures))


def quotients(value: list[str], gradient: list[str], rounds: int) -> list[float]:
    """How many times as long a gradient takes, measured in turn."""
    with m.contenders({"value": value, "gradient": gradient}) as processes:
        rates = m.interleaved(processes, rounds)
    return [v / g for v, g in zip(rates["value"], rates["gradient"], strict=True)]


if __name__ == "__main__":
    main()
