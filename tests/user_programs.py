"""Random programs as users write them: loops, branches, early exits, arrays that are written, rebound and shared.

    text = UserProgram(random).text     the text of `def f(n, s, x, y): ...` and of its helpers

`random` decides everything, so that hypothesis can shrink a program that fails.
"""

from __future__ import annotations

import linecache
import random
import textwrap
from typing import Any

import numpy as np

HELPERS = """import numpy as np

LIMIT = 2.5


def shift(a, b, k):
    a[k % 3] = b[0] + 1.0
    return a[1] - b[2]


def larger(a, b):
    if a.sum() > b.sum():
        return a
    return b


def down(k, s):
    if k <= 0:
        return s, k
    s, j = down(k - 1, s * 0.5)
    return s + 1.0, j + k


def fresh(a):
    for v in a:
        if v > LIMIT:
            return a * 0.5
    return a.copy()


"""


class UserProgram:
    """One program. Ints stay small, floats are bounded, indices are in range."""

    def __init__(self, choose: random.Random):
        self.choose = choose
        self.lines: list[str] = []
        self.loops = 0
        self.inside = 0
        self.budget = 14
        self.result = "return " + self.pick(["s", "s, t", "x, y", "s, t, k, x, y, z"])
        self.block(1, depth=0)
        start = [
            "def f(n, s, x, y):",
            "    t, k, z = 0, n, x" if self.often(0.3) else "    t, k, z = 1.5, 1, y.copy()",
        ]
        self.text = HELPERS + "\n".join([*start, *self.lines, f"    {self.result}"]) + "\n"

    def often(self, share: float) -> bool:
        return self.choose.random() < share

    def pick(self, options: list[str]) -> str:
        return options[self.choose.randrange(len(options))]

    def add(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def array(self) -> str:
        return self.pick(["x", "y", "z"])

    def whole(self) -> str:
        return self.pick(
            ["k", "n", "k + 1", "n - k", "k * 2 % 5", "2", "0", *(f"i{j}" for j in range(self.loops))]
        )

    def place(self) -> str:
        return f"{self.array()}[({self.whole()}) % 3]"

    def number(self) -> str:
        options = [
            "s",
            "t",
            "0.5",
            self.place(),
            self.place(),
            f"np.sin({self.place()})",
            "k",
            "s * 0.5 + t * 0.25",
        ]
        one = self.pick(options)
        if self.often(0.4):
            return f"{one} {self.pick(['+', '-'])} 0.5 * {self.pick(options)}"
        return f"({one} if {self.test()} else {self.pick(options)})" if self.often(0.1) else one

    def test(self) -> str:
        return self.pick(
            [
                f"{self.place()} > s", "k % 2 == 0", "s < 1.0", f"0 < {self.whole()} <= 2", "t > 0 and s < 3",
                f"not k or {self.place()} < 1", f"{self.whole()} == k", "n", "k in (1, n)",
            ]
        )  # fmt: skip

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.choose.randrange(1, 5)):
            if self.budget > 0:
                self.budget -= 1
                self.statement(indent, depth)
        if not self.lines or not self.lines[-1].startswith("    " * indent):
            self.add(indent, "pass")

    def statement(self, indent: int, depth: int) -> None:
        kind = self.choose.random()
        if depth < 3 and kind < 0.2:
            self.branch(indent, depth)
        elif depth < 3 and kind < 0.42:
            self.loop(indent, depth)
        elif kind < 0.5:
            self.leave(indent)
        else:
            self.simple(indent)

    def simple(self, indent: int) -> None:
        a, b = self.array(), self.array()
        self.add(
            indent,
            self.pick(
                [
                    f"s = {self.number()}", f"t = {self.number()}", f"s += {self.number()}", f"k = {self.whole()}",
                    "s, t = t, s", "k = k + 1", f"{self.place()} = {self.number()}",
                    f"{self.place()} {self.pick(['+=', '-=', '*='])} {self.number()}", f"{a} = {b}",
                    f"{a} = {b}.copy()", f"{a} = {b} * 0.5", f"{a}, {b} = {b}, {a}", f"{a} += {b}",
                    f"{a}[1:] = {b}[:2]", f"{a}[:2] *= 0.5", f"s = shift({a}, {b}, k)", f"{a} = larger({a}, {b})",
                    "s, k = down(k % 3, s)", f"{a} = fresh({b})", f"u = {a}[1:]\n{'    ' * indent}u[0] = s",
                    f"{a} = np.array([s, t, k])", f"s = {a}.sum() + {b}[k % 2]", f"{a} = {a}[::-1].copy()",
                    "z = z.reshape(3)", f"x = {a} + {b}",
                ]
            ),
        )  # fmt: skip

    def branch(self, indent: int, depth: int) -> None:
        self.add(indent, f"if {self.test()}:")
        self.block(indent + 1, depth + 1)
        if self.often(0.5):
            self.add(indent, "else:" if self.often(0.7) else f"elif {self.test()}:")
            self.block(indent + 1, depth + 1)

    def loop(self, indent: int, depth: int) -> None:
        kind = self.choose.random()
        name = f"i{self.loops}"
        if kind < 0.6:
            bounds = self.pick(["n", "3", "1, n + 1", "3, 0, -1", "k % 4", "0"])
            self.add(indent, f"for {name} in range({bounds}):")
            self.loops += 1
        elif kind < 0.75:
            self.add(indent, f"for t in {self.array()}:")
        else:
            self.add(indent, f"w{depth} = 0")
            self.add(
                indent, f"while w{depth} < {self.pick(['3', 'n'])} and ({self.pick(['True', self.test()])}):"
            )
            self.add(indent + 1, f"w{depth} += 1")
        self.inside += 1
        before = self.loops
        self.block(indent + 1, depth + 1)
        self.loops = before - (kind < 0.6)
        self.inside -= 1
        if self.often(0.15):
            self.add(indent, "else:")
            self.block(indent + 1, depth + 1)

    def leave(self, indent: int) -> None:
        self.add(indent, f"if {self.test()}:")
        self.add(indent + 1, self.pick(["break", "continue", self.result] if self.inside else [self.result]))


COUNT = [0]


def loaded(text: str, name: str = "f") -> Any:
    """A function of a text that tracebacks, and so the reader, can quote."""
    COUNT[0] += 1
    file = f"<user program {COUNT[0]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), names)
    return names[name]


def of_a_number(body: str, names: dict[str, Any]) -> Any:
    """The function of n, whose value no program is made for, and of x with such a body, which sees these names."""
    f = loaded(f"def f(given, x):\n    n = int(given)\n{textwrap.indent(body, '    ')}\n")
    f.__globals__.update({key: value for key, value in names.items() if not key.startswith("_")})
    return f
