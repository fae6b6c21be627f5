"""Iterators are gone through once: a second time they are empty, which no program knows of, and which is refused.

pairs = zip(x, y)
total = sum(a * b for a, b in pairs)
for a, b in pairs:                        SourceError: there are none left
"""

from __future__ import annotations

from codegen.infer.frame import Frame
from codegen.infer.values import Closure, Conflict, Enumerate, Nest, Product, Reversed, Value, Zip
from codegen.read import tree
from codegen.read.lists.kept_names import names_in
from codegen.read.scope import assigned_names, free_names
from codegen.source import refuse

INSTEAD = "which is empty once it was gone through: make it where it is gone through, or keep a list of it"


def iterator_over(items: tuple[Value, ...]) -> Reversed:
    """What Python gives where it gives items in turn, which are all made here."""
    return Reversed(Nest(tuple, items[::-1]))


def is_iterator(value: Value | None) -> bool:
    return isinstance(value, Zip | Enumerate | Reversed | Product)


def is_users_own(node: tree.Name) -> bool:
    """Whether a name stands so in the user's text."""
    return node.span.said == node.id


def gone_through(frame: Frame, node: tree.Name, value: Value) -> Value:
    """The value of a name that is read: an iterator is not there any more for what reads it later."""
    if is_iterator(value) and is_users_own(node):
        used_up(frame, value)
    return value


def gone_through_inside(frame: Frame, closure: Closure) -> None:
    """What a function that was called has gone through of the names around it."""
    for name in free_names(closure.define):
        if is_iterator(value := frame.st.env.get(name)) and closure.env.get(name) is value:
            used_up(frame, value)


def used_up(frame: Frame, iterator: Value | None) -> None:
    for name in [name for name, held in frame.st.env.items() if held is iterator]:
        frame.st.env[name] = Conflict(f"{name!r} is an iterator, {INSTEAD}")


def refuse_in_rounds(frame: Frame, loop: tree.Loop | tree.Iterate) -> None:
    """SourceError where each round of a loop reads an iterator that was made before it."""
    bound = assigned_names(loop.body)
    tests = (loop.test,) if isinstance(loop, tree.Loop) else ()
    for part in (*tests, *loop.body):
        for node in names_in(part):
            if is_users_own(node) and node.id not in bound and is_iterator(frame.st.env.get(node.id)):
                raise refuse(node.span, f"{node.id!r} is an iterator, {INSTEAD}")
