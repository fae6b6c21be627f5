"""Broadcasting that NumPy and Numba do by themselves: just before printing, on array equations that are left.

    t = broadcast_to x n2                  y = add x z              (z: f8[n2])
    y = add t z                     ->     x2 = update x v ...
    w = broadcast_to v n2
    x2 = update x w ...
    s = full 1 a                           u = div z a              (a: f8)
    u = div z s

Sizes that may be 1 when the program runs are broadcast by equations, so that loops read what is there. Where an
equation stays one over arrays, its operands need not have the result's shape, as long as together they make it. The
checks of the sizes stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codegen import ir
from codegen.ir import Apply, Atom, Equation, Function, Lit, Program, Var
from codegen.ir.kinds import Choice, Made, Same
from codegen.ir.substitution import same_dim
from codegen.ir.traversal import all_equations, equations, with_equations, with_functions
from codegen.simplify.dead_code import dead_code

Defined = dict[Var, Apply]


def implicit_broadcasts(program: Program) -> Program:
    """`program` without the broadcasts that its array equations do."""
    if not any(is_loose(e.op) or is_of_number(e.op) for e in all_equations(program)):
        return program
    return dead_code(with_functions(program, without_loose_broadcasts))


def is_loose(op: ir.Operation | None) -> bool:
    return isinstance(op, Apply) and op.primitive.kind is Same.BROADCAST and bool(op.params.get("loose"))


def is_of_number(op: ir.Operation | None) -> bool:
    """Whether an array is of one element, a number that is there."""
    if not isinstance(op, Apply) or op.primitive.kind not in (Same.RESHAPED, Made.FULL):
        return False
    number, *dims = op.operands
    return not number.type.rank and all(isinstance(n, Lit) and n.value == 1 for n in dims)


def without_loose_broadcasts(f: Function) -> Function:
    made = {e.outs[0]: e.op for e in equations(f.body) if isinstance(e.op, Apply) and len(e.outs) == 1}
    return replace(f, body=with_equations(f.body, lambda e: [without_broadcasts(e, made)]))


def without_broadcasts(e: Equation, made: Defined) -> Equation:
    """An equation whose operands are as they were before broadcasts that it does by itself."""
    match e.op:
        case Apply(primitive, operands) as op if primitive.family == "elementwise" and e.outs[0].type.rank:
            given = with_numbers(tuple(broadcast_operand(o, made) for o in operands), made)
            from_last = enumerate(reversed(e.outs[0].type.shape), start=1)
            fits = all(sizes_meet(given, axis, d, made) for axis, d in from_last)
            return replace(e, op=replace(op, operands=given)) if fits else e
        case Apply(primitive, (x, v, *places)) as op if primitive.writes:
            return replace(e, op=replace(op, operands=(x, broadcast_operand(v, made), *places)))
    return e


def with_numbers(operands: tuple[Atom, ...], made: Defined) -> tuple[Atom, ...]:
    """Operands with a number in place of an array of that number alone, among others of its dtype."""
    found = tuple(only_number(o, made) for o in operands)
    alike = all(a is b or {o.type.dtype for o in operands} == {b.type.dtype} for a, b in zip(operands, found))
    return found if alike and any(o.type.rank for o in found) else operands


def only_number(atom: Atom, made: Defined) -> Atom:
    """The number that an array of one element was made of."""
    op = made.get(atom) if isinstance(atom, Var) else None
    return op.operands[0] if op is not None and is_of_number(op) else atom


def broadcast_operand(atom: Atom, made: Defined) -> Atom:
    """What a broadcast is of."""
    op = made.get(atom) if isinstance(atom, Var) else None
    return op.operands[0] if op is not None and is_loose(op) else atom


def sizes_meet(operands: Sequence[Atom], axis: int, d: ir.Dim | Atom, made: Defined) -> bool:
    """Whether the operands' sizes along an axis make d: one is it, or it was chosen among them."""
    if isinstance(d, Lit):
        d = d.value
    if any(o.type.rank >= axis and same_dim(o.type.shape[-axis], d) for o in operands):
        return True
    op = made.get(d) if isinstance(d, Var) else None
    if op is None or op.primitive.kind is not Choice.SELECT:
        return False
    return all(sizes_meet(operands, axis, side, made) for side in op.operands[1:])
