"""Random loops over vectors and a matrix: some of whose iterations are each their own, and some not.

    text = random_loops(seed)           the text of `def f(x, y, z, m): ...`; three vectors of a length, a square matrix

An index may be out of range, a sum may be looked at, a neighbour may be read or the same place written twice. Half of
the programs have short loops over one range, without branches: those that could be made one.
"""

from __future__ import annotations

import random


class Loops:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.is_short = self.random.random() < 0.5

    def pick(self, items):
        return self.random.choice(items)

    def vector(self) -> str:
        return self.pick(["x", "y", "z"])

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def value(self, inner: bool = False) -> str:
        place = self.pick(["i", "i", "i", "i + 1", "i - 1", "0", "-1", "(2 * i) % n"])
        atoms = [f"{self.vector()}[{place}]", f"np.sin({self.vector()}[i])", "s", "0.5", "i * 0.1"]
        if inner:
            atoms += ["m[i, j]", f"{self.vector()}[j]", "v"]
        return f"{self.pick(atoms)} {self.pick('+-*')} {self.pick(atoms)}"

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random() * (0.55 if self.is_short else 1.0)
            if kind < 0.4:
                self.add(depth, f"{self.vector()}[i] {self.pick(['=', '=', '+=', '*='])} {self.value()}")
            elif kind < 0.55:
                self.add(depth, f"s += {self.value()}" if kind < 0.52 else f"s = s * 0.5 + {self.value()}")
            elif kind < 0.7:
                self.add(depth, f"if {self.vector()}[i] > 0.1:")
                self.block(depth + 1)
            elif kind < 0.9 and depth < 4:
                self.add(depth, "v = 0.0")
                self.add(depth, f"for j in range({self.pick(['4', 'n', 'm.shape[1]'])}):")
                self.add(depth + 1, f"v += {self.value(inner=True)}")
                if self.random.random() < 0.5:
                    self.add(depth + 1, f"m[i, j] {self.pick(['=', '+='])} {self.value(inner=True)}")
                self.add(depth, f"{self.vector()}[i] = v")
            else:
                self.add(depth, "u = 0")
                self.add(depth, f"while u < 3 and {self.vector()}[i] < 2.0:")
                self.add(depth + 1, "u += 1")
                self.add(depth + 1, f"{self.vector()}[i] += 0.7")

    def text(self) -> str:
        ranges = ["n", "1, n - 1", "n - 1"]
        if self.is_short:
            ranges = [self.pick(ranges)]
        for _ in range(self.random.randint(2, 3) if self.is_short else self.random.randint(1, 2)):
            self.add(1, f"for i in range({self.pick(ranges)}):")
            self.block(2)
        body = "\n".join(self.lines)
        return f"""import numpy as np


def f(x, y, z, m):
    x, y, z, m = x.copy(), y.copy(), z.copy(), m.copy()
    n, s, v = len(x), 0.0, 0.0
{body}
    return x, y, z, m, s
"""


def random_loops(seed: int) -> str:
    return Loops(seed).text()
