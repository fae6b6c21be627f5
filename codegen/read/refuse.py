"""What cannot be transformed, as a table: one row per construct, saying what to write instead.

    global count     ->     "`global` is not supported: a lane may change only what it owns;
                             pass the value as an argument and return the new one", at its line and column

A row names a libcst node type, finds the offending nodes from one of its instances, and gives the words.
All problems of a function, those of nested functions included, are raised as one SourceError in line order.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import libcst as cst

from codegen.read.acting import children
from codegen.read.expressions import Reading, key_is_no_text, looked_in
from codegen.read.named_expressions import not_first, seen_outside
from codegen.read.statements import (
    deleted,
    has_plain_parameters,
    is_deletable,
    is_pattern_of_parts,
    raises_again,
    remembers,
    remembers_itself,
)
from codegen.source import SourceError

Find = Callable[[Any], list[cst.CSTNode]]


@dataclass(frozen=True)
class Refusal:
    """One construct. The message is "`what` is not supported: `why`; `instead`"."""

    node: type[cst.CSTNode] | tuple[type[cst.CSTNode], ...]
    what: str
    why: str
    instead: str
    find: Find = lambda node: [node]
    among: type[cst.CSTNode] | None = None  # what a function has if there is something to find

    @property
    def message(self) -> str:
        return f"{self.what} is not supported: {self.why}; {self.instead}"


def check_function(node: cst.FunctionDef | cst.Lambda, at: Reading) -> None:
    """Raise SourceError with every problem in the function; its own decorators are not looked at."""
    found = problems(node, at)
    if found:
        raise SourceError(list(found))


def problems(node: cst.CSTNode, at: Reading) -> list[tuple[Any, str]]:
    """(Span, message) of each problem under `node`, in line order."""
    own, parts = own_fields(node), [*_walk(node)]
    kinds = {None, *map(type, parts)}
    found = [
        (at.span(offender), row.message)
        for part in parts
        for row in refusals_of(type(part))
        if row.among in kinds
        for offender in row.find(part)
        if offender not in own
    ]
    return sorted(found, key=lambda problem: (problem[0].line, problem[0].column))


def own_fields(node: cst.CSTNode) -> Container[cst.CSTNode]:
    """The fields that a class's `__init__` gives its object."""
    match node:
        case cst.FunctionDef(
            name=cst.Name("__init__"), params=cst.Parameters(params=[cst.Param(cst.Name(own)), *_])
        ):
            return [
                each for each in _walk(node) if isinstance(each, cst.Attribute) and is_called(each.value, own)
            ]
    return ()


def is_called(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


@cache
def refusals_of(kind: type[cst.CSTNode]) -> tuple[Refusal, ...]:
    """The rows for a node type."""
    return tuple(row for row in ROWS if issubclass(kind, row.node))


def _walk(function: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The function and everything under it, apart from its own decorators."""
    yield function
    waiting = [child for child in children(function) if not isinstance(child, cst.Decorator)]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, cst.ComparisonTarget) and (found := looked_in(node)) is not None:
            node = found
        waiting.extend(children(node))


def _when(holds: Callable[[Any], bool]) -> Find:
    return lambda node: [node] if holds(node) else []


def _attributes(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The attributes that an assignment's target would write to, but for those that are parts of an array."""
    match node:
        case cst.Attribute(attr=cst.Name("real" | "imag" | "flat")):
            return []
        case cst.Attribute():
            return [node]
        case cst.Tuple() | cst.List():
            return [found for element in node.elements for found in _attributes(element.value)]
        case _:
            return []


def _elements(node: cst.CompFor) -> list[cst.CSTNode]:
    return [child for child in (node.target, *children(node.target)) if isinstance(child, cst.Subscript)]


def _is_async(node: Any) -> bool:
    return node.asynchronous is not None


def _spreads_beside_numbers(node: cst.Dict) -> bool:
    is_spread = any(isinstance(each, cst.StarredDictElement) for each in node.elements)
    return is_spread and any(map(key_is_no_text, node.elements))


def _exits(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What leaves a block, but for loops and functions of its own."""
    if isinstance(node, cst.Return | cst.Break | cst.Continue):
        return [node]
    if isinstance(node, cst.FunctionDef | cst.Lambda):
        return []
    inner = (cst.Break, cst.Continue) if isinstance(node, cst.For | cst.While) else ()
    return [each for child in children(node) for each in _exits(child) if not isinstance(each, inner)]


def _bare_raises(node: cst.CSTNode) -> list[cst.CSTNode]:
    """`raise` of nothing, where it is not all that a handler does; without those of functions inside."""
    if isinstance(node, cst.Raise):
        return [node] if node.exc is None else []
    if (
        isinstance(node, cst.FunctionDef | cst.Lambda)
        or isinstance(node, cst.ExceptHandler)
        and raises_again(node)
    ):
        return []
    return [each for child in children(node) for each in _bare_raises(child)]


def _not_kept(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The decorators of functions inside that remember results, and cannot."""
    found: list[cst.CSTNode] = []
    for part in children(node):
        if isinstance(part, cst.FunctionDef):
            found += part.decorators if remembers_itself(part) and not has_plain_parameters(part) else ()
        else:
            found += _not_kept(part)
    return found


_LOCKSTEP = "lanes run in lockstep, not on an event loop"
_LAYOUT = "a type made while running has no known layout"
_OUTSIDE = "pass the value as an argument and return the new one"

_RESOURCES = "a lane holds no resources", "enter and leave the context outside the function"

ROWS = (
    Refusal(cst.Finally, "`return`, `break` or `continue` out of `finally`", "it would undo what was raised",
        "write it behind the `try`", lambda node: _exits(node.body)),
    Refusal(cst.TryStar, "`except*`", "a lane cannot unwind", "test the condition with `if` and `raise`"),
    Refusal(cst.With, "`with` ... `as`", *_RESOURCES, _when(lambda node: any(item.asname for item in node.items))),
    Refusal(cst.With, "`async with`", *_RESOURCES, _when(_is_async)),
    Refusal((cst.For, cst.CompFor), "`async for`", _LOCKSTEP, "write a plain `for`", _when(_is_async)),
    Refusal(cst.FunctionDef, "`async def`", _LOCKSTEP, "write a plain `def`", _when(_is_async)),
    Refusal(cst.Await, "`await`", _LOCKSTEP, "call the function directly"),
    Refusal(cst.Yield, "`yield` of nothing, or `from`", "the loop's body is written in its place", "write a loop",
        _when(lambda node: not isinstance(node.value, cst.BaseExpression))),
    Refusal(cst.ClassDef, "`class` in a function", _LAYOUT, "move the class to the top of the module"),
    Refusal(cst.TypeAlias, "`type` in a function", _LAYOUT, "move it to the top of the module"),
    Refusal(cst.Decorator, "a decorator on a nested function",
        "what it makes of the function is known only when it runs",
        "move the decorated function to the top of the module", _when(lambda node: not remembers(node))),
    Refusal(cst.FunctionDef, "a nested function that remembers its results",
        "what it is given by name or in any number is no key",
        "give it plain parameters, or leave the decorator out",
        lambda node: _not_kept(node.body)),
    Refusal(cst.Match, "`match` of an expression", "each case looks at it again", "give it a name before",
        _when(lambda node: not isinstance(node.subject, cst.Name))),
    Refusal((cst.MatchSequence, cst.MatchMapping, cst.MatchClass, cst.MatchAs), "a pattern that takes an object apart",
        "its patterns test Python objects", "write `if` and `elif`", _when(is_pattern_of_parts)),
    Refusal(cst.Del, "`del` of an attribute, or of every k-th item", "objects keep their fields",
        "build a new object, or a shorter list",
        lambda node: [each for each in deleted(node) if not is_deletable(each)]),
    Refusal(cst.Global, "`global`", "a lane may change only what it owns", _OUTSIDE),
    Refusal(cst.ImportFrom, "`from .` in a function", "modules around it are not looked for",
        "move the import to the top of the module", _when(lambda node: bool(node.relative))),
    Refusal(cst.FunctionDef, "`raise` alone, but as all that a handler does,",
        "of what was caught the class alone is known",
        "name the error, as in `raise ValueError(...)`", lambda node: _bare_raises(node.body),
        cst.Raise),
    Refusal(cst.Dict, "`**` in a dict beside keys that are no text literals", "a dict has keys of one kind",
        "write `made.update(other)` afterwards", _when(_spreads_beside_numbers)),
    Refusal(cst.CompFor, "an element as a comprehension's target", "a comprehension owns its names", "write a loop",
        _elements),
    Refusal((cst.BaseSmallStatement, cst.BaseCompoundStatement), "`:=` here",
        "what is written before it is evaluated before it", "assign in a statement of its own", not_first,
        cst.NamedExpr),
    Refusal((cst.FunctionDef, cst.Lambda), "`:=` of a name that is used outside of its comprehension, too,",
        "a comprehension owns its names", "write a loop", seen_outside, cst.NamedExpr),
    Refusal(cst.SimpleString, "a bytes literal", "values are numbers", "write a tuple of integers",
        _when(lambda node: "b" in node.prefix)),
    Refusal(cst.TemplatedString, "a t-string", "what it is made of is known only when it runs", "write an f-string"),
    Refusal((cst.For, cst.CompFor), "an attribute as a loop's target", "a loop gives names values",
        "assign to the attribute in the loop", lambda node: _attributes(node.target)),
)  # fmt: skip
