"""Lists of what is gone through where how much that is, is not known: comprehensions, list(x), xs.extend(x).

[f(v) for v in x if v > 0]      ->      listed = []
                                        for v in x:
                                            if v > 0:
                                                listed.append(f(v))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from codegen.cost_model import LISTED_AT_MOST, LISTED_EQUATIONS
from codegen.infer.control.iterables import is_counted, known_items
from codegen.infer.frame import Frame
from codegen.infer.memory.buffers import of_range
from codegen.infer.memory.growing_lists import LengthsDiffer, copied
from codegen.infer.memory.list_items import rows_as_list
from codegen.infer.memory.subscripts import items_of_value
from codegen.infer.objects.fields import fields_of
from codegen.infer.tables.forms import LISTS_OF_LISTS, wanting_lists
from codegen.infer.tables.lists import chosen_among, of_numbers
from codegen.infer.texts.known_texts import by_itself
from codegen.infer.values import Closure, GrowingList, Nest, Range, Ref, Static, Value, View, Yields, rebuild
from codegen.ir import Call, Equation, Lit, Var
from codegen.ir.traversal import claimed_name, nested
from codegen.read import tree
from codegen.read.scope import Node, free_names, parts_of, read_names, target_names
from codegen.source import SourceError, Span, refuse


def of_yields(
    frame: Frame, called: object, arguments: tuple[Value, ...], keywords: Mapping[str, Value]
) -> tuple[Value, ...]:
    """What np.fromiter is given, of what a function yields a list, of `count` items where it is told."""
    if called is not np.fromiter or not arguments or not isinstance(arguments[0], Yields):
        return arguments
    count = keywords.get("count", arguments[2] if len(arguments) > 2 else None)
    return as_list(frame, arguments[0], count), *arguments[1:]


def as_list(frame: Frame, iterable: Value, count: Value | None = None) -> Value:
    """The list of what a value holds, whose length need not be known. `count`: that many of what a function yields."""
    match iterable:
        case GrowingList():
            return by_itself(copied(frame, iterable))
        case Ref() | View():
            return rows_as_list(frame, iterable)
        case Range():
            places = frame.take(of_range(frame.b, iterable), "places")
            assert isinstance(places, Ref)
            return rows_as_list(frame, places, python=True)
    name = tree.Name(frame.span, "item")
    return collected(frame, name, [tree.Clause(frame.span, name, name, ())], iterable, frame.span, count)


def list_of(frame: Frame, value: Value, span: Span) -> Value:
    """The list of what `*value` stands for."""
    if is_counted(frame, value):
        return as_list(frame, value)
    return Nest(list, tuple(items_of_value(frame, value, span)))


def one_after_another(frame: Frame, lists: Value) -> Value:
    """The list of the items of lists, of the first, the second, and so on."""
    span = frame.span
    each, item = tree.Name(span, "each"), tree.Name(span, "item")
    clauses = [tree.Clause(span, each, each, ()), tree.Clause(span, item, each, ())]
    return collected(frame, item, clauses, lists, span)


@contextmanager
def in_lists_made_at(span: Span) -> Iterator[None]:
    """While a comprehension makes a list there: it is a list of lists where its items ask for one."""
    try:
        yield
    except SourceError as error:
        if error.wants_table is not None and error.wants_table[0] is None:
            error.wants_table = span, error.wants_table[1]
        raise


def collected(
    frame: Frame,
    value: tree.Expression,
    clauses: Sequence[tree.Clause],
    first: Value,
    span: Span,
    count: Value | None = None,
) -> Value:
    """The list of a comprehension's values; what its first clause goes through is known. `count`: how many are enough,
    of one clause."""
    if isinstance(value, tree.Tuple) and value.list and not value.items:
        raise wanting_lists(refuse(value.span, LISTS_OF_LISTS), span)
    if (chosen := chosen_among(frame, value, clauses[0].target, first)) is not None:
        numbers, table = chosen
        return of_numbers(frame, table, collected(frame, numbers, clauses, first, span, count), "listed")
    names = {name for clause in clauses for name in target_names(clause.target)}
    taken = {*frame.locals}.union(
        names, read_names(value), *(read_names(part) for clause in clauses for part in clause_parts(clause))
    )
    made, through, enough = (
        tree.Name(span, claimed_name(each, taken)) for each in ("listed", "items", "count")
    )
    call_ = tree.CallExpr(span, tree.Attribute(span, made, "append"), (value,))
    body: tuple[tree.Statement, ...] = (tree.Change(span, (made.id,), tree.Evaluate(span, call_)),)
    if count is not None:
        length = tree.CallExpr(span, tree.Constant(span, len), (made,))
        full = tree.Compare(span, tree.Constant(span, 0), (("<=", enough), ("<=", length)))
        body = (*body, tree.Branch(span, full, (tree.Break(span),), ()))
    for clause in reversed([replace(clauses[0], iterable=through), *clauses[1:]]):
        for condition in reversed(clause.conditions):
            body = (tree.Branch(condition.span, condition, body, ()),)
        body = (tree.Iterate(clause.span, clause.target, clause.iterable, body, ()),)
    with own_names(frame, frozenset({*names, made.id, through.id, enough.id})):
        frame.owned |= {made.id}
        before = dict(frame.st.env)
        frame.st.env |= {made.id: Nest(list, ()), through.id: first}
        frame.st.env |= {} if count is None else {enough.id: count}
        with in_lists_made_at(span):
            frame.inference.run(frame, body, frozenset({made.id}))
            found = frame.lookup(made.id, span)
        frame.st.env = before | fields_of(frame.st.env)
    return found


def rectangle(node: tree.Comprehension) -> tuple[list[tree.Clause], tree.Expression]:
    """The clauses of a list and of lists in it that all have the same items, and the innermost value."""
    clauses, value = [node.clauses[0]], as_comprehension(node.value)
    while isinstance(value, tree.Comprehension) and not value.generator and len(value.clauses) == 1:
        clause = value.clauses[0]
        names = {name for each in clauses for name in target_names(each.target)}
        if clause.conditions or not is_plain(clause.iterable) or names & {*read_names(clause.iterable)}:
            break
        clauses.append(clause)
        value = as_comprehension(value.value)
    if isinstance(value, tree.Comprehension):
        value = tree.CallExpr(value.span, tree.Constant(value.span, np.array), (value,))
    return clauses, value


def as_comprehension(node: tree.Expression) -> tree.Expression:
    """`[item] * count` as `[item for _ in range(count)]`, where the item is the same each time."""
    match node:
        case tree.Binary(span, "*", tree.Tuple(_, (item,), True), count):
            if is_plain(item) and is_plain(count) and "_" not in read_names(item):
                through = tree.CallExpr(span, tree.Constant(span, range), (count,))
                clause = tree.Clause(span, tree.Name(span, "_"), through, ())
                return tree.Comprehension(span, item, (clause,), False)
    return node


def makes_rows(node: tree.Comprehension) -> bool:
    """Whether a list is one of lists that all have as many items, which are no lists: `[[0] * n for _ in range(m)]`."""
    clauses, value = rectangle(node)
    return len(clauses) > 1 and not isinstance(value, tree.CallExpr | tree.Tuple | tree.Comprehension)


def is_plain(node: tree.Expression) -> bool:
    """Whether an iterable is made of names, numbers and ranges, which are the same each time."""
    match node:
        case tree.CallExpr(_, tree.Name(_, "range" | "len" | "zip" | "enumerate" | "reversed"), parts, ()):
            return all(map(is_plain, parts))
        case tree.CallExpr(_, tree.Constant(_, made), (count,)) if made is range:
            return is_plain(count)
        case tree.Binary(_, _, left, right):
            return is_plain(left) and is_plain(right)
        case tree.Attribute(_, value, _) | tree.Unary(_, _, value):
            return is_plain(value)
        case tree.Subscript(_, value, index):
            return is_plain(value) and is_plain(index)
    return isinstance(node, tree.Name | tree.Constant)


def clause_parts(clause: tree.Clause) -> Iterator[tree.Expression]:
    yield clause.iterable
    yield from clause.conditions


@contextmanager
def own_names(frame: Frame, names: frozenset[str]) -> Iterator[None]:
    """While names are a comprehension's."""
    hidden = {name: frame.st.env[name] for name in names if name in frame.st.env}
    local, frame.locals = frame.locals, frame.locals | names
    try:
        yield
    finally:
        frame.locals = local
    for name in names:
        frame.st.env.pop(name, None)
    frame.st.env.update(hidden)


def bound_late(frame: Frame, value: tree.Expression, items: tuple[Value, ...], names: frozenset[str]) -> Nest:
    """The list of a comprehension's `items`. The functions in it that `value` makes see its names as they are when it
    ends: each has them as defaults of parameters that nobody names.
    """
    bodies = {part.body for part in parts_within(value) if isinstance(part, tree.Lambda)}

    def bound(leaf: Value) -> Value:
        if not isinstance(leaf, Closure) or leaf.define.body not in bodies:
            return leaf
        last = {
            name: frame.st.env[name] for name in free_names(leaf.define) if name in names & {*frame.st.env}
        }
        span = leaf.define.span
        more = (tree.Parameter(span, name, tree.Name(span, name), "keyword") for name in last)
        define = replace(leaf.define, parameters=(*leaf.define.parameters, *more))
        return replace(leaf, define=define, defaults=leaf.defaults | last)

    return Nest(list, tuple(rebuild(item, bound) for item in items) if bodies else items)


def parts_within(node: Node) -> Iterator[Node]:
    yield node
    for part in parts_of(node):
        yield from parts_within(part)


def may_hold_lists(value: Value) -> bool:
    """Whether a list that a function was given may be what it gave, or in it."""
    if isinstance(value, Nest) and value.cls is tuple:
        return any(map(may_hold_lists, value.items))
    return not isinstance(value, Var | Lit | Ref | View | Static | Range)


def has_objects(
    frame: Frame,
    node: tree.Comprehension,
    iterable: Value,
    evaluate: Callable[[Frame, tree.Expression], Value],
) -> bool:
    """Whether a list of lists whose length is not known is one of objects, which are written under every name."""
    if not frame.inference.list_objects or not isinstance(iterable, Range):
        return False
    return any(is_counted(frame, evaluate(frame, inner.iterable)) for inner in rectangle(node)[0][1:])


class TooLong(Exception):
    """A loop had better not be written out."""


def in_few_equations(
    frame: Frame,
    iterable: Value,
    written_out: Callable[[int | None], Value],
    as_loop: Callable[[bool], Value],
    rows: bool,
) -> Value:
    """The list of a comprehension over items whose number is known: written out where that is no long text, or nothing
    but that is left; else a loop, `rows`: of rows of an array, if it can be."""
    before, count = frame.st.copy(), len(frame.b.equations)

    def undo() -> None:
        frame.st = before.copy()
        del frame.b.equations[count:]

    most = None if known_items(frame, iterable) is not None else longest_text(frame)
    try:
        return written_out(most)
    except LengthsDiffer:
        undo()
        return as_loop(False)
    except TooLong:
        undo()
    try:
        return as_loop(rows)
    except SourceError as error:
        undo()
        try:
            return written_out(LISTED_AT_MOST)
        except (LengthsDiffer, TooLong):
            raise error from None


def longest_text(frame: Frame) -> int:
    """How many equations a loop that makes lists longer may be, written out."""
    return LISTED_AT_MOST if frame.inference.written else LISTED_EQUATIONS


def while_short(frame: Frame, values: Iterator[Value], items: int, most: int | None) -> Iterator[Value]:
    """Values that are written out one by one. Raises TooLong where the first one shows that all would be more than
    `most` equations."""
    count = len(frame.b.equations)
    for k, value in enumerate(values):
        if k == 0:
            check_length(frame, frame.b.equations[count:], items, most)
        yield value


def check_length(frame: Frame, of_one: Sequence[Equation], items: int, most: int | None) -> None:
    """Raises TooLong where so many items of which one took these equations would be more than `most`."""
    if most is not None and items * text_length(frame, of_one) > most:
        raise TooLong


def text_length(frame: Frame, listed: Sequence[Equation]) -> int:
    """How many equations there are, those of the functions that they call included, each time; of one that calls itself
    once."""
    functions, lengths = frame.inference.functions, dict[str, int]()

    def work(listed: Sequence[Equation]) -> int:
        total = 0
        for each in nested(listed):
            total += 1
            name = each.op.function if isinstance(each.op, Call) else ""
            if name in functions:
                if name not in lengths:
                    lengths[name] = 0
                    lengths[name] = work(functions[name].body.equations)
                total += lengths[name]
        return total

    return work(listed)
