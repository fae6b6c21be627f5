"""SciPy's BLAS and LAPACK for compiled code, without the package that they are in: load_alone.

Numba asks for them when it is first used and when a product is first computed, by the names of two modules of C. They
need nothing of `scipy.linalg`, whose import takes as long as compiling a small program. When somebody imports that, it
has the two as if they had not been there.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import scipy

PACKAGE = "scipy.linalg"
MODULES = f"{PACKAGE}.cython_blas", f"{PACKAGE}.cython_lapack"


class WholePackage:
    """What is asked first for a module that is imported."""

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name == PACKAGE and cls in sys.meta_path:
            sys.meta_path.remove(cls)
            for each in MODULES:
                sys.modules.pop(each, None)
        return None


def load_alone() -> None:
    """Has Numba find the two modules. Where they are not as expected, it imports the package."""
    if PACKAGE in sys.modules:
        return
    folder = Path(scipy.__file__).parent / "linalg"
    found: dict[str, Any] = {}
    for name in MODULES:
        spec = PathFinder.find_spec(name, [str(folder)])
        if spec is None or spec.loader is None:
            return
        try:
            found[name] = module_from_spec(spec)
            spec.loader.exec_module(found[name])
        except ImportError:
            return
    sys.modules.update(found)
    sys.meta_path.insert(0, WholePackage)
