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
    """What is computed of float32 or ints alone, or else of float64."""
    alone = most == x and (most == types.float32 or isinstance(most, types.Integer))
    kind = most if alone else types.float64
    return kind(kind, kind)


def extreme(sign, name, builder, kind, args, flags=("nsz",)):
    """The operation on floats; a choice of ints, which LLVM makes vectors of as it is."""
    if isinstance(kind, types.Float):
        whole = type(builder.function.ftype)(args[0].type, (args[0].type, args[0].type))
        operation = builder.module.declare_intrinsic(name, (args[0].type,), whole)
        return builder.call(operation, args, fastmath=flags)
    compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
    return builder.select(compare(sign, *args), *args)


@intrinsic
def highest(typing, top, x):
    """np.maximum(top, x), as one step of a maximum over an array: NaN if one is NaN, of 0.0 and -0.0 either."""

    def generate(context, builder, signature, args):
        return extreme(">", "llvm.maximum", builder, signature.return_type, args)

    return of_both(top, x), generate


@intrinsic
def highest_number(typing, top, x):
    """The same of two that are not NaN, which no instruction has to look for."""

    def generate(context, builder, signature, args):
        return extreme(">", "llvm.maximum", builder, signature.return_type, args, ("nsz", "nnan"))

    return of_both(top, x), generate


@intrinsic
def lowest(typing, bottom, x):
    """np.minimum(bottom, x), as one step of a minimum over an array: NaN if one is NaN, of 0.0 and -0.0 either."""

    def generate(context, builder, signature, args):
        return extreme("<", "llvm.minimum", builder, signature.return_type, args)

    return of_both(bottom, x), generate


@intrinsic
def lowest_number(typing, bottom, x):
    """The same of two that are not NaN, which no instruction has to look for."""

    def generate(context, builder, signature, args):
        return extreme("<", "llvm.minimum", builder, signature.return_type, args, ("nsz", "nnan"))

    return of_both(bottom, x), generate
