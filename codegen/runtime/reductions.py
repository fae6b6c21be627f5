"""Sums and extremes whose terms may be taken in any order, so that loops over arrays run in vector registers.

Only the addition written as `plus` may be reordered: the flag is on its own instruction, not on the program. An
extreme is the same in any order; LLVM knows that of its own operation, not of the comparisons that Numba writes.
"""

from __future__ import annotations

from numba import njit, types
from numba.extending import intrinsic


@njit(fastmath={"reassoc", "nsz"}, forceinline=True)
def plus(total: float, x: float) -> float:
    """total + x, as one term of a sum over an array (error: the usual n eps)."""
    return total + x


def of_both(most, x):
    """What is computed of float32 alone, or else of float64."""
    kind = types.float32 if most == x == types.float32 else types.float64
    return kind(kind, kind)


@intrinsic
def highest(typing, top, x):
    """np.maximum(top, x), as one step of a maximum over an array: NaN if one is NaN, of 0.0 and -0.0 either."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        whole = type(builder.function.ftype)(kind, (kind, kind))
        operation = builder.module.declare_intrinsic("llvm.maximum", (kind,), whole)
        return builder.call(operation, args, fastmath=("nsz",))

    return of_both(top, x), generate


@intrinsic
def lowest(typing, bottom, x):
    """np.minimum(bottom, x), as one step of a minimum over an array: NaN if one is NaN, of 0.0 and -0.0 either."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        whole = type(builder.function.ftype)(kind, (kind, kind))
        operation = builder.module.declare_intrinsic("llvm.minimum", (kind,), whole)
        return builder.call(operation, args, fastmath=("nsz",))

    return of_both(bottom, x), generate
