"""Eigenvectors of a symmetric matrix, singular vectors of any, and pseudoinverses
(runtime/linear_algebra/decompositions.py).

Values have derivatives of their own, which do not need those of the vectors: vectors of equal values have none (NaN).
Giles 2008, sections 3.1 and 3.2; Seeger et al. 2017, section 3; of pseudoinverses Golub and Pereyra 1973, eq. 4.12.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Type
from codegen.ir.build import Builder
from codegen.lazy import lazily
from codegen.primitives.factors import ones_on_diagonal
from codegen.primitives.reduce import as_array
from codegen.primitives.row import lowers, row
from codegen.primitives.systems import places_down
from codegen.runtime.linear_algebra.decompositions import (
    eigensystem,
    eigenvalues,
    eigenvalues_in,
    full_singular_system,
    full_singular_values_in,
    pseudoinverse,
    singular_system,
    singular_values,
    singular_values_in,
)

compiled = lazily("codegen.runtime.linear_algebra.rotations")  # Numba comes with it
eigen = lazily("codegen.runtime.linear_algebra.eigensystems")


def by_gaps(values: Any) -> Any:
    """1 / (values[j] - values[i]), 0 on the diagonal."""
    gaps = values[None, :] - values[:, None]
    on_diagonal = places_down(gaps) == 0
    return np.where(on_diagonal, 0.0, 1.0 / np.where(on_diagonal, 1.0, gaps))


def eigensystem_jvp(t: Any, out: Any, a: Any) -> Any:
    """dV = V (F * V' dA V), F by the gaps between eigenvalues, which eigenvalues_in alone reads."""
    vectors, values = out[0], a.builder.apply("eigenvalues_in", out, a)
    turned = vectors @ (by_gaps(values) * (vectors.T @ t @ vectors))
    return np.stack((turned, np.zeros_like(turned)))


def singular_system_jvp(t: Any, out: Any, a: Any, wide: Any) -> Any:
    n = a.shape[1]
    left, right, values = out[0], out[1, :n], a.builder.apply("singular_values_in", out, a)
    of_left, of_right = singular_vectors_change(t, left, right, values)
    padded = ones_on_diagonal(left) @ of_right
    return np.stack((of_left, padded, np.zeros_like(padded)))


def full_singular_system_jvp(t: Any, out: Any, a: Any, wide: Any) -> Any:
    """Vectors beyond turn with the others and not among themselves: with the slope of all that does not hang on which
    they are."""
    n = a.shape[1]
    left, beyond, right = out[0, :, :n], out[0, :, n:], out[1, :n, :n]
    values = a.builder.apply("full_singular_values_in", out, a)
    of_left, of_right = singular_vectors_change(t, left, right, values)
    of_beyond = -(left @ (of_left.T @ beyond))
    turned, pad = np.concatenate((of_left, of_beyond), axis=1), ones_on_diagonal(left)
    return np.stack((turned, pad @ of_right @ pad.T, np.zeros_like(turned)))


def full_singular_values_change(t: Any, out: Any, system: Any, a: Any) -> Any:
    n = a.shape[1]
    return np.sum(system[0, :, :n] * (t @ system[1, :n, :n]), axis=0)


def singular_vectors_change(t: Any, left: Any, right: Any, values: Any) -> tuple[Any, Any]:
    """Of U within its columns and out of them, and of V."""
    inner = left.T @ t @ right
    gaps = by_gaps(values * values)
    image = t @ right
    of_left = left @ (gaps * (inner * values[None, :] + values[:, None] * inner.T))
    of_left = of_left + (image - left @ inner) / values[None, :]
    return of_left, right @ (gaps * (values[:, None] * inner + inner.T * values[None, :]))


def pseudoinverse_jvp(t: Any, out: Any, a: Any, cutoff: Any) -> Any:
    """Where the rank stays."""
    beside = t.T - (t.T @ a) @ out
    within = t.T - out @ (a @ t.T)
    return -(out @ t @ out) + out @ (out.T @ beside) + (within @ out.T) @ out


# fmt: off
row("eigensystem", eigensystem, lambda a: Type(a.type.dtype, (2, *a.type.shape)), "linalg", call="eigensystem",
    helper="eigensystem_by_lapack", definition=lambda: eigen.eigensystem_by_rotations.py_func,
    work=lambda a: 9 * a[0] ** 3, for_lanes=(1.2e5, "eigensystem_by_steps"), jvp=(eigensystem_jvp,))
row("eigenvalues", eigenvalues, lambda a: Type(a.type.dtype, a.type.shape[1:]), "linalg", call="eigenvalues",
    helper="eigenvalues_by_lapack", definition=lambda: eigen.eigenvalues_by_rotations.py_func,
    work=lambda a: 4 * a[0] ** 3, jvp=(None,))
row("eigenvalues_in", eigenvalues_in, lambda system, a: Type(a.type.dtype, a.type.shape[1:]), "linalg",
    call="eigenvalues_in", helper="eigenvalues_of_system", alone=("eigensystem", "eigenvalues"),
    work=lambda system, a: a[0], definition=lambda: eigen.eigenvalues_of_system.py_func,
    jvp=(None, lambda t, out, system, a: np.sum(system[0] * (t @ system[0]), axis=0)))
row("singular_system", singular_system, lambda a, wide: Type(a.type.dtype, (3, *a.type.shape)), "linalg",
    call="singular_system", helper="singular_system_by_lapack",
    definition=lambda: compiled.singular_system_by_rotations.py_func,
    work=lambda a, wide: 20 * prod(a) * a[1], for_lanes=(4e4, "singular_system_by_lapack"),
    jvp=(singular_system_jvp, None))
row("singular_values", singular_values, lambda a, wide: Type(a.type.dtype, a.type.shape[1:]), "linalg",
    call="singular_values", helper="singular_values_by_lapack",
    definition=lambda: compiled.singular_values_by_rotations.py_func,
    work=lambda a, wide: 10 * prod(a) * a[1], for_lanes=(2e4, "singular_values_by_lapack"), jvp=(None, None))
row("singular_values_in", singular_values_in, lambda system, a: Type(a.type.dtype, a.type.shape[1:]), "linalg",
    call="singular_values_in", helper="singular_values_of_system", alone=("singular_system", "singular_values"),
    work=lambda system, a: a[1],
    definition=lambda: compiled.singular_values_of_system.py_func,
    jvp=(None, lambda t, out, system, a: np.sum(system[0] * (t @ system[1, : a.shape[1]]), axis=0)))
row("full_singular_system", full_singular_system,
    lambda a, wide: Type(a.type.dtype, (3, a.type.shape[0], a.type.shape[0])), "linalg",
    call="full_singular_system", helper="full_singular_system_by_lapack",
    definition=lambda: compiled.full_singular_system_by_rotations.py_func,
    work=lambda a, wide: 20 * prod(a) * a[0], for_lanes=(4e4, "full_singular_system_by_lapack"),
    jvp=(full_singular_system_jvp, None))
row("full_singular_values_in", full_singular_values_in, lambda system, a: Type(a.type.dtype, a.type.shape[1:]),
    "linalg", call="full_singular_values_in", helper="singular_values_of_system",
    alone=("full_singular_system", "singular_values"), work=lambda system, a: a[1],
    definition=lambda: compiled.singular_values_of_system.py_func,
    jvp=(None, full_singular_values_change))
row("pseudoinverse", pseudoinverse, lambda a, cutoff: Type(a.type.dtype, a.type.shape[::-1]), "linalg",
    call="pseudoinverse", helper="pseudoinverse_by_lapack",
    definition=lambda: compiled.pseudoinverse_by_rotations.py_func,
    work=lambda a, cutoff: 20 * prod(a) * min(a), for_lanes=(4e4, "pseudoinverse_by_lapack"),
    jvp=(pseudoinverse_jvp, None))
# fmt: on


def call_of_matrix(name: str) -> Callable[..., Any]:
    def build(b: Builder, *operands: Any) -> Any:
        return b.apply(name, *(as_array(b, x) if k == 0 else x for k, x in enumerate(operands)))

    return build


for _meaning in (
    eigensystem,
    eigenvalues_in,
    singular_system,
    singular_values_in,
    full_singular_system,
    full_singular_values_in,
    pseudoinverse,
):
    lowers(_meaning)(call_of_matrix(_meaning.__name__))
