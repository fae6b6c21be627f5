"""Python text cut into its outermost statements.

segments("import math\\n\\n\\nA = 1\\nB = 2\\n")          Piece("A = 1"), Piece("B = 2", close=True)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from codegen.emit.module import EmittedModule


@dataclass(frozen=True)
class Piece:
    """A statement with the comments above it. `close`: no empty line parts it from the one before."""

    text: str
    close: bool = False


def segments(text: str) -> Iterator[Piece]:
    """The statements at the outermost level of a text; imports and docstring left out."""
    lines = text.splitlines()
    end = 0
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            whole = "\n".join(lines[end : node.end_lineno])
            yield Piece(whole.strip("\n"), close=not whole.startswith("\n") and first > 1 and end > 0)
        end = node.end_lineno or end


def pieces_in(module: EmittedModule) -> list[Piece]:
    """Those of both sections."""
    return [*segments(module.own), *segments(module.called)]


def merge_pieces(pieces: Iterable[Piece]) -> list[str]:
    """Each text once, close ones together."""
    found: list[str] = []
    before = None
    seen: set[str] = set()
    for piece in pieces:
        if piece.text not in seen:
            seen.add(piece.text)
            if piece.close and before in seen and found:
                found[-1] += f"\n{piece.text}"
            else:
                found.append(piece.text)
        before = piece.text
    return found


def import_lines(text: str) -> Iterator[str]:
    """The import statements of a text, one for each name."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                said = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
                start = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                yield f"{start}import {said}"


def bound_by(line: str) -> str:
    """The name that an import line binds.

    >>> bound_by("import numpy as np"), bound_by("import scipy.special"), bound_by("from numba import njit")
    ('np', 'scipy', 'njit')
    """
    words = line.split()
    return words[-1] if "as" in words else words[-1].split(".")[0]


def path_of(line: str) -> str:
    """The dotted path of what it binds.

    >>> path_of("import numpy as np"), path_of("import scipy.special"), path_of("from numba import njit")
    ('numpy', 'scipy', 'numba.njit')
    """
    words = line.split()
    if words[0] == "from":
        return f"{words[1]}.{words[3]}"
    return words[1] if "as" in words else words[1].split(".")[0]


def is_foreign(line: str) -> bool:
    """Whether an import line is of no module of Python's own.

    >>> is_foreign("import numpy as np"), is_foreign("import os.path"), is_foreign("from math import pi")
    (True, False, False)
    """
    return line.split()[1].split(".")[0] not in sys.stdlib_module_names


def with_name(line: str, name: str) -> str:
    """The import line binding another name.

    >>> with_name("import numpy as np", "_np"), with_name("import scipy.special", "_scipy")
    ('import numpy as _np', 'import scipy as _scipy')
    """
    start = line.split(" as ")[0]
    return f"{start} as {name}" if start.startswith("from ") else f"import {path_of(line)} as {name}"


def defined(pieces: Iterable[Piece]) -> Iterator[str]:
    """Names that statements at the outermost level bind."""
    for piece in pieces:
        for node in ast.parse(piece.text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
            for each in ast.walk(node) if isinstance(node, ast.Assign | ast.AnnAssign) else ():
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    yield each.id
