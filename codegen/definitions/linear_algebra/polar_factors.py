"""Orthogonal factors and nuclear norms, which are smooth where singular vectors are not: of equal singular values."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.complex_numbers.parts import complex_of
from codegen.definitions.scipy_linalg import adjoint, one_matrix
from codegen.definitions.table import stands_for
from codegen.primitives.shape import expansion_point, with_slope, without_slope


@stands_for("scipy.linalg.polar", generic=True)
def polar(a, side="right"):
    """A matrix with orthonormal columns, or rows, and a semidefinite one."""
    a = one_matrix(a, False)
    if side != "right" and side != "left":
        raise ValueError("`side` must be either 'right' or 'left'")
    left, values, right = np.linalg.svd(constant(a), full_matrices=False)
    m, n = a.shape
    if m >= n:
        made = orthogonal_part(a, values, right)
    else:
        made = adjoint(orthogonal_part(adjoint(a), values, adjoint(left)))
    turn = sloped_as(left @ right, made)
    if side == "right":
        return turn, sloped_as((adjoint(right) * values) @ right, adjoint(turn) @ a)
    return turn, sloped_as((left * values) @ adjoint(left), a @ adjoint(turn))


def orthogonal_part(a, values, right):
    """X H^-1 of X = a V, where H^-1 is that of the singular values and its first terms beside it."""
    x = a @ adjoint(right)
    change = sum(terms_of_root(x, values + values[:, None])) / values[:, None]
    return x @ ((np.eye(len(values)) - change + change @ change - change @ change @ change) / values) @ right


def terms_of_root(x, sums):
    """What the root of X^H X has beside the singular values, of which sums are given: nothing, with its first three
    derivatives, each by a term, as Newton's steps from there make them."""
    square = adjoint(x) @ x
    first = (square - constant(square)) / sums
    second = first @ first / -sums
    return first, second, (first @ second + second @ first) / -sums


def nuclear_norm(a):
    """The sum of the singular values."""
    return with_slope(np.sum(np.linalg.svdvals(a)), trace_of_root(a))


def trace_of_root(a):
    """The same as trace of that root: of singular values that are 0 the slope is one beside it."""
    tall = a if a.shape[0] >= a.shape[1] else adjoint(a)
    left, values, right = np.linalg.svd(constant(tall), full_matrices=False)
    x = tall @ adjoint(right)
    is_some = values > np.finfo(values.dtype).eps * len(left) * np.max(values, initial=0.0)
    twice = np.where(is_some, 2.0 * values, np.inf)
    first, _, third = terms_of_root(x, np.where(is_some, values, np.inf) + values[:, None])
    away = x - constant(x)
    bend = np.sum((np.conj(away) * away).real, 0) - np.diag(first @ first).real
    return np.sum((np.conj(left) * x).real) + np.sum(bend / twice) + np.sum(np.diag(third).real)


def constant(a):
    """Without slopes; of derivatives beyond the third that is refused."""
    if a.dtype.kind == "c":
        return complex_of(constant(a.real), constant(a.imag))
    return expansion_point("polar", 3, without_slope(a), a)


def sloped_as(value, made):
    if value.dtype.kind == "c":
        return complex_of(with_slope(value.real, made.real), with_slope(value.imag, made.imag))
    return with_slope(value, made)
