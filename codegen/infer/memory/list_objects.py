"""Lists as objects: they keep their length and the kinds of their items, and what is written into them is seen under
every name they have, in rows, in functions that are given them, and by the caller.

    xs[i] = v          the row of the list's array is written, as an array's element is
    xs = [0.0] * n     in a program that changes lists which more than one name has, each new list is such an object
"""

from __future__ import annotations

import types
from collections.abc import Callable, Container, Iterator
from typing import Any

import numpy as np

from codegen.infer.complex_numbers.parts import is_complex, pair, zero_of
from codegen.infer.frame import Frame
from codegen.infer.functions import span_place
from codegen.infer.kinds import Differ, Kind, as_kind
from codegen.infer.memory import buffers
from codegen.infer.memory.aliases import whole_list
from codegen.infer.memory.growing_lists import (
    class_of_objects,
    class_of_records,
    copied,
    form_of,
    form_of_list,
    growing,
    holds_lists,
    is_list,
    item_parts,
    kinds_in,
    part_kinds,
    unify_forms,
    words_of,
)
from codegen.infer.memory.list_items import place_in_list, rows_in_use
from codegen.infer.objects.assigned import users_class
from codegen.infer.objects.field import called
from codegen.infer.objects.placed import Placed
from codegen.infer.texts.known_texts import as_item_of, is_letters
from codegen.infer.values import (
    Cell,
    GrowingList,
    Method,
    Nest,
    NewList,
    Ref,
    Static,
    Value,
    View,
    cell_of,
    leaves,
    rebuild,
)
from codegen.ir import Lit, Var
from codegen.ir.build import E, call
from codegen.read import tree
from codegen.read.lists.kept_names import handed_to
from codegen.read.lists.owned_lists import is_new, is_no_others
from codegen.source import SourceError, Span, list_changed, refuse


def write_in_list(frame: Frame, held: GrowingList, index: Any, value: Value, span: Span) -> None:
    """`xs[index] = value` in a list that keeps its length, and the kinds of its items."""
    if isinstance(index, slice):
        raise refuse(span, "a list is changed at one place, known or an int: write a loop, or use an array")
    place = place_in_list(frame, held, index, span, "list assignment index out of range")
    if holds_lists(frame, held):
        raise refuse(span, "a list in a list is not replaced by another: write its items, in a loop")
    words = f"a list of {words_of(held, frame)} that is changed in place keeps their kind"
    value = as_item_of(held.rows, value)
    if is_complex(held.rows) and isinstance(value, Var | Lit):
        value = pair(value, zero_of(value.type))
    try:
        kinds = kinds_in(frame)
        form = form_of_list(held, kinds)
        wanted = part_kinds(unify_forms(form, form_of(value, kinds)))
    except Differ:
        raise refuse(span, f"{words}, and {frame.describe(value)} is written into it") from None
    if held.grows and part_kinds(form) != wanted:
        raise wanting_growth(frame, held, unify_forms(form, form_of(value, kinds)), span)
    pairs = [*zip(part_kinds(form), wanted, strict=True)]
    if any(a.dtype != b.dtype or a.weak != b.weak and a.dtype != "f8" for a, b in pairs):
        raise wanting_kinds(frame, held, wanted, f"{words}, and {frame.describe(value)} is written", span)
    given = (frame.atom(leaf) for leaf in leaves(value) if isinstance(leaf, Var | Lit | Ref | View))
    for leaf, atom, kind in zip(leaves(held.rows), given, part_kinds(form), strict=True):
        row = frame.b.wrap(as_kind(frame.b, atom, kind))
        frame.write(leaf, buffers.with_row(frame.b, frame.atom(leaf), place, row).atom, span)


def wanting_kinds(
    frame: Frame, held: GrowingList, wanted: list[Kind], message: str, span: Span
) -> SourceError:
    """The SourceError for numbers of another kind than those of a list that they are written into, the kinds that hold
    both, and where the list was made."""
    instead = {"f": "give it floats", "i": "write int() of it", "b": "write bool() of it"}
    error = refuse(span, f"{message} into it: {instead.get(wanted[0].dtype[0], 'give it such items')}")
    cell = cell_of(next(leaves(held.rows)))
    made = None if cell is None else frame.inference.made_at.get(cell)
    error.wants_kinds = None if made is None else (made, tuple((kind.dtype, kind.weak) for kind in wanted))
    return error


def wanting_growth(frame: Frame, held: GrowingList | NewList, form: Any, span: Span) -> SourceError:
    """The SourceError for a list that gets longer or shorter, or items of this form, and where it was made."""
    error = list_changed(span, NOT_OWNED)
    place = where_made(frame, held)
    kinds = part_kinds(form)
    simple = not any(kind.dims for kind in kinds) and len(kinds) == sum(1 for _ in leaves(form))
    simple = simple and not any(isinstance(part, Nest) and part.cls is list for part in item_parts(form))
    error.wants_growth = None if place is None or not simple else (place, form)
    cls = class_of_objects(form) or (None if simple else class_of_records(form))
    error.wants_rows = None if cls is None else (users_class(cls), {})
    return error


def where_made(frame: Frame, held: GrowingList | NewList) -> Any:
    """Where a list was made; None of a row of a list of lists."""
    first = None if isinstance(held, NewList) else next(leaves(held.rows))
    cell: Any = first.cell if isinstance(first, Ref) else None
    return held.made if isinstance(held, NewList) else frame.inference.made_at.get(cell)


def bound_as_objects(frame: Frame, node: tree.Assign, value: Value) -> Value:
    """What names are bound to, where lists are objects: but for names that own theirs."""
    if not frame.inference.list_objects:
        return value
    match node, value:
        case tree.Assign(span, (tree.Tuple(_, targets),), tree.Tuple(_, nodes)), Nest(_, items) if (
            len(targets) == len(nodes) == len(items)
        ):
            pairs = zip(targets, nodes, items, strict=True)
            single = [bound_as_objects(frame, tree.Assign(span, (t,), n), item) for t, n, item in pairs]
            return value.with_items(tuple(single))
    names = [target.id for target in node.targets if isinstance(target, tree.Name)]
    fields = [target.name for target in node.targets if isinstance(target, tree.Attribute)]
    if len(names) + len(fields) == len(node.targets) and frame.owned.isdisjoint(names):
        return as_object(frame, node.value, value, [*names, *fields][0])
    return value


def as_object(frame: Frame, node: tree.Expression, value: Value, name: str) -> Value:
    """The value of an expression, as an object if it is a new list, which nothing else refers to."""
    if not frame.inference.list_objects or not is_no_others(node) or is_letters(value):
        return value
    form = (frame.inference.grown or {}).get(span_place(node.span))
    if form is not None and is_list(value):  # what stands there in a definition need not be one
        return growing_object(frame, value, form, name, node.span)
    made = object_of(frame, value, name, levels=new_levels(node), at=node.span)
    if isinstance(made, Nest) and made.cls is list:
        return NewList(list, made.items, None, node.span)
    return made


def growing_object(frame: Frame, value: Any, form: Any, name: str, at: Span) -> Value:
    """A new list as an object that gets longer and shorter, of items of a form at least."""
    try:
        form = unify_forms(form, form_of_list(value, kinds_in(frame)))
        made = growing(frame, copied(frame, value), form, name)
    except Differ as differ:
        raise refuse(at, f"{called(name)} is {differ}: give all its items one kind and shape") from None

    def owned(atom: Any, label: str) -> Ref:
        cell = Cell(label, grows=True)
        frame.st.store[cell] = atom
        frame.inference.made_at[cell] = at
        return Ref(cell)

    rows = named_rows(
        made.rows, name, lambda leaf, label: owned(frame.atom(leaf), label) if cell_of(leaf) else leaf
    )
    count = owned(frame.atom(made.count), f"{name}_count")
    return GrowingList(Nest(tuple, (count, rows), ("count", "")), made.python, fixed=True, grows=True)


def named_rows(rows: Any, name: str, make: Callable[[Any, str], Any]) -> Any:
    """Rows with what is made of each leaf and its name."""
    if isinstance(rows, Nest):
        return rows.with_items(tuple(named_rows(item, label, make) for label, item in rows.named(name)))
    return make(rows, name)


def lists_as_objects(frame: Frame, call: tree.CallExpr) -> None:
    """Lists of one name that a function of the user's is given, as objects, which it may change."""
    for argument in handed_to(call) if frame.inference.list_objects else ():
        if argument.id in frame.owned and argument.id in frame.st.env:
            held, at = frame.st.env[argument.id], argument.span
            made = object_of(frame, held, argument.id, levels=1, at=at)
            frame.st.env[argument.id] = made
            cells = (cell for leaf in leaves(made) if (cell := cell_of(leaf)) is not None)
            frame.inference.handed.update((cell, frame.st.store[cell]) for cell in cells)


def refuse_lost(frame: Frame, before: Container[Cell], span: Span) -> None:
    """SourceError where a list of one name's own was changed by a function, and only its name knows of it, which had
    others `before`."""
    for name in frame.owned & {*frame.st.env}:
        for leaf in leaves(frame.st.env[name]):
            cell = cell_of(leaf)
            if cell in before or cell not in frame.inference.handed:
                continue
            if frame.st.store[cell] is not frame.inference.handed[cell]:
                raise list_changed(
                    span, f"the test of a `while` changes the list {name!r}: change it in the loop"
                )


def object_of(frame: Frame, value: Value, name: str, *, levels: int, at: Span | None = None) -> Value:
    """A list as an object, if nothing else refers to it, nor to lists in it: `levels` of them."""
    rows = rows_of_numbers(frame, value)
    parts: Any = leaves(rows)
    if rows is None or is_letters(value) or any(part.ndim > levels for part in parts):
        return value

    def owned(array: Any) -> Ref:
        cell = Cell(name)
        frame.st.store[cell] = array.atom
        return Ref(cell)

    return list_of_rows(frame, rebuild(rows, owned), python=is_python(value), at=at)


def new_levels(node: tree.Expression) -> int:
    """How many levels of lists in lists are new, which nothing else refers to: of `[list(t) for t in u]` two, whatever
    lists there are in t; of `[[0] * 2] * 3`, whose rows are one list, one."""
    match node:
        case tree.Tuple(_, items) if items:
            return 1 + min(map(new_levels, items))
        case tree.Comprehension(_, value):
            return 1 + new_levels(value)
    return int(is_new(node))


def rows_of_numbers(frame: Frame, value: Value) -> Any:
    """The arrays of a list of Python's numbers of one kind, of tuples of such, or of equally long lists of numbers;
    None of other values."""
    match value:
        case GrowingList() if not value.fixed and not any(holding(frame, value)):
            rows = rows_in_use(frame, value)
            every: Any = leaves(rows)
            pure = len({*value.python}) == 1 and (all(value.python) or all(row.ndim == 1 for row in every))
            return rows if pure else None
        case Nest(cls, (Nest() as first, *_) as items) if cls is list and first.cls is not list:
            if not all(first.like(item) for item in items) or len({*map(is_python, items)}) > 1:
                return None
            columns = zip(*(item.items for item in items), strict=True)  # type: ignore[union-attr]
            made: tuple[Any, ...] = tuple(array_of(frame, Nest(list, column)) for column in columns)
            if not holds_numbers_alone(first) or any(array is None or array.ndim > 1 for array in made):
                return None
            return first.with_items(made)
        case Nest(cls) if cls is list:
            return array_of(frame, value)
    return None


def holds_numbers_alone(item: Nest) -> bool:
    """Whether an item of a list is what arrays hold side by side: a tuple, a complex number, a row's object."""
    return item.cls in (tuple, complex) or isinstance(item, Placed)


def is_python(value: Value) -> bool:
    """Whether the numbers of a list are Python's."""
    if isinstance(value, GrowingList):
        return all(value.python)
    return all(isinstance(leaf, Var | Lit) and leaf.type.weak for leaf in leaves(value))


def holding(frame: Frame, value: GrowingList) -> Iterator[bool]:
    """Whether the arrays of a list may hold others."""
    for leaf in leaves(value.rows):
        yield not isinstance(leaf, Ref) or bool(leaf.cell.bases) and frame.atom(leaf).type.rank > 1


def array_of(frame: Frame, nest: Nest) -> E | None:
    """The array of a list of numbers of one kind, or of equally long lists of such."""
    kinds = {
        (leaf.type.dtype, leaf.type.shape) if isinstance(leaf, Var | Lit) else None for leaf in leaves(nest)
    }
    if len(kinds) != 1 or None in kinds or shape_of(nest) is None:
        return None
    return call(frame.b, np.array, frame.give(nest))


def shape_of(value: Value) -> tuple[int, ...] | None:
    """How many items lists in a list have; None where they differ."""
    if not isinstance(value, Nest):
        return ()
    inner = {shape_of(item) for item in value.items} if value.cls is list else {None}
    found = inner.pop() if len(inner) == 1 else None
    return None if found is None else (len(value.items), *found)


NOT_OWNED = (
    "a list that other names may have gets longer or shorter only if the program made it, of numbers or tuples of "
    "numbers: make a new one, `xs = xs + [x]`"
)


class NoNumbers(Exception):
    """The items of lists in a list are no numbers."""


def list_of_rows(frame: Frame, rows: Value, *, python: bool, at: Span | None = None) -> GrowingList:
    """The list whose items are the rows of an array, which are lists of numbers or numbers. `at`: where it is made; its
    numbers are of kinds that hold what is written into it."""
    arrays: list[Any] = list(leaves(rows))
    weak = (python,) * len(arrays)
    known = None if at is None else frame.inference.list_kinds.get(span_place(at))
    if known is not None and len(known) == len(arrays):
        for leaf, (dtype, _) in zip(arrays, known, strict=True):
            atom = frame.atom(leaf)
            frame.st.store[leaf.cell] = as_kind(frame.b, atom, Kind(dtype, atom.type.shape))
        weak = tuple(weak for _, weak in known)
    for leaf in arrays if at is not None else ():
        frame.inference.made_at[leaf.cell] = at
    return whole_list(rows, weak, frame.st)


def is_pythons_copy(function: Value, made: Value) -> bool:
    """Whether what a method `copy` gave is new, or neither a list nor a dict."""
    known = function.value if isinstance(function, Static) else None
    is_own = isinstance(function, Method) or isinstance(known, types.BuiltinMethodType)
    return is_own or not (
        isinstance(made, GrowingList) or isinstance(made, Nest) and made.cls in (list, dict)
    )
