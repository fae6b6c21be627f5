"""Where LLVM asks whether arrays of an inner loop overlap: are_inside : function -> bool.

    for i in range(k + 1, n):
        for j in range(k + 1, n):
            U[i, j] -= U[i, k] * U[k, j]

LLVM makes vectors of the inner loop, and asks whether what it writes may be what it reads: before it, or once before
the outer one, of all iterations together. Once is cheaper where inner loops are short. But in all iterations rows of
one array do overlap, and of a loop that goes down LLVM takes it that they do, so that the vectors never run: then it is
to ask inside. (An elimination of 200 x 200 takes 2.6 times as long otherwise.)
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from textwrap import dedent
from types import FunctionType

Key = tuple[str | None, ...]


def are_inside(function: FunctionType) -> bool:
    """Whether a function has such loops, by its text; False where there is none."""
    text = lines_of(function)
    if text.count("for ") < 2:
        return False
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a part of a line
        return False
    return any(overlaps(outer, inner) for outer, inner in nests(tree, None))


def lines_of(function: FunctionType) -> str:
    code = function.__code__
    last = max(line for *_, line in code.co_lines() if line)
    return dedent("".join(linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : last]))


def nests(tree: ast.AST, around: ast.For | None) -> Iterator[tuple[ast.For, ast.For]]:
    """The innermost loops over ranges, each with the one that it is in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.For):
            if around is not None and not any(isinstance(e, ast.For | ast.While) for e in in_body(node)):
                yield around, node
            yield from nests(node, node)
        else:
            yield from nests(node, None if isinstance(node, ast.While) else around)


def overlaps(outer: ast.For, inner: ast.For) -> bool:
    """Whether places in an array that the inner loop writes are met in other iterations of the outer one."""
    moving = assigned(inner)
    written: set[str] = set()
    places: dict[str, set[Key]] = {}
    for node in in_body(inner):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            places.setdefault(node.value.id, set()).add(places_that_stay(node.slice, moving))
            if isinstance(node.ctx, ast.Store):
                written.add(node.value.id)
    if any(len(places[array]) > 1 for array in written):
        return True
    of_outer = assigned(outer) - moving
    return goes_down(outer) and any(
        not of_outer.isdisjoint(variable_names(node.slice))
        for node in in_body(inner)
        if isinstance(node, ast.Subscript)
    )


def places_that_stay(place: ast.expr, moving: set[str]) -> Key:
    """The indices of a place that stay while the inner loop runs; None for the others."""
    indices = place.elts if isinstance(place, ast.Tuple) else [place]
    return tuple(ast.unparse(each) if moving.isdisjoint(variable_names(each)) else None for each in indices)


def goes_down(loop: ast.For) -> bool:
    match loop.iter:
        case ast.Call(args=[_, _, ast.UnaryOp(op=ast.USub())]):
            return True
    return False


def in_body(loop: ast.For) -> Iterator[ast.AST]:
    return (node for statement in loop.body for node in ast.walk(statement))


def assigned(loop: ast.For) -> set[str]:
    """The names that a loop binds."""
    bound = (*ast.walk(loop.target), *in_body(loop))
    return {node.id for node in bound if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def variable_names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
