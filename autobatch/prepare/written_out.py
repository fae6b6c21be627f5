"""Rows that are whole functions of arrays as the loops that they mean: of a row with a definition in our own language
(codegen/definitions) each use becomes a Call of it, traced for the operands' types.

    x = solve(a, b)   ->   x = solution(a, b)      def solution(a, b): ... loops over numbers
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from autobatch.cost_model import CONTRACTED_ELEMENTS
from autobatch.prepare.contraction import contract_definition
from autobatch.prepare.passes import is_library_call
from codegen import ir
from codegen.infer.trace import trace
from codegen.ir import Apply, Atom, Block, Call, Equation, Function, Program, Type, Var
from codegen.ir.broadcasting import EMPTY
from codegen.ir.build import SIZE
from codegen.ir.traversal import unused_name, with_equations
from codegen.loops.vectors.vectorise import as_call
from codegen.simplify.inline import inline
from codegen.source import Span


def write_out_small_definitions(program: Program) -> Program:
    """All but those that a library is called for."""
    return write_out_definitions(program, but=is_library_call)


def write_out_definitions(
    program: Program, but: Callable[[Equation], bool] = lambda equation: False
) -> Program:
    functions = dict(program.functions)
    names: dict[Any, str] = {}

    def called(definition: Any, operands: tuple[Atom, ...], span: Span | None) -> str:
        """The function that a definition is for these operands, at the place of its use."""
        types = tuple(open_signature(o.type) for o in operands)
        key = definition, tuple((t.dtype, tuple(map(str, t.shape))) for t in types), span
        if key not in names:
            made = inline(trace(definition, types).program, when=lambda function, calls: True).entry
            names[key] = name = unused_name(definition.__name__, functions)
            function = Function(name, made.params, at_span(made.body, span), made.span)
            functions[name] = contract_definition(function) if is_short(types) else function
        return names[key]

    def changed(equation: Equation) -> list[Equation]:
        op = equation.op
        if not isinstance(op, Apply) or op.primitive.definition is None:
            return [equation]
        if not but(equation):
            call = Call(called(op.primitive.definition(), op.operands, equation.span), op.operands)
            return [replace(equation, op=call)]
        if op.primitive.for_lanes is None:
            return [equation]
        return [replace(equation, op=replace(op, primitive=as_call(op.primitive, op.primitive.for_lanes[1])))]

    for name, function in program.functions.items():
        functions[name] = replace(function, body=with_equations(function.body, changed))
    return ir.program(functions, program.main)


def open_signature(type_: Type) -> Type:
    """A type with sizes of which nothing is known in place of those that are values."""
    return replace(type_, shape=tuple(n if isinstance(n, int) else Var(EMPTY, SIZE) for n in type_.shape))


def is_short(types: Iterable[Type]) -> bool:
    """Whether no loop over elements is so long that LLVM makes vectors of it, unless it is an operation shorter."""
    return all(isinstance(n, int) and n <= CONTRACTED_ELEMENTS for type_ in types for n in type_.shape)


def at_span(block: Block, span: Span | None) -> Block:
    """A block all of which stands at one place."""
    return with_equations(block, lambda equation: [replace(equation, span=span)])
