"""Lists in a list that get longer, as lists in a dict of their places: with_lists_in_lists : Define -> Define.

    out = [[] for _ in range(n)]           out_count = n
                                           out = {k: [] for k in range(out_count)}
    for a, b in edges:                     for a, b in edges:
        out[a].append(b)             ->        out[place_of_list(a, out_count)].append(b)
    for v in out[0]: ...                   for v in out[place_of_list(0, out_count)]: ...

    trace = [[], []]                       trace = {"item0": [], "item1": []}
    trace[1].append(x)               ->    trace["item1"].append(x)

A list is such a one if its function gives it nothing else, changes a list in it, and asks for no more than its items,
how many they are, and all of them in turn; the second form if it asks for items whose places stand there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.lists.lists_apart import names_anywhere
from codegen.read.lists.owned_lists import all_names
from codegen.read.relocation import with_pieces
from codegen.read.scope import Node, all_statements, parts_of

LENGTHS = ("append", "extend", "insert", "pop", "remove", "clear")
Change = Callable[[Any], Any]


def with_lists_in_lists(define: tree.Define) -> tree.Define:
    """The function, and those in it, without such lists."""
    body = define.body
    parameters = {p.name for p in define.parameters}
    changed = {name for node in all_statements(body) for name in got_longer(node)} - parameters
    taken = parameters.union(all_names(body)) if changed else set()
    for node in [*all_statements(body)] if changed else ():
        match node:
            case tree.Assign(_, (tree.Name(_, name),), value) if name in changed and displays_lists(value):
                if all(asks_for_known_places(part, node, name) for part in body):
                    body = with_pieces(body, as_dict_of_texts(node, name))
                elif all(asks_for_places(part, node, name) for part in body):
                    body = with_pieces(body, as_dict(node, name, taken))
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
    """Whether it is a list of new lists, which are empty if nothing says how many they are."""
    match value:
        case tree.Tuple(_, items, True):
            return bool(items) and all(isinstance(item, tree.Tuple) and item.list for item in items)
        case tree.Comprehension(_, tree.Tuple(_, (), True), (tree.Clause(_, _, through, ()),), False):
            return may_be_read_twice(through)
    return False


def may_be_read_twice(node: tree.Expression) -> bool:
    """Whether it may be evaluated twice: made of names and numbers, ranges and lengths."""
    match node:
        case tree.CallExpr(_, tree.Name(_, "range" | "len"), (of,), ()):
            return may_be_read_twice(of)
        case tree.Binary(_, _, left, right):
            return may_be_read_twice(left) and may_be_read_twice(right)
        case tree.Attribute(_, value, _):
            return may_be_read_twice(value)
        case tree.Subscript(_, value, index):
            return may_be_read_twice(value) and may_be_read_twice(index)
    return isinstance(node, tree.Name | tree.Constant)


# The first form: {k: [] for k in range(n)}


def asks_for_places(node: Node, made: tree.Assign, name: str) -> bool:
    """Whether a part of the function asks for no more than items, their number, and all in turn."""
    match node:
        case tree.Assign() if node is made:
            return True
        case tree.Subscript(_, tree.Name(_, of), index) if of == name:
            return not isinstance(index, tree.Slice | tree.Tuple) and asks_for_places(index, made, name)
        case tree.CallExpr(_, tree.Name(_, "len"), (tree.Name(),), ()):
            return True
        case tree.Name(_, of):
            return of != name
        case tree.Define() | tree.Lambda() | tree.Delete() | tree.Enter() | tree.Try():
            return name not in names_anywhere(node)
        case tree.Iterate() | tree.Clause():
            return all(
                asks_for_places(p, made, name)
                for p in parts_of(node)
                if not is_gone_through(p, node.iterable, name)
            )
    return all(asks_for_places(part, made, name) for part in parts_of(node))


def is_gone_through(part: Node, iterable: tree.Expression, name: str) -> bool:
    """Whether a part of a loop is what it goes through, and that is the list, or the list counted or beside others."""
    if part is not iterable:
        return False
    match part:
        case tree.CallExpr(_, tree.Name(_, "enumerate" | "zip"), arguments, ()):
            return all(isinstance(each, tree.Name) for each in arguments)
    return isinstance(part, tree.Name) and part.id == name


def as_dict(made: tree.Assign, name: str, taken: set[str]) -> Change:
    """The list as a dict."""
    count = tree.Name(made.span, claimed_name(f"{name}_count", taken))
    place = tree.Name(made.span, claimed_name("place", taken))

    def change(part: Any) -> Any:
        match part:
            case tree.Assign(span, (target,), value) if part is made:
                size, listed = count_and_lists(value, place, count)
                targets = tree.Tuple(span, (count, target))
                return tree.Assign(span, (targets,), tree.Tuple(span, (size, call_of(span, dict, listed))))
            case tree.Subscript(span, tree.Name(_, of) as owner, index) if of == name:
                inner = with_pieces(index, change)
                return tree.Subscript(
                    span, owner, call_of(span, place_of_list, inner, replace(count, span=span))
                )
            case tree.CallExpr(span, tree.Name(_, "len"), (tree.Name(_, of),), ()) if of == name:
                return replace(count, span=span)
            case tree.Name(span, of) if of == name:
                return tree.CallExpr(span, tree.Attribute(span, part, "values"), ())
        return None

    return change


def count_and_lists(
    value: tree.Expression, place: tree.Name, count: tree.Name
) -> tuple[tree.Expression, tree.Expression]:
    """How many lists there are, and pairs of their places and them."""
    span = value.span
    if isinstance(value, tree.Tuple):
        places = (tree.Constant(span, k) for k in range(len(value.items)))
        pairs = (tree.Tuple(span, pair) for pair in zip(places, value.items, strict=True))
        return tree.Constant(span, len(value.items)), tree.Tuple(span, tuple(pairs), True)
    assert isinstance(value, tree.Comprehension)
    through = value.clauses[0].iterable
    clause = tree.Clause(span, place, call_of(span, range, call_of(span, len, through)), ())
    pair = tree.Tuple(span, (place, value.value))
    return call_of(span, len, through), tree.Comprehension(span, pair, (clause,), False)


def call_of(span: Any, function: Any, *arguments: tree.Expression) -> tree.CallExpr:
    return tree.CallExpr(span, tree.Constant(span, function), arguments)


def place_of_list(k: int, count: int) -> int:
    """The key of the k-th of so many lists."""
    return range(count)[k]


# The second form: {"item0": [], "item1": []}


def asks_for_known_places(node: Node, made: tree.Assign, name: str) -> bool:
    """Whether a part of the function asks for items alone, whose places stand there."""
    match node:
        case tree.Assign() if node is made:
            return isinstance(made.value, tree.Tuple)
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
