"""Regions with other values, statements or memories: rewritten(region, value=...), innermost first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

from autobatch.kernel.ir import Address, Frame, Memory, Region, Stmt, Value

VALUES, STATEMENTS = get_args(Value), get_args(Stmt)
NODES = (*VALUES, *STATEMENTS, Address, Frame)
KEPT = ("op", "type", "span", "equation")  # fields of the program's own


def same(node: Any) -> Any:
    return node


def rewritten(
    node: Any,
    *,
    value: Callable[[Any], Value] = same,
    statement: Callable[[Any], Stmt | Region] = same,
    memory: Callable[[Memory], Memory] = same,
) -> Any:
    """A node, or several; `statement` gives a statement or several for one."""
    if isinstance(node, Memory):
        return memory(node)
    if isinstance(node, tuple):
        found: list[Any] = []
        for each in node:
            made = rewritten(each, value=value, statement=statement, memory=memory)
            found += made if isinstance(made, tuple) and isinstance(each, STATEMENTS) else [made]
        return tuple(found)
    if isinstance(node, NODES) and is_dataclass(node):
        before = {f.name: getattr(node, f.name) for f in fields(node) if f.name not in KEPT}
        after = {
            name: rewritten(each, value=value, statement=statement, memory=memory)
            for name, each in before.items()
        }
        if any(after[name] != before[name] for name in after):
            node = replace(node, **after)  # type: ignore[type-var]
    if isinstance(node, VALUES):
        return value(node)
    return statement(node) if isinstance(node, STATEMENTS) else node
