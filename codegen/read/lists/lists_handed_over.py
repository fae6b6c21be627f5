"""Lists that a name gives away before it has another, as copies: with_copies_handed_over : Define -> Define.

    row = []                             row = []
    for x in xs:                         for x in xs:
        row.append(x)                        row.append(x)
        if full(row):             ->         if full(row):
            rows.append(row)                     rows.append(row.copy())
            row = []                             row = []

A copy is what the list itself would be where nothing else has it and its name is not read before it is given another.
So names own their lists (owned_lists.py), which these do not else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codegen.read import tree
from codegen.read.lists.loops_over_changed import own_lists
from codegen.read.lists.owned_lists import owned_names
from codegen.read.scope import Exits, Names, all_statements, closures, live_before


def with_copies_handed_over(define: tree.Define) -> tree.Define:
    """The function, and those in it, with such copies."""
    body = tuple(
        replace(node, body=with_copies_handed_over(node).body) if isinstance(node, tree.Define) else node
        for node in define.body
    )
    given = {name for node in all_statements(body) if (name := given_away(node))}
    made = given & own_lists(define) if given else set[str]()
    lost = made - owned_names(define) - names_captured(body) if made else made
    if not lost:
        return replace(define, body=body)
    owned = owned_names(replace(define, body=copied_in(body, lost)))
    return replace(define, body=copied_in(body, lost & owned))


def names_captured(body: tuple[tree.Statement, ...]) -> Names:
    """Names that functions in a function read."""
    return frozenset().union(*closures(body).values())


def given_away(node: tree.Statement) -> str:
    """The name whose list a statement puts into another list or a dict, "" if there is none."""
    match node:
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, _, "append"), (tree.Name(_, name),), ())):
            return name
        case tree.Assign(_, (tree.Subscript(),), tree.Name(_, name)):
            return name
    return ""


def copied_in(body: tuple[tree.Statement, ...], names: set[str]) -> tuple[tree.Statement, ...]:
    return with_copies(body, frozenset(), Exits(), names)


def with_copies(
    statements: tuple[tree.Statement, ...], live: Names, exits: Exits, names: set[str]
) -> tuple[tree.Statement, ...]:
    """Statements that give copies of lists of these names away where the names are not `live` then."""
    made: list[tree.Statement] = []
    for node in reversed(statements):
        made.append(with_copy(node, live, exits, names))
        live = live_before((node,), live, exits)
    return tuple(reversed(made))


def with_copy(node: tree.Statement, live: Names, exits: Exits, names: set[str]) -> tree.Statement:
    name = given_away(node)
    match node:
        case tree.Evaluate(span, tree.CallExpr() as call) if name in names - live:
            return tree.Evaluate(span, replace(call, arguments=(list_copy(call.arguments[0]),)))
        case tree.Assign(_, _, value) if name in names - live:
            return replace(node, value=list_copy(value))
        case tree.Branch(_, _, then, orelse):
            ways = (with_copies(way, live, exits, names) for way in (then, orelse))
            return tree.Branch(node.span, node.test, *ways)
        case tree.Loop() | tree.Iterate():
            head = live | live_before((node,), live, exits)
            inside = replace(exits, on_break=live, on_continue=head)
            body = with_copies(node.body, head, inside, names)
            return replace(node, body=body, orelse=with_copies(node.orelse, live, exits, names))
    return node


def list_copy(value: Any) -> tree.CallExpr:
    return tree.CallExpr(value.span, tree.Attribute(value.span, value, "copy"), ())
