"""Lists of lists that get longer, each for itself, under any names: dicts of lists whose keys are the places.

    graph = [[] for _ in range(n)]                graph = {k: [] for k in range(n)}
    def add(u, v):                        ->
        graph[u].append(v)

Which lists are such is found out by what is done with their items: then inference begins anew (known_lists.py).
"""

from __future__ import annotations

from dataclasses import replace

from codegen.infer.frame import Frame
from codegen.infer.objects.fields import fields_of
from codegen.infer.tables.changing import new_table, put_behind
from codegen.infer.tables.elements import Evaluate, OwnNames
from codegen.infer.tables.forms import known_form
from codegen.infer.tables.values import Table, TableList
from codegen.infer.values import Nest, Value
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.scope import read_names, target_names
from codegen.source import Span


def is_of_lists(frame: Frame, span: Span) -> bool:
    form = known_form(frame, span)
    return isinstance(form, Nest) and form.cls is list


def as_lists(frame: Frame, node: tree.Tuple, items: tuple[Value, ...]) -> Nest:
    """What a display gives: such a list, where it is known to be one."""
    if not node.list or not is_of_lists(frame, node.span):
        return Nest(list if node.list else tuple, items)
    table = no_lists(frame, node.span, "listed")
    for item in items:
        put_behind(frame, table, item)
    return table


def no_lists(frame: Frame, span: Span, name: str) -> Table:
    form = known_form(frame, span)
    return new_table(frame, TableList, Nest(dict, form.items, form.keys), name, span)


def list_of_lists(
    frame: Frame, node: tree.Comprehension, evaluate: Evaluate, own_names: OwnNames
) -> Table | None:
    """What a comprehension gives, if it is known to be such a list; else None."""
    if node.generator or not is_of_lists(frame, node.span):
        return None
    span, clauses = node.span, node.clauses
    names = frozenset(name for clause in clauses for name in target_names(clause.target))
    first = evaluate(frame, clauses[0].iterable)
    taken = {*frame.locals, *names, *read_names(node)}
    made, through = (tree.Name(span, claimed_name(wanted, taken)) for wanted in ("listed", "items"))
    call_ = tree.CallExpr(span, tree.Attribute(span, made, "append"), (node.value,))
    body: tree.Statement = tree.Evaluate(span, call_)
    for clause in reversed([replace(clauses[0], iterable=through), *clauses[1:]]):
        for condition in reversed(clause.conditions):
            body = tree.Branch(condition.span, condition, (body,), ())
        body = tree.Iterate(clause.span, clause.target, clause.iterable, (body,), ())
    with own_names(frame, frozenset({*names, made.id, through.id})):
        before = dict(frame.st.env)
        table = no_lists(frame, span, "listed")
        frame.st.env |= {made.id: table, through.id: first}
        frame.inference.run(frame, (body,), frozenset({made.id}))
        frame.st.env = before | fields_of(frame.st.env)
    return table
