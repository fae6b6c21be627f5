"""Random loops in which each iteration looks at earlier ones, with loops inside that threads of a block can share.

    text = random_sweeps(seed)       the text of `def f(x, y, L, p): ...`: two vectors, a square matrix, places

Sums, updates of vectors, largest elements, sums at places, numbers that are carried, branches around loops, early
ends, indices that may be out of range.
"""

from __future__ import annotations

import random


class Sweeps:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def pick(self, items: list[str]) -> str:
        return self.random.choice(items)

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def vector(self) -> str:
        return self.pick(["x", "y"])

    def term(self) -> str:
        left = self.pick(["L[i, j]", "L[j, i]", "x[j]", "y[j]", "0.5"])
        return f"{left} * {self.pick(['x[j]', 'y[j]', 's', 'x[i]', 'np.tanh(y[i])'])}"

    def loop(self, depth: int) -> None:
        """An inner loop; some look at other places of what they write, and are nobody's to share."""
        stop = self.pick(["n", "i", "i + 1"])
        kind = self.random.random()
        if kind < 0.3:
            self.add(depth, f"for j in range({stop}):")
            self.add(depth + 1, f"s += {self.term()} * 0.1")
        elif kind < 0.5:
            self.add(depth, f"for j in range({stop}):")
            self.add(
                depth + 1,
                f"{self.vector()}[j] {self.pick(['+=', '-='])} 0.1 * {self.pick(['L[i, j]', 'c[i]', 's'])}",
            )
        elif kind < 0.6:
            self.add(depth, f"for j in range({stop}):")
            self.add(depth + 1, "top = np.maximum(top, x[j])")
            self.add(depth + 1, "c[j] = y[j]")
        elif kind < 0.7:
            self.add(depth, f"{self.vector()}[:i] = {self.vector()}[:i] * 0.9 + L[i, :i]")
        elif kind < 0.8:
            self.add(depth, "s = L[i, :i] @ x[:i]")
        elif kind < 0.9:
            self.add(depth, f"for j in range(1, {stop}):")
            self.add(depth + 1, "c[j] = 0.5 * c[j - 1] + x[j]")
        else:
            self.add(depth, f"for j in range({stop}):")
            self.add(depth + 1, "c[p[j]] += 0.1 * y[j]")

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.5:
            self.loop(depth)
        elif kind < 0.7:
            self.add(
                depth,
                f"{self.vector()}[i] = 0.5 * {self.vector()}[i - 1] + {self.pick(['s', 'top', 'c[i]'])} * 0.1",
            )
        elif kind < 0.8:
            self.add(depth, f"if {self.pick(['s > 0.0', 'x[i] > y[i]', 'i % 2 == 0'])}:")
            self.loop(depth + 1)
            if self.random.random() < 0.5:
                self.add(depth, "else:")
                self.add(depth + 1, f"{self.vector()}[0] += 0.1 * s")
        elif kind < 0.9:
            self.add(depth, f"s = {self.pick(['0.3 * s', 'np.sin(x[i])', 'y[0]'])} + 0.1 * top")
        elif kind < 0.95:
            self.add(depth, "if s > 9.0:")
            self.add(depth + 1, "break")
        else:
            self.add(depth, "if top > 4.0:")
            self.add(depth + 1, 'raise ValueError(f"{top:.6f} at {i}")')


def random_sweeps(seed: int) -> str:
    made = Sweeps(seed)
    made.add(0, "import numpy as np\n\n\ndef f(x, y, L, p):")
    made.add(1, "n = len(x)")
    made.add(1, "c = np.zeros(n)")
    made.add(1, "s, top = 0.0, -1.0")
    for _ in range(made.random.randint(1, 2)):
        made.add(1, "for i in range(1, n):")
        for _ in range(made.random.randint(1, 4)):
            made.statement(2)
    made.add(1, "return s, top, c")
    return "\n".join(made.lines) + "\n"
