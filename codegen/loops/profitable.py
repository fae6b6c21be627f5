"""Array equations that are worth being loops although a target would compile them as they are.

    up = np.concatenate((x[:1], x[:-1]))        chosen: up, its pieces, the difference
    d = up - x
    y[1:] = x[1:] - x[:-1]                      and this: the difference goes where it belongs
    for _ in range(k):
        y[1:] = x[1:] - x[:-1]
        x = 0.5 * (x + y)                       beside such, what a loop carries too, in turn (double_buffer.py)
    return np.sort(d)                           not this

`stencils : Program -> equations`. A join that only elementwise operations, slices and sums read is never made
(concat_split.py), and no array is made in order to be written into a slice of another.
"""

from __future__ import annotations

from collections.abc import Mapping

from codegen.ir import Apply, Atom, Block, Equation, For, Program, Var, While
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, makers, reads
from codegen.loops.concat_split import is_join
from codegen.simplify.driver import use_counts


def stencils(program: Program) -> frozenset[Equation]:
    """The joins that are only read element by element, and what reads them or is read through them."""
    return frozenset(e for f in program.functions.values() for e in chosen(f.body))


def chosen(block: Block, carried: bool = False) -> set[Equation]:
    """Those of a block; `carried`: its results are what a loop carries."""
    found: set[Equation] = set()
    for equation in block.equations:
        again = isinstance(equation.op, For | While)
        found |= {e for b in blocks(equation.op) for e in chosen(b, again)}
    count = use_counts(block)
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
    here = set(own.values()) | {e for e in block.equations if is_filling(e, block, count)}
    if here and carried:
        here |= {e for e in block.equations if computes(e) and e.outs[0] in block.results}
    here |= {e for e in block.equations if is_total(e) and any(o in own for o in reads(e.op))}
    for equation in reversed(block.equations):
        if along(equation) and only_read_by(equation, here):
            here.add(equation)
    return found | here


def is_filling(equation: Equation, block: Block, count: Mapping[Var, int]) -> bool:
    """Whether a slice of an array is written that is computed only for that, and not from the array itself."""
    op = equation.op
    if (
        not isinstance(op, Apply)
        or op.primitive.kind is not Access.WRITE
        or {"a", "i"} & set(op.params["spec"])
    ):
        return False
    array, value = op.operands[:2]
    made = {e.outs[0]: e for e in block.equations if along(e)}
    first = made.get(value) if isinstance(value, Var) and count[value] == 1 else None
    applied: dict[Atom, Apply] = {out: e.op for out, e in made.items() if isinstance(e.op, Apply)}
    own = any(array in maker.operands for maker in makers([value], applied, lambda maker: True))
    return first is not None and computes(first) and not own


def computes(equation: Equation) -> bool:
    """Whether an equation computes an array element by element."""
    return (
        along(equation) and isinstance(equation.op, Apply) and equation.op.primitive.family == "elementwise"
    )


def along(equation: Equation) -> bool:
    """Whether an equation makes an array element by element of others, or of slices or rows of them."""
    op = equation.op
    if not isinstance(op, Apply) or not equation.outs or not equation.outs[0].type.rank:
        return False
    slices = op.primitive.kind is Access.READ and not {"a", "i"} & set(op.params["spec"])
    return slices or is_join(op) or op.primitive.family == "elementwise"


def is_total(equation: Equation) -> bool:
    """Whether an equation is a reduction of a whole array."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.family != "reduce" or "axis" not in op.params:
        return False
    return len(op.params["axis"]) == op.operands[0].type.rank
