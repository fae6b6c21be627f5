"""Nodes of libcst that act: children : node -> nodes. A node's own `children` has white space and punctuation too, and
makes copies of what it goes through."""

from __future__ import annotations

from functools import cache

import libcst as cst


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly under `node` that act: no white space, punctuation, annotations."""
    found: list[cst.CSTNode] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        if _is_node(value.__class__):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += [child for child in value if _is_node(child.__class__)]
    return found


@cache
def _is_node(kind: type) -> bool:
    """What isinstance asks anew of each object, of classes that are abstract."""
    return issubclass(kind, cst.CSTNode)


# Fields that begin so hold nothing that runs.
_IDLE = """whitespace leading_lines lines_after_decorators trailing_whitespace newline header footer
lpar rpar lbracket rbracket lbrace rbrace comma semicolon annotation returns type_parameters"""


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = kind.__dataclass_fields__
    return tuple(name for name in names if not name.startswith(tuple(_IDLE.split())))
