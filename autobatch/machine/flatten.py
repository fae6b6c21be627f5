"""Blocks without branches that only choose, their loops fused: flattened : BlockProgram -> BlockProgram.

    r = if t: (u = dot a b; yield u) else: yield 0.0      ->      u = dot a b; r = select t, u, 0.0

Lanes side by side run both arms anyway; without the branches nothing hides where they read, and loops that stood in
different arms can be fused. Where lanes run one by one, each at another place of the program, no processor foresees
which arm the next one takes, and a few operations too many cost less than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from autobatch.cost import cost
from autobatch.graph import BasicBlock, BlockProgram, Branch, terminator_moves, with_blocks
from autobatch.liveness import Live, at_end, live_in
from autobatch.machine.vectors import counted, is_light, known, vector, wide_blocks
from autobatch.prepare import rewrite_blocks
from codegen.fuse import fuse
from codegen.ir import Apply, Block, Equation, For, Function, If, Lit
from codegen.ir import program as ir_program
from codegen.primitives import ROWS
from codegen.rename import blocks as blocks_of
from codegen.rename import free
from codegen.simplify import simplify

Ranges = Mapping[object, range]  # of loops' indices
Both = Callable[[Equation], bool]  # whether both arms of a condition may be run
FEW = 128.0  # operations that one lane by itself runs for nothing rather than not to know where it goes on


def flattened(program: BlockProgram) -> BlockProgram:
    """The program with its blocks flat: whatever that costs where lanes run them side by side."""
    wide, live = wide_blocks(program), live_in(program)

    def few(equation: Equation) -> bool:
        return vector(equation) and cost([equation], program.program) <= FEW

    def flat(k: int, block: BasicBlock) -> BasicBlock:
        whatever = wide[k] or is_light(block)
        return flat_block(program, live, block, (lambda _: True) if whatever else few)

    return with_blocks(program, {k: flat(k, block) for k, block in enumerate(program.blocks)})


def flat_block(program: BlockProgram, live: tuple[Live, ...], block: BasicBlock, both: Both) -> BasicBlock:
    """The block without branches, its loops fused where that is possible now; `both`: whose arms may both be run."""
    flat = flat_equations(block.equations, both)
    made = [o for e in flat for o in e.outs]
    if any(v.type.dtype == "rng" for v in made):
        return replace(block, equations=flat)
    needed = at_end(program, block, live) | moved(block)
    kept = tuple(v for v in made if v in needed)
    whole = Function("block", free(Block(flat, kept)), Block(flat, kept))
    body = simplify(fuse(ir_program({"block": whole}, "block"))).entry.body
    changed = [(out, new) for out, new in zip(kept, body.results, strict=True) if out is not new]
    if any(out.type.rank for out, _ in changed):
        return replace(block, equations=flat)
    copies = tuple(Equation((out,), Apply(ROWS["copy"], (new,))) for out, new in changed)
    return replace(block, equations=(*body.equations, *copies))


def moved(block: BasicBlock) -> set[object]:
    """What a block's end reads."""
    test = {block.terminator.test} if isinstance(block.terminator, Branch) else set()
    return test | {source for moves in terminator_moves(block) for _, source in moves}


def flat_equations(
    equations: Iterable[Equation], both: Both, ranges: Ranges = MappingProxyType({})
) -> tuple[Equation, ...]:
    """The equations without conditions that only choose, at any depth."""
    found: list[Equation] = []
    for equation in equations:
        op = equation.op
        if isinstance(op, If) and chooses(equation, ranges) and both(equation):
            for arm in (op.then, op.orelse):
                found += flat_equations(arm.equations, both, ranges)
            for out, then, orelse in zip(equation.outs, op.then.results, op.orelse.results, strict=True):
                chosen = Apply(ROWS["select"], (op.test, then, orelse))
                found.append(Equation((out,), chosen, equation.span))
            continue
        inside = {**ranges, op.index: counted(op)} if isinstance(op, For) and known(op) else ranges
        flat = rewrite_blocks(op, partial(flat_inside, both, inside))
        found.append(equation if flat is op else replace(equation, op=flat))
    return tuple(found)


def flat_inside(both: Both, ranges: Ranges, block: Block) -> Block:
    return Block(flat_equations(block.equations, both, ranges), block.results)


def chooses(equation: Equation, ranges: Ranges) -> bool:
    """An If of numbers whose arms have no effect and write no array that was there before them."""
    return not any(out.type.rank for out in equation.outs) and all(
        harmless(b.equations, set(), ranges) for b in blocks_of(equation.op)
    )


def harmless(equations: Iterable[Equation], made: set[object], ranges: Ranges) -> bool:
    """Whether equations only make values, and may whatever the condition: no place they read is outside its array.

    `made`: arrays made among them, which they may write.
    """
    for equation in equations:
        op = equation.op
        if isinstance(op, Apply):
            if (
                op.primitive.effect
                or not inside_array(op, ranges)
                or (writes(op) and op.operands[0] not in made)
            ):
                return False
            made.update(o for o in equation.outs if writes(op) or op.primitive.name in ("empty", "full"))
        elif isinstance(op, For):
            made.update(p for p, init in zip(op.carried, op.init, strict=True) if init in made)
            if not known(op) or not harmless(op.body.equations, made, {**ranges, op.index: counted(op)}):
                return False
            made.update(o for o, p in zip(equation.outs, op.carried, strict=True) if p in made)
        elif not all(harmless(b.equations, made, ranges) for b in blocks_of(op)):
            return False
    return True


def inside_array(op: Apply, ranges: Ranges) -> bool:
    """Whether the places of an index or a write are inside their array, as far as one sees at once."""
    if op.primitive.name not in ("index", "update", "accumulate"):
        return True
    places = op.operands[1 if op.primitive.name == "index" else 2 :]
    return all(
        isinstance(n, int)
        and (0 <= place.value < n if isinstance(place, Lit) else within(ranges.get(place), n))
        for place, n in zip(places, op.operands[0].type.shape, strict=False)
    )


def within(values: range | None, n: int) -> bool:
    return values is not None and (not values or (min(values) >= 0 and max(values) < n))


def writes(op: Apply) -> bool:
    return op.primitive.name in ("update", "accumulate")
