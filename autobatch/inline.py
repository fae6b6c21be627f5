"""inline : Program -> Program, with calls of the named functions replaced by their bodies.

    def f(x): return g(x) + g(2.0)          def f(x): return x * x + 2.0 * 2.0
    def g(y): return y * y            ->

Every copy has Vars of its own. A call inside a loop's condition, a branch or a loop's body is replaced there.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import assert_never

from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Equation,
    For,
    Function,
    If,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    While,
    program,
)
from codegen.rename import blocks, clone, keep, replaced, sizes


def inline(whole: Program, names: Set[str]) -> Program:
    """The program without calls of `names` (none of which may be recursive); their functions are dropped."""
    done: dict[str, Function] = {}
    for name in callees_first(whole):
        function = whole.functions[name]
        known = {d for p in function.params for d in (p, *sizes(p.type))}
        done[name] = replace(function, body=body(function.body, {}, known, done, names))
    kept = {name: done[name] for name in whole.functions if name in done and name not in names}
    return program(kept, whole.main)


def callees_first(whole: Program) -> list[str]:
    """The functions that the main one may run, each after those it calls (recursion aside)."""
    order: dict[str, None] = {}
    entered: set[str] = set()

    def visit(name: str) -> None:
        if name not in entered:
            entered.add(name)
            for callee in called(whole.functions[name].body):
                visit(callee)
            order[name] = None

    visit(whole.main)
    return list(order)


def called(block: Block) -> list[str]:
    """The functions that a block calls, at any depth, in order."""
    found: list[str] = []
    for equation in block.equations:
        if isinstance(equation.op, Call):
            found.append(equation.op.function)
        for inner in blocks(equation.op):
            found += called(inner)
    return found


Env = dict[Var, Atom]


def body(block: Block, env: Env, known: set[Var], done: dict[str, Function], names: Set[str]) -> Block:
    equations: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Call) and op.function in names:
            copy = copied(done[op.function], replaced(op.operands, env))
            equations += copy.equations
            for out, result in zip(equation.outs, copy.results):
                stand_for(out, result, env, known)
            continue
        op = inside(op, env, known, done, names)
        equations.append(Equation(bound(equation.outs, env, known), op, equation.span))
    return Block(tuple(equations), replaced(block.results, env))


def copied(function: Function, operands: tuple[Atom, ...]) -> Block:
    """The function's body over these operands."""
    env: Env = {}
    for param, operand in zip(function.params, operands):
        stand_for(param, operand, env, set())
    return clone(function.body, env)


def stand_for(var: Var, atom: Atom, env: Env, known: set[Var]) -> None:
    """`atom` in the place of `var`, and its sizes in the place of those that var brings."""
    env[var] = atom
    for dim, other in zip(var.type.shape, atom.type.shape):
        if isinstance(dim, Var) and dim not in known and dim not in env:
            env[dim] = size_atom(other)


def size_atom(dim: int | Var) -> Atom:
    return Lit(dim, Type("i8")) if isinstance(dim, int) else dim


def bound(binders: tuple[Var, ...], env: Env, known: set[Var]) -> tuple[Var, ...]:
    new = tuple(keep(var, env) for var in binders)
    for var in new:
        known.update((var, *sizes(var.type)))
    return new


def inside(op: Operation, env: Env, known: set[Var], done: dict[str, Function], names: Set[str]) -> Operation:
    """The operation with calls in its blocks replaced."""
    match op:
        case Apply() | Call():
            return replace(op, operands=replaced(op.operands, env))
        case If(test, then, orelse):
            parts = [body(b, env, known, done, names) for b in (then, orelse)]
            return If(replaced((test,), env)[0], parts[0], parts[1])
        case For():
            start, stop, *init = replaced((op.start, op.stop, *op.init), env)
            index, *carried = bound((op.index, *op.carried), env, known)
            inner = body(op.body, env, known, done, names)
            return For(index, start, stop, op.step, tuple(carried), tuple(init), inner, op.kind)
        case While():
            first = replaced(op.init, env)
            params = bound(op.carried, env, known)
            cond = body(op.cond, env, known, done, names)
            return While(params, first, cond, body(op.body, env, known, done, names))
        case _ as never:
            assert_never(never)
