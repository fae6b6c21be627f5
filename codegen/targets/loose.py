"""Which scalars of a printed program may be Python's numbers while it runs, whatever their types say.

    def f(x: float, n: int, v: f8[k]):     x, n, 1.0 / x, n + 1    may be Python's
        return 1.0 / x + v[n]              v[n], np.exp(x)         are NumPy's

A number is Python's that is an argument or literal of Python's, counts a loop, or is computed by operators from such
numbers alone. Python raises where NumPy gives inf or nan, in divisions and powers of floats; so the parameters
that only such numbers in a division come from are `settled`: made NumPy's when the function begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.emit.copy_insertion import TEMPORARY
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.kinds import Arithmetic, Bits, Choice, Logic, Same
from codegen.ir.substitution import blocks
from codegen.ir.traversal import all_equations, equations

PLAIN = ("f8", "i8", "b1", "rng")
EITHER = (*Choice, Logic.AND, Logic.OR)  # that give one of their operands
DIVISIONS = (Arithmetic.DIV, Arithmetic.FLOORDIV, Arithmetic.MOD, Arithmetic.POW)
EXTREMES = (Arithmetic.MAXIMUM, Arithmetic.MINIMUM)
SAME = (Same.COPY, Same.STOPPED, Logic.XOR, Arithmetic.MULADD)  # no operators, but of Python's numbers one


@dataclass(frozen=True, eq=False)
class Loose:
    """vars: what may be Python's; settled: parameters made NumPy's; narrow: the program has other dtypes than NumPy's
    defaults; defined: the equations of temporaries."""

    vars: frozenset[Var]
    settled: frozenset[Var]
    narrow: bool
    defined: dict[Var, Equation]

    def is_loose(self, atom: Atom) -> bool:
        return isinstance(atom, Lit) or atom in self.vars

    def may_raise(self, atom: Atom) -> bool:
        """Whether an expression that may be written in place of a temporary does more than arithmetic."""
        equation = self.defined.get(atom) if isinstance(atom, Var) else None
        if equation is None:
            return False
        op = equation.op
        if not isinstance(op, Apply) or op.primitive.family != "elementwise":
            return True
        return any(self.may_raise(o) for o in op.operands)


def loose(program: Program) -> Loose:
    """What a program's text has of Python's numbers."""
    functions = list(program.functions.values())
    everything = list(all_equations(program))
    defined = {e.outs[0]: e for e in everything if len(e.outs) == 1}
    temporary = {v: e for v, e in defined.items() if v.name == TEMPORARY}
    types = [v.type for f in functions for v in f.params] + [o.type for e in everything for o in e.outs]
    narrow = any(t.dtype not in PLAIN for t in types)
    settled: set[Var] = set()
    while True:
        found = loose_vars(program, settled)
        more = {p for f in functions for p in parameters_to_settle(f, found, defined)}
        if not more:
            return Loose(frozenset(found), frozenset(settled), narrow, temporary)
        settled |= more


def parameters_to_settle(function: Function, found: set[Var], defined: dict[Var, Equation]) -> Iterator[Var]:
    """For each division of Python's floats alone a parameter that it comes from."""
    params = set(function.params) & found

    def roots(atom: Atom) -> Iterator[Var]:
        if isinstance(atom, Lit) or atom not in found:
            return
        if atom in params:
            yield atom
        elif atom in defined and isinstance(op := defined[atom].op, Apply):
            for operand in op.operands:
                yield from roots(operand)

    for equation in equations(function.body):
        op = equation.op
        if (
            isinstance(op, Apply)
            and equation.outs
            and may_raise_at_zero(op, equation.outs[0].type)
            and all(isinstance(o, Lit) or o in found for o in op.operands)
        ):
            yield from [p for o in op.operands for p in roots(o) if p.type.is_float][:1]


def may_raise_at_zero(op: Apply, out: Type) -> bool:
    """Whether an operation that gives `out` may raise if its numbers are Python's; of what are Python's ints by their
    types it has been tested, NumPy's give 0."""
    kind = op.primitive.kind
    if kind not in DIVISIONS:
        return False
    if not any(o.type.is_float for o in op.operands) and (out.weak or kind is Arithmetic.POW):
        return False
    divisor = op.operands[1]
    return kind is Arithmetic.POW or not isinstance(divisor, Lit) or divisor.value == 0


GROWING = (Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL, Arithmetic.NEG, Arithmetic.POW, Bits.LEFT)


def wraps(op: Apply, out: Type) -> bool:
    """Whether an operation of Python's ints gives NumPy's, which wraps, where Python's would have more bits."""
    grows = op.primitive.kind in GROWING and out.dtype[0] in "iu" and not out.weak
    return grows and any(isinstance(o, Var) and o.type.weak for o in op.operands)


def loose_vars(program: Program, settled: set[Var]) -> set[Var]:
    """The Vars that may be Python's, where these parameters are not."""
    found = {p for f in program.functions.values() for p in f.params if p.type.weak and p not in settled}
    while True:
        before = len(found)
        for function in program.functions.values():
            flow_in_block(program, function.body, found, settled)
        if len(found) == before:
            return found


def flow_in_block(program: Program, block: Block, found: set[Var], settled: set[Var]) -> None:
    for equation in block.equations:
        outs, op = equation.outs, equation.op
        if isinstance(op, For):
            found.add(op.index)
        if isinstance(op, For | While):
            flow(found, op.carried, op.init)
        for inner in blocks(op):
            flow_in_block(program, inner, found, settled)
        match op:
            case Call(name, operands):
                callee = program.functions[name]
                free = [(p, o) for p, o in zip(callee.params, operands) if p not in settled]
                flow(found, tuple(p for p, _ in free), tuple(o for _, o in free))
                flow(found, outs, callee.body.results)
            case If(_, then, orelse):
                flow(found, outs, then.results)
                flow(found, outs, orelse.results)
            case For(body=body) | While(body=body):
                flow(found, op.carried, body.results)
                flow(found, outs, op.carried)
            case Apply() if outs and not outs[-1].type.rank:
                if op.primitive.family == "random":
                    found.add(outs[-1])
                elif op.primitive.family == "elementwise":
                    given = [isinstance(o, Lit) or o in found for o in op.operands]
                    found.update(outs[:1] if python(op, outs[0].type, given) else ())


def flow(found: set[Var], outs: tuple[Var, ...], values: tuple[Atom, ...]) -> None:
    """What comes from what may be Python's may be, too."""
    for out, value in zip(outs, values):
        if not out.type.rank and out.type.dtype != "rng" and (isinstance(value, Lit) or value in found):
            found.add(out)


def python(op: Apply, out: Type, given: list[bool]) -> bool:
    """Whether an operation of numbers, those `given` Python's, may give one."""
    kind = op.primitive.kind
    if kind is Same.CAST or (
        (may_raise_at_zero(op, out) or wraps(op, out)) and all(given)
    ):  # which makes one NumPy's
        return False
    if kind in EITHER or (kind in EXTREMES and {o.type.dtype for o in op.operands} == {"i8"}):
        return any(given[1:] if kind is Choice.SELECT else given)
    if kind is Logic.NOT or (kind is Bits.INVERT and out.dtype == "b1"):  # printed as `not`
        return True
    return all(given) and (op.primitive.operator is not None or kind in SAME)
