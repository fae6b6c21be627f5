"""Comparisons, logic and tests of floats: no derivative flows through them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from codegen.ir import Lit
from codegen.ir.build import Builder
from codegen.ir.primitive import Primitive
from codegen.primitives.elementwise import elementwise
from codegen.primitives.row import FUNCTIONS, ROWS

# fmt: off
elementwise("eq", np.equal, operator="==", jvp=(None, None))
elementwise("ne", np.not_equal, operator="!=", jvp=(None, None))
elementwise("lt", np.less, operator="<", jvp=(None, None))
elementwise("le", np.less_equal, operator="<=", jvp=(None, None))
elementwise("gt", np.greater, operator=">", jvp=(None, None))
elementwise("ge", np.greater_equal, operator=">=", jvp=(None, None))
elementwise("and", np.logical_and, call="np.logical_and", scalar="and", jvp=(None, None))
elementwise("or", np.logical_or, call="np.logical_or", scalar="or", jvp=(None, None))
elementwise("xor", np.logical_xor, call="np.logical_xor", jvp=(None, None))
elementwise("not", np.logical_not, call="np.logical_not", scalar="not", jvp=(None,))
elementwise("isnan", np.isnan, call="np.isnan", scalar="math.isnan", jvp=(None,))
elementwise("isinf", np.isinf, call="np.isinf", scalar="math.isinf", jvp=(None,))
elementwise("isfinite", np.isfinite, call="np.isfinite", scalar="math.isfinite", jvp=(None,))
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
