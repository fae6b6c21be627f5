"""Random programs to differentiate: nests of loops and branches that read and write arrays in place.

    text = random_program(seed)        the text of `def f(a, b): ...`, which returns a float

Subscripts are loop counters shifted by a little, counted up or down, constants, or scrambled; values stay
bounded. The same seed gives the same program.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path

N = 5  # the length of all arrays


class Writer:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.counters: list[str] = []
        self.loops = 0

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def subscript(self) -> str:
        pick = self.random.random()
        if not self.counters or pick < 0.15:
            return str(self.random.choice([0, 1, 2, -1, N - 1]))
        counter = self.random.choice(self.counters)
        if pick < 0.5:
            return counter
        if pick < 0.7:
            return f"{counter} - 1"
        if pick < 0.85:
            return f"({counter} + 1) % {N}"
        return f"({counter} * 2 + 1) % {N}"

    def atom(self) -> str:
        pick = self.random.random()
        if pick < 0.35:
            return self.random.choice(["s", "t"])
        if pick < 0.6:
            return f"x[{self.subscript()}]"
        if pick < 0.75:
            return f"y[{self.subscript()}]"
        if pick < 0.95:
            return f"{self.random.choice('ab')}[{self.subscript()}]"
        return str(round(self.random.uniform(-1.5, 1.5), 2))

    def value(self) -> str:
        p, q, r = self.atom(), self.atom(), self.atom()
        return self.random.choice(
            [
                f"math.sin({p} * {q})",
                f"{p} * 0.5 + {q} * {r} * 0.3",
                f"math.cos({p}) * {q}",
                f"{p} - 0.4 * {q}",
                p,
                f"math.tanh({p} + {q} * {r})",
                f"0.5 * {p}",
            ]
        )

    def block(self, depth: int, budget: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, budget)

    def statement(self, depth: int, budget: int) -> None:
        pick = self.random.random()
        if pick < 0.3 and budget:
            self.loop(depth, budget - 1)
        elif pick < 0.42 and budget:
            self.branch(depth, budget - 1)
        elif pick < 0.65:
            self.add(depth, f"{self.random.choice(['s', 't'])} = {self.value()}")
        elif pick < 0.9:
            how = self.random.choice(["=", "=", "+=", "*="])
            value = f"math.cos({self.atom()})" if how == "*=" else self.value()
            self.add(depth, f"{self.random.choice('xy')}[{self.subscript()}] {how} {value}")
        elif pick < 0.95:
            self.add(depth, f"s = s * 0.5 + math.sin(np.sum({self.random.choice('xy')}))")
        elif pick < 0.97:
            x, y = self.random.choice("xy"), self.random.choice("xyab")
            text = [
                f"{x}[1:4] = {y}[0:3] * 0.5 + {x}[2:5] * 0.3",
                f"{x}[:3] += np.sin({y}[2:]) * s",
                f"s = s * 0.5 + np.sum({x}[{self.subscript()} :]) * 0.3",
            ]
            self.add(depth, self.random.choice(text))
        else:
            self.add(depth, "s, t = t, s")

    def loop(self, depth: int, budget: int) -> None:
        self.loops += 1
        counter = f"i{self.loops}"
        if self.random.random() < 0.15:
            self.add(depth, f"{counter} = {self.random.choice([0, 1])}")
            self.add(depth, f"while {counter} < {N - 1} and abs(s) < 3.0:")
            self.counters.append(counter)
            self.block(depth + 1, budget)
            self.add(depth + 1, f"{counter} += 1")
        else:
            ranges = [f"{N}", f"1, {N}", f"{N - 1}, -1, -1", f"0, {N}, 2", f"{N - 1}, 0, -1", "3"]
            if self.counters:
                ranges.append(self.random.choice(self.counters))
            self.add(depth, f"for {counter} in range({self.random.choice(ranges)}):")
            self.counters.append(counter)
            self.block(depth + 1, budget)
            if self.random.random() < 0.1:
                self.add(depth + 1, "if s > 2.0:")
                self.add(depth + 2, self.random.choice(["break", "continue"]))
        self.counters.pop()

    def branch(self, depth: int, budget: int) -> None:
        self.add(depth, f"if {self.atom()} > {self.atom()}:")
        self.block(depth + 1, budget)
        if self.random.random() < 0.6:
            self.add(depth, "else:")
            self.block(depth + 1, budget)


def loaded(seed: int, folder: Path) -> Callable[..., float]:
    """The function f of a random program, in a module of its own there."""
    file = folder / f"random_{seed}.py"
    file.write_text(random_program(seed))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def random_program(seed: int) -> str:
    """The text of a module with a function f(a, b) of two arrays of length N."""
    writer = Writer(seed)
    writer.lines += ["import math", "", "import numpy as np", "", "", "def f(a, b):"]
    writer.add(1, f"x = {writer.random.choice(['a.copy()', 'np.zeros(len(a))', 'a * b'])}")
    writer.add(1, "y = b.copy()")
    writer.add(1, "s = 0.3")
    writer.add(1, "t = 0.7 * a[0]")
    for _ in range(writer.random.randint(2, 4)):
        writer.statement(1, 3)
    writer.add(1, "return s * 0.7 + t * 0.3 + np.sum(x * x) * 0.5 + np.sum(y) * 0.2")
    return "\n".join(writer.lines) + "\n"
