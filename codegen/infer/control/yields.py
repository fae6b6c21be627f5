"""Loops over functions that yield: the function's body, the loop's body in place of its `yield`.

    def points(a, n):                 i = 0
        i = 0                         while i < n:
        while i < n:           ->         x = a + i
            yield a + i                   s += x
            i += 1                        i += 1

    for x in points(a, n): s += x

A generator is gone through by one `for`, in the loop that it was made in. Its own names get others. Where something
comes after a `yield`, the loop's `continue` ends a loop of one iteration around its body; a `break` of the loop, and a
`return` of the function, leave the function's loops one after the other, by a flag.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from codegen.infer.frame import Frame, Live
from codegen.infer.values import Enumerate, Value, Yields
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.scope import all_statements, assigned_names, read_names
from codegen.source import refuse

NOT_HERE = (tree.Define, tree.Try)
MOST = 9  # yields of a function, in whose places the loop's body stands


def yields(define: tree.Define | tree.Lambda) -> bool:
    """Whether a function yields."""
    return isinstance(define, tree.Define) and any(map(is_yield, all_statements(define.body)))


def is_yield(node: tree.Statement) -> bool:
    return isinstance(node, tree.Yield)


def is_yielded(iterable: Value) -> bool:
    """Whether a value is a generator, or numbers what one yields."""
    return isinstance(iterable.inner if isinstance(iterable, Enumerate) else iterable, Yields)


def infer_yielding(frame: Frame, loop: tree.Iterate, made: Value, live: Live) -> None:
    """`for target in function(...):`"""
    if isinstance(made, Enumerate):
        before = frame.b.apply("sub", frame.b.wrap(made.start), 1)
        loop, place = counting_items(frame, loop)
        frame.st.env[place], made = frame.b.atom(before), made.inner
    assert isinstance(made, Yields)
    check(frame, loop, made)
    which = loop, made.define
    if which not in frame.generators:
        own = [*(p.name for p in made.define.parameters), *assigned_names(made.define.body)]
        taken = {*frame.locals, *read_names(frame.body), *own}
        names = {name: claimed_name(name, taken) for name in dict.fromkeys(own)}
        merged = Merged(loop, claimed_name("left", taken), claimed_name("once", taken))
        statements = merged.all_of(with_names(made, names))
        frame.generators[which] = names, statements
    names, statements = frame.generators[which]
    frame.locals |= {*names.values(), *assigned_names(statements)}
    frame.st.env.update({names[name]: value for name, value in made.bound.items()})
    frame.inference.run(frame, statements, live)


def counting_items(frame: Frame, loop: tree.Iterate) -> tuple[tree.Iterate, str]:
    """`for k, x in enumerate(function(...))` as a loop over what is yielded that counts, and the name it counts by."""
    if loop not in frame.generators:
        span, taken = loop.span, {*frame.locals, *read_names(frame.body)}
        place, item = (tree.Name(span, claimed_name(name, taken)) for name in ("place", "item"))
        count = tree.AugAssign(span, place, "+", tree.Constant(span, 1))
        bound = tree.Assign(span, (loop.target,), tree.Tuple(span, (place, item)))
        frame.generators[loop] = replace(loop, target=item, body=(count, bound, *loop.body)), place.id
    made, name = frame.generators[loop]
    frame.locals |= {name}
    return made, name


def check(frame: Frame, loop: tree.Iterate, made: Yields) -> None:
    """SourceError where the two bodies are not one."""
    if frame.generators.setdefault(made, loop) is not loop or made.depth != frame.depth:
        raise refuse(
            loop.span, "a generator is gone through once, by a `for` in the loop that it was made in"
        )
    around = last_loop(made.define.body)
    inside = [*all_statements(made.define.body)]
    count = sum(map(is_yield, inside))
    ends = around and [s for s in inside if isinstance(s, tree.Return)] + [*breaks(around.body)]
    if loop.orelse and (around is None or ends or count > 1):
        raise refuse(
            loop.span,
            "`else` of a loop over a generator is supported where the function ends with the loop that yields, and "
            "does not leave it: fill a list, and go through that",
        )
    other = next((s for s in inside if isinstance(s, NOT_HERE)), None)
    if other is not None or count > MOST:
        raise refuse(
            (other or made.define).span,
            f"a function that yields has up to {MOST} `yield`, and no `try` or functions in it: "
            "fill a list and return it",
        )


def last_loop(statements: Sequence[tree.Statement]) -> tree.Loop | tree.Iterate | None:
    """The loop around a function's `yield`, if no other one is between them and nothing comes after it."""
    last = statements[-1]
    if not isinstance(last, tree.Loop | tree.Iterate) or last.orelse:
        return None
    return last if any(map(is_yield, in_this_loop(last.body))) else None


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


def breaks(statements: Sequence[tree.Statement]) -> Iterator[tree.Break]:
    return (node for node in in_this_loop(statements) if isinstance(node, tree.Break))


def with_names(made: Yields, names: Mapping[str, str]) -> tuple[tree.Statement, ...]:
    """A function's statements, with other names, and what is around the function as constants."""
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
            case tree.Name(span, name) if name in names:
                return tree.Name(span, names[name])
            case tree.Name(span, name) if name in around:
                return tree.Constant(span, around[name])
            case tree.Change(span, changed, statement, anew):
                return tree.Change(span, tuple(names.get(n, n) for n in changed), of(statement), anew)
            case tree.Delete(span, deleted):
                return tree.Delete(span, tuple(names.get(n, n) for n in deleted))
            case tuple():
                return tuple(map(of, part))
            case tree.Node():
                return type(part)(
                    part.span, **{f.name: of(getattr(part, f.name)) for f in fields(part) if f.name != "span"}
                )
        return part

    statements: tuple[tree.Statement, ...] = of(made.define.body)
    return statements


class Merged:
    """The statements of a function that yields, whose names are its own, with a loop's body.

    `flag`: the name that says whether the loop was left, where it is `flagged`, because it was `asked`; `counter`: that
    of loops of one iteration.
    """

    def __init__(self, loop: tree.Iterate, left: str, once: str):
        self.loop, self.flag, self.counter = loop, left, once
        self.flagged = self.asked = False

    def all_of(self, body: tuple[tree.Statement, ...]) -> tuple[tree.Statement, ...]:
        made = self.block(body, in_loop=False, last=False)
        if self.asked:
            self.flagged = True
            made = self.block(body, in_loop=False, last=False)
        if any(breaks(made)):
            made = (self.once(made),)
        return (self.left(False), *made) if self.flagged else made

    def block(
        self, statements: tuple[tree.Statement, ...], *, in_loop: bool, last: bool
    ) -> tuple[tree.Statement, ...]:
        """`in_loop`: whether it is in a loop of the function; `last`: whether nothing comes after it there."""
        made: list[tree.Statement] = []
        for k, node in enumerate(statements):
            is_last = k == len(statements) - 1
            made += self.of(node, in_loop=in_loop, last=last and is_last)
            if isinstance(node, tree.Loop | tree.Iterate) and (in_loop or not is_last) and self.leaves(node):
                made.append(self.leave_if_left())
        return tuple(made)

    def of(self, node: tree.Statement, *, in_loop: bool, last: bool) -> tuple[tree.Statement, ...]:
        match node:
            case tree.Yield():
                return self.yielded(node, in_loop=in_loop, last=last)
            case tree.Return():
                return self.leaving()
            case tree.Branch():
                then, orelse = (
                    self.block(part, in_loop=in_loop, last=last) for part in (node.then, node.orelse)
                )
                return (replace(node, then=then, orelse=orelse),)
            case tree.Loop() | tree.Iterate():
                body = self.block(node.body, in_loop=True, last=True)
                orelse = self.block(node.orelse, in_loop=in_loop, last=last)
                if self.loop.orelse and any(map(is_yield, in_this_loop(node.body))):
                    orelse = self.loop.orelse
                return (replace(node, body=body, orelse=orelse),)
        return (node,)

    def yielded(self, node: tree.Yield, *, in_loop: bool, last: bool) -> tuple[tree.Statement, ...]:
        """The loop's body, for what is yielded."""
        target = tree.Assign(self.loop.span, (self.loop.target,), node.value)
        ends = [*leaves_loop(self.loop.body)]
        body = (target, *self.with_leaving(self.loop.body))
        if (in_loop and last) or not any(isinstance(each, tree.Continue) for each in ends):
            return body
        if all(isinstance(each, tree.Continue) for each in ends):
            return (self.once(body),)
        return self.once(body), self.leave_if_left()

    def with_leaving(self, statements: tuple[tree.Statement, ...]) -> tuple[tree.Statement, ...]:
        """The loop's body, which says that it leaves the loop."""
        made: list[tree.Statement] = []
        for node in statements:
            match node:
                case tree.Break():
                    made += self.leaving()
                case tree.Branch():
                    then, orelse = map(self.with_leaving, (node.then, node.orelse))
                    made.append(replace(node, then=then, orelse=orelse))
                case tree.Try():
                    handlers = tuple(replace(h, body=self.with_leaving(h.body)) for h in node.handlers)
                    body, orelse, final = map(self.with_leaving, (node.body, node.orelse, node.final))
                    made.append(replace(node, body=body, handlers=handlers, orelse=orelse, final=final))
                case _:
                    made.append(node)
        return tuple(made)

    def leaves(self, node: tree.Loop | tree.Iterate) -> bool:
        """Whether what is in a loop of the function may leave all of them."""
        inside = [*all_statements((node,))]
        return any(isinstance(each, tree.Return) for each in inside) or (
            any(map(is_yield, inside)) and any(breaks(self.loop.body))
        )

    def leaving(self) -> tuple[tree.Statement, ...]:
        leave = tree.Break(self.loop.span)
        return (self.left(True), leave) if self.flagged else (leave,)

    def left(self, value: bool) -> tree.Statement:
        span = self.loop.span
        return tree.Assign(span, (tree.Name(span, self.flag),), tree.Constant(span, value))

    def leave_if_left(self) -> tree.Statement:
        self.asked, span = True, self.loop.span
        return tree.Branch(span, tree.Name(span, self.flag), (tree.Break(span),), ())

    def once(self, statements: tuple[tree.Statement, ...]) -> tree.Statement:
        """A loop of one iteration."""
        span = self.loop.span
        one = tree.Tuple(span, (tree.Constant(span, 0),))
        return tree.Iterate(span, tree.Name(span, self.counter), one, statements, ())
