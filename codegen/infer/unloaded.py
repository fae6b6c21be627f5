"""Functions of a file that was read and not run: known by their trees and by what their names stand for.

f = ReadFunction("f", define, names.__getitem__)
trace(f, (Type("f8"),))                     as for a live function, which is never made
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.read.tree import Define


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
