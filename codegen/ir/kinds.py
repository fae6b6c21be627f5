"""What passes know a primitive by: the `kind` of its row, a member of one of these. No pass asks for a name."""

from __future__ import annotations

from enum import Enum

# Elements of an array, at places that the last operands say: x[i], x[i] = v, x[i] += v.
Access = Enum("Access", "READ WRITE ADD")
# What acts: stops unless its first operand holds, stops, writes into an argument, prints.
Effect = Enum("Effect", "CHECK FAIL STORE PRINT")
Arithmetic = Enum(
    "Arithmetic", "ADD SUB MUL DIV FLOORDIV MOD POW NEG SQUARE MULADD ABS SIGN MAXIMUM MINIMUM EXP LOGADDEXP"
)
Rounding = Enum("Rounding", "FLOOR CEIL TRUNC NEAREST")
Bits = Enum("Bits", "AND OR XOR INVERT LEFT RIGHT")
Logic = Enum("Logic", "AND OR XOR NOT")
# One of the operands as it is: by a bool, Python's max and min.
Choice = Enum("Choice", "SELECT LARGER SMALLER")
# The operand's elements: in memory of their own, in another dtype, without a derivative, with another mark that only
# differentiation reads, again and again, in another shape, with axes exchanged, on the diagonal of two axes.
Same = Enum("Same", "COPY CAST STOPPED MARKED BROADCAST RESHAPED TRANSPOSED DIAGONAL")
MARKS = frozenset({Same.STOPPED, Same.MARKED})
"""What only differentiation reads; once that is done it is its first operand."""
# Of several arrays one: along a new axis, along one that they have.
Joined = Enum("Joined", "STACK CONCATENATE")
# A new array: of anything, of one value, 0 1 2 ..., the places where a mask holds.
Made = Enum("Made", "EMPTY FULL RANGE PLACES")
# Places in the last axis of the first operand: of its elements in order, or between them, from 0 to their count.
Order = Enum("Order", "PLACES AMONG")
Reduction = Enum("Reduction", "SUM PROD MAX MIN ANY ALL ARGMAX ARGMIN CUMSUM")
# How lanes side by side compute it in vector registers: as instructions, by a text of codegen/runtime (fast_exp).
Vector = Enum("Vector", "PLAIN TEXT")
Test = Enum("Test", "NAN INF FINITE")
Product = Enum("Product", "MATRIX OUTER")
# Ints that are drawn: between two bounds, from 0 on, up to the first parameter.
Drawn = Enum("Drawn", "BETWEEN COUNT SHARE")
# A stream of its own: at the place of another, made of seeds.
Stream = Enum("Stream", "COPIED SEEDED")


class Relation(Enum):
    LT, LE, GT, GE, EQ, NE = "<", "<=", ">", ">=", "==", "!="

    @property
    def swapped(self) -> Relation:
        """What holds of y and x where this holds of x and y."""
        return Relation(self.value.translate(str.maketrans("<>", "><")))

    @property
    def negated(self) -> Relation:
        """What holds where this does not, NaN apart."""
        return NEGATED[self]


NEGATED = dict(zip(Relation, (Relation.GE, Relation.GT, Relation.LE, Relation.LT, Relation.NE, Relation.EQ)))
