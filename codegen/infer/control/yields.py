"""Loops over functions that yield: the function's body, the loop's body in place of its `yield`.

    def points(a, n):                 i = 0
        i = 0                         while i < n:
        while i < n:           ->         x = a + i
            yield a + i                   s += x
            i += 1                        i += 1

    for x in points(a, n): s += x

A generator is gone through by one `for`, in the loop that it was made in. Its own names get others. Where nothing comes
after the loop that yields, the loop over the generator may leave it by `break`, and has its `else`; where nothing comes
after the `yield`, it may `continue`.
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
from codegen.source import refuse

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
    around = last_loop(made.define.body)
    for leaving in leaves_loop(loop.body):
        if around is None or isinstance(leaving, tree.Continue) and not ends_with_yield(around.body):
            raise refuse(
                leaving.span,
                "a loop over a generator is left by `break` where the function ends with the loop that yields, and by "
                "`continue` where that loop ends with `yield`: fill a list, and go through that",
            )
    if loop.orelse and (around is None or any(isinstance(s, tree.Break) for s in leaves_loop(around.body))):
        raise refuse(
            loop.span,
            "`else` of a loop over a generator is supported where the function ends with the loop that yields, and "
            "does not leave it: fill a list, and go through that",
        )
    inside = [*all_statements(made.define.body)]
    other = next((s for s in inside if isinstance(s, (*NOT_HERE, tree.Return))), None)
    if other is not None or sum(map(is_yield, inside)) > 1:
        raise refuse(
            (other or made.define).span,
            "a function that yields has one `yield`, and no `return`, `try`, changed lists or functions in it: "
            "fill a list and return it",
        )


def last_loop(statements: Sequence[tree.Statement]) -> tree.Loop | tree.Iterate | None:
    """The loop around a function's `yield`, if no other one is between them and nothing comes after it."""
    last = statements[-1]
    if not isinstance(last, tree.Loop | tree.Iterate) or last.orelse:
        return None
    return last if any(map(is_yield, in_this_loop(last.body))) else None


def ends_with_yield(statements: Sequence[tree.Statement]) -> bool:
    """Whether nothing comes after a `yield` in a loop's body."""
    match statements:
        case [*_, tree.Branch(_, _, then, orelse)]:
            return ends_with_yield(then) or ends_with_yield(orelse)
        case [*_, tree.Yield()]:
            return True
    return False


def in_this_loop(statements: Sequence[tree.Statement]) -> Iterator[tree.Statement]:
    """Statements of a loop's body that are in no other one."""
    for node in statements:
        yield node
        if not isinstance(node, tree.Loop | tree.Iterate):
            for block in tree.blocks_of(node):
                yield from in_this_loop(block)


def leaves_loop(statements: Sequence[tree.Statement]) -> Iterator[tree.Break | tree.Continue]:
    """What leaves an iteration of a loop with this body."""
    return (node for node in in_this_loop(statements) if isinstance(node, tree.Break | tree.Continue))


def both_bodies(
    frame: Frame, loop: tree.Iterate, made: Yields, names: Mapping[str, str]
) -> tuple[tree.Statement, ...]:
    """The function's statements, with other names, what is around the function as constants, and the loop's body."""
    yielding = last_loop(made.define.body)
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
                if part is yielding:
                    changed["orelse"] = loop.orelse
                return type(part)(part.span, **changed)
        return part

    def spread(item: Any) -> tuple[Any, ...]:
        return of(item) if is_yield(item) else (of(item),)

    statements: tuple[tree.Statement, ...] = of(made.define.body)
    return statements
