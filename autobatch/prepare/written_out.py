"""Rows that are whole functions of arrays as the loops that they mean: of a row with a definition in our own language
(codegen/definitions) each use becomes a Call of it, traced for the operands' types.

    x = solve(a, b)   ->   x = solution(a, b)      def solution(a, b): ... loops over numbers
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codegen import ir
from codegen.infer.trace import trace
from codegen.ir import Apply, Atom, Block, Call, Equation, Function, Program, Type, Var
from codegen.ir.broadcasting import EMPTY
from codegen.ir.build import SIZE
from codegen.ir.traversal import with_inner
from codegen.simplify.inline import inline
from codegen.source import Span


def written_out(program: Program) -> Program:
    functions = dict(program.functions)
    names: dict[Any, str] = {}

    def called(definition: Any, operands: tuple[Atom, ...], span: Span | None) -> str:
        """The function that a definition is for these operands, at the place of its use."""
        types = tuple(signature(o.type) for o in operands)
        key = definition, tuple((t.dtype, tuple(map(str, t.shape))) for t in types), span
        if key not in names:
            made = inline(trace(definition, types).program, when=lambda function, calls: True).entry
            names[key] = name = free(definition.__name__, functions)
            functions[name] = Function(name, made.params, at(made.body, span), made.span)
        return names[key]

    def changed(block: Block) -> Block:
        equations = []
        for equation in block.equations:
            op = with_inner(equation.op, changed)
            if isinstance(op, Apply) and op.primitive.definition is not None:
                op = Call(called(op.primitive.definition, op.operands, equation.span), op.operands)
            equations.append(replace(equation, op=op))
        return Block(tuple(equations), block.results)

    for name, function in program.functions.items():
        functions[name] = replace(function, body=changed(function.body))
    return ir.program(functions, program.main)


def signature(type_: Type) -> Type:
    """A type with sizes of which nothing is known in place of those that are values."""
    return replace(type_, shape=tuple(n if isinstance(n, int) else Var(EMPTY, SIZE) for n in type_.shape))


def free(label: str, functions: dict[str, Function]) -> str:
    name, k = label, 2
    while name in functions:
        name, k = f"{label}_{k}", k + 1
    return name


def at(block: Block, span: Span | None) -> Block:
    """A block all of which stands at one place."""

    def placed(equation: Equation) -> Equation:
        return Equation(equation.outs, with_inner(equation.op, lambda inner: at(inner, span)), span)

    return Block(tuple(map(placed, block.equations)), block.results)
