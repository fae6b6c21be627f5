"""Methods of lists and dicts: what they give, and how those that are objects are put in order."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.frame import Frame
from codegen.infer.kinds import Raises
from codegen.infer.memory.growing_lists import copied, form_of_list, growing, kinds_in, size_of
from codegen.infer.memory.list_items import is_item, rows_in_use, turned
from codegen.infer.memory.subscripts import as_counted_list, write_in_place
from codegen.infer.values import GrowingList, Nest, Static, Value, leaves
from codegen.ir.build import call
from codegen.ir.literals import literal
from codegen.source import Span, refuse


def nest_method(nest: Nest, name: str, arguments: Arguments, keywords: Keywords, span: Span) -> Value:
    """`_replace` of a named tuple; keys, values and items of a dict, what it has under a key; a copy of it or of a
    list."""
    keys = nest.keys or ()
    match name:
        case "get":
            return item_or(nest, arguments, span)
        case "_replace":
            unknown = [k for k in keywords if k not in keys]
            if unknown:
                raise refuse(span, f"{nest.cls.__name__} has no field {unknown[0]!r}")
            return nest.with_items(tuple(keywords.get(k, v) for k, v in zip(keys, nest.items, strict=True)))
        case "copy":
            return nest
        case "__init__":  # object's
            return Static(None)
        case "keys":
            return Nest(tuple, tuple(Static(k) for k in keys))
        case "values":
            return Nest(tuple, nest.items)
    return Nest(tuple, tuple(Nest(tuple, (Static(k), v)) for k, v in zip(keys, nest.items, strict=True)))


def put_in_order(
    frame: Frame, held: GrowingList, method: str, arguments: Arguments, keywords: Keywords, name: str
) -> Value:
    """`xs.sort(...)` and `xs.reverse()` of a list that keeps its length."""
    if method == "sort":
        made = frame.inference.call(frame, Static(sorted), (held, *arguments), keywords, name)
    else:
        made = turned(frame, held)
    made = growing(frame, made, form_of_list(held, kinds_in(frame)), name)
    rows: Any = leaves(rows_in_use(frame, made))
    for into, given in zip(leaves(held.rows), rows, strict=True):
        write_in_place(frame, into, frame.take(given, name), frame.span)  # type: ignore[arg-type]
    return Static(None)


def list_method(frame: Frame, held: GrowingList, method: str, arguments: Arguments, name: str) -> Value:
    """A copy of a list; how often a number is in it, and where first."""
    if method == "copy":
        return copied(frame, held)
    if len(arguments) != 1:
        raise frame.refusal(f"list.{method} takes one item")
    b = frame.b
    if (same := is_item(frame, held, arguments[0])) is False:
        same = b.apply("full", np.bool_(False), size_of(frame, held), dtype="b1")
    if method == "count":
        return frame.take(frame.named(call(b, np.sum, same), name, weak=True), name)
    b.require(call(b, np.any, same), "ValueError", "list.index(x): x not in list")
    return frame.take(frame.named(call(b, np.argmax, same), name, weak=True), name)


def count_or_index(frame: Frame, nest: Nest, method: str, arguments: Arguments, name: str) -> Value:
    """`count` and `index` of a tuple or list that is written out."""
    if all(isinstance(v, Static) for v in (*nest.items, *arguments)) and len(arguments) == 1:
        known = [v.value for v in nest.items if isinstance(v, Static)]
        wanted = arguments[0].value  # type: ignore[union-attr]
        if method == "count" or wanted in known:
            return literal(getattr(known, method)(wanted))
    elif nest.items:
        return list_method(frame, as_counted_list(frame, nest), method, arguments, name)
    if method == "count":
        return literal(0)
    raise Raises("ValueError", f"{nest.cls.__name__}.index(x): x not in {nest.cls.__name__}")


def item_or(nest: Nest, arguments: Arguments, span: Span) -> Value:
    """What a dict has under a key, or else the second argument."""
    match arguments:
        case (Static(str() | Enum() as key), *rest) if len(rest) < 2:
            found = nest.field(key)
            return found if found is not None else rest[0] if rest else Static(None)
    raise refuse(span, "get() of a dict takes a text that is known, and what to give where it is no key")
