"""uint64 compared with ints that may be below 0, for which there is no common dtype: exactly, as NumPy does.

u > s    ->    s < 0 or u > uint64(s)
"""

from __future__ import annotations

from typing import Any

from codegen.ir.kinds import Relation
from codegen.ir.nodes import Atom, Lit
from codegen.ir.primitive import Primitive


def has_both_signs(rule: Primitive, atoms: tuple[Atom, ...]) -> bool:
    """Whether an operation compares uint64 with ints that have a sign."""
    if not isinstance(rule.kind, Relation):
        return False
    dtypes = {a.type.dtype for a in atoms}
    return "u8" in dtypes and any(d[0] == "i" for d in dtypes)


def compared(b: Any, rule: Primitive, x: Atom, y: Atom) -> Any:
    """Below 0, or as uint64. `b`: the Builder that the equations go to."""
    signed = x if x.type.dtype != "u8" else y
    if_negative = bool(rule.numpy(*(-1 if v is signed else 1 for v in (x, y))))
    if isinstance(signed, Lit):
        if signed.value < 0:
            return b.filled(if_negative, (x, y))
        bits = b.apply("cast", signed, dtype="u8")
        return b.apply(rule, *(bits if v is signed else v for v in (x, y)))
    whole = b.apply("cast", signed, dtype="i8") if signed.type.weak else signed
    bits = b.apply("cast", whole, dtype="u8")
    made = b.apply(rule, *(bits if v is signed else v for v in (x, y)))
    if if_negative:
        return b.apply("or", b.apply("lt", signed, 0), made)
    return b.apply("and", b.apply("ge", signed, 0), made)
