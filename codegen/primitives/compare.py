"""Comparisons, logic and tests of floats: no derivative flows through them."""

from __future__ import annotations

import numpy as np

from codegen.primitives.elementwise import elementwise

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
