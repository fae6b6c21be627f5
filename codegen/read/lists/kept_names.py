"""Which lists and dicts of names an expression keeps: kept_names, read_from, items_kept : Node -> names.

us[0] + len(vs)         keeps none
us, [us, vs][0]         keep us, and both
list((us, vs))          as items, as a loop through (us, vs) may
"""

from __future__ import annotations

from collections.abc import Iterator

from codegen.read import tree
from codegen.read.scope import Node, free_names, parts_of, target_names

# Python's functions whose results are no part of their first argument, if that is a list.
READERS = frozenset(("all", "any", "dict", "len", "list", "max", "min", "range", "sorted", "sum", "tuple"))
THROUGH = frozenset(("dict", "enumerate", "list", "max", "min", "reversed", "sorted", "tuple", "zip"))
LATER = frozenset(("enumerate", "reversed", "zip"))  # which read when they are gone through
MODULES = frozenset(("np", "numpy", "math"))
KNOWN = READERS | LATER | MODULES
READING = frozenset(("copy", "count", "get", "index", "pop"))
VIEWS = frozenset(("items", "keys", "values"))


def read_from(node: Node) -> Iterator[str]:
    """As `kept`, of what is read at once and forgotten: neither a name itself nor a view of it keeps anything."""
    match node:
        case tree.Name():
            return
        case tree.CallExpr(_, tree.Name(_, name), values, keywords) if name in LATER:
            for value in (*values, *(value for _, value in keywords)):
                yield from read_from(value)
        case tree.CallExpr(_, tree.Attribute(_, value, name), ()) if name in VIEWS:
            yield from read_from(value)
        case tree.Logical() | tree.Conditional() | tree.Tuple():
            yield from (name for part in parts_of(node) for name in read_from(part))
        case _:
            yield from kept_names(node)


def items_kept(node: Node) -> Iterator[str]:
    """As `kept`, of a value whose items go on into another, as those of `(us, vs)` do into `list((us, vs))`; what a
    name has are numbers, or lists that it owns."""
    match node:
        case tree.Name():
            return
        case tree.Tuple(_, items):
            yield from (name for item in items for name in kept_names(item))
        case tree.CallExpr(_, tree.Name(_, name), values, keywords) if name in THROUGH:
            for value in (*values, *(value for _, value in keywords)):
                yield from items_kept(value)
        case tree.CallExpr(_, tree.Attribute(_, value, name), ()) if name in VIEWS:
            yield from items_kept(value)
        case tree.Logical() | tree.Conditional() | tree.Binary():
            yield from (name for part in parts_of(node) for name in items_kept(part))
        case _:
            yield from kept_names(node)


def kept_beside(node: tree.Expression) -> Iterator[str]:
    """As `kept`, of what is returned: after that nothing is changed."""
    if isinstance(node, tree.Tuple | tree.DictDisplay):
        values = node.items if isinstance(node, tree.Tuple) else node.values
        yield from (name for value in values for name in kept_beside(value))
    else:
        yield from read_from(node)


def kept_by_places(target: tree.Expression) -> Iterator[str]:
    """Names that the places of an assignment's target let go: none but those in its indices."""
    match target:
        case tree.Tuple(_, items):
            yield from (name for item in items for name in kept_by_places(item))
        case tree.Subscript(_, value, index):
            yield from read_from(value)
            yield from read_from(index)
        case tree.Attribute() | tree.Starred():
            yield from kept_names(target.value)


def kept_names(node: Node) -> Iterator[str]:
    """Names whose objects may be what an expression gives, a part of it, or held by a function that it makes. What a
    call gives of its arguments is seen where it is made (infer/expressions.py)."""
    match node:
        case tree.Name(_, name):
            yield name
        case tree.Subscript(_, value, index):
            yield from items_kept(value)
            yield from read_from(index)
        case tree.Lambda():
            yield from free_names(node)
            yield from (name for p in node.parameters if p.default for name in kept_names(p.default))
        case tree.CallExpr(_, function, values, keywords):
            if isinstance(function, tree.Attribute):
                yield from (
                    items_kept(function.value) if function.name in READING else kept_names(function.value)
                )
            elif not isinstance(function, tree.Name):
                yield from kept_names(function)
            count = read_count(function, len(values))
            through = isinstance(function, tree.Name) and function.id in THROUGH
            yield from (name for v in values[:count] for name in (items_kept(v) if through else read_from(v)))
            others = (*values[count:], *(value for key, value in keywords if key is not None))
            seen = {*handed_to(node)}
            yield from (name for value in others if value not in seen for name in kept_names(value))
            yield from (name for key, value in keywords if key is None for name in items_kept(value))
        case tree.Binary() | tree.Starred():
            yield from (name for part in parts_of(node) for name in items_kept(part))
        case tree.Unary() | tree.Compare():
            yield from (name for part in parts_of(node) for name in read_from(part))
        case tree.Conditional(_, test, then, orelse):
            yield from read_from(test)
            yield from kept_names(then)
            yield from kept_names(orelse)
        case tree.Comprehension(_, value, clauses):
            found, own = {*kept_names(value)}, {n for c in clauses for n in target_names(c.target)}
            for clause in reversed(clauses):
                lasts = not found.isdisjoint(target_names(clause.target))
                found |= {*(items_kept if lasts else read_from)(clause.iterable)}
                if lasts and isinstance(clause.iterable, tree.Name):
                    found |= {clause.iterable.id} & own  # whose items last
                found |= {name for test in clause.conditions for name in read_from(test)}
            yield from found
        case _:
            yield from (name for part in parts_of(node) for name in kept_names(part))


def handed_to(call: tree.CallExpr) -> Iterator[tree.Name]:
    """The names among a call's arguments whose objects a function of the user's may give back."""
    function = call.function
    if isinstance(function, tree.Name) and function.id in KNOWN:
        return
    values = (*call.arguments[read_count(function, len(call.arguments)) :], *(v for _, v in call.keywords))
    yield from (value for value in values if isinstance(value, tree.Name))


def handed_over_in(node: Node) -> Iterator[str]:
    """The names that are given to functions of the user's anywhere in a statement."""
    if isinstance(node, tree.CallExpr):
        yield from (value.id for value in handed_to(node))
    for part in parts_of(node):
        yield from handed_over_in(part)


def read_count(function: tree.Expression, count: int) -> int:
    """How many of a call's arguments it only reads: nothing that it gives is one of them."""
    match function:
        case tree.Name(_, "max" | "min"):
            return int(count == 1)
        case tree.Name(_, name):
            return int(name in READERS)
        case tree.Attribute(_, tree.Name(_, name)) | tree.Attribute(_, tree.Attribute(_, tree.Name(_, name))):
            return count if name in MODULES else 0
    return 0


def names_in(node: Node, *, held: bool = False) -> Iterator[tree.Name]:
    """The names in an expression; `held`: those that it goes on reading, as `range(len(xs))` and `list(xs)` do not."""
    match node:
        case tree.Name():
            yield node
        case tree.CallExpr(_, tree.Name(_, name)) if held and name in READERS:
            return
        case tree.Subscript(_, _, tree.Slice()) if held:
            return
    for part in parts_of(node):
        yield from names_in(part, held=held)
