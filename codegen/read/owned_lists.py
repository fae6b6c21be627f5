"""Lists and dicts that are changed in place and known by one name: with_changes : Define -> Define.

    total = [0.0, 0.0]                     total = [0.0, 0.0]
    for v in x:                    ->      for v in x:
        total[0] += v                          Change("total", total[0] += v)

Where nothing else can refer to the object, changing it is binding the name anew. A name owns what it is bound to if
that is a new list or dict each time (a display, a comprehension, a copy) and it is only read in ways that keep no
reference: elements, `len`, loops that do not change it meanwhile, functions of NumPy, what is returned. Other lists
that are changed are refused where the function is transformed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.read import tree
from codegen.read.scope import Node, all_statements, assigned_names, free_names, parts_of, target_names

# Python's functions whose results are no part of their first argument, if that is a list.
READERS = frozenset(("all", "any", "dict", "len", "list", "max", "min", "range", "sum", "tuple"))
LATER = frozenset(("enumerate", "reversed", "zip"))  # which read when they are gone through
MODULES = frozenset(("np", "numpy", "math"))
KNOWN = READERS | LATER | MODULES
READING = frozenset(("copy", "count", "get", "index"))
VIEWS = frozenset(("items", "keys", "values"))
CHANGING = frozenset(("append", "clear", "extend", "insert", "pop", "reverse"))


def with_changes(define: tree.Define) -> tree.Define:
    """The function, and those in it, with what changes a list or dict of one name as a Change."""
    owned = owned_names(define)
    return replace(define, body=tuple(changed(each, owned) for each in define.body))


def changed(node: tree.Statement, owned: frozenset[str]) -> tree.Statement:
    match node:
        case tree.Define():
            return with_changes(node)
        case tree.Branch():
            then, orelse = (tuple(changed(s, owned) for s in way) for way in (node.then, node.orelse))
            return replace(node, then=then, orelse=orelse)
        case tree.Loop() | tree.Iterate():
            body, orelse = (tuple(changed(s, owned) for s in way) for way in (node.body, node.orelse))
            return replace(node, body=body, orelse=orelse)
    names = tuple(dict.fromkeys(name for name in changed_names(node) if name in owned))
    return tree.Change(node.span, names, node) if names else node


def changed_names(node: tree.Statement) -> Iterator[str]:
    """Names whose list or dict a statement changes in place, if it is one."""
    match node:
        case tree.Assign(_, targets, _):
            for target in targets:
                yield from changed_by(target)
        case tree.AugAssign(_, tree.Name(_, name)) | tree.AugAssign(_, tree.Subscript(_, tree.Name(_, name))):
            yield name
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, tree.Name(_, name), method))) if (
            method in CHANGING
        ):
            yield name


def changed_by(target: tree.Expression) -> Iterator[str]:
    match target:
        case tree.Subscript(_, tree.Name(_, name)):
            yield name
        case tree.Tuple(_, items):
            for item in items:
                yield from changed_by(item)
        case tree.Starred(_, value):
            yield from changed_by(value)


def owned_names(define: tree.Define) -> frozenset[str]:
    """Names of the function's own that own their lists and dicts."""
    statements, given = list(all_statements(define.body)), {p.name for p in define.parameters}
    if KNOWN & given.union(assigned_names(define.body)):
        return frozenset()  # where they mean something else
    fresh = {p.name for p in define.parameters if p.kind in ("star", "stars")}  # each call's own
    new = fresh | {
        target.id
        for node in statements
        if isinstance(node, tree.Assign) and len(node.targets) == 1 and is_new(node.value)
        for target in node.targets
        if isinstance(target, tree.Name)
    }
    changes = {name for node in statements for name in changed_names(node)}
    if not new & changes:
        return frozenset()
    lost = (given - fresh - {*made_anew(define.body)}).union(*map(lost_at, statements))
    return frozenset((new & changes) - lost)


def made_anew(statements: tuple[tree.Statement, ...]) -> Iterator[str]:
    """Names that are bound to a new list or dict before any is changed, as by `x = list(x)`."""
    changes: set[str] = set()
    for node in statements:
        match node:
            case tree.Assign(_, (tree.Name(_, name),), value) if is_new(value) and name not in changes:
                yield name
        changes |= {name for each in all_statements((node,)) for name in changed_names(each)}


def is_new(node: tree.Expression) -> bool:
    """Whether an expression makes a list or dict that nothing else refers to."""
    match node:
        case tree.Tuple():
            return node.list
        case tree.DictDisplay():
            return True
        case tree.Comprehension():
            return not node.generator
        case tree.Binary(_, "*" | "+", left, right):
            return is_new(left) or is_new(right)
        case tree.CallExpr(_, tree.Name(_, "list" | "dict")):
            return True
    return False


def lost_at(node: tree.Statement) -> Iterator[str]:
    """Names that a statement (without those in it) binds to what is not new, or lets something else refer to."""
    match node:
        case tree.Assign(_, targets, value):
            alone = len(targets) == 1 and isinstance(targets[0], tree.Name)
            if not (alone and is_new(value)):
                yield from (name for target in targets for name in target_names(target))
            yield from kept(value)
            for target in targets:
                yield from kept_by_places(target)
        case tree.AugAssign(_, target, operator, value):
            if isinstance(target, tree.Name) and not (operator == "*" or (operator == "+" and is_new(value))):
                yield target.id
            yield from kept(value)
            yield from kept_by_places(target)
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, tree.Name(), method), values, ())) if (
            method in CHANGING
        ):
            yield from (name for value in values for name in kept(value))
        case tree.Return(_, value):
            yield from () if value is None else kept_beside(value)
        case tree.Iterate(_, target, iterable, body, orelse):
            yield from (part.id for part in names_in(target))
            yield from read_from(iterable)
            through = {part.id for part in names_in(iterable)}
            yield from (
                name for s in all_statements((*body, *orelse)) for name in changed_names(s) if name in through
            )
            yield from (name for name in assigned_names((*body, *orelse)) if name in through)
        case tree.Branch(_, test) | tree.Loop(_, test):
            yield from read_from(test)
        case tree.Define():
            yield node.name
            yield from free_names(node)
            yield from (name for p in node.parameters if p.default for name in kept(p.default))
        case tree.Raise() | tree.Assert() | tree.Evaluate() | tree.Enter():
            yield from (name for part in parts_of(node) for name in read_from(part))


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
        case _:
            yield from kept(node)


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
            yield from kept(target.value)


def kept(node: Node) -> Iterator[str]:
    """Names whose objects may be what an expression gives, a part of it, or held by a function that it makes."""
    match node:
        case tree.Name(_, name):
            yield name
        case tree.Subscript(_, value, index):
            yield from read_from(value)
            yield from read_from(index)
        case tree.Lambda():
            yield from free_names(node)
            yield from (name for p in node.parameters if p.default for name in kept(p.default))
        case tree.CallExpr(_, function, values, keywords):
            if isinstance(function, tree.Attribute):
                yield from read_from(function.value) if function.name in READING else kept(function.value)
            elif not isinstance(function, tree.Name):
                yield from kept(function)
            count = read_count(function, len(values))
            yield from (name for value in values[:count] for name in read_from(value))
            others = (*values[count:], *(value for key, value in keywords if key is not None))
            yield from (name for value in others for name in kept(value))
            yield from (name for key, value in keywords if key is None for name in read_from(value))
        case tree.Binary() | tree.Unary() | tree.Compare() | tree.Starred():
            yield from (name for part in parts_of(node) for name in read_from(part))
        case tree.Conditional(_, test, then, orelse):
            yield from read_from(test)
            yield from kept(then)
            yield from kept(orelse)
        case tree.Comprehension(_, value, clauses):
            yield from kept(value)
            for clause in clauses:
                yield from read_from(clause.iterable)
                yield from (name for test in clause.conditions for name in read_from(test))
        case _:
            yield from (name for part in parts_of(node) for name in kept(part))


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


def names_in(node: Node) -> Iterator[tree.Name]:
    if isinstance(node, tree.Name):
        yield node
    for part in parts_of(node):
        yield from names_in(part)
