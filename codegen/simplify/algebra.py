"""Rules that replace one primitive by something simpler of the same value, by primitive.

    x + 0.0    1.0 * x    x - -y    -x * y    where(t, x, x)    not (x == y)    (i + 2) - 1
       x          x        x + y    -(x * y)        x              x != y          i + 1

A rule `(scope, type, *operands, **params)` gives an atom, another Apply, or None where it does not hold;
`scope` knows what made an operand and builds what a rule needs besides (see value_numbering.py). Float values are
kept exactly, no sum is reordered, and ints wrap in the dtype they were computed in. In derivatives alone
`x + 0.0` is taken to be x where x may be -0.0. (Sums of cotangents begin with a zero; to keep that addition
would cost one in every loop.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from codegen.analysis.affine import offset_of
from codegen.ir import Apply, Atom, Dim, Lit, Type, Var
from codegen.ir.kinds import Arithmetic, Logic, Made, Relation
from codegen.ir.literals import literal, size_atom
from codegen.primitives import ROWS
from codegen.simplify.value_numbering import RULES, Result, Rule, Scope, rule


def make(name: str, *operands: Atom, **params: Any) -> Apply:
    return Apply(ROWS[name], operands, params)


def constant(s: Scope, atom: Atom) -> Any:
    """The number an atom is, or is filled with; None if that is not known."""
    if (filled := s.made(atom, Made.FULL)) is not None:
        atom = filled.operands[0]
    return atom.value if isinstance(atom, Lit) and not isinstance(atom.value, bool) else None


@rule("copy")
def copy_of_new(s: Scope, type_: Type, x: Atom) -> Result:
    """An array that was just made, for this alone."""
    return x if type_.rank and s.once(x) and s.made(x, Made.FULL, Made.EMPTY, Made.RANGE) else None


def dims(shape: tuple[Dim, ...]) -> tuple[Atom, ...]:
    """A shape as operands."""
    return tuple(map(size_atom, shape))


def integer(*atoms: Atom) -> bool:
    return all(a.type.dtype == "i8" and not a.type.rank for a in atoms)


def literal_of(value: Any, type_: Type) -> Lit:
    """A literal of `type_`'s dtype."""
    return Lit(np.dtype(type_.dtype).type(value).item(), Type(type_.dtype, (), type_.weak))


def wrapped(value: int) -> int:
    """An int as 64 bits hold it."""
    return (value + 2**63) % 2**64 - 2**63


# ---- arithmetic ----


@rule("add")
def add(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    for a, b in ((x, y), (y, x)):
        if superfluous(s, constant(s, a), type_, -1.0):
            is_index = b.type.weak and not type_.weak and b.type.dtype == type_.dtype == "i8"
            return make("cast", b, dtype="i8") if is_index else b
    for a, b in ((x, y), (y, x)):
        if (negated := negative(s, b, type_)) is not None:
            return make("sub", a, negated)
    if x is not y and (multiple := negative_multiple(s, y, type_)) is not None:
        return make("sub", x, multiple)
    if not isinstance(y, Lit) and x is not y and (multiple := negative_multiple(s, x, type_)) is not None:
        return make("sub", y, multiple)
    if isinstance(y, Lit) and y.type.dtype == type_.dtype in ("i8", "f8", "f4") and -(2**63) < y.value < 0:
        return make("sub", x, Lit(-y.value, y.type))
    return sum_with_offset(s, x, y, 1)


@rule("sub")
def sub(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    if superfluous(s, constant(s, y), type_, 1.0):
        return x
    if constant(s, x) == 0 and y.type.dtype == type_.dtype and not type_.is_float:
        return make("neg", y)
    if (negated := negative(s, y, type_) or negative_multiple(s, y, type_)) is not None:
        return make("add", x, negated)
    if integer(x, y):
        (left, a), (right, b) = offset(s, x), offset(s, y)
        if left is right:
            return literal_of(wrapped(a - b), type_)
    return sum_with_offset(s, x, y, -1)


def superfluous(s: Scope, c: Any, type_: Type, sign: float) -> bool:
    """Does adding (or subtracting) c leave everything as it is? Of floats only the zero of this sign does."""
    if c is None or c != 0:
        return False
    return not (type_.is_float and s.signed) or math.copysign(1.0, c) == sign


def negative(s: Scope, atom: Atom, type_: Type) -> Atom | None:
    """What an atom is the negative of, in the arithmetic of `type_`: narrower ints wrap by themselves."""
    made = s.made(atom, Arithmetic.NEG)
    if made is None or not (atom.type.is_float or atom.type.dtype == type_.dtype):
        return None
    return made.operands[0]


def negative_multiple(s: Scope, atom: Atom, type_: Type) -> Atom | None:
    """c * v or c / v for a float that is -c * v or -c / v, c > 0, and that nothing else reads under a name."""
    made = s.made(atom, Arithmetic.MUL, Arithmetic.DIV)
    if not isinstance(atom, Var) or made is None or not s.once(atom) or atom.type.dtype != type_.dtype:
        return None
    if not type_.is_float or atom.name not in ("t", "t_bar", "t_dot"):
        return None
    c, v = made.operands
    if not isinstance(c, Lit) or not c.value < 0.0 or isinstance(v, Lit):
        return None
    return s.emit(made.primitive.name, Lit(-c.value, c.type), v)


def offset(s: Scope, atom: Atom) -> tuple[Atom | None, int]:
    """An int as (base, constant): i + 2 is (i, 2); a literal has no base."""
    if isinstance(atom, Lit):
        return None, atom.value
    if (made := s.made(atom, Arithmetic.ADD, Arithmetic.SUB)) and integer(*made.operands):
        return offset_of(made) or (atom, 0)
    return atom, 0


def sum_with_offset(s: Scope, x: Atom, y: Atom, sign: int) -> Result:
    """(i + c) + d as i + (c + d), for ints."""
    if not (integer(x, y) and isinstance(y, Lit)):
        return None
    base, c = offset(s, x)
    if base is None or base is x:
        return None
    total = wrapped(c + sign * y.value)
    if total in (0, -(2**63)):
        return make("add", base, literal(total)) if total else base
    return make("add", base, literal(total)) if total > 0 else make("sub", base, literal(-total))


@rule("mul")
def mul(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    for a, b in ((x, y), (y, x)):
        c = constant(s, a)
        if c == 1:
            return b
        if c == -1 and b.type.dtype == type_.dtype:
            return make("neg", b)
        if c == 0 and type_.dtype[0] in "iu" and not type_.rank:
            return literal_of(0, type_)
    return signs(s, "mul", type_, x, y)


@rule("div")
def div(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    c = constant(s, y)
    if c == 1:
        return x
    if c == -1 and x.type.dtype == type_.dtype:
        return make("neg", x)
    return signs(s, "div", type_, x, y)


def signs(s: Scope, name: str, type_: Type, x: Atom, y: Atom) -> Result:
    """-a * b as -(a * b): a sign outside can meet a sum, which takes it up."""
    left, right = negative(s, x, type_), negative(s, y, type_)
    if left is not None and right is not None:
        return make(name, left, right)
    if left is not None and s.once(x):
        return make("neg", s.emit(name, left, y))
    if right is not None and s.once(y):
        return make("neg", s.emit(name, x, right))
    return None


def involution(name: str) -> Rule:
    def apply(s: Scope, type_: Type, x: Atom) -> Result:
        twice = s.made(x, ROWS[name].kind)
        return twice.operands[0] if twice else None

    return apply


for _name in ("neg", "not", "invert"):
    rule(_name)(involution(_name))


@rule("not")
def equality(s: Scope, type_: Type, x: Atom) -> Result:
    """not (x == y) is x != y, for NaN too; the orderings have no such opposite."""
    made = s.made(x, Relation.EQ, Relation.NE)
    return make("ne" if made.primitive.kind is Relation.EQ else "eq", *made.operands) if made else None


@rule("pow")
def first_power(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    return x if constant(s, y) == 1 else None


# ---- logic ----


def conjunction(absorbing: bool) -> Rule:
    """x and False, x or True give the literal; x and True, x or False give x."""

    def apply(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
        if type_.dtype != "b1":
            return None
        if x is y:
            return x
        for a, b in ((x, y), (y, x)):
            if isinstance(a, Lit) and a.type.dtype == "b1":
                made = a if a.value is absorbing else b
                return made if made.type.shape == type_.shape else None
        return None

    return apply


for _name in ("and", "bitand"):
    RULES[ROWS[_name]] = [conjunction(False)]
for _name in ("or", "bitor"):
    RULES[ROWS[_name]] = [conjunction(True)]

REFLEXIVE = (Relation.EQ, Relation.LE, Relation.GE)


def comparison(relation: Relation) -> Rule:
    def apply(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
        if not integer(x, y):
            return None
        (left, a), (right, b) = offset(s, x), offset(s, y)
        if left is right and (a == b or relation in (Relation.EQ, Relation.NE)):
            return literal(relation in REFLEXIVE if a == b else relation is Relation.NE)
        for each, n, c in ((relation, x, y), (relation.swapped, y, x)):
            limit = (
                0 if each in (Relation.GE, Relation.LT) else -1
            )  # of c, for it to be known against any n >= 0
            if isinstance(c, Lit) and c.value <= limit and s.nonnegative(n):
                return literal(each in (Relation.GE, Relation.GT, Relation.NE))
        return None

    return apply


for _row in ROWS.values():
    if isinstance(_row.kind, Relation):
        rule(_row.name)(comparison(_row.kind))


@rule("ne")
def truth_of_bool(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    """x != False is x: np.any and np.all of one element."""
    both = x.type.dtype == y.type.dtype == "b1" and x.type.shape == type_.shape
    return x if both and isinstance(y, Lit) and not y.value else None


@rule("maximum", "minimum", "larger", "smaller")
def extreme(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    return x if x is y else None


@rule("maximum")
def maximum_of_size(s: Scope, type_: Type, x: Atom, y: Atom) -> Result:
    """max(n, 0) of what is never negative, such as a size."""
    for a, b in ((x, y), (y, x)):
        if isinstance(b, Lit) and integer(a, b) and b.value <= 0 and s.nonnegative(a):
            return a
    return None


@rule("select")
def select(s: Scope, type_: Type, test: Atom, x: Atom, y: Atom) -> Result:
    if x is y:
        return x
    if isinstance(test, Lit):
        return x if test.value else y
    if isinstance(x, Lit) and isinstance(y, Lit) and type_.dtype == "b1" and x.value is not y.value:
        return test if x.value else make("not", test)
    if same_constant(x, y) or integer(x, y) and equal_unless(s, test, x, y):
        return x
    negated = s.made(test, Logic.NOT)
    return make("select", negated.operands[0], y, x) if negated else None


def equal_unless(s: Scope, test: Atom, x: Atom, y: Atom) -> bool:
    """Has a check found that x == y where `test` does not hold? As of a size n that is 1 or 4: n == 1 ? 4 : n."""
    same = s.known("eq", x, y)
    either = None if same is None else s.known("or", same, test)
    known = None if either is None else s.atom(either)
    return isinstance(known, Lit) and bool(known.value)


def same_constant(x: Atom, y: Atom) -> bool:
    """Are both literals, of one dtype and spelling (0.0 is not -0.0, nan is nan)?"""
    if not (isinstance(x, Lit) and isinstance(y, Lit)):
        return False
    return repr(x.value) == repr(y.value) and x.type.dtype == y.type.dtype
