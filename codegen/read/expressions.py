"""Expressions: a libcst node -> the tree's node, one case a kind.

    x[1:, i] * -2.0     ->     Binary(*, Subscript(x, Tuple(Slice(1), i)), Unary(-, 2.0))

What the tree has no node for never gets here: `refuse.py` looks the whole function over first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from codegen.read import tree
from codegen.read.named_expressions import first, tests_in_turn
from codegen.read.positions import Place, node_positions
from codegen.source import Source, SourceError, Span, refuse

UNARY: dict[type[cst.BaseUnaryOp], str] = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not"}

BINARY: dict[type[cst.CSTNode], str] = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.Divide: "/", cst.FloorDivide: "//", cst.Modulo: "%",
    cst.Power: "**", cst.MatrixMultiply: "@", cst.BitAnd: "&", cst.BitOr: "|", cst.BitXor: "^",
    cst.LeftShift: "<<", cst.RightShift: ">>",
}  # fmt: skip

COMPARE: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<", cst.LessThanEqual: "<=", cst.GreaterThan: ">", cst.GreaterThanEqual: ">=", cst.Equal: "==",
    cst.NotEqual: "!=", cst.In: "in", cst.NotIn: "not in", cst.Is: "is", cst.IsNot: "is not",
}  # fmt: skip

KEYWORDS: dict[str, object] = {"True": True, "False": False, "None": None}


@dataclass(frozen=True, eq=False)
class Reading:
    """One parse: where its nodes stand. `shift` is added to libcst's lines to give the file's."""

    module: cst.Module
    source: Source
    positions: Mapping[int, Place]
    shift: int = 0

    def span(self, first: cst.CSTNode, last: cst.CSTNode | None = None) -> Span:
        """From the beginning of `first` to the end of `last` (or of `first`), in lines and columns from 1."""
        line, column, *_ = self.positions[id(first)]
        *_, end_line, end_column = self.positions[id(last or first)]
        if isinstance(first, (cst.CompFor, cst.CompIf)):  # libcst counts the space before these to them
            *_, line, column = self.positions[id(first.whitespace_before)]
        return Span(self.source, line + self.shift, column + 1, end_line + self.shift, end_column + 1)


def reading(module: cst.Module, source: Source, shift: int = 0) -> Reading:
    """The Reading of a freshly parsed module (no node may stand in it twice)."""
    return Reading(module, source, node_positions(module), shift)


def expression(node: cst.BaseExpression, at: Reading) -> tree.Expression:
    """The tree of one expression; targets of assignments are expressions too."""
    span = at.span(node)
    match node:
        case cst.Name():
            known = node.value in KEYWORDS
            return tree.Constant(span, KEYWORDS[node.value]) if known else tree.Name(span, node.value)
        case cst.Integer() | cst.Float() | cst.Imaginary():
            return tree.Constant(span, node.evaluated_value)
        case cst.Ellipsis():
            return tree.Constant(span, ...)
        case cst.SimpleString() | cst.ConcatenatedString() | cst.FormattedString():
            return _text(node, span, at)
        case cst.Tuple() | cst.List():
            return tree.Tuple(span, _items(node.elements, at), isinstance(node, cst.List))
        case cst.Dict():
            return _dict(node, at)
        case cst.Attribute():
            return tree.Attribute(span, expression(node.value, at), node.attr.value)
        case cst.Subscript():
            return tree.Subscript(span, expression(node.value, at), _index(node.slice, at))
        case cst.Call():
            return _call(node, at)
        case cst.UnaryOperation():
            return tree.Unary(span, UNARY[type(node.operator)], expression(node.expression, at))
        case cst.BinaryOperation():
            operator = BINARY[type(node.operator)]
            return tree.Binary(span, operator, expression(node.left, at), expression(node.right, at))
        case cst.BooleanOperation():
            operator = "and" if isinstance(node.operator, cst.And) else "or"
            return tree.Logical(span, operator, tuple(expression(value, at) for value in _operands(node)))
        case cst.Comparison():
            rest = ((COMPARE[type(c.operator)], _compared(c, at)) for c in node.comparisons)
            return tree.Compare(span, expression(node.left, at), tuple(rest))
        case cst.IfExp():
            parts = (expression(part, at) for part in (node.test, node.body, node.orelse))
            return tree.Conditional(span, *parts)
        case cst.ListComp() | cst.GeneratorExp():
            clauses = clauses_of(node.for_in, at)
            generator = isinstance(node, cst.GeneratorExp)
            return tree.Comprehension(span, expression(node.elt, at), clauses, generator)
        case cst.NamedExpr():  # assigned before the statement
            return expression(node.target, at)
        case cst.DictComp():
            pair = tree.Tuple(span, (expression(node.key, at), expression(node.value, at)))
            listed = tree.Comprehension(span, pair, clauses_of(node.for_in, at), False)
            return called_with(dict, listed)
        case cst.Set():
            return called_with(set, tree.Tuple(span, _items(node.elements, at), True))
        case cst.SetComp():
            listed = tree.Comprehension(span, expression(node.elt, at), clauses_of(node.for_in, at), False)
            return called_with(set, listed)
        case cst.Yield():
            raise refuse(span, "`yield` in an expression is not supported: make it a statement of its own")
        case cst.Lambda():
            return tree.Lambda(span, parameters(node.params, at), expression(node.body, at))
        case _:
            raise unknown(node, span)


def for_clauses(first: cst.CompFor) -> Iterator[cst.CompFor]:
    found: cst.CompFor | None = first
    while found is not None:
        yield found
        found = found.inner_for_in


def clauses_of(node: cst.CompFor, at: Reading) -> tuple[tree.Clause, ...]:
    return tuple(found for each in for_clauses(node) for found in clause(each, at))


def clause(node: cst.CompFor, at: Reading) -> tuple[tree.Clause, ...]:
    """A clause, and one more for each `:=` of its conditions: `for name in [value]`."""
    target, iterable, span = expression(node.target, at), expression(node.iter, at), at.span(node)
    found, conditions = [], list[tree.Expression]()
    for part in (part for each in node.ifs for part in tests_in_turn(each.test)):
        for named in first(part):
            found.append(tree.Clause(span, target, iterable, tuple(conditions)))
            target, span, conditions = expression(named.target, at), at.span(named), []
            iterable = tree.Tuple(span, (expression(named.value, at),), True)
        conditions.append(expression(part, at))
    return (*found, tree.Clause(span, target, iterable, tuple(conditions)))


def parameters(node: cst.Parameters, at: Reading) -> tuple[tree.Parameter, ...]:
    """The parameters of a `def` or a `lambda` in order."""
    star = [node.star_arg] if isinstance(node.star_arg, cst.Param) else []
    kinds = (
        ("positional", node.posonly_params),
        ("plain", node.params),
        ("star", star),
        ("keyword", node.kwonly_params),
        ("stars", [node.star_kwarg] if node.star_kwarg else []),
    )
    return tuple(
        tree.Parameter(
            at.span(parameter.name), parameter.name.value, read_optional(parameter.default, at), kind
        )
        for kind, group in kinds
        for parameter in group
    )


def unknown(node: cst.CSTNode, span: Span) -> SourceError:
    """The error for syntax newer than this table of kinds and that of `refuse.py`."""
    return refuse(
        span, f"`{type(node).__name__}` is not supported: it is not known here; write it in simpler terms"
    )


def node_text(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module([]).code_for_node(node)


def read_optional(node: cst.BaseExpression | None, at: Reading) -> tree.Expression | None:
    """The tree of an expression that may be left out."""
    return None if node is None else expression(node, at)


def _text(
    node: cst.SimpleString | cst.ConcatenatedString | cst.FormattedString, span: Span, at: Reading
) -> tree.Constant | tree.Text:
    """A plain text literal is a Constant; one with an f-string in it is a Text."""
    value = None if isinstance(node, cst.FormattedString) else node.evaluated_value
    if isinstance(value, str):
        return tree.Constant(span, value)
    return tree.Text(span, tuple(_pieces(node, at)))


def _pieces(node: cst.BaseExpression, at: Reading) -> Iterator[str | tree.Replacement]:
    """The parts of a text: what it says as it is, and what is put in."""
    match node:
        case cst.ConcatenatedString():
            yield from _pieces(node.left, at)
            yield from _pieces(node.right, at)
        case cst.SimpleString():
            yield str(node.evaluated_value)
        case cst.FormattedString():
            for part in node.parts:
                if isinstance(part, cst.FormattedStringText):
                    yield _unescaped(part.value, node)
                else:
                    yield from _replacement(part, at)
        case _:
            raise AssertionError(f"{type(node).__name__} is no text")


def _unescaped(text: str, node: cst.FormattedString) -> str:
    """Text between an f-string's replacements, as it is said."""
    prefix = node.start.lower().replace("f", "")
    return str(ast.literal_eval(f"{prefix}{text}{node.end}")).replace("{{", "{").replace("}}", "}")


def _replacement(node: cst.BaseFormattedStringContent, at: Reading) -> Iterator[str | tree.Replacement]:
    """`{value!r:>8}`, and `{value=}`, which says its own text."""
    assert isinstance(node, cst.FormattedStringExpression)
    span = at.span(node.expression)
    spec: list[str | tree.Replacement] = []
    for part in node.format_spec or ():
        spec += [part.value] if isinstance(part, cst.FormattedStringText) else _replacement(part, at)
    conversion = node.conversion or ""
    if node.equal is not None:
        before = node_text(node).removeprefix("{")
        yield before[: before.index("=", len(node_text(node.expression))) + 1]
        conversion = conversion or ("" if spec else "r")
    yield tree.Replacement(span, expression(node.expression, at), conversion, tuple(spec))


def _items(elements: Sequence[cst.BaseElement], at: Reading) -> tuple[tree.Expression, ...]:
    return tuple(_item(element, isinstance(element, cst.StarredElement), at) for element in elements)


def _item(node: cst.BaseElement | cst.Index | cst.Arg, starred: bool, at: Reading) -> tree.Expression:
    return tree.Starred(at.span(node), all_of(node.value, at)) if starred else expression(node.value, at)


def all_of(node: cst.BaseExpression, at: Reading) -> tree.Expression:
    """An expression all of whose items are taken at once: of a generator they are a list."""
    value = expression(node, at)
    return replace(value, generator=False) if isinstance(value, tree.Comprehension) else value


def _dict(node: cst.Dict, at: Reading) -> tree.Expression:
    """Keys are text literals without f-strings, or `dict` is called with the pairs."""
    if any(key_is_no_text(element) for element in node.elements):
        pairs = (
            tree.Tuple(at.span(each.key, each.value), (expression(each.key, at), expression(each.value, at)))
            for each in node.elements
            if isinstance(each, cst.DictElement)
        )
        return called_with(dict, tree.Tuple(at.span(node), tuple(pairs), True))
    keys = tuple(
        ast.literal_eval(node_text(element.key)) if isinstance(element, cst.DictElement) else None
        for element in node.elements
    )
    values = tuple(expression(element.value, at) for element in node.elements)
    return tree.DictDisplay(at.span(node), keys, values)


def key_is_no_text(node: cst.BaseDictElement) -> bool:
    """Whether a key of a dict is something else than a text literal."""
    if not isinstance(node, cst.DictElement):
        return False
    plain = isinstance(node.key, (cst.SimpleString, cst.ConcatenatedString))
    return not (plain and isinstance(node.key.evaluated_value, str))  # type: ignore[attr-defined]


def called_with(cls: type, listed: tree.Expression) -> tree.CallExpr:
    """`cls(listed)`, whatever its name means in the text."""
    return tree.CallExpr(listed.span, tree.Constant(listed.span, cls), (listed,))


def _index(elements: Sequence[cst.SubscriptElement], at: Reading) -> tree.Expression:
    """One index, or the Tuple of several (`x[i,]` is a Tuple of one)."""
    indices = tuple(_one_index(element.slice, at) for element in elements)
    alone = len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma)
    if alone and not isinstance(indices[0], tree.Starred):
        return indices[0]
    return tree.Tuple(at.span(elements[0], elements[-1]), indices)


def _one_index(node: cst.BaseSlice, at: Reading) -> tree.Expression:
    match node:
        case cst.Slice():
            ends = (read_optional(part, at) for part in (node.lower, node.upper, node.step))
            return tree.Slice(at.span(node), *ends)
        case cst.Index():
            return _item(node, bool(node.star), at)
        case _:
            raise AssertionError(f"{type(node).__name__} is no index")


def _call(node: cst.Call, at: Reading) -> tree.CallExpr:
    spread = [arg for arg in node.args if arg.star == "**"]
    plain = tuple(
        _item(arg, bool(arg.star), at) for arg in node.args if arg.keyword is None and arg not in spread
    )
    named = tuple(
        (arg.keyword.value if arg.keyword else None, expression(arg.value, at))
        for arg in node.args
        if arg.keyword or arg in spread
    )
    return tree.CallExpr(at.span(node), expression(node.func, at), plain, named)


def _operands(node: cst.BooleanOperation) -> list[cst.BaseExpression]:
    """`a and b and c` is one Logical of three; parentheses keep theirs apart, as in Python's own tree."""
    match node.left:
        case cst.BooleanOperation(operator=operator, lpar=()) if type(operator) is type(node.operator):
            return [*_operands(node.left), node.right]
    return [node.left, node.right]


def looked_in(node: cst.ComparisonTarget) -> cst.Set | None:
    """The set in `x in {1, 2}`, which is read as a tuple."""
    is_in = isinstance(node.operator, cst.In | cst.NotIn)
    return node.comparator if is_in and isinstance(node.comparator, cst.Set) else None


def _compared(node: cst.ComparisonTarget, at: Reading) -> tree.Expression:
    """The right side of a comparison."""
    found = looked_in(node)
    if found is not None:
        return tree.Tuple(at.span(found), _items(found.elements, at), False)
    return expression(node.comparator, at)
