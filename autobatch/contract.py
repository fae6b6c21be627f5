"""Products and sums in one step: contract : Program -> Program.

    t = mul a b; s = add c t     ->     s = muladd a b c

Compilers may do that, but each where it sees fit; done here every machine gets the same, so that a lane's numbers do
not depend on which one runs it. Only float64, only a product that nothing else reads, and never where the other term is
a product too: `a * d - b * c` stays exactly zero where its terms are equal. Long sums, whose terms a compiler may
reorder, are left to it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from autobatch.machine.printer import is_long
from codegen.fold import uses
from codegen.ir import (
    Apply,
    Atom,
    Block,
    Equation,
    For,
    If,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    While,
    program,
)
from codegen.primitives import ROWS

F8 = Type("f8")


def contract(whole: Program) -> Program:
    """The program with such pairs of equations as one."""
    functions = whole.functions.items()
    return program(
        {name: replace(f, body=contracted(f.body, uses(f.body), frozenset())) for name, f in functions},
        whole.main,
    )


def contracted(block: Block, read: Counter[Var], sums: frozenset[Var]) -> Block:
    """`sums`: what long loops around the block add up."""
    products = {e.outs[0]: both for e in block.equations if (both := factors(e.op)) is not None}
    made: list[Equation] = []
    gone: set[Var] = set()
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Apply):
            found = pair(op, products, read, sums)
            if found is None:
                made.append(equation)
            else:
                product, op, negated = found
                gone.add(product)
                made += negated
                made.append(replace(equation, op=op))
            continue
        made.append(replace(equation, op=inside(op, read, sums)))
    return Block(tuple(e for e in made if not gone.intersection(e.outs)), block.results)


def inside(op: Operation, read: Counter[Var], sums: frozenset[Var]) -> Operation:
    match op:
        case If():
            return replace(op, then=contracted(op.then, read, sums), orelse=contracted(op.orelse, read, sums))
        case For():
            long = op.kind == "parallel" and is_long(op)
            added = {p for p in op.carried if p.type == F8} if long else ()
            return replace(op, body=contracted(op.body, read, sums.union(added)))
        case While():
            return replace(op, cond=contracted(op.cond, read, sums), body=contracted(op.body, read, sums))
    return op


def factors(op: Operation) -> tuple[Atom, Atom] | None:
    """The two numbers that an operation multiplies; of a square twice the same."""
    if not isinstance(op, Apply) or not op.operands or not is_number(op.operands[0]):
        return None
    x, y = op.operands[0], op.operands[-1]
    if op.primitive.name == "mul" and is_number(y):
        return x, y
    squared = op.primitive.name == "pow" and isinstance(y, Lit) and y.value == 2
    return (x, x) if squared or op.primitive.name == "square" else None


def is_number(atom: Atom) -> bool:
    return atom.type == F8 or (isinstance(atom, Lit) and atom.type.is_float and not atom.type.rank)


def pair(
    op: Apply, products: dict[Var, tuple[Atom, Atom]], read: Counter[Var], sums: frozenset[Var]
) -> tuple[Var, Apply, list[Equation]] | None:
    """A sum or difference with a product that it alone reads: the product, what replaces both, and a negation."""
    if op.primitive.name not in ("add", "sub") or not all(is_number(o) for o in op.operands):
        return None
    x, y = op.operands
    if x in products and y in products:
        return None
    product, other = (y, x) if y in products else (x, y)
    if not isinstance(product, Var) or product not in products or read[product] != 1 or other in sums:
        return None
    a, b = products[product]
    negated: list[Equation] = []
    if op.primitive.name == "sub" and product is y:
        a = negative(a, negated)
    elif op.primitive.name == "sub":
        other = negative(other, negated)
    return product, Apply(ROWS["muladd"], (a, b, other)), negated


def negative(atom: Atom, made: list[Equation]) -> Atom:
    if isinstance(atom, Lit):
        return replace(atom, value=-atom.value)
    out = Var("t", F8)
    made.append(Equation((out,), Apply(ROWS["neg"], (atom,))))
    return out
