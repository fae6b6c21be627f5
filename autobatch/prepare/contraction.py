"""The terms of short sums of products added in one step: contract : Program -> Program.

    for i in range(10): t = mul x[i] y[i]; s = add s t     ->     for i in range(10): s = muladd x[i] y[i] s

NumPy's own products do that in BLAS. Compilers may do it anywhere, each where it sees fit; done here every machine gets
the same, so that a lane's numbers do not depend on which one runs it. Only sums over arrays of float64 (`np.dot`,
`np.sum`), which have no order of their own; what a user's expression says is rounded as NumPy rounds it, so that
`x * y - z` is zero where NumPy's is. Long sums, whose terms a compiler may reorder, are left to it.

Of a row's definition, which stands for LAPACK's function, every product that is added to something or taken from it:

    u = sub u (mul factor v)     ->     u = muladd (neg factor) v u
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autobatch.kernel.loops import is_long
from codegen.emit.expression_folding import use_count
from codegen.ir import Apply, Atom, Block, Equation, For, Function, Lit, Operation, Program, Type, Var
from codegen.ir.kinds import Access, Arithmetic
from codegen.ir.traversal import with_bodies, with_equations, with_inner
from codegen.primitives import ROWS

F8 = Type("f8")


@dataclass(frozen=True)
class Term:
    """A product of two numbers; `taken`: with the other sign."""

    factor: Atom
    other: Atom
    taken: bool = False


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


def contract_definition(function: Function) -> Function:
    """A definition, in our own language, with all such pairs as one, those of elements that are added to, too."""
    body = with_equations(function.body, sum_of_element)
    return replace(function, body=contract_all(body, use_count(body)))


def sum_of_element(equation: Equation) -> list[Equation]:
    """x[i] += v as x[i] = x[i] + v."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.kind is not Access.ADD or not is_float64(op.operands[1]):
        return [equation]
    x, v, *places = op.operands
    element, total = Var("t", Type("f8")), Var("t", Type("f8"))
    steps = (
        ((element,), Apply(ROWS["index"], (x, *places), op.params)),
        ((total,), Apply(ROWS["add"], (element, v))),
        (equation.outs, Apply(ROWS["update"], (x, total, *places), op.params)),
    )
    return [Equation(outs, step, equation.span) for outs, step in steps]


def contract_all(block: Block, read: Counter[Var]) -> Block:
    """What is left of products nobody reads any more."""
    terms: dict[Atom, Term] = {}
    made: list[Equation] = []
    for equation in block.equations:
        op = with_inner(equation.op, lambda inner: contract_all(inner, read))
        if (term := term_of(op, terms)) is not None and read[equation.outs[0]] == 1:
            terms[equation.outs[0]] = term
        *before, op = with_term(op, terms)
        made += [Equation((v,), step, equation.span) for v, step in before]
        made.append(replace(equation, op=op))
    return Block(tuple(made), block.results)


def term_of(op: Operation, terms: Mapping[Atom, Term]) -> Term | None:
    """The product that an operation is, or what is negated is."""
    if isinstance(op, Apply) and op.primitive.kind is Arithmetic.NEG and op.operands[0] in terms:
        product = terms[op.operands[0]]
        return replace(product, taken=not product.taken)
    both = multiplied(op)
    return None if both is None else Term(*both)


def with_term(op: Operation, terms: Mapping[Atom, Term]) -> list[Any]:
    """A sum or difference with a product as one step, after what it negates: variables with operations, the step."""
    if not isinstance(op, Apply) or op.primitive.kind not in (Arithmetic.ADD, Arithmetic.SUB):
        return [op]
    taken = op.primitive.kind is Arithmetic.SUB
    x, y = op.operands
    for total, name in ((x, y), (y, x)):
        if name in terms and is_float64(total):
            term = terms[name]
            signs = (term.taken != (taken and name is y), False, taken and name is x)
            minus = [Var("minus", F8) if sign else None for sign in signs]
            parts = (term.factor, term.other, total)
            before = [(v, Apply(ROWS["neg"], (part,))) for v, part in zip(minus, parts, strict=True) if v]
            return [*before, Apply(ROWS["muladd"], tuple(v or p for v, p in zip(minus, parts, strict=True)))]
    return [op]


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
