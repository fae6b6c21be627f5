"""Logarithms and inverses of the error and the normal distribution function, in their tails too."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import erfc, erfcx

from codegen.definitions.special import (
    ROOT_HALF,
    ROOT_TWO_PI,
    in_loop,
    in_narrow_loop,
    numbers,
    polynomial,
)
from codegen.definitions.table import stands_for
from codegen.primitives.shape import with_partial, without_partial

# Interpolated at Chebyshev's points of (-1, 1) with 40 digits; the largest errors left are 1e-17.
QUANTILE_IN_MIDDLE = (  # of 128 c**2 / 9 - 1
    1.943961136086416e-10, 5.216797050446752e-10, 3.3409125970662035e-10, 9.152165594400808e-10,
    5.056865648261244e-09, 1.3771899335524248e-08, 3.425020533146464e-08, 9.430120828208788e-08,
    2.6390461896158144e-07, 7.34947177172973e-07, 2.0603843978576245e-06, 5.831465015989716e-06,
    1.6680267624921952e-05, 4.833297318127151e-05, 0.00014235230423808242, 0.00042821196245983065,
    0.0013252569262507824, 0.004270141163799925, 0.014631491457882334, 0.05569500043106497, 0.26436689143860603,
    2.7266649486974748,
)  # fmt: skip
QUANTILE_IN_TAIL = (  # of log t between log 1.6 and log 5
    -5.839225594208615e-13, -2.9485088048795865e-13, 1.3928967811704865e-11, 1.1491979873717339e-11,
    -2.913859129548511e-10, -2.1744712899436708e-10, 4.154117558309818e-09, 4.272211983403268e-08,
    -6.359221891955183e-07, 6.015642774849829e-06, -6.662858568955815e-05, 0.0006729607539697952,
    -0.005085810350424919, 0.027435633869276173, -0.10172587493622183, 0.2359536855798467, 0.7388735473107834,
)  # fmt: skip
QUANTILE_FAR_OUT = (  # of log t between log 5 and log 38.7
    1.3977797321317696e-11, -1.5908483976554325e-11, -1.2674386717865262e-10, 4.029611668287226e-10,
    -2.2767873076488503e-10, -2.221078466746956e-09, 1.0259182957932964e-08, -2.0581056278943023e-08,
    -1.168264569757721e-08, 1.9325459003102043e-07, 8.256122609651188e-08, -9.118985638524175e-06,
    8.092863783964614e-05, -0.0004604026456237078, 0.0019546010825721113, -0.00637898073755338,
    0.01578517058843539, -0.028193213192553513, 0.032618932127906716, 0.9815441977100056,
)  # fmt: skip


@stands_for("scipy.special.log_ndtr")
def log_of_ndtr(x):
    """The logarithm of the normal distribution function: in the lower tail by erfcx."""
    z = numbers(x)
    low = z < -1.0
    tail, rest = np.where(low, z, -1.0), np.where(low, 0.0, z)
    of_tail = np.log(0.5 * erfcx(-ROOT_HALF * without_partial(tail))) - 0.5 * without_partial(tail) ** 2
    of_rest = np.log1p(-0.5 * erfc(ROOT_HALF * without_partial(rest)))
    of_tail = with_partial(of_tail, tail, 2.0 / (ROOT_TWO_PI * erfcx(-ROOT_HALF * tail)))
    of_rest = with_partial(of_rest, rest, slope_of_rest(rest))
    return in_loop(np.where(low, of_tail, of_rest), x)


def slope_of_rest(z):
    return np.exp(-0.5 * z * z) / (ROOT_TWO_PI * (1.0 - 0.5 * erfc(ROOT_HALF * z)))


@stands_for("scipy.special.ndtri")
def ndtri(x):
    """Where the normal distribution function is x."""
    p = numbers(x)
    made = quantile(p - 0.5, np.minimum(p, 1.0 - p))
    return in_narrow_loop(np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, made)), x)


@stands_for("scipy.special.erfinv")
def erfinv(x):
    y = numbers(x)
    made = ROOT_HALF * quantile(0.5 * y, 0.5 * (1.0 - np.abs(y))) + 0.0  # of -0.0 it is 0.0
    return in_narrow_loop(np.where(np.abs(y) == 1.0, np.copysign(np.inf, y), made), x)


@stands_for("scipy.special.erfcinv")
def erfcinv(x):
    y = numbers(x)
    made = -ROOT_HALF * quantile(0.5 * (y - 1.0), 0.5 * np.minimum(y, 2.0 - y))
    return in_narrow_loop(np.where(y == 0.0, np.inf, np.where(y == 2.0, -np.inf, made)), x)


def quantile(beyond, share):
    """Where the normal distribution function is 1/2 + beyond, with that share of it on the side of the tail.

    In the middle `beyond` times a polynomial in its square; in the tails t = sqrt(-2 log share) times one in log t, up
    to t = 5 and beyond.
    """
    inside = (share > 0.0) & (share <= 0.5)
    middle = np.abs(beyond) < 0.375
    c = np.where(inside & middle, beyond, 0.1)
    near = c * polynomial(QUANTILE_IN_MIDDLE, c * c * (128.0 / 9.0) - 1.0)
    t = np.sqrt(-2.0 * np.log(np.where(inside & ~middle, share, 0.1)))
    size = np.log(t)
    in_tail = polynomial(QUANTILE_IN_TAIL, (size - 1.0397207708399179) * 1.7552569985902133)
    far_out = polynomial(QUANTILE_FAR_OUT, (size - 2.6326387562349183) * 0.9773252299962585)
    far = np.copysign(t * np.where(t < 5.0, in_tail, far_out), beyond)
    return np.where(inside, np.where(middle, near, far), np.nan)
