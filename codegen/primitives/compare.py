"""Comparisons, logic and tests of floats: no derivative flows through them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from codegen.ir import Lit
from codegen.ir.build import Builder
from codegen.ir.kinds import Logic, Relation, Test, Vector
from codegen.ir.primitive import Primitive
from codegen.primitives.elementwise import elementwise
from codegen.primitives.row import FUNCTIONS, ROWS

PLAIN = Vector.PLAIN

# fmt: off
elementwise("eq", np.equal, kind=Relation.EQ, vector=PLAIN, operator="==", jvp=(None, None))
elementwise("ne", np.not_equal, kind=Relation.NE, vector=PLAIN, operator="!=", jvp=(None, None))
elementwise("lt", np.less, kind=Relation.LT, vector=PLAIN, operator="<", jvp=(None, None))
elementwise("le", np.less_equal, kind=Relation.LE, vector=PLAIN, operator="<=", jvp=(None, None))
elementwise("gt", np.greater, kind=Relation.GT, vector=PLAIN, operator=">", jvp=(None, None))
elementwise("ge", np.greater_equal, kind=Relation.GE, vector=PLAIN, operator=">=", jvp=(None, None))
elementwise("and", np.logical_and, kind=Logic.AND, vector=PLAIN, call="np.logical_and", scalar="and",
            jvp=(None, None))
elementwise("or", np.logical_or, kind=Logic.OR, vector=PLAIN, call="np.logical_or", scalar="or",
            jvp=(None, None))
elementwise("xor", np.logical_xor, kind=Logic.XOR, vector=PLAIN, call="np.logical_xor", jvp=(None, None))
elementwise("not", np.logical_not, kind=Logic.NOT, vector=PLAIN, call="np.logical_not", scalar="not",
            jvp=(None,))
elementwise("isnan", np.isnan, kind=Test.NAN, vector=PLAIN, call="np.isnan", scalar="math.isnan", jvp=(None,))
elementwise("isinf", np.isinf, kind=Test.INF, call="np.isinf", scalar="math.isinf", jvp=(None,))
elementwise("isfinite", np.isfinite, kind=Test.FINITE, vector=PLAIN,
            call="np.isfinite", scalar="math.isfinite", jvp=(None,))
elementwise("signbit", np.signbit, call="np.signbit", jvp=(None,))
# fmt: on


def of_truths(b: Builder, rule: Primitive, *operands: Any) -> Any:
    """A logical operation of numbers, of which all but 0 are true: the rows themselves are of bools."""
    atoms = [b.atom(x) for x in operands]
    bools = [
        a if a.type.dtype == "b1" else np.bool_(a.value) if isinstance(a, Lit) else b.apply("ne", a, 0)
        for a in atoms
    ]
    return b.apply(rule, *bools)


for _name in ("and", "or", "xor", "not"):
    FUNCTIONS[ROWS[_name].numpy] = functools.partial(
        lambda rule, b, *operands: of_truths(b, rule, *operands), ROWS[_name]
    )
