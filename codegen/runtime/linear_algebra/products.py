"""Products of float64 matrices in tiles, each in vector registers while it is added up, in compiled code: where a
register has eight numbers, BLAS, which may have been built for registers of four, takes twice as long.

A matrix is its address and the numbers from one row, and one column, to the next, so that parts and turned ones are
read where they are; sizes are the rows of x, the columns of y, and what they meet in. The columns of a tile lie next to
one another in y: y is packed where its own do not, and where it is more than the cache nearest to the processor has.
"""

# mypy: disable-error-code="no-untyped-def, arg-type, call-arg, return-value"

import numpy as np
from llvmlite.binding import get_host_cpu_features
from numba import njit, types
from numba.extending import intrinsic

from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.intrinsics.vectors import TILE, constant, of_vectors, spread, turned_round, vector_at

IS_WIDE = bool(get_host_cpu_features().get("avx512f", False))
ROWS, COLUMNS = 8, 16  # of a tile
MOST_IN_TILES = 2.0**23 if IS_WIDE else 0.0  # multiplications, beyond which BLAS may have threads
MOST_AS_IT_IS = 4096  # numbers of y that are not packed
DEPTH = 256  # numbers of a row of x that a tile reads at once
PACKED = 32768  # numbers, for the cache behind the nearest


def vector_masked(builder, what, result, start, v, mask, *given):
    """LLVM's load or store of the v-th vector from there on, of the numbers that the mask has."""
    from llvmlite import ir

    kind, word = ir.VectorType(ir.DoubleType(), TILE), ir.IntType(32)
    place = vector_at(builder, start, word(TILE * v), kind)
    before, after = ((), given) if what == "load" else (given, ())
    name = f"llvm.masked.{what}.v{TILE}f64.p0"
    return of_vectors(builder, name, result, *before, place, word(8), mask, *after)


def vector_loaded(builder, start, v, mask):
    """0 where the mask has none."""
    from llvmlite import ir

    kind = ir.VectorType(ir.DoubleType(), TILE)
    return vector_masked(builder, "load", kind, start, v, mask, ir.Constant(kind, None))


def plus_product(builder, total, x, y):
    return of_vectors(builder, f"llvm.fma.v{TILE}f64", total.type, x, y, total)


def put_vector_masked(builder, start, v, total, mask, factor, adds):
    """factor * total, or more by that."""
    from llvmlite import ir

    before = vector_loaded(builder, start, v, builder.and_(mask, adds))
    whole = plus_product(builder, before, factor, total)
    vector_masked(builder, "store", ir.VoidType(), start, v, mask, whole)


def sums_of_products(builder, rows, step, y, y_row, within, length):
    """Of each row of x, a step from number to number, and each vector of a row of y."""
    from llvmlite import ir
    from numba.core import cgutils

    none, many = ir.Constant(ir.VectorType(ir.DoubleType(), TILE), None), range(len(within))
    totals = [[cgutils.alloca_once_value(builder, none) for _ in many] for _ in rows]
    with cgutils.for_range(builder, length) as loop:
        start = builder.gep(y, [builder.mul(loop.index, y_row)])
        of_y = [vector_loaded(builder, start, v, within[v]) for v in many]
        at = builder.mul(loop.index, step)
        for row, of_row in zip(rows, totals):
            every = spread(builder, builder.load(builder.gep(row, [at])))
            for v, total in enumerate(of_row):
                builder.store(plus_product(builder, builder.load(total), every, of_y[v]), total)
    return [[builder.load(total) for total in of_row] for of_row in totals]


@intrinsic
def put_tile_of_product(typing, made, x, y, steps, sizes, factor, adds):
    """made = factor * x @ y, or more by that, of the tile at these addresses: steps to the next row and column of made,
    row and column of x, row of y; sizes of what is left there, and of what a row of x meets."""

    def generate(context, builder, signature, args):
        from llvmlite import ir
        from numba.core import cgutils

        made, x, y = (builder.inttoptr(each, ir.DoubleType().as_pointer()) for each in args[:3])
        made_row, made_column, x_row, x_column, y_row = cgutils.unpack_tuple(builder, args[3])
        height, width, length = cgutils.unpack_tuple(builder, args[4])
        index, many = height.type, range(COLUMNS // TILE)
        places = [constant(index, *range(TILE * v, TILE * v + TILE)) for v in many]
        within = [builder.icmp_signed("<", each, spread(builder, width)) for each in places]
        is_there = [builder.icmp_signed("<", index(r), height) for r in range(ROWS)]
        rows = [builder.select(each, index(r), index(0)) for r, each in enumerate(is_there)]
        of_x = [builder.gep(x, [builder.mul(each, x_row)]) for each in rows]
        sums = sums_of_products(builder, of_x, x_column, y, y_row, within, length)
        last = [spread(builder, each) for each in args[5:]]
        with builder.if_else(builder.icmp_signed("==", made_column, index(1))) as (is_plain, is_turned):
            with is_plain:
                for r, of_row in enumerate(sums):
                    with builder.if_then(is_there[r]):
                        start = builder.gep(made, [builder.mul(index(r), made_row)])
                        for v, total in enumerate(of_row):
                            put_vector_masked(builder, start, v, total, within[v], *last)
            with is_turned:  # columns of made are in one piece
                below = builder.icmp_signed("<", places[0], spread(builder, height))
                for v in many:
                    for c, column in enumerate(turned_round(builder, [of_row[v] for of_row in sums])):
                        place = index(TILE * v + c)
                        with builder.if_then(builder.icmp_signed("<", place, width)):
                            start = builder.gep(made, [builder.mul(place, made_column)])
                            put_vector_masked(builder, start, 0, column, below, *last)
        return context.get_dummy_value()

    addresses, counts = [types.intp] * 3, [types.UniTuple(types.intp, n) for n in (5, 3)]
    return types.void(*addresses, *counts, types.float64, types.boolean), generate


@intrinsic
def number_at(typing, address):
    def generate(context, builder, signature, args):
        from llvmlite import ir

        return builder.load(builder.inttoptr(args[0], ir.DoubleType().as_pointer()))

    return types.float64(types.intp), generate


@njit(error_model="numpy")
def put_tiles(
    made: tuple[int, int, int],
    x: tuple[int, int, int],
    y: tuple[int, int, int],
    y_tile: int,
    sizes: tuple[int, int, int],
    factor: float,
    adds: bool,
) -> None:
    """Of a y whose rows, or whose packed columns, are in one piece, `y_tile` numbers from tile to tile."""
    compiled_apart()
    height, width, length = sizes
    for i in range(0, height, ROWS):
        for j in range(0, width, COLUMNS):
            put_tile_of_product(
                made[0] + 8 * (i * made[1] + j * made[2]),
                x[0] + 8 * i * x[1],
                y[0] + 8 * (j // COLUMNS * y_tile),
                (made[1], made[2], x[1], x[2], y[1]),
                (height - i, width - j, length),
                factor,
                adds,
            )


@njit(error_model="numpy")
def put_product_at(
    made: tuple[int, int, int],
    x: tuple[int, int, int],
    y: tuple[int, int, int],
    sizes: tuple[int, int, int],
    factor: float,
    adds: bool,
) -> int:
    """made = factor * x @ y, or more by that. What a number is hangs on its row and column alone."""
    compiled_apart()
    height, width, length = sizes
    if y[2] != 1 and height < width:  # turned round there is less to pack
        made, x, y = (made[0], made[2], made[1]), (y[0], y[2], y[1]), (x[0], x[2], x[1])
        height, width = width, height
    is_small = width * length <= MOST_AS_IT_IS or height <= 2 * ROWS
    if y[2] == 1 and length <= DEPTH and is_small:
        put_tiles(made, x, y, COLUMNS, (height, width, length), factor, adds)
        return 0
    depth = min(DEPTH, max(length, 1))
    across = min(max(PACKED // depth // COLUMNS, 1) * COLUMNS, max(width + -width % COLUMNS, COLUMNS))
    packed = np.empty(depth * across)
    for first in range(0, max(length, 1), depth):
        count = min(depth, length - first)
        of_x = (x[0] + 8 * first * x[2], x[1], x[2])
        for left in range(0, width, across):
            wide = min(across, width - left)
            pack_columns(packed, (y[0] + 8 * (first * y[1] + left * y[2]), y[1], y[2]), count, wide)
            to = (made[0] + 8 * left * made[2], made[1], made[2])
            of_y = (np.int64(packed.ctypes.data), np.int64(COLUMNS), np.int64(1))
            put_tiles(to, of_x, of_y, COLUMNS * count, (height, wide, count), factor, adds or first > 0)
    return len(packed)  # which outlives what is done with its address


@njit(error_model="numpy")
def pack_columns(packed: np.ndarray, y: tuple[int, int, int], count: int, width: int) -> None:
    """So many at a time, row after row; what is beyond the last is 0."""
    compiled_apart()
    spot = 0
    for left in range(0, width, COLUMNS):
        for k in range(count):
            for j in range(left, left + COLUMNS):
                packed[spot] = number_at(y[0] + 8 * (k * y[1] + j * y[2])) if j < width else 0.0
                spot += 1


@njit(error_model="numpy")
def put_product_in_tiles(made: np.ndarray, x: np.ndarray, y: np.ndarray, factor: float, adds: bool) -> None:
    """made = factor * x @ y, or more by that, of matrices of float64; each row of made is in one piece."""
    sizes = (x.shape[0], y.shape[1], x.shape[1])
    put_product_at(place_of_matrix(made), place_of_matrix(x), place_of_matrix(y), sizes, factor, adds)


@njit(error_model="numpy")
def place_of_matrix(a: np.ndarray) -> tuple[int, int, int]:
    return np.int64(a.ctypes.data), a.strides[0] // a.itemsize, a.strides[1] // a.itemsize


@njit(error_model="numpy")
def put_product(made: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """made = x @ y, of matrices of float64, where BLAS has one thread."""
    if IS_WIDE:
        put_product_in_tiles(made, x, y, 1.0, False)
    else:
        np.dot(x, y, made)


@njit(error_model="numpy")
def add_product_to(made: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """made += x @ y, of the same."""
    if IS_WIDE:
        put_product_in_tiles(made, x, y, 1.0, True)
    else:
        made += np.dot(x, y)
