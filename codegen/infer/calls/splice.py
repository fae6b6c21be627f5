"""Functions under other names, so that the functions of one program can join another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from codegen.ir import Function
from codegen.ir.traversal import recalled


def renamed(function: Function, names: Mapping[str, str]) -> Function:
    """A function whose Calls go to other names, under its own other name."""
    same = all(old == new for old, new in names.items())
    body = function.body if same else recalled(function.body, names)
    return replace(function, name=names[function.name], body=body)
