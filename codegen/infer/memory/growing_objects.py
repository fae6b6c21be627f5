"""Lists that several names may have and that get longer and shorter: objects whose count is one, too.

def note(v):                               def note(v, seen_count, seen):
    seen.append(v)             ->              ... seen[seen_count] = v
                                               return seen_count + 1, seen

What kind their items are is found out by what is put into them, wherever that is: where a list turns out to be changed
so, or to get items of another kind, inference begins anew and knows it of the list that is made there (known_lists.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Raises
from codegen.infer.memory.growing_lists import (
    form_of_list,
    growing,
    is_list,
    kinds_in,
    part_kinds,
    unify_forms,
)
from codegen.infer.memory.list_changes import list_by_method, list_pop
from codegen.infer.memory.list_items import turned
from codegen.infer.memory.list_methods import list_method
from codegen.infer.memory.list_objects import wanting_growth, where_made
from codegen.infer.memory.list_parts import items_given, with_part, without_item
from codegen.infer.tables.forms import wanting_lists
from codegen.infer.tables.values import HeldList, Lists, Table
from codegen.infer.values import (
    Cell,
    Enumerate,
    GrowingList,
    Nest,
    NewList,
    Product,
    Ref,
    Reversed,
    Static,
    Value,
    View,
    Zip,
    cell_of,
    leaves,
    rebuild,
)
from codegen.read.lists.owned_lists import IN_LENGTH
from codegen.source import Span, refuse

Held = GrowingList | NewList
IN_ORDER = ("reverse", "sort")  # methods of lists that leave them as long as they are


def change_list(
    frame: Frame, held: Held, method: str, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """`held.method(...)` of a list that other names may have: what it gives."""
    span = frame.span
    check_form_of(frame, held, items_added(frame, method, arguments), span)
    if isinstance(held, NewList):
        if method in ("pop", "__delitem__"):
            raise Raises("IndexError", "pop from empty list")
        if method == "remove":
            raise Raises("ValueError", "list.remove(x): x not in list")
        return Static(None)
    plain = plain_list(frame, held)
    with frame.reserving(frozenset()):  # rooms are those of names
        made, item = changed_list(frame, plain, method, arguments, keywords, label_of(held))
    store(frame, held, made, span)
    return item


def label_of(held: GrowingList) -> str:
    cell = cell_of(next(leaves(held.rows)))
    return cell.name if cell is not None else "listed"


def changed_list(
    frame: Frame, plain: GrowingList, method: str, arguments: Arguments, keywords: Keywords, name: str
) -> tuple[Any, Value]:
    """A list after one of its methods, and what that gives."""
    span = frame.span
    match method:
        case "pop":
            return list_pop(frame, plain, arguments, span)
        case "remove":
            place = list_method(frame, plain, "index", arguments, "place")
            made: Any = list_pop(frame, plain, (place,), span)[0]
        case "__delitem__":
            made = without_item(frame, name, plain, frame.give(arguments[0]), span)
        case "sort":
            made = frame.inference.call(frame, Static(sorted), (plain, *arguments), keywords, name)
        case "reverse":
            made = turned(frame, plain)
        case _:
            made = list_by_method(frame, name, plain, method, arguments, span)
    return made, Static(None)


def changes_object(held: Held, method: str) -> bool:
    """Whether a method makes a list longer or shorter, or puts one that does so in order."""
    return method in IN_LENGTH or isinstance(held, GrowingList) and held.grows and method in IN_ORDER


def is_object(value: object) -> TypeGuard[Held]:
    """Whether it is a list that may have several names."""
    return isinstance(value, NewList) or isinstance(value, GrowingList) and value.fixed


def change_part(frame: Frame, held: Held, cut: slice, value: Value, span: Span) -> None:
    """`held[cut] = value`"""
    check_form_of(frame, held, items_given(frame, value), span)
    if isinstance(held, GrowingList):
        store(frame, held, with_part(frame, plain_list(frame, held), cut, value, span), span)


def items_added(frame: Frame, method: str, arguments: Arguments) -> Value:
    """A list of what a method puts into a list."""
    match method, arguments:
        case ("append", (item,)) | ("insert", (_, item)):
            return Nest(list, (item,))
        case "extend", (more,):
            return items_given(frame, more)
    return Nest(list, ())


def check_form_of(frame: Frame, held: Held, added: Value, span: Span) -> None:
    """SourceError where a list is no object that grows, or not of items as those that come into it."""
    if isinstance(held, NewList) and not held.items and isinstance(added, Nest) and not added.items:
        return
    kinds = kinds_in(frame)
    try:
        own = form_of_list(held, kinds)
        form = unify_forms(own, form_of_list(added, kinds))
    except Differ as differ:
        if (error := wanting_growth(frame, held, None, span)).wants_growth is None:
            raise error from None
        error = refuse(span, f"the list is {differ}: give all its items one kind and shape")
        raise (wanting_lists(error, where_made(frame, held)) if holds_list(added) else error) from None
    if isinstance(held, NewList) or not held.grows or part_kinds(own) != part_kinds(form):
        error = wanting_growth(frame, held, form, span)
        if error.wants_growth is None and holds_list(added):
            error = wanting_lists(error, where_made(frame, held))
        raise error


def holds_list(added: Value) -> bool:
    return isinstance(added, Nest) and any(map(is_list, added.items))


def plain_list(frame: Frame, held: GrowingList) -> GrowingList:
    """The list that an object is now."""

    def now(leaf: Value) -> Value:
        if not isinstance(leaf, Ref | View):
            return leaf
        cell = Cell("listed")
        frame.st.store[cell] = frame.atom(leaf)
        return Ref(cell)

    parts = Nest(tuple, (frame.atom(held.count), rebuild(held.rows, now)), ("count", ""))
    return GrowingList(parts, held.python, grows=True)


def as_it_is(frame: Frame, held: GrowingList) -> GrowingList:
    """The list that an object is now, and must be when it is read."""
    plain = plain_list(frame, held)
    for leaf, of in zip(leaves(plain.rows), leaves(held.rows), strict=True):
        if (cell := cell_of(leaf)) is not None and (base := cell_of(of)) is not None:
            cell.bases = ((base, frame.st.store[base]),)
    return plain


def store(frame: Frame, held: GrowingList, made: Any, span: Span) -> None:
    """Give an object the items of a list."""
    made = growing(frame, made, form_of_list(held, kinds_in(frame)), "listed")
    for into, leaf in zip(leaves(held.rows), leaves(made.rows), strict=True):
        if isinstance(into, Ref):
            frame.write(into, frame.atom(leaf), span)
    frame.write(held.count, frame.atom(made.count), span)


def with_counts(frame: Frame, value: Any, name: str) -> Any:
    """A value that was returned, the counts of lists that grow being objects."""
    if isinstance(value, Table) and not value.is_list:
        cell_of(value.slots).grows = True  # type: ignore[union-attr]
    if isinstance(value, Nest):
        return value.with_items(tuple(with_counts(frame, item, label) for label, item in value.named(name)))
    if not (isinstance(value, GrowingList) and value.grows):
        return value
    count = value.count
    if not isinstance(count, Ref):
        count = frame.new(count, f"{name}_count")
    for leaf in (count, *leaves(value.rows)):
        cell_of(leaf).grows = True  # type: ignore[union-attr]
    return value.with_parts(Nest(tuple, (count, value.rows), ("count", "")))


@contextmanager
def as_long_as_it_is(frame: Frame, iterable: Value, span: Span, *, may_leave: bool = False) -> Iterator[None]:
    """SourceError where a list or dict gets longer or shorter while it is gone through. `may_leave`: by a loop that may
    be left early."""
    counts = [*counts_in(iterable)]
    before = [frame.atom(count) for count in counts]
    around, frame.gone_through = (
        frame.gone_through,
        {**frame.gone_through, **{c.cell: may_leave for c in counts}},
    )
    try:
        yield
    finally:
        frame.gone_through = around
    if any(frame.st.store[count.cell] is not was for count, was in zip(counts, before, strict=True)):
        names = {
            count.cell
            for held in frame.st.env.values()
            if isinstance(held, Table)
            for count in [held.entries.count]
        }
        what = "a dict" if any(count.cell in names for count in counts) else "a list"
        raise refuse(
            span,
            f"this goes through {what} that it makes longer or shorter: use a `while` and an index, or a copy",
        )


def counts_in(iterable: Value) -> Iterator[Ref]:
    match iterable:
        case GrowingList(
            grows=True, count=Ref() as count
        ):  # else a list as it was, whose changes its rows tell
            yield count
        case Table():
            yield iterable.entries.count
        case Lists():
            yield iterable.table.entries.count
        case HeldList():
            yield iterable.places.rows.items[1]
        case Enumerate(inner, _) | Reversed(inner):
            yield from counts_in(inner)
        case Zip(inners) | Product(inners):
            for inner in inners:
                yield from counts_in(inner)
