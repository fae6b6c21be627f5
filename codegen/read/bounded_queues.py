"""Queues that keep their last items: with_bounded_queues : Define, names -> Define.

    q = deque(maxlen=n)              most = n; q = deque()
    ...                      ->      ...
    q.append(x)                      q.append(x)
                                     if len(q) > most:
                                         q.popleft()

Of a queue that has one name in one function: others would not know how long it may get.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.plain_names import Names, plain_name
from codegen.read.relocation import tree_nodes, with_statements
from codegen.read.scope import target_names

# what makes a queue longer -> what takes an item from its other end
LONGER = {"append": "popleft", "appendleft": "pop", "extend": "popleft"}
METHODS = {"pop", "popleft", "clear", "count", "index", "remove", "reverse"}
IN = ("in", "not in")
ENDLESS = 2**62
MODULES = ("np", "numpy", "math", "statistics")
READERS = {
    "len", "sum", "min", "max", "any", "all", "list", "tuple", "sorted", "enumerate", "reversed", "zip", "print", "str",
}  # fmt: skip


def with_bounded_queues(define: tree.Define, names: Names) -> tree.Define:
    """A function whose queues have a `maxlen`, which is kept by what follows each change of theirs."""
    made = [
        each for each in tree_nodes(define) if isinstance(each, tree.Assign) and bound_of(each.value, names)
    ]
    queues = {
        each.targets[0].id
        for each in made
        if len(each.targets) == 1 and isinstance(each.targets[0], tree.Name)
    }
    known = {name for name in queues if has_one_name(define, name, names)}
    if not known:
        return define
    taken = {name for each in tree_nodes(define) if isinstance(each, tree.Name) for name in (each.id,)}
    rooms = {name: claimed_name(f"{name}_room", taken) for name in sorted(known)}
    return replace(define, body=with_statements(define.body, lambda node: statements_for(node, rooms, names)))


def bound_of(value: tree.Expression, names: Names) -> tree.Expression | None:
    """The `maxlen` of a queue that is made."""
    if not isinstance(value, tree.CallExpr) or plain_name(value.function, names) != "list":
        return None
    return dict(value.keywords).get("maxlen")


def has_one_name(define: tree.Define, name: str, names: Names) -> bool:
    """Whether a queue is assigned as such alone, and is read, and changed by methods, where it stands."""
    reads = uses = 0
    for node in tree_nodes(define.body):
        match node:
            case tree.Define() | tree.Lambda():
                if any(isinstance(each, tree.Name) and each.id == name for each in tree_nodes(node)):
                    return False
            case tree.Assign(_, targets, value):
                bound = [each for each in targets if name in target_names(each)]
                if bound and (bound_of(value, names) is None or not isinstance(bound[0], tree.Name)):
                    return False
                uses += len(bound)
            case tree.AugAssign(_, tree.Name(_, id_)) if id_ == name:
                return False
            case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, tree.Name(_, id_), method))) if (
                id_ == name
            ):
                uses += method in LONGER  # not in an expression: what follows it is a statement
            case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, id_), method)) if id_ == name:
                uses += method in METHODS
            case tree.CallExpr(_, tree.Name(_, reader), arguments) if reader in READERS:
                uses += sum(isinstance(each, tree.Name) and each.id == name for each in arguments)
            case tree.CallExpr(_, tree.Attribute(_, tree.Name(_, owner), method), arguments) if (
                owner in MODULES or method == "extend"
            ):
                uses += sum(isinstance(each, tree.Name) and each.id == name for each in arguments)
            case tree.Subscript(_, tree.Name(_, id_)) if id_ == name:
                uses += 1
            case tree.Iterate(_, _, tree.Name(_, id_)) | tree.Clause(_, _, tree.Name(_, id_)) if id_ == name:
                uses += 1
            case tree.Branch(_, test) | tree.Loop(_, test) | tree.Assert(_, test) | tree.Conditional(_, test):
                uses += sum(isinstance(each, tree.Name) and each.id == name for each in parts_of_test(test))
            case tree.Compare(_, _, rest):
                uses += sum(isinstance(y, tree.Name) and y.id == name for sign, y in rest if sign in IN)
            case tree.Name(_, id_) if id_ == name:
                reads += 1
    return reads == uses


def parts_of_test(test: Any) -> Iterator[Any]:
    """What a test asks the truth of."""
    match test:
        case tree.Logical(_, _, values):
            for each in values:
                yield from parts_of_test(each)
        case tree.Unary(_, "not", value):
            yield from parts_of_test(value)
        case _:
            yield test


def statements_for(node: Any, rooms: dict[str, str], names: Names) -> Iterator[Any]:
    """A statement, with what makes a queue as long as it may be behind it where it may be too long then."""
    match node:
        case tree.Assign(
            span, (tree.Name(_, name) as queue,), tree.CallExpr(at, function, arguments) as value
        ) if name in rooms and (most := bound_of(value, names)) is not None:
            if isinstance(most, tree.Constant) and most.value is None:
                most = tree.Constant(most.span, ENDLESS)
            yield tree.Assign(span, (tree.Name(span, rooms[name]),), most)
            if not isinstance(most, tree.Constant):
                yield tree.Branch(span, *below_zero(span, rooms[name]), ())
            keywords = tuple(pair for pair in value.keywords if pair[0] != "maxlen")
            yield tree.Assign(span, (queue,), tree.CallExpr(at, function, arguments, keywords))
            if arguments:
                yield tree.Loop(span, *shorter(span, queue, rooms[name], "popleft"), ())
        case tree.Evaluate(
            span, tree.CallExpr(_, tree.Attribute(_, tree.Name(_, name) as queue, method))
        ) if name in rooms and method in LONGER:
            yield node
            kind = tree.Loop if method == "extend" else tree.Branch
            yield kind(span, *shorter(span, queue, rooms[name], LONGER[method]), ())
        case _:
            yield with_statements(node, lambda inner: statements_for(inner, rooms, names))


def below_zero(span: Any, room: str) -> tuple[tree.Expression, tuple[tree.Statement, ...]]:
    """Whether a `maxlen` is none, and what is raised then."""
    said = tree.CallExpr(
        span, tree.Name(span, "ValueError"), (tree.Constant(span, "maxlen must be non-negative"),)
    )
    test = tree.Compare(span, tree.Name(span, room), (("<", tree.Constant(span, 0)),))
    return test, (tree.Raise(span, said),)


def shorter(
    span: Any, queue: tree.Name, room: str, method: str
) -> tuple[tree.Expression, tuple[tree.Statement, ...]]:
    """Whether a queue is too long, and what makes it shorter."""
    length = tree.CallExpr(span, tree.Name(span, "len"), (queue,))
    taken = tree.Evaluate(span, tree.CallExpr(span, tree.Attribute(span, queue, method), ()))
    return tree.Compare(span, length, ((">", tree.Name(span, room)),)), (taken,)
