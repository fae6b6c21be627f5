"""Random recursive programs: functions that call themselves and each other, with arrays that are needed after a call.

    text = recursive_program(seed)      the text of `def f(a, b, x, n): ...`, which returns two arrays and a float

Between calls arrays are kept, made anew, exchanged or written in place, so that a frame is pushed several times with
what was popped, what was pushed before, and what is new. Values stay bounded. The same seed gives the same program.
"""

from __future__ import annotations

import random

ARRAYS = ("a", "b", "c", "d")


class Writer:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def array(self) -> str:
        u, v = self.pick(*ARRAYS), self.pick(*ARRAYS)
        return self.pick(u, u, u, f"{u} * 0.5", f"0.5 * ({u} - {v})", f"np.where({u} > {v}, {u}, -0.7)")

    def scalar(self) -> str:
        u, k = self.pick(*ARRAYS), self.random.randrange(3)
        return self.pick("x", "x * 0.5", f"{u}[{k}]", f"0.3 * x + 0.5 * {u}[{k}]", f"np.cos({u}[{k}])")

    def function(self, name: str, others: tuple[str, ...]) -> None:
        self.add(0, f"def {name}(a, b, x, n):")
        self.add(1, f"c, d = {self.array_of('ab')}, {self.array_of('ab')}")
        self.add(1, "if n <= 0:")
        self.add(2, f"return {self.array()}, {self.array()}, {self.scalar()}")
        calls = self.random.randint(2, 3)
        for k in range(calls):
            for _ in range(self.random.randint(0, 2)):
                self.statement(1)
            self.call(1, self.pick(name, *others), 1 if k == 0 else self.random.randint(1, 3))
        for _ in range(self.random.randint(0, 2)):
            self.statement(1)
        self.add(1, f"return {self.array()}, {self.array()}, {self.scalar()} + 0.1 * x")
        self.lines += ["", ""]

    def array_of(self, names: str) -> str:
        u = self.pick(*names)
        return self.pick(u, u, f"{u} * 0.5 + 0.1", f"{u}.copy()")

    def call(self, depth: int, name: str, less: int) -> None:
        test = self.random.random() < 0.15
        if test:
            self.add(depth, f"if {self.scalar()} > {self.scalar()}:")
        u, v = self.random.sample(ARRAYS, 2)
        called = f"{name}({self.array()}, {self.array()}, {self.scalar()}, n - {less})"
        self.add(depth + test, f"{u}, {v}, {self.pick('x', 'x', 'y')} = {called}")
        if test and self.random.random() < 0.5:
            self.add(depth, "else:")
            self.add(depth + 1, f"{u} = {self.array()}")

    def statement(self, depth: int) -> None:
        u, v = self.random.sample(ARRAYS, 2)
        k = self.random.randrange(3)
        self.add(
            depth,
            self.pick(
                f"{u} = {self.array()}",
                f"{u}, {v} = {v}, {u}",
                f"{u} = {u}.copy()\n{'    ' * depth}{u}[{k}] = {self.scalar()}",
                f"x = {self.scalar()}",
                f"{u} = {v}",
            ),
        )


def recursive_program(seed: int) -> str:
    """The text of a module with a function f(a, b, x, n) of two arrays of length 3, a float and a depth."""
    writer = Writer(seed)
    writer.lines += ["import numpy as np", "", ""]
    if writer.random.random() < 0.4:
        writer.function("g", ("f",))
        writer.function("f", ("g",))
    else:
        writer.function("f", ())
    return "\n".join(writer.lines)
