"""Modules that run when something of them is first asked for: lazily : name -> module.

    numba = lazily("numba")        costs nothing until numba.njit(...)

For what takes long and few programs need. An import cannot fail later than it is used, so this is for modules that
installing brings along. (SPEC 1 of scientific-python.org, "Lazy loading of submodules and functions".)
"""

from __future__ import annotations

import importlib
from typing import Any


class LazyModule:
    """The module of this name, run at the first attribute."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


def lazily(name: str) -> Any:
    """The module `name` (with its packages: "codegen.read.function"). Errors of importing it are raised at its use."""
    return LazyModule(name)
