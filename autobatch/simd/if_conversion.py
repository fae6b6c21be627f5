"""Blocks without branches that only choose, their loops fused: flattened : BlockProgram -> BlockProgram.

    r = if t: (u = dot a b; yield u) else: yield 0.0      ->      u = dot a b; r = select t, u, 0.0

    if t: check u: E                                      ->      v = or (not t) u; check v: E

Lanes side by side run both arms anyway; without the branches nothing hides where they read, and loops that stood in
different arms can be fused. A lane that fails there goes on with the others, whatever it computes, to the block's end:
so what fails is a check of a value, and its condition a part of that. Where lanes run one by one, each at another place
of the program, no processor foresees which arm the next one takes, and a few operations too many cost less than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from autobatch.cfg.cost import cost
from autobatch.cfg.graph import BasicBlock, BlockProgram, terminator_atoms, with_blocks
from autobatch.cfg.liveness import Live, at_end, live_in
from autobatch.cost_model import CONVERTED_COST
from autobatch.simd.block_splitting import is_light, wide_blocks
from autobatch.simd.vectorisable import Ranges, has_known_bounds, inside_array, vector, with_index
from codegen.analysis.effects import acts
from codegen.ir import Apply, Atom, Block, Equation, For, Function, If, Lit, Type
from codegen.ir import program as ir_program
from codegen.ir.build import Builder
from codegen.ir.kinds import Effect, Made
from codegen.ir.substitution import blocks as blocks_of
from codegen.ir.substitution import free
from codegen.ir.traversal import with_inner
from codegen.loops.fusion import fuse
from codegen.primitives import ROWS
from codegen.simplify.driver import simplify

Both = Callable[[Equation], bool]  # whether both arms of a condition may be run


def flattened(program: BlockProgram) -> BlockProgram:
    """The program with its blocks flat: whatever that costs where lanes run them side by side."""
    wide, live = wide_blocks(program), live_in(program)

    def few(equation: Equation) -> bool:
        return vector(equation) and cost([equation], program.program) <= CONVERTED_COST

    def flat(k: int, block: BasicBlock) -> BasicBlock:
        whatever = wide[k] or is_light(block)
        return flat_block(program, live, block, Flat(lambda _: True, True) if whatever else Flat(few, False))

    return with_blocks(program, {k: flat(k, block) for k, block in enumerate(program.blocks)})


@dataclass(frozen=True)
class Flat:
    """both: which conditions' arms may both be run; checks: those with checks in them too.

    ranges: of the indices of the loops around; given: what is to hold for a check around which branches were taken out.
    """

    both: Both
    checks: bool
    ranges: Ranges = field(default_factory=dict)
    given: Atom | None = None


def flat_block(program: BlockProgram, live: tuple[Live, ...], block: BasicBlock, how: Flat) -> BasicBlock:
    """The block without branches, its loops fused where that is possible now."""
    flat = flat_equations(block.equations, how)
    made = [o for e in flat for o in e.outs]
    if any(v.type.dtype == "rng" for v in made):
        return replace(block, equations=flat)
    needed = at_end(program, block, live) | set(terminator_atoms(block))
    kept = tuple(v for v in made if v in needed)
    whole = Function("block", free(Block(flat, kept)), Block(flat, kept))
    body = simplify(fuse(ir_program({"block": whole}, "block")), explicit=True).entry.body
    changed = [(out, new) for out, new in zip(kept, body.results, strict=True) if out is not new]
    if any(out.type.rank for out, _ in changed):
        return replace(block, equations=flat)
    copies = tuple(Equation((out,), Apply(ROWS["copy"], (new,))) for out, new in changed)
    return replace(block, equations=(*body.equations, *copies))


def flat_equations(equations: Iterable[Equation], how: Flat) -> tuple[Equation, ...]:
    """The equations without conditions that only choose, at any depth."""
    found: list[Equation] = []
    for equation in equations:
        op = equation.op
        if isinstance(op, If) and chooses(equation, how) and how.both(equation):
            for arm, holds in ((op.then, True), (op.orelse, False)):
                found += flat_equations(arm.equations, under(found, op.test, holds, arm, how))
            for out, then, orelse in zip(equation.outs, op.then.results, op.orelse.results, strict=True):
                chosen = Apply(ROWS["select"], (op.test, then, orelse))
                found.append(Equation((out,), chosen, equation.span))
            continue
        if how.checks and isinstance(op, Apply) and op.primitive.effect:
            found += as_check(equation, op, how.given)
            continue
        within = replace(how, ranges=with_index(how.ranges, op))
        flat = with_inner(op, lambda b, how=within: Block(flat_equations(b.equations, how), b.results))
        found.append(equation if flat is op else replace(equation, op=flat))
    return tuple(found)


def under(found: list[Equation], test: Atom, holds: bool, arm: Block, how: Flat) -> Flat:
    """How an arm is made flat: its checks are asked where the condition, made in `found`, has led there."""
    if not any(map(acts, arm.equations)):
        return how
    b = Builder(checked=False)
    way = b.wrap(test) if holds else b.apply("not", b.wrap(test))
    given = way if how.given is None else b.apply("and", b.wrap(how.given), way)
    found += b.equations
    return replace(how, given=b.atom(given))


def as_check(equation: Equation, op: Apply, given: Atom | None) -> list[Equation]:
    """A check or fail as a check that needs hold only where `given` does."""
    test: Atom = op.operands[0] if op.primitive.kind is Effect.CHECK else Lit(False, Type("b1"))
    b = Builder(span=equation.span, checked=False)
    if given is not None:
        other = b.apply("not", b.wrap(given))
        never = isinstance(test, Lit) and not test.value
        test = b.atom(other if never else b.apply("or", other, b.wrap(test)))
    return [*b.equations, replace(equation, op=Apply(ROWS["check"], (test,), op.params))]


def chooses(equation: Equation, how: Flat) -> bool:
    """An If of numbers whose arms write no array that was there before them, and have no effect but checks."""
    return not any(out.type.rank for out in equation.outs) and all(
        may_run_anyway(b.equations, set(), how.ranges, how.checks) for b in blocks_of(equation.op)
    )


def may_run_anyway(equations: Iterable[Equation], made: set[object], ranges: Ranges, checks: bool) -> bool:
    """Whether equations only make values, and may whatever the condition: no place they read is outside its array.

    `made`: arrays made among them, which they may write.
    """
    for equation in equations:
        op = equation.op
        if isinstance(op, Apply):
            row, whole = op.primitive, op.primitive.kind in (Made.EMPTY, Made.FULL)
            fails = (row.effect and not checks) or not inside_array(op, ranges)
            if fails or (row.writes and op.operands[0] not in made):
                return False
            made.update(equation.outs if row.writes or whole else ())
        elif isinstance(op, For):
            made.update(p for p, init in zip(op.carried, op.init, strict=True) if init in made)
            inner = with_index(ranges, op)
            if not has_known_bounds(op) or not may_run_anyway(op.body.equations, made, inner, checks):
                return False
            made.update(o for o, p in zip(equation.outs, op.carried, strict=True) if p in made)
        elif not all(may_run_anyway(b.equations, made, ranges, checks) for b in blocks_of(op)):
            return False
    return True
