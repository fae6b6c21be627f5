"""Lists that are values of dicts whose keys are numbers: made, read and changed, under all names that they have.

d[k].append(v)     ->      h = d_values[place]          the number of the list, whatever else has it
                           append_to(h, d_lists_starts, d_lists_lengths, d_lists_rooms, d_items, v)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.definitions.lists.held_lists import append_to, extend_by
from codegen.infer.frame import Frame
from codegen.infer.functions import span_place
from codegen.infer.kinds import Differ, Kind, as_kind
from codegen.infer.memory.aliases import whole_list
from codegen.infer.memory.buffers import row_at
from codegen.infer.memory.growing_lists import (
    Form,
    form_of_list,
    kinds_in,
    part_kinds,
    python_parts,
    unify_forms,
)
from codegen.infer.memory.list_items import item_at, item_of_list, part_of_list, place_among, place_in_list
from codegen.infer.memory.list_objects import growing_object
from codegen.infer.objects.placed import FieldLists
from codegen.infer.tables.forms import item_form, place_of_display
from codegen.infer.tables.places import list_number
from codegen.infer.tables.reading import item_of_table, key_given, part_of_rows, window_of
from codegen.infer.tables.values import GivenDict, HeldList, ListForm, Lists, ListStore, NewTable, Table
from codegen.infer.tables.writing import append_row, write_number
from codegen.infer.texts.known_texts import as_item_of
from codegen.infer.values import GrowingList, Nest, NewList, Partial, Static, Value, cell_of, leaves, rebuild
from codegen.ir import Lit
from codegen.ir.literals import literal
from codegen.read import tree
from codegen.source import SourceError, Span

INT = Kind("i8", (), True)
PLACES = ("starts", "lengths", "rooms")
SETS_AMONG = (
    "which of several sets is meant is not found out when the program runs: have one set of pairs, `(u, v) in edges`, "
    "or lists, `if v not in near[u]: near[u].append(v)`"
)
OF_ARRAYS_ALONE = (
    "a list in a dict, in a field or in another list that gets longer holds numbers, tuples of numbers or objects: "
    "keep the numbers of an array as a tuple"
)
COPIED = (
    "a list that has a name is a value of a dict whose keys are numbers: give the dict a copy, `list(...)`"
)


def new_store(frame: Frame, form: Form, name: str, at: Span, count: Any = 0) -> ListStore:
    """What lists with items of a form are kept in, None of a form that is not known: `count` of them, all empty."""
    rows: Any = Nest(dict, (INT, INT, INT), PLACES)  # type: ignore[arg-type]
    places = growing_object(frame, places_of_empty(frame, count), rows, f"{name}_lists", at)
    items = Static(None) if form is None else growing_object(frame, Nest(list, ()), form, f"{name}_items", at)
    return ListStore.made(places, items)


def places_of_empty(frame: Frame, count: Any) -> Value:
    """Where so many lists are that have no items."""
    if isinstance(count, int) and not count:
        return Nest(list, ())
    b, weak = frame.b, (True,) * len(PLACES)
    zeros = (frame.take(b.apply("full", np.int64(0), count, dtype="i8"), name) for name in PLACES)
    return whole_list(Nest(dict, tuple(zeros), PLACES), weak, frame.st)


def wanting_items(frame: Frame, store: ListStore, form: Form) -> SourceError:
    """The SourceError for items of a form that lists in a dict do not have, and where that was made."""
    error = frame.refusal("a list in a dict that is given gets no items of other kinds: make a new dict")
    made = place_made(frame, store)
    parts: Any = None, ListForm.of(form)
    entries = Nest(list if is_made_of_lists(frame, made) else dict, parts, ("keys", "values"))
    if isinstance(made, FieldLists):
        error.wants_rows = made, {"": form}
    elif isinstance(made, GivenDict):
        error.wants_arrays = made.name, entries
    elif made is not None:
        error.wants_table = made, entries
    return error


def place_made(frame: Frame, store: ListStore) -> Any:
    """Where the dict was made that has these lists. Functions give counts as numbers, arrays as they are."""
    cells = (cell_of(leaf) for leaf in leaves(store.places))
    made_at: dict[Any, Any] = frame.inference.made_at
    return next((made_at[cell] for cell in cells if cell in made_at), None)


def require_form(frame: Frame, store: ListStore, added: Value) -> None:
    """SourceError where items of a list are not of the form that a dict's lists have."""
    try:
        before = item_form(frame, store)
        form = unify_forms(before, form_of_list(added, kinds_in(frame)))
    except Differ as differ:
        raise frame.refusal(
            f"the lists in a dict are {differ}: give all their items one kind and shape"
        ) from None
    if any(kind.dims for kind in part_kinds(form)):
        raise frame.refusal(OF_ARRAYS_ALONE)
    if part_kinds(form) != part_kinds(before):
        raise wanting_items(frame, store, form)


def is_made_of_lists(frame: Frame, made: Any) -> bool:
    """Whether what was made there is a list of lists (lists_of_lists.py)."""
    at = isinstance(made, Span) and frame.inference.tables.get(span_place(made))
    return isinstance(at, Nest) and at.cls is list


# ---- made ----


def note_named(frame: Frame, store: ListStore, *, changed: bool) -> None:
    """SourceError where a dict has lists that have names, too, and its lists are changed."""
    place = place_made(frame, store)
    found = frame.inference.lists_of.setdefault(place, set())
    found.add("changed" if changed else "named")
    if len(found) > 1:
        raise frame.refusal(named_words(frame, store))


def named_words(frame: Frame, store: ListStore) -> str:
    """What is said where a list has a name beside the dict, or the field of objects, that it is put into."""
    made = place_made(frame, store)
    if isinstance(made, FieldLists):
        return (
            f"a list that has a name is put into the field {made.key!r} of {made.cls.__name__}, or another: give it a "
            "copy, `list(...)`"
        )
    if is_made_of_lists(frame, made):
        return (
            "a list that has a name is put into a list of lists that get longer: give it a copy, `list(...)`"
        )
    return COPIED


def handle_of(frame: Frame, table: Table, value: Value) -> Value:
    """The number of a list that is put into a dict: of one that is in it, or of a new one."""
    assert table.store is not None
    return number_of_list(frame, table.store, value)


def number_of_list(frame: Frame, store: ListStore, value: Value) -> Value:
    if isinstance(value, HeldList):
        if cell_of(value.places.count) is not cell_of(store.places.count):
            of = "a list" if is_made_of_lists(frame, place_made(frame, value.store)) else "a dict"
            raise frame.refusal(f"a list in {of} is put into another one: give it a copy, `list(...)`")
        return value.handle
    is_new = frame.inference.puts_new
    if isinstance(value, NewList) and not is_new or isinstance(value, GrowingList) and value.fixed:
        raise frame.refusal(named_words(frame, store))
    if not is_new:
        note_named(frame, store, changed=False)
    return new_list(frame, store, value).handle


def new_list(frame: Frame, store: ListStore, value: Value) -> HeldList:
    """A new list with the items of a value."""
    held = HeldList.made(frame.atom(store.places.count), store)
    append_row(frame, store.places, *[literal(0)] * len(PLACES))
    put_items(frame, held, value)
    return held


def put_items(frame: Frame, held: HeldList, value: Value) -> None:
    """`held.extend(value)`, of a list."""
    require_form(frame, held.store, value)
    if isinstance(value, GrowingList):
        frame.inference.call(frame, Static(extend_by), (held, value), {}, "t")
        return
    assert isinstance(value, Nest)
    for item in value.items:
        frame.inference.call(frame, Static(append_to), (held, item), {}, "t")


# ---- read ----


def place_in_held(frame: Frame, held: HeldList, index: Any, span: Span, *said: str) -> Any:
    """The place among the items of all lists."""
    items = held.all_items
    length = list_number(frame, held, 1, "length")
    inside = GrowingList.of(length, items.rows, items.python)
    place = place_in_list(frame, inside, index, span, *said)
    return frame.b.apply("add", frame.give(list_number(frame, held, 0, "start")), place)


def item_of_held(frame: Frame, held: HeldList, index: Any, span: Span, name: str) -> Value:
    """`held[index]`"""
    if not isinstance(held.all_items, GrowingList):
        return item_of_none(frame, held, index, span)
    if isinstance(index, slice):
        window: Any = window_of(frame, held)
        return part_of_list(frame, window, index, span)
    return item_at(frame, held.all_items, place_in_held(frame, held, index, span), name)


def item_of_none(frame: Frame, held: HeldList, index: Any, span: Span) -> Value:
    """The same of a list to which nothing was put yet: a later statement may tell what it has."""
    if isinstance(index, slice):
        return Nest(list, ())
    frame.b.require(frame.b.atom(False), "IndexError", "list index out of range")
    raise frame.refusal("the items of this list are of no kind: put one into it before")


def list_among(frame: Frame, nest: Nest, index: Any) -> GrowingList | None:
    """`nest[index]` of lists that differ in length, which are around the program or its arguments: it is found out when
    it runs which one is read. Their items lie in one array. None of other lists.

    graph[u]      ->      graph_items[graph_starts[u]:graph_starts[u + 1]]
    """
    if any(isinstance(item, NewTable) and item.cls is set for item in nest.items):
        raise frame.refusal(SETS_AMONG)
    items = [item for item in nest.items if isinstance(item, Nest) and item.cls is list]
    if nest.cls is not list or len(items) < len(nest.items) or len({len(item.items) for item in items}) < 2:
        return None
    if place_of_display(frame, nest) is not None:
        return None
    all_items = Nest(list, tuple(each for item in items for each in item.items))
    try:
        form = form_of_list(all_items, kinds_in(frame))
    except Differ:
        return None
    if not all(isinstance(kind, Kind) and not kind.dims for kind in leaves(form)):
        return None
    kinds, b = part_kinds(form), frame.b
    columns = zip(*([*leaves(as_item_of(form, each))] for each in all_items.items), strict=True)
    arrays = iter([column_of(frame, kind, column, "lists_items") for kind, column in zip(kinds, columns)])
    ends = np.cumsum([0, *(len(item.items) for item in items)]).tolist()
    starts = frame.atom(column_of(frame, INT, tuple(map(literal, ends)), "lists_starts"))
    place = b.atom(place_among(b, len(items), index, frame.span))
    start, stop = (row_at(b, starts, at, "start") for at in (place, b.apply("add", b.wrap(place), 1)))
    rows = rebuild(form, lambda _: next(arrays))
    return part_of_rows(frame, rows, python_parts(form), (start, stop), b.apply("sub", stop, start))


def column_of(frame: Frame, kind: Kind, column: tuple[Any, ...], name: str) -> Value:
    """Numbers as an array: of such as are known the one that is around the program."""
    atoms = [frame.atom(each) for each in column]
    known = tuple(each.value for each in atoms if isinstance(each, Lit))
    if len(known) == len(atoms):
        return frame.capture(frame.inference.column(kind.dtype, known), name)
    return frame.take(
        frame.b.apply("stack", *(as_kind(frame.b, each, kind) for each in atoms), name=name), name
    )


# ---- changed ----


def write_item_of_held(frame: Frame, held: HeldList, index: Any, value: Value, span: Span) -> None:
    """`held[index] = value`"""
    note_named(frame, held.store, changed=True)
    if isinstance(index, slice):
        raise frame.refusal("a list in a dict is changed at one place: write a loop")
    require_form(frame, held.store, Nest(list, (value,)))
    place = place_in_held(frame, held, index, span, "list assignment index out of range")
    for column, part in zip(leaves(held.all_items.rows), leaves(value), strict=True):
        write_number(frame, column, place, frame.atom(part))


# ---- lists of lists, which are lists of numbers of lists ----


def of_numbers(frame: Frame, table: Table, numbers: Value, name: str) -> Table:
    """The list of those lists of a table's that have these numbers."""
    at = place_made(frame, table.store)
    return Table.of_lists(growing_object(frame, numbers, INT, name, at), table.store)


def item_or_part(frame: Frame, table: Table, index: Any, name: str) -> Value:
    """`table[index]`"""
    if table.is_list and isinstance(index, slice):
        return of_numbers(frame, table, item_of_list(frame, table.entries, index, frame.span, name), name)
    return item_of_table(frame, table, key_given(frame, index), name)


def number_of_held(held: list[Any]) -> int:
    """The number of a list in those that it is kept with: in comprehensions that choose among them."""
    raise NotImplementedError


def key_of_number(key: Callable[[list[Any]], Any], lists: list[list[Any]], number: int) -> Any:
    """The key of the list that has a number."""
    raise NotImplementedError


def by_number(table: Table, key: Value) -> Value:
    """A key function of lists as one of their numbers."""
    return Partial(Static(key_of_number), (key, table), {})


def chosen_among(
    frame: Frame, value: tree.Expression, through: tree.Expression, first: Value
) -> tuple[tree.Expression, Table] | None:
    """What a comprehension gives, as numbers of lists, if it gives lists of a list of lists itself, which is told too.
    `through`: the target that goes through `first`."""
    match value:
        case tree.Name(_, name) if isinstance(through, tree.Name) and name == through.id:
            found = first
        case tree.Subscript(_, tree.Name(_, name), index) if not isinstance(index, tree.Slice | tree.Tuple):
            found = {**frame.captured, **frame.st.env}.get(name, Static(None))
        case _:
            return None
    found = found.table if isinstance(found, Lists) and not found.with_keys else found
    if not (isinstance(found, Table) and found.is_list):
        return None
    return tree.CallExpr(value.span, tree.Constant(value.span, number_of_held), (value,)), found
