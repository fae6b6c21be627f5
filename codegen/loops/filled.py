"""What an iteration finds at its own place of an array that was filled with a number is that number: without_fills.

    t = np.ones(n)                      t = np.empty(n)
    for i in range(n):                  for i in range(n):
        t[i] += f(i)             ->         t[i] = 1.0 + f(i)
        y[i] = g(t[i])                      y[i] = g(t[i])

Afterwards `simplify` forwards what is written, and an array that nobody else reads is gone.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.analysis.own_places import own_axes
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Program, Type, Var
from codegen.ir.kinds import Access, Made
from codegen.ir.substitution import keep, rewrite
from codegen.ir.traversal import with_bodies, with_inner
from codegen.primitives.row import ROWS
from codegen.simplify.driver import use_counts


def without_fills(program: Program) -> Program:
    return with_bodies(program, with_empty_arrays)


def with_empty_arrays(block: Block) -> Block:
    """A block whose loops begin with empty arrays where they can."""
    counts, made = use_counts(block), dict[Var, Equation]()
    equations: dict[Equation, Equation] = {}
    for equation in block.equations:
        op = equation.op
        now = replace(equation, op=with_inner(op, with_empty_arrays))
        if isinstance(op, Apply) and op.primitive.kind is Made.FULL and counts[equation.outs[0]] == 1:
            made[equation.outs[0]] = equation
        for k, init in enumerate(op.init) if isinstance(op, For) else ():
            if isinstance(init, Var) and init in made:
                value = made[init].op.operands[0]  # type: ignore[union-attr]
                assert isinstance(now.op, For)
                if isinstance(value, Lit) and (loop := begun_with(now.op, k, value)) is not None:
                    now = replace(now, op=loop)
                    equations[made[init]] = left_empty(made[init])
        equations[equation] = now
    return replace(block, equations=tuple(equations.values()))


def left_empty(equation: Equation) -> Equation:
    op = equation.op
    assert isinstance(op, Apply)
    return replace(equation, op=Apply(ROWS["empty"], op.operands[1:], {"dtype": op.params["dtype"]}))


def begun_with(loop: For, k: int, value: Lit) -> For | None:
    """The loop without looks at what carried array k was filled with, if each iteration has a place of it, which it
    writes before it is read but for the number."""
    array = loop.carried[k]
    size = array.type.shape[0] if array.type.rank == 1 else None
    covers = size is loop.stop or isinstance(loop.stop, Lit) and size == loop.stop.value
    own = own_axes(loop.body, array, loop.index, loop.body.results[k])
    if not (covers and own) or loop.step != 1 or not isinstance(loop.start, Lit) or loop.start.value != 0:
        return None
    found = Lit(value.value, Type(array.type.dtype))
    touching = [e for e in loop.body.equations if isinstance(e.op, Apply) and array in e.op.operands]
    ops = [e.op for e in touching if isinstance(e.op, Apply)]
    if use_counts(loop.body)[array] != len(ops) or not all(
        touches_place(op, array, loop.index) for op in ops
    ):
        return None
    if [op.primitive.kind in (Access.WRITE, Access.ADD) for op in ops].count(True) != 1:
        return None

    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        if equation not in touching:
            return None
        op = equation.op
        assert isinstance(op, Apply)
        if op.primitive.kind is Access.READ:
            env[equation.outs[0]] = found
            return []
        if op.primitive.kind is not Access.ADD:
            return None
        _, term, place = (env.get(o, o) if isinstance(o, Var) else o for o in op.operands)
        total = Var("t", found.type)
        return [
            replace(equation, outs=(total,), op=Apply(ROWS["add"], (found, term))),
            replace(equation, op=Apply(ROWS["update"], (array, total, place), op.params)),
        ]

    return replace(loop, body=rewrite(loop.body, {}, keep, expand))


def touches_place(op: Apply, array: Var, index: Var) -> bool:
    """Whether an operation reads, writes or adds to one place of the array, with a number of its dtype."""
    if op.operands[0] is not array or op.params.get("spec") != ("i",) or op.operands[-1] is not index:
        return False
    if op.primitive.kind is Access.READ:
        return True
    is_write = op.primitive.kind in (Access.WRITE, Access.ADD)
    return is_write and op.operands[1].type.dtype == array.type.dtype and op.operands[1] is not array
