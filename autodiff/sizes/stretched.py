"""Cotangents of axes that may have been stretched are summed where they were; what takes them is in the branches.

    t = z_bar if n == m else np.full(n, np.sum(z_bar))           if n == m:
    x_bar[i:] += t                                     ->            x_bar[i:] += z_bar
                                                                 else:
                                                                     x_bar[i:] += np.sum(z_bar)

Where nothing was stretched, as nearly always, no array is made for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from codegen.ir import Apply, Atom, Block, Equation, If, Program, Var
from codegen.ir.kinds import Access, Made, Reduction, Same
from codegen.ir.substitution import clone, reads, sizes
from codegen.ir.traversal import operands, with_bodies, with_inner


def taken_in_branches(program: Program) -> Program:
    """`program` with what takes such a cotangent, and nothing else does, in both branches."""
    return with_bodies(program, in_branches)


def in_branches(block: Block) -> Block:
    """A block in which sums of stretched axes, and what they are of, are where they are needed."""
    equations = [changed_inside(equation) for equation in block.equations]
    if not any(map(is_sum_or_same, equations)):
        return Block(tuple(equations), block.results)
    used = Counter(operands(Block(tuple(equations), block.results)))
    k = 0
    while k < len(equations):
        equation = equations[k]
        at = taker(equations, k) if is_sum_or_same(equation) and used[equation.outs[0]] == 1 else None
        if at is None:
            k += 1
            continue
        assert isinstance(equation.op, If)
        into = reads(equations[at].op)[0]
        equations[at] = with_taker(equation.op, equation.outs[0], equations[at], sizes_before(equations, at))
        del equations[k]
        k -= with_producers(equations, at - 1, used, into)
    return Block(tuple(equations), block.results)


def changed_inside(equation: Equation) -> Equation:
    op = with_inner(equation.op, in_branches)
    return equation if op is equation.op else replace(equation, op=op)


def is_sum_or_same(equation: Equation) -> bool:
    """Whether an equation gives an array as it is, or sums of it spread."""
    op = equation.op
    if not isinstance(op, If) or len(equation.outs) != 1 or not equation.outs[0].type.rank:
        return False
    sums = all(isinstance(e.op, Apply) and is_sum_or_spread(e.op) for e in op.orelse.equations)
    return sums and not op.then.equations and isinstance(op.then.results[0], Var)


def is_sum_or_spread(op: Apply) -> bool:
    kind = op.primitive.kind
    return (
        kind in (Reduction.SUM, Made.FULL) or kind is Access.READ and {":", "n"}.issuperset(op.params["spec"])
    )


def taker(equations: Sequence[Equation], k: int) -> int | None:
    """Which of the equations after the k-th reads what that one gives, if it adds that to something."""
    (value,) = equations[k].outs
    for at in range(k + 1, len(equations)):
        op = equations[at].op
        if isinstance(op, Apply) and value in op.operands:
            return at if op.primitive.kind is Access.ADD and op.operands[1] is value else None
    return None


def with_producers(equations: list[Equation], at: int, used: Counter[Atom], into: Atom) -> int:
    """Move what is computed element by element for a choice alone into its branches, but what these add to; how many
    equations these are."""
    moved = 0
    inside = Counter(operands(Block((equations[at],), ())))
    for k in range(at - 1, -1, -1):
        producer, choice = equations[k], equations[at - moved]
        op, asked = producer.op, choice.op
        assert isinstance(asked, If)
        if not isinstance(op, Apply) or not producer.outs or not producer.outs[0].type.rank:
            continue
        by_elements = op.primitive.family == "elementwise" or op.primitive.kind is Same.BROADCAST
        out = producer.outs[0]
        is_alone = by_elements and out is not into and 0 < inside[out] == used[out]
        if is_alone and sizes_before(equations, k).keys() >= {*sizes(out.type)}:
            there = sizes_before(equations, at - moved)  # where the choice is
            sides = (
                clone(Block((producer, *side.equations), side.results), there)
                for side in (asked.then, asked.orelse)
            )
            equations[at - moved] = replace(choice, op=If(asked.test, *sides))
            inside.update(2 * reads(op))  # once in each branch
            used.update(reads(op))
            del equations[k]
            moved += 1
    return moved


def sizes_before(equations: Sequence[Equation], at: int) -> dict[Var, Atom]:
    """The sizes that equations before a place mention, or that one reads: they are in scope there, and stay what they
    are in copies of it."""
    found: dict[Var, Atom] = {}
    for equation in equations[:at]:
        found.update((d, d) for out in equation.outs for d in sizes(out.type))
    for atom in operands(Block(tuple(equations[: at + 1]), ())):
        found.update((d, d) for d in (*sizes(atom.type), atom) if isinstance(d, Var))
    return found


def with_taker(choice: If, value: Var, taken: Equation, there: dict[Var, Atom]) -> Equation:
    """The equation that takes the value, in both branches; `there`: the sizes in scope."""

    def side(block: Block) -> Block:
        assert isinstance(taken.op, Apply)
        given: list[Atom] = [block.results[0] if o is value else o for o in taken.op.operands]
        own = tuple(Var(out.name, out.type) for out in taken.outs)
        last = Equation(own, replace(taken.op, operands=tuple(given)), taken.span)
        return clone(Block((*block.equations, last), own), there)

    return replace(taken, op=If(choice.test, side(choice.then), side(choice.orelse)))
