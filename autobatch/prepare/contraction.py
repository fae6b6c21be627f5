"""The terms of short sums of products added in one step: contract : Program -> Program.

    for i in range(10): t = mul x[i] y[i]; s = add s t     ->     for i in range(10): s = muladd x[i] y[i] s

NumPy's own products do that in BLAS. Compilers may do it anywhere, each where it sees fit; done here every machine gets
the same, so that a lane's numbers do not depend on which one runs it. Only sums over arrays of float64 (`np.dot`,
`np.sum`), which have no order of their own; what a user's expression says is rounded as NumPy rounds it, so that
`x * y - z` is zero where NumPy's is. Long sums, whose terms a compiler may reorder, are left to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from autobatch.kernel.loops import is_long
from codegen.emit.expression_folding import use_count
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Operation, Program, Type, Var
from codegen.ir.kinds import Arithmetic
from codegen.ir.traversal import with_bodies, with_inner
from codegen.primitives import ROWS

F8 = Type("f8")


def contract_products(whole: Program) -> Program:
    """The program with such pairs of equations as one."""
    return with_bodies(whole, lambda body: contract_block(body, use_count(body)))


def contract_block(block: Block, read: Counter[Var], sums: Collection[Var] = ()) -> Block:
    """`sums`: what the loop around the block adds up."""
    products = {e.outs[0]: both for e in block.equations if (both := multiplied(e.op)) is not None}
    made: list[Equation] = []
    gone: set[Var] = set()
    for equation in block.equations:
        op = equation.op
        if (found := sum_with_product(op, products, read, sums)) is not None:
            total, product = found
            gone.add(product)
            op = Apply(ROWS["muladd"], (*products[product], total))
        made.append(replace(equation, op=contract_inner(op, read)))
    return Block(tuple(e for e in made if not gone.intersection(e.outs)), block.results)


def contract_inner(op: Operation, read: Counter[Var]) -> Operation:
    short = isinstance(op, For) and op.kind == "parallel" and not is_long(op)
    sums = op.carried if isinstance(op, For) and short else ()
    return with_inner(op, lambda block: contract_block(block, read, sums))


def multiplied(op: Operation) -> tuple[Atom, Atom] | None:
    """The two numbers that an operation multiplies; of a square twice the same."""
    if not isinstance(op, Apply) or not op.operands or not is_float64(op.operands[0]):
        return None
    x, y = op.operands[0], op.operands[-1]
    if op.primitive.kind is Arithmetic.MUL and is_float64(y):
        return x, y
    squared = op.primitive.kind is Arithmetic.POW and isinstance(y, Lit) and y.value == 2
    return (x, x) if squared or op.primitive.kind is Arithmetic.SQUARE else None


def is_float64(atom: Atom) -> bool:
    return atom.type == F8 or (isinstance(atom, Lit) and atom.type.is_float and not atom.type.rank)


def sum_with_product(
    op: Operation, products: Collection[Var], read: Counter[Var], sums: Collection[Var]
) -> tuple[Var, Var] | None:
    """A sum, and the product that is added to it and that nothing else reads."""
    if not isinstance(op, Apply) or op.primitive.kind is not Arithmetic.ADD:
        return None
    x, y = op.operands
    for total, term in ((x, y), (y, x)):
        if isinstance(total, Var) and isinstance(term, Var) and total in sums and term in products:
            return (total, term) if read[term] == 1 else None
    return None
