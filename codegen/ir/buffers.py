"""Buffers: arrays with more rows than are in use, which come first. They are made anew, with more, where there is no
room.

    if n == len(xs):                     full = n == len(xs)
        larger = np.empty(2 * n + 8)     xs1 = if full: update (empty (2 n + 8)) xs  :n
        larger[:n] = xs           ->                    xs
        xs = larger                      xs2 = update xs1 v  n
    xs[n] = v
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codegen.cost_model import LEAST_ROOM
from codegen.ir import Atom, If, Type, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.literals import name_of
from codegen.primitives.index import Cut, Inside

AT = Inside(("i",))
FIRST = Inside((Cut(False, True),))


def enlarged(b: Builder, buffer: Atom, size: Any) -> Any:
    """The rows of a buffer, the first ones of a larger one."""
    rows, *row = buffer.type.shape
    larger = b.apply("empty", size, *map(b.size, row), dtype=buffer.type.dtype, name=name_of(buffer)).atom
    return b.apply("update", larger, buffer, b.size(rows), spec=FIRST, name=name_of(buffer))


def with_rows_for(
    b: Builder,
    buffers: Sequence[Atom],
    count: Any,
    more: Any,
    *,
    known: bool = True,
    outs: Sequence[Var] = (),
) -> list[Atom]:
    """Buffers of one size, of which `count` rows are in use, with room for `more`: of sizes that are known anew, others
    (or all, if not `known`) where there is none when the program runs, at least twice as many then. `outs`: what they
    are to be called."""
    rows = buffers[0].type.shape[0]
    if known and isinstance(rows, int) and isinstance(more, int):
        return [b.atom(enlarged(b, each, rows + more)) for each in buffers]
    then = b.inner()
    wanted = then.apply("add", then.apply("mul", 2, then.size(rows)), LEAST_ROOM)
    if isinstance(more, int) and more == 1:
        full = b.apply("ge", count, b.size(rows))
    else:
        full = b.apply("gt", b.apply("add", count, more), b.size(rows))
        if not isinstance(more, int) or more > LEAST_ROOM:
            wanted = then.apply("maximum", wanted, then.apply("add", count, more))
    larger = then.block(tuple(enlarged(then, each, wanted) for each in buffers))
    n = Var("n", SIZE)
    given = outs or [Var(name_of(x), Type(x.type.dtype, (n, *x.type.shape[1:]))) for x in buffers]
    b.emit(tuple(given), If(b.atom(full), larger, b.inner().block(tuple(buffers))))
    return list(given)
