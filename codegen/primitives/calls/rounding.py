"""Python's round() to digits: the float that is nearest to the decimal number nearest to x, as Python's own.

round(2.675, 2)     ->      2.67        since the float is below 2.675, where x * 100 is 267.5 and NumPy has 2.68
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.ir.build import Builder, E

MOST = 15  # digits for which the remainder of the product tells which side of a half it is
WHOLE = 2.0**53  # products from here on have no fraction that a float could lose
WORDS = f"round() to digits takes 0 to {MOST} of them"


def to_digits(b: Builder, x: Any, digits: Any) -> Any:
    """`round(x, digits)` of one of Python's numbers, with so many digits behind the point."""
    if b.atom(digits).type.rank or b.atom(digits).type.dtype[0] not in "iu":
        raise TypeError("round() takes an int as the number of digits")
    most = MOST if x.type.is_float else np.inf
    if not isinstance(digits, E):
        if not 0 <= digits <= most:
            raise TypeError(WORDS)
    else:
        within = b.apply("ge", digits, 0)
        b.require(b.apply("and", within, b.apply("le", digits, MOST)), "ValueError", WORDS)
    if not x.type.is_float:
        return b.apply("cast", x, dtype="i8") if x.type.dtype == "b1" else x
    return np.copysign(size_to_digits(b, b.apply("abs", x), power_of_ten(b, digits)), x)


def power_of_ten(b: Builder, digits: Any) -> Any:
    """Which is a whole number that floats hold, so that a power that is off by roundings is put right."""
    if not isinstance(digits, E):
        return 10.0 ** int(digits)
    return b.apply("rint", b.apply("pow", 10.0, b.apply("cast", digits, dtype="f8")))


def size_to_digits(b: Builder, size: Any, power: Any) -> Any:
    """Of a number that is not negative. Where its product with the power is a half, having been rounded to it, the
    remainder of the half by the number says where the exact product is: little is left if below, nothing if there, and
    most of the number if above. Numbers too large to have a digit more are what they are."""
    small = b.apply("lt", size, WHOLE / power)
    product = b.apply("mul", np.where(small, size, 0.0), power)
    below = b.apply("floor", product)
    is_half = b.apply("eq", b.apply("sub", product, below), 0.5)
    left = b.apply("mod", product, np.where(is_half, size, 1.0))
    odd = b.apply("eq", b.apply("mod", below, 2.0), 1.0)
    above = b.apply(
        "or", b.apply("gt", left, b.apply("mul", size, 0.5)), b.apply("and", b.apply("eq", left, 0.0), odd)
    )
    of_half = np.where(above, b.apply("add", below, 1.0), below)
    whole = np.where(is_half, of_half, b.apply("rint", product))
    return np.where(small, b.apply("div", whole, power), size)
