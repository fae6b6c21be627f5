"""Cholesky's factor in tiles of 8 x 8, each in registers while all that is taken off it is added up, in compiled code.

    U' U = a, row of tiles after row of tiles:    U[j, i] = U[j, j]'^-1 (a[i, j]' - sum over k < j of U[k, j]' U[k, i])

What is on and below the diagonal is turned round on the way in, and so is the factor on the way out. The columns of
tiles of U are each one piece of memory, row after row, and one behind the other, down to the diagonal. Where the size
is no multiple of 8, the last tiles have numbers of no meaning in what is beyond the matrix, which nothing else reads.
"""

# mypy: disable-error-code="no-untyped-def, arg-type, call-arg"

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.intrinsics.vectors import (
    TILE,
    chosen,
    constant,
    of_vectors,
    spread,
    turned_round,
    vector_at,
)

from .blas import has_whole_rows
from .lapack import factored_by_lapack

LONGEST_IN_TILES = 512  # rows, beyond which LAPACK may have threads


def less_product(builder, total, x, y):
    """total - x * y, rounded once."""
    name = f"llvm.fma.v{TILE}{total.type.element.intrinsic_name}"
    return of_vectors(builder, name, total.type, builder.fneg(x), y, total)


def less_products(builder, rest, first, second, count):
    """rest[c] - the sum over k < count of first[k, c] * second[k]."""
    from numba.core import cgutils

    totals = [cgutils.alloca_once_value(builder, each) for each in rest]
    with cgutils.for_range(builder, count) as loop:
        place = builder.mul(loop.index, count.type(TILE))
        row = builder.load(vector_at(builder, second, place, rest[0].type))
        for c, total in enumerate(totals):
            number = builder.load(builder.gep(first, [builder.add(place, count.type(c))]))
            builder.store(less_product(builder, builder.load(total), spread(builder, number), row), total)
    return [builder.load(total) for total in totals]


def less_solved(builder, rest, factor, inverses):
    """Rows of U of the tile below whose diagonal they are."""
    from llvmlite import ir

    rest = list(rest)
    for k in range(TILE):
        inverse = builder.load(builder.gep(inverses, [ir.IntType(64)(k)]))
        rest[k] = builder.fmul(rest[k], spread(builder, inverse))
        for c in range(k + 1, TILE):
            number = builder.load(builder.gep(factor, [ir.IntType(64)(k * TILE + c)]))
            rest[c] = less_product(builder, rest[c], spread(builder, number), rest[k])
    return rest


def factored(builder, rest, inverses, left):
    """Rows of U on the diagonal, of which `left` are of the matrix, and whether all pivots of these are positive. No
    pivot waits for a root: rows are multiplied by those of all pivots in the end."""
    from llvmlite import ir

    rest, kind, bits = list(rest), rest[0].type, ir.VectorType(ir.IntType(1), TILE)
    pivots = ir.Constant(kind, ir.Undefined)
    for k in range(TILE):
        place = ir.IntType(32)(k)
        pivot = builder.extract_element(rest[k], place)
        pivots = builder.insert_element(pivots, pivot, place)
        quotients = builder.fmul(rest[k], spread(builder, builder.fdiv(kind.element(1.0), pivot)))
        for c in range(k + 1, TILE):
            above = chosen(builder, quotients, quotients, [c] * TILE)
            rest[c] = less_product(builder, rest[c], above, rest[k])
    beyond = builder.icmp_signed("<=", spread(builder, left), constant(left.type, *range(TILE)))
    counts = builder.or_(beyond, builder.fcmp_unordered(">", pivots, ir.Constant(kind, None)))
    regular = of_vectors(builder, f"llvm.vector.reduce.and.v{TILE}i1", bits.element, counts)
    roots = of_vectors(builder, f"llvm.sqrt.v{TILE}{kind.element.intrinsic_name}", kind, pivots)
    found = builder.fdiv(constant(kind.element, *[1.0] * TILE), roots)
    builder.store(found, vector_at(builder, inverses, left.type(0), kind))
    for k in range(TILE):
        diagonal = constant(bits.element, *(c == k for c in range(TILE)))
        row = builder.fmul(rest[k], chosen(builder, found, found, [k] * TILE))
        rest[k] = builder.select(diagonal, roots, row)
    return rest, regular


def places_of(context, builder, kind, array, i, j):
    """Of eight rows of a matrix where their eight columns from j on begin, and a mask of those that there are. Of rows
    beyond the last these are that one's and none."""
    from llvmlite import ir
    from numba.core import cgutils

    made = context.make_array(kind)(context, builder, array)
    height, width = cgutils.unpack_tuple(builder, made.shape)
    step = builder.sdiv(cgutils.unpack_tuple(builder, made.strides)[0], made.itemsize)
    within = builder.icmp_signed("<", constant(i.type, *range(TILE)), spread(builder, builder.sub(width, j)))
    none, last = ir.Constant(within.type, [0] * TILE), builder.sub(height, i.type(1))
    vector, found = ir.VectorType(made.data.type.pointee, TILE), []
    for k in range(TILE):
        row = builder.add(i, i.type(k))
        is_there = builder.icmp_signed("<", row, height)
        place = builder.add(builder.mul(builder.select(is_there, row, last), step), j)
        mask = builder.select(is_there, within, none)
        found.append((vector_at(builder, made.data, place, vector), within, mask))
    return found


def tile_of_factor(is_diagonal):
    """What makes one tile of U, and of the factor: whether its pivots are positive, if it is on the diagonal."""

    @intrinsic
    def put_tile(typing, a, u, inverses, made, i, j):
        def generate(context, builder, signature, args):
            from llvmlite import ir

            index, kinds = args[4].type, signature.args
            starts = [context.make_array(kinds[k])(context, builder, args[k]).data for k in (1, 2)]
            i, j = args[4:]
            vector = ir.VectorType(starts[0].type.pointee, TILE)
            word, align = (
                f"v{TILE}{vector.element.intrinsic_name}.p0",
                ir.IntType(32)(kinds[0].dtype.bitwidth // 8),
            )
            rows = [
                of_vectors(
                    builder,
                    f"llvm.masked.load.{word}",
                    vector,
                    place,
                    align,
                    within,
                    ir.Constant(vector, None),
                )
                for place, within, _ in places_of(context, builder, kinds[0], args[0], i, j)
            ]
            first, second = (
                builder.gep(starts[0], [builder.sdiv(builder.mul(k, builder.add(k, index(TILE))), index(2))])
                for k in (j, i)
            )
            here = builder.mul(j, index(TILE))
            rest = less_products(builder, turned_round(builder, rows), first, second, j)
            roots = builder.gep(starts[1], [j])
            if is_diagonal:
                height = context.make_array(kinds[0])(context, builder, args[0]).shape
                left = builder.sub(builder.extract_value(height, 0), j)
                rest, regular = factored(builder, rest, roots, left)
            else:
                rest, regular = (
                    less_solved(builder, rest, builder.gep(first, [here]), roots),
                    ir.IntType(1)(1),
                )
            for k, row in enumerate(rest):
                place = builder.add(here, index(k * TILE))
                builder.store(row, vector_at(builder, second, place, vector))
                if is_diagonal:
                    kept = constant(ir.IntType(1), *(c >= k for c in range(TILE)))
                    rest[k] = builder.select(kept, row, ir.Constant(vector, None))
            places = places_of(context, builder, kinds[3], args[3], i, j)
            for row, (place, _, mask) in zip(turned_round(builder, rest), places, strict=True):
                of_vectors(builder, f"llvm.masked.store.{word}", ir.VoidType(), row, place, align, mask)
            return regular

        return types.boolean(a, u, inverses, made, types.intp, types.intp), generate

    return put_tile


put_diagonal_tile = tile_of_factor(True)
put_tile_below = tile_of_factor(False)


@njit(error_model="numpy")
def factored_in_tiles(a: np.ndarray) -> np.ndarray:
    """Cholesky's factor; -1 where the matrix is not positive definite."""
    compiled_apart()
    n = len(a)
    if n > LONGEST_IN_TILES:
        return factored_by_lapack(a)
    size = n + -n % TILE
    room = np.empty(size * (size + TILE) // 2 + size + TILE, a.dtype)
    start = -(room.ctypes.data // a.itemsize) % TILE  # vectors that lie in one cache line each
    inverses, u = room[start : start + size], room[start + size :]
    rows = a if has_whole_rows(a) else a.copy()
    made = np.zeros((n, n), a.dtype)
    regular = True
    for j in range(0, n, TILE):
        regular = regular and put_diagonal_tile(rows, u, inverses, made, j, j)
        for i in range(j + TILE, n, TILE):
            put_tile_below(rows, u, inverses, made, i, j)
    return made if regular else np.full((n, n), -1.0, a.dtype)
