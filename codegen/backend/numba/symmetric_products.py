"""Products of a matrix and its transpose: symmetric to the bit, as NumPy's are, and half of the work.

    X.T @ X        S[first:last, :last] = X.T[first:last] @ X[:, :last]      a panel of rows, up to the diagonal
                   S[:last, first:last] = S[first:last, :last].T             and what mirrors it

BLAS has a routine for them, which Numba does not link; its general product of panels takes as long. Whether a matrix is
the transpose of the other is known when the program runs: it is in the same memory.
"""

# mypy: disable-error-code="no-untyped-def, call-arg"

from __future__ import annotations

import functools

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import linalg
from numba.np.arrayobj import make_array

LEAST_ROWS = 96  # of a panel: BLAS is slow with fewer
PANELS = 8  # of larger matrices: what they have above the diagonal is a sixteenth of the work

CHAR, SIZE, ADDRESS = linalg.ll_char, linalg.intp_t, linalg.ll_void_p
MULTIPLY = ir.FunctionType(
    ir.IntType(32),
    [CHAR, CHAR, CHAR, SIZE, SIZE, SIZE, ADDRESS, ADDRESS, SIZE, ADDRESS, SIZE, ADDRESS, ADDRESS, SIZE],
)


@intrinsic
def put_symmetric_product(typing, a, b, out):
    """Whether b is a.T, in the same memory; then out is their product."""

    def generate(context, builder, signature, args):
        left, right, made = (make_array(kind)(context, builder, x) for kind, x in zip((a, b, out), args))
        rows, length = cgutils.unpack_tuple(builder, left.shape)
        meets, columns = cgutils.unpack_tuple(builder, right.shape)
        pairs = (left.data, right.data), (rows, columns), (length, meets)
        same = functools.reduce(builder.and_, (builder.icmp_unsigned("==", x, y) for x, y in pairs))
        share = builder.udiv(rows, SIZE(PANELS))
        step = whichever(builder, ">", share, SIZE(LEAST_ROWS))
        with (
            builder.if_then(same),
            cgutils.for_range_slice(builder, SIZE(0), rows, step, SIZE) as (first, _),
        ):
            panel = first, whichever(builder, "<", builder.add(first, step), rows)
            put_panel(context, builder, a, (left.data, rows, length), made.data, panel)
            mirror_panel(builder, made.data, rows, panel)
        return same

    return types.boolean(a, b, out), generate


def whichever(builder, sign, x, y):
    """Whichever of two is the smaller ("<") or the larger (">")."""
    return builder.select(builder.icmp_unsigned(sign, x, y), x, y)


def put_panel(context, builder, kind, matrix, made, panel):
    """Rows of the product up to the last one's diagonal. BLAS reads columns, to which it is all turned round."""
    (data, rows, length), (first, last) = matrix, panel
    by_rows = kind.layout == "C"
    lower = builder.gep(data, [builder.mul(first, length) if by_rows else first])
    apart = length if by_rows else rows
    target = builder.gep(made, [builder.mul(first, rows)])
    one, zero = (linalg.make_constant_slot(context, builder, kind.dtype, x) for x in (1.0, 0.0))
    one, data, lower, zero, target = (builder.bitcast(x, ADDRESS) for x in (one, data, lower, zero, target))
    turned = [CHAR(ord(letter)) for letter in ("tn" if by_rows else "nt")]
    sizes = last, builder.sub(last, first), length
    given = CHAR(ord(linalg.get_blas_kind(kind.dtype))), *turned, *sizes
    multiply = cgutils.get_or_insert_function(builder.module, MULTIPLY, "numba_xxgemm")
    code = builder.call(multiply, (*given, one, data, apart, lower, apart, zero, target, rows))
    linalg.check_blas_return(context, builder, code)


def mirror_panel(builder, made, rows, panel):
    """What is above the diagonal, from the rows of a panel."""
    first, last = panel
    with cgutils.for_range(builder, last) as column:
        below = whichever(builder, ">", first, builder.add(column.index, SIZE(1)))
        with cgutils.for_range_slice(builder, below, last, SIZE(1), SIZE) as (row, _):
            found, place = (
                builder.gep(made, [builder.add(builder.mul(i, rows), j)])
                for i, j in ((row, column.index), (column.index, row))
            )
            builder.store(builder.load(found), place)
