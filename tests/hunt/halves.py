"""Recursions on parts of arrays: halves, every second element, all but the first; results are arrays and numbers,
whose sizes are known when the program runs. Derivatives of them, and lanes.
"""

from __future__ import annotations

import random

from hunt.case import CALLS, Case

FORMS = (
    "derivative-numpy",
    "derivative-numpy",
    "derivative-text",
    "second-numpy",
    "lanes-numpy",
    "jit-text",
    "batch-text",
)
PARTS = (
    ("x[:h]", "x[h:]"),
    ("x[:h]", "x[h:]"),
    ("x[::2]", "x[1::2]"),
    ("x[1:]", None),
    ("x[:-1]", "x[:1]"),
    ("x[h:]", None),
)
OF_ARRAYS = (
    "{p}", "{p}", "np.sin({p})", "{p} * 0.5", "{p}.copy()", "{p} + x[0]", "{p} * {p}", "{p} - np.mean({p})",
    "np.concatenate(({p}[1:], {p}[:1]))", "{p}[::-1]",
)  # fmt: skip
ENDS = {
    "array": ("x", "x.copy()", "x * x", "np.sin(x)", "x * 0.5 + 0.1"),
    "number": ("np.sum(x)", "np.sum(x * x)", "0.5", "np.sum(np.sin(x)) + 1.0"),
}
# Of two results u and w, or of u and its part alone.
JOINS = {
    "array": (
        "np.concatenate(({u} + {w}[:1], {u}[:1] * {w}))", "np.concatenate(({u}, {w}))",
        "np.concatenate(({u} * 0.5, np.sin({w})))", "np.concatenate(({w} * np.mean({u}), {u}))",
        "np.append({u}, np.sum({w}) * 0.2)", "{w} * np.sum({u})", "{u} * 0.5",
    ),
    "number": (
        "{u} * {w}", "{u} + {w} * x[0]", "np.sin({u}) - {w}", "0.5 * {u} + np.sum(x) * {w}", "{u} * {u} - 0.3 * {w}",
    ),
}  # fmt: skip


class Halves:
    """g(x): an array, a number, or both, of an array of any length."""

    def __init__(self, seed: int):
        self.random = random.Random(f"halves:{seed}")
        self.kinds = self.random.choice(
            (["array"], ["array"], ["number"], ["array", "number"], ["array", "array"])
        )

    def passed(self, part: str) -> str:
        return self.random.choice(OF_ARRAYS).replace("{p}", part)

    def values(self, texts: dict[str, tuple[str, ...]]) -> list[str]:
        return [self.random.choice(texts[kind]) for kind in self.kinds]

    def call(self, name: str, part: str) -> str:
        names = [name] if len(self.kinds) == 1 else [f"{name}0", f"{name}1"]
        return f"{', '.join(names)} = g({self.passed(part)})"

    def function(self) -> list[str]:
        first, second = self.random.choice(PARTS)
        lines = [f"if len(x) <= {self.random.choice('112')}:", f"    return {', '.join(self.values(ENDS))}"]
        lines += ["h = len(x) // 2", self.call("u", first)]
        if self.random.random() < 0.3:
            lines += ["x = np.cos(x)"]
        if second is not None and self.random.random() < 0.25:
            calls = [self.call("w", second), f"    {self.call('w', first)}"]
            lines += ["if x[0] > 0.3:", f"    {calls[0]}", "else:", calls[1]]
        else:
            lines += [self.call("w", second or first)]
        numbers = [""] if len(self.kinds) == 1 else ["0", "1"]
        results = [r.format(u=f"u{k}", w=f"w{k}") for r, k in zip(self.values(JOINS), numbers, strict=True)]
        return [*lines, f"return {', '.join(results)}"]

    def text(self) -> str:
        body = "\n    ".join(self.function())
        names = [f"r{k}" for k in range(len(self.kinds))]
        sums = [f"np.sum({n} * np.cos({n}))" if kind == "array" else n for n, kind in zip(names, self.kinds)]
        size = self.random.randint(1, 7)
        rows = []
        for _ in range(CALLS):
            numbers = [round(self.random.uniform(-1.0, 1.5), 2) for _ in range(size)]
            rows.append(f"(np.array({numbers}),)")
        calls = f"def calls():\n    return [{', '.join(rows)}]\n"
        main = f"def f(x):\n    {', '.join(names)} = g(x)\n    return {' + '.join(sums)}\n"
        return f"def g(x):\n    {body}\n\n\n{main}\n\n{calls}"


def halves(seed: int) -> Case:
    made = Halves(seed)
    return Case("halves", seed, made.text(), (made.random.choice(FORMS),))
