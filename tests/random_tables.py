"""Random programs that fill a table by loops in loops, as dynamic programs and factorisations do.

    text = random_table(seed)       the text of `def f(x, m): ...`, which returns a float

`x` is (n,) and `m` (n, n), for any n from 6 on. Loops go by rows, diagonals, bands and triangles; branches keep places
inside, or do not: then they count from the end. Values stay bounded. The same seed gives the same program.
"""

from __future__ import annotations

import random

NESTS = (
    ("for i in range(1, n):", "for j in range(1, n):"),
    ("for i in range(n):", "for j in range(max(1, i - 2), min(n - 1, i + 2) + 1):"),
    ("for i in range(n - 1, -1, -1):", "for j in range(i + 1, n):"),
    ("for d in range(1, n):", "for i in range(n - d):", "j = i + d"),
    ("for i in range(n):", "for j in range(i + 1):"),
    ("for i in range(0, n - 1, 2):", "for j in range(i // 2, n):"),
    ("for j in range(n):", "for i in range(n - 1, j, -1):"),
    ("for k in range(n - 1):", "for i in range(k + 1, n):", "for j in range(k + 1, n):"),
    ("for k in range(n):", "for i in range(n):", "for j in range(n):"),
    ("for d in range(2, n):", "for i in range(n - d):", "j = i + d", "for k in range(i, j):"),
    ("for i in range(n):", "for j in range(i):", "for k in range(j, i):"),
)
INDICES = (
    "{p} - 1", "{p}", "{p}", "{p}", "{p} - 2", "{p} - {q}", "({p} + {q}) // 2", "({p} + {q}) % n", "n - 1 - {p}",
    "0", "-1", "max({p} - 1, 0)", "min({p} + 1, n - 1)", "abs({p} - {q})", "{p} // 2", "({p} + 1) % n",
)  # fmt: skip
TESTS = (
    "{p} > 0", "{p} != {q}", "{p} == 0", "{p} >= {q}", "{p} > 0 and {q} > 0", "{p} < {q} or {q} == 0",
    "({p} + {q}) % 2 == 0", "abs({p} - {q}) <= 2", "not {p} < 2", "{p} + {q} < n", "t[{a}] > s",
)  # fmt: skip
STATEMENTS = (
    "t[{a}] = {value}", "t[{a}] = {value}", "t[{a}] += 0.5 * {value}", "t[{a}] -= t[{b}] * t[{c}]",
    "t[{a}] /= 2.0 + t[{b}] ** 2", "t[{a}] = min(t[{b}], t[{c}]) + {value}", "s = {value}", "s += 0.1 * t[{b}]",
    "x[{p}] = 0.5 * x[{q}] + {value}", "t[{a}] = np.tanh(s + x[{p}])", "t[{p}, :] = np.sin(t[{q}, :] + {value})",
    "t[{p}, {q}:] -= 0.3 * t[{q}, {q}:]", "t[:{p}, {q}] = 0.5 * t[{p}, :{p}] * {value}",
    "t[{a}], t[{b}] = 0.6 * t[{a}] + 0.8 * t[{b}], 0.6 * t[{b}] - 0.8 * t[{a}]",
)  # fmt: skip
VALUES = (
    "np.sin(t[{b}] * t[{c}])", "np.cos(t[{b}] + t[{c}] * x[{p}])", "0.7 * t[{b}] * np.sin(s)",
    "np.tanh(t[{b}] - x[{q}] * t[{c}])", "np.sin(t[{b}]) * m[{p}, {q}]", "t[{b}] * 0.5",
)  # fmt: skip


class Table:
    """The lines of one program."""

    def __init__(self, seed: int):
        self.chance = random.Random(seed)
        start = self.chance.choice(("m.copy()", "np.zeros((n, n)) + 0.3", "m.T.copy()"))
        self.lines = ["def f(x, m):", "    n = len(x)", "    x = x.copy()", f"    t = {start}", "    s = 0.5"]

    def filled(self, form: str, counters: list[str]) -> str:
        """A form with counters and places in its holes."""
        pick = self.chance.choice
        p, q = pick(counters), pick(counters)
        places = {k: f"{self.index(counters)}, {self.index(counters)}" for k in "abc"}
        value = pick(VALUES).format(p=p, q=q, **places) if "{value}" in form else ""
        return form.format(p=p, q=q, value=value, **places)

    def index(self, counters: list[str]) -> str:
        pick = self.chance.choice
        form = pick(INDICES) if self.chance.random() < 0.5 else "{p}"
        return form.format(p=pick(counters), q=pick(counters))

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statements(self, depth: int, counters: list[str], most: int) -> None:
        for _ in range(self.chance.randint(1, most)):
            form = self.filled(self.chance.choice(STATEMENTS), counters)
            if self.chance.random() < 0.35:
                self.line(depth, f"if {self.filled(self.chance.choice(TESTS), counters)}:")
                self.line(depth + 1, form)
                if self.chance.random() < 0.3:
                    self.line(depth, "else:")
                    self.line(depth + 1, self.filled(self.chance.choice(STATEMENTS), counters))
            else:
                self.line(depth, form)

    def nest(self) -> None:
        depth, counters = 1, []
        heads = self.chance.choice(NESTS)
        for k, head in enumerate(heads):
            self.line(depth, head)
            if head.startswith("for"):
                depth += 1
                counters.append(head.split()[1])
            else:
                counters.append("j")
            followed = heads[k + 1].startswith("for") if k + 1 < len(heads) else True
            if k + 1 < len(heads) and followed and self.chance.random() < 0.3:
                self.statements(depth, counters, 1)
        if self.chance.random() < 0.15:
            self.line(depth, f"if {self.filled(self.chance.choice(TESTS[:-1]), counters)}:")
            self.line(depth + 1, "continue")
        self.statements(depth, counters, 2)
        if depth > 2 and self.chance.random() < 0.3:
            self.statements(depth - 1, [c for c in counters[:-1] or counters], 1)


def random_table(seed: int) -> str:
    """The text of one program."""
    table = Table(seed)
    for _ in range(table.chance.choice((1, 1, 2))):
        table.nest()
    end = "    return s + np.sum(x * x) + np.sum(np.sin(t))"
    return "\n".join(["import numpy as np", "", "", *table.lines, end, ""])
