"""The primitives: one row each, in files by family. `ROWS` has them by name, `FUNCTIONS` says what calls build."""

from codegen.ir.primitive import LINEAR, Linear, Primitive
from codegen.primitives import (  # noqa: F401  (importing a family enters its rows)
    compare,
    effects,
    elementwise,
    index,
    linalg,
    python_math,
    random,
    reduce,
    shape,
    special,
)
from codegen.primitives.row import FUNCTIONS, ROWS

__all__ = ["FUNCTIONS", "LINEAR", "ROWS", "Linear", "Primitive"]
