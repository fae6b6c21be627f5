"""Methods of NumPy's functions of two numbers: np.subtract.outer, np.maximum.reduce. Running ones are definitions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir.build import Builder
from codegen.primitives.reduce import as_array, reduction_builder
from codegen.primitives.row import FUNCTIONS


def outer_builder(function: Callable[..., Any]) -> Callable[..., Any]:
    """Each element of the one with each of the other: axes of 1 for the other's are put behind the first's. Python's
    numbers are arrays to it."""

    def build(b: Builder, A: Any, B: Any) -> Any:
        first, second = (b.apply("cast", x, dtype=x.type.dtype) for x in (as_array(b, A), as_array(b, B)))
        return function(b, np.reshape(first, (*first.shape, *(1,) * second.ndim)), second)

    return build


for _ufunc in [
    f for f in FUNCTIONS if isinstance(f, np.ufunc) and (f.nin, f.nout, f.signature) == (2, 1, None)
]:
    FUNCTIONS[_ufunc.outer] = outer_builder(FUNCTIONS[_ufunc])
for _name, _ufunc in (
    ("max", np.maximum),
    ("min", np.minimum),
    ("any", np.logical_or),
    ("all", np.logical_and),
):
    FUNCTIONS[_ufunc.reduce] = reduction_builder(_name, 0)
