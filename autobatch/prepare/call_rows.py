"""Recursive derivatives that keep what calls found: with_call_rows : Program, () -> Traced -> Program | None.

    def f_grad(x, n):                        calls = f_count(n, 0)
        x_bar = f_vjp(x, n, 1.0)      ->     ts, numbers = np.empty(calls), np.empty(calls, np.int64)
        return x_bar                         _, ts, numbers = f_forward(x, n, 0, ts, numbers)
                                             return f_vjp(n, 0, ts, numbers, 1.0)

Lanes that are laid out in memory side by side have arrays of known sizes alone, so their return sweep runs the inner
calls of each call again: time grows with the square of the depth. Lanes that the host's calls run make arrays of their
own, and for them the function is traced again without known sizes (autodiff/recursion.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from autobatch.execute.artifact_cache import digest_of
from autobatch.pipeline import prepared_for_the_host
from codegen.analysis.calls import recursive
from codegen.infer.main import Traced
from codegen.ir import Apply, Atom, Block, Equation, Program, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.exceptions import thrown
from codegen.ir.kinds import Made
from codegen.ir.traversal import with_bodies, with_inner
from codegen.source import SourceError

LARGEST = 2**28  # bytes of a lane's rows: a lane with more runs inner calls again
TOO_LARGE = thrown("MemoryError", "rows of more than 256 MB")


def with_call_rows(known: Program, unsized: Callable[[], Traced]) -> Program | None:
    """What `unsized` gives, prepared; None where it is `known`, or not numbers, and calls that hand on rows of them."""
    try:
        found = unsized().program
        if same_program(found, known):
            return None
        found = prepared_for_the_host(found)
    except SourceError:
        return None
    return check(with_bodies(found, check_row_counts), after="rows") if hands_on_rows(found) else None


def same_program(a: Program, b: Program) -> bool:
    try:
        return digest_of(a) == digest_of(b)
    except TypeError:  # a part of one cannot be told from others
        return False


def hands_on_rows(whole: Program) -> bool:
    """Whether recursive functions hand rows on, and what lanes are given, and give, are numbers."""
    entry = whole.entry
    atoms = [a for f in whole.functions.values() for a in (*f.params, *f.body.results)]
    handed = [p for name in recursive(whole) for p in whole.functions[name].params]
    return (
        all(a.type.rank < 2 and a.type.dtype != "rng" for a in atoms)
        and not any(a.type.rank for a in (*entry.params, *entry.body.results))
        and any(p.type.rank for p in handed)
    )


def check_row_counts(block: Block) -> Block:
    """The block with a check before it makes rows of any number."""
    wide: Counter[Atom] = Counter()  # bytes of a row, by the number of rows
    for equation in block.equations:
        if (size := row_count(equation)) is not None:
            wide[size] += np.dtype(equation.outs[0].type.dtype).itemsize
    equations: list[Equation] = []
    for equation in block.equations:
        if (size := row_count(equation)) is not None and size in wide:
            b = Builder(span=equation.span, checked=False)
            b.require(b.wrap(size) <= LARGEST // wide.pop(size), TOO_LARGE)
            equations += b.equations
        equations.append(replace(equation, op=with_inner(equation.op, check_row_counts)))
    return replace(block, equations=tuple(equations))


def row_count(equation: Equation) -> Var | None:
    """How many rows an equation makes, where that is found while it runs."""
    op = equation.op
    made = isinstance(op, Apply) and op.primitive.kind is Made.EMPTY
    return next((n for n in equation.outs[0].type.shape if isinstance(n, Var)), None) if made else None
