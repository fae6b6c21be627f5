"""What NumPy has a function for, where array equations spell it out: just before printing, for the eye.

    (np.arange(n)[:, None] == np.arange(n)[None]).astype(np.float64)        np.eye(n)
    np.where(np.arange(n)[None] - np.arange(m)[:, None] <= k, x, 0.0)  ->   np.tril(x, k)
    np.where(np.arange(n)[None] - np.arange(m)[:, None] <= k, 0.0, x)       np.triu(x, k + 1)

Passes know such arrays by the rows that they are made of; the rows here are for printed text alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from codegen.analysis.equal_sizes import EqualSizes, equal_sizes
from codegen.emit.spelling import ATOM, Text
from codegen.ir import Apply, Atom, Equation, Function, Lit, Operation, Program, Type, Var
from codegen.ir.kinds import Access, Arithmetic, Choice, Made, Relation, Same
from codegen.ir.primitive import Primitive
from codegen.ir.substitution import same_dim
from codegen.ir.traversal import equations, with_equations, with_functions
from codegen.primitives.row import dim_of
from codegen.primitives.shape import dtype_text
from codegen.simplify.dead_code import dead_code

Defined = Mapping[Var, Apply]


def idioms(program: Program) -> Program:
    """`program` with NumPy's own functions for the matrices that it has them for."""
    return dead_code(with_functions(program, with_idioms))


def with_idioms(f: Function) -> Function:
    made = {e.outs[0]: e.op for e in equations(f.body) if isinstance(e.op, Apply) and len(e.outs) == 1}
    known = equal_sizes(f.body.equations)
    return replace(f, body=with_equations(f.body, lambda e: [replace(e, op=idiom(e, made, known) or e.op)]))


def idiom(e: Equation, made: Defined, known: EqualSizes) -> Operation | None:
    """The call of NumPy's function that an equation's value is, if there is one of its type."""
    found: Apply | None = None
    match e.op:
        case Apply(primitive, (x,)) as op if primitive.kind is Same.CAST and x.type.rank == 2:
            found = eye_of(x, op.params["dtype"], made)
        case Apply(primitive, (test, x, y)) if primitive.kind is Choice.SELECT and e.outs[0].type.rank == 2:
            found = triangle(test, x, y, made, known)
    if found is None:
        return None
    type_ = found.primitive.type(*found.operands, **found.params)
    exact = type_.dtype == e.outs[0].type.dtype and all(map(same_dim, type_.shape, e.outs[0].type.shape))
    return found if exact else None


def eye_of(x: Atom, dtype: str, made: Defined) -> Apply | None:
    equal = made.get(x) if isinstance(x, Var) else None
    if equal is None or equal.primitive.kind is not Relation.EQ:
        return None
    sides = [place_along(o, made) for o in equal.operands]
    if None in sides or {axis for axis, _ in filter(None, sides)} != {0, 1}:
        return None
    (_, rows), (_, columns) = sorted(filter(None, sides), key=lambda side: side[0])
    return Apply(
        EYE, (rows,) if same_dim(dim_of(rows), dim_of(columns)) else (rows, columns), {"dtype": dtype}
    )


def triangle(test: Atom, x: Atom, y: Atom, made: Defined, known: EqualSizes) -> Apply | None:
    k = last_diagonal(test, made)
    if k is None:
        return None
    if is_zero(y) and are_alike_in_shape(test.type, x.type, known):
        return Apply(TRIL, (x,), {"k": k})
    return (
        Apply(TRIU, (y,), {"k": k + 1})
        if is_zero(x) and are_alike_in_shape(test.type, y.type, known)
        else None
    )


def last_diagonal(test: Atom, made: Defined) -> int | None:
    """k where a test holds on the k-th diagonal of a matrix and below it."""
    compared = made.get(test) if isinstance(test, Var) else None
    if compared is None or compared.primitive.kind not in (Relation.LE, Relation.GE):
        return None
    apart, k = compared.operands
    op = made.get(apart) if isinstance(apart, Var) else None
    if op is None or op.primitive.kind is not Arithmetic.SUB or not isinstance(k, Lit):
        return None
    above = compared.primitive.kind is Relation.LE
    axes = [side[0] if (side := place_along(o, made)) else None for o in op.operands]
    return (k.value if above else -k.value) if axes == ([1, 0] if above else [0, 1]) else None


def place_along(atom: Atom, made: Defined) -> tuple[int, Atom] | None:
    """The axis of a matrix along which an array counts the places, and how many."""
    op = made.get(atom) if isinstance(atom, Var) else None
    counts = made.get(op.operands[0]) if op is not None and isinstance(op.operands[0], Var) else None
    if op is None or counts is None or op.primitive.kind not in (Same.RESHAPED, Access.READ):
        return None
    if atom.type.rank != 2 or counts.primitive.kind is not Made.RANGE or counts.params["dtype"] != "i8":
        return None
    if not {*op.params.get("spec", ())} <= {":", "n"}:
        return None
    ones = [k for k, n in enumerate(atom.type.shape) if n == 1]
    return (1 - ones[0], counts.operands[0]) if len(ones) == 1 else None


def is_zero(atom: Atom) -> bool:
    return isinstance(atom, Lit) and atom.value == 0 and math.copysign(1.0, atom.value) > 0


def are_alike_in_shape(a: Type, b: Type, known: EqualSizes) -> bool:
    return a.rank == b.rank and all(map(known.same, a.shape, b.shape))


def eye_form(*sizes: str, dtype: str, rank: int, lib: str) -> Text:
    word = dtype_text(dtype)
    return f"{lib}.eye({', '.join(sizes)}{f', dtype={word}' if word else ''})", ATOM


def eye_type(*sizes: Atom, dtype: str) -> Type:
    return Type(dtype, (dim_of(sizes[0]), dim_of(sizes[-1])))


def triangle_row(name: str) -> Primitive:
    def form(x: str, *, k: int, rank: int, lib: str) -> Text:
        return f"{lib}.{name}({x}{f', {k}' if k else ''})", ATOM

    return Primitive(name, getattr(np, name), lambda x, *, k: x.type, "shape", form=form)


EYE = Primitive(
    "eye", lambda *n, dtype: np.eye(*n, dtype=dtype), eye_type, "create", first_size=0, form=eye_form
)
TRIL, TRIU = triangle_row("tril"), triangle_row("triu")
