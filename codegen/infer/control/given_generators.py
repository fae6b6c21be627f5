"""Generator expressions that a user's function is given, in its text; and loops over them, as their loops.

total(x * x for x in xs)                         def total(xs):
                                                     t = 0.0
def total(values):                 ->                for v in (x * x for x in xs):
    t = 0.0                                              t += v
    for v in values: t += v                          return t
    return t

for v in (x * x for x in xs): t += v             for x in xs: v = x * x; t += v
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from codegen.infer.calls.binding import bind_call, defaults_of
from codegen.infer.calls.dispatch import call_define
from codegen.infer.calls.generators import LoopWriter
from codegen.infer.calls.rows import from_library
from codegen.infer.control.yields import yields
from codegen.infer.frame import Frame
from codegen.infer.functions import globals_of
from codegen.infer.values import Closure, Static, Value
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.relocation import with_pieces
from codegen.read.scope import Node, all_statements, assigned_names, parts_of, read_names, target_names
from codegen.source import refuse

LAZY = (
    "a generator expression is not supported but in a call of Python's sum, any, all, max, min, next, sorted, tuple or "
    "list, in a loop over it, or in a call of a function that has such: nothing is computed lazily; write a list "
    "comprehension `[... for ...]`"
)
Means = tuple[
    Callable[..., list[Value]], Callable[..., dict[str, Value]]
]  # to evaluate arguments, and keywords


def call_with_generators(frame: Frame, function: Value, node: tree.CallExpr, name: str, by: Means) -> Value:
    """A call of a user's function that is given generator expressions: what their first loops go through, and the rest
    in its text."""
    define, defaults, around = function_text_of(frame, function)
    every = (*node.arguments, *dict(node.keywords).values())
    starred = any(isinstance(each, tree.Starred) for each in node.arguments) or None in dict(node.keywords)
    there = bind_call(define, node.arguments, keywords_of(node), defaults, span=node.span)
    given = {key: each for key, each in there.items() if is_generator(each)}
    if starred or len(given) < sum(map(is_generator, every)) or not isinstance(define, tree.Define):
        raise refuse(next(filter(is_generator, every)).span, LAZY)
    if node not in frame.generators:
        frame.generators[node] = through_generators(define, given, around)
    made = frame.generators[node]
    evaluate_items, evaluate_keywords = by
    arguments = tuple(evaluate_items(frame, tuple(map(first_iterable, node.arguments))))
    keywords = evaluate_keywords(frame, tuple((key, first_iterable(each)) for key, each in node.keywords))
    bound = bind_call(define, arguments, keywords, defaults, span=node.span)
    values = {new.name: bound[p.name] for new, p in zip(made.parameters, define.parameters, strict=True)}
    captured = frame.captured_values(Closure(made, frame, frame.st.env, {}))
    with frame.b.at(node.span):
        return call_define(frame, made, frame.globals, captured, values, name)


def function_text_of(
    frame: Frame, function: Value
) -> tuple[tree.Define | tree.Lambda, dict[str, Value], Any]:
    """A function's tree, defaults, and what finds names around it; None where it stands in its caller."""
    if isinstance(function, Closure):
        if function.frame is not frame:
            raise frame.refusal(LAZY)
        return function.define, dict(function.defaults), None
    assert isinstance(function, Static)
    f = function.value
    return frame.inference.define(f), defaults_of(frame, f), globals_of(f)


def keywords_of(node: tree.CallExpr) -> dict[str, tree.Expression]:
    return {key: value for key, value in node.keywords if key is not None}


def first_iterable(node: tree.Expression) -> tree.Expression:
    return (
        in_one(node).clauses[0].iterable if isinstance(node, tree.Comprehension) and node.generator else node
    )


def is_generator(node: object) -> bool:
    return isinstance(node, tree.Comprehension) and node.generator


def through_generators(
    define: tree.Define, given: Mapping[str, tree.Comprehension], around: Callable[[str], Any] | None
) -> tree.Define:
    """A function that is given generators, with these in its text; its parameters have what their first loops go
    through. `around`: what names around the function stand for; None where those are the generators' too."""
    own = list(dict.fromkeys([*(p.name for p in define.parameters), *assigned_names(define.body)]))
    taken = {name for each in given.values() for name in names_of(each)}
    names = {name: claimed_name(name, taken) for name in own}
    for name in given:
        check_once(define, name)
    if yields(define):
        raise refuse(define.span, LAZY)

    def change(part: Any) -> Any:
        match part:
            case tree.Name(span, name) if name in given:
                generator = in_one(given[name])
                first = replace(generator.clauses[0], iterable=tree.Name(span, names[name]))
                return replace(generator, clauses=(first, *generator.clauses[1:]))
            case tree.Name(span, name) if name in names:
                return tree.Name(span, names[name])
            case tree.Name(span, name) if around is not None:
                try:
                    return tree.Constant(span, around(name))
                except KeyError:
                    return part
            case tree.Change(_, listed, statement):
                changes = tuple(names.get(each, each) for each in listed)
                return replace(part, names=changes, statement=with_pieces(statement, change))
            case tree.Parameter():
                return replace(part, name=names[part.name], default=None)
        return None

    parameters, body = (with_pieces(part, change) for part in (define.parameters, define.body))
    return replace(define, parameters=parameters, body=body)


def names_of(generator: tree.Comprehension) -> Iterator[str]:
    yield from read_names(generator)
    for clause in generator.clauses:
        yield from target_names(clause.target)


def check_once(define: tree.Define, name: str) -> None:
    """SourceError unless a function goes through a parameter once, wherever it does."""
    found = [once for node in define.body for once in mentions_of(node, name)]
    refused = (tree.Define, tree.Delete, tree.Try)
    other = next((node for node in all_statements(define.body) if isinstance(node, refused)), None)
    if found != [True] or name in assigned_names(define.body) or other is not None:
        raise refuse(
            (other or define).span,
            f"{define.name}() is given a generator expression as {name!r}, which it must go through once, with no "
            "function, `del` or `try` in it: give it a list, `[... for ...]`",
        )


def mentions_of(node: Node, name: str, once: bool = True) -> Iterator[bool]:
    """Where a name is read: whether that is run once at most."""
    again: tuple[Any, ...] = ()
    match node:
        case tree.Name():
            yield from (once,) if node.id == name else ()
        case tree.Iterate():
            again = node.body
        case tree.Loop():
            again = (node.test, *node.body)
        case tree.Lambda():
            again = (node.body,)
        case tree.Comprehension():
            others = (part for clause in node.clauses[1:] for part in parts_of(clause))
            again = (node.value, *node.clauses[0].conditions, *others)
    for part in parts_of(node):
        for each in parts_of(part) if isinstance(part, tree.Clause) else (part,):
            yield from mentions_of(each, name, once and not any(each is other for other in again))


def as_own_loops(frame: Frame, loop: tree.Iterate) -> tree.Iterate:
    """A loop over a generator expression as the generator's loops, whose names are their own."""
    if loop not in frame.generators:
        frame.generators[loop] = made_of_loops(loop, {*frame.locals, *read_names(frame.body)})
    names, made = frame.generators[loop]
    frame.locals |= names
    return made


def made_of_loops(loop: tree.Iterate, taken: set[str]) -> tuple[frozenset[str], tree.Iterate]:
    """The names, none in `taken`, and the loops."""
    assert isinstance(loop.iterable, tree.Comprehension)
    generator = with_own_names(in_one(loop.iterable), taken)
    if len(generator.clauses) > 1 and any(isinstance(node, tree.Break) for node in all_statements(loop.body)):
        raise refuse(
            generator.span, "`break` out of a generator of several loops is not supported: write these"
        )
    body = (tree.Assign(loop.span, (loop.target,), generator.value), *loop.body)
    made = LoopWriter(generator).loops(body)
    assert isinstance(made, tree.Iterate)
    own = frozenset(name for clause in generator.clauses for name in target_names(clause.target))
    return own, replace(made, span=loop.span, orelse=loop.orelse)


def with_own_names(generator: tree.Comprehension, taken: set[str]) -> tree.Comprehension:
    """A generator whose loops' names are none of those in `taken`, which get them."""
    targets = dict.fromkeys(name for clause in generator.clauses for name in target_names(clause.target))
    names = {name: claimed_name(name, taken) for name in targets}

    def renamed(part: Any) -> Any:
        return tree.Name(part.span, names.get(part.id, part.id)) if isinstance(part, tree.Name) else None

    first, *others = generator.clauses
    through = first.iterable  # which is evaluated where the generator stands
    alone = replace(first, iterable=tree.Constant(first.span, None))
    made = with_pieces(replace(generator, clauses=(alone, *others)), renamed)
    clauses = (replace(made.clauses[0], iterable=through), *made.clauses[1:])
    return replace(generator, value=made.value, clauses=clauses)


def in_one(generator: tree.Comprehension) -> tree.Comprehension:
    """A generator that goes through others as one of more loops: `(v for v in (u * u for u in x))` has u, then v."""
    first, *others = generator.clauses
    if not is_generator(first.iterable):
        return generator
    assert isinstance(first.iterable, tree.Comprehension)
    inner = with_own_names(in_one(first.iterable), {*names_of(generator)})
    item = replace(first, iterable=tree.Tuple(first.span, (inner.value,)))
    return replace(generator, clauses=(*inner.clauses, item, *others))


def is_users(function: Value) -> bool:
    """Whether it is a function that the program is read of."""
    known = isinstance(function, Static) and isinstance(function.value, types.FunctionType)
    return isinstance(function, Closure) or known and not from_library(function.value)  # type: ignore[union-attr]
