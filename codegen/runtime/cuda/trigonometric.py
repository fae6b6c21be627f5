"""Sine and cosine in a thread of a GPU: by three parts of pi/2 up to 2**28, and by the CPU's table beyond.

Vectors of a CPU cannot branch, so all angles go by the table there. Lanes of a warp that look into a table at several
places wait for each of them, and a branch that none of them takes costs nothing. The sine and the cosine of one angle
share all but their last steps: that comes before the branch, so that the compiler sees it.
"""

import numpy as np
from numba import cuda

from codegen.runtime.elementary import FAST_ROUND, FAST_SIGN
from codegen.runtime.near.angles import (
    NEAR_QUARTER,
    NEAR_QUARTERS,
    is_near_angle,
    is_near_single_angle,
    near_fast_either,
    near_single_cos,
    near_single_sin,
)
from codegen.runtime.trigonometric import FAST_0, FAST_1, fast_quarter_turns, fast_sin_and_cos
from codegen.runtime.trigonometric_single import single_sin_and_cos, single_sin_or_cos


@cuda.jit(device=True)
def fast_turned(x: float) -> tuple[np.uint64, float, float]:
    """|x| = n pi/2 + r, |r| <= pi/4, as (n mod 4, sin(r), cos(r)), these within 1.2 units; NaN where x is infinite.

    What n times the first part of pi/2 leaves of x is exact, what is taken of that is rounded once; so r is a single
    number.
    """
    size = abs(x)
    whole = cuda.fma(size, NEAR_QUARTERS, FAST_ROUND)
    n = whole - FAST_ROUND
    first, second, third = NEAR_QUARTER
    r = cuda.fma(-n, third, cuda.fma(-n, second, cuda.fma(-n, first, size)))
    z = r * r
    s = 2.755731361296491e-06 + z * (-2.5050746401407407e-08 + z * 1.5896148876460718e-10)
    s = -0.1666666666666663 + z * (0.00833333333332209 + z * (-0.00019841269829566104 + z * s))
    t = -2.755731417164675e-07 + z * (2.0875699776275537e-09 - z * 1.1358480054527095e-11)
    t = 0.041666666666666595 + z * (-0.0013888888888873017 + z * (2.480158728882591e-05 + z * t))
    turns, sine, cosine = np.float64(whole).view(np.uint64), r + r * z * s, 1.0 + z * (-0.5 + z * t)
    if not is_near_angle(x):
        turns, r, c = fast_quarter_turns(x)
        sine, cosine = fast_sin_and_cos(r, c if size < np.inf else np.nan)
    return turns, sine, cosine


@cuda.jit(device=True)
def fast_sin(x: float) -> float:
    n, sine, cosine = fast_turned(x)
    return near_fast_either(n, sine, cosine, np.float64(x).view(np.uint64) & FAST_SIGN)


@cuda.jit(device=True)
def fast_cos(x: float) -> float:
    n, sine, cosine = fast_turned(x)
    return near_fast_either(n + FAST_1, sine, cosine, FAST_0)


@cuda.jit(device=True)
def single_sin(x: np.float32) -> np.float32:
    y = near_single_sin(x)
    if not is_near_single_angle(x):
        n, sine, cosine = single_sin_and_cos(x)
        y = single_sin_or_cos(x, n, sine, cosine)
    return y


@cuda.jit(device=True)
def single_cos(x: np.float32) -> np.float32:
    y = near_single_cos(x)
    if not is_near_single_angle(x):
        n, sine, cosine = single_sin_and_cos(x)
        y = single_sin_or_cos(x, n + FAST_1, sine, cosine)
    return y
