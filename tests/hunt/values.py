"""Numbers and arrays as text: every dtype, their edges, empty arrays, views."""

from __future__ import annotations

import random
from collections.abc import Sequence

INTS = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for sign in ("u", "")
    for bits in (8, 16, 32, 64)
}
DTYPES = (*INTS, "float32", "float64", "bool")
WIDE = ("int64", "float64", "bool")  # what Python's own numbers are
CASTS = {name: f"np.{name}" if name != "bool" else "np.bool_" for name in DTYPES}
ODD = ("inf", "-inf", "nan", "-0.0", "0.0", "1e10", "-1e-3", "3e38")
FLOATS = ("0.5", "1.0", "-1.0", "2.0", "-2.5", "3.0", "0.75", "-0.25", "1.5", "0.0", "4.0", "0.3", "-1.7")


def number(pick: random.Random, dtype: str, odd: float) -> str:
    """A number of a dtype as a literal; `odd`: how often it is one of its edges."""
    if dtype == "bool":
        return pick.choice(("True", "False"))
    if dtype in INTS:
        low, high = INTS[dtype]
        if pick.random() < odd:
            return str(pick.choice((low, high, high - 1, low + 1, high // 2 + 1, 0)))
        return str(
            pick.choice((0, 1, 2, 3, 5, 7, 10, 100) if low == 0 else (0, 1, -1, 2, -2, 3, 5, -7, 10, 100))
        )
    if pick.random() < odd:
        return pick.choice(ODD)
    return pick.choice(FLOATS)


def scalar(pick: random.Random, dtype: str, odd: float, *, python: bool = False, array: bool = False) -> str:
    text = number(pick, dtype, odd)
    if python:
        return text
    return f"np.array({text}, {CASTS[dtype]})" if array else f"{CASTS[dtype]}({text})"


def array(pick: random.Random, dtype: str, shape: Sequence[int], odd: float, how: str = "plain") -> str:
    """`how`: plain, or a view: reversed, strided, transposed."""
    made = list(shape)
    if how == "transposed":
        made = made[::-1]
    if how == "strided":
        made[0] *= 2
    if 0 in made:
        text = f"np.zeros({tuple(made)}, {CASTS[dtype]})"
    else:
        text = f"np.array({nested(pick, dtype, made, odd)}, {CASTS[dtype]})"
    return text + {"plain": "", "reversed": "[::-1]", "strided": "[::2]", "transposed": ".T"}[how]


def nested(pick: random.Random, dtype: str, shape: Sequence[int], odd: float) -> str:
    if not shape:
        return number(pick, dtype, odd)
    return f"[{', '.join(nested(pick, dtype, shape[1:], odd) for _ in range(shape[0]))}]"


def literal(pick: random.Random) -> str:
    """A Python number, small mostly."""
    if pick.random() < 0.1:
        return pick.choice(("300", "-1", "255", "128", "65536", "2147483648", "-129", "1000", "0.1", "1e-30"))
    return pick.choice(("1", "2", "3", "-1", "-2", "7", "0", "0.5", "2.0", "-1.5", "10", "1.0", "True"))
