"""Sizes that linear equations bring are brought by known ones before them.

                                             zeros = full 0.0, n
                                             shape: f8[m] = index zeros, k       (x[:k], of no array in particular)
    t_dot: f8[m] = index x_dot, k    ->      t_dot: f8[m] = index x_dot, k

A return sweep makes cotangents of such a size, and does not run the equation. The tangents of a function's own
equations have the sizes of what they are tangents of; those within a rule for a derivative may have others.
"""

from __future__ import annotations

from dataclasses import replace

from autodiff.activity import Mask, depends
from autodiff.jvp import zeros_of
from autodiff.sizes.invariant import Growing
from autodiff.sizes.scope import program_brings
from codegen.ir import Apply, Block, Equation, For, Function, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.traversal import with_functions, with_inner


def with_sizes_known(program: Program, linear: Mask) -> Program:
    """`program`, whose main function is linear in the parameters chosen by `linear`."""
    brought = program_brings(program)
    found: dict[str, set[Var]] = {}
    for (name, _), activity in depends(program, program.main, linear).items():
        found.setdefault(name, set()).update(activity.active)

    def sized(function: Function) -> Function:
        tangents = found.get(function.name, set())

        def block(given: Block) -> Block:
            return Block(tuple(made for e in given.equations for made in equations(e)), given.results)

        def equations(equation: Equation) -> list[Equation]:
            op = equation.op
            if isinstance(op, For | While):
                for var in op.carried:
                    if var in tangents and set(brought.get(var, ())) - set(op.carried):
                        raise Growing.called(var.name.removesuffix("_dot"), equation.span)
            if not isinstance(op, Apply):
                return [replace(equation, op=with_inner(op, block))]
            bring = [out for out in equation.outs if out in tangents and brought.get(out)]
            if not bring:
                return [equation]
            b = Builder(span=equation.span, checked=False)
            operands = [zeros_of(b, o.type) if o in tangents else o for o in op.operands]
            b.emit(tuple(Var("shape", out.type) for out in bring), replace(op, operands=tuple(operands)))
            return [*b.equations, equation]

        return replace(function, body=block(function.body))

    return with_functions(program, sized)
