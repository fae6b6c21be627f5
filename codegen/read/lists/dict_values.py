"""Loops through a dict that give its keys other values: changed_at_its_keys : Iterate -> the dict's name.

    for k in rates:                        for k, v in rates.items():
        rates[k] *= 2.0                        rates[k] = v * scale

The keys stay, and each value changes when its key's turn comes: what the loop goes through is what it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from codegen.read import tree
from codegen.read.scope import assigned_names, target_names


def dict_names(statements: Sequence[tree.Statement]) -> frozenset[str]:
    """Names that assignments bind to dicts alone, and nothing else binds."""
    dicts, others = set[str](), set[str]()
    for node in statements:
        match node:
            case tree.Assign(_, (tree.Name(_, name),), value):
                (dicts if is_dict(value) else others).add(name)
            case tree.Assign(_, targets, _):
                others.update(name for target in targets for name in target_names(target))
            case tree.AugAssign(_, target) | tree.Iterate(_, target):
                others.update(target_names(target))
            case tree.Define(_, name):
                others.add(name)
    return frozenset(dicts - others)


def is_dict(node: tree.Expression) -> bool:
    match node:
        case tree.DictDisplay() | tree.CallExpr(_, tree.Name(_, "dict")):
            return True
        case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, "dict"), "fromkeys")):
            return True
        case tree.CallExpr(_, tree.Constant(_, made)) if made is dict:
            return True
    return False


def changed_at_its_keys(node: tree.Iterate, changing: Sequence[tuple[tree.Statement, str]]) -> str | None:
    """The name of the dict whose values a loop through its keys or items changes, each at its key. `changing`: what
    changes a list or dict in the body, and its name."""
    name, key = dict_and_key(node.iterable, node.target)
    mine = [each for each, changed in changing if changed == name]
    if not key or not mine or key in assigned_names(node.body) or name in assigned_names(node.body):
        return None
    once = len({*mine}) == len(mine)  # nothing is popped beside it
    return name if once and all(is_value_of(each, name, key) for each in mine) else None


def dict_and_key(iterable: tree.Expression, target: tree.Expression) -> tuple[str, str]:
    """The dict that a loop goes through and what it calls the keys, "" where it may be no dict."""
    match iterable, target:
        case (
            tree.Name(_, name) | tree.CallExpr(_, tree.Attribute(_, tree.Name(_, name), "keys"), (), ()),
            tree.Name(_, key),
        ):
            return name, key
        case (
            tree.CallExpr(_, tree.Attribute(_, tree.Name(_, name), "items"), (), ()),
            tree.Tuple(_, (tree.Name(_, key), _)),
        ):
            return name, key
        case tree.CallExpr(_, tree.Name(_, "enumerate"), (inner, *_)), tree.Tuple(_, (_, counted)):
            return dict_and_key(inner, counted)
    return "", ""


def is_value_of(node: tree.Statement, name: str, key: str) -> bool:
    """Whether a statement gives the dict's key of the loop another value, and does nothing else to it."""
    match node:
        case tree.Assign(_, (tree.Subscript(_, tree.Name(_, of), tree.Name(_, at)),), _) | tree.AugAssign(
            _, tree.Subscript(_, tree.Name(_, of), tree.Name(_, at)), _, _
        ):
            return (of, at) == (name, key)
    return False
