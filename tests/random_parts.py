"""Random programs of lanes that wait for products with a shared matrix, and at loops in between that may fail.

text = random_parts(seed)           the text of `def f(q, X, y, z, m): ...`; X all lanes' matrix
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from random_loops import random_loops

BETWEEN = (
    "s = s + np.sum(q)", "v = x[0] * 2.0", "s = s + w[0]", "x = x + 1.0", "x[0] = v", "z[1] = z[0] - s", "m[0] = x",
    "y = y * (s + 0.5)", "t = x.copy()", "x = t * y", "q = q + 0.1 * w", "w = x @ X", "x = X @ (q * 0.5)", "y = X @ w",
    "if s > 2.5: raise RuntimeError('sum')",
)  # fmt: skip
"""What stands between products and loops: numbers, arrays, other products, checks."""


def random_parts(seed: int) -> str:
    text = random_loops(seed).replace("def f(x, y, z, m):", "def f(q, X, y, z, m):\n    x = X @ q")
    text = text.replace("    n, s, v =", "    w, t = q.copy(), x.copy()\n    n, s, v =")
    text = text.replace("    return x, y, z, m, s", "    w = x @ X\n    return x, y, z, m, s, w")
    return "\n".join(with_more(text, random.Random(seed))) + "\n"


def with_more(text: str, chosen: random.Random) -> Iterator[str]:
    """The lines of a text with more between, and loops that fail for large numbers, or for small ones."""
    for line in text.splitlines():
        if line.startswith(("    for i in", "    w = x @ X")):
            yield from (f"    {chosen.choice(BETWEEN)}" for _ in range(chosen.randint(0, 3)))
        yield line
        if line.startswith("    for i in") and chosen.random() < 0.5:
            vector = chosen.choice("xyz")
            yield from (f"        if {vector}[i] > 1.3:", "            raise ValueError('large')")
            if chosen.random() < 0.5:
                yield from (f"        if {vector}[i] < -1.5:", "            raise ArithmeticError('small')")
