"""Sums of columns in parts: in_parts : Nest -> equations.

    for i in range(n):                     for part in range(parts):                     threads for all places
        for j in range(m):                     for j in range(m):                        and parts
            out[j] += f(i, j)                      s = 0.0
                                   ->              for i in range(part * rows, (part + 1) * rows):
                                                       s += f(i, j)
                                                   sums[j, part] = s
                                           for j in range(m):                            a few threads for each
                                               s = 0.0
                                               for part in range(parts):
                                                   s += sums[j, part]
                                               out[j] += s

A thread for each place alone would leave most of a GPU without work where places are few and rows many (the adjoints
of centres, means and weights). Parts are as many as there are threads for, so that what they leave is small whatever
the sizes, and the order of each sum is the same whenever sizes are. (A part whose rows were `parts` apart took 36
instructions for each, of which two places that no addition gives, where it now takes 15.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from codegen.analysis.definitions import applied
from codegen.analysis.equal_sizes import equal_sizes, size
from codegen.cost_model import ROWS_OF_A_PART, THREADS_OF_A_GPU
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access, Made
from codegen.ir.substitution import free
from codegen.loops.first_failure import checks
from codegen.loops.independent import LoopNest, Sizes, is_independent, nest_of
from codegen.primitives.row import ROWS


@dataclass(frozen=True, eq=False)
class Columns:
    """Loops over places, what is made in each before the next, and the sums of rows at one place."""

    row: Var
    indices: tuple[Var, ...]
    stops: tuple[Atom, ...]
    before: tuple[Equation, ...]
    body: tuple[Equation, ...]
    sums: tuple[Var, ...]  # before a row's terms
    results: tuple[Var, ...]  # and after
    places: tuple[tuple[Atom, ...], ...]  # of each in its array


def in_parts(
    equation: Equation, nest: LoopNest, sizes: Sizes, ran: Sequence[Equation]
) -> tuple[list[Equation], Sizes] | None:
    """A loop over rows in which each place of arrays sums terms of its own, in parts, and sizes that are made for
    it; None for another loop. `ran`: what has run before."""
    columns = summed_columns(nest, sizes)
    if columns is None:
        return None
    b = Builder(span=equation.span, checked=False)
    n = count(b, nest.outer.stop, sizes)
    lengths = [count(b, stop, sizes) for stop in columns.stops]
    cells = reduce(lambda x, y: x * y, lengths)
    most = b.apply("minimum", THREADS_OF_A_GPU // b.apply("maximum", cells, 1), n // ROWS_OF_A_PART)
    parts = b.apply("maximum", most, 1, name="parts")
    rooms = [b.apply("empty", *lengths, parts, dtype=s.type.dtype, name="sums") for s in columns.sums]
    filled = tuple(Var("sums", room.atom.type) for room in rooms)
    b.emit(filled, parts_loop(columns, n, parts, [r.atom for r in rooms]))
    zeros = [is_of_zeros(columns, k, array, ran) for k, array in enumerate(nest.outer.init)]
    arrays = [
        b.apply("empty", *lengths, dtype=array.type.dtype).atom if new else array
        for array, new in zip(nest.outer.init, zeros, strict=True)
    ]
    how = ["update" if new else "accumulate" for new in zeros]
    b.emit(equation.outs, adding(columns, lengths, b.atom(cells), b.atom(parts), arrays, filled, how))
    made = frozenset(v for v in map(b.atom, (parts, cells, *lengths)) if isinstance(v, Var))
    return b.equations, made


def parts_loop(columns: Columns, n: Any, parts: Any, rooms: Sequence[Atom]) -> For:
    """The loop over parts that writes the sums of each."""
    b = Builder(checked=False)
    part = Var("part", SIZE)
    stops = [b.atom(parts), *columns.stops]
    indices = [part, *columns.indices]

    def sums(b: Builder, arrays: Sequence[Var]) -> list[Any]:
        rows = (again(b, n) + (again(b, parts) - 1)) // again(b, parts)
        first = b.apply("maximum", b.wrap(part) * rows, 0)  # which is no news but to compilers
        last = b.apply("minimum", first + rows, again(b, n))
        body = Block((*columns.before, *columns.body), columns.results)
        zeros = tuple(Lit(0.0, s.type) for s in columns.sums)
        found = tuple(Var(s.name, s.type) for s in columns.sums)
        b.emit(found, For(columns.row, b.atom(first), b.atom(last), 1, columns.sums, zeros, body))
        at = *columns.indices, part
        spec = ("i",) * len(at)
        return [b.apply("update", a, s, *at, spec=spec) for a, s in zip(arrays, found, strict=True)]

    return loops(indices, stops, rooms, sums)


def adding(
    columns: Columns,
    lengths: Sequence[Any],
    cells: Atom,
    parts: Atom,
    arrays: Sequence[Atom],
    sums: Sequence[Var],
    how: Sequence[str],
) -> For:
    """The loop over places that adds up what all parts have found, whose places threads share; `how` it goes into each
    array."""
    cell, part = Var("cell", SIZE), Var("part", SIZE)
    carried = tuple(Var(getattr(a, "name", "t"), a.type) for a in arrays)
    b = Builder(checked=False)
    indices: list[Any] = []
    rest = b.wrap(cell)
    for length in reversed(lengths[1:]):
        indices.insert(0, rest % again(b, length))
        rest = rest // again(b, length)
    indices.insert(0, rest)
    terms = tuple(Var("s", s.type) for s in columns.sums)
    c = b.inner()
    spec = ("i",) * (len(indices) + 1)
    added = [
        t + c.apply("index", s, *indices, part, spec=spec)
        for t, s in zip(map(c.wrap, terms), sums, strict=True)
    ]
    found = tuple(Var("s", s.type) for s in columns.sums)
    zeros = tuple(Lit(0.0, s.type) for s in columns.sums)
    b.emit(found, For(part, Lit(0, SIZE), parts, 1, terms, zeros, c.block(tuple(added))))
    renamed: dict[Atom, Any] = dict(zip(columns.indices, indices, strict=True))
    results = []
    for array, term, places, row in zip(carried, found, columns.places, how, strict=True):
        there = [renamed.get(p, p) for p in places]
        results.append(b.apply(row, array, term, *there, spec=("i",) * len(there)))
    return For(cell, Lit(0, SIZE), cells, 1, carried, tuple(arrays), b.block(tuple(results)), "parallel")


def is_of_zeros(columns: Columns, k: int, array: Atom, ran: Sequence[Equation]) -> bool:
    """Whether array k is of zeros, to each of which something is added: then the sums are all that there is."""
    made, known = applied(ran).get(array), equal_sizes(ran)
    if made is None or made.primitive.kind is not Made.FULL or columns.places[k] != columns.indices:
        return False
    value, stops = made.operands[0], map(size, columns.stops)
    is_zero = isinstance(value, Lit) and value.value == 0
    return is_zero and all(known.same(n, stop) for n, stop in zip(array.type.shape, stops, strict=True))


def loops(
    indices: Sequence[Var],
    stops: Sequence[Atom],
    arrays: Sequence[Atom],
    body: Callable[[Builder, Sequence[Var]], list[Any]],
) -> For:
    """A loop in a loop for each index, which write arrays."""
    carried = tuple(Var(getattr(a, "name", "t"), a.type) for a in arrays)
    b = Builder(checked=False)
    if len(indices) > 1:
        outs = tuple(Var(c.name, c.type) for c in carried)
        b.emit(outs, loops(indices[1:], stops[1:], carried, body))
        inside = b.block(outs)
    else:
        inside = b.block(tuple(body(b, carried)))
    return For(indices[0], Lit(0, SIZE), stops[0], 1, carried, tuple(arrays), inside, "parallel")


def again(b: Builder, value: Any) -> Any:
    """A value of another builder."""
    return b.wrap(value.atom) if hasattr(value, "atom") else value


def count(b: Builder, stop: Atom, sizes: Sizes) -> Any:
    """The iterations of a loop from 0."""
    known = stop in sizes or isinstance(stop, Lit) and stop.value >= 0
    return b.wrap(stop) if known else b.apply("maximum", b.wrap(stop), 0)


def summed_columns(nest: LoopNest, sizes: Sizes) -> Columns | None:
    """The places of a nest whose rows are added up, if nothing else is done with its arrays and nothing fails."""
    loop, indices, stops, before = nest.inner, [nest.inner.index], [nest.inner.stop], [*nest.before]
    while (deeper := nest_of(loop)) is not None and is_independent(deeper.inner, sizes):
        before += deeper.before
        loop = deeper.inner
        indices.append(loop.index)
        stops.append(loop.stop)
    if checks(nest.outer.body) or {nest.outer.index, *indices, *operation_of(before)} & set(stops):
        return None
    if not all(c.type.rank and c.type.is_float for c in loop.carried):
        return None
    summed = Summed({c: Var("s", replace(c.type, shape=())) for c in loop.carried}, loop.carried)
    body = summed.block(loop.body)
    inside = {nest.outer.index, *operation_of(before), *operation_of(loop.body.equations)}
    known = all(c in summed.places and inside.isdisjoint(summed.places[c]) for c in loop.carried)
    if body is None or not known or not all(isinstance(r, Var) for r in body.results):
        return None
    sums = tuple(summed.scalars[c] for c in loop.carried)
    results = tuple(r for r in body.results if isinstance(r, Var))
    places = tuple(summed.places[c] for c in loop.carried)
    row = nest.outer.index
    return Columns(row, tuple(indices), tuple(stops), tuple(before), body.equations, sums, results, places)


def operation_of(equations: Sequence[Equation]) -> set[Var]:
    return {v for e in equations for v in e.outs}


@dataclass(eq=False)
class Summed:
    """Additions to one place of each array as additions to a number."""

    scalars: dict[Var, Var]  # of each version of an array
    arrays: tuple[Var, ...]
    places: dict[Var, tuple[Atom, ...]]
    first: dict[Var, Var]  # version of an array -> the array

    def __init__(self, scalars: dict[Var, Var], arrays: tuple[Var, ...]):
        self.scalars, self.arrays, self.places = dict(scalars), arrays, {}
        self.first = {a: a for a in arrays}

    def block(self, block: Block) -> Block | None:
        made = []
        for equation in block.equations:
            one = self.equation(equation)
            if one is None:
                return None
            made.append(one)
        return Block(tuple(made), tuple(self.scalar(r) for r in block.results))

    def scalar(self, atom: Atom) -> Atom:
        return self.scalars.get(atom, atom) if isinstance(atom, Var) else atom

    def equation(self, equation: Equation) -> Equation | None:
        op = equation.op
        if not any(v in self.scalars for v in free(op)):
            return equation
        if isinstance(op, For):
            return self.loop(equation, op)
        if not isinstance(op, Apply) or op.primitive.kind is not Access.ADD:
            return None
        array, term, *places = op.operands
        if array not in self.scalars or any(v in self.scalars for v in (term, *places)):
            return None
        assert isinstance(array, Var)
        whole = op.params["spec"] == ("i",) * array.type.rank and term.type.dtype == array.type.dtype
        if not whole or self.places.setdefault(self.first[array], tuple(places)) != tuple(places):
            return None
        made = Apply(ROWS["add"], (self.scalars[array], term), {})
        return replace(equation, outs=(self.version(equation.outs[0], array),), op=made)

    def version(self, new: Var, old: Atom) -> Var:
        """The number that stands for an array that an older one became."""
        assert isinstance(old, Var)
        self.first[new] = self.first[old]
        self.scalars[new] = Var("s", self.scalars[old].type)
        return self.scalars[new]

    def loop(self, equation: Equation, op: For) -> Equation | None:
        inits = [(c, i) for c, i in zip(op.carried, op.init, strict=True) if i in self.scalars]
        carried = tuple(self.version(c, i) if i in self.scalars else c for c, i in zip(op.carried, op.init))
        body = self.block(op.body) if inits else None
        if body is None:
            return None
        init = tuple(map(self.scalar, op.init))
        outs = tuple(self.version(o, i) if i in self.scalars else o for o, i in zip(equation.outs, op.init))
        return replace(equation, outs=outs, op=replace(op, carried=carried, init=init, body=body))
