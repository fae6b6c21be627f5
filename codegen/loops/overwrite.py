"""Loops that make an array anew, each element out of the old one alone, write over it: overwrite : Program -> Program.

for _ in range(steps):                 for _ in range(steps):
    y = np.empty(n)                        for i in range(n):
    for i in range(n):          ->             x[i] = x[i] + a[i]
        y[i] = x[i] + a[i]
    x = y
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from codegen.analysis.definitions import definitions, is_empty
from codegen.analysis.equal_sizes import equal_sizes
from codegen.ir import Apply, Atom, Equation, For, Program, Var, While
from codegen.ir.kinds import Access
from codegen.ir.substitution import free, reads
from codegen.ir.traversal import with_bodies, with_equations


def overwrite(program: Program) -> Program:
    """`program` whose loops carry on in the memory of an array, where they made another of it place by place."""
    return with_bodies(program, lambda body: with_equations(body, overwriting))


def overwriting(equation: Equation) -> Sequence[Equation]:
    """A loop that fills what it carries in place; other equations as they are."""
    loop = equation.op
    if isinstance(loop, For | While):
        for param, result in zip(loop.carried, loop.body.results, strict=True):
            is_kept = not param.type.rank or param in loop.body.results
            if not is_kept and (made := filled_in_place(loop.body.equations, param, result)):
                loop = replace(loop, body=replace(loop.body, equations=made))
    return [replace(equation, op=loop)]


def filled_in_place(equations: Sequence[Equation], param: Var, result: Atom) -> tuple[Equation, ...] | None:
    """A loop's body that fills `param` itself where it made an array, `result`; None where it must not."""
    made_by = definitions(equations)
    found, k = made_by.get(result, (None, 0))
    if found is None or not isinstance(found.op, For):
        return None
    nest, array = found.op, found.op.init[k]
    begun, _ = made_by.get(array, (None, 0))
    at = list(equations).index(found)
    param = after_writes(equations[:at], param)
    if (
        begun is None
        or not is_empty(begun)
        or not equal_sizes(equations).alike(begun.outs[0].type, param.type)
    ):
        return None
    used = sum(array in free(e.op) for e in equations) > 1 or nest.init.count(array) > 1
    if used or param in reads(nest) or read_after(equations, at, param) or array in free(nest.body):
        return None
    if (made := in_place(nest, k, param, ())) is None:
        return None
    init = (*nest.init[:k], param, *nest.init[k + 1 :])
    over = replace(found, op=replace(made, init=init))
    return tuple(over if e is found else e for e in equations if e is not begun)


def after_writes(equations: Sequence[Equation], value: Var) -> Var:
    """An array as writes leave it, and loops that write it: they are in its memory."""
    for equation in equations:
        match equation.op:
            case For() | While() as loop if loop.init.count(value) == 1:
                value = equation.outs[loop.init.index(value)]
            case Apply() as op if op.primitive.writes and op.operands[0] is value:
                value = equation.outs[0]
    return value


def read_after(equations: Sequence[Equation], at: int, value: Var) -> bool:
    return any(value in free(e.op) for e in equations[at + 1 :])


def in_place(nest: For, k: int, param: Var, around: tuple[Var, ...]) -> For | None:
    """A nest that reads `param` where it stands in the array that it fills, its k-th carried value."""
    version, body, indices = nest.carried[k], nest.body, (*around, nest.index)
    using = [at for at, e in enumerate(body.equations) if version in free(e.op)]
    if len(using) != 1 or read_after(body.equations, using[0], param):
        return None
    at = using[0]
    last, before = body.equations[at], body.equations[:at]
    if body.results[k] not in last.outs:
        return None
    match last.op:
        case For() as inner if inner.init.count(version) == 1 and version not in free(inner.body):
            place = inner.init.index(version)
            if last.outs[place] is not body.results[k] or any(param in free(e.op) for e in before):
                return None
            made = None if param in reads(inner) else in_place(inner, place, param, indices)
            if made is None:
                return None
            done = (*before, replace(last, op=made))
        case Apply() as op if op.primitive.kind is Access.WRITE and is_at(op, 2, indices):
            if param in op.operands or version in op.operands[1:]:
                return None
            places = op.operands[2:]
            done = (*taken_from(before, param, version, places), last)
            if any(param in free(e.op) for e in done):
                return None
        case _:
            return None
    return replace(nest, body=replace(body, equations=(*done, *body.equations[at + 1 :])))


def is_at(op: Apply, first: int, indices: tuple[Var, ...]) -> bool:
    """Whether a write is at a place of its own in each iteration: at the indices of the loops, each once."""
    places = op.operands[first:]
    return set(op.params["spec"]) == {"i"} and len(places) == len(indices) and set(places) == set(indices)


def taken_from(
    equations: Sequence[Equation], param: Var, version: Var, places: tuple[Atom, ...]
) -> Iterator[Equation]:
    """Equations that read `version` where they read `param` at these places."""
    for equation in equations:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.kind is Access.READ and op.operands == (param, *places):
            equation = replace(equation, op=replace(op, operands=(version, *places)))
        yield equation
