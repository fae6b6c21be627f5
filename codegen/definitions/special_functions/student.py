"""The distribution function of Student's t, in its tails too."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy import special
from scipy.special import ndtr

from codegen.definitions.special import log_beta, numbers, size_of
from codegen.definitions.special_functions.incomplete_beta import parts_of_sum, share_of_beta
from codegen.definitions.table import stands_for
from codegen.primitives.special import in_dtype_of

LEAST = 1e-100


@stands_for("scipy.special.stdtr")
def stdtr(x1, x2):
    return in_dtype_of(special.stdtr, share_of_t(numbers(x2), numbers(x1)), x1, x2)


def share_of_t(z, df):
    """What is below z of a distribution with df degrees of freedom."""
    tail, (middle, more) = t_tail(z, df), t_middle(z, df)
    made = np.where(middle, 0.5 + more, np.where(z >= 0, 1.0 - tail, tail))
    return np.where((df > 0) & ~np.isnan(z), made, np.nan)


def t_middle(z, df):
    """Where z is so near the middle that its square is nothing, and what the share has beyond a half there, with the
    density as its slope."""
    freedom = np.where((df > 0) & (df != np.inf), df, 1.0)
    highest = np.exp(-log_beta(0.5, 0.5 * freedom)) / np.sqrt(freedom)
    return (np.abs(z) < LEAST) & (df != np.inf), highest * z


def t_tail(z, df):
    """What is beyond the size of z."""
    normal = df == np.inf
    df = np.where(normal, 1.0, df)
    squared = np.where(np.abs(z) < LEAST, df, z * z)
    part, rest = parts_of_sum(df, squared)
    made = share_of_beta(0.5 * df, 0.5, part, rest, False, False, is_half=True)
    return np.where(normal, ndtr(-size_of(z)), 0.5 * made)
