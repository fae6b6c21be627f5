"""A recursive main function apart from its double, which may write its parameters in place.

    def f(x, n):                      def f_in_place(x, n):
        ...                               ...
        return f(y, n - 1)     ->         return f_in_place(y, n - 1)

                                      def f(x, n):
                                          return f_in_place(x.copy(), n)

The main function's arrays are the caller's and never written; without this every level of the recursion
would copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen import ir
from codegen.emit.sink import is_update
from codegen.ir import Block, Call, Equation, For, Function, If, Operation, Program, Type, Var, While
from codegen.ir.substitution import blocks, clone


def apart(program: Program) -> Program:
    """`program` with a main function that no function calls, where a recursive one writes arrays."""
    main = program.entry
    called = any(isinstance(e.op, Call) and e.op.function == main.name for e in every(program))
    arrays = any(p.type.rank for p in main.params)
    if not called or not arrays or not any(is_update(e) for e in every(program)):
        return program
    return doubled(program, "in_place")


def doubled(program: Program, ending: str) -> Program:
    """`program`, whose functions call a double of the main function, as it does itself."""
    main = program.entry
    name = f"{main.name}_{ending}"
    while name in program.functions:
        name += "_"
    functions = {
        n: replace(f, body=redirected(f.body, main.name, name)) for n, f in program.functions.items()
    }
    double = replace(functions.pop(main.name), name=name, doc=None)
    return ir.program({**functions, name: double, main.name: shell(main, name)}, main.name)


def shell(main: Function, name: str) -> Function:
    """The main function as a call of its double."""
    params = clone(main).params
    outs = tuple(Var("t", opened(r.type)) for r in main.body.results)
    return replace(main, params=params, body=Block((Equation(outs, Call(name, params)),), outs))


def opened(type_: Type) -> Type:
    """A type whose symbolic sizes are new."""
    shape = tuple(n if isinstance(n, int) else Var(n.name, n.type) for n in type_.shape)
    return replace(type_, shape=shape)


def every(program: Program) -> Iterator[Equation]:
    """All equations of all functions."""
    for function in program.functions.values():
        yield from equations(function.body)


def equations(block: Block) -> Iterator[Equation]:
    for equation in block.equations:
        yield equation
        for inner in blocks(equation.op):
            yield from equations(inner)


def redirected(block: Block, old: str, new: str) -> Block:
    """The block with calls of `old` as calls of `new`."""
    return replace(block, equations=tuple(replace(e, op=redirect(e.op, old, new)) for e in block.equations))


def redirect(op: Operation, old: str, new: str) -> Operation:
    match op:
        case Call():
            return replace(op, function=new) if op.function == old else op
        case If():
            return replace(op, then=redirected(op.then, old, new), orelse=redirected(op.orelse, old, new))
        case For():
            return replace(op, body=redirected(op.body, old, new))
        case While():
            return replace(op, cond=redirected(op.cond, old, new), body=redirected(op.body, old, new))
        case _:
            return op
