"""Loops over several ranges at once, as loops inside one another.

for i, j in np.ndindex(n, m):        for i in range(n):
    a[i, j] = 0.0                        for j in range(m):
                                             a[i, j] = 0.0

One with a break stays one loop, whose index is counted apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from codegen.infer.frame import Frame
from codegen.infer.values import Product
from codegen.ir.traversal import claimed_name
from codegen.read.scope import all_statements
from codegen.read.tree import Assign, Break, Iterate, Name, Starred, Statement, Subscript, Tuple

PART, OF = "%part", "%of"


@contextmanager
def as_nested_loops(frame: Frame, loop: Iterate, iterable: Product) -> Iterator[Iterate | None]:
    """The loops in place of one, and what they go through under names of its own; None where it must stay one."""
    if (
        loop.orelse
        or any(isinstance(node, Break) for node in all_statements(loop.body))
        or not iterable.inners
    ):
        yield None
        return
    depth = sum(name.startswith(OF) for name in frame.st.env)
    letters: list[str] = []
    for letter in "ijkl"[: len(iterable.inners)].ljust(len(iterable.inners), "l"):
        letters.append(claimed_name(letter, {*frame.locals, *letters}))
    names = tuple(f"{PART}{depth}_{k}" for k in range(len(iterable.inners)))
    held = dict(zip(names, iterable.inners, strict=True)) | {f"{OF}{depth}": iterable.of or iterable}
    frame.st.env |= held
    before, frame.locals = frame.locals, frame.locals | {*held, *letters}
    try:
        yield as_loops(loop, names, tuple(letters), f"{OF}{depth}" if iterable.of else None)
    finally:
        frame.locals = before
        for name in (*held, *letters):
            frame.st.env.pop(name, None)


@lru_cache(maxsize=256)
def as_loops(loop: Iterate, parts: tuple[str, ...], letters: tuple[str, ...], of: str | None) -> Iterate:
    span, target = loop.span, loop.target
    first: tuple[Statement, ...] = ()
    indices = Tuple(span, tuple(Name(span, letter) for letter in letters))
    if of is not None:
        item = Subscript(span, Name(span, of), indices)
        first = (Assign(span, (target,), Tuple(span, (indices, item))),)
    elif isinstance(target, Tuple) and is_pattern(target, len(parts)):
        indices = target
    else:
        first = (Assign(span, (target,), indices),)
    body = (*first, *loop.body)
    for each, part in reversed(list(zip(indices.items, parts, strict=True))):
        body = (Iterate(span, each, Name(span, part), body, ()),)
    (outermost,) = body
    assert isinstance(outermost, Iterate)
    return outermost


def is_pattern(target: Tuple, count: int) -> bool:
    return len(target.items) == count and not any(isinstance(item, Starred) for item in target.items)
