"""Sums over the places where a mask holds are taken over all places, where what is summed is cheap:

    for i in range(len(places)):               for i in range(len(mask)):
        s = s + x[places[i]] ** 2      ->          s = s + (x[i] ** 2 if mask[i] else 0.0)

`masked_sums : Program -> Program`. Nobody looks for the places then, and the loop is one of vectors, which is joined
with the one that makes the mask. So are writes to these places, such as what derivatives add there: elsewhere what is
there is written again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Operation, Program, Type, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access, Arithmetic, Made, Vector
from codegen.ir.literals import size_atom
from codegen.ir.substitution import reads, replaced
from codegen.ir.traversal import binds, operands, with_bodies, with_inner, within
from codegen.loops.vectors.vectorise import is_small_power
from codegen.primitives import ROWS

CHEAP = 10.0  # operations of what is computed where nobody asks for it


def masked_sums(program: Program) -> Program:
    return with_bodies(program, with_masked_sums)


def with_masked_sums(block: Block) -> Block:
    inner = [replace(e, op=with_inner(e.op, with_masked_sums)) for e in block.equations]
    block = replace(block, equations=tuple(inner))
    for equation in inner:
        if isinstance(equation.op, Apply) and equation.op.primitive.kind is Made.PLACES:
            block = without_list_of_places(block, equation, equation.op.operands[0])
    return block


def without_list_of_places(block: Block, made: Equation, mask: Atom) -> Block:
    """A block without the places of a mask, if nothing but such sums are taken over them, and such writes."""
    (places,) = made.outs
    (count,) = places.type.shape
    users = {e for e in block.equations if any(places in reads(each.op) for each in within(e))}
    has_arrays = any(count in v.type.shape for e in block.equations for v in binds(e) if v is not places)
    if has_arrays or places in block.results or not isinstance(count, Var):
        return block
    if not all(isinstance(e.op, For) and is_cheap_at_places(e.op, places, count) for e in users):
        return block
    is_asked = Counter(operands(block))[count] > len(users)  # beside the ends of the loops
    equations: list[Equation] = []
    for e in block.equations:
        if e is made:
            equations += [counting(mask, count)] if is_asked else []
        elif isinstance(e.op, For) and e in users:
            equations.append(replace(e, op=under_mask(e.op, places, mask)))
        else:
            equations.append(e)
    return replace(block, equations=tuple(equations))


def is_cheap_at_places(loop: Operation, places: Var, count: Var) -> bool:
    """Whether a loop over places adds up numbers, or writes them there, each of which is cheap and comes of what arrays
    have there."""
    if not isinstance(loop, For) or loop.kind == "threads" or loop.stop is not count:
        return False
    if not isinstance(loop.start, Lit) or loop.start.value != 0:
        return False
    uses = Counter(operands(loop.body))
    makers: dict[Atom, Operation] = {out: e.op for e in loop.body.equations for out in e.outs}
    there: set[Atom] = {out for out, op in makers.items() if is_place(op, places, loop.index)}
    if uses[loop.index] != len(there) or uses[places] != len(there):
        return False
    totals: set[Atom] = set()
    for p, r in zip(loop.carried, loop.body.results, strict=True):
        if uses[p] != 1 or r not in makers:
            return False
        is_sum = loop.kind == "parallel" and adds_to(makers[r], p)
        if not is_sum and not puts_at(makers[r], p, there):
            return False
        totals.add(r)
    return all(
        r in totals
        or isinstance(op, Apply)
        and (is_place(op, places, loop.index) or is_safe_anywhere(op, there))
        for r, op in makers.items()
    )


def is_place(op: Operation, places: Var, index: Var) -> bool:
    """Whether this is the place of an iteration."""
    return isinstance(op, Apply) and op.primitive.kind is Access.READ and op.operands == (places, index)


def is_safe_anywhere(op: Apply, there: set[Atom]) -> bool:
    """Whether this is a few instructions, which are safe wherever the mask holds or not."""
    if op.primitive.kind is Access.READ:
        return op.params["spec"] == ("i",) and op.operands[1] in there
    plain = op.primitive.vector is Vector.PLAIN and not op.primitive.of_ints and op.primitive.cost <= CHEAP
    of_numbers = op.primitive.family == "elementwise" and not any(o.type.rank for o in op.operands)
    return of_numbers and (plain or is_small_power(op))


def adds_to(op: Operation, total: Atom) -> bool:
    """Whether this adds to a total."""
    is_number = not total.type.rank
    return (
        is_number and isinstance(op, Apply) and op.primitive.kind is Arithmetic.ADD and total in op.operands
    )


def puts_at(op: Operation, array: Var, there: set[Atom]) -> bool:
    """Whether this writes a number of the array's dtype at one of the places, or adds it."""
    if not isinstance(op, Apply) or op.primitive.kind not in (Access.WRITE, Access.ADD):
        return False
    changed, value, *places = op.operands
    is_there = op.params["spec"] == ("i",) and places[0] in there
    return changed is array and is_there and value.type.dtype == array.type.dtype


def under_mask(loop: For, places: Var, mask: Atom) -> For:
    """The sums over all places, of 0 where the mask does not hold, and writes of what is there."""
    b = Builder(checked=False)
    there = b.apply("index", mask, loop.index, spec=("i",))
    here: dict[Var, Atom] = {}
    for equation in loop.body.equations:
        op = equation.op
        assert isinstance(op, Apply)
        if is_place(op, places, loop.index):
            here[equation.outs[0]] = loop.index
            continue
        given = replaced(op.operands, here)
        if op.primitive.writes:
            array, value, place = given
            before = b.apply("index", array, place, spec=("i",))
            after = before + b.wrap(value) if op.primitive.kind is Access.ADD else value
            chosen = b.apply("select", there, after, before)
            op, given = Apply(ROWS["update"], (), op.params), (array, b.atom(chosen), place)
        elif not set(given).isdisjoint(loop.carried):
            total = next(x for x in given if x in loop.carried)
            (term,) = (x for x in given if x is not total)
            zero = Lit(np.dtype(term.type.dtype).type(0).item(), Type(term.type.dtype))
            given = total, b.atom(b.apply("select", there, term, zero))
        b.equations.append(replace(equation, op=replace(op, operands=given)))
    body = Block(tuple(b.equations), loop.body.results)
    return replace(loop, stop=size_atom(mask.type.shape[0]), body=body, kind="parallel")


def counting(mask: Atom, count: Var) -> Equation:
    """How many places there are."""
    b, k, total = Builder(checked=False), Var("i", SIZE), Var(count.name, SIZE)
    there = b.apply("index", mask, k, spec=("i",))
    more = b.wrap(total) + b.apply("select", there, 1, 0)
    stop, zero = size_atom(mask.type.shape[0]), Lit(0, SIZE)
    return Equation((count,), For(k, zero, stop, 1, (total,), (zero,), b.block((more,)), "parallel"))
