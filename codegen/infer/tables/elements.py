"""Calls of Python's functions that go through dicts and sets whose keys are numbers: of a set only such on whose order
nothing hangs.

sum(x * x for x in s)      ->      sum(x * x for x in elements), elements being a list
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from codegen.infer.calls.rows import from_library
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Kind
from codegen.infer.memory.growing_lists import form_of_list, is_list, kinds_in, united
from codegen.infer.memory.growing_objects import is_object
from codegen.infer.memory.list_objects import where_made
from codegen.infer.objects.fields import fields_of
from codegen.infer.tables.changing import made_empty
from codegen.infer.tables.forms import LISTS_OF_LISTS, wanting_lists, wanting_table, where_assigned, wide_form
from codegen.infer.tables.methods import looked_up
from codegen.infer.tables.reading import as_gone_through, as_list_alone
from codegen.infer.tables.values import HeldList, Lists, NewTable, Table
from codegen.infer.values import GrowingList, Nest, NewList, Static, Value
from codegen.ir import Var
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.lists.owned_lists import CHANGING, IN_LENGTH, is_new
from codegen.read.scope import all_statements, read_names, target_names
from codegen.source import list_changed, refuse

# Python's functions that go through what they are given, those of which a set's order changes no result, and those of
# what is made of each element of which it does not.
GONE_THROUGH = (all, any, enumerate, filter, list, map, max, min, reversed, sorted, sum, tuple, zip)
ORDERLESS = (all, any, max, min, sorted, sum)
OF_ELEMENTS = (all, any, frozenset, max, min, set, sorted, sum)
Evaluate = Callable[[Frame, tree.Expression], Value]
OwnNames = Callable[[Frame, frozenset[str]], AbstractContextManager[None]]


def is_among(function: Any, others: Iterable[Any]) -> bool:
    return any(function is each for each in others)


def keys_given(
    frame: Frame, function: Any, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """What one of these functions is given: the keys of dicts and sets, as lists."""
    if not is_among(function, GONE_THROUGH):
        if function is None or not from_library(function):
            return arguments, keywords
        alone = tuple(as_list_alone(frame, each) for each in arguments)
        return alone, {key: as_list_alone(frame, each) for key, each in keywords.items()}
    if is_among(function, (enumerate, reversed, zip)) and any(isinstance(each, Lists) for each in arguments):
        through = (
            each if isinstance(each, Lists) else as_gone_through(frame, each, in_order=True)
            for each in arguments
        )
        return tuple(through), keywords
    in_order = not is_among(function, ORDERLESS) or "key" in keywords
    given = tuple(as_gone_through(frame, each, in_order=in_order) for each in arguments)
    return given, {key: looked_up(each) if key == "key" else each for key, each in keywords.items()}


def elements_taken(
    frame: Frame, node: tree.CallExpr, function: Value, evaluate: Evaluate, own_names: OwnNames
) -> Value | None:
    """A call of a function of what is made of each element of a set that has a name; None of others."""
    called = function.value if isinstance(function, Static) else None
    made = node.arguments[0] if node.arguments else None
    if not (isinstance(made, tree.Comprehension) and is_among(called, OF_ELEMENTS)) or node.keywords:
        return None
    name = made.clauses[0].iterable
    held = {**frame.captured, **frame.st.env}.get(name.id) if isinstance(name, tree.Name) else None
    if not (isinstance(held, Table) and held.is_set):
        return None
    through = tree.Name(node.span, claimed_name("elements", {*frame.locals}))
    clauses = (replace(made.clauses[0], iterable=through), *made.clauses[1:])
    with own_names(frame, frozenset({through.id})):
        frame.st.env[through.id] = as_gone_through(frame, held, in_order=False)
        arguments = (replace(made, clauses=clauses), *node.arguments[1:])
        found = evaluate(frame, replace(node, arguments=arguments))
    if called is sum and isinstance(found, Var) and found.type.is_float:
        raise refuse(
            node.span,
            "a sum of floats hangs on their order, and a set has none: go through sorted(...) of it",
        )
    return found


def dict_of_lists(
    frame: Frame, node: tree.CallExpr, called: Any, evaluate: Evaluate, own_names: OwnNames, name: str
) -> Value | None:
    """`{key: [...] for ...}`: a dict whose values are new lists, put into it one by one; None of other calls."""
    match node.arguments:
        case (tree.Comprehension(span, tree.Tuple(_, (key, value))) as listed,) if called is dict:
            if not is_new(value):
                return None
        case _:
            return None

    def put(made: tree.Name) -> tree.Statement:
        return tree.Assign(span, (tree.Subscript(span, made, key),), value)

    def empty() -> Value:
        with frame.b.at(span):
            return made_empty(frame, dict, "made" if name == "t" else name)

    first = evaluate(frame, listed.clauses[0].iterable)
    return put_one_by_one(frame, listed, "made", empty, put, first, own_names)


def put_one_by_one(
    frame: Frame,
    node: tree.Comprehension,
    name: str,
    empty: Callable[[], Value],
    put: Callable[[tree.Name], tree.Statement],
    first: Value,
    own_names: OwnNames,
) -> Value:
    """What a comprehension puts into what is empty, one by one, by a statement; `first` is what its first clause goes
    through."""
    span, clauses = node.span, node.clauses
    names = frozenset(target for clause in clauses for target in target_names(clause.target))
    taken = {*frame.locals, *names, *read_names(node)}
    made, through = (tree.Name(span, claimed_name(wanted, taken)) for wanted in (name, "items"))
    body = put(made)
    for clause in reversed([replace(clauses[0], iterable=through), *clauses[1:]]):
        for condition in reversed(clause.conditions):
            body = tree.Branch(condition.span, condition, (body,), ())
        body = tree.Iterate(clause.span, clause.target, clause.iterable, (body,), ())
    with own_names(frame, frozenset({*names, made.id, through.id})):
        before = dict(frame.st.env)
        frame.st.env |= {made.id: empty(), through.id: first}
        frame.inference.run(frame, (body,), frozenset({made.id}))
        found = frame.st.env[made.id]
        frame.st.env = before | fields_of(frame.st.env)
    return found


def want_lists(frame: Frame, node: tree.Expression, method: str | None = None) -> None:
    """SourceError where a list is changed that is a value of a dict of which all keys are known, or is in a list: it
    must be one whose lists are objects. `method`: by which, None where an item is written."""
    last = method is None and frame.inference.grown is not None  # where nothing else is left
    listed = last or method in IN_LENGTH
    name = name_of_whole(frame, node, listed) if method is None or method in CHANGING else None
    if name is None:
        return
    held = {**frame.captured, **frame.st.env}.get(name)
    made, item, last = (
        None,
        None,
        method is None and frame.inference.grown is not None,
    )  # where nothing else is left
    match held:
        case NewTable() if any(map(is_plain_list, held.items)):
            raise wanting_table(frame, held, wide_form(frame, held, None))
        case Nest() if listed and is_of_plain_lists(held):
            made = held.made if isinstance(held, NewList) else None
        case GrowingList() if listed and has_listed_rows(frame, held):
            made, item = where_made(frame, held), form_in_rows(frame, held)
        case _:
            return
    made = made or where_assigned(frame, name)
    if last and made is None:
        return
    error = wanting_lists(list_changed(node.span, LISTS_OF_LISTS), made, item)
    error.of_last_resort = last
    raise error


def is_plain_list(item: Value) -> bool:
    """Whether it is a list that is no object."""
    if isinstance(item, GrowingList):
        return not item.fixed
    return isinstance(item, Nest) and item.cls is list and not isinstance(item, NewList)


def is_of_plain_lists(held: Nest) -> bool:
    """Whether it is a list of lists, which are no objects."""
    return held.cls is list and all(map(is_list, held.items)) and any(map(is_plain_list, held.items))


def name_of_whole(frame: Frame, node: tree.Expression, named: bool) -> str | None:
    """The name of the list or dict of which an item is changed: of `xs[k]`, or, if that may be `named`, of what a
    statement binds to it."""
    match node:
        case tree.Subscript(_, tree.Name(_, name)):
            return name
        case tree.Name(_, name) if named and name in frame.st.env:
            held = frame.st.env[name]
            if not is_object(held) and not isinstance(held, HeldList):
                return next(
                    (of for each in all_statements(frame.body) for of in items_bound(each, name)), None
                )
    return None


def items_bound(node: tree.Statement, name: str) -> Iterator[str]:
    """The name of the list whose item a statement binds to a name."""
    match node:
        case tree.Assign(_, (tree.Name(_, bound),), tree.Subscript(_, tree.Name(_, of), index)):
            if bound == name and not isinstance(index, tree.Slice | tree.Tuple):
                yield of
        case tree.Iterate(_, tree.Name(_, bound), tree.Name(_, of)) if bound == name:
            yield of


def form_in_rows(frame: Frame, held: GrowingList) -> Any:
    """The form of what is in the equally long lists of a list; None where they hold several."""
    form: Any = form_of_list(held, kinds_in(frame))
    if isinstance(form, Kind):
        return replace(form, dims=()) if len(form.dims) == 1 else None
    try:
        return united([*form.items])
    except Differ:
        return None


def has_listed_rows(frame: Frame, held: GrowingList) -> bool:
    """Whether the items of a list are equally long lists."""
    form: Any = form_of_list(held, kinds_in(frame))
    rows = isinstance(form, Kind) and form.dims and form.weak
    return bool(rows) or isinstance(form, Nest) and form.cls is list
