"""The reference target: plain NumPy, as a person would write it.

Scalars of the text are NumPy's or Python's. Where Python's would compute otherwise than NumPy's (1.0 / 0.0 raises),
one is made NumPy's: the parameter that it comes from, at the function's beginning, or the operand (see loose.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from codegen.emit.spelling import ATOM, Spelling, Text, conditional_text, scalar_type
from codegen.ir import Apply, Atom, Lit, Program, Type, Var
from codegen.ir.kinds import Arithmetic, Choice, Same
from codegen.ir.promotion import computed_in
from codegen.ir.traversal import applications
from codegen.targets.loose import Loose, loose, may_raise_at_zero, wraps
from codegen.targets.target import Target


class NumpySpelling(Spelling):
    """`of`: which scalars may be Python's."""

    def __init__(self, of: Loose):
        self.of = of
        self.settled = of.settled

    def literal(self, lit: Lit) -> Text:
        """Beside narrower dtypes it matters whether a number is Python's."""
        if self.of.narrow and not lit.type.weak and lit.type.dtype != "b1":
            return f"{scalar_type(lit.type.dtype)}({super().literal(Lit(lit.value, Type('f8')))[0]})", ATOM
        return super().literal(lit)

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        if op.primitive.kind is Same.COPY and not out.rank and op.operands[0].type.weak > out.weak:
            return f"{scalar_type(out.dtype)}({args[0][0]})", ATOM  # np.asarray makes a number NumPy's
        if op.primitive.kind is Choice.SELECT and not out.rank:
            return self.chosen(op, args, out)
        if (
            op.primitive.kind is Arithmetic.POW
            and out.rank
            and isinstance(y := op.operands[1], Lit)
            and y.value == 0.5
        ):
            return self.power_of_each(args, out)
        if op.primitive.kind is Same.CAST:
            args = self.wrapped(op, args, out)
        elif op.primitive.family == "elementwise":
            args = self.strict(op, args, out)
        return super().apply(op, args, out)

    def wrapped(self, op: Apply, args: Sequence[Text], out: Type) -> Sequence[Text]:
        """An int64 made NumPy's before it becomes another int: it wraps, where Python's out of range raises."""
        operand = op.operands[0]
        bounded = out.dtype[0] in "iu" and out.dtype != "i8"
        if bounded and isinstance(operand, Var) and not operand.type.weak and self.of.is_loose(operand):
            return [(f"{scalar_type(operand.type.dtype)}({args[0][0]})", ATOM), *args[1:]]
        return args

    def power_of_each(self, args: Sequence[Text], out: Type) -> Text:
        """C's pow of each of many numbers to the power 0.5, of which `**` would be the square root."""
        text = f"{self.library(out.rank)}.float_power({args[0][0]}, {args[1][0]})"
        return f"{text}.astype({scalar_type(out.dtype)})" if out.dtype != "f8" else text, ATOM

    def chosen(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        """np.where of numbers: both are there, in one dtype. What is there already need not be computed to choose."""
        sides = op.operands[1:]
        alike = all(isinstance(s, Lit) or s.type.dtype == out.dtype for s in sides)
        mixed = self.of.narrow and any(self.of.is_loose(s) for s in sides)
        if not alike or mixed or any(self.of.may_raise(s) for s in sides):
            return f"np.where({', '.join(a for a, _ in args)})[()]", ATOM
        then, orelse = (self.side(s, a, out) for s, a in zip(sides, args[1:], strict=True))
        return conditional_text(args[0], then, orelse)

    def side(self, atom: Atom, arg: Text, out: Type) -> Text:
        if not isinstance(atom, Lit):
            return arg
        value = np.asarray(atom.value).astype(out.dtype).item()
        return self.literal(Lit(value, Type(out.dtype, (), out.weak)))

    def strict(self, op: Apply, args: Sequence[Text], out: Type) -> Sequence[Text]:
        """The operands, with Python's numbers made NumPy's where the result would be another."""
        if op.primitive.kind in (Choice.LARGER, Choice.SMALLER):
            return self.floats(op, args, out)
        found = [self.of.is_loose(o) and not o.type.rank for o in op.operands]
        free = [k for k, o in enumerate(op.operands) if found[k] and not isinstance(o, Lit)]
        if not free:
            return args
        cast: list[int] = []
        if (may_raise_at_zero(op, out) or wraps(op, out)) and all(found):
            cast = free[:1]
        elif self.of.narrow and not out.weak and self.differs(op, found):
            cast = [k for k in free if not op.operands[k].type.weak]
        # Of an int to the power of a float NumPy's number is off by a rounding where a float's is Python's.
        as_float = op.primitive.kind is Arithmetic.POW and out.dtype == "f8"
        return [
            (f"{scalar_type(out.dtype if as_float else o.type.dtype)}({a[0]})", ATOM) if k in cast else a
            for k, (o, a) in enumerate(zip(op.operands, args, strict=True))
        ]

    def floats(self, op: Apply, args: Sequence[Text], out: Type) -> Sequence[Text]:
        """The operands in the dtype of the larger one: Python's `max` gives one of them as it is."""
        if out.rank:
            return args
        made = []
        for o, arg in zip(op.operands, args, strict=True):
            word = "float" if o.type.weak and out.dtype == "f8" else scalar_type(out.dtype)
            is_other = isinstance(o, Var) and o.type.dtype != out.dtype
            made.append((f"{word}({arg[0]})", ATOM) if is_other else arg)
        return made

    def differs(self, op: Apply, found: Sequence[bool]) -> bool:
        """Whether NumPy gives another dtype where these operands are Python's."""
        ufunc, types = op.primitive.numpy, [o.type for o in op.operands]
        if not isinstance(ufunc, np.ufunc):
            return False
        without = [Type(t.dtype, t.shape, weak) for t, weak in zip(types, found, strict=True)]
        return computed_in(ufunc, types)[1] != computed_in(ufunc, without)[1]


class NumpyTarget(Target):
    def spelled(self, program: Program) -> Spelling:
        return NumpySpelling(loose(program))

    def wanted(self, program: Program) -> list[str]:
        """The helpers that stand for functions which NumPy does not have."""
        called = dict.fromkeys(op.primitive.call for op in applications(program) if op.primitive.definition)
        return [name for name in called if name is not None]


NUMPY = NumpyTarget()
