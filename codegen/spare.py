"""Loops that make an array anew take the memory of the one before: spare : Program -> Program.

for _ in range(steps):                 spare = np.empty(n)
    y = np.empty(n)                    for _ in range(steps):
    for i in range(n):                     for i in range(n):
        y[i] = f(x, i)          ->             spare[i] = f(x, i)
    x = y                                  x, spare = spare, x
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codegen import ir
from codegen.ir import Apply, Atom, Block, Equation, For, If, Operation, Program, Var, While
from codegen.rename import blocks, free, sizes


def spare(program: Program) -> Program:
    """`program` with two arrays that loops write in turn, where they made one in each iteration."""
    functions = {name: replace(f, body=walked(f.body)) for name, f in program.functions.items()}
    return ir.program(functions, program.main)


def walked(block: Block) -> Block:
    made = (each for equation in block.equations for each in turned(equation))
    return Block(tuple(made), block.results)


def turned(equation: Equation) -> Sequence[Equation]:
    """An equation, its loops turned."""
    op = equation.op
    match op:
        case If():
            return [replace(equation, op=replace(op, then=walked(op.then), orelse=walked(op.orelse)))]
        case While():
            op = replace(op, cond=walked(op.cond), body=walked(op.body))
        case For():
            op = replace(op, body=walked(op.body))
        case _:
            return [equation]
    return in_turn(replace(equation, op=op), op)


def in_turn(equation: Equation, loop: For | While) -> Sequence[Equation]:
    """A loop that carries a spare array for each that it makes anew."""
    before: list[Equation] = []
    carried, init, outs = list(loop.carried), list(loop.init), list(equation.outs)
    equations, results = list(loop.body.equations), list(loop.body.results)
    outside = set(free(loop))
    for param, result in zip(loop.carried, loop.body.results, strict=True):
        begun = origin(result, equations)
        if (
            begun is None
            or param in results
            or begun.outs[0].type != param.type
            or not outside.issuperset(sizes(param.type))
        ):
            continue
        (array,) = begun.outs
        first, after = (Var(param.name, param.type) for _ in range(2))
        before.append(replace(begun, outs=(first,)))
        equations.remove(begun)
        carried.append(array)
        init.append(first)
        outs.append(after)
        results.append(param)
    if not before:
        return [equation]
    body = Block(tuple(equations), tuple(results))
    made = replace(loop, carried=tuple(carried), init=tuple(init), body=body)
    return [*before, replace(equation, outs=tuple(outs), op=made)]


def origin(result: Atom, equations: Sequence[Equation]) -> Equation | None:
    """The equation of this block that began the memory in which an array is, if one did."""
    made = {out: (e, k) for e in equations for k, out in enumerate(e.outs)}
    if not isinstance(result, Var) or result not in made:
        return None
    equation, k = made[result]
    op = equation.op
    match op:
        case Apply() if op.primitive.name == "empty":
            return equation
        case Apply() if op.primitive.name in ("update", "accumulate"):
            return origin(op.operands[0], equations)
        case For() | While() if written(op, k):
            return origin(op.init[k], equations)
        case If():
            begun = {source(b, b.results[k]) for b in blocks(op)}
            return origin(begun.pop(), equations) if len(begun) == 1 else None
    return None


def written(loop: For | While, k: int) -> bool:
    """Whether what a loop carries is the array that it was, with elements written."""
    return source(loop.body, loop.body.results[k]) is loop.carried[k]


def source(block: Block, result: Atom) -> Atom:
    """The array outside a block that one of its results is, with elements written."""
    made: dict[Var, tuple[Operation, int]] = {
        out: (e.op, k) for e in block.equations for k, out in enumerate(e.outs)
    }
    while isinstance(result, Var) and result in made:
        op, k = made[result]
        if isinstance(op, For | While) and written(op, k):
            result = op.init[k]
        elif isinstance(op, Apply) and op.primitive.name in ("update", "accumulate"):
            result = op.operands[0]
        else:
            break
    return result
