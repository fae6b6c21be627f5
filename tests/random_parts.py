"""Random programs of lanes that wait for two products with a shared matrix, and at loops in between that may fail.

text = random_parts(seed)           the text of `def f(q, X, y, z, m): ...`; X all lanes' matrix
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from random_loops import random_loops


def random_parts(seed: int) -> str:
    text = random_loops(seed).replace("def f(x, y, z, m):", "def f(q, X, y, z, m):\n    x = X @ q")
    lines = "\n".join(with_failures(text, random.Random(seed)))
    return lines.replace("    return x, y, z, m, s", "    w = x @ X\n    return x, y, z, m, s, w") + "\n"


def with_failures(text: str, chosen: random.Random) -> Iterator[str]:
    """The lines of a text, some of whose loops fail for large numbers, and for small ones."""
    for line in text.splitlines():
        yield line
        if line.startswith("    for i in") and chosen.random() < 0.5:
            vector = chosen.choice("xyz")
            yield from (f"        if {vector}[i] > 1.3:", "            raise ValueError('large')")
            if chosen.random() < 0.5:
                yield from (f"        if {vector}[i] < -1.5:", "            raise ArithmeticError('small')")
