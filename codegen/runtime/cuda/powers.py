"""Powers whose exponent is a known fraction, in a thread of a GPU: fast_root_pow(x, -0.2, -1, 5, ...) is x ** -0.2.

r = x**(-1/q) comes from the single precision that a thread has in two instructions, to 16 bits and more. Of r**q x =
1 - e only e is small, and what e says of the power is a cubic: ten operations, where a power takes eighty.
"""

import numpy as np
from numba import cuda
from numba.cuda import libdevice

ROOT_LEAST = 1e-37  # between these, single precision has numbers
ROOT_MOST = 1e37


@cuda.jit(device=True)
def fast_root_pow(x: float, y: float, n: int, q: int, rest: float) -> float:
    """x**y for a literal y = n / q + rest with 0 < |n| < q, within 2 units.

    It is r**-n (1 - e)**(n / q) for n < 0, else x r**(q - n) (1 - e)**(n / q - 1). What the first factor lost when it
    was rounded is found again in e, so that of it n / q is left.
    """
    if not ROOT_LEAST < x < ROOT_MOST:
        return libdevice.pow(x, y)
    r = np.float64(libdevice.fast_powf(np.float32(x), np.float32(-1.0 / q)))
    power, other = (1.0, x) if n < 0 else (x, 1.0)
    for k in range(q):
        if k < (-n if n < 0 else q - n):
            power *= r
        else:
            other *= r
    e = cuda.fma(-power, other, 1.0)
    a = n / q if n < 0 else n / q - 1.0
    if rest != 0.0:
        e -= rest / a * np.float64(libdevice.fast_logf(np.float32(x)))
    second = 0.5 * a * (a - 1.0)
    return power + power * e * (e * (second - e * (second * (a - 2.0) / 3.0)) - a)
