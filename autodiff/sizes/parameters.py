"""Sizes that only linear parameters bring become parameters of their own.

    def running_jvp(u_dot: f8[n]):               def running_jvp(n, u_dot: f8[n]):
        v_dot = zeros(n); ...            ->          v_dot = zeros(n); ...
    t = running_jvp(x_dot)                       t = running_jvp(m, x_dot)        x_dot: f8[m]

The known half of a function is not given its linear parameters, and what it computes may have their sizes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from autodiff.activity import Mask, depends
from codegen.ir import Atom, Call, Equation, Function, Program, Var
from codegen.ir.literals import size_atom
from codegen.ir.substitution import keep, replaced, rewrite, sizes
from codegen.ir.traversal import with_functions


class SizedAxis(NamedTuple):
    """The axis of a parameter that has a size."""

    param: int
    axis: int


def explicit(program: Program, linear: Mask) -> Program:
    """`program`, whose main function is linear in the parameters chosen by `linear`."""
    lost: dict[str, dict[Var, SizedAxis]] = {}
    for name, mask in depends(program, program.main, linear):
        if name != program.main:
            lost.setdefault(name, {}).update(sizes_of_linear(program.functions[name], mask))
    if not any(lost.values()):
        return program

    def given(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        """A call with these sizes before its operands."""
        op = equation.op
        if not isinstance(op, Call) or not lost.get(op.function):
            return None
        operands = replaced(op.operands, env)
        passed = tuple(size_atom(operands[p].type.shape[axis]) for p, axis in lost[op.function].values())
        outs = tuple(keep(o, env) for o in equation.outs)
        return [replace(equation, outs=outs, op=Call(op.function, (*passed, *operands)))]

    def made(function: Function) -> Function:
        params = (*lost.get(function.name, ()), *function.params)
        return replace(function, params=params, body=rewrite(function.body, {}, keep, given))

    return with_functions(program, made)


def sizes_of_linear(function: Function, linear: Mask) -> dict[Var, SizedAxis]:
    """The sizes that a function has from its linear parameters alone, and where."""
    known = {
        d for p, flag in zip(function.params, linear, strict=True) if not flag for d in (p, *sizes(p.type))
    }
    return {
        d: SizedAxis(k, axis)
        for k, p in enumerate(function.params)
        for axis, d in enumerate(p.type.shape)
        if isinstance(d, Var) and d not in known
    }
