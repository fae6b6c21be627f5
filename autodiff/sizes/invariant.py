"""Sizes that loops and branches do not change, recognised as the sizes they are.

    b: f8[m] = for i ... with b': f8[k] = a: f8[n]           b: f8[n] = for i ... with b': f8[n] = a: f8[n]
        c: f8[k] = sin(b')                            ->         c: f8[n] = sin(b')
        yield c                                                  yield c

An array that a loop assigns anew may change its size, so the front end gives it a size of its own. A
derivative keeps the array's values iteration by iteration, for which the size must be known beforehand. All
such sizes are taken to be those of the initial values, and given up again where the body contradicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autodiff.sizes.scope import Brings, brings, refresh
from codegen.ir import Apply, Atom, Block, Dim, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.kinds import Access
from codegen.ir.substitution import keep, replaced, rewrite_op, same_dim, sizes, substitute
from codegen.ir.traversal import equations, operands, with_functions

Env = dict[Var, Atom]


def settle_sizes(program: Program) -> Program:
    """`program` with every size that is known to be another one replaced by it."""
    return with_functions(program, settle_function)


def settle_function(function: Function) -> Function:
    brought = brings(function)
    return replace(function, body=settle_block(function.body, {}, brought))


def settle_block(block: Block, env: Env, brought: Brings) -> Block:
    equations = tuple(settle_equation(e, env, brought) for e in block.equations)
    return Block(equations, replaced(block.results, env))


def settle_equation(equation: Equation, env: Env, brought: Brings) -> Equation:
    match equation.op:
        case For() | While() as loop:
            assumed = initial_sizes(loop.carried, replaced(loop.init, env), brought)
            while True:
                made = attempt(loop, {**env, **assumed}, brought)
                wrong = contradicted(loop, made, assumed)
                if not wrong:
                    break
                assumed = {d: n for d, n in assumed.items() if d not in wrong}
            known = [tuple(p.type.shape) for p in made.carried]
            fixed = set(assumed.values())
            out_sizes(
                equation.outs,
                known,
                brought,
                env,
                {d for s in known for d in s if is_own_size(d, made, fixed)},
            )
            return Equation(tuple(keep(o, env) for o in equation.outs), made, equation.span)
        case If(test, then, orelse):
            sides = [settle_block(side, dict(env), brought) for side in (then, orelse)]
            bound = {v for side in sides for e in side.equations for o in e.outs for v in (o, *sizes(o.type))}
            shapes = [
                common_shape(a.type, b.type) for a, b in zip(sides[0].results, sides[1].results, strict=True)
            ]
            out_sizes(equation.outs, shapes, brought, env, bound)
            made_if = If(replaced((test,), env)[0], *sides)
            return Equation(tuple(keep(o, env) for o in equation.outs), made_if, equation.span)
        case op:
            made_op = rewrite_op(op, env, keep)
            return Equation(tuple(keep(o, env) for o in equation.outs), made_op, equation.span)


def initial_sizes(carried: tuple[Var, ...], init: tuple[Atom, ...], brought: Brings) -> Env:
    """Every size that a carried value brings is that of its initial value."""
    guess: Env = {}
    for p, u in zip(carried, init, strict=True):
        for d, n in zip(p.type.shape, u.type.shape, strict=True):
            if isinstance(d, Var) and any(d in brought.get(q, ()) for q in carried):
                guess.setdefault(d, as_atom(n))
    return guess


def attempt(loop: For | While, env: Env, brought: Brings) -> For | While:
    """The loop with sizes replaced as `env` has it."""
    env = dict(env)
    head = rewrite_op(replace(loop, body=Block((), loop.body.results)), dict(env), keep)
    assert isinstance(head, For | While)
    carried = tuple(keep(p, env) for p in loop.carried)
    body = settle_block(loop.body, env, brought)
    if isinstance(loop, While):
        cond = settle_block(loop.cond, env, brought)
        return While(carried, head.init, cond, body)
    assert isinstance(head, For)
    return replace(head, carried=carried, body=body)


def contradicted(loop: For | While, made: For | While, assumed: Env) -> set[Var]:
    """The assumed sizes that a value handed to the next iteration does not have."""
    wrong = set()
    for old, p, result in zip(loop.carried, made.carried, made.body.results, strict=True):
        for d, n, m in zip(old.type.shape, p.type.shape, result.type.shape, strict=True):
            if isinstance(d, Var) and d in assumed and not same_dim(n, m):
                wrong.add(d)
    return wrong


def is_own_size(d: Dim, loop: For | While, fixed: set[Atom]) -> bool:
    """Is it a size that the loop's carried values bring, and so unknown outside?"""
    init = {n for u in loop.init for n in u.type.shape}
    return isinstance(d, Var) and d not in fixed and d not in init


def out_sizes(
    outs: tuple[Var, ...],
    shapes: Sequence[tuple[Dim | None, ...]],
    brought: Brings,
    env: Env,
    inside: set[Var] | set[Dim],
) -> None:
    """The sizes that outs bring are those found, where these are known outside."""
    for out, shape in zip(outs, shapes, strict=True):
        for d, n in zip(out.type.shape, shape, strict=True):
            fresh = isinstance(d, Var) and any(d in brought.get(o, ()) for o in outs)
            if isinstance(d, Var) and fresh and n is not None and n not in inside:
                env.setdefault(d, as_atom(n))


def common_shape(a: Type, b: Type) -> tuple[Dim | None, ...]:
    return tuple(n if same_dim(n, m) else None for n, m in zip(a.shape, b.shape, strict=True))


def as_atom(n: Dim) -> Atom:
    return Lit(n, Type("i8")) if isinstance(n, int) else n


def loosen(program: Program) -> Program:
    """`program` in which a size that is only read to stand in types is brought by what has it.

    A slice's size read from a history (`n = ns[i]`) is such: the slice has it, and the history goes. A sum has none of
    its own: its size is one of its operands', but which is known to be equal only where the primal looked.
    """
    used = {a for f in program.functions.values() for a in operands(f.body)}
    return refresh(with_functions(program, lambda f: loosened(f, used)))


def loosened(function: Function, used: set[Atom]) -> Function:
    read = {
        e.outs[0]: Var(e.outs[0].name, e.outs[0].type)
        for e in equations(function.body)
        if isinstance(e.op, Apply) and e.op.primitive.kind is Access.READ and e.outs[0].type.dtype == "i8"
    }
    first: dict[Dim, Equation] = {}  # with an array of this size
    for equation in equations(function.body):
        for size in (d for out in equation.outs for d in sizes(out.type)):
            first.setdefault(size, equation)
    env: Env = {
        old: new
        for old, new in read.items()
        if old not in used and not old.type.rank and old in first and brings_size(first[old])
    }
    return replace(function, body=substitute(function.body, env)) if env else function


def brings_size(equation: Equation) -> bool:
    """Whether an equation's array has a size that no operand has."""
    return not isinstance(equation.op, Apply) or equation.op.primitive.family != "elementwise"
