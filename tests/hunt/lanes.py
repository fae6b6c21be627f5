"""Recursive functions over lanes, each lane as deep as it likes: of numbers and of arrays, two and three calls a level,
tail calls, raises; and loops whose lanes leave at different times. What is pushed, kept and popped in groups of four
lanes, lane by lane, and as arrays is compared.
"""

from __future__ import annotations

import random

from hunt.case import Case

FORMS = (
    "groups-text",
    "groups-text",
    "groups-text",
    "batch-text",
    "batch-numpy",
    "static-numpy",
    "jit-numpy",
    "jit-numba",
)
PASSED = ("a", "a", "a * 0.5", "a * 0.5", "a + 1.0", "a * s", "-a", "np.sin(a)")
OF_ARRAYS = (*PASSED, "b", "b", "a[::-1]", "a.copy()", "a - a[0]")
OF_NUMBERS = (*PASSED, "s", "a - n")


class Recursion:
    """f(a, n): an array of two (or a number) and a depth."""

    def __init__(self, seed: int):
        self.random = random.Random(f"recursions:{seed}")
        self.of_arrays = self.random.random() < 0.6

    def pick(self, *items: str) -> str:
        return self.random.choice(items)

    def element(self) -> str:
        return f"a[{self.pick('0', '1')}]" if self.of_arrays else "a"

    def call(self) -> str:
        passed = self.pick(*(OF_ARRAYS if self.of_arrays else OF_NUMBERS))
        if self.random.random() < 0.1:  # as deep as its text says
            return f"(f({passed}, {self.pick('0', '1')}) if n > 1 else {self.element()})"
        return f"f({passed}, {self.pick('n - 1', 'n - 1', 'n - 1', 'n - 2', 'n // 2')})"

    def begun(self) -> list[str]:
        """Where it ends, and what has names."""
        e, lines = self.element, []
        if self.random.random() < 0.2:
            lines += [f"if n == {self.pick('2', '3', '4')} and {e()} > {self.pick('0.3', '0.8')}:"]
            lines += ["    raise ValueError('here')"]
        whole = "np.sum(a)" if self.of_arrays else "a * a"
        lines += ["if n <= 0:", f"    return {self.pick(e(), e(), '1.0', f'np.exp(-{e()})', whole)}"]
        lines += [f"s = {self.pick(e(), f'{e()} * 0.25', 'n * 0.5', '0.5')}"]
        if self.of_arrays:
            lines += [f"b = {self.pick('a.copy()', 'a * 2.0', 'a[::-1].copy()')}"]
            if self.random.random() < 0.4:
                lines += [f"b[{self.pick('0', '1')}] = {self.pick('s', 'n', '0.0', 's * 2.0')}"]
        return lines

    def ended(self) -> list[str]:
        e, call, sign = self.element, self.call, self.pick("+", "-")
        match self.random.randrange(8):
            case 0 | 1 | 2:
                return [f"return {call()} {sign} {call()} {self.pick('+', '*')} {e()}"]
            case 3 | 4:
                between = [f"s = s + {self.pick('u', 'u * 0.5', e())}"]
                more = [f"w = w + {call()}"] if self.random.random() < 0.4 else []
                last = f"return u {sign} w * {self.pick(e(), 's', '0.5')}"
                return [f"u = {call()}", *between, f"w = {call()}", *more, last]
            case 5:
                loop = f"for i in range({self.pick('2', 'n', '3')}):"
                return ["total = 0.0", loop, f"    total = total + {call()} * {e()}", "return total"]
            case 6:
                return [f"return {call()}"]
        if self.random.random() < 0.5:
            return [f"u = {call()}", "while u > 2.0:", "    u = u * 0.5", f"return u + {call()}"]
        return [f"if {e()} > 0.4:", f"    return {call()}", f"return {e()} + {call()} * 0.5"]

    def argument(self) -> str:
        numbers = [str(round(self.random.uniform(-1.0, 1.5), 2)) for _ in range(2)]
        return f"np.array([{', '.join(numbers)}])" if self.of_arrays else numbers[0]

    def text(self) -> str:
        body = "\n    ".join([*self.begun(), *self.ended()])
        rows = ", ".join(f"({self.argument()}, {depth})" for depth in self.random.sample(range(6), 3))
        return f"def f(a, n):\n    {body}\n\n\ndef calls():\n    return [{rows}]\n"


def recursions(seed: int) -> Case:
    made = Recursion(seed)
    return Case("recursions", seed, made.text(), (made.pick(*FORMS),))
