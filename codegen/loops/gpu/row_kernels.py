"""Loops over rows whose threads share what is done in each: shared_rows : For -> For.

    for i in range(n):                          a few threads for each row, as many as it is long
        t = -inf
        for j in range(m):                      they share these loops
            t = maximum(t, X[i, j])
        for j in range(m):
            e[i, j] = exp(X[i, j] - t)
            s += e[i, j]

A thread for each row would read places far from its neighbours', and leave most of a GPU without work where rows are
few and long. Rows whose work is a recurrence are a thread's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.ir import Block, Equation, For, Lit, While
from codegen.ir.traversal import equations
from codegen.loops.first_failure import checks
from codegen.loops.gpu.block_kernels import can_be_shared, makes, runs_few_rounds, shared
from codegen.loops.independent import Sizes, is_independent, nest_of, reductions

EXCHANGED = ("f8", "f4", "i8", "i4")  # what threads of a warp can give each other


def shared_rows(loop: For, sizes: Sizes) -> For | None:
    """The loop with those inside it shared by the threads of a row; None where one of them is not to be."""
    if not isinstance(loop.start, Lit) or loop.start.value != 0 or checks(loop.body):
        return None
    own = Block(tuple(e for e in loop.body.equations if not isinstance(e.op, For)), ())
    if any(map(makes, own.equations)):
        return None
    body = shared(loop.body, sizes)
    loops = list(shared_loops(body))
    if (
        not loops
        or not all(is_for_row(each, loop) for each in loops)
        or any(is_serial(e) for e in outside(body))
    ):
        return None
    return replace(loop, body=body)


def shared_loops(body: Block) -> Iterator[For]:
    """The loops of kind "threads"."""
    return (e.op for e in equations(body) if isinstance(e.op, For) and e.op.kind == "threads")


def outside(body: Block) -> Iterator[Equation]:
    """All equations but those of shared loops."""
    inside = {e for loop in shared_loops(body) for e in equations(loop.body)}
    return (e for e in equations(body) if e not in inside)


def is_serial(equation: Equation) -> bool:
    """Whether it is a loop that all threads of a row would go through."""
    op = equation.op
    if isinstance(op, While):
        return next(shared_loops(op.body), None) is None
    if not isinstance(op, For) or op.kind == "threads":
        return False
    return next(shared_loops(op.body), None) is None and not runs_few_rounds(op)


def is_for_row(inner: For, outer: For) -> bool:
    """Whether its length is known before the rows are, and threads can put together what they find."""
    made = {outer.index, *outer.carried, *(o for e in equations(outer.body) for o in e.outs)}
    known = isinstance(inner.stop, Lit) or inner.stop not in made
    return known and all(c.type.dtype in EXCHANGED for c in reductions(inner))


def share_rows(a: For, b: For) -> bool:
    """Whether threads may share the rows of both loops at once."""
    return all(is_independent(loop) and has_rows(loop) for loop in (a, b))


def has_rows(loop: For) -> bool:
    """Whether a loop is over rows that threads may share, alone or with another's work on them."""
    inner = [e.op for e in loop.body.equations if isinstance(e.op, For)]
    nest = nest_of(loop)
    if nest is not None and is_independent(nest.inner):
        deeper = nest_of(nest.inner)
        if deeper is not None and is_independent(deeper.inner):
            return False
    return bool(inner) and all(can_be_shared(each, frozenset()) for each in inner)
