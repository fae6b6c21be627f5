"""Loops that make an array anew take the memory of the one before: spare : Program -> Program.

for _ in range(steps):                 spare = np.empty(n)
    y = np.empty(n)                    for _ in range(steps):
    for i in range(n):                     for i in range(n):
        y[i] = f(x, i)          ->             spare[i] = f(x, i)
    x = y                                  x, spare = spare, x

An array that lasts for one iteration is made once, before the loop, and what it is filled with written in each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Lit, Operation, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Made, Same
from codegen.ir.substitution import blocks, brought, free, sizes
from codegen.ir.traversal import with_bodies, with_equations
from codegen.primitives import ROWS


def spare(program: Program) -> Program:
    """`program` with two arrays that loops write in turn, where they made one in each iteration."""
    return with_bodies(program, lambda body: with_equations(body, in_turn))


def in_turn(equation: Equation) -> Sequence[Equation]:
    """A loop that carries a spare array for each that it makes anew."""
    loop = equation.op
    if not isinstance(loop, For | While):
        return [equation]
    before: list[Equation] = []
    carried, init, outs = list(loop.carried), list(loop.init), list(equation.outs)
    equations, results = list(loop.body.equations), list(loop.body.results)
    outside = set(free(loop))
    arrays = brought(outside)
    for each in [e for e in equations if is_new(e)]:
        (array,) = each.outs
        last = ends_as(array, loop.body)
        if last is None or not outside.issuperset(sizes(array.type)):
            continue
        first, after, whole = (Var(array.name, array.type) for _ in range(3))
        before += emptied(each, first, arrays)
        at = equations.index(each)
        if (filled := filling(each, whole, array)) is None:
            del equations[at]
            carried.append(array)
        else:
            equations[at] = filled
            carried.append(whole)
        init.append(first)
        outs.append(after)
        results.append(last)
    for param, result in zip(loop.carried, loop.body.results, strict=True):
        begun = origin(result, equations)
        if (
            begun is None
            or param in results
            or begun.outs[0].type != param.type
            or not outside.issuperset(sizes(param.type))
        ):
            continue
        (array,) = begun.outs
        first, after = (Var(param.name, param.type) for _ in range(2))
        before.append(replace(begun, outs=(first,)))
        equations.remove(begun)
        carried.append(array)
        init.append(first)
        outs.append(after)
        results.append(param)
    if not before:
        return [equation]
    body = Block(tuple(equations), tuple(results))
    made = replace(loop, carried=tuple(carried), init=tuple(init), body=body)
    return [*before, replace(equation, outs=tuple(outs), op=made)]


def is_new(equation: Equation) -> bool:
    """Whether an equation makes an array of nothing else: empty, or filled with a number."""
    op = equation.op
    made = isinstance(op, Apply) and op.primitive.kind in (Made.EMPTY, Made.FULL)
    return made and equation.outs[0].type.rank > 0


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
            case _:
                if isinstance(op, Call) or any(ends_as(now, b) is not now for b in blocks(op)):
                    return None
    return None if {now, *past} & set(block.results) else now


def only_read(equation: Equation, op: Apply) -> bool:
    """Whether a primitive gives nothing that shares memory with what it is given."""
    if op.primitive.kind in (Same.CAST, Same.STOPPED, Same.BROADCAST):
        return False
    alone = all(not out.type.rank for out in equation.outs)
    return alone or op.primitive.family in ("elementwise", "reduce", "linalg")


def origin(result: Atom, equations: Sequence[Equation]) -> Equation | None:
    """The equation of this block that began the memory in which an array is, if one did."""
    made = {out: (e, k) for e in equations for k, out in enumerate(e.outs)}
    if not isinstance(result, Var) or result not in made:
        return None
    equation, k = made[result]
    op = equation.op
    match op:
        case Apply() if op.primitive.kind is Made.EMPTY:
            return equation
        case Apply() if op.primitive.writes:
            return origin(op.operands[0], equations)
        case For() | While() if written(op, k):
            return origin(op.init[k], equations)
        case If():
            begun = {source(b, b.results[k]) for b in blocks(op)}
            return origin(begun.pop(), equations) if len(begun) == 1 else None
    return None


def written(loop: For | While, k: int) -> bool:
    """Whether what a loop carries is the array that it was, with elements written."""
    return source(loop.body, loop.body.results[k]) is loop.carried[k]


def source(block: Block, result: Atom) -> Atom:
    """The array outside a block that one of its results is, with elements written."""
    made: dict[Var, tuple[Operation, int]] = {
        out: (e.op, k) for e in block.equations for k, out in enumerate(e.outs)
    }
    while isinstance(result, Var) and result in made:
        op, k = made[result]
        if isinstance(op, For | While) and written(op, k):
            result = op.init[k]
        elif isinstance(op, Apply) and op.primitive.writes:
            result = op.operands[0]
        else:
            break
    return result
