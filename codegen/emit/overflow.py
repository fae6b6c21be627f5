"""Sums and products of NumPy's ints that may overflow, where that could be seen: wrapping : Program -> Program.

    t = add m m                    t = wrapping_add m m
    u = floordiv t 2        ->     u = floordiv t 2
    v = pow m k                    v = wrapping_pow m k

Numba tells LLVM that its sums of int64 do not overflow, so that (m + m) // 2 becomes m. Integers of NumPy's wrap. What
is only added up, stored or an index is the same either way, and stays what it was; so do sizes, counters, places and
what is drawn or left of them, which are far from 2^63, and Python's ints, of which LLVM's answer is Python's own, but
for places that double (codegen/analysis/doubling.py), which LLVM would hold not to count from the end. So it is with
powers by literals, of unsigned ints too, of which Numba makes int64; its powers beyond 65536 are floats'. Runs
last: other passes know `add` alone.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType

from codegen.analysis.definitions import definitions
from codegen.analysis.doubling import LARGEST_STEP, is_scalar_int
from codegen.analysis.range_walk import RangeWalk
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.kinds import Access, Arithmetic, Choice, Drawn, Made, Order, Reduction, Same
from codegen.ir.traversal import all_equations, equations, with_equations, with_functions
from codegen.primitives import ROWS

WIDE = ("i4", "u4", "i8", "u8")
RING: dict[Enum | None, str] = {
    Arithmetic.ADD: "wrapping_add", Arithmetic.SUB: "wrapping_sub", Arithmetic.MUL: "wrapping_mul",
}  # fmt: skip
I8 = ("i8", 0)
SMALL, LARGE = 2**40, 2**62  # literals up to the first are like sizes
# Which operands have to be small for a result to be.
SMALL_WHERE: dict[Enum | None, slice] = {
    **dict.fromkeys((Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MAXIMUM, Arithmetic.MINIMUM), slice(None)),
    **dict.fromkeys((*Order, Reduction.ARGMAX, Reduction.ARGMIN), slice(0)),
    **dict.fromkeys((Arithmetic.FLOORDIV, Made.RANGE, Access.READ, Same.COPY), slice(1)),
    **dict.fromkeys((Arithmetic.MOD, Choice.SELECT, Drawn.BETWEEN), slice(1, None)),
}
PASSED = (Arithmetic.NEG, Choice.SELECT, Same.COPY, Same.STOPPED)  # without being looked at


def wrapping(program: Program) -> Program:
    """The program with `wrapping_` rows in place of those that may overflow before something looks at it."""
    if not any(risky(e) or may_double(e) for e in all_equations(program)):
        return program
    return with_functions(program, wrap_function)


def may_double(equation: Equation) -> bool:
    """A loop that carries ints and has sums of two ints of Python's, or products."""
    op = equation.op
    if not isinstance(op, For | While) or not any(is_scalar_int(v) for v in op.carried):
        return False
    return any(is_sum_of_two(e) for e in equations(op.body))


def is_weak_int(atom: Atom) -> bool:
    return is_scalar_int(atom) and atom.type.weak


def is_sum_of_two(equation: Equation) -> bool:
    op = equation.op
    if not isinstance(op, Apply) or not equation.outs or not is_weak_int(equation.outs[0]):
        return False
    near = any(isinstance(o, Lit) and abs(o.value) <= LARGEST_STEP for o in op.operands)
    return op.primitive.kind is Arithmetic.MUL or op.primitive.kind is Arithmetic.ADD and not near


def risky(equation: Equation) -> bool:
    """A sum, difference, product or power of ints of NumPy's."""
    op = equation.op
    if is_power(equation):
        return True
    if not isinstance(op, Apply) or op.primitive.kind not in RING or not is_numpy_int(equation.outs[0].type):
        return False
    return any(o.type.dtype == "i8" for o in op.operands)  # of narrower ints 64 bits hold all


def is_power(equation: Equation) -> bool:
    """A power of an int of NumPy's that may overflow."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.kind is not Arithmetic.POW:
        return False
    (out,), exponent = equation.outs, op.operands[1]
    large = exponent.value > 1 if isinstance(exponent, Lit) else exponent.type.dtype in WIDE
    return large and out.type.dtype in WIDE and not (out.type.rank or out.type.weak)


def is_floats(op: Apply) -> bool:
    """Whether the exponent may be beyond 65536, so that Numba computes a float's power."""
    exponent = op.operands[1]
    return exponent.value > 2**16 if isinstance(exponent, Lit) else True


def is_numpy_int(type_: Type) -> bool:
    return (type_.dtype, type_.rank) == I8 and not type_.weak


def wrap_function(f: Function) -> Function:
    inside = list(equations(f.body))
    doubled = DoubledPlaces().of(f) if any(map(may_double, inside)) else set()
    if not doubled and not any(map(risky, inside)):
        return f
    seen, before = Observed(doubled=doubled), -1
    for param in f.params:
        seen.small.update(n for n in param.type.shape if isinstance(n, Var))
    while len(seen.looked_at) != before:
        before = len(seen.looked_at)
        seen.block(f.body, ())
    return replace(f, body=with_equations(f.body, seen.wrapping))


@dataclass(eq=False)
class DoubledPlaces(RangeWalk):
    """A walk that finds ints of Python's that may wrap and become places."""

    def of(self, f: Function) -> set[Atom]:
        self.function(f)
        doubled = self.ranges.doubled
        return doubled & places_made_of(f) if doubled else set()

    def apply(self, equation: Equation, op: Apply) -> list[Equation]:
        return [equation]


def places_made_of(f: Function) -> set[Atom]:
    """What places in arrays are made of."""
    made = definitions(equations(f.body))
    given: dict[Atom, tuple[Atom, Atom]] = {}  # what a loop carries from before an iteration
    waiting: list[Atom] = []
    for each in equations(f.body):
        if isinstance(each.op, For | While):
            given.update(zip(each.op.carried, zip(each.op.init, each.op.body.results)))
        elif isinstance(each.op, Apply) and each.op.primitive.accesses:
            waiting += each.op.operands[each.op.primitive.first_place :]
    found: set[Atom] = set()
    while waiting:
        if (atom := waiting.pop()) in found or not is_scalar_int(atom):
            continue
        found.add(atom)
        waiting += given.get(atom, ())
        equation, k = made.get(atom, (None, 0))
        match equation and equation.op:
            case If(_, then, orelse):
                waiting += then.results[k], orelse.results[k]
            case For() | While() as loop:
                waiting.append(loop.carried[k])
            case Apply(_, operands):
                waiting += operands
    return found


@dataclass(eq=False)
class Observed:
    """What is looked at, not only added up; what is small; places that double."""

    doubled: Set[Atom] = frozenset()
    looked_at: set[Atom] = field(default_factory=set)
    small: set[Atom] = field(default_factory=set)

    def block(self, block: Block, outs: tuple[Var, ...]) -> None:
        """`outs`: what the results become."""
        for equation in block.equations:
            self.sizes(equation)
        self.looked_at.update(r for out, r in zip(outs, block.results) if out in self.looked_at)
        for equation in reversed(block.equations):
            self.equation(equation)

    def sizes(self, equation: Equation) -> None:
        """Sizes and counters, and what a few of them come to."""
        op = equation.op
        for out in equation.outs:
            self.small.update(n for n in out.type.shape if isinstance(n, Var))
        if isinstance(op, For):
            self.small.add(op.index)
        elif isinstance(op, Apply) and (which := SMALL_WHERE.get(op.primitive.kind)) is not None:
            self.small.update(equation.outs if self.all_small(op.operands[which]) else ())

    def at_risk(self, out: Var) -> bool:
        return out in self.looked_at and out not in self.small

    def all_small(self, atoms: tuple[Atom, ...]) -> bool:
        return all(abs(a.value) < SMALL if isinstance(a, Lit) else a in self.small for a in atoms)

    def equation(self, equation: Equation) -> None:
        op = equation.op
        match op:
            case Apply(primitive, operands):
                if primitive.accesses:
                    return
                if primitive.kind in (*RING, *PASSED):
                    operands = operands if any(o in self.looked_at for o in equation.outs) else ()
                self.looked_at.update(o for o in operands if isinstance(o, Var))
            case Call(_, operands):
                self.looked_at.update(o for o in operands if isinstance(o, Var))
            case If(_, then, orelse):
                self.block(then, equation.outs)
                self.block(orelse, equation.outs)
            case For(carried=carried, init=init) | While(carried=carried, init=init):
                again = (c for c, out in zip(carried, equation.outs) if out in self.looked_at)
                self.looked_at.update(again)
                if isinstance(op, While):
                    self.block(op.cond, ())
                self.block(op.body, carried)
                self.looked_at.update(i for c, i in zip(carried, init) if c in self.looked_at)

    def wrapping(self, equation: Equation) -> list[Equation]:
        """What an equation becomes: it, or its `wrapping_` row and the casts of its operands."""
        op = equation.op
        if not isinstance(op, Apply) or not (risky(equation) or not self.doubled.isdisjoint(equation.outs)):
            return [equation]
        if is_power(equation):
            seen = op.operands[1] not in self.small if is_floats(op) else equation.outs[0] in self.looked_at
            return wrapping_power(equation, op) if seen else [equation]
        seen = equation.outs[0] in self.doubled or self.at_risk(equation.outs[0])
        if not seen and not has_large_literal(op):
            return [equation]
        made: list[Equation] = []
        op = replace(op, primitive=ROWS[RING[op.primitive.kind]], operands=widened(op, made))
        return [*made, replace(equation, op=op)]


def widened(op: Apply, made: list[Equation]) -> tuple[Atom, ...]:
    """The operands in 64 bits, those of narrower dtypes by casts, literals as they are."""
    operands = []
    for operand in op.operands:
        if isinstance(operand, Var) and operand.type.dtype != "i8":
            wide = Var(operand.name, Type("i8"))
            made.append(cast_to(operand, wide))
            operand = wide
        elif isinstance(operand, Lit) and operand.type.dtype != "i8":
            operand = Lit(int(operand.value), Type("i8"))
        operands.append(operand)
    return tuple(operands)


def wrapping_power(equation: Equation, op: Apply) -> list[Equation]:
    """A power in 64 bits, cast to the dtype that it has."""
    made: list[Equation] = []
    operands, (out,) = widened(op, made), equation.outs
    wide = out if out.type.dtype == "i8" else Var(out.name, Type("i8"))
    base, exponent = operands
    if isinstance(exponent, Lit) and exponent.value == 2:
        op = replace(op, primitive=ROWS["wrapping_mul"], operands=(base, base))
    else:
        op = replace(op, primitive=ROWS["wrapping_pow"], operands=operands)
    made.append(replace(equation, outs=(wide,), op=op))
    if wide is not out:
        made.append(replace(cast_to(wide, out), span=equation.span))
    return made


def cast_to(given: Atom, out: Var) -> Equation:
    return Equation((out,), Apply(ROWS["cast"], (given,), MappingProxyType({"dtype": out.type.dtype})))


def has_large_literal(op: Apply) -> bool:
    """A sum with a literal that all but surely overflows, which LLVM makes other operations of."""
    return any(isinstance(o, Lit) and abs(o.value) > LARGE for o in op.operands)
