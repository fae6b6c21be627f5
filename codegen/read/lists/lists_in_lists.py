"""Lists in a list that get longer, at places that stand there, as lists in a dict: with_lists_in_lists.

    trace = [[], []]                       trace = {"item0": [], "item1": []}
    trace[1].append(x)               ->    trace["item1"].append(x)

A list is such a one if its function gives it nothing else, changes a list in it, and asks for items alone, whose places
stand there. Others are found while types are (infer/tables/lists_of_lists.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from codegen.read import tree
from codegen.read.lists.lists_apart import names_anywhere
from codegen.read.relocation import with_pieces
from codegen.read.scope import Node, all_statements, parts_of

LENGTHS = ("append", "extend", "insert", "pop", "remove", "clear")
Change = Callable[[Any], Any]


def with_lists_in_lists(define: tree.Define) -> tree.Define:
    """The function, and those in it, without such lists."""
    body = define.body
    changed = {name for node in all_statements(body) for name in got_longer(node)}
    changed -= {p.name for p in define.parameters}
    for node in [*all_statements(body)] if changed else ():
        match node:
            case tree.Assign(_, (tree.Name(_, name),), value) if name in changed and displays_lists(value):
                if all(asks_for_known_places(part, node, name) for part in body):
                    body = with_pieces(body, as_dict_of_texts(node, name))
    return replace(define, body=tuple(with_pieces(node, in_functions) for node in body))


def got_longer(node: tree.Statement) -> Iterator[str]:
    """Names of lists in whose items a statement changes how long they are."""
    match node:
        case tree.Evaluate(
            _, tree.CallExpr(_, tree.Attribute(_, tree.Subscript(_, tree.Name(_, name), _), method))
        ) if method in LENGTHS:
            yield name
        case tree.Assign(
            _, _, tree.CallExpr(_, tree.Attribute(_, tree.Subscript(_, tree.Name(_, name), _), "pop"))
        ):
            yield name
        case tree.AugAssign(_, tree.Subscript(_, tree.Name(_, name), _), "+", tree.Tuple()):
            yield name


def in_functions(part: Any) -> Any:
    return with_lists_in_lists(part) if isinstance(part, tree.Define) else None


def displays_lists(value: tree.Expression) -> bool:
    """Whether it is a list of new lists."""
    items = value.items if isinstance(value, tree.Tuple) and value.list else ()
    return bool(items) and all(isinstance(item, tree.Tuple) and item.list for item in items)


def asks_for_known_places(node: Node, made: tree.Assign, name: str) -> bool:
    """Whether a part of the function asks for items alone, whose places stand there."""
    match node:
        case tree.Assign() if node is made:
            return True
        case tree.Subscript(_, tree.Name(_, of), tree.Constant(_, int() as k)) if of == name:
            assert isinstance(made.value, tree.Tuple)
            return 0 <= k < len(made.value.items)
        case tree.Name(_, of):
            return of != name
        case tree.Define() | tree.Lambda() | tree.Delete() | tree.Enter() | tree.Try():
            return name not in names_anywhere(node)
    return all(asks_for_known_places(part, made, name) for part in parts_of(node))


def as_dict_of_texts(made: tree.Assign, name: str) -> Change:
    """The list as a dict of known keys."""

    def change(part: Any) -> Any:
        match part:
            case tree.Assign(span, targets, tree.Tuple(_, items)) if part is made:
                keys = tuple(f"item{k}" for k in range(len(items)))
                return tree.Assign(span, targets, tree.DictDisplay(span, keys, items))
            case tree.Subscript(span, tree.Name(_, of) as owner, tree.Constant(at, k)) if of == name:
                return tree.Subscript(span, owner, tree.Constant(at, f"item{k}"))
        return None

    return change
