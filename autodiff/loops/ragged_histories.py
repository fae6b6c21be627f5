"""Histories of arrays whose size changes from one iteration to the next: one after the other, in one long array.

    for i in range(n):                 starts = np.empty(n, np.int64); stops = starts alike
        x = x[1:] * x[:-1]     ->      xs = np.empty(0); start = 0
                                       for i in range(n):
                                           stop = start + len(x)
                                           if stop > len(xs): xs = the same in an array of 2 * stop
                                           xs[start:stop] = x
                                           starts[i] = start; stops[i] = stop; start = stop
                                           x = x[1:] * x[:-1]

and back again x = xs[starts[i] : stops[i]]. Memory is the sum of the sizes, and less than as much again. Arrays of
one shape share where they start. What an iteration writes of `starts` and `stops` is its own row, as of any history:
so a `while` that counts and the `for` that repeats it stay one loop (single_pass.py).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from codegen.ir import Apply, Block, Dim, Equation, If, Lit, Type, Var
from codegen.ir.buffers import AT, enlarged
from codegen.ir.build import I8, SIZE, Builder
from codegen.ir.literals import size_atom
from codegen.primitives import ROWS
from codegen.primitives.index import Cut, Inside

Brought = dict[Var, tuple[Var, ...]]
RANGE = Inside((Cut(start=True, stop=True),))
END_NAMES = ("starts", "stops")


class RaggedRows:
    """The long arrays of `variables`, which have one shape, and where the part of each iteration starts and stops."""

    def __init__(self, b: Builder, n: Dim, variables: Sequence[Var], names: Sequence[str], brought: Brought):
        self.variables = variables
        self.names = names
        self.brought = brought
        ends = [b.apply("empty", n, dtype="i8", name=name) for name in END_NAMES]
        self.ends = Type("i8", (n,))
        empty = [b.apply("empty", 0, dtype=v.type.dtype, name=name) for v, name in self.named]
        self.init = [Lit(0, SIZE), *map(b.atom, (*ends, *empty))]
        self.params = self.versions()
        self.outs = self.versions()
        self.now = list(self.params)

    @property
    def named(self) -> list[tuple[Var, str]]:
        return list(zip(self.variables, self.names, strict=True))

    def versions(self) -> list[Var]:
        """Variables for where the next part starts, for the starts and stops, and for the long arrays, each of which
        brings its size."""
        ends = [Var(name, self.ends) for name in END_NAMES]
        return [Var("start", SIZE), *ends, *(self.long(v, name) for v, name in self.named)]

    def long(self, var: Var, name: str) -> Var:
        room = Var("room", I8)
        made = Var(name, Type(var.type.dtype, (room,)))
        self.brought[made] = (room,)
        return made

    def save(self, b: Builder, place: Any) -> None:
        """Keep the values of one iteration."""
        start, starts, stops, *rows = self.now
        stop = Var("stop", SIZE)
        b.emit((stop,), Apply(ROWS["add"], (start, b.atom(elements_in(b, self.variables[0])))))
        kept = [self.updated(b, array, end, place) for array, end in ((starts, start), (stops, stop))]
        for k, (var, row) in enumerate(zip(self.variables, rows, strict=True)):
            roomy = self.with_room(b, var, row, stop)
            flat = b.apply("reshape", var, elements_in(b, var)) if var.type.rank > 1 else var
            rows[k] = self.updated(b, roomy, flat, start, stop, spec=RANGE)
        self.now = [stop, *kept, *rows]

    def updated(self, b: Builder, array: Var, value: Any, *places: Any, spec: Inside = AT) -> Var:
        """The array with a value at some places."""
        made = Var(array.name, array.type)
        b.emit((made,), Apply(ROWS["update"], (array, *map(b.atom, (value, *places))), {"spec": spec}))
        return made

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
        _, starts, stops, *rows = self.outs
        start = b.apply("index", starts, place, spec=AT, name="start")
        stop = b.apply("index", stops, place, spec=AT, name="stop")
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
