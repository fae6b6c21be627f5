"""Where items are taken out of lists, `name.pop(...)`: by a statement alone, or in its expressions."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.read import tree
from codegen.read.scope import Node, parts_of


def is_pop(node: tree.Statement) -> bool:
    """Whether a statement is `name.pop(...)` alone."""
    match node:
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, tree.Name(), "pop"), values, ())):
            return not any(True for value in values for _ in pops(value))
    return False


def own_expressions(node: tree.Statement) -> Iterator[Node]:
    """The expressions of a statement, without those of statements in it."""
    match node:
        case tree.Branch(_, test) | tree.Loop(_, test):
            yield test
        case tree.Iterate(_, target, iterable):
            yield from (target, iterable)
        case tree.Define() | tree.Change() | tree.Try():
            return
        case _:
            yield from parts_of(node)


def popped_in(node: tree.Statement) -> Iterator[str]:
    """Names of lists out of which a statement (without those in it) takes items."""
    yield from (name for part in own_expressions(node) for name in pops(part))


def pops(node: Node) -> Iterator[str]:
    match node:
        case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, name), "pop")):
            yield name
        case tree.Lambda():
            return
    for part in parts_of(node):
        yield from pops(part)


def popped_again(node: tree.Statement) -> Iterator[str]:
    """Names of lists out of which a statement's expressions take items as often as they are run."""
    if isinstance(node, tree.Loop):
        yield from pops(node.test)
    yield from (name for part in own_expressions(node) for name in pops_inside(part))


def pops_inside(node: Node) -> Iterator[str]:
    """Names of lists out of which comprehensions and functions in an expression take items."""
    if isinstance(node, tree.Comprehension):
        yield from (name for part in parts_of(node) for name in pops(part))
    elif isinstance(node, tree.Lambda):
        yield from pops(node.body)
    for part in parts_of(node):
        yield from pops_inside(part)
