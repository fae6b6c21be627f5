"""scipy.linalg: systems whose matrices have a few diagonals."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.matrices import floats
from codegen.definitions.scipy_linalg import finite
from codegen.definitions.table import stands_for


@stands_for("scipy.linalg.solve_banded")
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """By elimination with the largest pivots. A row of `band` is a row of the matrix, from l places before the diagonal
    to the u + l places after it that exchanges of rows reach."""
    lower, upper = l_and_u
    ab, b = finite(floats(ab), check_finite), finite(floats(b), check_finite)
    n, reach = len(b), lower + upper
    if lower + upper + 1 != ab.shape[0]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({lower + upper + 1}) "
            f"does not equal ab.shape[0] ({ab.shape[0]})"
        )
    if ab.shape[1] != n:
        raise ValueError("shapes of ab and b are not compatible.")
    band = np.zeros((n, reach + lower + 1), (ab.reshape(-1)[:0] + b.reshape(-1)[:0]).dtype)
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            band[i, j - i + lower] = ab[upper + i - j, j]
    if n == 0:
        return b.astype(band.dtype)
    x = b.astype(band.dtype).reshape((n, b.size // n)).copy()
    for k in range(n):
        bring_pivot(band, x, k, lower, reach)
        for i in range(k + 1, min(n, k + lower + 1)):
            factor = band[i, k - i + lower] / band[k, lower]
            for j in range(k + 1, min(n, k + reach + 1)):
                band[i, j - i + lower] -= factor * band[k, j - k + lower]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, min(n, k + reach + 1)):
            x[k] -= band[k, j - k + lower] * x[j]
        x[k] /= band[k, lower]
    return x.reshape(b.shape)


def bring_pivot(band, x, k, lower, reach):
    """Exchange row k and the one below it that has the largest number in column k."""
    n, best = len(band), k
    for i in range(k + 1, min(n, k + lower + 1)):
        if abs(band[i, k - i + lower]) > abs(band[best, k - best + lower]):
            best = i
    if band[best, k - best + lower] == 0.0:
        raise np.linalg.LinAlgError("singular matrix")
    if best != k:
        for j in range(k, min(n, k + reach + 1)):
            kept = band[k, j - k + lower]
            band[k, j - k + lower] = band[best, j - best + lower]
            band[best, j - best + lower] = kept
        row = x[k].copy()
        x[k] = x[best]
        x[best] = row
