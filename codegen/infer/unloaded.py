"""Functions of a file that was read and not run: known by their trees and by what their names stand for.

f = ReadFunction("f", define, names.__getitem__)
trace(f, (Type("f8"),))                     as for a live function, which is never made
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.read.tree import Define
from codegen.source import Span, refuse

LIBRARIES = (
    "numpy", "scipy", "numba", "math", "cmath", "functools", "itertools", "operator", "collections", "contextlib",
    "typing", "warnings", "builtins",
)  # fmt: skip
OWN = ("codegen", "autodiff", "autobatch")


class Unread(KeyError):
    """Raised for a global name that stands for something which cannot be told without running the file."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, eq=False)
class ReadFunction:
    """`globals` gives the object of a global name: KeyError where there is none, Unread where it is unknown.

    `defaults`: the values of the parameters' defaults, an Unread in place of those that are unknown.
    """

    name: str
    define: Define
    globals: Callable[[str], Any]
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        return self.name


def imported(name: str, path: str) -> Any:
    """What an import of a numerical library (or of this distribution) gives."""
    first = path.split(".")[0]
    if first not in (*LIBRARIES, *OWN) and first not in sys.modules:
        raise Unread(
            f"{name!r} is imported from {path.rpartition('.')[0] or path!r}, which is not read: "
            f"define it in this file, or pass it as an argument"
        )
    found: Any = importlib.import_module(first)
    done = first
    for word in path.split(".")[1:]:
        done = f"{done}.{word}"
        if not hasattr(found, word):
            try:
                importlib.import_module(done)
            except ImportError:
                raise Unread(f"{name!r}: there is no {done}") from None
        found = getattr(found, word)
    return found


def object_at(path: str, span: Span) -> Any:
    """What an import inside a function gives; SourceError for modules that would have to be run for it."""
    try:
        return imported(path.rpartition(".")[2], path)
    except Unread as error:
        raise refuse(span, f"{error}, or import it at the top of the module") from None
