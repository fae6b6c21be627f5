"""Statements: a libcst node -> the tree's statements, one case a kind.

    if n > 2:                 Branch(Compare(n, > 2),
        n -= 1          ->           (AugAssign(n, -, 1),),
    else:                            (Return(n),))
        return n

A statement without effect (`pass`, a docstring, a bare annotation) gives none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from codegen.read import tree
from codegen.read.acting import children
from codegen.read.expressions import (
    BINARY,
    Reading,
    all_of,
    expression,
    node_text,
    parameters,
    read_optional,
    unknown,
)
from codegen.read.imports import import_paths
from codegen.read.named_expressions import decided, first, tested
from codegen.source import Span

AUGMENTED = {getattr(cst, f"{kind.__name__}Assign"): sign for kind, sign in BINARY.items()}


def read_def(node: cst.FunctionDef, at: Reading) -> tree.Define:
    """The tree of a `def`; its decorators and annotations are left out."""
    return tree.Define(
        at.span(node),
        node.name.value,
        parameters(node.params, at),
        read_block(node.body, at),
        at.source,
        node.get_docstring(),
        tuple(item.name.value for each in own_nonlocals(node.body) for item in each.names),
    )


def remembers(node: cst.Decorator) -> bool:
    """Whether a decorator is functools.cache or lru_cache, by what it is called."""
    made = node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator
    last = made.attr if isinstance(made, cst.Attribute) else made
    return isinstance(last, cst.Name) and last.value in ("cache", "lru_cache")


def calls_itself(node: cst.CSTNode, name: str) -> bool:
    return any(
        isinstance(part, cst.Name) and part.value == name or calls_itself(part, name)
        for part in children(node)
    )


def remembers_itself(node: cst.FunctionDef) -> bool:
    """Whether a nested function remembers its results and calls itself; of others it is no matter."""
    return (
        bool(node.decorators)
        and all(map(remembers, node.decorators))
        and calls_itself(node.body, node.name.value)
    )


def has_plain_parameters(node: cst.FunctionDef) -> bool:
    given = node.params
    others = given.posonly_params or given.kwonly_params or given.star_kwarg
    return bool(given.params) and not others and not isinstance(given.star_arg, cst.Param)


def with_kept_results(define: tree.Define) -> tuple[tree.Statement, ...]:
    """A nested function that calls itself and remembers its results, in a dict.

    @cache                       f_kept = {}
    def f(i, j):                 def f_anew(i, j):
        return ...      ->           return ...
                                 def f(i, j):
                                     if (i, j) not in f_kept:
                                         f_kept[i, j] = f_anew(i, j)
                                     return f_kept[i, j]
    """
    span = define.span
    kept, anew = (tree.Name(span, f"{define.name}%{word}") for word in ("kept", "anew"))
    names: tuple[tree.Expression, ...] = tuple(tree.Name(span, each.name) for each in define.parameters)
    key = names[0] if len(names) == 1 else tree.Tuple(span, names)
    found = tree.Subscript(span, kept, key)
    called = tree.Assign(span, (found,), tree.CallExpr(span, anew, names, ()))
    test = tree.Compare(span, key, (("not in", kept),))
    body = tree.Branch(span, test, (called,), ()), tree.Return(span, found)
    return (
        tree.Assign(span, (kept,), tree.DictDisplay(span, (), ())),
        replace(define, name=anew.id),
        replace(define, body=body, rebound=()),
    )


def own_nonlocals(node: cst.CSTNode) -> Iterator[cst.Nonlocal]:
    """The `nonlocal` statements of a function, those of functions in it not among them."""
    for part in children(node):
        if isinstance(part, cst.Nonlocal):
            yield part
        elif not isinstance(part, cst.FunctionDef | cst.BaseExpression):
            yield from own_nonlocals(part)


def read_lambda(node: cst.Lambda, name: str, at: Reading) -> tree.Define:
    """The tree of a `lambda` under a name, as the `def` that returns its body."""
    body = tree.Return(at.span(node.body), expression(node.body, at))
    return tree.Define(at.span(node), name, parameters(node.params, at), (body,), at.source)


def read_block(node: cst.BaseSuite, at: Reading) -> tuple[tree.Statement, ...]:
    """The statements of an indented block or of what follows a colon on its line."""
    return tuple(found for part in node.body for found in read_statement(part, at))


def read_statement(node: cst.CSTNode, at: Reading) -> tuple[tree.Statement, ...]:
    """The tree of one statement, or of all the small ones of a line."""
    match node:
        case cst.SimpleStatementLine():
            return tuple(found for part in node.body for found in read_statement(part, at))
        case cst.Pass() | cst.Nonlocal():
            return ()
        case cst.Del():
            return tuple(_deleted(each, at) for each in deleted(node))
        case cst.Expr(value=cst.Yield(value=cst.BaseExpression() as yielded)):
            return (tree.Yield(at.span(node), expression(yielded, at)),)
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
            return (*entered, *read_block(node.body, at))
        case cst.FunctionDef() if remembers_itself(node):
            return with_kept_results(read_def(node, at))
        case cst.Match():
            return _cases(node.cases, expression(node.subject, at), at)
        case cst.While() if decided(node.test):
            span = at.span(node)
            left = _chosen(node.test, (), (tree.Break(span),), at, span)
            return (tree.Loop(span, tree.Constant(span, True), (*left, *read_block(node.body, at)), ()),)
        case cst.If() if decided(node.test):
            then, orelse = read_block(node.body, at), _else(node.orelse, at)
            return _chosen(node.test, then, orelse, at, at.span(node))
        case _:
            return (*(_named(each, at) for each in first(tested(node))), _statement(node, at))


def _chosen(
    test: cst.BaseExpression,
    then: tuple[tree.Statement, ...],
    orelse: tuple[tree.Statement, ...],
    at: Reading,
    span: Span,
) -> tuple[tree.Statement, ...]:
    """A branch by a test, after what the test assigns; parts of `and` and `or` that do, once it is their turn."""
    match test if decided(test) != first(test) else None:
        case cst.BooleanOperation() as test:
            right = _chosen(test.right, then, orelse, at, span)
            ways = (right, orelse) if isinstance(test.operator, cst.And) else (then, right)
            return _chosen(test.left, *ways, at, span)
        case cst.UnaryOperation() as test:
            return _chosen(test.expression, orelse, then, at, span)
    before = (_named(each, at) for each in first(test))
    return (*before, tree.Branch(span, expression(test, at), then, orelse))


def _named(node: cst.NamedExpr, at: Reading) -> tree.Assign:
    """`name := value`, before the statement that it stands in."""
    return tree.Assign(at.span(node), (expression(node.target, at),), expression(node.value, at))


def _cases(
    cases: Sequence[cst.MatchCase], subject: tree.Expression, at: Reading
) -> tuple[tree.Statement, ...]:
    """The cases of a `match`, each where those before it do not fit."""
    if not cases:
        return ()
    node, span = cases[0], at.span(cases[0])
    named: tuple[tree.Statement, ...] = ()
    if isinstance(node.pattern, cst.MatchAs) and node.pattern.name is not None:
        named = (tree.Assign(span, (expression(node.pattern.name, at),), subject),)
    tests = [_matches(node.pattern, subject, at)]
    tests += [] if node.guard is None else [expression(node.guard, at)]
    test = tests[0] if len(tests) == 1 else tree.Logical(span, "and", tuple(tests))
    return (*named, tree.Branch(span, test, read_block(node.body, at), _cases(cases[1:], subject, at)))


def _matches(pattern: cst.MatchPattern, subject: tree.Expression, at: Reading) -> tree.Expression:
    """Whether a pattern of values fits."""
    span = at.span(pattern)
    match pattern:
        case cst.MatchValue(value=value):
            return tree.Compare(span, subject, (("==", expression(value, at)),))
        case cst.MatchSingleton(value=value):
            return tree.Compare(span, subject, (("is", expression(value, at)),))
        case cst.MatchOr(patterns=patterns):
            return tree.Logical(span, "or", tuple(_matches(each.pattern, subject, at) for each in patterns))
    return tree.Constant(span, True)


def is_pattern_of_parts(node: cst.CSTNode) -> bool:
    """Whether a pattern is none of a literal, of several, or of a name or `_` alone."""
    return not isinstance(node, cst.MatchAs) or node.pattern is not None


def deleted(node: cst.Del) -> list[cst.BaseExpression]:
    """What a `del` is of, one by one."""
    target = node.target
    return [each.value for each in target.elements] if isinstance(target, cst.Tuple | cst.List) else [target]


def is_deletable(node: cst.CSTNode) -> bool:
    """Whether it is a name, an item of a list or dict, or those from one place to another."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice(step=step))]):
            return step is None
    return isinstance(node, cst.Name | cst.Subscript)


def _deleted(node: cst.BaseExpression, at: Reading) -> tree.Statement:
    """`del x`; of an item the method that it is, of several the assignment of none."""
    span, target = at.span(node), expression(node, at)
    match target:
        case tree.Name(_, name):
            return tree.Delete(span, (name,))
        case tree.Subscript(_, _, tree.Slice()):
            return tree.Assign(span, (target,), tree.Tuple(span, (), list=True))
        case tree.Subscript(_, value, index):
            return tree.Evaluate(
                span, tree.CallExpr(span, tree.Attribute(span, value, "__delitem__"), (index,))
            )
    raise unknown(node, span)


def _statement(node: cst.CSTNode, at: Reading) -> tree.Statement:
    span = at.span(node)
    match node:
        case cst.Assign():
            targets = tuple(expression(target.target, at) for target in node.targets)
            unpacked = any(isinstance(target.target, cst.Tuple | cst.List) for target in node.targets)
            return tree.Assign(span, targets, (all_of if unpacked else expression)(node.value, at))
        case cst.AnnAssign(value=cst.BaseExpression() as value):
            return tree.Assign(span, (expression(node.target, at),), expression(value, at))
        case cst.AugAssign():
            operator = AUGMENTED[type(node.operator)]
            return tree.AugAssign(span, expression(node.target, at), operator, expression(node.value, at))
        case cst.If():
            return tree.Branch(
                span, expression(node.test, at), read_block(node.body, at), _else(node.orelse, at)
            )
        case cst.While():
            return tree.Loop(
                span, expression(node.test, at), read_block(node.body, at), _else(node.orelse, at)
            )
        case cst.For():
            target, iterable = expression(node.target, at), expression(node.iter, at)
            return tree.Iterate(span, target, iterable, read_block(node.body, at), _else(node.orelse, at))
        case cst.Try():
            handlers = tuple(_handler(each, at) for each in node.handlers)
            final = () if node.finalbody is None else read_block(node.finalbody.body, at)
            return tree.Try(span, read_block(node.body, at), handlers, _else(node.orelse, at), final)
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


def _handler(node: cst.ExceptHandler, at: Reading) -> tree.Handler:
    name = None if node.name is None else node_text(node.name.name)
    passes = raises_again(node)
    body = () if passes else read_block(node.body, at)
    return tree.Handler(at.span(node), read_optional(node.type, at), name, body, passes)


def raises_again(node: cst.ExceptHandler) -> bool:
    """Whether a handler's body is `raise`, or `raise error` of what it caught as `error`."""
    match node.body:
        case cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Raise(exc=exc, cause=None)])]):
            return exc is None or node.name is not None and exc.deep_equals(node.name.name)
        case cst.SimpleStatementSuite(body=[cst.Raise(exc=exc, cause=None)]):
            return exc is None or node.name is not None and exc.deep_equals(node.name.name)
    return False


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
            return read_block(node.body, at)
        case _:
            return read_statement(node, at)
