"""A program that goes wrong -> one of a few lines that goes wrong in the same way.

Statements are deleted, blocks put in place of what is around them, expressions replaced by parts of themselves or by
simpler numbers, keywords and calls left out, as long as the difference stays of the same class.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

from hunt.verdicts import Verdict

SECONDS = 20.0


def shrunk(
    text: str, verdict: Verdict, run: Callable[[str], Verdict], seconds: float = SECONDS
) -> tuple[str, Verdict]:
    """The smallest text found whose verdict is of the same class, and its verdict."""
    end = time.monotonic() + seconds
    best, found = ast.unparse(ast.parse(text)), verdict
    again = True
    while again and time.monotonic() < end:
        again = False
        for candidate in smaller(best):
            if time.monotonic() > end:
                break
            try:
                other = run(candidate)
            except Exception:  # no program
                continue
            if other.kind == "mismatch" and other.what == verdict.what:
                best, found, again = candidate, other, True
                break
    return best, found


def smaller(text: str) -> Iterator[str]:
    """Programs with one thing less, the largest first."""
    tree = ast.parse(text)
    count = sum(1 for _ in ast.walk(tree))
    seen = {text}
    for k in range(count):
        for n in range(30):
            other = copy.deepcopy(tree)
            node = nth(other, k)
            if not changed(other, node, n):
                break
            try:
                made = ast.unparse(ast.fix_missing_locations(other))
            except Exception:
                continue
            if not has_rows(other):
                continue
            if made not in seen and len(made) <= len(text):
                seen.add(made)
                yield made


def has_rows(tree: ast.Module) -> bool:
    """Whether `calls` still gives a list of tuples."""
    listed = [node.value for node in ast.walk(tree.body[-1]) if isinstance(node, ast.Return)]
    rows = listed[-1].elts if listed and isinstance(listed[-1], ast.List) else []
    return bool(rows) and all(isinstance(row, ast.Tuple) for row in rows)


def nth(tree: ast.AST, k: int) -> ast.AST:
    for j, node in enumerate(ast.walk(tree)):
        if j == k:
            return node
    raise IndexError(k)


def changed(tree: ast.AST, node: ast.AST, n: int) -> bool:
    """Do the n-th thing to a node of the tree; False where there is none."""
    return any(n == j and act() is not False for j, act in enumerate(actions(tree, node)))


def actions(tree: ast.AST, node: ast.AST) -> list[Callable[[], Any]]:
    found: list[Callable[[], Any]] = []
    if isinstance(node, ast.Module | ast.FunctionDef | ast.If | ast.For | ast.While):
        for field in ("body", "orelse"):
            listed = getattr(node, field, [])
            for j, statement in enumerate(listed):
                if isinstance(statement, ast.Assign):
                    found.append(lambda listed=listed, j=j: inlined(tree, listed, j))
                if len(listed) > 1 or field == "orelse":
                    found.append(lambda listed=listed, j=j: listed.pop(j))
                if isinstance(statement, ast.If | ast.For | ast.While):
                    for inner in (statement.body, statement.orelse):
                        if inner:
                            found.append(
                                lambda listed=listed, j=j, inner=inner: listed.__setitem__(
                                    slice(j, j + 1), inner
                                )
                            )
    if isinstance(node, ast.Tuple | ast.List) and node.elts:
        for j in range(len(node.elts)):
            found.append(lambda j=j: node.elts.pop(j))
    if isinstance(node, ast.Call):
        found += [lambda j=j: node.keywords.pop(j) for j in range(len(node.keywords))]
        if len(node.args) > 1:
            found += [lambda j=j: node.args.pop(j) for j in range(len(node.args))]
    if isinstance(node, ast.FunctionDef) and node.args.args and node.name == "f":
        found += [lambda j=j: without_parameter(tree, node, j) for j in range(len(node.args.args))]
    if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr) and not is_module(c)]
        found += [lambda c=c: replaced(tree, node, c) for c in children]
        if (
            isinstance(node, ast.Constant)
            and type(node.value) in (int, float)
            and node.value not in (0, 1, 2)
        ):
            found += [lambda v=v: replaced(tree, node, ast.Constant(v)) for v in (1, 2)]
    return found


def is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "math", "sp", "functools")


def inlined(tree: ast.AST, listed: list[ast.stmt], j: int) -> bool:
    """Put an assigned expression where its name is read."""
    statement = listed[j]
    assert isinstance(statement, ast.Assign)
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return False
    listed.pop(j)
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load):
            replaced(tree, node, copy.deepcopy(statement.value))
    return bool(listed)


def without_parameter(tree: ast.AST, f: ast.FunctionDef, j: int) -> bool:
    """Leave out a parameter, and its place in all calls."""
    f.args.args.pop(j)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "calls":
            for each in ast.walk(node):
                if isinstance(each, ast.Return) and isinstance(each.value, ast.List):
                    for row in each.value.elts:
                        if not isinstance(row, ast.Tuple) or len(row.elts) <= j:
                            return False
                        row.elts.pop(j)
    return True


def replaced(tree: ast.AST, node: ast.AST, by: ast.AST) -> bool:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, by)
                return True
            if isinstance(value, list) and any(each is node for each in value):
                setattr(parent, field, [by if each is node else each for each in value])
                return True
    return False
