"""Lists and dicts that are changed in place and known by one name: with_changes : Define -> Define.

    total = [0.0, 0.0]                     total = [0.0, 0.0]
    for v in x:                    ->      for v in x:
        total[0] += v                          Change("total", total[0] += v)

Where nothing else can refer to the object, changing it is binding the name anew. A name owns what it is bound to if
that is a new list or dict each time (a display, a comprehension, a copy) and it is only read in ways that keep no
reference: elements, `len`, loops that do not change it meanwhile (or a dict's values alone), functions of NumPy, what
is returned. Other lists that are changed are refused where the function is transformed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from codegen.read import tree
from codegen.read.lists.dict_values import changed_at_its_keys, dict_names
from codegen.read.lists.kept_names import (
    KNOWN,
    MODULES,
    items_kept,
    kept_beside,
    kept_by_places,
    kept_names,
    names_in,
    read_from,
)
from codegen.read.lists.pops import is_pop, popped_again, popped_in
from codegen.read.scope import all_statements, assigned_names, free_names, parts_of, target_names

IN_LENGTH = ("__delitem__", "append", "clear", "extend", "insert", "pop", "remove")  # methods of lists
CHANGING = frozenset((*IN_LENGTH, "reverse", "sort", "update"))
NAMED = ("sort", "update")  # which take arguments by name


def with_changes(define: tree.Define) -> tree.Define:
    """The function, and those in it, with what changes a list or dict of one name as a Change."""
    return replace(define, body=all_changed(define.body, owned_names(define)))


def all_changed(statements: tuple[tree.Statement, ...], owned: frozenset[str]) -> tuple[tree.Statement, ...]:
    return tuple(each for node in statements for each in changed(node, owned))


def changed(node: tree.Statement, owned: frozenset[str]) -> Iterator[tree.Statement]:
    """A statement as the changes that it makes; before one in which items are taken out of lists, that it does."""
    taken = tuple(dict.fromkeys(name for name in popped_in(node) if name in owned)) if owned else ()
    if taken and not is_pop(node):
        yield tree.Change(node.span, taken, tree.Evaluate(node.span, tree.Constant(node.span, None)))
    match node:
        case tree.Define():
            yield with_changes(node)
        case tree.Branch():
            yield replace(node, then=all_changed(node.then, owned), orelse=all_changed(node.orelse, owned))
        case tree.Loop() | tree.Iterate():
            yield replace(node, body=all_changed(node.body, owned), orelse=all_changed(node.orelse, owned))
        case tree.Try():
            handlers = tuple(replace(each, body=all_changed(each.body, owned)) for each in node.handlers)
            body, orelse = all_changed(node.body, owned), all_changed(node.orelse, owned)
            final = all_changed(node.final, owned)
            yield replace(node, body=body, handlers=handlers, orelse=orelse, final=final)
        case tree.Assign(
            span, (tree.Name(_, name) as target,), tree.Binary(_, "+", tree.Name(_, first), more)
        ) if name == first and name in owned:
            yield tree.Change(span, (name,), tree.AugAssign(span, target, "+", more), anew=True)
        case _:
            names = (
                tuple(dict.fromkeys(name for name in changed_names(node) if name in owned)) if owned else ()
            )
            yield tree.Change(node.span, names, node) if names else node


def changed_names(node: tree.Statement) -> Iterator[str]:
    """Names whose list or dict a statement changes in place, if it is one."""
    yield from popped_in(node)
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
        if isinstance(node, tree.Assign)
        for target, value in bound_pairs(node)
        if isinstance(target, tree.Name) and is_new(value)
    }
    changes = {name for node in statements for name in changed_names(node)}
    if not new & changes:
        return frozenset()
    uses = Counter(all_names(define.body))
    passed_on = {*handed_over(define.body, Counter(all_changes(statements)), uses)}
    dicts = dict_names(statements) - given
    lost = (given - fresh - {*made_anew(define.body)}).union(
        *(lost_by(node, dicts) for node in statements if node not in passed_on),
        *(outlasting(node, uses) for node in statements if isinstance(node, tree.Iterate)),
        *map(popped_again, statements),
    )
    return frozenset((new & changes) - lost)


def all_changes(statements: Sequence[tree.Statement]) -> Iterator[str]:
    return (name for node in statements for name in changed_names(node))


def bound_pairs(node: tree.Assign) -> Iterator[tuple[tree.Expression, tree.Expression]]:
    """What is bound to what, `a, b = [], []` item by item."""
    match node:
        case tree.Assign(_, (tree.Tuple(_, targets),), tree.Tuple(_, values)) if len(targets) == len(values):
            if not any(isinstance(item, tree.Starred) for item in (*targets, *values)):
                yield from zip(targets, values, strict=True)
                return
    if len(node.targets) == 1:
        yield node.targets[0], node.value


def handed_over(
    statements: tuple[tree.Statement, ...], changes: Counter[str], uses: Counter[str]
) -> Iterator[tree.Statement]:
    """`row = new`, `rows.append(new)` or `d[k] = new`, where all changes of `new` are between its being made, in the
    same block, and this; and all that reads it, if `row` is changed, which `new` would show."""
    for k, node in enumerate(statements):
        into, name = handing_over(node)
        anew = [j for j, each in enumerate(statements[:k]) if name and binds_new(each, name)]
        if anew:
            between = statements[anew[-1] + 1 : k]
            alone = not changes[into] or Counter(all_names(statements[anew[-1] : k + 1]))[name] == uses[name]
            if alone and Counter(all_changes([*all_statements(between)]))[name] == changes[name]:
                yield node
        for block in tree.blocks_of(node):
            yield from handed_over(block, changes, uses)


def handing_over(node: tree.Statement) -> tuple[str, str]:
    """The name that is given a list, or "" where a list is, and the name whose list it is, "" if there is none."""
    match node:
        case tree.Assign(
            _, (tree.Name(_, into) | tree.Subscript(_, tree.Name(_, into), _),), tree.Name(_, name)
        ):
            return into, name
        case tree.Evaluate(
            _, tree.CallExpr(_, tree.Attribute(_, tree.Name(), "append"), (tree.Name(_, name),), ())
        ):
            return "", name
    return "", ""


def all_names(statements: Sequence[tree.Statement]) -> Iterator[str]:
    return (each.id for node in statements for each in names_in(node))


def binds_new(node: tree.Statement, name: str) -> bool:
    return isinstance(node, tree.Assign) and any(
        isinstance(target, tree.Name) and target.id == name and is_new(value)
        for target, value in bound_pairs(node)
    )


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
        case tree.CallExpr(_, tree.Attribute(_, _, "copy" | "tolist"), (), ()):
            return True
        case tree.CallExpr(_, tree.Constant(_, made)) if made in (dict, set):
            return True
        case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, "dict"), "fromkeys")):
            return True
        case tree.CallExpr(_, tree.Name(_, "list" | "dict" | "sorted")) | tree.Subscript(_, _, tree.Slice()):
            return True
    return False


def is_new_copy(node: tree.Expression) -> bool:
    """`x.copy()`, `x.tolist()`; that it gives what nothing else refers to is seen where it is called
    (infer/expressions.py)."""
    match node:
        case tree.CallExpr(_, tree.Attribute(_, _, "copy" | "tolist"), (), ()):
            return True
    return False


def is_no_others(node: tree.Expression) -> bool:
    """Whether an expression makes no list or dict, or one that nothing else refers to."""
    match node:
        case tree.Constant() | tree.Binary() | tree.Unary() | tree.Compare():
            return True
        case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, module))) if module in MODULES:
            return True
    return is_new(node)


def lost_at(node: tree.Statement) -> Iterator[str]:
    """Names that a statement (without those in it) binds to what is not new, or lets something else refer to."""
    match node:
        case tree.Assign(_, targets, value):
            new = {t.id for t, each in bound_pairs(node) if isinstance(t, tree.Name) and is_no_others(each)}
            yield from (name for target in targets for name in target_names(target) if name not in new)
            yield from items_kept(value) if all(map(is_items_between, targets)) else kept_names(value)
            for target in targets:
                yield from kept_by_places(target)
        case tree.AugAssign(_, target, operator, value):
            if isinstance(target, tree.Name) and operator not in ("+", "*"):
                yield target.id
            yield from items_kept(value) if isinstance(target, tree.Name) else kept_names(value)
            yield from kept_by_places(target)
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, tree.Name(), method), values, named)) if (
            method in CHANGING and (not named or method in NAMED)
        ):
            reads = items_kept if method in ("extend", "update") else kept_names
            yield from (name for value in values for name in reads(value))
            yield from (name for _, value in named for name in kept_names(value))
        case tree.Return(_, value):
            yield from () if value is None else kept_beside(value)
        case tree.Yield(_, value):
            yield from kept_names(value)
        case tree.Iterate(_, target, iterable, body):
            yield from (part.id for part in names_in(target))
            yield from read_from(iterable)
            through = {part.id for part in names_in(iterable, held=True)}
            yield from (name for s in all_statements(body) for name in changed_names(s) if name in through)
            yield from (name for name in assigned_names(body) if name in through)
        case tree.Branch(_, test) | tree.Loop(_, test):
            yield from read_from(test)
        case tree.Define():
            yield node.name
            yield from free_names(node)
            yield from (name for p in node.parameters if p.default for name in kept_names(p.default))
        case tree.Raise() | tree.Assert() | tree.Evaluate() | tree.Enter():
            yield from (name for part in parts_of(node) for name in read_from(part))


def lost_by(node: tree.Statement, dicts: frozenset[str]) -> Iterator[str]:
    """As `lost_at`, but for those of `dicts` that a loop goes through and gives other values, key by key."""
    name = (
        changed_at_its_keys(node, [*changes_in(node)]) if dicts and isinstance(node, tree.Iterate) else None
    )
    yield from (each for each in lost_at(node) if each != name or name not in dicts)


def changes_in(node: tree.Iterate) -> Iterator[tuple[tree.Statement, str]]:
    return ((each, name) for each in all_statements(node.body) for name in changed_names(each))


def outlasting(node: tree.Iterate, uses: Counter[str]) -> Iterator[str]:
    """Names whose lists a loop goes through, `for xs in (us, vs)`, if what it calls them lasts or is changed."""
    body = [*all_statements(node.body)]
    lasting = {name for each in body for name in (*lost_at(each), *changed_names(each))}
    inside = Counter(all_names((node,)))
    lasting |= {name for name in target_names(node.target) if uses[name] > inside[name]}
    if not lasting.isdisjoint(target_names(node.target)):
        yield from items_kept(node.iterable)


def is_items_between(target: tree.Expression) -> bool:
    """Whether a target is the items of a list from one place to another, which are given those of a value."""
    return isinstance(target, tree.Subscript) and isinstance(target.index, tree.Slice)
