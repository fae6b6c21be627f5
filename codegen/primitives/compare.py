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
