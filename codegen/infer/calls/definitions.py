"""Calls of functions that are written in our own language (codegen/definitions): read as a user's function is, at the
place of the call, and their equations put there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.definitions.table import refused
from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.frame import Frame
from codegen.infer.values import Static, Value
from codegen.ir import Lit
from codegen.ir.build import Builder
from codegen.primitives.row import lowers
from codegen.primitives.signatures import for_definition
from codegen.source import Span, refusing


def arguments_of(
    frame: Frame,
    obj: Any,
    name: str,
    definition: Callable[..., Any],
    arguments: Arguments,
    keywords: Keywords,
    span: Span,
) -> Keywords:
    """What the definition is given, by name. What the library's function takes besides is refused by name."""

    def plain(value: Value) -> Any:
        return value.value if isinstance(value, Static | Lit) else value

    with refusing(span):
        return for_definition(obj, name, definition, arguments, keywords, plain)


@lowers(refused)
def refuse(b: Builder, message: str) -> None:
    """Said where the definition is read."""
    refused(message)
