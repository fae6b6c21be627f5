"""Loops over arrays as vector instructions: vectorise : Program -> Program, for Numba.

    for i in range(n):                        for i in range(n):
        y[i] = exp(x[i] - m)          ->          y[i] = fast_exp(x[i] - m)
        s = s + y[i]                              s = plus(s, y[i])

LLVM makes vector instructions of loops of arithmetic, but neither of calls of the C library nor of sums whose order is
given. So in the innermost loops whose iterations may run in any order, those that array equations became, elementary
functions are the ones of codegen/runtime, which are inlined (2 ulp, as over lanes), and the terms of sums and extremes
may be taken in any order, those of "all" and "any" without a branch. Loops with anything that LLVM makes no vectors of,
and those that the user wrote, stay as they are. Runs after all passes that look for equal equations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from functools import cache

from codegen.analysis.calls import reach, recursive
from codegen.analysis.definitions import applied
from codegen.cost_model import SCALAR_ITERATIONS
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Program, Type, Var
from codegen.ir.kinds import Arithmetic, Choice, Logic, Relation, Vector
from codegen.ir.primitive import Primitive
from codegen.ir.traversal import operands, with_equations, with_functions
from codegen.loops.vectors.strips import in_strips
from codegen.primitives import ROWS

PREFIXES = {"f8": "fast", "f4": "single"}
STEPS: dict[Enum | None, str] = {
    Arithmetic.ADD: "plus", Arithmetic.MAXIMUM: "highest", Arithmetic.MINIMUM: "lowest",
}  # fmt: skip
"""How one more is taken into a sum or an extreme whose terms may be taken in any order."""
OF_NUMBERS: dict[Enum | None, str] = {
    Arithmetic.MAXIMUM: "highest_number", Arithmetic.MINIMUM: "lowest_number",
}  # fmt: skip
"""The same where neither is NaN."""
KEEP_DTYPE = {*STEPS.values(), *OF_NUMBERS.values()}
OF_BITS: dict[Enum | None, str] = {Logic.AND: "bitand", Logic.OR: "bitor"}
"""Conditions, of which the second is computed whatever the first is: there is no choice between vectors of them."""


def vectorise(program: Program) -> Program:
    """The program with its innermost loops over arrays in functions that LLVM makes vector instructions of.

    What recursion may call has small frames, as its depth is counted by them (recursion/depth_check.py), and stays.
    """
    deep = {name for cycle in recursive(program) for name in reach(program.functions, cycle)}
    return with_functions(
        program, lambda f: f if f.name in deep else replace(f, body=with_equations(f.body, loop_in_vectors))
    )


def loop_in_vectors(equation: Equation) -> list[Equation]:
    """An innermost loop over arrays with other functions; other equations as they are."""
    op = equation.op
    if isinstance(op, For) and is_for_vectors(op):
        return in_strips(equation, replace(op, body=vectorised_loop(op)), op)
    return [equation]


def is_for_vectors(loop: For) -> bool:
    """Whether LLVM makes vectors of a loop, once its functions are inlined."""
    shared = loop.kind == "parallel" and not has_few_iterations(loop)
    return shared and fills_vectors(loop) and not is_along_diagonal(loop)


def has_few_iterations(loop: For) -> bool:
    """Whether a loop is known to have too few for vectors."""
    start, stop = loop.start, loop.stop
    return (
        isinstance(start, Lit) and isinstance(stop, Lit) and abs(stop.value - start.value) < SCALAR_ITERATIONS
    )


def is_along_diagonal(loop: For) -> bool:
    """Whether a loop reads diagonals alone: the matrix beside them takes so long that vectors' functions would pay with
    no more than the time to compile them."""
    read = [
        e.op.operands[1:] for e in loop.body.equations if isinstance(e.op, Apply) and e.op.primitive.accesses
    ]
    return bool(read) and all(len(places) > 1 and {*places} == {loop.index} for places in read)


def fills_vectors(loop: For) -> bool:
    """Whether all that an innermost loop does can be done in vectors."""
    return all(map(fits_vectors, loop.body.equations))


def fits_vectors(equation: Equation, *, functions: bool = True) -> bool:
    """Whether an equation is arithmetic, one element, or a function of which there is one for vectors."""
    op = equation.op
    if not isinstance(op, Apply) or any(out.type.rank and not op.primitive.writes for out in equation.outs):
        return False
    if op.primitive.accesses:
        return set(op.params["spec"]) <= {"i"}
    if functions and (op.primitive.vector is Vector.TEXT or op.primitive.of_ints):
        return is_small_power(op) or function_name(op, equation.outs[0]) is not None
    return op.primitive.vector is Vector.PLAIN


def vectorised_loop(loop: For) -> Block:
    """A loop's body, its functions and the steps of its sums and extremes replaced."""
    steps, numbers = set(running_totals(loop)), extremes_of_numbers(loop)

    def changed(equation: Equation) -> list[Equation]:
        op, out = equation.op, equation.outs[0]
        assert isinstance(op, Apply)
        if is_small_power(op):  # of an int: Numba multiplies
            whole = Lit(int(op.operands[1].value), Type("i8", (), True))  # type: ignore[union-attr]
            return [replace(equation, op=replace(op, operands=(op.operands[0], whole)))]
        if op.primitive.kind in OF_BITS and {each.type.dtype for each in op.operands} == {"b1"}:
            return [replace(equation, op=replace(op, primitive=ROWS[OF_BITS[op.primitive.kind]]))]
        if out in steps and op.primitive.kind is Arithmetic.SUB:
            return in_two_steps(out, op)
        name = STEPS.get(op.primitive.kind) if out in steps else function_name(op, out)
        if out in steps and out in numbers:
            name = OF_NUMBERS[op.primitive.kind]
        called = op if name is None else replace(op, primitive=as_call(op.primitive, name))
        return [replace(equation, op=called)]

    return Block(tuple(e for each in loop.body.equations for e in changed(each)), loop.body.results)


def in_two_steps(out: Var, op: Apply) -> list[Equation]:
    """total - x, as total and one more."""
    total, x = op.operands
    less = Var(out.name, x.type)
    step = as_call(ROWS["add"], STEPS[Arithmetic.ADD])
    return [
        Equation((less,), Apply(ROWS["neg"], (x,), {})),
        Equation((out,), Apply(step, (total, less), {})),
    ]


def running_totals(loop: For) -> list[Atom]:
    """The sums and extremes of floats, and bools, that a loop carries and looks at nowhere else."""
    body = loop.body
    made, used = applied(body.equations), Counter(operands(body))
    return [
        result
        for param, result in zip(loop.carried, body.results, strict=True)
        if not param.type.rank and param.type.dtype in (*PREFIXES, "b1") and used[param] == 1 and used[result] == 1
        and takes_in(made, param, result)
    ]  # fmt: skip


def extremes_of_numbers(loop: For) -> set[Atom]:
    """Extremes that begin with a number and take in none but numbers: those beyond another one, or else that."""
    made = applied(loop.body.equations)
    begin = dict(zip(loop.body.results, loop.init, strict=True))

    def is_number(x: Atom) -> bool:
        return isinstance(x, Lit) and x.value == x.value

    def is_beyond(x: Atom) -> bool:
        match made.get(x):
            case Apply(Primitive(kind=Choice.SELECT), (test, value, other)) if is_number(other):
                match made.get(test):
                    case Apply(Primitive(kind=Relation.GT | Relation.LT), compared):
                        return value in compared
        return False

    return {
        out
        for out, first in begin.items()
        if (op := made.get(out))
        and op.primitive.kind in OF_NUMBERS
        and is_number(first)
        and is_beyond(op.operands[1])
    }


def takes_in(made: Mapping[Atom, Apply], param: Var, result: Atom) -> bool:
    """Whether a result is a carried number and one more."""
    op = made.get(result)
    return (
        op is not None
        and op.primitive.kind in (OF_BITS if param.type.dtype == "b1" else (*STEPS, Arithmetic.SUB))
        and op.operands[0] is param
        and op.operands[1].type.dtype == param.type.dtype
    )


def function_name(op: Apply, out: Var) -> str | None:
    """The function of codegen/runtime for an operation of numbers of one dtype."""
    if any(o.type.dtype != out.type.dtype for o in op.operands):
        return None
    if is_half_power(op) and out.type.dtype in PREFIXES:
        return f"{PREFIXES[out.type.dtype]}_half_{op.primitive.name}"
    return op.primitive.of_ints.get(out.type.dtype) or inlinable_helper(op, out.type)


def inlinable_helper(op: Apply, out: Type) -> str | None:
    """The function of codegen/runtime that LLVM inlines, where an operation is no arithmetic and there is one."""
    if op.primitive.vector is not Vector.TEXT or out.dtype not in PREFIXES or out.rank or is_small_power(op):
        return None
    return f"{PREFIXES[out.dtype]}_{op.primitive.name}"


def is_small_power(op: Apply) -> bool:
    """A power that is a few multiplications."""
    power = op.operands[-1]
    return op.primitive.kind is Arithmetic.POW and isinstance(power, Lit) and power.value in (0, 1, 2, 3, 4)


HALVES = (1.5, 2.5, -0.5, -1.5)


def is_half_power(op: Apply) -> bool:
    """A power that is few products of a square root."""
    power = op.operands[-1]
    return op.primitive.kind is Arithmetic.POW and isinstance(power, Lit) and power.value in HALVES


@cache
def as_call(primitive: Primitive, name: str) -> Primitive:
    """The same primitive, written as a call of this function."""
    return replace(primitive, helper=name)


FUNCTIONS = frozenset(
    f"{prefix}_{row.name}"
    for prefix in PREFIXES.values()
    for row in ROWS.values()
    if row.vector is Vector.TEXT
)
"""All functions that loops may call."""
