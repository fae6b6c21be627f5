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

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from codegen.read import tree
from codegen.read.lists.pops import is_pop, popped_again, popped_in
from codegen.read.scope import Node, all_statements, assigned_names, free_names, parts_of, target_names

# Python's functions whose results are no part of their first argument, if that is a list.
READERS = frozenset(("all", "any", "dict", "len", "list", "max", "min", "range", "sorted", "sum", "tuple"))
LATER = frozenset(("enumerate", "reversed", "zip"))  # which read when they are gone through
MODULES = frozenset(("np", "numpy", "math"))
KNOWN = READERS | LATER | MODULES
READING = frozenset(("copy", "count", "get", "index", "pop"))
VIEWS = frozenset(("items", "keys", "values"))
CHANGING = frozenset(
    ("__delitem__", "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort", "update")
)
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
    passed_on = {*handed_over(define.body, Counter(all_changes(statements)), Counter(all_names(define.body)))}
    lost = (given - fresh - {*made_anew(define.body)}).union(
        *(lost_at(node) for node in statements if node not in passed_on), *map(popped_again, statements)
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
        case tree.CallExpr(_, tree.Attribute(_, _, "copy"), (), ()):
            return True
        case tree.CallExpr(_, tree.Constant(_, made)) if made in (dict, set):
            return True
        case tree.CallExpr(_, tree.Name(_, "list" | "dict" | "sorted")) | tree.Subscript(_, _, tree.Slice()):
            return True
    return False


def is_new_copy(node: tree.Expression) -> bool:
    """`x.copy()`; that it gives what nothing else refers to is seen where it is called (infer/expressions.py)."""
    match node:
        case tree.CallExpr(_, tree.Attribute(_, _, "copy"), (), ()):
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
            yield from read_from(value) if all(map(is_items_between, targets)) else kept_names(value)
            for target in targets:
                yield from kept_by_places(target)
        case tree.AugAssign(_, target, operator, value):
            if isinstance(target, tree.Name) and operator not in ("+", "*"):
                yield target.id
            yield from read_from(value) if isinstance(target, tree.Name) else kept_names(value)
            yield from kept_by_places(target)
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, tree.Name(), method), values, named)) if (
            method in CHANGING and (not named or method in NAMED)
        ):
            reads = read_from if method in ("extend", "update") else kept_names
            yield from (name for value in (*values, *(each for _, each in named)) for name in reads(value))
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


def is_items_between(target: tree.Expression) -> bool:
    """Whether a target is the items of a list from one place to another, which are given those of a value."""
    return isinstance(target, tree.Subscript) and isinstance(target.index, tree.Slice)


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
            yield from read_from(value)
            yield from read_from(index)
        case tree.Lambda():
            yield from free_names(node)
            yield from (name for p in node.parameters if p.default for name in kept_names(p.default))
        case tree.CallExpr(_, function, values, keywords):
            if isinstance(function, tree.Attribute):
                yield from (
                    read_from(function.value) if function.name in READING else kept_names(function.value)
                )
            elif not isinstance(function, tree.Name):
                yield from kept_names(function)
            count = read_count(function, len(values))
            yield from (name for value in values[:count] for name in read_from(value))
            others = (*values[count:], *(value for key, value in keywords if key is not None))
            seen = {*handed_to(node)}
            yield from (name for value in others if value not in seen for name in kept_names(value))
            yield from (name for key, value in keywords if key is None for name in read_from(value))
        case tree.Binary() | tree.Unary() | tree.Compare() | tree.Starred():
            yield from (name for part in parts_of(node) for name in read_from(part))
        case tree.Conditional(_, test, then, orelse):
            yield from read_from(test)
            yield from kept_names(then)
            yield from kept_names(orelse)
        case tree.Comprehension(_, value, clauses):
            yield from kept_names(value)
            for clause in clauses:
                yield from read_from(clause.iterable)
                yield from (name for test in clause.conditions for name in read_from(test))
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
