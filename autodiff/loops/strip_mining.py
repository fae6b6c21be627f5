"""save="sqrt": loops in strips, so that a loop of n iterations keeps about 2 sqrt(n) values instead of n.

    for i in range(n):                     for c in range(0, n, k):          # k = ceil(sqrt(n))
        x = f(x, i)              ->            for i in range(c, min(c + k, n)):
                                                   x = f(x, i)

The outer loop keeps its entry values, one a strip; the return sweep runs one strip again at a time and keeps
its entry values meanwhile. No rule changes: it is a pass before jvp, and each iteration runs once more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autodiff.sizes.scope import Brings, brings, refresh
from codegen.ir import Block, For, If, Program, Var, While
from codegen.ir.build import I8, Builder
from codegen.ir.substitution import renamed
from codegen.ir.traversal import with_functions


def strips(program: Program) -> Program:
    """`program` with its outermost loops that carry floats cut in strips."""
    return refresh(with_functions(program, lambda f: replace(f, body=cut_block(f.body, brings(f)))))


def cut_block(block: Block, brought: Brings) -> Block:
    b = Builder(checked=False)
    for equation in block.equations:
        match equation.op:
            case For() as loop if any(p.type.is_float for p in loop.carried) and loop.kind == "sequential":
                with b.at(equation.span):
                    emit_strips(b, equation.outs, loop, brought)
            case If(test, then, orelse):
                sides = (cut_block(side, brought) for side in (then, orelse))
                b.equations.append(replace(equation, op=If(test, *sides)))
            case While() as loop:
                b.equations.append(replace(equation, op=replace(loop, body=cut_block(loop.body, brought))))
            case _:
                b.equations.append(equation)
    return Block(tuple(b.equations), block.results)


def emit_strips(b: Builder, outs: tuple[Var, ...], loop: For, brought: Brings) -> None:
    """The loop as a loop over strips around the loop over one strip; each brings the sizes that change."""
    start, stop = b.wrap(loop.start), b.wrap(loop.stop)
    span = stop - start if loop.step > 0 else start - stop
    count = b.apply("maximum", (span + (abs(loop.step) - 1)) // abs(loop.step), 1)
    root = np.ceil(np.sqrt(b.apply("cast", count, dtype="f8")))
    size = b.apply("cast", root, dtype="i8", name="strip")
    number = (count + size - 1) // size
    strip, inner = Var("strip", I8), b.inner()
    begin = inner.wrap(strip) * (size * loop.step) + inner.wrap(loop.start)
    end = inner.apply("minimum" if loop.step > 0 else "maximum", begin + size * loop.step, loop.stop)
    carried = with_own_sizes(loop.carried, brought)
    one = replace(loop, start=inner.atom(begin), stop=inner.atom(end), init=carried)
    results = with_own_sizes(outs, brought)
    inner.emit(results, one)
    b.emit(outs, For(strip, b.atom(0), b.atom(number), 1, carried, loop.init, inner.block(results)))


def with_own_sizes(variables: tuple[Var, ...], brought: Brings) -> tuple[Var, ...]:
    """Variables like these, with sizes of their own for those that they bring."""
    new = {d: Var(d.name, d.type) for v in variables for d in brought.get(v, ())}
    return tuple(Var(v.name, renamed(v.type, new)) for v in variables)
