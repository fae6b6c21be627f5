"""Logarithms of densities and masses of vectors and matrices."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from scipy.special import gammaln, xlogy

from codegen.definitions.special import floats_of, log_gamma_of_matrices, numbers
from codegen.definitions.table import refused, stands_for
from codegen.runtime.linear_algebra.systems import solved_lower


@stands_for("scipy.stats.dirichlet.logpdf")
def dirichlet(x, alpha):
    """Of one point, whose last share may be left out."""
    x, alpha = floats_of(x), floats_of(alpha)
    if alpha.ndim != 1 or x.ndim != 1:
        refused("dirichlet.logpdf takes one point: of more, call it in a loop or a batch")
    kind = np.result_type(x, alpha)
    if np.any(alpha <= 0):
        raise ValueError("All parameters must be greater than 0")
    if np.any(x < 0):
        raise ValueError("Each entry in 'x' must be greater than or equal to zero.")
    if np.any(x > 1):
        raise ValueError("Each entry in 'x' must be smaller or equal one.")
    shares = x if len(x) == len(alpha) else np.append(x, 1.0 - np.sum(x))
    if len(shares) != len(alpha):
        raise ValueError(
            "Vector 'x' must have either the same number of entries as, or one entry fewer than, 'a'"
        )
    if np.any((shares == 0) & (alpha < 1)):
        raise ValueError("Each entry in 'x' must be greater than zero if its alpha is less than one.")
    if np.abs(np.sum(shares) - 1.0) > 1e-9:
        raise ValueError(
            f"The input vector 'x' must lie within the normal simplex. but np.sum(x, 0) = {np.sum(shares)}."
        )
    x, alpha = numbers(shares), numbers(alpha)
    made = np.sum(xlogy(alpha - 1.0, x)) - (np.sum(gammaln(alpha)) - gammaln(np.sum(alpha)))
    return made.astype(kind)


@stands_for("scipy.stats.multinomial.logpmf")
def multinomial(x, n, p):
    """Of one table of counts; where the chances are not 1 together, the last is what is left."""
    least = 1.1920929e-06 if np.asarray(p).dtype == np.float32 else 2.220446049250313e-15
    x, n, p = numbers(x), numbers(n), numbers(p)
    if x.ndim != 1 or p.ndim != 1 or n.ndim != 0:
        refused("multinomial.logpmf takes one vector of counts: of more, call it in a loop or a batch")
    if len(x) != len(p):
        raise ValueError(
            f"Size of each quantile should be size of p: received {len(x)}, but expected {len(p)}."
        )
    rest = 1.0 - np.sum(p[:-1])
    p = np.append(p[:-1], np.where(np.abs(1.0 - np.sum(p)) > least, rest, p[-1]))
    if np.any((p < 0) | (p > 1)) or n < 0:
        return np.nan
    if np.sum(x) != n or np.any(x < 0) or np.any(np.floor(x) != x):
        return -np.inf
    return gammaln(n + 1.0) + np.sum(xlogy(x, p) - gammaln(x + 1.0))


@stands_for("scipy.stats.multivariate_normal.logpdf")
def multivariate_normal(x, mean=None, cov=1, allow_singular=False):
    """Of points along the last axis; the covariance is positive definite, unless it may be singular. The density is 0
    at infinity, in each direction."""
    x = numbers(x)
    if x.ndim == 0 and mean is None and np.ndim(cov) == 2:
        x = np.full(len(numbers(cov)), x)
    elif x.ndim == 0 or is_of_one(mean, cov) and x.ndim == 1:
        x = x[..., None]
    cov = covariance(mean, cov)
    away = x if mean is None else x - numbers(mean)
    far = np.sum(np.abs(away), -1) == np.inf
    away = np.where(far[..., None], 0.0, away)
    return np.where(far, -np.inf, singular_normal(away, cov) if allow_singular else normal(away, cov))


def normal(away, cov):
    factor = np.linalg.cholesky(cov)
    points = away.T if away.ndim < 3 else away.reshape((away.size // max(len(cov), 1), len(cov))).T
    z = solved_lower(factor, points)
    size = np.sum(z * z, 0)
    size = size if away.ndim < 3 else size.reshape(away.shape[: away.ndim - 1])
    return -0.5 * (len(cov) * np.log(2.0 * np.pi) + size) - np.sum(np.log(np.diag(factor)))


def is_of_one(mean, cov):
    """Whether points are numbers: neither a mean nor a covariance says how many they have."""
    return np.ndim(cov) < 2 if mean is None else np.ndim(mean) == 0


def covariance(mean, cov):
    """A matrix, also of variances, or of one that all have."""
    cov = numbers(cov)
    if cov.ndim > 2:
        refused("multivariate_normal takes a matrix as covariance")
    if is_of_one(mean, cov):
        return cov.reshape(1, 1)
    if mean is None:
        return cov
    if np.ndim(mean) > 1:
        refused("multivariate_normal takes a vector as mean")
    if cov.ndim == 0:
        return cov * np.eye(np.size(mean))
    n = np.size(mean)
    if cov.ndim == 2 and len(cov) == cov.shape[1] and len(cov) != n:
        raise ValueError(
            f"Dimension mismatch: array 'cov' is of shape {cov.shape}, but 'mean' is a vector of length {n}."
        )
    return np.diag(cov) if cov.ndim == 1 else cov


def singular_normal(away, cov):
    """Along the eigenvectors whose variances are more than nothing; beyond their span there is no density."""
    variances, axes = np.linalg.eigh(cov)
    least = 2.220446049250313e-10 * np.max(np.abs(variances))
    if np.min(variances) < -least:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    kept = variances > least
    scale, z = np.where(kept, variances, 1.0), away @ axes
    made = -0.5 * (np.sum(kept) * np.log(2.0 * np.pi) + np.sum(np.log(scale)))
    made = made - 0.5 * np.sum(np.where(kept, z * z / scale, 0.0), -1)
    beyond = np.sum(np.where(kept, 0.0, z * z), -1)
    return np.where(beyond < (1e3 * least) ** 2, made, -np.inf)


@stands_for("scipy.stats.multivariate_normal.entropy")
def entropy(mean=None, cov=1):
    cov = covariance(mean, cov)
    return 0.5 * len(cov) * (np.log(2.0 * np.pi) + 1.0) + np.sum(np.log(np.diag(np.linalg.cholesky(cov))))


def matrix_of(x, n):
    if x.ndim > 2:
        refused(
            "wishart.logpdf takes one matrix, and a matrix as scale: of more, call it in a loop or a batch"
        )
    if x.ndim == 0:
        return x * np.eye(n)
    return np.diag(x) if x.ndim == 1 else x


@stands_for("scipy.stats.wishart.logpdf")
def wishart(x, df, scale):
    """Of one matrix; the scale is positive definite. Of either may be given the diagonal, or what is all of it."""
    x, df, scale = numbers(x), numbers(df), matrix_of(numbers(scale), 1)
    p = len(scale)
    x = matrix_of(x, p)
    if x.shape[0] != p or x.shape[1] != p:
        raise ValueError("Quantiles must be square matrices, as large as the scale matrix.")
    if df <= p - 1:
        raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix minus 1.")
    factor = np.linalg.cholesky(scale)
    of_scale = 2.0 * np.sum(np.log(np.diag(factor)))
    root = np.linalg.cholesky(x)
    z = solved_lower(factor, root)
    of_x, size = 2.0 * np.sum(np.log(np.diag(root))), np.sum(z * z)
    norming = 0.5 * df * (p * np.log(2.0) + of_scale) + log_gamma_of_matrices(0.5 * df, p)
    return 0.5 * (df - p - 1.0) * of_x - 0.5 * size - norming
