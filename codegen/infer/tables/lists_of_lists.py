"""Lists of lists that get longer, each for itself, under any names: dicts of lists whose keys are the places.

    graph = [[] for _ in range(n)]                graph = {k: [] for k in range(n)}
    def add(u, v):                        ->
        graph[u].append(v)

Which lists are such is found out by what is done with their items: then inference begins anew (known_lists.py).
"""

from __future__ import annotations

from functools import partial

from codegen.infer.frame import Frame
from codegen.infer.tables.changing import new_table, put_behind
from codegen.infer.tables.elements import Evaluate, OwnNames, put_one_by_one
from codegen.infer.tables.forms import known_form
from codegen.infer.tables.values import Table, TableList
from codegen.infer.values import Nest, Value
from codegen.read import tree
from codegen.read.lists.owned_lists import is_new
from codegen.source import Span


def is_of_lists(frame: Frame, span: Span) -> bool:
    form = known_form(frame, span)
    return isinstance(form, Nest) and form.cls is list


def as_lists(frame: Frame, node: tree.Tuple, items: tuple[Value, ...]) -> Nest:
    """What a display gives: such a list, where it is known to be one."""
    if not node.list or not is_of_lists(frame, node.span):
        return Nest(list if node.list else tuple, items)
    table = no_lists(frame, node.span, "listed")
    for each, item in zip(node.items, items, strict=True):
        frame.inference.puts_new = is_new(each)
        put_behind(frame, table, item)
    return table


def no_lists(frame: Frame, span: Span, name: str) -> Table:
    form = known_form(frame, span)
    return new_table(frame, TableList, Nest(dict, form.items, form.keys), name, span)


def list_of_lists(
    frame: Frame, node: tree.Comprehension, evaluate: Evaluate, own_names: OwnNames
) -> Value | None:
    """What a comprehension gives, if it is known to be such a list; else None."""
    if node.generator or not is_of_lists(frame, node.span):
        return None
    span = node.span

    def put(made: tree.Name) -> tree.Statement:
        append = tree.Attribute(span, made, "append")
        return tree.Evaluate(span, tree.CallExpr(span, append, (node.value,)))

    empty = partial(no_lists, frame, span, "listed")
    return put_one_by_one(frame, node, "listed", empty, put, evaluate, own_names)
