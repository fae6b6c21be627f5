"""`:=` where it is evaluated before all else in its statement: an assignment before it.

    if (n := len(x)) > 3:                       n = len(x)
        ...                               ->    if n > 3: ...

In a test behind `and` and `or` it is evaluated once it is its turn, in a condition of a comprehension for each item:

    if k < n and (v := x[k]) > 0:               if k < n:
        ...                               ->        v = x[k]
                                                    if v > 0: ...

    [v for u in x if (v := f(u)) > 0]     ->    [v for u in x for v in [f(u)] if v > 0]

Elsewhere it is refused: what is written before it would be evaluated after it.
"""

from __future__ import annotations

from collections import Counter
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
        case cst.Call(func=cst.Name()) if node.args:
            return first(node.args[0].value)
        case cst.Call(func=cst.Attribute() as method):
            return first(method)
    return []


def not_first(node: Statement) -> list[cst.CSTNode]:
    """The `:=` of a statement's expressions that are not evaluated before all else."""
    test = tested(node)
    allowed = decided(test) if isinstance(node, cst.If | cst.While) else first(test)
    if isinstance(node, cst.While) and node.orelse is not None:
        allowed = []
    allowed += [each for part in comprehensions(node) for c in part.ifs for each in parts_decided(c.test)]
    return [each for each in named_in(node) if each not in allowed]


def decided(test: cst.BaseExpression | None) -> list[cst.NamedExpr]:
    """The `:=` of a test that a branch can take in turn: those that it, or a part of its `and` and `or`,
    begins with."""
    match test:
        case cst.BooleanOperation():
            return [*decided(test.left), *decided(test.right)]
        case cst.UnaryOperation(operator=cst.Not()):
            return decided(test.expression)
    return first(test)


def tests_in_turn(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The parts of `a and b and c`."""
    match test:
        case cst.BooleanOperation(operator=cst.And()):
            return [*tests_in_turn(test.left), *tests_in_turn(test.right)]
    return [test]


def parts_decided(test: cst.BaseExpression) -> list[cst.NamedExpr]:
    return [each for part in tests_in_turn(test) for each in first(part)]


def seen_outside(function: cst.CSTNode) -> list[cst.CSTNode]:
    """The `:=` of a comprehension's conditions whose names the function has elsewhere, too: there they are those of the
    last item."""
    found: dict[str, list[cst.NamedExpr]] = {}
    inside = Counter[str]()
    for node in nodes_in(function):
        if not isinstance(node, cst.ListComp | cst.GeneratorExp | cst.SetComp | cst.DictComp):
            continue
        own = [each for part in own_clauses(node) for c in part.ifs for each in parts_decided(c.test)]
        for name in dict.fromkeys(target_of(each) for each in own):
            inside[name] += names_under(node)[name]
        for each in own:
            found.setdefault(target_of(each), []).append(each)
    everywhere = names_under(function) if found else inside
    return [each for name, listed in found.items() if everywhere[name] > inside[name] for each in listed]


def own_clauses(node: cst.BaseComp) -> Iterator[cst.CompFor]:
    clause: cst.CompFor | None = node.for_in
    while clause is not None:
        yield clause
        clause = clause.inner_for_in


def target_of(node: cst.NamedExpr) -> str:
    return cst.ensure_type(node.target, cst.Name).value


def names_under(node: cst.CSTNode) -> Counter[str]:
    return Counter(part.value for part in nodes_in(node) if isinstance(part, cst.Name))


def nodes_in(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for child in children(node):
        yield child
        yield from nodes_in(child)


def comprehensions(node: cst.CSTNode) -> Iterator[cst.CompFor]:
    """The clauses of a statement's comprehensions."""
    for child in children(node):
        if isinstance(child, cst.CompFor):
            yield child
        if not isinstance(child, cst.BaseSuite | cst.Else | cst.If | cst.BaseStatement):
            yield from comprehensions(child)


def named_in(node: cst.CSTNode) -> Iterator[cst.NamedExpr]:
    """Every `:=` under a statement, without those of statements in it."""
    for child in children(node):
        if isinstance(child, cst.BaseSuite | cst.Else | cst.If | cst.BaseStatement):
            continue
        if isinstance(child, cst.NamedExpr):
            yield child
        yield from named_in(child)
