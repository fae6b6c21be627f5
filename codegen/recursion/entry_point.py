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

from dataclasses import replace

from codegen import ir
from codegen.ir import Block, Call, Equation, Function, Program, Type, Var
from codegen.ir.substitution import clone
from codegen.ir.traversal import all_equations, applications, recalled, with_bodies


def separate_entry(program: Program) -> Program:
    """`program` with a main function that no function calls, where a recursive one writes arrays."""
    main = program.entry
    called = any(isinstance(e.op, Call) and e.op.function == main.name for e in all_equations(program))
    arrays = any(p.type.rank for p in main.params)
    if not called or not arrays or not any(op.primitive.writes for op in applications(program)):
        return program
    return doubled(program, "in_place")


def doubled(program: Program, ending: str) -> Program:
    """`program`, whose functions call a double of the main function, as it does itself."""
    main = program.entry
    name = f"{main.name}_{ending}"
    while name in program.functions:
        name += "_"
    functions = dict(with_bodies(program, lambda body: recalled(body, {main.name: name})).functions)
    double = replace(functions.pop(main.name), name=name, doc=None)
    return ir.program({**functions, name: double, main.name: shell(main, name)}, main.name)


def shell(main: Function, name: str) -> Function:
    """The main function as a call of its double."""
    params = clone(main).params
    outs = tuple(Var("t", with_new_sizes(r.type)) for r in main.body.results)
    return replace(main, params=params, body=Block((Equation(outs, Call(name, params)),), outs))


def with_new_sizes(type_: Type) -> Type:
    """A type whose symbolic sizes are new."""
    shape = tuple(n if isinstance(n, int) else Var(n.name, n.type) for n in type_.shape)
    return replace(type_, shape=shape)
