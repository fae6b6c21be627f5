"""The part of a module that one of its functions needs: closure : (text, name) -> Closure or None.

    import math                             import math
    A = 2.0                                 A = 2.0
    B = 3.0
    def f(x): return A * math.sin(x)   ->   def f(x): return A * math.sin(x)
    def g(x): return B * f(x)

What stands in it stands in the order of the module, without the comments between.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from functools import lru_cache

from codegen.process_cache import forgettable


@dataclass(frozen=True)
class HelperModule:
    """text: a module; defined: its names; used: all names in it, local variables too; raises: whether it does."""

    text: str
    defined: frozenset[str]
    used: frozenset[str]
    raises: bool


@dataclass(frozen=True)
class Statement:
    line: int
    text: str
    used: frozenset[str]
    raises: bool


def closure(text: str, name: str) -> HelperModule | None:
    """None where the module has other statements than imports, definitions and one assignment a name."""
    statements = outline(text)
    if statements is None or name not in statements:
        return None
    found: set[str] = set()
    todo = {name}
    while todo:
        found |= todo
        todo = {used for each in todo for used in statements[each].used if used in statements} - found
    parts = sorted({statements[each] for each in found}, key=lambda part: (part.line, part.text))
    used = frozenset().union(*(part.used for part in parts))
    raises = any(part.raises for part in parts)
    return HelperModule("\n".join(part.text for part in parts), frozenset(found), used, raises)


@forgettable
@lru_cache(maxsize=8)
def outline(text: str) -> dict[str, Statement] | None:
    """The statement that defines each name of a module."""
    lines = text.splitlines(keepends=True)
    found: dict[str, Statement] = {}
    for node in ast.parse(text).body:
        match node:
            case ast.ImportFrom(module="__future__"):
                return None
            case ast.Import(names) | ast.ImportFrom(names=names):
                if not all(
                    add_names(found, node, [imported_name(one)], single_import(node, one)) for one in names
                ):
                    return None
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                first = min(each.lineno for each in (node, *node.decorator_list))
                if not add_names(found, node, [name], "".join(lines[first - 1 : node.end_lineno])):
                    return None
            case ast.Assign(targets=targets):
                parts = [t for each in targets for t in ast.walk(each)]
                stored = [t.id for t in parts if isinstance(t, ast.Name)]
                is_place = any(isinstance(t, ast.Subscript | ast.Attribute) for t in parts)
                statement = "".join(lines[node.lineno - 1 : node.end_lineno])
                if is_place or not add_names(found, node, stored, statement):
                    return None
            case ast.Expr(ast.Constant(str())):
                pass
            case _:
                return None
    return found


def add_names(found: dict[str, Statement], node: ast.stmt, names: list[str], text: str) -> bool:
    """Enter names that have no statement yet; whether none had."""
    parts = list(ast.walk(node))
    used = frozenset(each.id for each in parts if isinstance(each, ast.Name))
    raises = any(isinstance(each, ast.Raise) for each in parts)
    is_new = not found.keys() & set(names)
    found.update(dict.fromkeys(names, Statement(node.lineno, text, used, raises)))
    return is_new


def imported_name(name: ast.alias) -> str:
    return name.asname or name.name.partition(".")[0]


def single_import(node: ast.Import | ast.ImportFrom, name: ast.alias) -> str:
    """An import of one name: modules import what they need at once, each something else."""
    one = copy.copy(node)
    one.names = [name]
    return f"{ast.unparse(one)}\n"
