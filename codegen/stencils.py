"""Array equations around joins, which are worth being loops although a target would compile them as they are.

    up = np.concatenate((x[:1], x[:-1]))        chosen: up, its pieces, the difference
    d = up - x
    return np.sort(d)                           not this

`stencils : Program -> equations`. A join that only elementwise operations, slices and sums read is never made
(joins.py).
"""

from __future__ import annotations

from codegen.ir import Apply, Block, Equation, Program, Var
from codegen.joins import is_join
from codegen.rename import blocks, reads
from codegen.simplify import uses


def stencils(program: Program) -> frozenset[Equation]:
    """The joins that are only read element by element, and what reads them or is read through them."""
    return frozenset(e for f in program.functions.values() for e in chosen(f.body))


def chosen(block: Block) -> set[Equation]:
    found = {e for equation in block.equations for b in blocks(equation.op) for e in chosen(b)}
    count = uses(block)
    readers: dict[Var, list[Equation]] = {}
    for equation in block.equations:
        for operand in dict.fromkeys(equation.op.operands if isinstance(equation.op, Apply) else ()):
            if isinstance(operand, Var):
                readers.setdefault(operand, []).append(equation)

    def only_read_by(equation: Equation, those: set[Equation] | None) -> bool:
        """Whether nothing but these, or (None) what goes element by element, reads an array."""
        (out,) = equation.outs
        mine = readers.get(out, [])
        known = len(mine) > 0 and sum(reads(e.op).count(out) for e in mine) == count[out]
        return known and all(along(e) or is_total(e) if those is None else e in those for e in mine)

    own: dict[Var, Equation] = {}
    for equation in block.equations:
        if not along(equation):
            continue
        starts = is_join(equation.op) and only_read_by(equation, None)
        if starts or (not is_join(equation.op) and any(o in own for o in reads(equation.op))):
            own[equation.outs[0]] = equation
    here = set(own.values())
    here |= {e for e in block.equations if is_total(e) and any(o in own for o in reads(e.op))}
    for equation in reversed(block.equations):
        if along(equation) and only_read_by(equation, here):
            here.add(equation)
    return found | here


def along(equation: Equation) -> bool:
    """Whether an equation makes an array element by element of others, or of slices or rows of them."""
    op = equation.op
    if not isinstance(op, Apply) or not equation.outs or not equation.outs[0].type.rank:
        return False
    slices = op.primitive.name == "index" and not {"a", "i"} & set(op.params["spec"])
    return slices or is_join(op) or op.primitive.family == "elementwise"


def is_total(equation: Equation) -> bool:
    """Whether an equation is a reduction of a whole array."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.family != "reduce" or "axis" not in op.params:
        return False
    return len(op.params["axis"]) == op.operands[0].type.rank
