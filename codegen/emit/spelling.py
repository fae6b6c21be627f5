"""How one primitive is written in Python: operand texts in, expression text out, parentheses where needed.

    Spelling().apply(op, [("a + b", 10), ("c", 100)], out)   ->   ("(a + b) * c", 11)       for `mul`

A text comes with the precedence of its outermost operator (100: an atom). `Spelling` writes plain NumPy;
targets change what they must by overriding a method.
"""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from codegen.ir import Apply, Dim, Lit, Type, Var
from codegen.ir.kinds import MARKS, Access, Arithmetic, Bits, Choice, Joined, Logic, Made, Relation, Same
from codegen.ir.primitive import Primitive
from codegen.primitives.index import Spec, fill
from codegen.primitives.shape import dims_text, dtype_text

Text = tuple[str, int]

ATOM, POWER, UNARY, TEST, AND, OR, CHOICE = 100, 13, 12, 4, 3, 2, 1
BINARY = {
    "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9, "+": 10,
    "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, "@": 11, "**": POWER, "and": AND, "or": OR,
}  # fmt: skip

# Forms that write something directly behind their first operand.
PRIMARY = (Access.READ, Same.COPY, Same.TRANSPOSED)

# What Python calls the larger and the smaller of two ints. (Of floats NumPy's differ where one is NaN.)
EXTREMES: dict[Enum | None, str] = {Arithmetic.MAXIMUM: "max", Arithmetic.MINIMUM: "min"}

# Names that no variable of an emitted module may take.
TAKEN = (
    frozenset(keyword.kwlist)
    | frozenset(dir(builtins))
    | {"np", "math", "scipy", "copy", "numba", "nb", "njit", "prange", "types", "intrinsic"}
    | {"cuda", "libdevice"}
    | {f"block_{word}" for word in ("sum", "product", "highest", "lowest", "all", "any")}
)


def enclose(text: Text, least: int) -> str:
    """The text, in parentheses where its operator binds less than `least`."""
    return text[0] if text[1] >= least else f"({text[0]})"


def number_text(value: bool | int | float) -> Text:
    """A Python number as source."""
    if isinstance(value, float) and not math.isfinite(value):
        word = "np.nan" if math.isnan(value) else "np.inf"
        return (f"-{word}", UNARY) if value < 0 else (word, ATOM)
    if value == -(2**63) and isinstance(value, int):  # Numba takes this constant for an unsigned one
        return f"np.int64({value + 1}) - 1", BINARY["-"]
    negative = value < 0 or (isinstance(value, float) and math.copysign(1.0, value) < 0)
    return re.sub(r"e([+-])0(\d)$", r"e\1\2", repr(value)).replace("e+", "e"), UNARY if negative else ATOM


def scalar_type(dtype: str) -> str:
    """The NumPy scalar type of a dtype code, as source."""
    return f"np.{np.dtype(dtype).name}" if dtype != "b1" else "np.bool_"


def documentation(text: str) -> str:
    """A docstring of this text, which may have quotes and backslashes."""

    def shown(c: str, after: str) -> str:
        if c == after == '"':
            return '\\"'
        return c if c == "\n" or c.isprintable() and c != "\\" else ascii(c)[1:-1]

    return '"""' + "".join(map(shown, text, text[1:] + '"')) + '"""'


class Spelling:
    """Plain NumPy: scalars are NumPy scalars or Python numbers, functions come from np and scipy.special."""

    settled: frozenset[Var] = frozenset()  # parameters that are made NumPy's when their function begins

    def literal(self, lit: Lit) -> Text:
        """A literal standing alone (assigned, returned or passed), in its own dtype."""
        plain = number_text(lit.value)
        if lit.type.dtype in ("f8", "i8", "b1"):
            return plain
        return f"{scalar_type(lit.type.dtype)}({plain[0]})", ATOM

    def operand(self, lit: Lit, op: Apply) -> Text:
        """A literal among an operation's operands: a plain number where that gives the same dtype."""
        if op.primitive.kind in (Joined.STACK, Same.BROADCAST, Same.RESHAPED):
            return self.literal(lit)
        if lit.type.weak or op.primitive.family != "elementwise" or op.primitive.kind is Same.CAST:
            return number_text(lit.value)
        others = [np.dtype(o.type.dtype) for o in op.operands if not isinstance(o, Lit)]
        kind = {"b": bool, "i": int, "u": int, "f": float}[lit.type.dtype[0]]
        if others and np.result_type(*others, kind(0)) == np.result_type(*others, np.dtype(lit.type.dtype)):
            return number_text(lit.value)
        return f"{scalar_type(lit.type.dtype)}({number_text(lit.value)[0]})", ATOM

    def function(self, rule: Primitive, rank: int) -> str:
        """The function a row is called by."""
        called = rule.call_of(self.library(rank))
        assert called is not None, f"{rule.name} has no spelling"
        return called

    def library(self, rank: int) -> str:
        """What has the functions that make results of this rank."""
        return "np"

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        """The expression for one primitive, not `update`, `accumulate`, draws or effects."""
        rule = op.primitive
        rank = max((o.type.rank for o in op.operands), default=0)
        if rule.kind in MARKS:
            return args[0]
        if rule.kind is Same.CAST:
            return self.cast(op, args, rank)
        if rule.kind in SPECIAL:
            return SPECIAL[rule.kind](op, args, rank, self.library(out.rank))
        if rule.kind is Same.RESHAPED:
            return self.reshape(op, args, out)
        if rule.form is not None:
            texts = [a for a, _ in args]
            if args and (rule.kind in PRIMARY or rule.family == "random"):
                texts[0] = enclose(args[0], ATOM)
            first = op.operands[0].type.rank if op.operands else 0
            return rule.form(*texts, **op.params, rank=first, lib=self.library(out.rank))
        bools = not rank and all(o.type.dtype == "b1" for o in op.operands)
        word = rule.operator or (rule.scalar if bools and isinstance(rule.kind, Logic) else None)
        if word is None:
            ints = not rank and {o.type.dtype for o in op.operands} == {"i8"}
            called = EXTREMES.get(rule.kind) if ints else None
            return f"{called or self.function(rule, rank)}({', '.join(a for a, _ in args)})", ATOM
        if isinstance(rule.kind, Relation) and isinstance(op.operands[0], Lit):  # n <= 0, not 0 >= n
            return operator(rule.kind.swapped.value, args[::-1])
        return operator(word, args)

    def sign(self, op: Apply) -> str:
        """< or <= for a comparison read from its smaller side."""
        return "<=" if op.primitive.kind in (Relation.GE, Relation.LE) else "<"

    def reshape(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        """x[:, None], x[0] and the like where only axes of size 1 come and go, else np.reshape."""
        given, lib = op.operands[0].type, self.library(out.rank)
        if not given.rank:
            return f"{lib}.full({dims_text(tuple(a for a, _ in args[1:]))}, {args[0][0]})", ATOM
        places = axes_between(given.shape, out.shape)
        if places is None:
            number = "" if out.rank else "[()]"  # no view without axes, which `*=` would write into
            dims = dims_text(tuple(a for a, _ in args[1:]))
            return f"{lib}.reshape({self.packed(args[0])}, {dims}){number}", ATOM
        if set(places) == {":"}:
            return args[0]
        return f"{enclose(args[0], ATOM)}[{', '.join(places)}]", ATOM

    def packed(self, array: Text) -> str:
        """An array as np.reshape takes it."""
        return array[0]

    def places(self, spec: Spec, operands: Sequence[str]) -> str:
        """A subscript as a value, for np.add.at."""
        texts = [place_text(p) for p in fill(spec, tuple(operands), cut_value)]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def cast(self, op: Apply, args: Sequence[Text], rank: int) -> Text:
        dtype = scalar_type(op.params["dtype"])
        return f"{enclose(args[0], ATOM)}.astype({dtype})" if rank else f"{dtype}({args[0][0]})", ATOM


def operator(word: str, args: Sequence[Text]) -> Text:
    """An operator between its operands; `a - (b - c)` and `a + (b + c)` keep their parentheses."""
    if len(args) == 1:
        if word != "not":
            return f"{word}{enclose(args[0], UNARY)}", UNARY
        clear = args[0][1] in (TEST, BINARY["=="]) or args[0][1] >= UNARY
        return f"not {args[0][0]}" if clear else f"not ({args[0][0]})", TEST
    left, right = args
    level = BINARY[word]
    if word == "**":
        return f"{enclose(left, level + 1)} ** {enclose(right, UNARY)}", level
    free = word.isalpha()
    first = level + 1 if level == BINARY["=="] else level
    return f"{enclose(left, first)} {word} {enclose(right, level if free else level + 1)}", level


def axes_between(given: Sequence[Dim], wanted: Sequence[Dim]) -> list[str] | None:
    """The subscript that leads from one shape to the other by axes of size 1 alone; None if there is none."""
    places: list[str] = []
    left, right = list(given), list(wanted)
    while left or right:
        if left and right and (left[0] is right[0] or left[0] == right[0]):
            places.append(":")
            left.pop(0), right.pop(0)
        elif right and right[0] == 1:
            places.append("None")
            right.pop(0)
        elif left and left[0] == 1:
            places.append("0")
            left.pop(0)
        else:
            return None
    return places


def cut_value(start: str | None, stop: str | None, step: int | None) -> str:
    return f"slice({start}, {stop}{'' if step is None else f', {step}'})"


def place_text(place: str | slice | None) -> str:
    return "slice(None)" if isinstance(place, slice) else str(place)


def conditional_text(test: Text, then: Text, orelse: Text) -> Text:
    """`then if test else orelse`."""
    return f"{enclose(then, OR)} if {enclose(test, OR)} else {enclose(orelse, CHOICE)}", CHOICE


def select_text(op: Apply, args: Sequence[Text], rank: int, lib: str) -> Text:
    """Numba's arguments are there before: reads have been tested. (NumPy's target has its own.)"""
    return conditional_text(*args) if not rank else (f"{lib}.where({', '.join(a for a, _ in args)})", ATOM)


def extreme_text(op: Apply, args: Sequence[Text], rank: int, lib: str) -> Text:
    """Python's max and min compare numbers; of arrays the choice is written out."""
    if not rank:
        return f"{op.primitive.call}({args[0][0]}, {args[1][0]})", ATOM
    test = operator(">" if op.primitive.kind is Choice.LARGER else "<", args[::-1])
    return f"{lib}.where({test[0]}, {args[1][0]}, {args[0][0]})", ATOM


def unchanged(op: Apply, args: Sequence[Text], rank: int, lib: str) -> Text:
    """What leaves its operand as it is; `copy` of an array is a copy."""
    if op.primitive.kind is Same.COPY and rank:
        return f"{enclose(args[0], ATOM)}.copy()", ATOM
    return args[0]


def invert(op: Apply, args: Sequence[Text], rank: int, lib: str) -> Text:
    """~ of a Python bool is an int: `not` for scalars."""
    return operator("not" if not rank and op.operands[0].type.dtype == "b1" else "~", args)


def logical_xor(op: Apply, args: Sequence[Text], rank: int, lib: str) -> Text:
    bools = not rank and all(o.type.dtype == "b1" for o in op.operands)
    return operator("!=", args) if bools else (f"{lib}.logical_xor({', '.join(a for a, _ in args)})", ATOM)


def full_text(op: Apply, args: Sequence[Text], rank: int, lib: str) -> Text:
    """np.zeros and np.ones where the number is known."""
    value, (filled, *dims) = op.operands[0], (a for a, _ in args)
    kind = dtype_text(op.params["dtype"])
    tail = f", {kind})" if kind else ")"
    if isinstance(value, Lit):
        for name, number in (("zeros", 0.0), ("ones", 1.0)):
            if value.value == number and math.copysign(1.0, value.value) > 0:
                return f"{lib}.{name}({dims_text(tuple(dims))}{tail}", ATOM
    return f"{lib}.full({dims_text(tuple(dims))}, {filled}{tail}", ATOM


SPECIAL: dict[Enum | None, Any] = {
    Made.FULL: full_text,
    Choice.SELECT: select_text,
    Choice.LARGER: extreme_text,
    Choice.SMALLER: extreme_text,
    Same.COPY: unchanged,
    Same.STOPPED: unchanged,
    Bits.INVERT: invert,
    Logic.XOR: logical_xor,
}
