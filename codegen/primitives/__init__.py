"""The primitives: one row each, in files by family. `ROWS` has them by name, `FUNCTIONS` says what calls build."""

import importlib
import pkgutil

from codegen.ir.primitive import LINEAR, Linear, Primitive
from codegen.primitives.row import FUNCTIONS, ROWS

for _family in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_family.name}")  # which enters its rows

__all__ = ["FUNCTIONS", "LINEAR", "ROWS", "Linear", "Primitive"]
