"""`:=` where it is evaluated before all else in its statement: an assignment before it.

    if (n := len(x)) > 3:       n = len(x)
        ...               ->    if n > 3: ...

Elsewhere it is refused: what is written before it would be evaluated after it.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codegen.read.acting import children

Statement = cst.CSTNode


def tested(node: Statement) -> cst.BaseExpression | None:
    """The expression of a statement that is evaluated when control comes to it."""
    match node:
        case cst.If() | cst.While() | cst.Assert():
            return node.test
        case cst.Assign() | cst.AnnAssign() | cst.Return() | cst.Expr():
            return node.value
        case cst.For():
            return node.iter
    return None


def first(node: cst.BaseExpression | None) -> list[cst.NamedExpr]:
    """The `:=` that an expression begins with, the innermost first."""
    match node:
        case cst.NamedExpr():
            return [*first(node.value), node]
        case cst.Comparison() | cst.BinaryOperation() | cst.BooleanOperation():
            return first(node.left)
        case cst.UnaryOperation():
            return first(node.expression)
        case cst.Attribute() | cst.Subscript():
            return first(node.value)
        case cst.IfExp():
            return first(node.test)
        case cst.Tuple() | cst.List() if node.elements:
            return first(node.elements[0].value)
        case cst.Call() if node.args and isinstance(node.func, cst.Name):
            return first(node.args[0].value)
    return []


def not_first(node: Statement) -> list[cst.CSTNode]:
    """The `:=` of a statement's expressions that are not evaluated before all else."""
    allowed = first(tested(node))
    if isinstance(node, cst.While) and node.orelse is not None:
        allowed = []
    return [each for each in named_in(node) if each not in allowed]


def named_in(node: cst.CSTNode) -> Iterator[cst.NamedExpr]:
    """Every `:=` under a statement, without those of statements in it."""
    for child in children(node):
        if isinstance(child, cst.BaseSuite | cst.Else | cst.If | cst.BaseStatement):
            continue
        if isinstance(child, cst.NamedExpr):
            yield child
        yield from named_in(child)
