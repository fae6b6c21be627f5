"""Loops over a list that they make longer or shorter, as loops over its places: with_places_of_changed.

    queue = [0]                          queue = [0]
    for u in queue:                      place = 0
        for v in adjacent[u]:            while place < len(queue):
            ...                  ->          u = queue[place]
            queue.append(v)                  place += 1
                                             for v in adjacent[u]:
                                                 ...
                                                 queue.append(v)

Of a list that the function makes, by a display, a comprehension or `list`, and gives no other name there: Python, too,
goes by places. What else may be changed while it is gone through, a dict or a deque, it refuses then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.lists.owned_lists import IN_LENGTH, all_names, bound_pairs
from codegen.read.relocation import tree_nodes, with_pieces, with_statements
from codegen.read.scope import all_statements, assigned_names, target_names


@dataclass(frozen=True)
class ListNames:
    """Names of lists that a function makes, `inside`: that functions in it make longer or shorter; all names in use."""

    made: set[str]
    inside: set[str]
    taken: set[str]


def with_places_of_changed(define: tree.Define) -> tree.Define:
    """The function, and those in it, without such loops."""
    inner = [node for node in all_statements(define.body) if isinstance(node, tree.Define)]
    made = own_lists(define).difference(*(each.rebound for each in inner))
    inside = {name for name in made if any(changes_length(each.body, name) for each in inner)}
    taken = {*all_names(define.body), *(p.name for p in define.parameters)}
    return replace(define, body=by_list_places(define.body, ListNames(made, inside, taken)))


def own_lists(define: tree.Define) -> set[str]:
    """Names that a function gives to lists alone that it makes."""
    listed: set[str] = set()

    def without_lists(node: Any) -> Any:
        match node:
            case tree.Assign(span):
                pairs = [*bound_pairs(node)]
                made = [t for t, value in pairs if isinstance(t, tree.Name) and makes_list(value)]
                listed.update(target.id for target in made)
                others = tuple(target for target, _ in pairs if target not in made) if pairs else node.targets
                return tree.Assign(span, others, tree.Constant(span, None))
            case tree.AugAssign(span, tree.Name(), "+"):
                return tree.Evaluate(span, tree.Constant(span, None))
        return None

    others = assigned_names(with_pieces(define.body, without_lists))
    return listed.difference(others, (p.name for p in define.parameters))


def makes_list(value: tree.Expression) -> bool:
    match value:
        case tree.Tuple(_, _, True) | tree.Comprehension(_, _, _, False):
            return True
        case tree.Binary(_, "*" | "+", left, right):
            return makes_list(left) or makes_list(right)
    return (
        isinstance(value, tree.CallExpr)
        and isinstance(value.function, tree.Name)
        and value.function.id == "list"
    )


def by_list_places(part: Any, lists: ListNames) -> Any:
    """Statements, loops over lists of these names whose length they change by places."""
    return with_statements(part, lambda node: loop_by_places(node, lists))


def loop_by_places(node: Any, lists: ListNames) -> Iterator[Any]:
    if isinstance(node, tree.Define):
        yield with_places_of_changed(node)
        return
    through = list_gone_through(node, lists)
    if through is None:
        yield by_list_places(node, lists)
        return
    span, place = node.span, tree.Name(node.span, claimed_name("place", lists.taken))
    found: tree.Expression = tree.Subscript(span, through, place)
    if node.iterable is not through:
        found = tree.Tuple(span, (place, found))
    length = tree.CallExpr(span, tree.Constant(span, len), (through,))
    yield tree.Assign(span, (place,), tree.Constant(span, 0))
    inner = (
        tree.Assign(span, (node.target,), found),
        tree.AugAssign(span, place, "+", tree.Constant(span, 1)),
        *by_list_places(node.body, lists),
    )
    test = tree.Compare(span, place, (("<", length),))
    yield tree.Loop(span, test, inner, by_list_places(node.orelse, lists))


def list_gone_through(node: Any, lists: ListNames) -> tree.Name | None:
    """The list whose length a loop over it, or over `enumerate` of it, changes."""
    match node:
        case tree.Iterate(_, _, tree.Name() as through):
            pass
        case tree.Iterate(_, _, tree.CallExpr(_, tree.Name(_, "enumerate"), (tree.Name() as through,), ())):
            pass
        case _:
            return None
    name = through.id
    changed = name in lists.made and (name in lists.inside or changes_length(node.body, name))
    keeps = name not in target_names(node.target) and not is_given_another(node.body, name)
    return through if changed and keeps else None


def changes_length(body: tuple[tree.Statement, ...], name: str) -> bool:
    """Whether statements make a list of this name longer or shorter."""
    for node in tree_nodes(body):
        match node:
            case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, of), method)) if of == name:
                if method in IN_LENGTH:
                    return True
            case tree.AugAssign(_, tree.Name(_, of), "+") if of == name:
                return True
    return False


def is_given_another(body: tuple[tree.Statement, ...], name: str) -> bool:
    """Whether statements give this name to another list."""
    given = (node.targets for node in all_statements(body) if isinstance(node, tree.Assign))
    return any(name in target_names(target) for targets in given for target in targets)
