"""Loops of unknown length in two: a while that counts, and a for that repeats it, or a function that calls itself.

while c(x):            n = 0                        for k in range(n):          the linear half
    x = f(x)     ->    while c(x):                      x_dot = D(x, x_dot)
                           x, n = f(x), n + 1
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff.activity import Activity
from autodiff.rematerialisation import (
    RAGGED_DRAW,
    Split,
    counted_while,
    own_stream,
    parted,
    quiet,
    reads_histories,
    unless_idle,
)
from autodiff.sizes.scope import free_in_order, fresh_name
from codegen.analysis.effects import draws
from codegen.ir import Block, Call, Equation, For, Function, If, Lit, Var, While
from codegen.ir.build import SIZE, Builder
from codegen.ir.substitution import sizes, substitute
from codegen.source import InTurnError


def split_while(unzip: Any, equation: Equation, op: While, act: Activity) -> Split:
    """A while, counting, and the for that repeats it where values of its iterations are wanted."""
    flags = tuple(out in act.active for out in equation.outs)
    known_outs, _ = parted(equation.outs, flags)
    count, n = Var("count", SIZE), Var("n", SIZE)
    unzip.ranges.sizes.add(n)
    unzip.ranges.cap_count(n, op)
    body = Builder(span=equation.span, checked=False)
    body.equations += unzip.split(op.body.equations, act)[0]
    after = body.apply("add", body.wrap(count), 1, name="count")
    (carried, _), (init, _), (results, _) = (parted(v, flags) for v in (op.carried, op.init, op.body.results))
    loop = While((*carried, count), (*init, Lit(0, SIZE)), op.cond, body.block((*results, after)))
    b = Builder(span=equation.span, checked=False)
    quiet_body = Block(tuple(quiet(e) for e in op.body.equations if e.outs), op.body.results)
    again = tuple(own_stream(b, u) for u in op.init)
    repeat = For(Var("k", SIZE), Lit(0, SIZE), n, 1, op.carried, again, quiet_body)
    outs = tuple(o if flag else Var(o.name, o.type) for o, flag in zip(equation.outs, flags, strict=True))
    first, second = unzip.loop(Equation(outs, repeat, equation.span), repeat, act)
    same = dict(zip(parted(outs, flags)[0], known_outs, strict=True))
    second = list(substitute(Block(tuple(second), ()), same).equations)
    b.emit((*known_outs, n), loop)
    return [*b.equations, *(first if reads_histories(second[0], first, unzip.brought) else [])], second


def split_unbounded(unzip: Any, equation: Equation, op: For | While, act: Activity) -> Split:
    """A loop of unknown length: the linear half is a function that calls itself for the next iteration.

    def loop(x, x_dot):                  x: known carried values, x_dot: linear ones
        if not cond(x): return x_dot
        return loop(next(x), D(x, x_dot))
    """
    flags = tuple(out in act.active for out in equation.outs)
    (carried, dots), (init, init_dots) = parted(op.carried, flags), parted(op.init, flags)
    (results, result_dots) = parted(op.body.results, flags)
    known_outs, linear_outs = parted(equation.outs, flags)
    known, mixed = unzip.split(op.body.equations, act)
    if any(draws(e) for e in known):
        raise InTurnError.at(equation.span, RAGGED_DRAW)
    first = replace(op, carried=carried, init=init, body=Block(tuple(known), results))
    again = [quiet(e) for e in known if e.outs]
    test, cond, counter, begin, after = counted_while(op)
    inside = Block((*cond, *again, *after.equations, *mixed), (test, *results, *after.results, *result_dots))
    own = {
        d for p in carried for d in unzip.brought.get(p, ())
    }  # of arrays whose size changes: they bring it
    read = [v for v in free_in_order(inside, unzip.brought) if v not in (*counter, *carried, *dots, *own)]
    read += [d for v in (*carried, *dots) for d in sizes(v.type) if d not in (*read, *own)]
    others = sorted((v for v in read if v not in act.active), key=lambda v: v.type.rank)
    linear = [v for v in read if v in act.active]
    taken = unzip.taken()
    name = fresh_name(f"{unzip.program.main.removesuffix('_jvp')}_loop_linear", taken)
    deeper = tuple(Var(d.name, d.type) for d in dots)
    ends = tuple(Var(d.name, d.type) for d in dots)
    onward = Call(name, (*others, *after.results, *results, *linear, *result_dots))
    then = Block((*again, *after.equations, *mixed, Equation(deeper, onward)), deeper)
    body = Block((*cond, Equation(ends, If(test, then, Block((), dots)), equation.span)), ends)
    params = (*others, *counter, *carried, *linear, *dots)
    unzip.functions[name] = Function(name, params, body, equation.span)
    unzip.linear[name] = act.active | set(deeper) | set(ends)
    second = Call(name, (*others, *begin, *init, *linear, *init_dots))
    return unless_idle(Equation(known_outs, first, equation.span)), [
        Equation(linear_outs, second, equation.span)
    ]
