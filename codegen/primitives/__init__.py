"""The primitives: one row each, in files by family. `ROWS` has them by name, `FUNCTIONS` says what calls build."""

from codegen.ir.primitive import LINEAR, Linear, Primitive
from codegen.primitives import (  # noqa: F401  (importing a family enters its rows)
    choice,
    compare,
    creation,
    effects,
    elementwise,
    index,
    joining,
    linalg,
    python_math,
    random,
    reduce,
    reshaping,
    shape,
    special,
    statistics,
    subscripts,
)
from codegen.primitives.row import FUNCTIONS, ROWS

__all__ = ["FUNCTIONS", "LINEAR", "ROWS", "Linear", "Primitive"]
