"""`try` around what may raise: indices, divisions of ints, functions outside their domain, raises, helpers that raise;
in loops and branches, inside one another, with and without an else part, with names and arrays that handlers read.
"""

from __future__ import annotations

import random

from hunt.case import CALLS, Case

FORMS = ("jit-numpy", "jit-numpy", "jit-text", "jit-text", "jit-plain", "batch-text", "groups-text")
ERRORS = ("ValueError", "IndexError", "ZeroDivisionError", "KeyError", "Far", "AssertionError")
KINDS = (
    *ERRORS, "Exception", "ArithmeticError", "LookupError", "(ValueError, IndexError)", "(KeyError, ArithmeticError)",
    "(Far, AssertionError)", "",
)  # fmt: skip
RAISING = (
    "{new} = v[{i}]", "{new} = v[{i}] * {n}", "{count} = {i} // {i}", "{count} = {i} % {i}", "{new} = {i} / {i}",
    "v[{i}] = {n}", "v[{i}] += {n}", "v[{i}], v[0] = v[0], {n}", "{new} = helper({n}, {i})", "{new} = deep(v, {i})",
    "{new} = math.sqrt({n})", "{new} = math.log({n}) + 1.0", "raise {error}('here')",
    "if {n} > 0.3:\n    raise {error}('far')", "assert {n} > -0.5", "{new} = v[{i}] + helper({n}, 1)",
    "{new} = helper(v[{i}], {i} % 3)", "{new} = v[{i}] if {n} > 0.0 else {n}",
    "{new} = sum(v[i + {i}] for i in range(2))",
    "if v[{i}] > 0.2:\n    {new} = {n} + 1.0", "{new} = listed({i})", "w = v[{i}:]\n{new} = w[0]",
    "{count} = 0\nwhile v[{count}] < 0.5:\n    {count} += 1",
    "{new} = {n}\nwhile helper({new}, 1) < 2.0:\n    {new} += 0.7",
    "for u in v[{i}:]:\n    {new} += u\n    assert u < 0.9", "{new} = total(v, {i})", "{count} = whole({n}, {i})",
)  # fmt: skip
PLAIN = (
    "{new} = {n} * 0.5",
    "{count} = {i} + 1",
    "v[1] = {n}",
    "{new} = {n} - {n}",
    "v = v + {n}",
    "{count} = 2",
)
HEAD = """class Far(Exception):
    pass


def helper(s, k):
    if k > 2:
        raise ValueError(f"{k} is too large")
    if s < -0.4:
        raise Far
    total = s
    for i in range(k + 1):
        total = total * 0.5 + i
        if total > 2.0:
            raise KeyError(i)
    return total


def deep(v, k):
    try:
        return v[k] + helper(v[0], k)
    except (Far, KeyError):
        return -1.0


def listed(k):
    xs = [0.5]
    for i in range(k):
        xs.append(i * 0.25)
    return xs[3]


def total(v, k):
    s = 0.0
    for i in range(3):
        try:
            s += v[i * k]
        except IndexError:
            if i == 1:
                continue
            break
    return s


def whole(s, k):
    assert s > -0.3, "small"
    return k // (k - 1)
"""


class Writer:
    def __init__(self, seed: int):
        self.random = random.Random(f"tries:{seed}")
        self.names = ["x", "y"]
        self.counts = ["k", "j"]

    def filled(self, template: str) -> str:
        pick = self.random
        new, count = pick.choice(("x", "y", "y", "z")), pick.choice(("k", "j", "m"))
        text = template.replace("{new}", new).replace("{count}", count)
        for place, options in (
            ("{i}", (*self.counts, "1", "3", "-4")),
            ("{n}", self.names),
            ("{error}", ERRORS),
        ):
            while place in text:
                text = text.replace(place, pick.choice(options), 1)
        return text

    def block(self, depth: int, *, looped: bool = False) -> list[str]:
        """Some statements."""
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, looped)
        return lines

    def statement(self, depth: int, looped: bool) -> list[str]:
        kind = self.random.random()
        if depth < 2 and kind < 0.12:
            return self.tried(depth + 1, looped)
        if depth < 2 and kind < 0.2:
            index = f"i{depth}"
            return [
                f"for {index} in range(3):",
                *indented([f"k = {index}", *self.block(depth + 1, looped=True)]),
            ]
        if depth < 2 and kind < 0.28:
            then, orelse = self.block(depth + 1, looped=looped), self.block(depth + 1, looped=looped)
            return [self.filled("if {n} > 0.1:"), *indented(then), "else:", *indented(orelse)]
        if kind < 0.3:
            return [self.filled("return {n}, v")]
        if looped and kind < 0.36:
            return [self.random.choice(("break", "continue"))]
        return self.filled(self.random.choice(RAISING if kind < 0.75 else PLAIN)).splitlines()

    def tried(self, depth: int, looped: bool) -> list[str]:
        lines = ["try:", *indented(self.block(depth, looped=looped))]
        kinds = self.random.sample(KINDS[:-1], self.random.choice((1, 1, 2)))
        if self.random.random() < 0.1:
            kinds.append("")
        for kind in kinds:
            name = " as error" if kind and self.random.random() < 0.1 else ""
            again = self.random.random() < 0.1
            lines += [
                f"except {kind}{name}:" if kind else "except:",
                *indented(["raise"] if again else self.block(depth, looped=looped)),
            ]
        if self.random.random() < 0.25:
            lines += ["else:", *indented(self.block(depth, looped=looped))]
        if self.random.random() < 0.25:
            last = self.filled(self.random.choice(RAISING if self.random.random() < 0.1 else PLAIN))
            lines += ["finally:", *indented([*last.splitlines(), self.filled("{new} = {n} + 0.125")])]
        return lines

    def text(self) -> str:
        pick = self.random
        lines = ["y, z, m = x * 2.0, 0.25, 1", "v = v.copy()"]
        for _ in range(pick.randint(1, 2)):
            lines += self.tried(0, False)
            lines += self.filled(pick.choice(PLAIN)).splitlines()
        body = "\n".join(indented([*lines, "return x + y - z + 0.125 * k - j + m, v"]))
        rows = "".join(f"        {self.arguments()},\n" for _ in range(CALLS))
        return f"{HEAD}\n\ndef f(x, k, j, v):\n{body}\n\n\ndef calls():\n    return [\n{rows}    ]\n"

    def arguments(self) -> str:
        pick = self.random
        v = [round(pick.uniform(-0.6, 1.2), 2) for _ in range(3)]
        return f"({round(pick.uniform(-0.6, 1.2), 2)}, {pick.randint(-4, 4)}, {pick.randint(-1, 3)}, np.array({v}))"


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def tries(seed: int) -> Case:
    writer = Writer(seed)
    return Case("tries", seed, writer.text(), (writer.random.choice(FORMS),))
