"""Loops over functions that yield: the function's body, the loop's body in place of its `yield`.

    def points(a, n):                 i = 0
        i = 0                         while i < n:
        while i < n:           ->         x = a + i
            yield a + i                   s += x
            i += 1                        i += 1

    for x in points(a, n): s += x

A generator is gone through by one `for`, in the loop that it was made in. Its own names get others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from codegen.infer.frame import Frame, Live
from codegen.infer.values import Yields
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.scope import all_statements, assigned_names, read_names
from codegen.source import Span, refuse

NOT_HERE = (tree.Define, tree.Change, tree.Try, tree.Delete)


def yields(define: tree.Define | tree.Lambda) -> bool:
    """Whether a function yields."""
    return isinstance(define, tree.Define) and any(map(is_yield, all_statements(define.body)))


def is_yield(node: tree.Statement) -> bool:
    return isinstance(node, tree.Yield)


def infer_yielding(frame: Frame, loop: tree.Iterate, made: Yields, live: Live) -> None:
    """`for target in function(...):`"""
    check(frame, loop, made)
    if loop not in frame.generators:
        own = [*(p.name for p in made.define.parameters), *assigned_names(made.define.body)]
        taken = {*frame.locals, *read_names(frame.body), *own}
        names = {name: claimed_name(name, taken) for name in dict.fromkeys(own)}
        frame.generators[loop] = names, both_bodies(frame, loop, made, names)
    names, statements = frame.generators[loop]
    frame.locals |= {*names.values()}
    frame.st.env.update({names[name]: value for name, value in made.bound.items()})
    frame.inference.run(frame, statements, live)


def check(frame: Frame, loop: tree.Iterate, made: Yields) -> None:
    """SourceError where the two bodies are not one."""
    if frame.generators.setdefault(made, loop) is not loop or made.depth != frame.depth:
        raise refuse(
            loop.span, "a generator is gone through once, by a `for` in the loop that it was made in"
        )
    if (leaving := next(leaves_loop(loop.body), None)) is not None or loop.orelse:
        raise refuse(
            leaving or loop.span,
            "`break`, `continue` and `else` of a loop over a generator are not supported: fill a list, and go through "
            "that",
        )
    inside = [*all_statements(made.define.body)]
    other = next((s for s in inside if isinstance(s, (*NOT_HERE, tree.Return))), None)
    if other is not None or sum(map(is_yield, inside)) > 1:
        raise refuse(
            (other or made.define).span,
            "a function that yields has one `yield`, and no `return`, `try`, changed lists or functions in it: "
            "fill a list and return it",
        )


def leaves_loop(statements: Sequence[tree.Statement]) -> Iterator[Span]:
    """Where a loop's body leaves an iteration."""
    for node in statements:
        if isinstance(node, tree.Break | tree.Continue):
            yield node.span
        elif not isinstance(node, tree.Loop | tree.Iterate):
            for block in tree.blocks_of(node):
                yield from leaves_loop(block)


def both_bodies(
    frame: Frame, loop: tree.Iterate, made: Yields, names: Mapping[str, str]
) -> tuple[tree.Statement, ...]:
    """The function's statements, with other names, what is around the function as constants, and the loop's body."""
    around: dict[str, Any] = {}
    if made.globals is not None:
        for name in read_names(made.define.body):
            if name not in names:
                try:
                    around[name] = made.globals(name)
                except KeyError:
                    continue

    def of(part: Any) -> Any:
        match part:
            case tree.Yield(_, value):
                return (tree.Assign(loop.span, (loop.target,), of(value)), *loop.body)
            case tree.Name(span, name) if name in names:
                return tree.Name(span, names[name])
            case tree.Name(span, name) if name in around:
                return tree.Constant(span, around[name])
            case tuple():
                return tuple(each for item in part for each in spread(item))
            case tree.Node():
                changed = {f.name: of(getattr(part, f.name)) for f in fields(part) if f.name != "span"}
                return type(part)(part.span, **changed)
        return part

    def spread(item: Any) -> tuple[Any, ...]:
        return of(item) if is_yield(item) else (of(item),)

    statements: tuple[tree.Statement, ...] = of(made.define.body)
    return statements
