"""Statements: a libcst node -> the tree's statements, one case a kind.

    if n > 2:                 Branch(Compare(n, > 2),
        n -= 1          ->           (AugAssign(n, -, 1),),
    else:                            (Return(n),))
        return n

A statement without effect (`pass`, a docstring, a bare annotation) gives none.
"""

from __future__ import annotations

import libcst as cst

from codegen.read import tree
from codegen.read.bindings import import_paths
from codegen.read.expressions import BINARY, Reading, expression, parameters, read_optional, unknown

AUGMENTED = {getattr(cst, f"{kind.__name__}Assign"): sign for kind, sign in BINARY.items()}


def read_def(node: cst.FunctionDef, at: Reading) -> tree.Define:
    """The tree of a `def`; its decorators and annotations are left out."""
    return tree.Define(
        at.span(node),
        node.name.value,
        parameters(node.params, at),
        block(node.body, at),
        at.source,
        node.get_docstring(),
    )


def read_lambda(node: cst.Lambda, name: str, at: Reading) -> tree.Define:
    """The tree of a `lambda` under a name, as the `def` that returns its body."""
    body = tree.Return(at.span(node.body), expression(node.body, at))
    return tree.Define(at.span(node), name, parameters(node.params, at), (body,), at.source)


def block(node: cst.BaseSuite, at: Reading) -> tuple[tree.Statement, ...]:
    """The statements of an indented block or of what follows a colon on its line."""
    return tuple(found for part in node.body for found in read_statement(part, at))


def read_statement(node: cst.CSTNode, at: Reading) -> tuple[tree.Statement, ...]:
    """The tree of one statement, or of all the small ones of a line."""
    match node:
        case cst.SimpleStatementLine():
            return tuple(found for part in node.body for found in read_statement(part, at))
        case cst.Pass():
            return ()
        case cst.Expr():
            value = expression(node.value, at)
            return () if isinstance(value, tree.Constant) else (tree.Evaluate(at.span(node), value),)
        case cst.AnnAssign(value=None):
            return ()
        case cst.Import() | cst.ImportFrom():
            span = at.span(node)
            return tuple(
                tree.Assign(span, (tree.Name(span, name),), tree.Import(span, path))
                for name, path, _ in import_paths(node)
            )
        case cst.With():
            entered = (tree.Enter(at.span(item), expression(item.item, at)) for item in node.items)
            return (*entered, *block(node.body, at))
        case _:
            return (_statement(node, at),)


def _statement(node: cst.CSTNode, at: Reading) -> tree.Statement:
    span = at.span(node)
    match node:
        case cst.Assign():
            targets = tuple(expression(target.target, at) for target in node.targets)
            return tree.Assign(span, targets, expression(node.value, at))
        case cst.AnnAssign(value=cst.BaseExpression() as value):
            return tree.Assign(span, (expression(node.target, at),), expression(value, at))
        case cst.AugAssign():
            operator = AUGMENTED[type(node.operator)]
            return tree.AugAssign(span, expression(node.target, at), operator, expression(node.value, at))
        case cst.If():
            return tree.Branch(span, expression(node.test, at), block(node.body, at), _else(node.orelse, at))
        case cst.While():
            return tree.Loop(span, expression(node.test, at), block(node.body, at), _else(node.orelse, at))
        case cst.For():
            target, iterable = expression(node.target, at), expression(node.iter, at)
            return tree.Iterate(span, target, iterable, block(node.body, at), _else(node.orelse, at))
        case cst.Return():
            return tree.Return(span, read_optional(node.value, at))
        case cst.Break():
            return tree.Break(span)
        case cst.Continue():
            return tree.Continue(span)
        case cst.Raise(exc=cst.BaseExpression() as value):
            return tree.Raise(span, expression(value, at), _cause(node.cause, at))
        case cst.Assert():
            return tree.Assert(span, expression(node.test, at), read_optional(node.msg, at))
        case cst.FunctionDef():
            return read_def(node, at)
        case _:
            raise unknown(node, span)


def _cause(node: cst.From | None, at: Reading) -> tree.Expression | None:
    """What stands behind `from`; None says that there is no cause."""
    if node is None or (isinstance(node.item, cst.Name) and node.item.value == "None"):
        return None
    return expression(node.item, at)


def _else(node: cst.If | cst.Else | None, at: Reading) -> tuple[tree.Statement, ...]:
    """What stands under `else`; an `elif` is a Branch alone."""
    match node:
        case None:
            return ()
        case cst.Else():
            return block(node.body, at)
        case _:
            return (_statement(node, at),)
