"""Tables that all rows share, turned so that neighbouring threads read neighbouring elements: with_turned_tables.

    for i in range(n):                          for k in range(K):
        for j in range(m):      threads             for j in range(m):
            s = 0.0                                     turned[k, j] = means[j, k]
            for k in range(K):                  for i in range(n):
                s += X[i, k] * means[j, k]  ->      for j in range(m):
                                                        s = 0.0
                                                        for k in range(K):
                                                            s += X[i, k] * turned[k, j]

As it was, the threads of a warp read as many lines of the cache as they are, one after the other, at each element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from codegen.analysis.equal_sizes import EqualSizes
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import free, keep, rewrite
from codegen.ir.traversal import equations
from codegen.loops.gpu.split_sums import loops

PLACES = ("i", "i")


def with_turned_tables(equation: Equation, rows: For, known: EqualSizes) -> tuple[list[Equation], For]:
    """What makes them, those of one shape together, and the loop over rows that reads them."""
    b = Builder(span=equation.span, checked=False)
    turned: dict[Var, Var] = {}
    by_shape: dict[tuple[Any, ...], list[Var]] = {}
    for table in tables(rows):
        by_shape.setdefault(tuple(map(known.find, table.type.shape)), []).append(table)
    for alike in by_shape.values():
        n, m = alike[0].type.shape
        sides = [side if isinstance(side, Var) else Lit(side, SIZE) for side in (m, n)]
        rooms = [b.apply("empty", *map(b.wrap, sides), dtype=t.type.dtype, name="turned") for t in alike]
        made = [Var("turned", room.atom.type) for room in rooms]
        indices = Var("k", SIZE), Var("j", SIZE)

        def turn(
            b: Builder, arrays: Any, alike: list[Var] = alike, at: tuple[Var, Var] = indices
        ) -> list[Any]:
            elements = [b.apply("index", t, *reversed(at), spec=PLACES) for t in alike]
            return [b.apply("update", a, e, *at, spec=PLACES) for a, e in zip(arrays, elements, strict=True)]

        b.emit(tuple(made), loops(indices, sides, [room.atom for room in rooms], turn))
        turned |= zip(alike, made, strict=True)

    def reads(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        op = equation.op
        if not isinstance(op, Apply) or not reads_element(op) or op.operands[0] not in turned:
            return None
        table, j, k = op.operands
        assert isinstance(table, Var)
        return [replace(equation, op=replace(op, operands=(turned[table], k, j)))]

    return b.equations, replace(rows, body=rewrite(rows.body, {}, keep, reads)) if turned else rows


def tables(rows: For) -> list[Var]:
    """The matrices that are read along their rows, each thread along another, and not otherwise."""
    inside = {v for e in equations(rows.body) for v in e.outs} | {*rows.carried, *rows.init}
    given = [v for v in free(rows.body) if v.type.rank == 2 and v not in inside]
    found = dict.fromkeys(given, 0)
    along = {id(e): None for e in read_along(rows.body)}
    for equation in equations(rows.body):
        op = equation.op
        for operand in op.operands if isinstance(op, Apply) else ():
            if isinstance(operand, Var) and operand in found:
                if id(equation) in along:
                    found[operand] += 1
                else:
                    del found[operand]
    return [table for table, reads in found.items() if reads]


def read_along(body: Block) -> Iterator[Equation]:
    """Reads of elements [j, k] in loops over k within shared ones over j."""
    for shared in (e.op for e in equations(body)):
        if not isinstance(shared, For) or shared.kind != "threads":
            continue
        for around in (e.op for e in equations(shared.body) if isinstance(e.op, For)):
            along = shared.index, around.index
            for inner in equations(around.body):
                op = inner.op
                if isinstance(op, Apply) and reads_element(op) and op.operands[1:] == along:
                    yield inner


def reads_element(op: Apply) -> bool:
    """Whether it reads an element of a matrix."""
    return op.primitive.kind is Access.READ and op.params["spec"] == PLACES
