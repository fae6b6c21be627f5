"""What the global names of a file stand for when all of it has run, told without running any of it.

    import numpy as np          np      Imported("numpy")
    SCALE = -2.0                SCALE   Value(-2.0)
    P = namedtuple("P", "x y")  P       Record("P", ("x", "y"), {})
    def f(x): ...               f       Defined
    LOG2 = math.log(2)          LOG2    Unknown, with the tree of `math.log(2)`

Only what stands at the outermost level counts as known: a name that is also bound under an `if`, in a loop,
or by a function's `global` is Unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
from libcst.helpers import get_full_name_for_node

from codegen.read import tree
from codegen.read.acting import children
from codegen.read.expressions import Reading, expression, node_text
from codegen.read.imports import import_paths
from codegen.read.refuse import problems
from codegen.source import Span

STAR = "*"


@dataclass(frozen=True, eq=False)
class Imported:
    """A name bound by an import: the dotted path of what it stands for, as in "numpy" or "math.exp"."""

    span: Span
    path: str


@dataclass(frozen=True, eq=False)
class Defined:
    """A function: `def f` or `f = lambda ...`.

    `decorators` are dotted paths ("numba.njit", whatever it is called with), or text where there is no path.
    """

    span: Span
    node: cst.FunctionDef | cst.Lambda
    decorators: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LiteralValue:
    """A literal: a number, text, bool, None, or a tuple of these."""

    span: Span
    value: object


@dataclass(frozen=True, eq=False)
class RecordType:
    """A named tuple type: its fields in order, and the literal defaults of the last ones."""

    span: Span
    name: str
    fields: tuple[str, ...]
    defaults: Mapping[str, object]


@dataclass(frozen=True, eq=False)
class Unknown:
    """Anything else. `value` is what was assigned, where it is one expression that the tree can hold."""

    span: Span
    value: tree.Expression | None = None


Binding = Imported | Defined | LiteralValue | RecordType | Unknown


def bindings(module: cst.Module, at: Reading) -> dict[str, Binding]:
    """Global name -> what it stands for. After `from m import *`, "*" stands for the names it may have bound;
    those bound before it are Unknown, because it may have bound them again."""
    found: dict[str, Binding] = {}
    for statement in small_statements(module.body):
        found.update({name: Unknown(at.span(node)) for name, node in bound_names(statement)})
        found.update(_known(statement, found, at))
    found.update({name: Unknown(at.span(node)) for name, node in _globals(module)})
    return found


def small_statements(body: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The statements of a block one by one, also those that share a line."""
    for line in body:
        yield from line.body if isinstance(line, cst.SimpleStatementLine) else [line]


def bound_names(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """(name, where) for what a statement binds or deletes when it runs; functions are not entered."""
    match node:
        case cst.FunctionDef() | cst.ClassDef():
            yield node.name.value, node.name
            return
        case cst.Lambda() | cst.CompFor():
            return
        case cst.AssignTarget() | cst.AnnAssign() | cst.AugAssign() | cst.For() | cst.NamedExpr() | cst.Del():
            yield from _names(node.target)
        case cst.AsName() | cst.MatchAs() | cst.MatchStar():
            yield from _names(node.name)
        case cst.MatchMapping():
            yield from _names(node.rest)
        case cst.ImportAlias(asname=None):
            yield (get_full_name_for_node(node.name) or "").split(".")[0], node
            return
    for child in children(node):
        yield from bound_names(child)


def _names(target: cst.CSTNode | None) -> Iterator[tuple[str, cst.CSTNode]]:
    match target:
        case cst.Name():
            yield target.value, target
        case cst.Tuple() | cst.List():
            for element in target.elements:
                yield from _names(element.value)


def _globals(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """Names that some function declares `global`."""
    if isinstance(node, cst.Global):
        yield from ((item.name.value, item) for item in node.names)
    for child in children(node):
        yield from _globals(child)


def _known(node: cst.CSTNode, found: Mapping[str, Binding], at: Reading) -> Iterator[tuple[str, Binding]]:
    """What an outermost statement binds, where that can be told."""
    match node:
        case cst.Import() | cst.ImportFrom(names=[*_]):
            yield from ((name, Imported(at.span(alias), path)) for name, path, alias in import_paths(node))
        case cst.ImportFrom():
            yield from ((name, Unknown(at.span(node))) for name in list(found))
            yield STAR, Unknown(at.span(node))
        case cst.FunctionDef():
            decorators = tuple(_decorator(item, found) for item in node.decorators)
            yield node.name.value, Defined(at.span(node), node, decorators)
        case cst.ClassDef():
            yield from _class(node, found, at)
        case cst.Assign():
            for target in node.targets:
                yield from _assigned_bindings(target.target, node.value, found, at)
        case cst.AnnAssign(value=cst.BaseExpression() as value):
            yield from _assigned_bindings(node.target, value, found, at)


def _assigned_bindings(
    target: cst.BaseExpression, value: cst.BaseExpression, found: Mapping[str, Binding], at: Reading
) -> Iterator[tuple[str, Binding]]:
    match target, value:
        case cst.Name(), cst.Lambda():
            yield target.value, Defined(at.span(value), value)
        case cst.Name(), cst.Call() if fields := _named_tuple(value, found, at):
            yield target.value, RecordType(at.span(value), target.value, *fields)
        case cst.Name(), _:
            yield target.value, _value(value, at)
        case cst.Tuple() | cst.List(), cst.Tuple() | cst.List():
            pairs = list(zip(target.elements, value.elements))
            if all(isinstance(element, cst.Element) for pair in pairs for element in pair):
                for left, right in pairs:
                    yield from _assigned_bindings(left.value, right.value, found, at)


def _value(node: cst.BaseExpression, at: Reading) -> LiteralValue | Unknown:
    if problems(node, at):
        return Unknown(at.span(node))
    value = expression(node, at)
    known = literal_constant(value)
    return LiteralValue(value.span, known.value) if known else Unknown(value.span, value)


def literal_constant(node: tree.Expression) -> tree.Constant | None:
    """What a number, text, None or a tuple of these says; None for anything else."""
    match node:
        case tree.Constant():
            return node
        case tree.Tuple(span, items, list=False):
            known = [literal_constant(item) for item in items]
            return tree.Constant(span, tuple(k.value for k in known if k)) if all(known) else None
        case tree.Unary(span, "-" | "+" as sign, tree.Constant(value=int() | float() as value)):
            return tree.Constant(span, -value if sign == "-" else +value)
    return None


def _path(node: cst.BaseExpression, found: Mapping[str, Binding]) -> str | None:
    """The dotted path of a name or attribute of something imported."""
    first, *rest = (get_full_name_for_node(node) or "").split(".")
    base = found.get(first)
    return ".".join([base.path, *rest]) if isinstance(base, Imported) else None


def _decorator(node: cst.Decorator, found: Mapping[str, Binding]) -> str:
    maker = node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator
    return _path(maker, found) or node_text(node.decorator)


def _named_tuple(
    node: cst.Call, found: Mapping[str, Binding], at: Reading
) -> tuple[tuple[str, ...], dict[str, object]] | None:
    """Fields and defaults of `namedtuple("P", "x y")` and `NamedTuple("P", [("x", float)])`."""
    path = _path(node.func, found)
    if path not in ("collections.namedtuple", "typing.NamedTuple") or problems(node, at):
        return None
    call = expression(node, at)
    assert isinstance(call, tree.CallExpr)
    match call.arguments[1:], call.keywords:
        case (fields,), ():
            defaults: list[tree.Constant | None] = []
        case (fields,), (("defaults", tree.Tuple(items=items)),):
            defaults = [literal_constant(item) for item in items]
        case _:
            return None
    names = _field_names(fields)
    late = names[len(names) - len(defaults) :]
    known = {name: value.value for name, value in zip(late, defaults) if value}
    return (names, known) if names and all(defaults) else None


def _field_names(node: tree.Expression) -> tuple[str, ...]:
    match node:
        case tree.Constant(value=str() as text):
            return tuple(text.replace(",", " ").split())
        case tree.Tuple(items=items):
            firsts = [
                item.items[0] if isinstance(item, tree.Tuple) and item.items else item for item in items
            ]
            names = [first.value for first in firsts if isinstance(first, tree.Constant)]
            texts = tuple(name for name in names if isinstance(name, str))
            return texts if len(names) == len(items) else ()
        case _:
            return ()


def _class(node: cst.ClassDef, found: Mapping[str, Binding], at: Reading) -> Iterator[tuple[str, Binding]]:
    """`class P(NamedTuple)` with annotated fields; its methods are not looked at."""
    if [_path(base.value, found) for base in node.bases] != ["typing.NamedTuple"]:
        return
    fields: list[str] = []
    defaults: dict[str, object] = {}
    for item in small_statements(node.body.body):
        if not isinstance(item, cst.AnnAssign):
            continue
        assert isinstance(item.target, cst.Name)
        fields.append(item.target.value)
        value = None if item.value is None else _value(item.value, at)
        if isinstance(value, Unknown):
            return
        if value is not None:
            defaults[item.target.value] = value.value
    yield node.name.value, RecordType(at.span(node), node.name.value, tuple(fields), defaults)
