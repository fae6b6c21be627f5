"""Comparisons, logic and tests of floats: no derivative flows through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Lit
from codegen.ir.build import Builder
from codegen.ir.kinds import Logic, Relation, Test, Vector
from codegen.ir.primitive import Primitive
from codegen.primitives.elementwise import elementwise, in_math
from codegen.primitives.row import FUNCTIONS, ROWS

PLAIN = Vector.PLAIN

RELATIONS = np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal
for _kind, _ufunc in zip(Relation, RELATIONS):
    elementwise(_kind.name.lower(), _ufunc, kind=_kind, vector=PLAIN, operator=_kind.value)
for _logic, _ufunc in zip(Logic, (np.logical_and, np.logical_or, np.logical_xor, np.logical_not)):
    _name = _logic.name.lower()
    elementwise(_name, _ufunc, kind=_logic, vector=PLAIN, scalar=None if _name == "xor" else _name)
in_math("isnan", np.isnan, kind=Test.NAN, vector=PLAIN)
in_math("isinf", np.isinf, kind=Test.INF)
in_math("isfinite", np.isfinite, kind=Test.FINITE, vector=PLAIN)
elementwise("signbit", np.signbit)


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
