"""Expressions to values: names, literals, operators, subscripts, attributes, displays, what runs on one way only."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, assert_never

import numpy as np

from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.generators import FURTHER, REDUCTIONS, reduction
from codegen.infer.calls.rows import FUNCTIONS_OF, OWN, viewed
from codegen.infer.control.conditions import conditional
from codegen.infer.control.iterables import all_items
from codegen.infer.control.paths import Make
from codegen.infer.dependencies import note_attribute
from codegen.infer.frame import Frame
from codegen.infer.memory.masks import chosen
from codegen.infer.memory.patterns import matched
from codegen.infer.memory.subscripts import get_item, items_of_value
from codegen.infer.operators import compare, negate, operate, truth
from codegen.infer.values import (
    Closure,
    Method,
    Nest,
    Partial,
    Ref,
    Static,
    Value,
    View,
    is_named_tuple,
)
from codegen.ir import Lit, Var
from codegen.ir.build import call
from codegen.primitives.random import METHODS
from codegen.read import tree
from codegen.read.scope import target_names
from codegen.source import Span, refuse


def evaluate(frame: Frame, node: tree.Expression, *, name: str = "t") -> Value:
    """The value of an expression; what it builds is called `name`."""
    with frame.b.at(node.span):
        return evaluate_node(frame, node, name)


def condition(frame: Frame, node: tree.Expression) -> Var | Lit:
    """An expression as a condition: a scalar bool."""
    return truth(frame, evaluate(frame, node), node.span)


def evaluate_node(frame: Frame, node: tree.Expression, name: str) -> Value:
    match node:
        case tree.Name(span, id_):
            return frame.lookup(id_, span)
        case tree.Constant(span, value):
            return frame.constant(value, "t", span)
        case tree.Tuple(_, items, is_list):
            return Nest(list if is_list else tuple, tuple(evaluate_items(frame, items)))
        case tree.DictDisplay(_, keys, values):
            return Nest(dict, tuple(evaluate(frame, v) for v in values), keys)
        case tree.Attribute(span, owner, attribute_):
            return attribute(frame, evaluate(frame, owner), attribute_, span)
        case tree.Subscript(span, container, index):
            held, at = evaluate(frame, container), evaluate_index(frame, index)
            return get_item(frame, *chosen(frame, held, at, span), span, name)
        case tree.CallExpr():
            return call_expression(frame, node, name)
        case tree.Unary(span, "not", operand):
            met = frame.b.apply("not", frame.b.wrap(condition(frame, operand)), name=name)
            return frame.b.atom(frame.named(met, name, weak=True))
        case tree.Unary(span, sign, operand):
            return negate(frame, sign, evaluate(frame, operand), name)
        case tree.Binary(span, sign, left, right):
            return operate(frame, sign, evaluate(frame, left), evaluate(frame, right), name)
        case tree.Logical(_, word, values):
            return logical(frame, word, values, name)
        case tree.Compare(span, left, rest):
            return comparisons(frame, evaluate(frame, left), rest, span)
        case tree.Conditional(span, test, then, orelse):
            met = condition(frame, test)
            return conditional(
                frame,
                met,
                lambda: evaluate(frame, then, name=name),
                lambda: evaluate(frame, orelse, name=name),
                span,
                name,
            )
        case tree.Comprehension():
            return comprehension(frame, node)
        case tree.Lambda():
            return make_closure(frame, node)
        case tree.Text(span):
            raise refuse(span, "an f-string can only be the message of an exception")
        case tree.Starred(span):
            raise refuse(span, "`*` can only stand in a call, a tuple or a pattern")
        case tree.Slice(span):
            raise refuse(span, "a slice can only stand between brackets")
        case _:
            assert_never(node)


def call_expression(frame: Frame, node: tree.CallExpr, name: str) -> Value:
    function = evaluate(frame, node.function)
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, tree.Comprehension) and first.generator and isinstance(function, Static):
        return of_generator(frame, function.value, first, node, name)
    arguments = tuple(evaluate_items(frame, node.arguments))
    keywords = {key: evaluate(frame, value) for key, value in node.keywords}
    with frame.b.at(node.span):
        return call_value(frame, function, arguments, keywords, name)


def of_generator(
    frame: Frame, function: Any, generator: tree.Comprehension, node: tree.CallExpr, name: str
) -> Value:
    """A call of one of Python's functions of a generator expression."""
    if (function is list or function is tuple) and len(node.arguments) == 1 and not node.keywords:
        made = comprehension(frame, replace(generator, generator=False))
        assert isinstance(made, Nest)
        return Nest(function, made.items)
    if not isinstance(function, types.BuiltinFunctionType | type) or function not in REDUCTIONS:
        return comprehension(frame, generator)  # which refuses it
    further, wanted = node.arguments[1:], FURTHER.get(function, "")
    keywords = dict(node.keywords)
    if function is sum and len(further) == 1 and not keywords:
        keywords = {wanted: further[0]}
    elif further or keywords.keys() - {wanted}:
        listed = f"beside it {wanted!r} alone" if wanted else "nothing beside it"
        raise refuse(node.span, f"{function.__name__}() of a generator expression takes {listed}")
    given = tuple(evaluate(frame, value) for value in keywords.values())
    define = reduction(function, generator, tuple(keywords))
    with frame.b.at(node.span):
        return call_value(frame, make_closure(frame, define), given, {}, name)


def make_closure(frame: Frame, define: tree.Define | tree.Lambda) -> Closure:
    """A nested function where it is made: its defaults are evaluated here."""
    defaults = {p.name: evaluate(frame, p.default) for p in define.parameters if p.default is not None}
    return Closure(define, frame, frame.st.env, defaults)


def evaluate_items(frame: Frame, items: tuple[tree.Expression, ...]) -> list[Value]:
    """Evaluated items, starred ones spread out."""
    values: list[Value] = []
    for item in items:
        if isinstance(item, tree.Starred):
            values.extend(items_of_value(frame, evaluate(frame, item.value), item.span))
        else:
            values.append(evaluate(frame, item))
    return values


def evaluate_index(frame: Frame, node: tree.Expression) -> Any:
    """What stands between brackets, as rules take it: ints, Es, slices, None, Ellipsis, strings."""
    if isinstance(node, tree.Tuple) and not node.list:
        return tuple(evaluate_index(frame, item) for item in node.items)
    if isinstance(node, tree.Slice):
        parts = (node.start, node.stop, node.step)
        return slice(*(None if n is None else frame.give(evaluate(frame, n), n.span) for n in parts))
    return frame.give(evaluate(frame, node), node.span)


def attribute(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    """`owner.name`."""
    match owner:
        case Nest():
            return nest_attribute(frame, owner, name, span)
        case Static(obj):
            if not hasattr(obj, name):
                raise refuse(span, f"{getattr(obj, '__name__', obj)!r} has no attribute {name!r}")
            found = getattr(obj, name)
            note_attribute(obj, name, found)
            return frame.constant(found, name, span)
        case Var() | Lit() | Ref() | View():
            return array_attribute(frame, owner, name, span)
    raise refuse(span, f"{frame.describe(owner)} has no attribute {name!r}")


def nest_attribute(frame: Frame, owner: Nest, name: str, span: Span) -> Value:
    """A field, or a method or property of the class."""
    cls = owner.cls
    found = owner.field(name) if cls is not dict else None
    if found is not None:
        return found
    if (is_named_tuple(cls) and name == "_replace") or (cls is dict and name in ("items", "keys", "values")):
        return Method(owner, name)
    if cls is list and name in ("append", "extend", "pop", "insert"):
        raise refuse(span, f"list.{name} is not supported: make an array of the final size and write into it")
    member = getattr(cls, name, None) if owner.keys and cls is not dict else None
    if isinstance(member, types.FunctionType) and not name.startswith("__"):
        return Partial(Static(member), (owner,), {})
    if isinstance(member, property) and member.fget is not None:
        return call_value(frame, Static(member.fget), (owner,), {}, name)
    raise refuse(span, f"a {cls.__name__} has no attribute {name!r}")


def array_attribute(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    atom = frame.atom(owner, span)
    if atom.type.dtype == "rng":
        if name not in METHODS:
            raise refuse(
                span, f"the generator's method {name!r} is not supported: it has {', '.join(METHODS)}"
            )
        return Method(owner, name)
    match name:
        case "shape":
            return Nest(tuple, tuple(frame.b.atom(frame.b.size(n)) for n in atom.type.shape))
        case "ndim":
            return frame.b.atom(atom.type.rank)
        case "size":
            total: Any = 1
            for n in atom.type.shape:
                total = frame.b.apply("mul", total, frame.b.size(n))
            return frame.b.atom(total)
        case "dtype":
            return Static(np.dtype(atom.type.dtype))
        case "T":
            return viewed(frame, owner, call(frame.b, np.transpose, frame.give(owner, span)), "t")
        case "real":
            return owner
    if name not in FUNCTIONS_OF and name not in OWN and name != "fill":
        words = frame.describe(owner)
        raise refuse(span, f"{words} has no method or attribute {name!r} that is supported")
    return Method(owner, name)


def comparisons(frame: Frame, x: Value, rest: tuple[tuple[str, tree.Expression], ...], span: Span) -> Value:
    """`a < b <= c`: each operand once, later ones only where the earlier comparisons hold."""
    sign, node = rest[0]
    y = evaluate(frame, node)
    met = compare(frame, sign, x, y)
    if len(rest) == 1:
        return met
    return short_circuit(frame, "and", met, lambda: comparisons(frame, y, rest[1:], span), span, "t")


def logical(frame: Frame, word: str, values: tuple[tree.Expression, ...], name: str) -> Value:
    """`and` and `or`: Python gives an operand's value, and runs the later ones only where needed."""
    first = evaluate(frame, values[0])
    if len(values) == 1:
        return first
    return short_circuit(
        frame, word, first, lambda: logical(frame, word, values[1:], name), values[0].span, name
    )


def short_circuit(frame: Frame, word: str, first: Value, rest: Make, span: Span, name: str) -> Value:
    test = truth(frame, first, span)
    if isinstance(test, Lit):
        return rest() if bool(test.value) == (word == "and") else first

    def keep() -> Value:
        return first

    return conditional(frame, test, *((rest, keep) if word == "and" else (keep, rest)), span, name)


def comprehension(frame: Frame, node: tree.Comprehension) -> Value:
    """A list of known length, written out; its targets' names are its own."""
    if node.generator:
        raise refuse(
            node.span,
            "a generator expression is not supported but in a call of Python's sum, any, all, max, min, tuple or list: "
            "nothing is computed lazily; write a list comprehension `[... for ...]`",
        )
    names = frozenset(name for clause in node.clauses for name in target_names(clause.target))
    first = all_items(frame, evaluate(frame, node.clauses[0].iterable))
    hidden = {name: frame.st.env[name] for name in names if name in frame.st.env}
    local, frame.locals = frame.locals, frame.locals | names
    values = list(comprehended(frame, node.value, node.clauses, first))
    frame.locals = local
    for name in names:
        frame.st.env.pop(name, None)
    frame.st.env.update(hidden)
    return Nest(list, tuple(values))


def comprehended(
    frame: Frame, value: tree.Expression, clauses: tuple[tree.Clause, ...], items: list[Value]
) -> Iterator[Value]:
    """The values for all items of the first clause."""
    (target, conditions), rest = (clauses[0].target, clauses[0].conditions), clauses[1:]
    for item in items:
        for name, part in matched(frame, target, item):
            assert isinstance(name, tree.Name)
            frame.st.env[name.id] = part
        if not all(known_condition(frame, each) for each in conditions):
            continue
        if rest:
            yield from comprehended(frame, value, rest, all_items(frame, evaluate(frame, rest[0].iterable)))
        else:
            yield evaluate(frame, value)


def known_condition(frame: Frame, node: tree.Expression) -> bool:
    test = condition(frame, node)
    if isinstance(test, Lit):
        return bool(test.value)
    raise refuse(
        node.span, "a list's length must be known before it runs: write a loop that counts, or `np.where`"
    )
