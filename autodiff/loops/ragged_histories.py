"""Histories of arrays whose size changes from one iteration to the next: one after the other, in one long array.

    for i in range(n):                 starts = np.zeros(n + 1, np.int64); xs = np.empty(0)
        x = x[1:] * x[:-1]     ->      for i in range(n):
                                           start = starts[i]; stop = start + len(x)
                                           if stop > len(xs): xs = the same in an array of 2 * stop
                                           xs[start:stop] = x
                                           starts[i + 1] = stop
                                           x = x[1:] * x[:-1]

and back again x = xs[starts[i] : starts[i + 1]]. Memory is the sum of the sizes, and less than as much again. Arrays of
one shape share where they start.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from codegen.ir import Apply, Block, Dim, Equation, If, Type, Var
from codegen.ir.buffers import AT, enlarged
from codegen.ir.build import I8, Builder
from codegen.ir.literals import size_atom
from codegen.primitives import ROWS
from codegen.primitives.index import Cut, Inside

Brought = dict[Var, tuple[Var, ...]]
RANGE = Inside((Cut(start=True, stop=True),))


class RaggedRows:
    """The long arrays of `variables`, which have one shape, and where each iteration's part of them starts.

    `down`: rows are numbered from the last iteration to the first.
    """

    def __init__(
        self, b: Builder, n: Dim, variables: Sequence[Var], names: Sequence[str], brought: Brought, down: bool
    ):
        self.variables = variables
        self.names = names
        self.brought = brought
        self.down = down
        rows = b.atom(b.size(n) + 1)
        starts = b.apply("full", 0, rows, dtype="i8", name="starts")
        self.starts = Type("i8", b.atom(starts).type.shape)
        empty = [b.apply("empty", 0, dtype=v.type.dtype, name=name) for v, name in self.named]
        self.init = [b.atom(made) for made in (starts, *empty)]
        self.params = self.versions()
        self.outs = self.versions()
        self.now = list(self.params)

    @property
    def named(self) -> list[tuple[Var, str]]:
        return list(zip(self.variables, self.names, strict=True))

    def versions(self) -> list[Var]:
        """Variables for the starts and the long arrays, each of which brings its size."""
        return [Var("starts", self.starts), *(self.long(v, name) for v, name in self.named)]

    def long(self, var: Var, name: str) -> Var:
        room = Var("room", I8)
        made = Var(name, Type(var.type.dtype, (room,)))
        self.brought[made] = (room,)
        return made

    def ends(self, b: Builder, place: Any) -> tuple[Any, Any]:
        """The places in `starts` of an iteration's start and stop."""
        return (place + 1, place) if self.down else (place, place + 1)

    def save(self, b: Builder, place: Any) -> None:
        """Keep the values of one iteration."""
        begin, end = self.ends(b, place)
        starts, *rows = self.now
        start = b.apply("index", starts, begin, spec=AT, name="start")
        stop = b.apply("add", start, elements_in(b, self.variables[0]), name="stop")
        for k, (var, row) in enumerate(zip(self.variables, rows, strict=True), start=1):
            roomy = self.with_room(b, var, row, stop)
            flat = b.apply("reshape", var, elements_in(b, var)) if var.type.rank > 1 else var
            made = Var(row.name, roomy.type)
            b.emit(
                (made,),
                Apply(ROWS["update"], (roomy, b.atom(flat), *map(b.atom, (start, stop))), {"spec": RANGE}),
            )
            self.now[k] = made
        b.emit(
            (made := Var("starts", self.starts),),
            Apply(ROWS["update"], (starts, *map(b.atom, (stop, end))), {"spec": AT}),
        )
        self.now[0] = made

    def with_room(self, b: Builder, var: Var, row: Var, stop: Any) -> Var:
        """The long array, or one of twice the size that begins with it."""
        (room,) = row.type.shape
        out, inner = self.long(var, row.name), b.inner()
        longer = inner.atom(enlarged(inner, row, inner.wrap(b.atom(stop)) * 2))
        full = b.apply("gt", stop, b.size(room))
        b.emit((out,), If(b.atom(full), inner.block((longer,)), Block((), (row,))))
        return out

    def load(self, b: Builder, place: Any) -> None:
        """The values of one iteration, whose sizes are in scope but for a vector's."""
        begin, end = self.ends(b, place)
        starts, *rows = self.outs
        start = b.apply("index", starts, begin, spec=AT, name="start")
        stop = b.apply("index", starts, end, spec=AT, name="stop")
        for var, row in zip(self.variables, rows, strict=True):
            part = Apply(ROWS["index"], (row, b.atom(start), b.atom(stop)), {"spec": RANGE})
            if var.type.rank == 1:
                b.emit((var,), part)
                continue
            flat = Var(row.name, Type(var.type.dtype, (Var("n", I8),)))
            self.brought[flat] = (flat.type.shape[0],)  # type: ignore[assignment]
            b.emit((flat,), part)
            b.emit((var,), Apply(ROWS["reshape"], (flat, *map(size_atom, var.type.shape))))


def elements_in(b: Builder, var: Var) -> Any:
    """How many elements an array has."""
    first, *others = map(b.size, var.type.shape)
    for n in others:
        first = first * n
    return first


def by_shape(variables: Iterable[Var]) -> list[list[Var]]:
    """Variables that have one shape together."""
    found: dict[tuple[Dim, ...], list[Var]] = {}
    for var in variables:
        found.setdefault(tuple(var.type.shape), []).append(var)
    return list(found.values())


def made_together(known: Iterable[Equation], variables: Container[Var]) -> list[list[Var]]:
    """Those of the variables that one equation makes, in one shape."""
    return [alike for e in known for alike in by_shape(out for out in e.outs if out in variables)]
