"""Dicts of lists that are changed, as lists with names of their own: with_apart : Define -> Define.

    trace = {"mu": [], "n": 0}             trace_mu, trace_n = [], 0
    for k in range(n):                     for k in range(n):
        trace["mu"].append(f(k))   ->          trace_mu.append(f(k))
    return trace                           return {"mu": trace_mu, "n": trace_n}

A dict is one name's here if its function gives it nothing but displays, each time with the same keys, asks for what it
has by keys that stand there, and else only returns it, or goes through it where no key gets another value. A new dict
stands for it there; what keeps that keeps its lists (kept_names.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from codegen.read import tree
from codegen.read.lists.kept_names import VIEWS, names_in
from codegen.read.lists.owned_lists import CHANGING, all_names
from codegen.read.relocation import with_pieces
from codegen.read.scope import Node, all_statements, assigned_names, parts_of, target_names

Keys = tuple[str, ...]
GROWING = CHANGING - {"update"}


def with_apart(define: tree.Define) -> tree.Define:
    """The function, and those in it, without such dicts."""
    body = tuple(parted_inside(node) for node in define.body)
    listed = [*all_statements(body)]
    changed = {name for node in statements_inside(body) for name in changed_in(node)}
    taken = {p.name for p in define.parameters}.union(all_names(body)) if changed else set()
    for name in dict.fromkeys(name for node in listed for name, _ in displayed(node)):
        keys = {found for node in listed for made, found in displayed(node) if made == name}
        if name in changed and len(keys) == 1 and name not in (p.name for p in define.parameters):
            dict_ = Apart(name, named_apart(name, keys.pop(), taken))
            if dict_.is_own(body):
                body = dict_.statements(body)
                taken |= {*dict_.names.values()}
    return replace(define, body=body)


def statements_inside(statements: tuple[tree.Statement, ...]) -> Iterator[tree.Statement]:
    """All statements, those of functions in them, too."""
    for node in all_statements(statements):
        yield node
        if isinstance(node, tree.Define):
            yield from statements_inside(node.body)


def parted_inside(node: tree.Statement) -> tree.Statement:
    """A statement with functions defined in it done."""
    match node:
        case tree.Define():
            return with_apart(node)
        case tree.Branch():
            return replace(
                node, then=tuple(map(parted_inside, node.then)), orelse=tuple(map(parted_inside, node.orelse))
            )
        case tree.Loop() | tree.Iterate():
            return replace(
                node, body=tuple(map(parted_inside, node.body)), orelse=tuple(map(parted_inside, node.orelse))
            )
    return node


def named_apart(name: str, keys: Keys, taken: set[str]) -> dict[str, str]:
    """Keys with names for what the dict has there."""
    names: dict[str, str] = {}
    for key in keys:
        wanted = f"{name}_{key}"
        while wanted in taken or wanted in names.values():
            wanted += "_"
        names[key] = wanted
    return names


def displayed(node: tree.Statement) -> Iterator[tuple[str, Keys]]:
    """The name that a statement gives a dict of known keys, some of whose values are lists."""
    match node:
        case tree.Assign(_, (tree.Name(_, name),), value) if pairs := pairs_of(value):
            if any(isinstance(v, tree.Tuple) and v.list for v in pairs.values()):
                yield name, tuple(pairs)


def pairs_of(value: tree.Expression) -> dict[str, tree.Expression]:
    """Keys and values of a display whose keys could all be parts of names; else nothing."""
    if not isinstance(value, tree.DictDisplay):
        return {}
    found = [*zip(value.keys, value.values, strict=True)]
    pairs = {key: each for key, each in found if key is not None and key.isidentifier()}
    return pairs if len(pairs) == len(found) else {}


def changed_in(node: tree.Statement) -> Iterator[str]:
    """Names of dicts in whose lists a statement changes something."""
    match node:
        case tree.Evaluate(
            _, tree.CallExpr(_, tree.Attribute(_, tree.Subscript(_, tree.Name(_, name), _), method))
        ) if method in GROWING:
            yield name
        case (
            tree.Assign(_, (tree.Subscript(_, tree.Subscript(_, tree.Name(_, name), _), _),), _)
            | tree.AugAssign(_, tree.Subscript(_, tree.Subscript(_, tree.Name(_, name), _), _), _, _)
            | tree.AugAssign(_, tree.Subscript(_, tree.Name(_, name), _), "+", tree.Tuple())
        ):
            yield name


class Apart:
    """One dict, and the names that stand for what it has at its keys."""

    def __init__(self, name: str, names: dict[str, str]):
        self.name, self.names = name, names

    def is_own(self, body: tuple[tree.Statement, ...]) -> bool:
        """Whether nothing but displays is given to the name, and nothing but what it has asked for."""
        steady = not any(map(self.replaces, all_statements(body)))
        return all(self.suits(node, steady) for node in body)

    def replaces(self, node: tree.Statement) -> bool:
        """Whether a key gets another value."""
        match node:
            case tree.Assign(_, targets):
                return any(map(self.is_place, targets))
            case tree.AugAssign(_, target) | tree.Iterate(_, target):
                return self.is_place(target)
        return False

    def is_place(self, target: tree.Expression) -> bool:
        """Whether it is, or has among its items, an item of the dict."""
        match target:
            case tree.Tuple(_, items):
                return any(map(self.is_place, items))
            case tree.Starred(_, value):
                return self.is_place(value)
            case tree.Subscript(_, tree.Name(_, name)):
                return name == self.name
        return False

    def suits(self, node: Node, steady: bool, returned: bool = False) -> bool:
        match node:
            case tree.Assign(_, (tree.Name(_, name),), value) if name == self.name:
                pairs = pairs_of(value)
                return tuple(pairs) == tuple(self.names) and all(
                    self.suits(v, steady) for v in pairs.values()
                )
            case tree.Subscript(_, tree.Name(_, name), index) if name == self.name:
                return isinstance(index, tree.Constant) and index.value in self.names
            case tree.Attribute(_, tree.Name(_, name), method) if name == self.name:
                return method in VIEWS and (steady or returned)
            case tree.Name(_, name):
                return returned or name != self.name
            case tree.Define(parameters=parameters, body=body):
                own = {p.name for p in parameters}.union(assigned_names(body))
                own.update(
                    name.id for p in parameters if p.default is not None for name in names_in(p.default)
                )
                return self.name not in own and all(map(self.suits_inside, parts_of(node)))
            case tree.Lambda() | tree.Delete() | tree.Enter() | tree.Try():
                return self.name not in names_anywhere(node)
            case tree.Comprehension(_, _, clauses):
                if any(self.name in target_names(clause.target) for clause in clauses):
                    return False
            case tree.Return():
                returned = True
        return all(self.suits(part, steady, returned) for part in parts_of(node))

    def suits_inside(self, node: Node) -> bool:
        """Whether a part of a function in the function asks for what the dict has, and gives keys no other values."""
        match node:
            case tree.Subscript(_, tree.Name(_, name), index) if name == self.name:
                return isinstance(index, tree.Constant) and index.value in self.names
            case tree.Name(_, name):
                return name != self.name
            case (
                tree.Define()
                | tree.Lambda()
                | tree.Delete()
                | tree.Enter()
                | tree.Try()
                | tree.Comprehension()
            ):
                return self.name not in names_anywhere(node)
            case tree.Assign() | tree.AugAssign() | tree.Iterate() if self.replaces(node):
                return False
        return all(map(self.suits_inside, parts_of(node)))

    def statements(self, body: tuple[tree.Statement, ...]) -> tuple[tree.Statement, ...]:
        return tuple(made for node in body for made in self.parted(node))

    def parted(self, node: tree.Statement) -> Iterator[tree.Statement]:
        match node:
            case tree.Assign(span, (tree.Name(_, name),), value) if name == self.name:
                pairs = pairs_of(value)
                targets = tuple(tree.Name(span, self.names[key]) for key in pairs)
                values = tuple(self.read(each) for each in pairs.values())
                yield tree.Assign(span, (tree.Tuple(span, targets),), tree.Tuple(value.span, values))
            case tree.Branch():
                then, orelse = self.statements(node.then), self.statements(node.orelse)
                yield replace(node, test=self.read(node.test), then=then, orelse=orelse)
            case tree.Loop():
                body, orelse = self.statements(node.body), self.statements(node.orelse)
                yield replace(node, test=self.read(node.test), body=body, orelse=orelse)
            case tree.Iterate():
                body, orelse = self.statements(node.body), self.statements(node.orelse)
                head = replace(node, target=self.read(node.target), iterable=self.read(node.iterable))
                yield replace(head, body=body, orelse=orelse)
            case _:
                yield self.read(node)

    def read(self, part: Any) -> Any:
        """A part of the program with the names for what the dict has there, and a dict of them where it is whole."""
        return with_pieces(part, self.instead)

    def instead(self, part: Any) -> tree.Expression | None:
        match part:
            case tree.Subscript(span, tree.Name(_, name), tree.Constant(_, str() as key)) if (
                name == self.name
            ):
                return tree.Name(span, self.names[key])
            case tree.Name(span, name) if name == self.name:
                values = tuple(tree.Name(span, each) for each in self.names.values())
                return tree.DictDisplay(span, tuple(self.names), values)
        return None


def names_anywhere(node: Node) -> Iterator[str]:
    """The names in a statement or function, and those that it binds."""
    yield from (name.id for name in names_in(node))
    match node:
        case tree.Define() | tree.Lambda():
            yield from (p.name for p in node.parameters)
    if isinstance(node, tree.Define):
        yield from assigned_names(node.body)
    elif not isinstance(node, tree.Lambda):
        yield from assigned_names((node,))  # type: ignore[arg-type]
