"""Operations on numbers in a thread of a GPU: what the CPU's text has as instructions of LLVM, and functions of NumPy
that numba-cuda has for arrays alone.

A compiler for GPUs makes one operation of a product and a sum wherever it can, and has no switch for that; `rounded`
and `fused` it leaves alone. Nothing reorders sums.
"""

import math

from numba import cuda
from numba.cuda import libdevice

from codegen.runtime.elementary import fast_exp, fast_log1p_part


@cuda.jit(device=True)
def rounded(x: float, y: float) -> float:
    """x * y, and never a part of another operation."""
    return libdevice.dmul_rn(x, y)


@cuda.jit(device=True)
def fused(x: float, y: float, z: float) -> float:
    """x * y + z, rounded once."""
    return cuda.fma(x, y, z)


@cuda.jit(device=True)
def fast_quotient(x: float, y: float, inverse: float) -> float:
    """x / y for inverse = 1 / y, as the CPU's text has it (elementary.py); where that is no number, by division."""
    q = x * inverse
    better = cuda.fma(cuda.fma(-y, q, x), inverse, q)
    if better != better:
        return x / y
    return better if abs(better) > 0.0 else q


@cuda.jit(device=True)
def plus(total: float, x: float) -> float:
    """total + x, as one term of a sum over an array."""
    return total + x


@cuda.jit(device=True)
def highest(top: float, x: float) -> float:
    """The larger; NaN if one is NaN. (numba-cuda's np.maximum looks three times.)"""
    return top if (top >= x) | (top != top) else x


@cuda.jit(device=True)
def lowest(bottom: float, x: float) -> float:
    """The smaller; NaN if one is NaN."""
    return bottom if (bottom <= x) | (bottom != bottom) else x


@cuda.jit(device=True)
def larger(x: float, y: float) -> float:
    """Python's max: the second only where it is beyond the first, which may be NaN."""
    return y if y > x else x


@cuda.jit(device=True)
def smaller(x: float, y: float) -> float:
    """Python's min."""
    return y if y < x else x


@cuda.jit(device=True)
def signum(x: float) -> float:
    """-1, 0 or 1; NaN of NaN."""
    return x if x != x else 1 if x > 0 else -1 if x < 0 else 0


@cuda.jit(device=True)
def squared(x: float) -> float:
    """x ** 2."""
    return x * x


@cuda.jit(device=True)
def cubed(x: float) -> float:
    """x ** 3."""
    return x * x * x


@cuda.jit(device=True)
def fourth_power(x: float) -> float:
    """x ** 4."""
    return x * x * (x * x)


@cuda.jit(device=True)
def inverse(x: float) -> float:
    """1 / x."""
    return 1.0 / x


@cuda.jit(device=True)
def is_signed(x: float) -> bool:
    """Whether the sign is minus, of -0.0 too."""
    return math.copysign(1.0, x) < 0.0


@cuda.jit(device=True)
def fast_log_expit(x: float) -> float:
    """log(expit(x)). Beside expit(z) it is of -z: -x is z then, and what both have of exp(-|z|) is computed once."""
    return (x if x < 0.0 else -0.0) - fast_log1p_part(fast_exp(-abs(-x)))
