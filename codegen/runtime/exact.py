"""Products whose rounding matters: what one loses is the other's, x * y - rounded(x, y) = fused(x, y, -rounded(x, y)).

    p = rounded(x, y)
    rest = fused(x, y, -p)                  # x * y = p + rest, but for underflow

A compiler that may contract makes of x * y and a sum one operation, and then p is not what was subtracted; these two
it leaves alone. Each is one instruction wherever multiplications can be fused: on x86 from 2013 on, on 64-bit ARM.
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from .elementary import FAST_UPPER_26, FAST_UPPER_27


@intrinsic
def rounded(typing, x, y):
    """x * y, and never a part of another operation."""

    def generate(context, builder, signature, args):
        return builder.fmul(*args)

    return types.float64(types.float64, types.float64), generate


@intrinsic
def fused(typing, x, y, z):
    """x * y + z, rounded once."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        whole = type(builder.function.ftype)(kind, (kind, kind, kind))
        return builder.call(builder.module.declare_intrinsic("llvm.fma", (kind,), whole), args)

    return types.float64(types.float64, types.float64, types.float64), generate


# The same for other compilers than Numba's, and none (`text` chooses).
@njit(error_model="numpy", forceinline=True)
def rounded_by_bits(x: float, y: float) -> float:
    """The upper bits of x * y, which no compiler can make a part of another operation."""
    return np.uint64(np.float64(x * y).view(np.uint64) & FAST_UPPER_27).view(np.float64)


@njit(error_model="numpy", forceinline=True)
def fused_by_parts(x: float, y: float, z: float) -> float:
    """x * y + z to 2**-75 of x * y, and of itself to 2**-52."""
    x_upper = np.uint64(np.float64(x).view(np.uint64) & FAST_UPPER_26).view(np.float64)
    y_upper = np.uint64(np.float64(y).view(np.uint64) & FAST_UPPER_26).view(np.float64)
    x_lower, y_lower = x - x_upper, y - y_upper
    return (x_upper * y_upper + z) + ((x_upper * y_lower + x_lower * y_upper) + x_lower * y_lower)
