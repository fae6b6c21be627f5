"""Which equations lanes side by side can run as one vector: split_blocks : BlockProgram -> BlockProgram.

    8 leaf: u = draw_random rng; q = add x (mul h p); ...          8 leaf:    u = draw_random rng; jump 9
                                                            ->     9 leaf, lanes side by side: q = add x (mul h p); ...

A compiler turns a loop over lanes into vector instructions where every lane runs the same arithmetic on rows of
memory: not where one draws random numbers, reads or writes at a place of its own, or calls a function of the C
library. A block that has enough of the first kind is cut, so that the two kinds are in blocks of their own; what can
be done earlier without waiting for anything comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from autobatch.cfg.cost import cost, element_estimate
from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Jump,
    edges,
    variables_read,
)
from autobatch.cfg.optimise import retargeted
from autobatch.cfg.spilling import Storage, assign_storage
from autobatch.cost_model import (
    DUPLICATED_EQUATIONS,
    LONG_SHARE,
    ONLY_BLOCK_COST,
    REPEATED_BLOCK_COST,
    ROW_COST,
    UNWAITED_COST,
    VECTOR_BLOCK_COST,
    WAITING_SHARE,
)
from autobatch.schedule import weights
from autobatch.simd.vectorisable import (
    all_inside,
    in_any_order,
    is_tall,
    is_vector,
    long_inside,
    may_diverge,
    vector,
)
from codegen.analysis.effects import acts
from codegen.ir import Apply, Call, Equation, Program, Var
from codegen.ir.substitution import blocks as blocks_of

# Whether lanes can run them side by side, and equations one after the other.
Run = tuple[bool, list[Equation]]


def is_met(equation: Equation, program: Program) -> bool:
    """A long loop in which lanes wait for each other: in others each goes round by itself."""
    if not may_diverge(equation):
        return False
    inside = blocks_of(equation.op)
    body = [e for block in inside for e in block.equations]
    if any(isinstance(e.op, Call) for e in body):
        return True
    if all(map(is_vector, inside)):
        half = 2.0 * cost([equation], program) >= cost(program.entry.body.equations, program)
        return cost(body, program) >= (ONLY_BLOCK_COST if half else REPEATED_BLOCK_COST)
    return any(wide for wide, _ in worthy(program, split_runs(body), ROW_COST))


def fills_vectors_alone(program: BlockProgram) -> bool:
    """Whether a lane by itself fills vectors: its long loops go through arrays, in any order, and sum nothing."""
    found = [e for block in program.blocks for e in block.equations if is_tall(e)]
    return bool(found) and all(in_any_order(e) for e in found)


def split_blocks(program: BlockProgram, handed: float = ROW_COST) -> BlockProgram:
    """The program with its blocks cut where that pays: where lanes then run a part of a block side by side.

    `handed`: operations that an element costs which one part leaves for the next.
    """
    where = assign_storage(program)
    cut = [list(split_block(program, where, k, handed)) for k in range(len(program.blocks))]
    wide = iter(wide_blocks(with_parts(program, cut)))
    chosen = [any(list(islice(wide, len(each)))) for each in cut]
    return with_parts(
        program, [each if c else [b] for each, c, b in zip(cut, chosen, program.blocks, strict=True)]
    )


def with_parts(program: BlockProgram, lists: Sequence[Sequence[BasicBlock]]) -> BlockProgram:
    """The program with each block as the blocks it was cut into, one after the other."""
    number = {k: sum(map(len, lists[:k])) for k in range(len(lists))}
    made: list[BasicBlock] = []
    for each in lists:
        for n, block in enumerate(each):
            last = n == len(each) - 1
            made.append(retargeted(block, number) if last else replace(block, terminator=Jump(len(made) + 1)))
    functions = {name: replace(f, entry=number[f.entry]) for name, f in program.functions.items()}
    return replace(program, blocks=tuple(made), functions=functions)


def split_block(program: BlockProgram, where: Storage, k: int, handed: float) -> Iterable[BasicBlock]:
    """A block as the blocks it is cut into, the last with its terminator."""
    block = program.blocks[k]
    runs = worthy(program.program, split_runs(block.equations), handed)
    if len(runs) == 1 and not runs[0][0]:
        yield block
        return
    if runs[0][0] and where.popped(program, k):
        runs.insert(0, (False, []))
    if runs[-1][0] and where.pushes.get(k):
        runs.append((False, []))
    for n, (_, run) in enumerate(runs):
        name = block.name if n == 0 else f"{block.name} {n + 1}"
        price = cost(run, program.program)
        last = n == len(runs) - 1
        yield replace(
            block, name=name, equations=tuple(run), cost=price,
            arrives=block.arrives if n == 0 else (),
            terminator=block.terminator if last else Jump(-1),
        )  # fmt: skip


def worthy(program: Program, runs: list[Run], handed: float) -> list[Run]:
    """The runs, those where waiting for other lanes does not pay joined to the ones around them."""
    made: list[Run] = []
    earlier: set[Var] = set()
    for wide, run in runs:
        left = earlier & {v for e in run for v in variables_read(e)}
        wide = (
            wide
            and cost(run, program) - handed * sum(element_estimate(v.type) for v in left) >= VECTOR_BLOCK_COST
        )
        if made and not wide and not made[-1][0]:
            made[-1][1].extend(run)
        else:
            made.append((wide, list(run)))
        earlier.update(v for e in run for v in e.outs)
    return made


def split_runs(equations: Iterable[Equation]) -> list[Run]:
    """Equations in runs of one kind, each as early as what it reads and what has an effect allow.

    What a run of one lane at a time needs of cheap arithmetic is done in it: it need not wait for the vectors. A check
    is in it where something comes later that lanes do one at a time, and that they may do only where it holds.
    """
    waiting = list(equations)
    runs: list[Run] = []
    wide = False
    while waiting:
        run: list[Equation] = []
        held: dict[Var, Equation] = {}
        rest: list[Equation] = []
        closed = False
        guards = guarding(waiting)
        for equation in waiting:
            effect = isinstance(equation.op, Apply) and equation.op.primitive.effect
            fits = equation in guards or vector(equation) == wide
            blocked = closed and (acts(equation) or is_guarded(equation))
            if fits and not blocked and not wide:
                for cheap in cheap_ones(equation, held):
                    rest.remove(cheap)
                    run.append(cheap)
                    held = {out: e for out, e in held.items() if e is not cheap}
            if blocked or not fits or not held.keys().isdisjoint(variables_read(equation)):
                rest.append(equation)
                held.update(dict.fromkeys(equation.outs, equation))
                closed = closed or acts(equation)
            elif effect and rest:
                rest.append(equation)
                closed = True
            else:
                run.append(equation)
        if run:
            runs.append((wide, run))
        waiting, wide = rest, not wide
    return runs or [(False, [])]


def guarding(equations: Sequence[Equation]) -> set[Equation]:
    """The checks that something comes after which may be done only where they hold."""
    last = max((k for k, e in enumerate(equations) if is_guarded(e)), default=0)
    return {e for e in equations[:last] if isinstance(e.op, Apply) and e.op.primitive.effect}


def is_guarded(equation: Equation) -> bool:
    """Whether lanes do an equation one at a time, and it may be one that only checks before it make possible."""
    op = equation.op
    plain = isinstance(op, Apply) and not op.primitive.accesses
    return not plain and not vector(equation)


def cheap_ones(equation: Equation, held: Mapping[Var, Equation]) -> list[Equation]:
    """The equations that were held back and make what this one reads, in order, if they are few and of numbers."""
    found: list[Equation] = []
    for var in variables_read(equation):
        maker = held.get(var)
        if maker is None or maker in found:
            continue
        numbers = isinstance(maker.op, Apply) and not any(
            o.type.rank for o in (*maker.outs, *variables_read(maker))
        )
        before = cheap_ones(maker, held) if numbers else []
        still = {o for e in before for o in e.outs}
        if (
            not numbers
            or not vector(maker)
            or any(v in held and v not in still for v in variables_read(maker))
        ):
            return []
        found += [e for e in (*before, maker) if e not in found]
    return found if len(found) <= DUPLICATED_EQUATIONS else []


def vector_share(program: BlockProgram) -> float:
    """The part of a program's work that lanes can do side by side; none where loops that are long for each are more
    than a little of it: to a lane of a group its own arrays lie far apart."""
    weight, long = weights(program), [list(filter(long_inside, block.equations)) for block in program.blocks]
    apart = sum(
        w * cost(each, program.program) / max(block.cost, 1.0)
        for w, each, block in zip(weight, long, program.blocks, strict=True)
    )
    if apart > LONG_SHARE * sum(weight):
        return 0.0
    program = split_blocks(program, handed=0.0)  # what could be, whether or not it pays
    weight, wide = weights(program), wide_blocks(program)
    able = {j for k, a in enumerate(wide) if a for j in (k, *tests_after(program, k))}
    return sum(weight[k] for k in able) / max(sum(weight), 1.0)


def work_shares(program: BlockProgram, ways: Sequence[str] = ()) -> list[str]:
    """For each block what part of the work it is, as estimated, and how lanes do it."""
    weight = weights(program)
    whole = max(sum(weight), 1.0)
    done = [f", {way}" for way in ways] or [""] * len(weight)
    return [f", {w / whole:.0%} of the work{way}" for w, way in zip(weight, done, strict=True)]


def is_light(block: BasicBlock) -> bool:
    """A block that lanes side by side may run at the end of another at little cost, whether or not they have failed."""
    return (
        block.cost <= UNWAITED_COST
        and all(vector(e) for e in block.equations)
        and all_inside(block.equations, {})
    )


def goes_through(block: BasicBlock) -> bool:
    """Whether a lane that fails may go on to the block's end: nothing after a check is read that may not be there."""
    return not any(map(acts, block.equations)) or all_inside(block.equations, {})


def may_repeat(program: BlockProgram, k: int) -> bool:
    """Whether a block may be followed by itself: at once, or by way of a test that leads back."""
    return k in next_blocks(program, k) or bool(tests_after(program, k))


def tests_after(program: BlockProgram, k: int) -> list[int]:
    """The tests after a block, other blocks that is, which may lead back to it."""
    tests = [
        t for t in next_blocks(program, k) if t != k and isinstance(program.blocks[t].terminator, Branch)
    ]
    return [t for t in dict.fromkeys(tests) if k in next_blocks(program, t)]


def next_blocks(program: BlockProgram, k: int) -> list[int]:
    return [e.target for e in edges(program.blocks[k])]


def wide_blocks(program: BlockProgram) -> tuple[bool, ...]:
    """For each block of a program that was put apart whether lanes run it side by side.

    They do where most of the work is. Waiting for others at a block that matters little would cost more than it saves.
    A test that leads back to a block counts as a part of it.
    """
    weight = weights(program)
    half = sum(weight) / 2.0
    able, parts = [], []
    for k, block in enumerate(program.blocks):
        tests = tests_after(program, k)
        cost = block.cost + sum(program.blocks[t].cost for t in tests)
        part = weight[k] + sum(weight[t] for t in tests)
        least = (
            (ONLY_BLOCK_COST if part >= half else REPEATED_BLOCK_COST)
            if may_repeat(program, k)
            else VECTOR_BLOCK_COST
        )
        fits = bool(block.equations) and all(map(vector, block.equations)) and goes_through(block)
        able.append(fits and cost >= least)
        parts.append(part)
    most = max((p for p, a in zip(parts, able, strict=True) if a), default=0.0)
    return tuple(a and p * WAITING_SHARE >= most for p, a in zip(parts, able, strict=True))
