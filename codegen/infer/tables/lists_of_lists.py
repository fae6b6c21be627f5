"""Lists of lists that get longer, each for itself, under any names: lists of the numbers that these have in a store.

    graph = [[] for _ in range(n)]        graph = [*range(n)]        the numbers of the lists
    graph[u].append(v)              ->    append_to(graph[u], graph_lists_starts, ..., graph_items, v)

Which lists are such is found out by what is done with their items: then inference begins anew (known_lists.py).
"""

from __future__ import annotations

from functools import partial

from codegen.infer.frame import Frame
from codegen.infer.memory.aliases import whole_list
from codegen.infer.memory.list_objects import growing_object
from codegen.infer.tables.changing import put_behind
from codegen.infer.tables.elements import Evaluate, OwnNames, put_one_by_one
from codegen.infer.tables.forms import known_form
from codegen.infer.tables.lists import INT, new_store
from codegen.infer.tables.values import Table
from codegen.infer.values import GrowingList, Nest, Range, Ref, Static, Value, View
from codegen.read import tree
from codegen.read.lists.owned_lists import is_new
from codegen.source import Span


def is_of_lists(frame: Frame, span: Span) -> bool:
    form = known_form(frame, span)
    return isinstance(form, Nest) and form.cls is list


def as_lists(frame: Frame, node: tree.Tuple, items: tuple[Value, ...], name: str) -> Nest:
    """What a display gives: such a list, where it is known to be one."""
    if not node.list or not is_of_lists(frame, node.span):
        return Nest(list if node.list else tuple, items)
    table = no_lists(frame, node.span, name)
    for each, item in zip(node.items, items, strict=True):
        frame.inference.puts_new = is_new(each)
        put_behind(frame, table, item)
    return table


def no_lists(frame: Frame, span: Span, name: str) -> Table:
    """A list of lists that has none yet; `name`: of what it is bound to, "t" where it is not."""
    name = "listed" if name == "t" else name
    store = new_store(frame, known_form(frame, span).items[1].items[0], name, span)
    return Table.of_lists(growing_object(frame, Nest(list, ()), INT, name, span), store)


def is_empty_display(node: tree.Expression) -> bool:
    return isinstance(node, tree.Tuple) and node.list and not node.items


def empty_lists(frame: Frame, span: Span, name: str, through: Value) -> Table:
    """`[[] for _ in through]`"""
    name = "listed" if name == "t" else name
    size = frame.inference.call(frame, Static(len), (through,), {}, f"{name}_count")
    count = frame.b.apply("maximum", frame.give(size), 0, name=f"{name}_count")
    store = new_store(frame, known_form(frame, span).items[1].items[0], name, span, count)
    numbers = frame.take(frame.b.apply("arange", count, dtype="i8", name=name), name)
    return Table.of_lists(
        growing_object(frame, whole_list(numbers, (True,), frame.st), INT, name, span), store
    )


def list_of_lists(
    frame: Frame, node: tree.Comprehension, evaluate: Evaluate, own_names: OwnNames, name: str
) -> Value | None:
    """What a comprehension gives, if it is known to be such a list; else None."""
    if node.generator or not is_of_lists(frame, node.span):
        return None
    span, (clause, *more) = node.span, node.clauses
    first = evaluate(frame, clause.iterable)
    has_length = isinstance(first, Range | Nest | GrowingList | Ref | View)
    if has_length and not more and not clause.conditions and is_empty_display(node.value):
        return empty_lists(frame, span, name, first)

    def put(made: tree.Name) -> tree.Statement:
        append = tree.Attribute(span, made, "append")
        return tree.Evaluate(span, tree.CallExpr(span, append, (node.value,)))

    empty = partial(no_lists, frame, span, name)
    return put_one_by_one(frame, node, "listed", empty, put, first, own_names)
