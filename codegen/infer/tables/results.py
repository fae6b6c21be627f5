"""What a main function gives of lists, dicts and sets: their items alone, of which its caller makes Python's.

return d      ->      return d_keys[:d_count], d_values[:d_count]       no count, no slots
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from codegen.infer.calls.results import Given, Result
from codegen.infer.memory.buffers import first_rows
from codegen.infer.tables.values import (
    HeldList,
    ListAlone,
    ListsBack,
    ListStore,
    Table,
    TableDict,
    TableList,
    TableSet,
)
from codegen.infer.texts.known_texts import is_letters
from codegen.infer.values import GrowingList, Nest, Static, Value, leaves, rebuild
from codegen.ir import Block, Lit, Program
from codegen.ir.build import Builder
from codegen.ir.traversal import with_entry
from codegen.source import Span, refuse

WORDS: dict[Any, str] = {TableDict: "dict", TableSet: "set", TableList: "list of lists"}
LIST_CHANGED = "the list that is returned is changed, or has several names: return np.array of it"
# what a result is whose length is not known: what is said of it, and what can be done about it
LENGTH_UNKNOWN = {
    "list": (
        "the list that is returned has a length that is known only when it runs",
        "return np.array of it",
    ),
    "list of lists": (
        "the lists that are returned have lengths that are known only when it runs",
        "return numbers, or np.array of one of them",
    ),
    "dict": (
        "the dict that is returned has keys that are known only when it runs",
        "return np.array of its values, `np.array(list(d.values()))`",
    ),
    "set": (
        "the set that is returned has elements that are known only when it runs",
        "return np.array of them, `np.array(sorted(s))`",
    ),
}


def nests_in(value: Any) -> Iterator[Any]:
    yield value
    within = value.items if isinstance(value, Nest) else ()
    for item in (value.parts,) if isinstance(value, GrowingList) else within:
        yield from nests_in(item)


def refuse_lists(out: Any, span: Span | None) -> None:
    """SourceError where a result has a length that is known only when the program runs, and is no array."""
    parts = list(nests_in(out))
    found = [part for part in parts if isinstance(part, GrowingList)]
    if any(map(is_letters, found)):
        raise refuse(
            span, "the text that is returned has a length that is known only when it runs: return numbers"
        )
    if not found:
        return
    word = next((WORDS[p.cls] for p in parts if isinstance(p, Nest) and p.cls in WORDS), "list")
    if word == "list" and all(part.fixed for part in found):
        raise refuse(span, LIST_CHANGED)
    said, instead = LENGTH_UNKNOWN[word]
    error = refuse(span, f"{said}: {instead}")
    error.wants_lengths = word
    raise error


def with_items_alone(made: Program, value: Any) -> tuple[Program, Any]:
    """A program that gives of each list its items: of its buffers the rows in use, and no count; and its value."""
    if not any(isinstance(part, GrowingList | Table | HeldList) for part in nests_in(value)):
        return made, value
    b, results = Builder(), list(made.entry.body.results)
    counts: set[int] = set()

    def alone(part: Any) -> Any:
        match part:
            case Table():
                own = () if part.is_list else (part.slots,)
                counts.update(leaf.k for leaf in own if isinstance(leaf, Result))
                return Nest(
                    part.cls, tuple(map(alone, (items_alone(part), *store_alone(part.store, counts))))
                )
            case HeldList():
                return Nest(ListAlone, (part.handle, *map(alone, store_alone(part.store, counts))))
            case GrowingList():
                known = isinstance(part.count, Lit)
                counts.update(() if known else (part.count.k,))
                if part.fixed and not part.grows:
                    return GrowingList.of(Static(None), part.rows, part.python, fixed=True)
                count = b.wrap(part.count if known else results[part.count.k])
                for leaf in leaves(part.rows):
                    if isinstance(leaf, Result):
                        results[leaf.k] = first_rows(b, results[leaf.k], count).atom
                return GrowingList.of(Static(None), part.rows, part.python)
            case Nest(_, items):
                return part.with_items(tuple(map(alone, items)))
        return part

    def moved(k: int | None) -> Any:
        return k if k is None else k - sum(count < k for count in counts)

    def placed(leaf: Any) -> Any:
        match leaf:
            case Result(k):
                return replace(leaf, k=moved(k))
            case Given(_, k):
                return replace(leaf, result=moved(k))
        return leaf

    listed = rebuild(alone(value), placed)
    left = tuple(result for k, result in enumerate(results) if k not in counts)
    body = Block((*made.entry.body.equations, *b.equations), left)
    return with_entry(made, body=body), listed


def with_lists_back(entry: Nest) -> Nest:
    """A dict that is an argument's and was changed: lists in it are the caller's, too."""
    return Nest(ListsBack, entry.items) if len(entry.items) > 1 else entry


def store_alone(store: ListStore | None, left_out: set[int]) -> tuple[Value, ...]:
    """The lists of where lists in a dict are, and of all their items; results that these are not are `left_out`."""
    if store is None:
        return ()
    *rows, room = store.places.rows.items
    left_out.add(room.k)
    parts = Nest(tuple, (store.places.count, Nest(tuple, tuple(rows))), ("count", ""))
    return GrowingList(parts, (True, True), fixed=True, grows=True), store.all_items


def items_alone(table: Table) -> GrowingList:
    """The list that a dict or set is made of."""
    entries: GrowingList = table.entries
    if table.is_list:
        return entries
    rows = entries.rows.items
    items = rows[0] if table.is_set else Nest(tuple, rows)
    return entries.with_parts(Nest(tuple, (entries.count, items), ("count", "")))
