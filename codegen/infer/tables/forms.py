"""What kind the keys and values of dicts and sets are whose keys are numbers: found out by what is put into them,
wherever that is.

counts = {}                 as long as nothing is put into it, a dict without keys, of which it is known where it was
counts[k] = 1               made; then inference begins anew, and makes a table there (known_lists.py)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.functions import span_place
from codegen.infer.kinds import Differ, Kind
from codegen.infer.memory.growing_lists import (
    KindOf,
    check_form,
    class_of_records,
    form_of,
    form_of_list,
    is_list,
    item_parts,
    kinds_in,
    part_kinds,
    unify_forms,
)
from codegen.infer.objects.assigned import users_class
from codegen.infer.tables.values import (
    GivenDict,
    HeldList,
    ListForm,
    ListStore,
    NewTable,
    Table,
    TableList,
    TableSet,
)
from codegen.infer.texts.known_texts import is_letter, is_letters
from codegen.infer.values import (
    GrowingList,
    Nest,
    NewList,
    Optional,
    Value,
    cell_of,
    keys_of,
    leaves,
    rebuild,
)
from codegen.ir import Lit, Var
from codegen.ir.literals import literal
from codegen.read import tree
from codegen.read.lists.owned_lists import bound_pairs, is_new
from codegen.read.scope import all_statements
from codegen.source import SourceError, Span, refuse

KEYS = "keys of dicts and elements of sets are ints, bools or tuples of ints"
LISTS_OF_LISTS = (
    "lists in a list do not get longer: write a dict of lists, "
    "`{k: [] for k in range(n)}`, which has the same subscripts"
)
Held = Table | NewTable


def kind_word(held: Held) -> str:
    """What a user calls it."""
    if held.cls is TableList:
        return "list"
    return "set" if held.cls in (set, TableSet) else "dict"


def may_be_key(value: Value) -> bool:
    """Whether a value may be a key: an int, a bool, or a tuple of such."""
    if isinstance(value, Nest) and not is_letter(value):
        return value.cls is tuple and bool(value.items) and all(map(may_be_key, value.items))
    value = value.items[0] if is_letter(value) else value
    return isinstance(value, Var | Lit) and not value.type.rank and fits_keys(value.type.dtype)


def fits_keys(dtype: str) -> bool:
    """Whether 64 bits with a sign hold all numbers of a dtype."""
    return dtype != "u8" and dtype[0] in "iub"


def known_key(value: Value) -> Any:
    """A key that is known, as Python has it; None of others."""
    match value:
        case Lit(int() as number) if value.type.weak:
            return number
        case Nest(cls, items) if cls is tuple and items:
            parts = tuple(map(known_key, items))
            return None if None in parts else parts
    return None


def key_of(key: Any) -> Value:
    """A key that is known as a value."""
    return Nest(tuple, tuple(map(key_of, key))) if isinstance(key, tuple) else literal(key)


def key_form(frame: Frame, key: Value) -> Any:
    """The form of a key, whose ints have 64 bits. SourceError for what is no key."""
    if not may_be_key(key):
        instead = "take int(...) of it" if isinstance(key, Var | Lit) else "number what they stand for"
        if isinstance(key, Optional):
            instead = "test whether it is None before"
        raise frame.refusal(f"{KEYS}, and this is {frame.describe(key)}: {instead}")
    if isinstance(key, Nest):
        return key.with_items(tuple(key_form(frame, item) for item in key.items))
    assert isinstance(key, Var | Lit)
    return Kind("b1" if key.type.dtype == "b1" else "i8", (), key.type.weak)


def entry_nest(key: Any, *value: Any) -> Nest:
    """An entry of a table, or its form."""
    return Nest(dict, (key, *value), ("keys", "values")[: 1 + len(value)])


def form_of_table(frame: Frame, table: Table) -> Any:
    form: Any = form_of_list(table.entries, kinds_in(frame))
    if table.store is None:
        return form
    key = Kind("i8", (), True) if table.is_list else form.items[0]
    return entry_nest(key, ListForm.of(item_form(frame, table.store)))


def item_form(frame: Frame, store: ListStore) -> Any:
    """The form of the items of all lists in a dict; None if it is not known."""
    items = store.all_items
    return form_of_list(items, kinds_in(frame)) if isinstance(items, GrowingList) else None


def value_form(frame: Frame, value: Value) -> Any:
    """The form of a value of a dict."""
    if isinstance(value, HeldList):
        return ListForm.of(item_form(frame, value.store))
    if is_letters(value):
        raise Differ("texts that are found out when the program runs")
    if is_list(value):
        return ListForm.of(form_of_list(value, kinds_in(frame)))
    return form_of(value, kinds_in(frame))


def entry_form(frame: Frame, held: Held, key: Value, *value: Value) -> Any:
    """The form of the entries that there are and of another one. SourceError where there is none."""
    with told_of(frame, held):
        given = tuple(value_form(frame, each) for each in value)
    return wide_form(frame, held, entry_nest(key_form(frame, key), *given))


def wide_form(frame: Frame, held: Held, form: Any) -> Any:
    """The form of the entries that there are and of those of another form. SourceError where there is none."""
    with told_of(frame, held):
        form = unify_forms(form_of_entries(frame, held), form)
        check_form(form)
    if any(kind.dims for kind in part_kinds(form)) or holds_more(form):
        word = kind_word(held)
        error = frame.refusal(
            f"the values of a {word} whose keys are numbers are numbers, tuples of numbers, or lists of such: keep "
            f"others in a list, and their places in the {word}"
        )
        cls = class_of_records(form)
        error.wants_rows = None if cls is None else (users_class(cls), {})
        raise error
    return form


@contextmanager
def told_of(frame: Frame, held: Held) -> Iterator[None]:
    """What keys and values differ in, in a user's words."""
    try:
        yield
    except Differ as differ:
        said = str(differ).removeprefix("a list of ")
        raise frame.refusal(
            f"a {kind_word(held)} of {said}: give its keys one kind, and its values one kind and shape"
        ) from None


def form_of_keys(frame: Frame, form: Any) -> Any:
    """The form of keys for what has a form: ints in 64 bits. SourceError where it is none of keys."""
    for part in leaves(form):
        if not isinstance(part, Kind) or part.dims or not fits_keys(part.dtype):
            raise frame.refusal(f"{KEYS}: number what others stand for")
    made: Any = rebuild(form, lambda kind: kind if kind.dtype == "b1" else replace(kind, dtype="i8"))
    return made


def holds_more(form: Any) -> bool:
    """Whether a form has parts that are no numbers, and no tuples and objects of numbers."""
    if isinstance(form, Nest) and len(form.items) > 1 and isinstance(form.items[1], ListForm):
        (item,) = form.items[1].items
        form = Nest(tuple, (form.items[0], *([] if item is None else [item])))
    parts = [part for part in item_parts(form) if isinstance(part, Nest) and part is not form]
    more = any(
        part.cls not in (tuple, complex) and not is_letter(part) and keys_of(part.cls) is None
        for part in parts
    )
    return more or len(part_kinds(form)) != len([*leaves(form)])


def form_of_entries(frame: Frame, held: Held) -> Any:
    """The form of the entries that there are; of those that are known from the text what holds them all."""
    if isinstance(held, Table):
        return form_of_table(frame, held)
    found = None
    for key, value in zip(held.keys or (), held.items, strict=True):
        found = unify_forms(found, entry_nest(key_form(frame, key_of(key)), value_form(frame, value)))
    return found


def wanting_table(frame: Frame, held: Held, form: Any) -> SourceError:
    """The SourceError for entries of a form that a dict or set does not have, and where it was made."""
    word = kind_word(held)
    error = frame.refusal(
        f"a {word} that is given, or whose keys are of several kinds, gets no other keys: make a new one, `{word}()`, "
        "and put into it what it has"
    )
    made = held.made if isinstance(held, NewTable) else frame.inference.made_at.get(first_cell(held))
    if isinstance(held, Table) and held.is_list:
        form = Nest(list, form.items, form.keys)
    if isinstance(made, GivenDict):
        error.wants_arrays, made = (made.name, form), None
    error.wants_table = None if made is None else (made, form)
    return error


def wanting_lists(error: SourceError, made: Span | None, item: Any = None) -> SourceError:
    """The error where a list that was made there is one of lists (lists_of_lists.py), whose items have this form."""
    error.wants_table = None if made is None else (made, form_of_lists(item))
    return error


@contextmanager
def asked_for_lists(frame: Frame, nest: Nest) -> Iterator[None]:
    """While an item of a list is found by an index that is not known: where its items are lists that are not alike, it
    is a list of lists that get longer."""
    try:
        yield
    except SourceError as error:
        if nest.cls is list and all(map(is_list, nest.items)):
            error.of_changed_list = True
            wanting_lists(error, place_of_display(frame, nest))
        raise


def place_of_display(frame: Frame, nest: Nest) -> Span | None:
    """Where a function makes a list, if it does."""
    if isinstance(nest, NewList):
        return nest.made
    return where_assigned(frame, next((name for name, value in frame.st.env.items() if value is nest), ""))


def form_of_lists(item: Any = None) -> Any:
    """The form of a list of lists whose items have a form."""
    return Nest(list, (Kind("i8", (), True), ListForm.of(item)), ("keys", "values"))  # type: ignore[arg-type]


def wanted_table(frame: Frame, error: Differ | SourceError, name: str, *met: Value) -> Any:
    """What a refusal of two values of one name wants: where it is made of lists, a list of lists there, unless those
    that `met` are known to their last items. A list that a comprehension makes has no place yet: `collected` tells it.
    """
    parts = [part for value in met for part in item_parts(value)]
    known = bool(met) and not any(isinstance(part, GrowingList | HeldList) for part in parts)
    if isinstance(error, Differ) and error.of_lists and not known:
        return where_assigned(frame, name), form_of_lists()
    return getattr(error, "wants_table", None)


def where_assigned(frame: Frame, name: str) -> Span | None:
    """Where a list is made that a function assigns to a name, and of which nothing is known yet."""
    made = (
        value
        for node in all_statements(frame.body)
        if isinstance(node, tree.Assign)
        for target, value in bound_pairs(node)
        if isinstance(target, tree.Name) and target.id == name and is_new(value)
    )
    return next((each.span for each in made if known_form(frame, each.span) is None), None)


def require_known(frame: Frame, held: Any) -> None:
    """SourceError where a dict that is an argument has to be taken as arrays."""
    if isinstance(held, NewTable) and isinstance(held.made, GivenDict) and held.items:
        raise wanting_table(frame, held, None)


def require_no_lists(frame: Frame, *tables: Table) -> None:
    """SourceError where what is done with dicts is not done with those whose values are lists."""
    if any(table.store is not None for table in tables):
        raise frame.refusal(
            "this is not done with dicts whose values are lists: write a loop over their keys"
        )


def require_own(frame: Frame, held: Held) -> None:
    """SourceError where a dict or set is changed that is only read."""
    if isinstance(held, Table) and held.is_read_only:
        raise frame.refusal(
            "dicts and sets in a dict that is an argument are read, and neither they nor it are changed or copied: put "
            "what is in it into a new one, in a loop"
        )


def meeting_table(new: NewTable, entries: GrowingList, kind_of: KindOf) -> SourceError:
    """The SourceError where a dict or set that has no keys which are numbers meets one that has these entries."""
    word, form = kind_word(new), form_of_list(entries, kind_of)
    said = f"this {word} and another whose keys are numbers are values of one name: put keys into it, too"
    if isinstance(new.made, GivenDict):
        error = refuse(None, said)
        error.wants_arrays = new.made.name, form
        return error
    return refuse(new.made, said, wants=((new.made, form), None))


def first_cell(table: Table) -> Any:
    return next((cell for leaf in leaves(table.entries.rows) if (cell := cell_of(leaf)) is not None), None)


def known_form(frame: Frame, at: Span) -> Any:
    """The form of the entries of a table that is made there; None where none is."""
    return frame.inference.tables.get(span_place(at))


def same_kinds(x: Any, y: Any) -> bool:
    return part_kinds(x) == part_kinds(y)
