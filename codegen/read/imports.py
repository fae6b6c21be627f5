"""Imports: which names they bind, and the dotted paths of what these stand for.

import numpy.linalg, math as m       numpy: numpy, m: math
from scipy.special import expit      expit: scipy.special.expit
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst.helpers import get_full_name_for_node


def import_paths(node: cst.CSTNode) -> Iterator[tuple[str, str, cst.ImportAlias]]:
    """(name, dotted path, alias) for what an import binds; `from m import *` gives none."""
    match node:
        case cst.Import():
            for alias in node.names:
                path = alias.evaluated_name
                name = alias.evaluated_alias
                yield (name, path, alias) if name else (path.split(".")[0], path.split(".")[0], alias)
        case cst.ImportFrom(names=[*aliases]):
            start = import_origin(node)
            for alias in aliases:
                joint = "" if start.endswith(".") else "."
                name = alias.evaluated_alias or alias.evaluated_name
                yield name, f"{start}{joint}{alias.evaluated_name}", alias


def import_origin(node: cst.ImportFrom) -> str:
    """The module that `from ... import` names, with the dots of a relative one."""
    name = get_full_name_for_node(node.module) if node.module else ""
    return "." * len(node.relative) + (name or "")
