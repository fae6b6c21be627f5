"""Arrays of which each iteration uses its own part lose the axes of the loops: contract : Program -> Program.

    t = np.empty((n, m))                      t = np.empty(m)
    for i in range(n):                        for i in range(n):
        for j in range(m):                        for j in range(m):
            t[i, j] = exp(x[i, j])                    t[j] = exp(x[i, j])
            s += t[i, j]                ->            s += t[j]
        for j in range(m):                        for j in range(m):
            y[i, j] = t[i, j] / s                     y[i, j] = t[j] / s

What is left stays in the cache. An iteration that reads what it has not written reads what nobody has: the array was
empty, and other iterations write other parts. (Array contraction: Lewis, Lin, Snyder, PLDI 1998.) Loops that threads
share are not to use one part, so this runs where there are none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from codegen.analysis.definitions import is_empty
from codegen.analysis.own_places import never_negative, own_axes, uses
from codegen.analysis.ranges import Ranges
from codegen.ir import Apply, Atom, Block, Equation, For, Program, Type, Var
from codegen.ir.substitution import free, keep, replaced, rewrite
from codegen.ir.traversal import with_bodies, with_inner

T = TypeVar("T")


def contract(program: Program) -> Program:
    """The program with smaller arrays where iterations do not look at each other's parts."""
    return with_bodies(program, in_block)


def in_block(block: Block) -> Block:
    readers = defaultdict[Var, list[Equation]](list)
    for equation in block.equations:
        for var in free(equation.op):
            readers[var].append(equation)
    changed: dict[Equation, Equation] = {}
    for made in filter(is_empty, block.equations):
        if (loop := only_loop(made, readers, block.results)) is not None:
            changed |= zip((made, loop), without_axes(made, changed.get(loop, loop)), strict=True)
    now = (changed.get(e, e) for e in block.equations)
    return Block(tuple(replace(e, op=with_inner(e.op, in_block)) for e in now), block.results)


def without_axes(made: Equation, loop: Equation) -> tuple[Equation, ...]:
    """What makes an array and the loop that it is made for, without the axes along which iterations use their parts."""
    axes = axes_of_loops(made, loop)
    return with_smaller_array(made, loop, axes) if axes else (made, loop)


def only_loop(
    made: Equation, readers: Mapping[Var, Sequence[Equation]], results: Collection[Atom]
) -> Equation | None:
    """The loop that an array is made for: nothing else has it, and nothing uses what the loop leaves of it."""
    (array,) = made.outs
    if len(readers[array]) != 1 or array in results:
        return None
    (loop,) = readers[array]
    out = carried_as(loop, array)
    return None if out is None or out in results or readers[out] else loop


def carried_as(equation: Equation, array: Var) -> Var | None:
    """What a loop leaves of an array that it takes once, and of which it sees no more than its parameter."""
    op = equation.op
    if not isinstance(op, For) or op.init.count(array) != 1 or array in free(op.body):
        return None
    return equation.outs[op.init.index(array)]


def axes_of_loops(made: Equation, around: Equation) -> set[int]:
    """The axes along which each of the loops around all uses of an array is at its own place; one axis is left."""
    (array,), equation = made.outs, around
    assert isinstance(made.op, Apply)
    known = {
        k for k, n in enumerate(array.type.shape) if isinstance(n, int) or made.op.operands[k] is n
    }  # the other sizes come with this array
    axes: set[int] = set()
    while isinstance(loop := equation.op, For):
        k = loop.init.index(array)
        array, result = loop.carried[k], loop.body.results[k]
        own = own_axes(loop.body, array, loop.index, result) & known - axes
        if not own or len(axes) + 1 == array.type.rank or not never_negative(loop, Ranges()):
            break
        axes.add(min(own))
        users = [e for e in loop.body.equations if {array, result} & {*free(e.op)}]
        if len(users) != 1 or carried_as(users[0], array) is not result:
            break  # another loop looks at what the first has left at all its places
        equation = users[0]
    return axes


def with_smaller_array(made: Equation, loop: Equation, axes: Collection[int]) -> tuple[Equation, ...]:
    """The two with the array that `made` makes for `loop` without these axes."""
    versions = {made.outs[0]}
    for _ in uses(Block((loop,), ()), versions):
        pass
    smaller = {v: Var(v.name, Type(v.type.dtype, drop_axes(v.type.shape, axes))) for v in versions}

    def binder(var: Var, env: dict[Var, Atom]) -> Var:
        if var not in smaller:
            return keep(var, env)
        env[var] = smaller[var]
        return smaller[var]

    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        op = equation.op
        if equation is made:
            assert isinstance(op, Apply)
            change = Apply(op.primitive, drop_axes(op.operands, axes), op.params)
        elif isinstance(op, Apply) and op.primitive.accesses and op.operands[0] in versions:
            change = without_places(op, axes, env)
        else:
            return None
        return [Equation(tuple(binder(o, env) for o in equation.outs), change, equation.span)]

    return rewrite(Block((made, loop), ()), {}, binder, expand).equations


def without_places(op: Apply, axes: Collection[int], env: Mapping[Var, Atom]) -> Apply:
    """The read or write of an element of the smaller array."""
    first = op.primitive.first_place
    operands = replaced(op.operands, env)
    places = drop_axes(operands[first:], axes)
    return Apply(op.primitive, (*operands[:first], *places), {**op.params, "spec": ("i",) * len(places)})


def drop_axes(parts: tuple[T, ...], axes: Collection[int]) -> tuple[T, ...]:
    """All but those of these axes."""
    return tuple(part for k, part in enumerate(parts) if k not in axes)
