"""Python's scoping over the tree: which names are bound, read, free, live and carried, as plain functions.

A name assigned anywhere in a function is local in the whole of it, parameters included. Comprehensions and
lambdas own their targets and parameters. Everything returned in a tuple is in order of first appearance.

    for i in range(n):          assigned_names: i, t, s        carried_names(loop, {"s"}, exits): ("s",)
        t = x[i]                read_names:     range, n, x, i, s, t
        s = s + t
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, assert_never

from codegen.read import tree

Names = frozenset[str]
Node = tree.Expression | tree.Statement | tree.Replacement | tree.Clause
Closures = Mapping[str, Names]
Place = tuple[str, ...]  # x, or its field x.y
NOTHING: Names = frozenset()


def assigned_names(statements: Sequence[tree.Statement]) -> tuple[str, ...]:
    """Names that the statements bind, those of nested blocks included, those of nested functions not."""
    return tuple(dict.fromkeys(_assigned(statements)))


def read_names(node: tree.Expression | tree.Statement | Sequence[tree.Statement] | None) -> tuple[str, ...]:
    """Names that may be read when an expression or statements run.

    A nested function counts as reading, where it is defined, its defaults and its free names.
    """
    return tuple(dict.fromkeys(_reads(node)))


def free_names(function: tree.Define | tree.Lambda) -> tuple[str, ...]:
    """Names read in the function, nested functions included, but not bound in it. Defaults, evaluated where it is
    defined, are no part of it."""
    own = {parameter.name for parameter in function.parameters}
    own |= set(assigned_names(function.body) if isinstance(function, tree.Define) else ())
    return tuple(name for name in read_names(function.body) if name not in own)


def mutated_places(statements: Sequence[tree.Statement]) -> tuple[Place, ...]:
    """Names and their fields, whose object `x[...] = v`, `x.y[...] += v` or `x.y += v` may write into, also from a
    nested function. `x += v` binds x and is in `assigned_names`. Calls are not looked at."""
    return tuple(dict.fromkeys(_mutated(statements)))


def closures(statements: Sequence[tree.Statement]) -> dict[str, Names]:
    """For each name that may hold a nested function: the names around it that calling it may read.

    Give a whole function's body, so that a function defined before a loop is known inside it.
    """
    captured: dict[str, Names] = {}
    holders = list(_held(statements))
    makers = frozenset(name for name, value in holders if isinstance(value, tree.Define) and _makes(value))
    while True:
        before = dict(captured)
        for name, value in holders:
            found = captured.get(name, NOTHING) | _captures(value, captured, makers)
            if found:
                captured[name] = found
        if captured == before:
            return captured


@dataclass(frozen=True)
class Exits:
    """What is live where a `break` and a `continue` (of a loop around the statements) lead, and the names that calls
    of nested functions may read: the `closures` of the whole function's body. `ways`: what conditions are known to be,
    for those that control comes to; if given, an `assert` of what is false is an end."""

    on_break: Names = NOTHING
    on_continue: Names = NOTHING
    closures: Closures = field(default_factory=dict)
    ways: Mapping[tree.Branch, Collection[bool]] | None = None

    def uses(self, *nodes: tree.Expression | tree.Statement | None) -> Names:
        """Names that running the nodes may read, also through the functions that they name."""
        names = frozenset(name for node in nodes for name in _reads(node))
        return names.union(*(self.closures.get(name, NOTHING) for name in names))

    def taken(self, branch: tree.Branch) -> Collection[bool]:
        """The ways out of a condition that can be taken."""
        if self.ways is not None:
            return self.ways.get(branch, ())
        test = branch.test
        return (bool(test.value),) if isinstance(test, tree.Constant) else (True, False)


def live_before(statements: Sequence[tree.Statement], live: Names, exits: Exits) -> Names:
    """Names that may be read before they are written when execution starts at `statements`; `live`: after them.

    Names of globals that are read are among the result.
    """
    for statement in reversed(statements):
        live = _before(statement, live, exits)
    return live


def falls_off_end(statements: Sequence[tree.Statement], ways: Mapping[tree.Branch, Collection[bool]]) -> bool:
    """Whether control reaches the end of a function's statements: whether a name that is read there is live before."""
    end = frozenset({"%end"})
    return end <= live_before(statements, end, Exits(ways=ways))


def carried_names(loop: tree.Loop | tree.Iterate, live: Names, exits: Exits) -> tuple[str, ...]:
    """Names bound in the loop (its target included) that the next iteration or what follows may read.

    What follows is the loop's `else`, then what reads `live`; `exits` are of the loop around.
    A name that is not bound before the loop may be among them: Python, too, fails only when it is read.
    """
    needed = live | live_before(loop.orelse, live, exits) | _head(loop, live, exits)
    target = target_names(loop.target) if isinstance(loop, tree.Iterate) else ()
    return tuple(name for name in dict.fromkeys([*target, *assigned_names(loop.body)]) if name in needed)


def _before(node: tree.Statement, live: Names, exits: Exits) -> Names:
    match node:
        case tree.Assign():
            # An index in a target counts as read before: `i, x[i] = 1, 2` reads the new i, which is rare.
            written = {name for target in node.targets for name in target_names(target)}
            inside = (part for target in node.targets for part in _places(target))
            return exits.uses(node.value, *inside) | (live - written)
        case tree.Assert(_, tree.Constant(value=known)) if exits.ways is not None and not known:
            return exits.uses(node)
        case tree.AugAssign() | tree.Evaluate() | tree.Yield() | tree.Enter() | tree.Assert() | tree.Change():
            return exits.uses(node) | live
        case tree.Delete():
            return live | {*node.names}
        case tree.Branch():
            ways = (node.then if way else node.orelse for way in exits.taken(node))
            return exits.uses(node.test).union(*(live_before(way, live, exits) for way in ways))
        case tree.Loop():
            return _head(node, live, exits)
        case tree.Iterate():
            return exits.uses(node.iterable) | _head(node, live, exits)
        case tree.Try():
            last = live_before(node.final, live, exits)
            ends = replace(exits, on_break=exits.on_break | last, on_continue=exits.on_continue | last)
            caught = NOTHING.union(*(live_before(each.body, last, ends) for each in node.handlers))
            through = live_before(node.body, live_before(node.orelse, last, ends) | caught, ends)
            always = live_before(node.final, NOTHING, exits)  # also where the function is left
            return always | caught | through | exits.uses(*(each.kind for each in node.handlers))
        case tree.Return():
            return exits.uses(node.value)
        case tree.Break():
            return exits.on_break
        case tree.Continue():
            return exits.on_continue
        case tree.Raise():
            return exits.uses(node.value, node.cause)
        case tree.Define():
            return (exits.uses(node) | live) - {node.name} | exits.uses(*_defaults(node.parameters))
        case _:
            assert_never(node)


def _head(loop: tree.Loop | tree.Iterate, after: Names, exits: Exits) -> Names:
    """What is live where the loop decides on another iteration: the least fixed point.

    One walk finds it: what is live at the end of the body and reaches its beginning is live there already.
    """
    endless = isinstance(loop, tree.Loop) and isinstance(loop.test, tree.Constant) and bool(loop.test.value)
    leaving = NOTHING if endless else live_before(loop.orelse, after, exits)
    body = live_before(loop.body, leaving, replace(exits, on_break=after, on_continue=leaving))
    if isinstance(loop, tree.Loop):
        return leaving | exits.uses(loop.test) | body
    return leaving | exits.uses(*_places(loop.target)) | (body - frozenset(target_names(loop.target)))


def target_names(target: tree.Expression) -> Iterator[str]:
    """Names that an assignment's target binds."""
    match target:
        case tree.Name():
            yield target.id
        case tree.Tuple():
            for item in target.items:
                yield from target_names(item)
        case tree.Starred():
            yield from target_names(target.value)


def _places(target: tree.Expression) -> Iterator[tree.Expression]:
    """What an assignment's target evaluates: objects written into, and indices."""
    match target:
        case tree.Name():
            return
        case tree.Tuple():
            for item in target.items:
                yield from _places(item)
        case tree.Starred():
            yield from _places(target.value)
        case _:
            yield target


def all_statements(statements: Sequence[tree.Statement]) -> Iterator[tree.Statement]:
    """All statements, those of nested blocks behind the one that they are in, those of nested functions not."""
    for node in statements:
        yield node
        for block in tree.blocks_of(node):
            yield from all_statements(block)


def _assigned(statements: Sequence[tree.Statement]) -> Iterator[str]:
    for node in all_statements(statements):
        match node:
            case tree.Assign():
                for target in node.targets:
                    yield from target_names(target)
            case tree.AugAssign():
                yield from target_names(node.target)
            case tree.Change():
                yield from node.names
                yield from _assigned((node.statement,))
            case tree.Delete():
                yield from node.names
            case tree.Define():
                yield node.name
            case tree.Iterate():
                yield from target_names(node.target)
            case tree.Try():
                yield from (handler.name for handler in node.handlers if handler.name)


def _mutated(statements: Sequence[tree.Statement]) -> Iterator[Place]:
    for each in all_statements(statements):
        node = each.statement if isinstance(each, tree.Change) else each
        match node:
            case tree.Assign():
                targets = node.targets
            case tree.AugAssign() | tree.Iterate():
                targets = (node.target,)
            case _:
                targets = ()
        for place in (place for target in targets for place in _places(target)):
            if isinstance(node, tree.AugAssign) or not isinstance(place, tree.Attribute):
                yield from _base(place)
        if isinstance(node, tree.Define):
            own = {*assigned_names(node.body), *(parameter.name for parameter in node.parameters)}
            yield from (place for place in _mutated(node.body) if place[0] not in own)


def _base(place: tree.Expression) -> Iterator[Place]:
    """The names, and their fields, whose object `place` may be a part or a view of."""
    match place:
        case tree.Name():
            yield (place.id,)
        case tree.Subscript():
            yield from _base(place.value)
        case tree.Attribute():
            yield from ((*base, place.name) for base in _base(place.value))
        case tree.CallExpr():
            for part in (place.function, *place.arguments):
                yield from _base(part)
        case tree.Conditional():
            yield from _base(place.then)
            yield from _base(place.orelse)


def _held(statements: Sequence[tree.Statement]) -> Iterator[tuple[str, tree.Define | tree.Expression]]:
    """(name, what it may hold) for every binding."""
    for node in all_statements(statements):
        match node:
            case tree.Define():
                yield node.name, node
            case tree.Change(_, names, tree.Assign() | tree.AugAssign() | tree.Evaluate() as statement):
                yield from ((name, statement.value) for name in names)
                yield from _held((statement,))
            case tree.Assign():
                yield from ((name, node.value) for target in node.targets for name in target_names(target))
            case tree.Iterate():
                yield from ((name, node.iterable) for name in target_names(node.target))


def _captures(value: Node, captured: Closures, makers: Names) -> Names:
    """The names that functions held by a value may read. A call gives back at most what its arguments hold,
    unless its function makes functions itself."""
    match value:
        case tree.Define() | tree.Lambda():
            names = frozenset(free_names(value))
            return names.union(*(captured.get(name, NOTHING) for name in names))
        case tree.Name():
            return captured.get(value.id, NOTHING)
        case tree.CallExpr(function=tree.Name(id=name)) if name not in makers:
            parts = _nodes((value.arguments, value.keywords))
        case _:
            parts = parts_of(value)
    return NOTHING.union(*(_captures(part, captured, makers) for part in parts))


def _makes(node: Node) -> bool:
    """Whether a function is made under a node."""
    return any(isinstance(part, (tree.Lambda, tree.Define)) or _makes(part) for part in parts_of(node))


def _defaults(parameters: tuple[tree.Parameter, ...]) -> Iterator[tree.Expression]:
    return (parameter.default for parameter in parameters if parameter.default)


def _reads(node: Node | Sequence[tree.Statement] | None) -> Iterator[str]:
    match node:
        case None:
            return
        case tree.Name():
            yield node.id
        case tree.Lambda() | tree.Define():
            for default in _defaults(node.parameters):
                yield from _reads(default)
            yield from free_names(node)
        case tree.Comprehension():
            own: set[str] = set()
            for clause in node.clauses:
                yield from (name for name in _reads(clause.iterable) if name not in own)
                own.update(target_names(clause.target))
                yield from (name for part in clause.conditions for name in _reads(part) if name not in own)
            yield from (name for name in _reads(node.value) if name not in own)
        case tree.Assign():
            yield from _reads(node.value)
            for target in node.targets:
                for place in _places(target):
                    yield from _reads(place)
        case tree.Iterate():
            for part in (node.iterable, *_places(node.target)):
                yield from _reads(part)
            yield from _reads((*node.body, *node.orelse))
        case tuple() | list():
            for item in node:
                yield from _reads(item)
        case _:
            for item in parts_of(node):  # type: ignore[arg-type]  # a sequence is a tuple or a list here
                yield from _reads(item)


def parts_of(node: Node | tree.Handler) -> Iterator[Node]:
    """The nodes directly under a node, in the order in which they run."""
    return _nodes(tuple(getattr(node, name) for name in names_of_parts(type(node))))  # type: ignore[arg-type]  # classes are hashable


@cache
def names_of_parts(kind: type[Node | tree.Handler]) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind))


def _nodes(values: tuple[Any, ...]) -> Iterator[Node]:
    for value in values:
        if (kind := value.__class__) is tuple or kind is tree.Handler:
            yield from _nodes(value) if kind is tuple else parts_of(value)
        elif _is_part(kind):
            yield value


@cache
def _is_part(kind: Any) -> bool:  # isinstance asks thirty classes for each object
    return issubclass(kind, (tree.Expression, tree.Statement, tree.Replacement, tree.Clause))


def accumulates(body: Sequence[tree.Statement], name: str) -> bool:
    """Whether statements do nothing with a name but give it what arithmetic, element by element, makes of it."""

    def reads(node: Any) -> bool:
        return name in read_names(node)

    def is_formula(node: Node) -> bool:
        if not reads(node) or isinstance(node, tree.Name):
            return True
        elementwise = isinstance(node, tree.Binary) and node.operator != "@" or isinstance(node, tree.Unary)
        return elementwise and all(map(is_formula, parts_of(node)))

    def is_accumulation(node: tree.Statement) -> bool:
        match node:
            case tree.AugAssign(_, tree.Name(_, target), operator, value) if target == name:
                return operator != "@" and not reads(value)
            case tree.Assign(_, (tree.Name(_, target),), value) if target == name:
                return reads(value) and is_formula(value)
        parts = tuple(parts_of(node))
        inner = tuple(part for part in parts if isinstance(part, tree.Statement))
        others = tuple(part for part in parts if not isinstance(part, tree.Statement))
        bound = name in assigned_names((node,)) and not inner
        return not bound and not any(map(reads, others)) and all(map(is_accumulation, inner))

    return all(map(is_accumulation, body))


def item_targets(target: tree.Expression | None, count: int) -> tuple[tree.Expression | None, ...]:
    """The targets of a tuple's items."""
    items = target.items if isinstance(target, tree.Tuple) else ()
    known = len(items) == count and not any(isinstance(item, tree.Starred) for item in items)
    return items if known else (None,) * count


def target_name(target: tree.Expression | None, otherwise: str) -> str:
    return target.id if isinstance(target, tree.Name) and target.id != "_" else otherwise
