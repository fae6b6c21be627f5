"""Updates moved behind the last read of the array they overwrite, so that no copy is needed.

    y = update x, v, i                 t = index x, j
    t = index x, j             ->      y = update x, v, i

Only equations that do not depend on the new array pass in front of the update; effects keep their order,
and no read of another array moves behind a write of that one.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.ir import Apply, Block, Equation, For, If, Operation, Var, While
from codegen.rename import blocks, free

UPDATES = ("update", "accumulate")


def sink(block: Block) -> Block:
    """`block` with its updates, and those of inner blocks, as late as the reads of their arrays ask."""
    equations = [replace(e, op=sink_inner(e.op)) for e in block.equations]
    for update in [e for e in equations if is_update(e)]:
        equations = behind_reads(equations, equations.index(update), block) or equations
    return Block(tuple(equations), block.results)


def sink_inner(op: Operation) -> Operation:
    match op:
        case If():
            return replace(op, then=sink(op.then), orelse=sink(op.orelse))
        case For():
            return replace(op, body=sink(op.body))
        case While():
            return replace(op, cond=sink(op.cond), body=sink(op.body))
        case _:
            return op


def is_update(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.name in UPDATES


def behind_reads(equations: list[Equation], k: int, block: Block) -> list[Equation] | None:
    """The update at k moved behind the last read of its array; None if that cannot or need not be."""
    update = equations[k]
    assert isinstance(update.op, Apply)
    old = views(equations[:k], update.op.operands[0])
    if not old.isdisjoint(r for r in block.results if isinstance(r, Var)):
        return None
    readers = [m for m in range(k + 1, len(equations)) if not old.isdisjoint(free(equations[m].op))]
    if not readers:
        return None
    window = equations[k + 1 : readers[-1] + 1]
    before, after = split(window, update)
    if any(not old.isdisjoint(free(e.op)) for e in after) or not passes([update, *after], before, window):
        return None
    return [*equations[:k], *before, update, *after, *equations[readers[-1] + 1 :]]


def views(equations: list[Equation], array: object) -> set[Var]:
    """The array and what earlier equations made views of it."""
    found = {array} if isinstance(array, Var) else set()
    for equation in equations:
        op = equation.op
        view = isinstance(op, Apply) and op.primitive.name in VIEWS and op.operands[0] in found
        if view and equation.outs[0].type.rank:
            found.add(equation.outs[0])
    return found


VIEWS = ("index", "reshape", "transpose", "broadcast_to", "stop_gradient")


def split(window: list[Equation], update: Equation) -> tuple[list[Equation], list[Equation]]:
    """The equations that do not depend on the update's array, and those that do."""
    new = set(update.outs)
    before: list[Equation] = []
    after: list[Equation] = []
    for equation in window:
        if new.isdisjoint(free(equation.op)):
            before.append(equation)
        else:
            after.append(equation)
            new.update(equation.outs)
            new.update(n for o in equation.outs for n in o.type.shape if isinstance(n, Var))
    return before, after


def passes(late: list[Equation], early: list[Equation], window: list[Equation]) -> bool:
    """Whether `late` may follow `early`: effects stay in order, and nothing read late is written early."""
    if any(acts(e) for e in late) and any(acts(e) for e in early):
        return False
    written = {a for e in early for a in written_by(e)}
    return all(written.isdisjoint(free(e.op)) for e in late)


def acts(equation: Equation) -> bool:
    """Whether an equation has an effect, at any depth."""
    if isinstance(equation.op, Apply):
        return equation.op.primitive.effect
    return any(acts(e) for b in blocks(equation.op) for e in b.equations)


def written_by(equation: Equation) -> list[Var]:
    """The arrays an equation writes, at any depth."""
    found = [equation.op.operands[0]] if is_update(equation) and isinstance(equation.op, Apply) else []
    inner = [a for b in blocks(equation.op) for e in b.equations for a in written_by(e)]
    return [a for a in (*found, *inner) if isinstance(a, Var)]
