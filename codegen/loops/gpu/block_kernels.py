"""Loops that one block of threads goes through: one_block : Equation -> the body of a kernel.

    for k in range(n):                    in one launch; each thread goes through the outer loop,
        s = 0.0                           and does its share of the inner one
        for i in range(k):         ->
            s += L[k, i] * x[i]
        x[k] = (b[k] - s) / L[k, k]       one thread writes

Iterations of the outer loop look at each other, and a launch for each, and for each number that the host would read,
took longer than the work. Inner loops whose iterations threads can share are of kind "threads". Where one of them has a
loop inside, there is work for many blocks, which the host launches one after the other.
"""

from __future__ import annotations

from dataclasses import replace

from codegen import ir
from codegen.cost_model import SERIAL_ITERATIONS
from codegen.emit.argument_stores import Own
from codegen.emit.inplace import settle_summaries
from codegen.emit.sink import sink
from codegen.ir import Apply, Block, Equation, For, Function, Lit, Var, While
from codegen.ir.kinds import Made, Same
from codegen.ir.substitution import blocks, clone
from codegen.ir.traversal import equations, with_inner
from codegen.loops.first_failure import block_parameters, checks
from codegen.loops.gpu.kernel_coverage import runs_in_thread
from codegen.loops.independent import Sizes, is_independent


def one_block(equation: Equation, sizes: Sizes) -> Block | None:
    """A loop for the threads of a block, if it is of elements of arrays that stay where they are, and no more work than
    they can do."""
    body = Block((equation,), equation.outs)
    if not runs_in_thread(body) or not any(map(takes_arrays, equations(body))):
        return None
    if not any(map(makes, equations(body))):  # what each thread makes it has for itself
        equation = replace(equation, op=with_inner(equation.op, lambda inner: shared(inner, sizes)))
        body = Block((equation,), equation.outs)
    return None if any(map(is_for_many, equations(body))) or not stays_in_place(body) else body


def takes_arrays(equation: Equation) -> bool:
    op = equation.op
    return isinstance(op, Apply) and any(o.type.rank for o in op.operands)


def makes(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Made.EMPTY


def shared(block: Block, sizes: Sizes) -> Block:
    """A block whose outermost loops are shared where they can be."""
    made = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, For) and can_be_shared(op, sizes):
            made.append(replace(equation, op=replace(op, kind="threads")))
        else:
            made.append(replace(equation, op=with_inner(op, lambda inner: shared(inner, sizes))))
    return replace(block, equations=tuple(made))


def can_be_shared(loop: For, sizes: Sizes) -> bool:
    """Where an iteration may fail its thread leaves the loop, and all of them the kernel after it: not out of a loop
    inside."""
    inner = (e.op for e in equations(loop.body) if isinstance(e.op, For | While))
    deep = any(checks(block) for op in inner for block in blocks(op))
    return bool(loop.carried) and not (runs_few_rounds(loop) or deep) and is_independent(loop, sizes)


def runs_few_rounds(loop: For) -> bool:
    start, stop = loop.start, loop.stop
    return isinstance(start, Lit) and isinstance(stop, Lit) and stop.value - start.value < SERIAL_ITERATIONS


def is_for_many(equation: Equation) -> bool:
    """Whether a loop is shared and has one inside."""
    op = equation.op
    if not isinstance(op, For) or op.kind != "threads":
        return False
    inner = (e.op for e in equations(op.body))
    return any(isinstance(i, While) or isinstance(i, For) and not runs_few_rounds(i) for i in inner)


def stays_in_place(body: Block) -> bool:
    """Whether what comes out are the arrays that were given, of which no copy is made."""
    given = block_parameters(body)
    one = Function("one", given, replace(body, equations=sink(body).equations))
    program = ir.program({"one": clone(one)}, "one")
    settled, _ = settle_summaries(program, frozenset(range(len(given))))
    entry, own = settled["one"], Own(ir.program(settled, "one"))
    ops = (e.op for e in equations(entry.body))
    copied = any(
        isinstance(op, Apply) and op.primitive.kind is Same.COPY and op.operands[0].type.rank for op in ops
    )
    arrays = [r for r in entry.body.results if isinstance(r, Var) and r.type.rank]
    return not copied and all(map(own.is_given, arrays))
