"""Random loops over a vector and a matrix that are read and written in place, by elements, slices and windows.

    text = random_nest(seed)        the text of `def f(x, m): ...`, which returns a float

`x` is (n,) and `m` (n, n), for any n from 10 on. Values stay bounded. The same seed gives the same program.
"""

from __future__ import annotations

import random

OUTER = ("range(4, n - 4)", "range(n - 5, 3, -1)", "range(4, n - 4, 2)")
INNER = ("range(4, i)", "range(i, n - 4)", "range(4, n - 4)", "range(n - 5, i, -1)", "range(i - 2, i + 1)")
SCALARS = (
    "x[{i}]",
    "x[{i} - 1]",
    "x[{i} + 2]",
    "x[-1]",
    "x[(3 * {i} + 1) % n]",
    "m[{i}, {j}]",
    "m[{j}, {i} - 1]",
    "s",
)
SUMS = (
    "np.sum(x[:{i}])", "np.sum(x[{i} + 1 :])", "x[:{i}] @ m[{j}, :{i}]", "m[{i}, :{j}] @ m[:{j}, {i}]",
    "np.sum(x[{i} - 2 : {i} + 3])", "np.sum(m[{i} - 1 : {i} + 2, {j} - 1 : {j} + 2])", "np.max(x[{i} - 1 : {i} + 2])",
    "x[{i}:-1] @ x[{i}:-1]", "np.sum(m[{i}, 1:] * m[{j}, :-1])",
)  # fmt: skip
VECTORS = ("x", "m[{i}, :]", "m[:, {j}]", "m[{i} - 1, :]", "x[::-1]", "m[-1, :]")
WRITES = (
    "x[{i}] = {value}", "x[{i}] += {value}", "x[{i} - 1] *= {value}", "m[{i}, {j}] = {value}", "m[{j}, {i}] -= {value}",
    "s = {value}", "s += {value}", "x[-1] = {value}",
)  # fmt: skip
ROWS = (
    "m[{i}, :] = 0.5 * ({vector} - {vector2})", "m[:, {j}] += 0.1 * {vector}", "x[:] = np.sin({vector} + {scalar})",
    "m[{i}, :{j}] = 0.5 * m[{j}, :{j}]", "x[{i} - 1 : {i} + 2] = 0.5 * x[{i} - 2 : {i} + 1]",
    "x[{i}:] += 0.1 * m[{j}, {i}:]", "m[{i}, 1:-1] = 0.5 * (m[{i}, 2:] - m[{j}, :-2])", "x[:{i}] *= 0.9",
)  # fmt: skip


class Nest:
    """The lines of one program."""

    def __init__(self, seed: int):
        self.chance = random.Random(seed)
        self.lines = ["def f(x, m):", "    n = len(x)", "    x = x.copy()", "    m = m.copy()", "    s = 0.5"]

    def filled(self, form: str, counters: list[str]) -> str:
        pick = self.chance.choice
        value = f"np.sin({self.term(counters)} * {self.term(counters)} + 0.1 * {self.term(counters)})"
        parts = {"i": pick(counters), "j": pick(counters), "value": value if "{value}" in form else ""}
        names = {
            k: pick(v).format(**parts)
            for k, v in (("vector", VECTORS), ("vector2", VECTORS), ("scalar", SCALARS))
        }
        return form.format(**parts, **names)

    def term(self, counters: list[str]) -> str:
        i, j = self.chance.choice(counters), self.chance.choice(counters)
        return self.chance.choice(SCALARS + SUMS).format(i=i, j=j)

    def loop(self, depth: int, counters: list[str]) -> None:
        counter = "ij"[depth]
        self.lines.append(
            "    " * (depth + 1) + f"for {counter} in {self.chance.choice(INNER if depth else OUTER)}:"
        )
        for _ in range(self.chance.randint(1, 3)):
            if depth == 0 and self.chance.random() < 0.5:
                self.loop(1, [*counters, counter])
            else:
                form = self.chance.choice(WRITES if self.chance.random() < 0.6 else ROWS)
                self.lines.append("    " * (depth + 2) + self.filled(form, [*counters, counter]))


def random_nest(seed: int) -> str:
    """The text of one program."""
    nest = Nest(seed)
    for _ in range(nest.chance.randint(1, 2)):
        nest.loop(0, [])
    return "\n".join(["import numpy as np", "", "", *nest.lines, "    return s + np.sum(x) + np.sum(m)", ""])
