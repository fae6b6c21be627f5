"""Numbers known while a program is built: literal : Python or NumPy scalar -> Lit.

    literal(2.0)  ->  2.0 of type f8, weak          literal(np.float32(2))  ->  2.0 of type f4

And what operations with them give without an equation: a number (`fold`, `beyond`) or the other operand (`neutral`).
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from codegen.ir import Atom, Dim, Lit, Type, Var
from codegen.ir.kinds import Arithmetic, Relation
from codegen.ir.primitive import Primitive


def literal(value: Any) -> Lit:
    """A Lit of a Python or NumPy scalar; Python numbers are weak, NumPy's keep their dtype.

    NumPy makes an array of a scalar that is compared with an expression.
    """
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if isinstance(value, bool):
        return Lit(value, Type("b1", weak=True))
    if isinstance(value, np.generic):
        return Lit(value.item(), Type(code(value.dtype)))
    if isinstance(value, int):
        return Lit(int(value), Type("i8", weak=True))  # int(): a member of an IntEnum is spelled otherwise
    if isinstance(value, float):
        return Lit(float(value), Type("f8", weak=True))
    raise TypeError(f"{value!r} is no number, and arrays are of numbers")


def size_atom(n: Dim) -> Atom:
    """A size as an operand."""
    return literal(n) if isinstance(n, int) else n


def code(dtype: Any) -> str:
    """NumPy dtype -> the code used in Types ('f8', 'i8', 'b1', ...)."""
    made = np.dtype(dtype)
    if made.kind not in "biufc" or made.itemsize > 8 * (1 + (made.kind == "c")):
        raise TypeError(f"dtype {made} is not supported: arrays are of bools and numbers of up to 64 bits")
    return short_code(made)


@cache
def short_code(dtype: np.dtype) -> str:
    return dtype.str.lstrip("<>|=")


def dtype_of(type_: Type) -> np.dtype:
    return np.dtype(type_.dtype)


def neutral(rule: Primitive, atoms: tuple[Atom, ...]) -> Atom | None:
    """The other operand where one is neutral: x * 1, and n + 0 of ints (-0.0 + 0.0 is not -0.0)."""
    for k, atom in enumerate(atoms):
        if isinstance(atom, Lit) and rule.neutral.get(k) == atom.value:
            other = atoms[1 - k]
            made = rule.type(*atoms)
            if (rule.kind in (Arithmetic.MUL, Arithmetic.DIV) or not other.type.is_float) and (
                other.type.dtype == made.dtype and other.type.weak == made.weak
            ):
                return other
    return None


def limits(dtype: str) -> tuple[int, int]:
    """The smallest and largest int of a dtype."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def beyond(rule: Primitive, atoms: tuple[Atom, ...]) -> bool | None:
    """What a comparison of ints with a literal that their dtype does not hold always gives."""
    if not isinstance(rule.kind, Relation) or not any(
        isinstance(a, Var) and a.type.dtype[0] in "iu" for a in atoms
    ):
        return None
    for k, atom in enumerate(atoms):
        if isinstance(atom, Lit) and atom.type.weak and atom.type.dtype == "i8":
            low, high = limits(atoms[1 - k].type.dtype)
            if not low <= atom.value <= high:
                sides = (atom.value, 0) if k == 0 else (0, atom.value)
                return bool(rule.numpy(*sides))
    return None


def fold(rule: Primitive, atoms: tuple[Atom, ...], params: dict[str, Any]) -> Lit | None:
    """An elementwise primitive of literals, computed; None where NumPy raises (2 ** -1 of ints) at run time."""
    type_ = rule.type(*atoms, **params)
    values = [a.value if a.type.weak else dtype_of(a.type).type(a.value) for a in atoms]  # type: ignore[union-attr]
    try:
        with np.errstate(all="ignore"):
            value = rule.numpy(*values, **params)
        return Lit(np.asarray(value).astype(type_.dtype).item(), type_)
    except (ValueError, OverflowError):
        return None


def range_size(start: int, stop: int, step: int) -> int:
    """len(range(start, stop, step)), which Python has up to 63 bits alone."""
    return max(0, -((start - stop) // step))


def known_range(start: Atom, stop: Atom, step: int) -> range | None:
    """The places of a loop between numbers, unless they are more than Python counts."""
    if not isinstance(start, Lit) or not isinstance(stop, Lit):
        return None
    few = range_size(start.value, stop.value, step) <= sys.maxsize
    return range(start.value, stop.value, step) if few else None


def name_of(atom: Atom) -> str:
    """What a value made of this one is called."""
    return atom.name if isinstance(atom, Var) else "t"


def same_literal(x: Lit, y: Lit) -> bool:
    return x.type == y.type and repr(x.value) == repr(y.value)
