"""Names that nested functions rebind, as lists of one item, which they change: with_boxes : Define -> Define.

count = 0                              count = [0]
def f(x):                              def f(x):
    nonlocal count              ->         count[0] += 1
    count += 1                             return x * x
    return x * x
return f(2.0), count                   return f(2.0), count[0]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from codegen.read import tree
from codegen.read.relocation import with_pieces
from codegen.read.scope import all_statements, assigned_names, target_names
from codegen.source import Span, refuse


def with_boxes(define: tree.Define) -> tree.Define:
    """The function, and those in it, without `nonlocal`."""
    made = boxed(define)
    if made.rebound:
        raise refused(made.span, f"{made.rebound[0]!r} is a name around the function that is transformed")
    return made


def refused(span: Span, why: str) -> Exception:
    return refuse(
        span, f"`nonlocal` is not supported here: {why}; pass the value as an argument and return the new one"
    )


def boxed(define: tree.Define) -> tree.Define:
    """Names of the function's own that those in it rebind are boxes; `rebound` are those that none of them owns."""
    body = tuple(mapped(node, boxed) for node in define.body)
    inner = dict.fromkeys(name for each in nested_defines(body) for name in each.rebound)
    own = {p.name for p in define.parameters}.union(assigned_names(body)) - {*define.rebound}
    for name in inner:
        if name in own:
            body = Box(name, define).statements(body)
    left = (*define.rebound, *(name for name in inner if name not in own))
    return replace(define, body=rebinding_none(body, own), rebound=tuple(dict.fromkeys(left)))


def rebinding_none(body: tuple[tree.Statement, ...], own: set[str]) -> tuple[tree.Statement, ...]:
    """Statements whose functions rebind none of these names."""

    def freed(each: tree.Define) -> tree.Define:
        return replace(each, rebound=tuple(name for name in each.rebound if name not in own))

    return tuple(mapped(node, freed) for node in body)


def nested_defines(body: tuple[tree.Statement, ...]) -> Iterator[tree.Define]:
    return (node for node in all_statements(body) if isinstance(node, tree.Define))


def mapped(part: Any, make: Any) -> Any:
    """A statement with `make` of the functions defined in it, those in these not looked at."""
    match part:
        case tree.Define():
            return make(part)
        case tuple():
            return tuple(mapped(each, make) for each in part)
        case tree.Branch() | tree.Loop() | tree.Iterate() | tree.Try() | tree.Handler():
            return replace(part, **{f.name: mapped(getattr(part, f.name), make) for f in fields(part)})
    return part


@dataclass(frozen=True)
class Box:
    """One name of a function's own that is to be a list of one item."""

    name: str
    define: tree.Define

    def statements(self, body: tuple[tree.Statement, ...]) -> tuple[tree.Statement, ...]:
        """The body, in which the box is made where the name is first given a value."""
        if any(p.name == self.name for p in self.define.parameters):
            span = self.define.span
            box = tree.Tuple(span, (tree.Name(span, self.name),), list=True)
            return (tree.Assign(span, (tree.Name(span, self.name),), box), *map(self.read, body))
        first = next(k for k, node in enumerate(body) if self.name in assigned_names((node,)))
        return (*map(self.read, body[:first]), self.made(body[first]), *map(self.read, body[first + 1 :]))

    def made(self, node: tree.Statement) -> tree.Statement:
        """The assignment that gives the name its first value."""
        match node:
            case tree.Assign(span, (tree.Name() as target,), value):
                return tree.Assign(span, (target,), tree.Tuple(value.span, (self.read(value),), list=True))
            case tree.Assign(_, (tree.Tuple(_, targets) as pattern,), tree.Tuple(_, values) as display) if (
                len(targets) == len(values) and all(isinstance(each, tree.Name) for each in targets)
            ):
                items = tuple(
                    tree.Tuple(value.span, (self.read(value),), list=True)
                    if self.name in target_names(target)
                    else self.read(value)
                    for target, value in zip(targets, values, strict=True)
                )
                return replace(node, targets=(pattern,), value=replace(display, items=items))
        why = f"{self.name!r} is first given a value in a branch or a loop, or beside other names"
        raise refused(node.span, why)

    def read(self, part: Any) -> Any:
        """A part of the program with the item of the box for the name."""
        return with_pieces(part, self.instead)

    def instead(self, part: Any) -> tree.Node | None:
        match part:
            case tree.Name(span, name) if name == self.name:
                return tree.Subscript(span, part, tree.Constant(span, 0))
            case tree.Define() | tree.Lambda() if self.is_hidden(part):
                return replace(part, parameters=self.read(part.parameters))
            case tree.Comprehension(_, _, clauses) if any(
                self.name in target_names(clause.target) for clause in clauses
            ):
                return part
            case tree.Delete(span, names) if self.name in names:
                raise refused(span, f"{self.name!r} is deleted")
            case tree.Handler(span, _, name) if name == self.name:
                raise refused(span, f"{self.name!r} is what was caught")
        return None

    def is_hidden(self, function: tree.Define | tree.Lambda) -> bool:
        """Whether a function has a name of its own that is called so."""
        own = {p.name for p in function.parameters}
        if isinstance(function, tree.Define):
            own |= {*assigned_names(function.body)} - {*function.rebound}
        return self.name in own
