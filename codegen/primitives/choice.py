"""Comparisons, logic and tests of floats, through which no derivative flows; and one of two values, element by element:
np.where, and np.clip, which chooses the nearer bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Atom, Lit, Type
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Choice, Logic, Relation, Test, Vector
from codegen.ir.literals import limits
from codegen.ir.primitive import LINEAR, Primitive
from codegen.primitives.elementwise import broadcast_shape, elementwise, in_math, result_dtype
from codegen.primitives.index import mask_axes
from codegen.primitives.row import FUNCTIONS, ROWS, lowers, row
from codegen.primitives.shape import common_dtype

PLAIN = Vector.PLAIN

RELATIONS = "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"
for _kind, _name in zip(Relation, RELATIONS):
    elementwise(_kind.name.lower(), getattr(np, _name), kind=_kind, vector=PLAIN, operator=_kind.value)
for _logic in Logic:
    _name = _logic.name.lower()
    _scalar = None if _name == "xor" else _name
    elementwise(_name, getattr(np, f"logical_{_name}"), kind=_logic, vector=PLAIN, scalar=_scalar)
in_math("isnan", np.isnan, kind=Test.NAN, vector=PLAIN)
in_math("isinf", np.isinf, kind=Test.INF, vector=Vector.PLAIN)
in_math("isfinite", np.isfinite, kind=Test.FINITE, vector=PLAIN)
elementwise("signbit", np.signbit, device="is_signed")


def of_truths(rule: Primitive) -> Callable[..., Any]:
    """A logical operation of numbers, of which all but 0 are true: the rows themselves are of bools."""

    def build(b: Builder, *operands: Any) -> Any:
        atoms = [b.atom(x) for x in operands]
        bools = [
            a if a.type.dtype == "b1" else np.bool_(a.value) if isinstance(a, Lit) else b.apply("ne", a, 0)
            for a in atoms
        ]
        return b.apply(rule, *bools)

    return build


for _logic in Logic:
    rule = ROWS[_logic.name.lower()]
    FUNCTIONS[rule.numpy] = of_truths(rule)


def select_type(test: Atom, x: Atom, y: Atom) -> Type:
    if test.type.dtype != "b1":
        raise TypeError(f"the condition of where must be bool, not {test.type}")
    shape = broadcast_shape((test, x, y))
    dtype = result_dtype(np.add, (x, y)) if "b1" not in (x.type.dtype, y.type.dtype) else "b1"
    if x.type.dtype != y.type.dtype and dtype == "b1":
        dtype = x.type.dtype if y.type.dtype == "b1" else y.type.dtype
    return Type(dtype, shape, not shape and x.type.weak and y.type.weak)


# fmt: off
row("select", np.where, select_type, "elementwise", kind=Choice.SELECT, vector=Vector.PLAIN, call="np.where",
    jvp=LINEAR, linear=(1, 2), transpose={1: lambda ct, test, x, y: np.where(test, ct, 0.0),
                                          2: lambda ct, test, x, y: np.where(test, 0.0, ct)})
# fmt: on


@lowers(np.where)
def where(b: Builder, condition: Any, x: Any = None, y: Any = None) -> Any:
    """Of numbers too; a condition that is no bool holds where it is not 0. Of a condition alone: the places."""
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    test, x, y = (FUNCTIONS[np.array](b, v) if isinstance(v, tuple | list) else v for v in (condition, x, y))
    if b.atom(test).type.dtype != "b1":
        test = b.apply("ne", test, 0)
    if x is None:
        if not b.atom(test).type.rank:
            raise ValueError(
                "where of a number alone is not defined: use np.atleast_1d(scalar).nonzero() instead"
            )
        return mask_axes(b, b.wrap(b.atom(test)))
    return b.apply("select", test, x, y)


@lowers(np.clip)
def clip(b: Builder, a: Any, a_min: Any = ..., a_max: Any = ..., min: Any = ..., max: Any = ...) -> Any:
    """Bounds under either pair of NumPy's names; the upper one wins. A Python int beyond the dtype is no bound."""
    old, new = (a_min, a_max), (min, max)
    low: Any
    high: Any
    if any(bound is not ... for bound in old) and any(bound is not ... for bound in new):
        raise ValueError("clip: give a_min and a_max or min and max, not both")
    if sum(bound is ... for bound in old) == 1:
        raise TypeError("clip() takes a_min and a_max together: None is no bound")
    low, high = ((None if bound is ... else bound) for bound in (old if a_min is not ... else new))
    x, low, high = (FUNCTIONS[np.array](b, v) if isinstance(v, tuple | list) else v for v in (a, low, high))
    type_ = b.atom(x).type
    if type_.weak:
        x = b.apply("cast", x, dtype=type_.dtype)
    if type_.dtype[0] in "iu":
        least, most = limits(type_.dtype)
        low = None if is_plain_int(low) and low <= least else clip_bound(b, "maximum", low, least)
        high = None if is_plain_int(high) and high >= most else clip_bound(b, "minimum", high, most)
    if low is not None and high is not None:
        dtype = common_dtype(tuple(map(b.atom, (x, low, high))))
        x = b.apply("cast", x, dtype=dtype) if dtype != type_.dtype else x
    if low is not None:
        x = b.apply("maximum", x, low)
    return x if high is None else b.apply("minimum", x, high)


@lowers(np.select)
def select(b: Builder, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    made = default
    for test, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        if b.atom(test).type.dtype != "b1":
            raise TypeError("select: the conditions must be bools")
        made = where(b, test, choice, made)
    return made


def is_plain_int(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def clip_bound(b: Builder, name: str, bound: Any, limit: int) -> Any:
    """A bound that is Python's int at run time, not beyond what the array's dtype has on this side."""
    type_ = b.atom(bound).type if isinstance(bound, E) else None
    if type_ is None or not type_.weak or type_.dtype != "i8" or abs(limit) >= 2**63 - 1:
        return bound
    return b.apply(name, bound, limit)
