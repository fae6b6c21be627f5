"""Whether lists that a statement puts into a dict have names beside it.

d[k] = [1, 2]       no: what is changed in the dict, nobody else sees
d[k] = xs           yes, unless `xs` gives its list away there (owned_lists.py)
"""

from __future__ import annotations

from collections.abc import Container

from codegen.read import tree
from codegen.read.lists.owned_lists import is_new


def puts_new(node: tree.Expression, owned: Container[str]) -> bool:
    """Whether lists that a value puts into a dict, itself or as the values of another one, are new, or of a name that
    gives its list away."""
    match node:
        case tree.DictDisplay(_, _, values):
            return all(puts_new(value, owned) for value in values)
        case tree.CallExpr(_, tree.Constant(_, made), (tree.Tuple(_, pairs),)) if made is dict:
            return all(puts_new(pair, owned) for pair in pairs)
        case tree.Tuple(_, (_, value), False):
            return puts_new(value, owned)
        case tree.Tuple(_, items, True) if all(
            isinstance(item, tree.Tuple) and not item.list for item in items
        ):
            return all(puts_new(item, owned) for item in items)
        case tree.Name(_, name):
            return name in owned
    return is_new(node)
