"""Functions that draw: in which order and how often, used or not, in branches, loops, tests, calls and recursions.

draws    from a stream of each lane's own, and from such as they make of seeds. Numbers are NumPy's to the bit, and
         streams stand afterwards where NumPy's stand
drawn    from a stream that the function makes: derivatives, and lanes
"""

from __future__ import annotations

import random

from hunt.case import CALLS, Case

FORMS = (
    "drawn-numpy",
    "drawn-numpy",
    "drawn-text",
    "drawn-text",
    "sweep-text",
    "sweep-text",
    "once-text",
    "once-numpy",
)
OF_SEEDS = (
    "derivative-numpy",
    "derivative-numpy",
    "derivative-text",
    "second-numpy",
    "lanes-numpy",
    "jit-text",
    "batch-text",
    "groups-text",
    "batch-numpy",
)
NUMBERS = (
    "rng.random()", "rng.normal()", "rng.standard_normal()", "rng.exponential()", "rng.standard_exponential()",
    "rng.normal({n}, 0.5)", "rng.uniform(-1.0, 2.0)", "rng.exponential(2.0)", "rng.uniform(high=3.0)",
    "rng.normal(scale=1.0 + abs({n}))", "float(rng.integers(5))", "rng.normal(size=3)[{k}]", "np.sum(rng.random({k}))",
    "helper(rng, {n})", "helper(rng, rng.random())", "tree(rng, {k})", "max(rng.random(), {n})",
    "(rng.random() if {n} > 0.2 else rng.normal())", "(rng.random() if rng.random() < 0.5 else {n})",
    "rng.normal() - rng.normal() * 0.5", "two(rng.random(), rng.normal())", "two(b=rng.random(), a=rng.normal())",
    "sum([rng.random() for _ in range({k})], 0.0)", "float(0.0 < rng.random() < rng.random())", "{n}", "{n} * 0.5", "x",
    "float({n} > 0.3 and rng.random() < 0.5)", "float(rng.random() < 0.5 or rng.normal() > 0.0)",
    "rng.poisson(1.0 + abs({n})) * 1.0", "float(rng.binomial(9, 0.4))", "rng.gamma(0.5 + {k})", "rng.beta(0.7, 1.5)",
    "rng.choice(3) * 0.5", "rng.choice(v)", "rng.choice(3, p=[0.2, 0.3, 0.5])", "rng.geometric(0.4) - float({n})",
    "rng.laplace({n}, 0.5)",
    "rng.standard_t(3.0)", "rng.poisson(14.0, size={k}).sum() * 1.0", "rng.lognormal(0.0, 0.3)",
    "float(rng.permutation(4)[{k}])",
    "float(rng.integers({k}, 3, endpoint=True))", "rng.dirichlet(1.0 + np.abs(v))[{k}]",
    "float(rng.multinomial(7, [0.2, 0.3, 0.5])[{k}])", "rng.integers(1, 4) * 0.5", "pair(rng)[1]",
    "np.mean(rng.uniform(0.0, 1.0, size=(2, 2)))", "abs(rng.normal())", "seeded({k}, {n})",
    "stroll(rng, {n}, {k})", "stroll(rng, {n}, 2) - stroll(rng, 0.5, {k})",
    "np.random.default_rng({k}).normal()", "np.random.default_rng([{k}, 7, 2**40]).gamma(2.0, abs({n}))",
    "np.random.default_rng(rng).random()", "np.random.default_rng(int(rng.integers(99))).random()",
)  # fmt: skip
STATEMENTS = (
    "{new} = {z}", "{new} = {z}", "{new} = {z}", "rng.normal()", "rng.random(2)", "_ = rng.exponential()",
    "v[{k}] = {z}", "v[rng.integers(3)] = {z}", "v[{k}] += {z}", "v = v + rng.normal(size=3)", "v[:] = rng.random(3)",
    "v = rng.standard_normal(3) * {n}", "a, b = rng.random(), rng.normal()\n{new} = a - b",
    "{new} = 0.0\nfor i in range({k}):\n    {new} += {z}", "{new} = {z}\nwhile {new} < 0.4:\n    {new} += rng.random()",
    "{new} = 0.0\nwhile rng.random() < 0.6:\n    {new} += 1",
    "{new} = 0.0\nfor i in range(4):\n    if rng.random() < 0.3:\n        break\n    {new} += {z}",
    "{new} = 0.0\nfor i in range(3):\n    if rng.random() < 0.4:\n        continue\n    {new} = {new} + {z} * i",
    "if {n} > 0.3:\n    {new} = {z}\nelse:\n    {new} = {z}", "{new} = {n}\nif rng.random() < 0.5:\n    {new} = {z}",
    "if {n} < rng.random():\n    rng.normal()", "if rng.random() < 0.15:\n    return x, v",
    "if rng.random() < 0.1:\n    raise ValueError('here')", "assert rng.random() < 0.95",
    "{new} = 0.0\nfor u in v:\n    {new} += u * rng.random()", "{new}, v[0] = rng.random(), rng.normal()",
    "def inner(s):\n    return s * rng.random()\n{new} = inner({n}) + inner({z})",
    "rng.shuffle(v)", "v = rng.permutation(v)", "v[:2] = rng.choice(v, 2, replace=False)",
    "w = rng.random({k})\n{new} = np.sum(w)", "{new} = {z}\nfor i in range({k}):\n    {new} = step(rng, {new})",
    "{new} = walk(rng, {k})", "v[0], v[1] = pair(rng)", "v = np.array([rng.random(), {z}, rng.normal()])",
    "w = rng.integers(3, size=2)\n{new} = v[w[0]] + w[1]", "for i in range(3):\n    v[i] = v[i] + {z}",
    "{new} = 0.0\nfor i in range(2):\n    for j in range(i + 1):\n        {new} += rng.normal() * j",
    "own = np.random.default_rng({k})\n{new} = own.random() * {n} - own.normal()",
    "{new} = 0.0\nfor i in range(3):\n    other = np.random.default_rng((i, {k}))\n    {new} += other.random() * {z}",
    "{new} = 0.0\nfor each in [np.random.default_rng(i) for i in range(3)]:\n    {new} += each.normal() * {n}",
    "{new} = {n}\nwhile {new} < 1.5:\n    {new} = {new} + abs({n}) * rng.exponential() + 0.1",
    "{new} = grown(rng, {n}, {k})",
)  # fmt: skip
HELPERS = """def helper(rng, s):
    if s > 0.5:
        return rng.normal() * s
    rng.random()
    return s - rng.random()


def two(a, b):
    return a - 2.0 * b


def pair(rng):
    first = rng.random()
    return rng.normal(), first


def step(rng, s):
    u = s + 0.5 * rng.normal()
    return u if rng.random() < math.exp(min(0.0, s * s - u * u)) else s


def tree(rng, depth):
    if depth <= 0 or rng.random() < 0.2:
        return rng.normal()
    left = tree(rng, depth - 1)
    return left - rng.random() * tree(rng, depth - 1)


def stroll(rng, s, n):
    for _ in range(n):
        s = s + 0.3 * s * np.sum(rng.normal(size=n))
    return s


def seeded(seed, s):
    rng = np.random.default_rng(seed)
    if rng.random() < 0.3:
        return s * rng.exponential()
    return tree(rng, 2) - s


def grown(rng, s, n):
    total = 0.0
    while total < n:
        total += 0.2 + rng.random() * s * s
        if rng.random() < 0.05:
            break
    return total


def walk(rng, n):
    path = np.zeros(4)
    for i in range(n):
        path[i + 1] = path[i] + rng.normal()
        if path[i + 1] > 1.0:
            return path[i]
    return np.sum(path)
"""


class Writer:
    def __init__(self, seed: int, family: str = "draws"):
        self.random = random.Random(f"{family}:{seed}")
        self.names = ["x"]
        self.lines: list[str] = []

    def filled(self, text: str) -> str:
        """A template, each place of which is another expression."""
        for place, options in (("{z}", NUMBERS), ("{n}", self.names), ("{k}", ("1", "2", "2", "0"))):
            while place in text:
                text = text.replace(place, self.random.choice(options), 1)
        return text

    def statement(self) -> None:
        new = self.random.choice(self.names) if self.random.random() < 0.3 else f"t{len(self.names)}"
        template = self.random.choice(STATEMENTS)
        self.lines += self.filled(template.replace("{new}", "{NEW}")).replace("{NEW}", new).splitlines()
        if "{new}" in template and new not in self.names:
            self.names.append(new)

    def text(self, parameters: str, result: str) -> str:
        for _ in range(self.random.randint(3, 7)):
            self.statement()
        kept = " + ".join([name for name in self.names if self.random.random() < 0.6] or ["x"])
        body = "\n    ".join(["v = np.zeros(3)", *self.lines, f"return {result.format(kept)}"])
        rows = ", ".join(f"({round(self.random.uniform(-0.5, 1.0), 2)},)" for _ in range(CALLS))
        return f"{HELPERS}\n\ndef f({parameters}):\n    {body}\n\n\ndef calls():\n    return [{rows}]\n"


def draws(seed: int) -> Case:
    writer = Writer(seed)
    return Case("draws", seed, writer.text("rng, x", "{}, v"), (writer.random.choice(FORMS),))


def drawn(seed: int) -> Case:
    writer = Writer(seed, "drawn")
    writer.lines = [f"rng = np.random.default_rng({writer.random.randrange(2**40)})"]
    text = writer.text("x", "({}) * 1.0 + np.sum(v)").replace("return x, v", "return x * 1.0")
    return Case("drawn", seed, text, (writer.random.choice(OF_SEEDS),))
