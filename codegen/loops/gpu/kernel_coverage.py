"""What a thread of a GPU can do: runs_in_thread : Block -> bool. What cannot, the host does: it makes, copies and turns
arrays, takes parts of them, has draws from NumPy and whole functions of arrays from CuPy, and works with numbers.

    out[i] = X[i] @ w     ->     for j in range(m): t += X[i, j] * w[j]        `written_out`, for a thread
                                 out[i] = t
"""

from __future__ import annotations

from collections.abc import Sequence

from codegen import ir
from codegen.ir import Apply, Atom, Block, Call, Equation, Function, Var
from codegen.ir.kinds import Access, Made, Product, Reduction
from codegen.ir.substitution import sizes, substitute
from codegen.ir.traversal import equations
from codegen.loops.first_failure import block_parameters
from codegen.loops.lower import scalarize
from codegen.simplify.driver import simplify


def runs_in_thread(block: Block) -> bool:
    """Whether threads compute all that is in a block: they make no arrays but small ones, and call no library."""
    return all(map(fits_thread, equations(block)))


def fits_thread(equation: Equation) -> bool:
    op = equation.op
    if not isinstance(op, Apply):
        return not isinstance(op, Call)
    row = op.primitive
    if row.of_streams or row.effect and not row.stops:
        return False
    if row.kind is Made.EMPTY:
        return all(isinstance(n, int) for n in equation.outs[0].type.shape)
    return is_element_work(equation)


def is_element_work(equation: Equation) -> bool:
    """Whether an operation is of numbers, or reads or writes elements of arrays, or looks at a part of one where that
    is."""
    op = equation.op
    if not isinstance(op, Apply) or not any(v.type.rank for v in (*op.operands, *equation.outs)):
        return True
    kind = op.primitive.kind
    if kind in (Access.WRITE, Access.ADD):
        return not op.operands[1].type.rank
    return kind is Made.EMPTY or kind is Access.READ and "a" not in op.params["spec"]


def without_library(equation: Equation) -> Sequence[Equation] | None:
    """Equations that compute the same and leave nothing to a library but products that are matrices."""
    given = block_parameters(Block((equation,), equation.outs))
    one = Function("one", given, Block((equation,), equation.outs))
    loops = scalarize(ir.program({"one": one}, "one"), when=lambda e: not is_matrix(e), views=True)
    made = simplify(loops, explicit=True).entry
    if made.body.results != tuple(dict.fromkeys(made.body.results)) or not made.body.equations:
        return None
    back: dict[Var, Atom] = dict(zip(made.params, given, strict=True))
    for new, old in zip(made.params, given, strict=True):
        back |= zip(sizes(new.type), sizes(old.type))
    body = substitute(made.body, back)
    *before, last = body.equations
    if last.outs != body.results:
        return None
    return [*before, Equation(equation.outs, last.op, equation.span)]


def is_matrix(equation: Equation) -> bool:
    op = equation.op
    return isinstance(op, Apply) and op.primitive.kind is Product.MATRIX and equation.outs[0].type.rank == 2


def is_for_cupy(equation: Equation) -> bool:
    """Whether a library goes over an array in an order, or the host draws one."""
    row = equation.op.primitive if isinstance(equation.op, Apply) else None
    if row is None:
        return False
    place = row.kind in (Reduction.ARGMAX, Reduction.ARGMIN) and not equation.outs[0].type.rank
    return row.kind is Reduction.CUMSUM or place or row.family == "random"
