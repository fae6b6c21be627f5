"""Systems of linear equations of up to 64 rows, which are vectors of 8 numbers in one piece of memory: a and what it is
to give side by side, in compiled code. Larger ones by LAPACK, whose call takes longer than all of these for 16 rows.
"""

# mypy: disable-error-code="no-untyped-def, arg-type, call-arg"

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from codegen.runtime.intrinsics.loop_hints import compiled_apart
from codegen.runtime.intrinsics.vectors import TILE, spread, vector_at

from .lapack import solved_by_lapack
from .tiles import less_product

LONGEST_SHORT_ROWS = 64
SMALL_PIVOT, LARGE_PIVOT = 1e-30, 1e30  # between them a pivot's reciprocal is as good as a quotient


def on_vectors(change):
    """What puts other numbers in place of a vector, or of two, at places in a row of numbers."""

    @intrinsic
    def put_vectors(typing, u, place, other, numbers):
        def generate(context, builder, signature, args):
            from llvmlite import ir
            from numba.core import cgutils

            start = context.make_array(u)(context, builder, args[0]).data
            kind = ir.VectorType(start.type.pointee, TILE)
            spots = [vector_at(builder, start, each, kind) for each in args[1:3]]
            spreads = [spread(builder, each) for each in cgutils.unpack_tuple(builder, args[3])]
            made = change(builder, *map(builder.load, spots), *spreads)
            for spot, each in zip(spots, made):
                builder.store(each, spot)
            return context.get_dummy_value()

        return types.void(
            u, types.intp, types.intp, types.BaseTuple.from_types([u.dtype] * len(numbers))
        ), generate

    return put_vectors


take_vector = on_vectors(lambda builder, x, y, number: [less_product(builder, x, number, y)])
divide_vector = on_vectors(lambda builder, x, y, number: [builder.fdiv(x, number)])
swap_vectors = on_vectors(lambda builder, x, y: [y, x])


@njit(error_model="numpy")
def in_cache_lines(count: int, a: np.ndarray) -> np.ndarray:
    """So many numbers of no meaning, of which each vector lies in one cache line."""
    room = np.empty(count + TILE, a.dtype)
    return room[-(room.ctypes.data // a.itemsize) % TILE :]


@njit(error_model="numpy")
def eliminate_short_rows(u: np.ndarray, n: int, width: int) -> float:
    """What elimination.py's `eliminate` does, of n rows of so many numbers; nothing reads below the diagonal again."""
    sign = 1.0
    for k in range(n):
        pivot, most = k, abs(u[k * width + k])
        for i in range(k + 1, n):
            size = abs(u[i * width + k])
            pivot, most = (i, size) if size > most else (pivot, most)
        if most == 0.0:
            sign = 0.0
        first, inverse = k - k % TILE, 0.0
        if pivot != k:
            sign = -sign
            for j in range(first, width, TILE):
                swap_vectors(u, k * width + j, pivot * width + j, ())
        if SMALL_PIVOT < most < LARGE_PIVOT:
            inverse = 1.0 / u[k * width + k]
        for i in range(k + 1, n):
            factor = u[i * width + k] * inverse
            if inverse == 0.0:
                factor = u[i * width + k] / u[k * width + k]
            for j in range(first, width, TILE):
                take_vector(u, i * width + j, k * width + j, (factor,))
    return sign


@njit(error_model="numpy")
def solved_in_short_rows(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The x with a @ x = b, NaN where a is singular."""
    compiled_apart()
    n, count = len(a), b.size // max(len(a), 1)
    if n > LONGEST_SHORT_ROWS or count > LONGEST_SHORT_ROWS:
        return solved_by_lapack(a, b)
    right = n + -n % TILE
    width = right + count + -count % TILE
    u = in_cache_lines(n * width, a)
    columns, made = np.reshape(b, (n, count)), np.empty((n, count), a.dtype)
    for i in range(n):
        for j in range(n):
            u[i * width + j] = a[i, j]
        for j in range(count):
            u[i * width + right + j] = columns[i, j]
    sign = eliminate_short_rows(u, n, width)
    for k in range(n - 1, -1, -1):
        for j in range(right, width, TILE):
            divide_vector(u, k * width + j, k * width + j, (u[k * width + k],))
            for i in range(k):
                take_vector(u, i * width + j, k * width + j, (u[i * width + k],))
        for j in range(count):
            made[k, j] = u[k * width + right + j] if sign != 0.0 else np.nan
    return np.reshape(made, b.shape)
