"""Emitted modules as plain Python: what Numba compiles, run by the interpreter, at once and with every index checked.

Arrays are read and written by index alone in what machines of lanes emit, so that a place too small is an IndexError or
a wrong number here as there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np


def nothing(*given: Any) -> None:
    """What only speaks to the compiler."""


def add_at_once(number: np.ndarray, more: int) -> int:
    before = int(number[0])
    number[0] += more
    return before


# What emitted modules have of Numba's own, by name.
MEANING: dict[str, Callable[..., Any]] = {
    "muladd": lambda x, y, z: x * y + z,
    "fused": lambda x, y, z: x * y + z,
    "rounded": lambda x, y: x * y,
    "highest": np.maximum,
    "lowest": np.minimum,
    "add_at_once": add_at_once,
    **dict.fromkeys(("use_wide_registers", "read_anywhere", "two_vectors_at_once", "rarely_called"), nothing),
}


def njit(*functions: Any, **options: Any) -> Any:
    return functions[0] if functions else lambda function: function


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    return MEANING[function.__name__]


@contextmanager
def plain_numba() -> Iterator[None]:
    """Modules of Numba's names, in place of it."""
    names = ("numba", "numba.extending", "numba.core", "numba.core.compiler")
    saved = {name: sys.modules.get(name) for name in names}
    made = {name: ModuleType(name) for name in names}
    made["numba"].__dict__.update(njit=njit, types=None, config=None, prange=range)
    made["numba.extending"].__dict__.update(intrinsic=intrinsic)
    made["numba.core.compiler"].__dict__.update(Compiler=object)
    sys.modules.update(made)
    try:
        yield
    finally:
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def module(text: str) -> dict[str, Any]:
    """What an emitted module defines."""
    found: dict[str, Any] = {"__name__": "emitted"}
    with plain_numba(), np.errstate(all="ignore"):
        exec(compile(text, "emitted", "exec"), found)
    return found
