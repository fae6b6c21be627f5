"""Decompositions of a complex matrix, given as one array of its two parts (runtime/complex_matrices/unitary.py).

As of real matrices (decompositions.py, factors.py), with conjugates. What is free, the phases of eigenvectors and of
right singular vectors, does not change (Wan and Zhang 2019). R keeps a real diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Type
from codegen.ir.build import Builder
from codegen.lazy import lazily
from codegen.primitives.decompositions import by_gaps
from codegen.primitives.factors import below_diagonal, ones_on_diagonal
from codegen.primitives.reduce import as_array
from codegen.primitives.row import lowers, row
from codegen.primitives.shape import require_equal
from codegen.primitives.systems import UNSOLVED, in_one_precision, places_down
from codegen.runtime.complex_matrices.general import (
    general_eigensystem,
    general_eigenvalues,
    general_eigenvalues_in,
)
from codegen.runtime.complex_matrices.systems import complex_log_determinant, complex_solved
from codegen.runtime.complex_matrices.unitary import (
    complex_full_singular_system,
    complex_full_singular_values_in,
    complex_orthogonal_factors,
    complex_singular_system,
    complex_singular_values_in,
    hermitian_eigensystem,
    hermitian_eigenvalues_in,
)

compiled = lazily("codegen.runtime.complex_matrices.unitary_rotations")  # Numba comes with it
general = lazily("codegen.runtime.complex_matrices.general_steps")
elimination = lazily("codegen.runtime.complex_matrices.systems_elimination")

Parts = tuple[Any, Any]


def times(x: Parts, y: Parts) -> Parts:
    return x[0] @ y[0] - x[1] @ y[1], x[0] @ y[1] + x[1] @ y[0]


def adjoint(x: Parts) -> Parts:
    return x[0].T, -x[1].T


def each(f: Callable[..., Any], *parts: Parts) -> Parts:
    return f(*(p[0] for p in parts)), f(*(p[1] for p in parts))


def on_diagonal(x: Any) -> Any:
    return np.where(places_down(x) == 0, x, 0.0)


def hermitian_eigensystem_jvp(t: Any, out: Any, parts: Any) -> Any:
    """dV = V (F * V^H dA V), F by the gaps between eigenvalues."""
    vectors, values = (out[0], out[1]), parts.builder.apply("hermitian_eigenvalues_in", out, parts)
    gaps, inner = by_gaps(values), times(adjoint(vectors), times((t[0], t[1]), vectors))
    turned = times(vectors, each(lambda x: gaps * x, inner))
    return np.stack((*turned, np.zeros_like(turned[0])))


def complex_singular_system_jvp(t: Any, out: Any, parts: Any, wide: Any) -> Any:
    left, pad = (out[0], out[1]), ones_on_diagonal(out[0])
    right = pad.T @ out[2], pad.T @ out[3]
    values = parts.builder.apply("complex_singular_values_in", out, parts)
    of_left, of_right = complex_vectors_change(t, left, right, values)
    return np.stack((*of_left, pad @ of_right[0], pad @ of_right[1], np.zeros_like(of_left[0])))


def complex_full_singular_system_jvp(t: Any, out: Any, parts: Any, wide: Any) -> Any:
    """As of real ones."""
    n = parts.shape[2]
    left, beyond = (out[0, :, :n], out[1, :, :n]), (out[0, :, n:], out[1, :, n:])
    right, pad = (out[2, :n, :n], out[3, :n, :n]), ones_on_diagonal(out[0, :, :n])
    values = parts.builder.apply("complex_full_singular_values_in", out, parts)
    of_left, of_right = complex_vectors_change(t, left, right, values)
    moved = times(left, times(adjoint(of_left), beyond))
    turned = each(lambda x, y: np.concatenate((x, -y), axis=1), of_left, moved)
    padded = each(lambda x: pad @ x @ pad.T, of_right)
    return np.stack((*turned, *padded, np.zeros_like(turned[0])))


def complex_vectors_change(t: Any, left: Parts, right: Parts, values: Any) -> tuple[Parts, Parts]:
    """Of U within its columns and out of them, and of V."""
    across, down = values[None, :], values[:, None]
    image = times((t[0], t[1]), right)
    inner = times(adjoint(left), image)
    turned, gaps = adjoint(inner), by_gaps(values * values)
    within = each(lambda x, y: gaps * (x * across + down * y), inner, turned)
    within = within[0], within[1] + on_diagonal(inner[1]) / across  # right vectors keep their phases
    beside = each(lambda x, y: (x - y) / across, image, times(left, inner))
    of_left = each(lambda x, y: x + y, times(left, within), beside)
    return of_left, times(right, each(lambda x, y: gaps * (down * x + y * across), inner, turned))


def solved_parts(a: Parts, b: Parts) -> Parts:
    """a^-1 b"""
    made = solution_of_parts(np.stack(a), np.stack(b))
    return made[0], made[1]


def solution_of_parts(parts: Any, right: Any) -> Any:
    return right.builder.apply("complex_solved", parts, right)


def change_of_solution(t: Any, out: Any, parts: Any, right: Any) -> Any:
    """-A^-1 dA x"""
    return solution_of_parts(parts, -np.stack(times((t[0], t[1]), (out[0], out[1]))))


def cotangent_of_right(ct: Any, parts: Any, right: Any) -> Any:
    """A^-H ct"""
    return solution_of_parts(np.stack(adjoint((parts[0], parts[1]))), ct)


def change_of_log_determinant(t: Any, out: Any, parts: Any) -> Any:
    """By the trace of A^-1 dA: its real part of the log of the size, its imaginary part of the angle."""
    one = ones_on_diagonal(parts[0])
    inverse = solved_parts((parts[0], parts[1]), (one, np.zeros_like(one)))
    re, im = inverse[0].T, inverse[1].T
    turn = np.sum(re * t[1] + im * t[0])
    return np.stack((-out[1] * turn, out[0] * turn, np.sum(re * t[0] - im * t[1])))


def divided_parts(x: Parts, upper: Parts) -> Parts:
    """x U^-1."""
    re, im = solved_parts((upper[0].T, upper[1].T), (x[0].T, x[1].T))
    return re.T, im.T


def complex_orthogonal_factors_jvp(t: Any, out: Any, parts: Any) -> Any:
    """dA = dQ R + Q dR, Q^H dQ antihermitian, dR upper triangular with a real diagonal."""
    left, pad = (out[0], out[1]), ones_on_diagonal(out[0])
    upper = pad.T @ out[2], pad.T @ out[3]
    image = divided_parts((t[0], t[1]), upper)
    inner = times(adjoint(left), image)
    below = each(below_diagonal, inner)
    change = each(lambda x, y, z: x - y + z, inner, below, adjoint(below))
    change = change[0], change[1] - on_diagonal(inner[1])
    of_left = each(lambda x, y: x - y, image, times(left, change))
    of_upper = times(change, upper)
    return np.stack((*of_left, pad @ of_upper[0], pad @ of_upper[1]))


def eigenvalues_change(t: Any, out: Any, system: Any, parts: Any) -> Any:
    """The real diagonal of V^H dA V."""
    image = times((t[0], t[1]), (system[0], system[1]))
    return np.sum(system[0] * image[0] + system[1] * image[1], axis=0)


def singular_values_change(t: Any, out: Any, system: Any, parts: Any) -> Any:
    """The real diagonal of U^H dA V."""
    pad = ones_on_diagonal(system[0])
    image = times((t[0], t[1]), (pad.T @ system[2], pad.T @ system[3]))
    return np.sum(system[0] * image[0] + system[1] * image[1], axis=0)


def complex_full_values_change(t: Any, out: Any, system: Any, parts: Any) -> Any:
    n = parts.shape[2]
    image = times((t[0], t[1]), (system[2, :n, :n], system[3, :n, :n]))
    return np.sum(system[0, :, :n] * image[0] + system[1, :, :n] * image[1], axis=0)


def change_in_eigenvectors(t: Any, vectors: Parts) -> Parts:
    """V^-1 dA V, of the real part of dA alone where it has no other."""
    image = times((t[0], t[1]), vectors) if t.type.shape[0] == 2 else each(lambda x: t[0] @ x, vectors)
    return solved_parts(vectors, image)


def general_eigensystem_jvp(t: Any, out: Any, parts: Any) -> Any:
    """dV = V (F * V^-1 dA V) by the gaps between eigenvalues (Boeddeker et al. 2017, eq. 4.77), less what would change
    the length of a vector, or the phase of its largest element."""
    vectors, values = (out[0], out[1]), parts.builder.apply("general_eigenvalues_in", out, parts)
    re, im = change_in_eigenvectors(t, vectors)
    across, up = values[0][None, :] - values[0][:, None], values[1][None, :] - values[1][:, None]
    own = places_down(across) == 0
    squares = np.where(own, 1.0, across * across + up * up)
    across, up = np.where(own, 0.0, across / squares), np.where(own, 0.0, up / squares)
    turned = times(vectors, (re * across + im * up, im * across - re * up))
    longer = np.sum(vectors[0] * turned[0] + vectors[1] * turned[1], axis=0)
    turned = each(lambda x, v: x - v * longer, turned, vectors)
    largest = largest_of_columns(vectors)
    phase = np.sum(largest * turned[1], axis=0) / np.sum(largest * vectors[0], axis=0)
    turned = turned[0] + vectors[1] * phase, turned[1] - vectors[0] * phase
    return np.stack((*turned, np.zeros_like(turned[0]), np.zeros_like(turned[0])))


def largest_of_columns(vectors: Parts) -> Any:
    """1 at the largest element of each column, else 0."""
    squares = vectors[0] * vectors[0] + vectors[1] * vectors[1]
    b = squares.builder
    none = b.apply("full", 0.0, 1, squares.shape[1], dtype=squares.type.dtype)  # there may be no rows
    down = b.apply("arange", squares.shape[0], dtype="i8")[:, None]
    return np.where(down - np.argmax(np.concatenate((squares, none)), axis=0)[None, :] == 0, 1.0, 0.0).astype(
        squares.dtype
    )


def general_eigenvalues_change(t: Any, out: Any, system: Any, parts: Any) -> Any:
    """The diagonal of V^-1 dA V."""
    made = change_in_eigenvectors(t, (system[0], system[1]))
    return np.stack([np.sum(on_diagonal(x), axis=0) for x in made])


def parts_type(count: int) -> Callable[..., Type]:
    return lambda parts, *_: Type(parts.type.dtype, (count, *parts.type.shape[1:]))


def values_of(system: Any, parts: Any) -> Type:
    return Type(parts.type.dtype, parts.type.shape[2:])


# fmt: off
row("complex_solved", complex_solved, lambda parts, right: Type(right.type.dtype, right.type.shape), "linalg",
    call="complex_solved", helper="complex_solved_by_lapack",
    definition=lambda: elimination.complex_solved_by_elimination.py_func,
    work=lambda parts, right: 4 * parts[1] ** 3 + 4 * parts[1] * prod(right),
    jvp=(change_of_solution, lambda t, out, parts, right: solution_of_parts(parts, t)),
    transpose={1: cotangent_of_right})
row("complex_log_determinant", complex_log_determinant, lambda parts: Type(parts.type.dtype, (3,)), "linalg",
    call="complex_log_determinant", helper="complex_log_determinant_by_lapack",
    definition=lambda: elimination.complex_log_determinant_by_elimination.py_func,
    work=lambda parts: 4 * parts[1] ** 3, jvp=(change_of_log_determinant,))
row("hermitian_eigensystem", hermitian_eigensystem, parts_type(3), "linalg", call="hermitian_eigensystem",
    helper="hermitian_eigensystem_by_lapack", definition=lambda: compiled.hermitian_eigensystem_by_rotations.py_func,
    work=lambda parts: 40 * parts[1] ** 3, jvp=(hermitian_eigensystem_jvp,))
row("hermitian_eigenvalues_in", hermitian_eigenvalues_in, values_of, "linalg", call="hermitian_eigenvalues_in",
    helper="hermitian_eigenvalues_of_system", definition=lambda: compiled.hermitian_eigenvalues_of_system.py_func,
    work=lambda system, parts: parts[1], jvp=(None, eigenvalues_change))
row("complex_singular_system", complex_singular_system, parts_type(5), "linalg", call="complex_singular_system",
    helper="complex_singular_system_by_lapack",
    definition=lambda: compiled.complex_singular_system_by_rotations.py_func,
    work=lambda parts, wide: 80 * prod(parts[1:]) * parts[2], jvp=(complex_singular_system_jvp, None))
row("complex_singular_values_in", complex_singular_values_in, values_of, "linalg",
    call="complex_singular_values_in", helper="complex_singular_values_of_system",
    definition=lambda: compiled.complex_singular_values_of_system.py_func, work=lambda system, parts: parts[2],
    jvp=(None, singular_values_change))
row("complex_full_singular_system", complex_full_singular_system,
    lambda parts, wide: Type(parts.type.dtype, (5, parts.type.shape[1], parts.type.shape[1])), "linalg",
    call="complex_full_singular_system", helper="complex_full_singular_system_by_lapack",
    definition=lambda: compiled.complex_full_singular_system_by_rotations.py_func,
    work=lambda parts, wide: 80 * prod(parts[1:]) * parts[1], jvp=(complex_full_singular_system_jvp, None))
row("complex_full_singular_values_in", complex_full_singular_values_in, values_of, "linalg",
    call="complex_full_singular_values_in", helper="complex_singular_values_of_system",
    definition=lambda: compiled.complex_singular_values_of_system.py_func, work=lambda system, parts: parts[2],
    jvp=(None, complex_full_values_change))
row("complex_orthogonal_factors", complex_orthogonal_factors, parts_type(4), "linalg",
    call="complex_orthogonal_factors", helper="complex_orthogonal_factors_by_lapack",
    definition=lambda: compiled.complex_orthogonal_factors_by_reflections.py_func,
    work=lambda parts: 16 * prod(parts[1:]) * parts[2], jvp=(complex_orthogonal_factors_jvp,))
row("general_eigensystem", general_eigensystem, parts_type(4), "linalg", call="general_eigensystem",
    helper="general_eigensystem_by_lapack", definition=lambda: general.general_eigensystem_by_steps.py_func,
    work=lambda parts: 100 * parts[1] ** 3, for_lanes=(0.0, "general_eigensystem_by_lapack"),
    jvp=(general_eigensystem_jvp,))
row("general_eigenvalues", general_eigenvalues,
    lambda parts: Type(parts.type.dtype, (2, parts.type.shape[1])), "linalg",
    call="general_eigenvalues", helper="general_eigenvalues_by_lapack",
    definition=lambda: general.general_eigenvalues_by_steps.py_func, work=lambda parts: 40 * parts[1] ** 3,
    for_lanes=(0.0, "general_eigenvalues_by_lapack"), jvp=(None,))
row("general_eigenvalues_in", general_eigenvalues_in,
    lambda system, parts: Type(parts.type.dtype, (2, parts.type.shape[1])), "linalg", call="general_eigenvalues_in",
    helper="general_eigenvalues_of_system", definition=lambda: general.general_eigenvalues_of_system.py_func,
    work=lambda system, parts: parts[1], alone=("general_eigensystem", "general_eigenvalues"),
    jvp=(None, general_eigenvalues_change))
# fmt: on


def call_of_parts(name: str) -> Callable[..., Any]:
    def build(b: Builder, *operands: Any) -> Any:
        return b.apply(name, *(as_array(b, x) if k == 0 else x for k, x in enumerate(operands)))

    return build


@lowers(complex_solved)
def system_of_parts(b: Builder, parts: Any, right: Any) -> Any:
    require_equal(b, parts.type.shape[2], right.type.shape[1], UNSOLVED)
    return b.apply("complex_solved", *in_one_precision(b, parts, right))


for _meaning in (
    complex_log_determinant,
    hermitian_eigensystem,
    hermitian_eigenvalues_in,
    complex_singular_system,
    complex_singular_values_in,
    complex_full_singular_system,
    complex_full_singular_values_in,
    complex_orthogonal_factors,
    general_eigensystem,
    general_eigenvalues_in,
):
    lowers(_meaning)(call_of_parts(_meaning.__name__))
