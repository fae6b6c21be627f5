"""The texts of structures of values: tuples, lists, dicts, named tuples, constants, lists whose items are rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from math import isnan
from typing import Any

import numpy as np

from codegen.infer.tables.values import ListAlone, TableSet
from codegen.infer.texts.known_texts import OF_TEXT, Letters, Texts
from codegen.infer.values import GrowingList, Nest, Static


def tupled(texts: Sequence[str]) -> str:
    """A tuple's text.

    >>> tupled(["a"]), tupled(["a", "b"]), tupled([])
    ('(a,)', '(a, b)', '()')
    """
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def quote(text: str) -> str:
    """A string literal in double quotes, as formatters write it."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def literal_text(value: Any) -> str:
    """A number, bool, text or None as text that Python reads as the same value."""
    if isinstance(value, str | Enum):
        return quote(str(value))  # the user's Enum is not there
    if isinstance(value, np.generic):
        plain = literal_text(value.item())
        return plain if value.dtype in ("f8", "i8", "b1") else f"np.{value.dtype.name}({plain})"
    if isinstance(value, float) and isnan(value):
        return "(1e999 - 1e999)"
    return repr(value).replace("inf", "1e999")


def structure(nest: Nest, parts: Sequence[str], class_name: Callable[[Any], str]) -> str:
    """The text of a structure of `parts`; `class_name`: what named tuples and dataclasses are called."""
    if nest.cls is tuple:
        return tupled(parts)
    if nest.cls is list:
        return f"[{', '.join(parts)}]"
    if nest.cls is dict:
        return (
            "{"
            + ", ".join(f"{literal_text(k)}: {p}" for k, p in zip(nest.keys or (), parts, strict=True))
            + "}"
        )
    if isinstance(nest.cls, Letters):
        return nest.cls.said(parts[0])
    if isinstance(nest.cls, Texts):
        return f"{tupled([*map(literal_text, nest.cls.known)])}[{parts[0]}]"
    if nest.cls is TableSet:
        return f"set({parts[0]})"
    if nest.cls in (set, frozenset):
        listed = f"[{', '.join(parts)}]" if parts else ""
        return f"{nest.cls.__name__}({listed})"
    return f"{class_name(nest.cls)}({', '.join(parts)})"


def rows_text(
    rows: Any, python: Iterator[bool], values: Iterator[str], class_name: Callable[[Any], str]
) -> str:
    """The text of a list whose items are the rows of arrays, which `values` are; `python`: of each, whether its numbers
    are Python's."""
    if not isinstance(rows, Nest):
        name = next(values)
        return f"{name}.tolist()" if next(python) else f"list({name})"
    if rows.cls is OF_TEXT:
        next(python)
        return f'"".join(map(chr, {next(values)}))'
    parts: list[str] = []
    named: list[str] = []
    columns: list[str] = []
    for k, item in enumerate(rows.items):
        if isinstance(item, Static):
            parts.append(literal_text(item.value))
            continue
        columns.append(rows_text(item, python, values, class_name))
        named.append(f"item{k}")
        parts.append(named[-1])
    through = columns[0] if len(columns) == 1 else f"zip({', '.join(columns)})"
    made = f"complex({', '.join(parts)})" if rows.cls is complex else structure(rows, parts, class_name)
    return f"[{made} for {', '.join(named)} in {through}]"


def column_texts(rows: Any, place: str, *, is_dict: bool) -> Iterator[str]:
    """The texts of the lists that a dict or set whose keys are numbers is given as: of each number in its keys and
    values."""
    if is_dict and rows.keys[1] == "lengths":
        yield from column_texts(Nest(tuple, (rows.items[0],)), place, is_dict=False)
        yield f"[len(value) for value in {place}.values()]"
        return
    word, *words = ("key", "value") if is_dict else ("item",)
    through = (place, *(f"{place}.values()" for _ in words))
    for part, each, items in zip(rows.items, (word, *words), through, strict=True):
        for path in number_paths(part):
            yield f"[{each}{path} for {each} in {items}]" if path else f"[*{items}]"


def number_paths(rows: Any) -> Iterator[str]:
    """The places of the numbers in an item: "" of a number, "[0]" and "[1]" of a pair."""
    if not isinstance(rows, Nest):
        yield ""
        return
    for k, item in enumerate(rows.items):
        yield from (f"[{k}]{path}" for path in number_paths(item))


def table_text(
    entry: Nest, values: Iterator[str], class_name: Callable[[Any], str], name: Callable[[str], str]
) -> tuple[str, list[str]]:
    """The text of a dict or set of the rows of arrays, or of a list that is a value of one, and lines before it, in
    which all these lists, and their items, have a `name`."""

    def listed(part: Any) -> list[str]:
        if not isinstance(part, GrowingList):
            return ["[]"]
        is_nest = isinstance(part.rows, Nest) and entry.cls is not TableSet
        rows = part.rows.items if is_nest else [part.rows]
        python = iter(part.python)
        return [rows_text(each, python, values, class_name) for each in rows]

    if entry.cls is ListAlone:
        handle, (starts, lengths) = next(values), listed(entry.items[1])
        items, lists = items_text(entry.items[2], values, class_name), name("lists")
        return f"{lists}[{handle}]", lists_lines(lists, starts, lengths, items, name("items"))
    first, *store = entry.items
    columns = listed(first)
    if entry.cls is TableSet:
        return f"set({columns[0]})", []
    if not store:
        return f"dict(zip({', '.join(columns)}))", []
    keys, handles = columns
    (starts, lengths), items = listed(store[0]), items_text(store[1], values, class_name)
    lists = name("lists")
    lines = lists_lines(lists, starts, lengths, items, name("items"))
    return f"{{key: {lists}[k] for key, k in zip({keys}, {handles})}}", lines


def items_text(part: Any, values: Iterator[str], class_name: Callable[[Any], str]) -> str:
    """The text of the list of all items of lists that are values of a dict."""
    if not isinstance(part, GrowingList):
        return "[]"
    return rows_text(part.rows, iter(part.python), values, class_name)


def lists_lines(name: str, starts: str, lengths: str, items: str, called: str) -> list[str]:
    """Lines that make all lists that are values of a dict, of their items, which are `called` so."""
    made = f"[{called}[k : k + n] for k, n in zip({starts}, {lengths})]"
    return [f"{called} = {items}", f"{name} = {made}"]
