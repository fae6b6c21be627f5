"""Functions that print, called twice where a program is to be run again in part: once for what they print, once for
what they give.

    y = f(x)      ->      f(stop_gradient(x))
                          y = f_silent(x)

The return sweep runs parts of functions again, the printing not among them: main's own print is in its forward sweep
alone, and so are calls that nothing hangs on.
"""

from __future__ import annotations

from dataclasses import replace

from autodiff.sizes.scope import fresh_name, own_main, refresh
from codegen.analysis.calls import functions_with
from codegen.ir import Apply, Atom, Block, Call, Equation, Function, Program, Var, program
from codegen.ir.kinds import Effect
from codegen.ir.traversal import all_equations, with_inner
from codegen.primitives import ROWS


def prints_apart(whole: Program) -> Program:
    """The program, in which nothing that is called for its results prints; itself where nothing does."""
    printing = functions_with(whole, prints)
    called = {e.op.function for e in all_equations(whole) if isinstance(e.op, Call)}
    if printing.isdisjoint(called):
        return whole
    whole = own_main(whole)
    taken, silent = {*whole.functions}, dict[str, str]()
    for name in whole.functions:
        if name in printing and name != whole.main:
            silent[name] = fresh_name(f"{name}_silent", taken)
            taken.add(silent[name])
    made: dict[str, Function] = {}
    for name, function in whole.functions.items():
        if name in silent:
            body = without_prints(function.body, silent)
            made[silent[name]] = replace(function, name=silent[name], body=body)
        made[name] = (
            function if name != whole.main else replace(function, body=called_twice(function.body, silent))
        )
    return refresh(program(made, whole.main))


def prints(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.PRINT


def without_prints(block: Block, silent: dict[str, str]) -> Block:
    """A block of a function that is to be silent."""
    made = []
    for equation in block.equations:
        op = equation.op
        if prints(equation):
            continue
        if isinstance(op, Call):
            op = replace(op, function=silent.get(op.function, op.function))
        else:
            op = with_inner(op, lambda inner: without_prints(inner, silent))
        made.append(replace(equation, op=op))
    return Block(tuple(made), block.results)


def called_twice(block: Block, silent: dict[str, str]) -> Block:
    """A block of the main function, its calls of functions that print made twice."""
    made: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Call) and op.function in silent:
            made += printing_call(equation, op)
            made.append(replace(equation, op=replace(op, function=silent[op.function])))
        else:
            made.append(replace(equation, op=with_inner(op, lambda inner: called_twice(inner, silent))))
    return Block(tuple(made), block.results)


def printing_call(equation: Equation, op: Call) -> list[Equation]:
    """The call of what is printed alone: of constants, and of streams of its own."""
    made: list[Equation] = []
    given: list[Atom] = []
    for operand in op.operands:
        row = "copied_stream" if operand.type.dtype == "rng" else "stop_gradient"
        if isinstance(operand, Var) and (operand.type.dtype == "rng" or operand.type.is_float):
            own = Var(operand.name, operand.type)
            made.append(Equation((own,), Apply(ROWS[row], (operand,)), equation.span))
            operand = own
        given.append(operand)
    outs = tuple(Var(out.name, out.type) for out in equation.outs)
    return [*made, replace(equation, outs=outs, op=replace(op, operands=tuple(given)))]
