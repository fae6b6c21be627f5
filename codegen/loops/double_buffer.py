"""Loops that make an array anew take the memory of the one before: spare : Program -> Program.

for _ in range(steps):                 spare = np.empty(n)
    y = np.empty(n)                    for _ in range(steps):
    for i in range(n):                     for i in range(n):
        y[i] = f(x, i)          ->             spare[i] = f(x, i)
    x = y                                  x, spare = spare, x

An array that lasts for one iteration, or for a branch in it, is made once, before the loop, and what it is filled with
written in each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from codegen.analysis.definitions import definitions
from codegen.analysis.equal_sizes import equal_sizes
from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Lit, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Made, Same
from codegen.ir.substitution import blocks, brought, free, sizes
from codegen.ir.traversal import with_bodies, with_equations
from codegen.primitives import ROWS


def spare(program: Program) -> Program:
    """`program` with two arrays that loops write in turn, where they made one in each iteration."""
    return with_bodies(program, lambda body: with_equations(body, with_spares))


def with_spares(equation: Equation) -> Sequence[Equation]:
    """A loop that carries a spare array for each that it makes anew; other equations as they are."""
    loop = equation.op
    if not isinstance(loop, For | While):
        return [equation]
    before: list[Equation] = []
    carried, init, outs = list(loop.carried), list(loop.init), list(equation.outs)
    results = list(loop.body.results)
    outside = set(free(loop))
    arrays = brought(outside)

    def carry(array: Var, begun: Var, last: Atom) -> None:
        """One more array for the loop: inside it, before it, and at an iteration's end."""
        carried.append(array)
        init.append(begun)
        outs.append(Var(begun.name, begun.type))
        results.append(last)

    equations, taken = without_allocations(loop.body, outside)
    for each in taken:
        first = Var(each.array.name, each.array.type)
        before += emptied(each.made, first, arrays)
        carry(each.array, first, each.last)
    known = equal_sizes(equations)
    for param, result in zip(loop.carried, loop.body.results, strict=True):
        begun = allocation_of(result, equations)
        if (
            begun is None
            or param in results
            or not known.alike(begun.outs[0].type, param.type)
            or not outside.issuperset(asked_sizes(begun))
        ):
            continue
        first = Var(param.name, param.type)
        before.append(replace(begun, outs=(first,)))
        equations.remove(begun)
        carry(begun.outs[0], first, param)
    if not before:
        return [equation]
    body = Block(tuple(equations), tuple(results))
    made = replace(loop, carried=tuple(carried), init=tuple(init), body=body)
    return [*before, replace(equation, outs=tuple(outs), op=made)]


@dataclass(frozen=True)
class Taken:
    """An array that something made: what it is in place of that, and at the end."""

    made: Equation
    array: Var
    last: Var


def without_allocations(block: Block, outside: set[Var]) -> tuple[list[Equation], list[Taken]]:
    """A block without the arrays that it, or a branch in it, makes for itself, of sizes from outside."""
    equations: list[Equation] = []
    taken: list[Taken] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, If):
            equation, found = branches_without_allocations(equation, op, outside)
            taken += found
        elif makes_array(equation) and outside.issuperset(asked_sizes(equation)):
            (array,) = equation.outs
            if (last := ends_as(array, block)) is not None:
                whole = Var(array.name, array.type)
                filled = filling(equation, whole, array)
                taken.append(Taken(equation, whole if filled else array, last))
                equations += [filled] if filled else []
                continue
        equations.append(equation)
    return equations, taken


def branches_without_allocations(
    equation: Equation, op: If, outside: set[Var]
) -> tuple[Equation, list[Taken]]:
    """A branch that hands on what its sides would have made, and these arrays."""
    outs, taken = list(equation.outs), []
    bodies, results = [], [list(op.then.results), list(op.orelse.results)]
    for k, side in enumerate(blocks(op)):
        body, found = without_allocations(side, outside)
        bodies.append(body)
        for each in found:
            results[k].append(each.last)
            results[1 - k].append(each.array)
            outs.append(Var(each.last.name, each.last.type))
            taken.append(replace(each, last=outs[-1]))
    sides = [Block(tuple(b), tuple(r)) for b, r in zip(bodies, results, strict=True)]
    return (replace(equation, outs=tuple(outs), op=If(op.test, *sides)), taken) if taken else (equation, [])


def makes_array(equation: Equation) -> bool:
    """Whether an equation makes an array of nothing else: empty, or filled with a number."""
    op = equation.op
    made = isinstance(op, Apply) and op.primitive.kind in (Made.EMPTY, Made.FULL)
    return made and equation.outs[0].type.rank > 0


def asked_sizes(equation: Equation) -> set[Var]:
    """The sizes that an array is made with, and those in its type."""
    op = equation.op
    assert isinstance(op, Apply)
    asked = op.operands[op.primitive.first_size :]
    return {*sizes(equation.outs[0].type), *(d for d in asked if isinstance(d, Var))}


def emptied(equation: Equation, out: Var, arrays: Collection[Var]) -> Sequence[Equation]:
    """The array, empty; what no array has for a size may be below 0 where the loop is not run."""
    op = equation.op
    assert isinstance(op, Apply)
    b = Builder(span=equation.span, checked=False)
    dims = op.operands[op.primitive.first_size :]
    sure = [d if isinstance(d, Lit) or d in arrays else b.apply("maximum", d, 0) for d in dims]
    b.emit((out,), Apply(ROWS["empty"], tuple(map(b.atom, sure)), {"dtype": out.type.dtype}))
    return b.equations


def filling(equation: Equation, array: Var, out: Var) -> Equation | None:
    """What fills it, if anything does."""
    op = equation.op
    assert isinstance(op, Apply)
    if op.primitive.kind is Made.EMPTY:
        return None
    spec = (":",) * array.type.rank
    return replace(equation, outs=(out,), op=Apply(ROWS["update"], (array, op.operands[0]), {"spec": spec}))


def ends_as(array: Var, block: Block) -> Var | None:
    """What an array that is made in a block is at its end, written to and read by elements or as a whole.

    None where anything may share its memory for longer: a result, a view of it, what a call gives.
    """
    now = array
    past: set[Atom] = set()
    for equation in block.equations:
        op = equation.op
        read = set(free(op))
        if read & past:
            return None
        if now not in read:
            continue
        match op:
            case For() | While() if now in op.init:
                k = op.init.index(now)
                inside = ends_as(op.carried[k], replace(op.body, results=()))
                again = op.init.count(now) > 1 or any(now in free(b) for b in blocks(op))
                if again or inside is None or inside is not op.body.results[k]:
                    return None
                past.add(now)
                now = equation.outs[k]
            case Apply() if op.primitive.writes and op.operands[0] is now:
                if now in op.operands[1:]:
                    return None
                past.add(now)
                now = equation.outs[0]
            case Apply():
                if not only_read(equation, op):
                    return None
            case If():
                last = ends_of_sides(now, equation, op)
                if last is None:
                    return None
                if last is not now:
                    past.add(now)
                    now = last
            case _:
                if isinstance(op, Call) or any(ends_as(now, b) is not now for b in blocks(op)):
                    return None
    return None if {now, *past} & set(block.results) else now


def ends_of_sides(array: Var, equation: Equation, op: If) -> Var | None:
    """The same of an array that the sides of a branch read or write: what both hand on, or itself where none writes."""
    sides = blocks(op)
    ends = [ends_as(array, replace(side, results=())) for side in sides]
    if None in ends:
        return None
    slots = [k for k, pair in enumerate(zip(op.then.results, op.orelse.results)) if [*pair] == ends]
    rest = [tuple(r for k, r in enumerate(side.results) if k not in slots) for side in sides]
    if len(slots) > 1 or any(ends_as(array, replace(s, results=r)) is None for s, r in zip(sides, rest)):
        return None
    if slots:
        return equation.outs[slots[0]]
    return array if all(end is array for end in ends) else None


def only_read(equation: Equation, op: Apply) -> bool:
    """Whether a primitive gives nothing that shares memory with what it is given."""
    if op.primitive.kind in (Same.CAST, Same.STOPPED, Same.BROADCAST):
        return False
    alone = all(not out.type.rank for out in equation.outs)
    return alone or op.primitive.family in ("elementwise", "reduce", "linalg")


def allocation_of(result: Atom, equations: Sequence[Equation]) -> Equation | None:
    """The equation among these that began the memory in which an array is, if one did."""
    made = definitions(equations)
    equation, k = made.get(source(result, equations), (None, 0))
    match equation and equation.op:
        case Apply(primitive) if primitive.kind is Made.EMPTY:
            return equation
        case If() as op:
            begun = {source(b.results[k], b.equations) for b in blocks(op)}
            return allocation_of(begun.pop(), equations) if len(begun) == 1 else None
    return None


def source(result: Atom, equations: Sequence[Equation]) -> Atom:
    """The array that a result of some equations is, with elements written."""
    made = definitions(equations)
    while result in made:
        equation, k = made[result]
        match equation.op:
            case Apply(primitive, operands) if primitive.writes:
                result = operands[0]
            case For() | While() as op if source(op.body.results[k], op.body.equations) is op.carried[k]:
                result = op.init[k]
            case _:
                break
    return result
