"""fuse : Program -> Program, with loops over the same range made one.

    for i: y[i] = a[i] / s[i]               for i:
    for i: total += y[i] * y[i]     ->          t = a[i] / s[i]; y[i] = t
                                                total += t * t

The second loop may read what the first wrote at places of its own index along some axis, in the loops within too, and
nothing else of it; where it writes there too, so may the first. What lies between them and does not wait for the first
goes before both, a check after them, unless a place that is read or written then would be in no array. Loops that draw
random numbers, may fail or call are left alone, and so is a loop that reads an array which the other writes in place.
Afterwards `simplify` forwards what is written and read in the same iteration, and an array that nobody else reads is
gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from codegen.analysis.effects import pure
from codegen.analysis.own_places import never_negative, own_axes, written_axes
from codegen.analysis.places import stays_inside
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Block, Equation, For, Program, Var
from codegen.ir.kinds import Access, Effect
from codegen.ir.substitution import free, rewrite
from codegen.ir.substitution import keep as keep_binder
from codegen.ir.traversal import with_bodies, with_inner
from codegen.simplify.algebra import same_constant
from codegen.while_loops.joined_blocks import bound_with_sizes

Worth = Callable[[For, For], bool]


def fuse(whole: Program, worth: Worth = lambda first, second: True) -> Program:
    """The program with the loops of each block fused that are `worth` it, the outer ones first."""
    return with_bodies(whole, lambda body: fuse_block(body, Ranges(), worth))


def fuse_block(block: Block, ranges: Ranges, worth: Worth) -> Block:
    """A block with its loops fused, and those inside them; `ranges` is what is known of ints around it."""
    made: list[Equation] = []
    last_read = {v: at for at, e in enumerate(block.equations) for v in free(e.op)}
    last_read |= {r: len(block.equations) for r in block.results if isinstance(r, Var)}
    for at, equation in enumerate(block.equations):
        if isinstance(equation.op, For) and pure(equation):
            later = {v for v in equation.op.init if isinstance(v, Var) and last_read[v] > at}
            if (joined := with_earlier(made, equation, later, ranges, worth)) is not None:
                made = joined
                continue
        made.append(equation)
        ranges.equation(equation)

    def inside(around: Equation, inner: Block) -> Block:
        depth = len(ranges.undo)
        if isinstance(around.op, For):
            ranges.loop_index(around.op)
        found = fuse_block(inner, ranges, worth)
        ranges.leave(depth)
        return found

    return Block(tuple(replace(e, op=with_inner(e.op, partial(inside, e))) for e in made), block.results)


def with_earlier(
    made: list[Equation], second: Equation, later: set[Var], ranges: Ranges, worth: Worth
) -> list[Equation] | None:
    """The equations with `second` joined to the nearest loop that it can be joined to.

    `later`: what it is given first and others read afterwards.
    """
    needed, loop = set(free(second.op)), second.op
    assert isinstance(loop, For)
    is_safe = True  # whether what goes up may be done before a check
    before: list[Equation] = []  # between the loops, to go before both
    between: list[Equation] = []
    for at in reversed(range(len(made))):
        first = made[at]
        if (
            isinstance(first.op, For)
            and pure(first)
            and worth(first.op, loop)
            and not any(set(read_by([e])) & bound_with_sizes(first) for e in before)
        ):
            read = {v for e in between for v in read_by([e])}
            if (one := fuse_loops(first, second, later | read, ranges)) is not None:
                return [*made[:at], *before, one, *between]
        if is_check(first):
            is_safe = is_safe and all(stays_inside(e, ranges) for e in (second, *before))
        if not (pure(first) or is_check(first) and is_safe):
            return None
        if needed & bound_with_sizes(first):
            needed |= set(read_by([first]))
            before.insert(0, first)
        else:
            between.insert(0, first)
    return None


def read_by(equations: Iterable[Equation]) -> tuple[Var, ...]:
    return free(Block(tuple(equations), ()))


def is_check(equation: Equation) -> bool:
    """A check: what cannot fail itself may be done before it as well."""
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.CHECK


def fuse_loops(first: Equation, second: Equation, later: set[Var], ranges: Ranges) -> Equation | None:
    """One loop that does what both do, the first's part of an iteration first; None where that is not the same."""
    a, b = first.op, second.op
    assert isinstance(a, For) and isinstance(b, For)
    if not same_range(a, b):
        return None
    outs = {out: k for k, out in enumerate(first.outs)}
    read = set(free(b.body)) - {b.index, *b.carried}
    kept, old = set(a.init), {v for v in b.init if isinstance(v, Var)}
    if any(v.type.rank and v in kept for v in (*read, *old) if isinstance(v, Var)):
        return None
    if any(v.type.rank and v in old for v in free(a.body)):
        return None
    if any(v in outs and v.type.rank for v in (*read, *old)) and not never_negative(a, ranges):
        return None
    env: dict[Var, Atom] = {b.index: a.index}
    for var in read & set(outs):
        if not written_axes(a, outs[var]) & own_axes(b.body, var, b.index, how=(Access.READ,)):
            return None
        env[var] = a.body.results[outs[var]]
    chained: dict[int, int] = {}
    for k, (param, init) in enumerate(zip(b.carried, b.init, strict=True)):
        if not isinstance(init, Var) or init not in outs:
            continue
        if not param.type.rank or init in later or init in read or b.init.count(init) > 1:
            return None
        before, after = a.carried[outs[init]], a.body.results[outs[init]]
        if not own_axes(a.body, before, a.index, after) & own_axes(b.body, param, b.index, b.body.results[k]):
            return None
        env[param] = a.body.results[outs[init]]
        chained[k] = outs[init]
    if any(not isinstance(v, Var) for v in env.values()):
        return None
    tail = rewrite(b.body, env, keep_binder)
    own = [k for k in range(len(b.carried)) if k not in chained]
    results, names = list(a.body.results), list(first.outs)
    for k, at in chained.items():
        results[at], names[at] = tail.results[k], second.outs[k]
    body = Block(a.body.equations + tail.equations, (*results, *(tail.results[k] for k in own)))
    loop = replace(
        a,
        carried=(*a.carried, *(b.carried[k] for k in own)),
        init=(*a.init, *(b.init[k] for k in own)),
        body=body,
        kind=a.kind if a.kind == b.kind else "sequential",
    )
    return Equation((*names, *(second.outs[k] for k in own)), loop, first.span or second.span)


def same_range(a: For, b: For) -> bool:
    ends = ((a.start, b.start), (a.stop, b.stop))
    return a.step == b.step and all(x is y or same_constant(x, y) for x, y in ends)
