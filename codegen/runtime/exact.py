"""Products whose rounding matters: what one loses is the other's, x * y - rounded(x, y) = fused(x, y, -rounded(x, y)).

    p = rounded(x, y)
    rest = fused(x, y, -p)                  # x * y = p + rest, but for underflow

A compiler that may contract makes of x * y and a sum one operation, and then p is not what was subtracted; these two
it leaves alone. Each is one instruction wherever multiplications can be fused: on x86 from 2013 on, on 64-bit ARM.
"""

from numba import types
from numba.extending import intrinsic


def of_narrowest(*kinds):
    """What is computed of float32 alone, or else of float64."""
    kind = types.float32 if all(each == types.float32 for each in kinds) else types.float64
    return kind(*(kind for _ in kinds))


@intrinsic
def rounded(typing, x, y):
    """x * y, and never a part of another operation."""

    def generate(context, builder, signature, args):
        return builder.fmul(*args)

    return of_narrowest(x, y), generate


@intrinsic
def fused(typing, x, y, z):
    """x * y + z, rounded once."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        whole = type(builder.function.ftype)(kind, (kind, kind, kind))
        return builder.call(builder.module.declare_intrinsic("llvm.fma", (kind,), whole), args)

    return of_narrowest(x, y, z), generate
