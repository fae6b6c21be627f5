"""Python's numbers where a dtype is asked for: what an int dtype holds, and what is an error, as in NumPy.

    m[0] = 300         of uint8: OverflowError           int(x), math.floor(x)   ValueError of NaN, OverflowError
    m[0] = x           of ints: not NaN, not infinite                            of what 64 bits do not hold

NumPy's arrays are converted as a processor does it, and so are its own numbers, but where one is assigned to places of
signed ints: those must hold it, as they must hold Python's numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.ir import Lit
from codegen.ir.build import LARGE, Builder, E
from codegen.ir.literals import limits

NAN, INFINITE = "cannot convert float NaN to integer", "cannot convert float infinity to integer"


def whole_number(b: Builder, x: Any) -> Any:
    """A float, of which no fraction is wanted, as an int of 64 bits."""
    if not isinstance(x, E):
        return int(x)
    if b.checked and not x.type.rank:
        b.require(b.apply("eq", x, x), "ValueError", NAN)
        b.require(b.apply("lt", b.apply("abs", x), np.inf), "OverflowError", INFINITE)
        held = b.apply("and", b.apply("ge", x, -(2.0**63)), b.apply("lt", x, 2.0**63))
        b.require(held, "OverflowError", LARGE)
    return b.apply("cast", x, dtype="i8")


def fit(b: Builder, value: Any, dtype: str, *, stored: bool = True) -> Any:
    """`value` in a dtype. `stored`: assigned to places; those of signed ints take NumPy's numbers like Python's."""
    atom = b.atom(value)
    type_ = atom.type
    if isinstance(atom, Lit) and type_.weak:
        return literal_in(atom.value, dtype)
    if type_.dtype == dtype:
        return value
    if not type_.rank and dtype[0] in "iu" and (type_.weak or (stored and dtype[0] == "i")):
        if type_.is_float:
            value = whole_number(b, value)
        if b.checked and not np.can_cast(b.atom(value).type.dtype, dtype):
            b.in_bounds(value, dtype)
    return b.apply("cast", value, dtype=dtype)


DIGITS = {"f8": 53, "f4": 24}  # bits of a float's digits
INEXACT = "an int that is a float on other ways through the program is beyond what a float holds exactly"


def require_exact(b: Builder, n: Any, dtype: str) -> None:
    """Require that an int keeps all its digits as a float, which it is taken for on other ways."""
    if isinstance(n, E) and n.type.dtype[0] in "iu" and not n.type.rank and dtype in DIGITS and b.checked:
        most = 2 ** DIGITS[dtype]
        if limits(n.type.dtype)[1] > most:
            fits = b.apply("le", n, most)
            fits = fits if n.type.dtype[0] == "u" else b.apply("and", fits, b.apply("ge", n, -most))
            b.require(fits, "OverflowError", INEXACT)


def literal_in(value: Any, dtype: str) -> Any:
    """A Python number as NumPy's, OverflowError or ValueError where it does not fit."""
    if dtype[0] in "iu":
        value = int(value)
        low, high = limits(dtype)
        if not low <= value <= high:
            raise OverflowError(f"Python integer {value} out of bounds for {np.dtype(dtype).name}")
    with np.errstate(all="ignore"):
        return np.dtype(dtype).type(value)
