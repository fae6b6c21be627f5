"""Comprehensions of which only the length is not known, as rows of an array: [[i * j for j in range(m)] for i in v].

made = np.empty((len(v), m))
for k, i in enumerate(v):
    for l, j in enumerate(range(m)):
        made[k, l] = i * j
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from codegen.infer.calls.listed import own_names, rectangle
from codegen.infer.complex_numbers.parts import complex_dtype, is_complex
from codegen.infer.control.iterables import counted_iteration, item_count
from codegen.infer.frame import Frame
from codegen.infer.kinds import bound_vars
from codegen.infer.memory.buffers import NO_ITEMS
from codegen.infer.memory.list_objects import NoNumbers, list_of_rows
from codegen.infer.objects.fields import fields_of
from codegen.infer.values import Nest, Static, Value, Yields
from codegen.ir import Type, Var
from codegen.ir.build import SIZE
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.scope import read_names, target_names
from codegen.source import refuse

Means = tuple[Callable[..., Value], Callable[..., None]]  # to evaluate an expression, and to bind a target


def list_rows(
    frame: Frame, node: tree.Comprehension, iterable: Value, by: Means, *, as_list: bool = False
) -> Value:
    """The items of a list whose length is counted, and of such lists in it, as an array (or their list). NoNumbers
    where it is not counted, or a list of arrays."""
    evaluate, _ = by
    if isinstance(iterable, Yields):
        raise NoNumbers
    span, (clauses, value) = node.span, rectangle(node)
    iterables = [iterable, *(evaluate(frame, clause.iterable) for clause in clauses[1:])]
    own = frozenset(name for clause in clauses for name in target_names(clause.target))
    taken = {*own, *read_names(node)}
    made, places = claimed_name("made", taken), [claimed_name("i", taken) for _ in clauses]
    items = {claimed_name("items", taken): each for each in iterables}
    with own_names(frame, own | {made, *places, *items}):
        row, value, whole = row_type(frame, clauses, iterables, value, by)
        shape = [item_count(frame, each) for each in iterables] + [frame.b.size(n) for n in row.shape]
        if as_list and row.rank:
            raise NoNumbers
        for n in shape[: len(iterables) if row.dtype != "f8" or whole else int(len(shape) > 1)] * (
            not as_list
        ):
            frame.b.require(frame.b.apply("gt", n, 0), "ValueError", NO_ITEMS)
        dtype = complex_dtype(row.dtype) if whole else np.dtype(row.dtype)
        lengths = Nest(tuple, tuple(frame.take(n, "n") for n in shape))
        rows = frame.inference.call(frame, Static(np.empty), (lengths, Static(dtype)), {}, "made")
        before = dict(frame.st.env)
        frame.st.env |= {**items, made: rows}
        index = tree.Tuple(span, tuple(tree.Name(span, place) for place in places))
        body: tree.Statement = tree.Assign(span, (tree.Subscript(span, tree.Name(span, made), index),), value)
        for clause, place, through in reversed(list(zip(clauses, index.items, items, strict=True))):
            each = tree.CallExpr(span, tree.Constant(span, enumerate), (tree.Name(span, through),))
            body = tree.Iterate(span, tree.Tuple(span, (place, clause.target)), each, (body,), ())
        frame.inference.run(frame, (body,), frozenset({made}))
        found = frame.st.env[made]
        frame.st.env = before | fields_of(frame.st.env)
    return list_of_rows(frame, found, python=row.weak, at=span) if as_list else found


def row_type(
    frame: Frame,
    clauses: list[tree.Clause],
    iterables: list[Value],
    value: tree.Expression,
    by: Means,
) -> tuple[Type, tree.Expression, bool]:
    """The type of a row, for which it is made once and thrown away, and the row as an array or number; whether that is
    complex, and the type that of its parts."""
    evaluate, bind_target = by
    inner = frame.b.inner()
    with frame.inside(inner, frame.st.copy()):
        for clause, iterable in zip(clauses, iterables, strict=True):
            item = counted_iteration(frame, iterable)[3]
            bind_target(frame, clause.target, item(frame, Var("i", SIZE), clause.target))
        first = evaluate(frame, value)
        if isinstance(first, Nest) and not is_complex(first):
            value = tree.CallExpr(value.span, tree.Constant(value.span, np.array), (value,))
            first = evaluate(frame, value)
        row = frame.atom(first.items[0] if is_complex(first) else first, value.span).type
    if not bound_vars(inner).isdisjoint(row.shape):
        message = "the size of a row is known only when it is made: fill an array in a loop"
        raise refuse(value.span, message)
    return row, value, is_complex(first)
