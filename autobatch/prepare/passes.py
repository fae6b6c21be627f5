"""Small passes before a program is cut into blocks (autobatch/pipeline.py has all of them, in order)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

from autobatch.cost_model import BLAS_MULTIPLICATIONS, LIBRARY_OPERATIONS, WAITED_MULTIPLICATIONS
from codegen.ir import Apply, Atom, Equation, Program, Type, Var
from codegen.ir.kinds import Effect, Product, Same
from codegen.ir.traversal import nested, with_bodies, with_equations
from codegen.loops.lower import scalarize
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.inline import inline, unlinked


def explicit_bounds_checks(program: Program) -> Program:
    """Index errors as checks, and places counted from the start: a lane's array is part of a larger one."""
    return bounds(program, normalise=True)


def drop_messages(program: Program) -> Program:
    """Checks and fails without the values that their messages tell: a lane that failed is run again for them."""

    def short(equation: Equation) -> list[Equation]:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.stops:
            op = replace(op, operands=op.operands[: op.primitive.kind is Effect.CHECK])
        return [replace(equation, op=op)]

    return with_bodies(program, lambda body: with_equations(body, short))


def lower_to_loops(program: Program) -> Program:
    """Array equations as loops, but for products worth a call of BLAS, and what LAPACK does."""
    return scalarize(program, when=lambda e: not is_large_product(e) and not is_library_call(e), thrifty=True)


def is_library_call(equation: Equation) -> bool:
    """A whole function of matrices of float64, or a product of two, of known sizes that are worth the call."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.work is None:
        return False
    of_two = op.primitive.kind is Product.MATRIX and all(o.type.rank == 2 for o in op.operands)
    types = [v.type for v in (*op.operands, *equation.outs) if isinstance(v, Var)]
    fits = all(t.rank and t.dtype == "f8" and all(isinstance(n, int) for n in t.shape) for t in types)
    if not fits or not (of_two or op.primitive.definition is not None):
        return False
    least = op.primitive.for_lanes[0] if op.primitive.for_lanes else LIBRARY_OPERATIONS
    return op.primitive.work(*(o.type.shape for o in op.operands)) >= least


def lower_all_to_loops(program: Program) -> Program:
    """Array equations as loops, products too: where there is no library to call."""
    return scalarize(program, thrifty=True)


def lower_but_waited_products(program: Program) -> Program:
    """All but products that lanes on a GPU wait for each other at."""
    return scalarize(program, when=lambda e: not is_waited_product(e), thrifty=True)


def is_waited_product(equation: Equation) -> bool:
    return is_large_product(equation, WAITED_MULTIPLICATIONS)


def is_large_matrix(type_: Type) -> bool:
    """Whether products with it are ones that lanes on a GPU wait for."""
    known = [n for n in type_.shape if isinstance(n, int)]
    return type_.dtype == "f8" and type_.rank == len(known) == 2 and prod(known) >= WAITED_MULTIPLICATIONS


def is_large_product(equation: Equation, least: int = BLAS_MULTIPLICATIONS) -> bool:
    """A matrix times a vector, or the other way round, of float64 and of some size."""
    op = equation.op
    if (
        not isinstance(op, Apply)
        or op.primitive.kind is not Product.MATRIX
        or equation.outs[0].type.dtype != "f8"
    ):
        return False
    ranks = tuple(o.type.rank for o in op.operands)
    sizes = [n for o in op.operands if o.type.rank == 2 for n in o.type.shape]
    known = ranks in ((2, 1), (1, 2)) and all(isinstance(n, int) for n in sizes)
    return known and prod(sizes) >= least  # type: ignore[arg-type]


def calls_library(equations: Iterable[Equation]) -> bool:
    """Whether lanes call a library anywhere in these, with arrays of their own."""
    return any(map(is_library_call, nested(equations)))


def drop_transposes(program: Program) -> Program:
    """X.T @ r as r @ X: the matrix is read where it is."""
    source: dict[Atom, Atom] = {}

    def turned(equation: Equation) -> list[Equation]:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.kind is Same.TRANSPOSED and equation.outs[0].type.rank == 2:
            source[equation.outs[0]] = op.operands[0]
        if isinstance(op, Apply) and is_large_product(equation) and not source.keys().isdisjoint(op.operands):
            x, y = op.operands
            op = replace(op, operands=(source.get(y, y), source.get(x, x)))
        return [replace(equation, op=op)]

    return with_bodies(program, lambda body: with_equations(body, turned))


def inline_all(program: Program) -> Program:
    """Only recursive functions are called, and few of them: what a gradient runs again is then beside its first run."""
    return inline(unlinked(program), when=lambda function, calls: True)
