"""In which power results hang on some values: degree : (equations, values, results) -> 0, 1, 2, ... or None.

    t = a * x;  y = t + x      of x: 1          the row of `add` is linear in both operands together
    t = x @ x                  of x: 2          that of `matmul` in each of them
    t = x + 1.0                of x: None       no power alone

A function of degree 1 is linear, so that it acts on the two parts of a complex array each for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codegen.ir import Apply, Atom, Equation, Lit, Var
from codegen.ir.kinds import Made
from codegen.ir.substitution import free

ZERO = -1  # of what is zero, or may be anything: it is of any degree


Degree = int | None


def degree(equations: Iterable[Equation], values: Iterable[Var], results: Sequence[Atom]) -> Degree:
    """The degree of all results together: 0 where they hang on no value, None where there is no such number."""
    found = degrees(equations, values, results)
    made = None if None in found else common_degree([d for d in found if d is not None])
    return None if made is None else max(made, 0)


def degrees(equations: Iterable[Equation], values: Iterable[Var], results: Sequence[Atom]) -> list[Degree]:
    """The degree of each result; of zeros `ZERO`. None for all where what acts hangs on the values."""
    known: dict[Var, Degree] = dict.fromkeys(values, 1)
    for equation in equations:
        found = of_equation(equation, known)
        if found is None and not equation.outs:
            return [None for _ in results]
        known.update((out, found) for out in equation.outs)
    return [of_atom(r, known) for r in results]


def of_atom(atom: Atom, known: Mapping[Var, Degree]) -> Degree:
    if isinstance(atom, Lit):
        return 0 if atom.value else ZERO
    return known.get(atom, 0)


def of_equation(equation: Equation, known: Mapping[Var, Degree]) -> Degree:
    """The degree of what an equation makes."""
    op = equation.op
    if not isinstance(op, Apply):
        return None if any(known.get(v, 0) not in (0, ZERO) for v in free(op)) else 0
    row = op.primitive
    if row.kind is Made.EMPTY:
        return ZERO
    listed = [of_atom(operand, known) for operand in op.operands]
    found = [d for d in listed if d is not None]
    if len(found) < len(listed):
        return None
    added = common_degree([d for k, d in enumerate(found) if k in row.linear])
    active = [k for k, d in enumerate(found) if d > 0]
    if not active:
        return ZERO if row.linear and added == ZERO else 0
    if row.stops or not all(out.type.is_float for out in equation.outs):
        return None
    if all(k in row.linear for k in active):
        return added
    if row.linear or any(row.transpose.get(k) is None for k in active):
        return None
    return sum(found[k] for k in active)


def common_degree(degrees: Sequence[int]) -> Degree:
    """The degree that all have, zeros apart."""
    found = {d for d in degrees if d != ZERO}
    return None if len(found) > 1 else found.pop() if found else ZERO
