"""Expressions to values: names, literals, operators, subscripts, attributes, displays, what runs on one way only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, assert_never

import numpy as np

import codegen.infer.calls.combinations
import codegen.infer.calls.mapped
import codegen.infer.complex_numbers.builtins
import codegen.infer.tables.builtins
import codegen.infer.tables.parts
import codegen.infer.texts.text_functions  # noqa: F401  (what these six have is among Python's functions then)
from codegen.infer.attributes import attribute, read_of
from codegen.infer.calls.containers import items_by_key, joined_display
from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.generators import (
    WHOLE,
    becomes_loop,
    columns_of_rows,
    first_in_turn,
    further_arguments,
    generator_reduction,
    is_reduction,
    joins_texts,
    makes_arrays,
)
from codegen.infer.calls.listed import (
    bound_late,
    collected,
    has_objects,
    in_few_equations,
    makes_rows,
    may_hold_lists,
    of_yields,
    own_names,
    while_short,
)
from codegen.infer.calls.rows import from_library
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.control.conditions import conditional, short_circuit
from codegen.infer.control.given_generators import LAZY, call_with_generators, is_generator, is_users
from codegen.infer.control.iterables import all_items, is_counted
from codegen.infer.control.iterators import gone_through
from codegen.infer.control.truth import truth
from codegen.infer.frame import Frame
from codegen.infer.memory.changes import pop, popped
from codegen.infer.memory.growing_lists import LengthsDiffer
from codegen.infer.memory.growing_objects import as_long_as_it_is
from codegen.infer.memory.list_items import has_known_size
from codegen.infer.memory.list_objects import NoNumbers, as_object, is_pythons_copy, lists_as_objects
from codegen.infer.memory.list_rows import list_rows
from codegen.infer.memory.masks import chosen
from codegen.infer.memory.patterns import bind_target
from codegen.infer.memory.subscripts import get_item, items_of_value
from codegen.infer.operators import compare, negate, operands_of, operate
from codegen.infer.optional import as_told, compares_none, learn, present
from codegen.infer.tables.changing import made_empty
from codegen.infer.tables.elements import dict_of_lists, elements_taken, keys_given, want_lists
from codegen.infer.tables.lists_of_lists import as_lists, list_of_lists
from codegen.infer.texts.known_texts import is_chosen, is_letters
from codegen.infer.texts.letters import looked_at, looked_at_by
from codegen.infer.texts.wording import is_text
from codegen.infer.unloaded import object_at
from codegen.infer.values import Closure, GrowingList, Nest, Ref, Static, Value
from codegen.ir import Lit, Var
from codegen.ir.traversal import claimed_name
from codegen.primitives.shape import tells_slope
from codegen.read import tree
from codegen.read.lists.kept_names import handed_to
from codegen.read.lists.lists_put import puts_new
from codegen.read.lists.owned_lists import is_new, is_new_copy
from codegen.read.scope import target_names
from codegen.source import Span, refuse


def evaluate(frame: Frame, node: tree.Expression, *, name: str = "t") -> Value:
    """The value of an expression, which is needed; what it builds is called `name`."""
    return present(frame, evaluate_optional(frame, node, name=name), node.span)


def evaluate_optional(frame: Frame, node: tree.Expression, *, name: str = "t") -> Value:
    """The value of an expression, which may be None."""
    with frame.b.at(node.span):
        return evaluate_node(frame, node, name)


def evaluate_iterable(frame: Frame, node: tree.Expression) -> Value:
    """What is gone through."""
    return looked_at(frame, evaluate(frame, node))


def condition(frame: Frame, node: tree.Expression) -> Var | Lit:
    """An expression as a condition: a scalar bool."""
    if isinstance(node, tree.Logical):
        with frame.b.at(node.span):
            return truth(frame, logical(frame, node.operator, node.values, "t", of_truths=True), node.span)
    return truth(frame, evaluate_optional(frame, node), node.span)


def evaluate_node(frame: Frame, node: tree.Expression, name: str) -> Value:
    match node:
        case tree.Name(span, id_):
            return gone_through(frame, node, as_told(frame.lookup(id_, span)))
        case tree.Constant(span, value):
            return frame.constant(value, "t", span)
        case tree.Text():
            return frame.inference.text(frame, node)
        case tree.Binary() | tree.CallExpr() if is_text(node) and frame.is_known("str"):
            return frame.inference.text(frame, node)
        case tree.Import(span, path):
            return frame.constant(object_at(path, span), name, span)
        case tree.Tuple(_, items, True) if any(isinstance(each, tree.Starred) for each in items):
            return joined_display(frame, items, evaluate_optional, name)
        case tree.Tuple(_, items):
            return as_lists(frame, node, tuple(evaluate_items(frame, items)), name)
        case tree.DictDisplay(_, ()):
            return made_empty(frame, dict, name)
        case tree.DictDisplay(_, keys, values):
            made = evaluate_keywords(frame, tuple(zip(keys, values, strict=True)), again=True)
            return Nest(dict, tuple(made.values()), tuple(made))
        case tree.Attribute(span, owner, attribute_):
            want_lists(frame, owner, attribute_)
            return attribute(frame, read_of(frame, owner, evaluate), attribute_, span)
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
        case tree.Binary(span, sign):
            return operate(frame, sign, *operands_of(frame, node, evaluate), name)
        case tree.Logical(_, word, values):
            return logical(frame, word, values, name)
        case tree.Compare(span, left, rest):
            return compared_in_turn(frame, evaluate_optional(frame, left), rest, span)
        case tree.Conditional(span, test, then, orelse):
            met = condition(frame, test)
            ways = zip((True, False), (then, orelse), strict=True)
            first, second = (partial(evaluate_after, frame, test, *way, name=name) for way in ways)
            return conditional(frame, met, first, second, span, name)
        case tree.Comprehension():
            return list_of_lists(frame, node, evaluate, own_names, name) or comprehension(frame, node)
        case tree.Lambda():
            return make_closure(frame, node)
        case tree.Starred(span):
            raise refuse(span, "`*` can only stand in a call, a tuple or a pattern")
        case tree.Slice(span):
            raise refuse(span, "a slice can only stand between brackets")
        case _:
            assert_never(node)


def evaluate_after(
    frame: Frame, test: tree.Expression, outcome: bool, node: tree.Expression, *, name: str = "t"
) -> Value:
    """The value of an expression where a test came out so."""
    learn(frame, test, outcome)
    return evaluate_optional(frame, node, name=name)


def call_expression(frame: Frame, node: tree.CallExpr, name: str) -> Value:
    if (owned := popped(frame, node)) is not None:
        given = tuple(evaluate_items(frame, node.arguments))
        return pop(frame, *owned, given, node.span)
    function = evaluate(frame, node.function)
    called = function.value if isinstance(function, Static) else None
    if called is zip and (columns := columns_of_rows(frame, node)) is not None:
        return evaluate(frame, columns, name=name)
    first = first_in_turn(frame, called, node.arguments, evaluate)
    if first is not None and tells_slope(called) and not frame.inference.slopes:
        return evaluate(frame, first, name=name)
    if (made := elements_taken(frame, node, function, evaluate_optional, own_names)) is not None:
        return made
    if (made := dict_of_lists(frame, node, called, evaluate, own_names, name)) is not None:
        return made
    lists_as_objects(frame, node)
    if is_users(function) and any(map(is_generator, (*node.arguments, *dict(node.keywords).values()))):
        return call_with_generators(frame, function, node, name, (evaluate_items, evaluate_keywords))
    if called is not None and becomes_loop(first, called):
        return of_generator(frame, called, first, node, name)
    evaluated = evaluate_items(frame, node.arguments, as_arrays=makes_arrays(called))
    keywords = evaluate_keywords(frame, node.keywords)
    arguments = of_yields(frame, called, looked_at_by(frame, called, evaluated), keywords)
    if frame.inference.list_objects and len(arguments) == len(node.arguments) and is_users(function):
        pairs = zip(node.arguments, arguments, strict=True)
        arguments = tuple(as_object(frame, each, v, "t") if is_new(each) else v for each, v in pairs)
    arguments, keywords = keys_given(frame, called, arguments, keywords)
    if called is not None and from_library(called) and called not in (bool, isinstance):
        arguments = tuple(present(frame, value, node.span) for value in arguments)
        keywords = {key: present(frame, value, node.span) for key, value in keywords.items()}
    is_made = isinstance(first, tree.Comprehension) and isinstance(arguments[0], Ref)
    if is_made and called is np.array and len(arguments) == 1 and not keywords:
        return arguments[0]  # which is new
    if arguments and isinstance(held := arguments[0], GrowingList) and called is not None:
        by_items = "key" not in keywords and (has_known_size(frame, held) or bool(keywords))
        if by_items and is_reduction(called) and (len(arguments) == 1 or called is sum):
            return of_list(frame, called, held, node, name)
    frame.inference.puts_new = bool(node.arguments) and puts_new(node.arguments[-1], frame.owned)
    with frame.b.at(node.span):
        made = call_value(frame, function, arguments, keywords, name)
    if (
        is_new_copy(node)
        and not is_pythons_copy(function, made)
        and (frame.owned or frame.inference.list_objects)
    ):
        raise refuse(node.span, "a list that a user's `copy` gives may have other names: call it otherwise")
    if may_hold_lists(made):
        frame.owned -= {value.id for value in handed_to(node)}
    return made


def of_generator(
    frame: Frame, function: Any, generator: tree.Comprehension, node: tree.CallExpr, name: str
) -> Value:
    """A call of one of Python's functions of a generator expression."""
    others = node.arguments[1:]
    if function in WHOLE or "key" in dict(node.keywords) and not others:
        made = comprehension(frame, replace(generator, generator=False)), *evaluate_items(frame, others)
        return call_value(frame, Static(function), made, evaluate_keywords(frame, node.keywords), name)
    if not (is_reduction(function) or joins_texts(function)):
        return comprehension(frame, generator)  # which refuses it
    keywords = further_arguments(function, node)
    given = tuple(evaluate(frame, value) for value in keywords.values())
    define = generator_reduction(function, generator, keywords)
    with frame.b.at(node.span):
        return call_value(frame, make_closure(frame, define), given, {}, name)


def of_list(frame: Frame, function: Any, held: GrowingList, node: tree.CallExpr, name: str) -> Value:
    """Python's sum, any, all, max or min of a list, by the loop over its items."""
    span = node.span
    item, through = (tree.Name(span, claimed_name(each, {*frame.locals})) for each in ("item", "items"))
    generator = tree.Comprehension(span, item, (tree.Clause(span, item, through, ()),), True)
    with own_names(frame, frozenset({through.id})):
        frame.st.env[through.id] = held
        return of_generator(
            frame, function, generator, replace(node, arguments=(generator, *node.arguments[1:])), name
        )


def make_closure(frame: Frame, define: tree.Define | tree.Lambda) -> Closure:
    """A nested function where it is made: its defaults are evaluated here."""
    defaults = {p.name: evaluate(frame, p.default) for p in define.parameters if p.default is not None}
    return Closure(define, frame, frame.st.env, defaults)


def evaluate_items(
    frame: Frame, items: tuple[tree.Expression, ...], *, as_arrays: bool = False
) -> list[Value]:
    """Evaluated items, starred ones spread out. `as_arrays`: what takes them makes arrays of lists."""
    values: list[Value] = []
    for item in items:
        if isinstance(item, tree.Starred):
            values.extend(items_of_value(frame, evaluate(frame, item.value), item.span))
        elif as_arrays and isinstance(item, tree.Comprehension) and not item.generator:
            values.append(comprehension(frame, item, as_array=True))
        else:
            values.append(evaluate_optional(frame, item))
    return values


def evaluate_keywords(
    frame: Frame, keywords: tuple[tuple[str | None, tree.Expression], ...], *, again: bool = False
) -> dict[str, Value]:
    """Values by name, those of dicts spread out; a name may come again in a dict, not among arguments."""
    made: dict[str, Value] = {}
    for key, node in keywords:
        value = evaluate_optional(frame, node)
        spread = {key: value} if key is not None else items_by_key(frame, value, node.span)
        if not again and (twice := next((each for each in spread if each in made), None)) is not None:
            raise refuse(node.span, f"the call is given the keyword argument {twice!r} twice")
        made.update(spread)
    return made


def evaluate_index(frame: Frame, node: tree.Expression) -> Any:
    """What stands between brackets, as rules take it: ints, Es, slices, None, Ellipsis, strings."""
    if isinstance(node, tree.Tuple) and not node.list:
        return tuple(evaluate_index(frame, item) for item in node.items)
    if isinstance(node, tree.Slice):
        parts = (node.start, node.stop, node.step)
        return slice(*(None if n is None else part_of_slice(frame, n) for n in parts))
    value = evaluate(frame, node)
    return value if is_chosen(value) or is_letters(value) else frame.give(value, node.span, any_dtype=False)


def part_of_slice(frame: Frame, node: tree.Expression) -> Any:
    """A bound or the step, which np.r_ and np.mgrid take for a number of points if it is imaginary."""
    value = evaluate(frame, node)
    if is_complex(value):
        known = [part.value for part in value.items if isinstance(part, Lit)]
        if len(known) == 2:
            return complex(*known)
    return frame.give(value, node.span)


def compared_in_turn(
    frame: Frame, x: Value, rest: tuple[tuple[str, tree.Expression], ...], span: Span
) -> Value:
    """`a < b <= c`: each operand once, later ones only where the earlier comparisons hold."""
    sign, node = rest[0]
    y = evaluate_optional(frame, node)
    if not compares_none(sign, x, y):
        x, y = present(frame, x, span), present(frame, y, node.span)
    met = compare(frame, sign, x, y)
    if len(rest) == 1:
        return met
    return short_circuit(frame, "and", met, lambda: compared_in_turn(frame, y, rest[1:], span), span, "t")


def logical(
    frame: Frame, word: str, values: tuple[tree.Expression, ...], name: str, *, of_truths: bool = False
) -> Value:
    """`and` and `or`: an operand's value; later ones run only where needed. `of_truths`: its truth, if asked."""
    first = condition(frame, values[0]) if of_truths else evaluate_optional(frame, values[0])
    if len(values) == 1:
        return first

    def rest() -> Value:
        learn(frame, values[0], word == "and")
        return logical(frame, word, values[1:], name, of_truths=of_truths)

    return short_circuit(frame, word, first, rest, values[0].span, name)


def comprehension(frame: Frame, node: tree.Comprehension, *, as_array: bool = False) -> Value:
    """A list, written out where its length is known; its targets' names are its own. `as_array`: an array of rows of
    one size, where it is not."""
    if node.generator:
        raise refuse(node.span, LAZY)
    names = frozenset(name for clause in node.clauses for name in target_names(clause.target))
    iterable = evaluate_iterable(frame, node.clauses[0].iterable)
    with as_long_as_it_is(frame, iterable, node.span):
        return listed_items(frame, node, iterable, names, as_array=as_array)


def listed_items(
    frame: Frame, node: tree.Comprehension, iterable: Value, names: frozenset[str], *, as_array: bool
) -> Value:
    clause = node.clauses[0]
    of_rows = as_array or makes_rows(node)
    counted = is_counted(frame, iterable)
    if of_rows and not (as_array or counted):
        counted = has_objects(frame, node, iterable, evaluate)

    def written_out(most: int | None) -> Value:
        with own_names(frame, names):
            first = all_items(frame, iterable)
            made = comprehended(frame, node.value, node.clauses, first, as_array=as_array)
            values = tuple(while_short(frame, made, len(first), most))
            return bound_late(frame, node.value, values, names)

    def as_loop(rows: bool) -> Value:
        if rows and len(node.clauses) == 1 and not clause.conditions:
            with suppress(NoNumbers):
                return list_rows(frame, node, iterable, (evaluate, bind_target), as_list=not as_array)
        return collected(frame, node.value, node.clauses, iterable, node.span)

    return as_loop(of_rows) if counted else in_few_equations(frame, iterable, written_out, as_loop, of_rows)


def comprehended(
    frame: Frame,
    value: tree.Expression,
    clauses: Sequence[tree.Clause],
    items: list[Value],
    *,
    as_array: bool,
) -> Iterator[Value]:
    """The values for all items of the first clause."""
    first, *rest = clauses
    for item in items:
        bind_target(frame, first.target, item)
        if not all(known_condition(frame, each) for each in first.conditions):
            continue
        if rest:
            inner = evaluate_iterable(frame, rest[0].iterable)
            if is_counted(frame, inner):
                raise LengthsDiffer
            further = all_items(frame, inner)
            yield from comprehended(frame, value, rest, further, as_array=as_array)
        else:
            yield from evaluate_items(frame, (value,), as_arrays=as_array)


def known_condition(frame: Frame, node: tree.Expression) -> bool:
    test = condition(frame, node)
    if isinstance(test, Lit):
        return bool(test.value)
    raise LengthsDiffer
