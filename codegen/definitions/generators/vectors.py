"""Vectors: multinomial, Dirichlet's and the multivariate normal."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.generators.elements import of_generator
from codegen.definitions.generators.gamma import one_beta, standard_one
from codegen.definitions.table import refused


def rows_of(size, columns):
    """The shape of so many vectors, and how many they are."""
    if size is None:
        return (columns,), 1
    shape = size if isinstance(size, tuple) else (size,)
    return (*shape, columns), math.prod(shape)


@of_generator
def multinomial(self, n, pvals, size=None):
    pvals = np.asarray(pvals, np.float64)
    if np.ndim(n) or pvals.ndim > 1:
        refused("multinomial takes one number of trials and one vector of probabilities")
    if n < 0:
        raise ValueError("n < 0")
    if not np.all((pvals >= 0) & (pvals <= 1)):
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if np.sum(pvals[:-1]) > 1.0 + 1e-12:
        raise ValueError("sum(pvals[:-1]) > 1.0")
    last = len(pvals) - 1
    shape, rows = rows_of(size, len(pvals))
    made = np.zeros((rows, len(pvals)), np.int64)
    for row in range(rows):
        left, rest = n, 1.0
        for k in range(last):
            if left > 0:
                count = self._binomial(left, pvals[k] / rest)
                made[row, k] = count
                left -= count
                rest -= pvals[k]
        made[row, last] = left
    return made.reshape(shape)


@of_generator
def dirichlet(self, alpha, size=None):
    alpha = np.asarray(alpha, np.float64)
    if np.any(alpha < 0):
        raise ValueError("alpha < 0")
    n = len(alpha)
    shape, rows = rows_of(size, n)
    made = np.zeros((rows, n))
    is_small = n > 0 and np.max(alpha) < 0.1
    above = np.cumsum(alpha[::-1])[::-1]
    for row in range(rows):
        if is_small:
            left = 1.0
            for k in range(n - 1):
                share = one_beta(self, alpha[k], above[k + 1])
                made[row, k] = left * share
                left *= 1.0 - share
            made[row, n - 1] = left
        else:
            total = 0.0
            for k in range(n):
                x = standard_one(self, alpha[k])
                made[row, k] = x
                total += x
            for k in range(n):
                made[row, k] *= 1.0 / total
    return made.reshape(shape)


@of_generator
def multivariate_normal(self, mean, cov, size=None, method="svd"):
    mean, cov = np.asarray(mean, np.float64), np.asarray(cov, np.float64)
    if mean.ndim != 1 or cov.ndim != 2:
        raise ValueError(
            "mean must be 1 dimensional" if mean.ndim != 1 else "cov must be 2 dimensional and square"
        )
    if len(cov) != len(mean) or cov.shape[1] != len(mean):
        raise ValueError("mean and cov must have same length")
    shape, rows = rows_of(size, len(mean))
    z = self.standard_normal((rows, len(mean)))
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
    elif method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        factor = vectors * np.sqrt(np.abs(values))
    else:
        vectors, values, _ = np.linalg.svd(cov)
        factor = vectors * np.sqrt(values)
    return (mean + z @ factor.T).reshape(shape)
