"""Factors of one matrix, and least squares (runtime/linear_algebra/factors.py).

Derivatives of factors are those of matrices whose columns are independent: NaN or infinite of others (Walter and
Lehmann 2010, sections 3 and 4). Of least squares those where the rank stays, as of pseudoinverses.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Type
from codegen.ir.build import Builder
from codegen.lazy import lazily
from codegen.primitives.reduce import as_array
from codegen.primitives.row import lowers, row
from codegen.primitives.systems import lower_solution, places_down
from codegen.runtime.linear_algebra.factors import (
    least_squares,
    order_of_rows,
    orthogonal_factors,
    pivoted_factors,
)

compiled = lazily("codegen.runtime.linear_algebra.reflections")  # Numba comes with it


def divided(x: Any, upper: Any) -> Any:
    """x U^-1."""
    return lower_solution(upper.T, x.T).T


def below_diagonal(x: Any) -> Any:
    return np.where(places_down(x) > 0, x, 0.0)


def ones_on_diagonal(like: Any) -> Any:
    """What pads a square matrix with rows of 0; turned round, what cuts them off."""
    return np.where(places_down(like) == 0, 1.0, 0.0).astype(like.dtype)


def orthogonal_factors_jvp(t: Any, out: Any, a: Any) -> Any:
    """dA = dQ R + Q dR, Q' dQ antisymmetric, dR upper triangular."""
    left, upper = out[0], out[1, : a.shape[1]]
    image = divided(t, upper)
    inner = left.T @ image
    change = inner - below_diagonal(inner) + below_diagonal(inner).T
    return np.stack((image - left @ change, ones_on_diagonal(left) @ (change @ upper)))


def pivoted_factors_jvp(t: Any, out: Any, a: Any) -> Any:
    """dA = dL U + L dU with the rows in their order, which stays."""
    both, moved = out[0], t[a.builder.apply("order_of_rows", out, a)]
    ones = ones_on_diagonal(both)
    lower = ones + below_diagonal(both)
    upper = ones.T @ (both - below_diagonal(both))
    inner = divided(lower_solution(ones.T @ lower, ones.T @ moved), upper)
    of_upper = (inner - below_diagonal(inner)) @ upper
    made = below_diagonal(divided(moved - lower @ of_upper, upper)) + ones @ of_upper
    return np.stack((made, np.zeros_like(made)))


def pseudoinverse_of(a: Any, cutoff: Any) -> Any:
    return a.builder.apply("pseudoinverse", a, cutoff)


def matrix_tangent(t: Any, out: Any, a: Any, b: Any, cutoff: Any) -> Any:
    """Golub and Pereyra 1973, eq. 4.12, times b."""
    inverse = pseudoinverse_of(a, cutoff)
    within = t.T @ (inverse.T @ out)
    beside = inverse.T @ (t.T @ (b - a @ out))
    return inverse @ (beside - t @ out) + within - inverse @ (a @ within)


# fmt: off
row("orthogonal_factors", orthogonal_factors, lambda a: Type(a.type.dtype, (2, *a.type.shape)), "linalg",
    call="orthogonal_factors", helper="orthogonal_factors_by_lapack",
    definition=lambda: compiled.orthogonal_factors_by_reflections.py_func,
    work=lambda a: 4 * prod(a) * a[1], jvp=(orthogonal_factors_jvp,))
row("pivoted_factors", pivoted_factors, lambda a: Type(a.type.dtype, (2, *a.type.shape)), "linalg",
    call="pivoted_factors", helper="pivoted_factors_by_lapack",
    definition=lambda: compiled.pivoted_factors_by_elimination.py_func,
    work=lambda a: prod(a) * a[1], jvp=(pivoted_factors_jvp,))
row("order_of_rows", order_of_rows, lambda factors, a: Type("i8", a.type.shape[:1]), "linalg", call="order_of_rows",
    helper="order_of_rows_in_factors", definition=lambda: compiled.order_of_rows_of_lane.py_func,
    work=lambda factors, a: a[0], jvp=(None, None))
row("least_squares", least_squares, lambda a, b, cutoff: Type(a.type.dtype, (a.type.shape[1], b.type.shape[1])),
    "linalg", call="least_squares", helper="least_squares_by_lapack",
    definition=lambda: compiled.least_squares_by_rotations.py_func,
    work=lambda a, b, cutoff: 20 * prod(a) * min(a), for_lanes=(4e4, "least_squares_by_lapack"),
    jvp=(matrix_tangent, lambda t, out, a, b, cutoff: pseudoinverse_of(a, cutoff) @ t, None))
# fmt: on


def of_matrices(name: str, count: int) -> Callable[..., Any]:
    def build(b: Builder, *operands: Any) -> Any:
        return b.apply(name, *(as_array(b, x) if k < count else x for k, x in enumerate(operands)))

    return build


for _meaning, _count in (
    (orthogonal_factors, 1),
    (pivoted_factors, 1),
    (order_of_rows, 2),
    (least_squares, 2),
):
    lowers(_meaning)(of_matrices(_meaning.__name__, _count))
