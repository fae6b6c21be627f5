"""What is the same for all lanes, taken out of the blocks: hoist_uniform : BlockProgram, shared -> equations,
BlockProgram.

    0: n = sub k 1; ...                  n = sub k 1        (once, before any lane starts; k is shared)
    5: z = full 0.0 n; ...        ->     0: ...
                                         5: z = full 0.0 n; ...

Only what cannot fail is hoisted, since it may be needed by no lane at all. Sizes are made shared in this
way: an array made in a block has the size that was computed outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace

from autobatch.cfg.graph import BlockProgram, variables_read, writes
from codegen.ir import Apply, Equation, Lit, Var
from codegen.ir.kinds import Arithmetic, Joined

SAFE = {"elementwise", "create", "shape", "reduce", "linalg", "scan", "copy"}


def hoist_uniform(program: BlockProgram, shared: Set[Var]) -> tuple[tuple[Equation, ...], BlockProgram]:
    """The equations that depend on `shared` variables alone, in order, and the blocks without them."""
    count = Counter(v for block in program.blocks for v in writes(program, block))
    known = {v for v in program.assigned(shared) if not count[v]}
    found: list[Equation] = []
    while more := [e for e in hoistable(program, known, count) if e not in found]:
        found += more
        known.update(program.assigned(out for e in more for out in e.outs))
    blocks = tuple(
        replace(b, equations=tuple(e for e in b.equations if e not in found)) for b in program.blocks
    )
    return tuple(found), replace(program, blocks=blocks)


def hoistable(program: BlockProgram, known: Set[Var], count: Counter[Var]) -> list[Equation]:
    """Equations of known operands that may run though no lane needs them; nothing else assigns their outs."""
    return [
        equation
        for block in program.blocks
        for equation in block.equations
        if is_speculatable(equation)
        and all(v in known for v in variables_read(equation))
        and all(count[out] == 1 for out in equation.outs)
    ]


def is_speculatable(equation: Equation) -> bool:
    """Whether an equation can be computed without anything being known of its operands."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.family not in SAFE:
        return False
    whole = all(out.type.dtype[0] in "iu" for out in equation.outs)
    if op.primitive.kind in (Arithmetic.POW, Arithmetic.FLOORDIV, Arithmetic.MOD):
        return not whole or isinstance(op.operands[1], Lit)
    return not op.primitive.empty and op.primitive.kind is not Joined.CONCATENATE


def never_written(program: BlockProgram) -> set[Var]:
    """The parameters that no block assigns."""
    return set(program.entry.params).difference(*(writes(program, block) for block in program.blocks))
