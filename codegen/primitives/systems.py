"""Systems of linear equations, determinants and factors of one matrix (runtime/linear_algebra/systems.py)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Atom, Type
from codegen.ir.build import Builder
from codegen.lazy import lazily
from codegen.primitives.reduce import as_array
from codegen.primitives.row import lowers, row
from codegen.primitives.shape import require_equal
from codegen.runtime.linear_algebra.systems import (
    cholesky_factor,
    cofactors,
    determinant,
    determinant_sign,
    determinant_sign_in,
    factor_change,
    factor_cotangent,
    inverse_in,
    is_singular,
    log_determinant,
    log_determinant_in,
    lu_factors,
    solved,
    solved_lower,
    solved_turned,
)

compiled = lazily("codegen.runtime.linear_algebra.elimination")  # Numba comes with it
factors = lazily("codegen.runtime.linear_algebra.lu_factors")
changes = lazily("codegen.runtime.linear_algebra.factor_derivatives")


def solution(a: Any, b: Any) -> Any:
    return b.builder.apply("solve", a, b)


def lower_solution(a: Any, b: Any) -> Any:
    return b.builder.apply("solve_lower", a, b)


def in_float64(a: Any, made: Callable[[Any, Any], Any]) -> Any:
    """What is made of the factors of a matrix and of it, in its dtype."""
    wide = a if a.type.dtype == "f8" else a.builder.apply("cast", a, dtype="f8")
    found = made(a.builder.apply("lu_factors", wide), wide)
    return found if wide is a else a.builder.apply("cast", found, dtype=a.type.dtype)


def inverse(a: Any) -> Any:
    """NaN of a singular matrix."""
    return in_float64(a, lambda factors, wide: wide.builder.apply("inverse_in", factors, wide))


def turned_solution(a: Any, b: Any) -> Any:
    """Of what is on and below the diagonal, turned round."""
    return b.builder.apply("solve_turned", a, b)


def places_down(a: Any) -> Any:
    """How far each element of a matrix lies below the diagonal."""
    rows, columns = (a.builder.apply("arange", n, dtype="i8") for n in a.shape)
    return rows[:, None] - columns[None, :]


def of_matrix(a: Atom) -> Type:
    return Type(a.type.dtype)


def factor_change_of(factor: Any, t: Any) -> Any:
    return t.builder.apply("factor_change", factor, t)


def factor_cotangent_of(factor: Any, ct: Any) -> Any:
    return ct.builder.apply("factor_cotangent", factor, ct)


def change_of_cofactors(t: Any, out: Any, a: Any) -> Any:
    """By the inverse: NaN of a singular matrix."""
    turned = inverse(a).T
    return out * np.sum(turned * t) - turned @ t.T @ out


def half(a: Any) -> Any:
    """The lower half of a matrix with half the diagonal."""
    down = places_down(a)
    return np.where(down > 0, a, np.where(down == 0, 0.5 * a, 0.0))


def below_and_on(a: Any) -> Any:
    return np.where(places_down(a) >= 0, a, 0.0)


def change_with_factor(t: Any, out: Any, factor: Any, tangent: Any) -> Any:
    """Of L phi(L^-1 dA L^-T), where L is another one."""
    below = below_and_on(tangent)
    both = below + np.where(places_down(tangent) > 0, tangent, 0.0).T
    inner = lower_solution(factor, lower_solution(factor, both).T).T
    turn = lower_solution(factor, below_and_on(t))
    return below_and_on(t) @ half(inner) - factor @ half(turn @ inner + inner @ turn.T)


def cotangent_with_factor(t: Any, out: Any, factor: Any, ct: Any) -> Any:
    """Of what the sides of G = L^-T phi(L' C) L^-1 are together, where L is another one."""
    below, change = below_and_on(ct), below_and_on(t)

    def between(x: Any) -> Any:
        return turned_solution(factor, turned_solution(factor, x).T).T

    whole = between(half(factor.T @ below))
    turn = turned_solution(factor, change.T @ whole)
    other = turned_solution(factor, change.T @ whole.T).T
    made = between(half(change.T @ below)) - turn - other
    return below_and_on(made) + np.where(places_down(made) > 0, made.T, 0.0)


# fmt: off
row("solve", solved, lambda a, b: Type(b.type.dtype, b.type.shape), "linalg", call="solved",
    helper="solved_in_short_rows", definition=lambda: compiled.solved_by_elimination.py_func,
    work=lambda a, b: a[0] ** 3 + 2 * a[0] * prod(b),
    jvp=(lambda t, out, a, b: solution(a, -(t @ out)), lambda t, out, a, b: solution(a, t)),
    transpose={1: lambda ct, a, b: solution(a.T, ct)})
row("solve_lower", solved_lower, lambda a, b: Type(b.type.dtype, b.type.shape), "linalg", call="solved_lower",
    helper="solved_lower_by_blas", definition=lambda: compiled.solved_lower_by_substitution.py_func,
    work=lambda a, b: a[0] * prod(b), for_lanes=(8e3, "solved_lower_by_blas"),
    jvp=(lambda t, out, a, b: lower_solution(a, -(below_and_on(t) @ out)), lambda t, out, a, b: lower_solution(a, t)),
    transpose={1: lambda ct, a, b: turned_solution(a, ct)})
row("solve_turned", solved_turned, lambda a, b: Type(b.type.dtype, b.type.shape), "linalg", call="solved_turned",
    helper="solved_turned_by_blas", definition=lambda: compiled.solved_turned_by_substitution.py_func,
    work=lambda a, b: a[0] * prod(b), for_lanes=(8e3, "solved_turned_by_blas"),
    jvp=(lambda t, out, a, b: turned_solution(a, -(below_and_on(t).T @ out)),
         lambda t, out, a, b: turned_solution(a, t)),
    transpose={1: lambda ct, a, b: lower_solution(a, ct)})
row("is_singular", is_singular, lambda a: Type("b1"), "linalg", call="is_singular", helper="is_singular_by_lapack",
    definition=lambda: compiled.is_singular_by_elimination.py_func, work=lambda a: a[0] ** 3, jvp=(None,))
row("determinant", determinant, of_matrix, "linalg", call="determinant", helper="determinant_by_lapack",
    definition=lambda: compiled.determinant_by_elimination.py_func, work=lambda a: a[0] ** 3,
    jvp=(lambda t, out, a: np.sum(a.builder.apply("cofactors", a) * t),))
row("cofactors", cofactors, lambda a: a.type, "linalg", call="cofactors", helper="cofactors_by_lapack",
    definition=lambda: compiled.cofactors_by_elimination.py_func, work=lambda a: 3 * a[0] ** 3,
    jvp=(change_of_cofactors,))
row("lu_factors", lu_factors, lambda a: Type("f8", (2, *a.type.shape)), "linalg", call="lu_factors",
    helper="factors_by_lapack", definition=lambda: factors.no_factors.py_func, work=lambda a: a[0] ** 3, jvp=(None,))
row("log_determinant_in", log_determinant_in, lambda factors, a: Type("f8"), "linalg", call="log_determinant_in",
    helper="log_determinant_of_factors", definition=lambda: factors.log_determinant_without_factors.py_func,
    work=lambda factors, a: a[0] ** 3, jvp=(None, lambda t, out, factors, a: np.sum(inverse(a).T * t)))
row("determinant_sign_in", determinant_sign_in, lambda factors, a: Type("f8"), "linalg", call="determinant_sign_in",
    helper="determinant_sign_of_factors", definition=lambda: factors.determinant_sign_without_factors.py_func,
    work=lambda factors, a: a[0] ** 3, jvp=(None, None))
row("inverse_in", inverse_in, lambda factors, a: a.type, "linalg", call="inverse_in", helper="inverse_of_factors",
    definition=lambda: factors.inverse_without_factors.py_func, work=lambda factors, a: 2 * a[0] ** 3,
    jvp=(None, lambda t, out, factors, a: -(out @ (t @ out))))
row("cholesky_factor", cholesky_factor, lambda a: a.type, "linalg", call="cholesky_factor",
    helper="factored_in_tiles", definition=lambda: compiled.factored_by_elimination.py_func,
    work=lambda a: a[0] ** 3 / 3, for_lanes=(1.3e3, "factored_in_tiles"),
    jvp=(lambda t, out, a: factor_change_of(out, t),))
row("factor_change", factor_change, lambda factor, t: t.type, "linalg", call="factor_change",
    helper="factor_change_by_products", definition=lambda: changes.factor_change_by_rows.py_func,
    work=lambda factor, t: factor[0] ** 3,
    jvp=(change_with_factor, lambda t, out, factor, tangent: factor_change_of(factor, t)),
    transpose={1: lambda ct, factor, tangent: factor_cotangent_of(factor, ct)})
row("factor_cotangent", factor_cotangent, lambda factor, ct: ct.type, "linalg", call="factor_cotangent",
    helper="factor_cotangent_by_blocks", definition=lambda: changes.factor_cotangent_by_rows.py_func,
    work=lambda factor, ct: 2 * factor[0] ** 3 / 3, for_lanes=(3.5e5, "factor_cotangent_by_blocks"),
    jvp=(cotangent_with_factor, lambda t, out, factor, ct: factor_cotangent_of(factor, t)),
    transpose={1: lambda ct, factor, first: factor_change_of(factor, ct)})
# fmt: on


def of_system(name: str) -> Callable[..., Any]:
    """What solves one system, in float32 where both sides are, else in float64, as NumPy has it."""

    def build(b: Builder, a: Any, y: Any) -> Any:
        a, y = as_array(b, a), as_array(b, y)
        if not y.ndim:
            raise ValueError("solve: Input operand 1 does not have enough dimensions")
        if a.ndim > 2 or y.ndim > 2:
            raise TypeError(
                "solve takes one square matrix and a vector or a matrix: of more, call it in a loop or a batch"
            )
        require_equal(b, a.type.shape[0], y.type.shape[0], UNSOLVED)
        return b.apply(name, *in_one_precision(b, a, y))

    return build


def in_one_precision(b: Builder, *sides: Any) -> list[Any]:
    """What is solved together: in float32 where all is, else in float64."""
    kind = "f4" if all(x.type.dtype == "f4" for x in sides) else "f8"
    return [x if x.type.dtype == kind else b.apply("cast", x, dtype=kind) for x in sides]


lowers(solved)(of_system("solve"))
lowers(solved_lower)(of_system("solve_lower"))
lowers(solved_turned)(of_system("solve_turned"))


UNSOLVED = "solve: Input operand 1 has a mismatch in its core dimension 0"


def of_square_matrix(name: str) -> Callable[..., Any]:
    """What is made of one matrix of floats; ints become float64."""

    return lambda b, a: b.apply(name, square_matrix(b, a))


def square_matrix(b: Builder, a: Any) -> Any:
    a = as_array(b, a)
    n, m = a.type.shape
    b.same_size(n, m, "Last 2 dimensions of the array must be square")
    return a if a.type.is_float else b.apply("cast", a, dtype="f8")


for _meaning in (is_singular, determinant, cholesky_factor):
    lowers(_meaning)(of_square_matrix(_meaning.__name__))


@lowers(determinant_sign)
def sign_of_determinant(b: Builder, a: Any) -> Any:
    return in_float64(
        square_matrix(b, a), lambda factors, wide: b.apply("determinant_sign_in", factors, wide)
    )


@lowers(log_determinant)
def log_of_determinant(b: Builder, a: Any) -> Any:
    return in_float64(square_matrix(b, a), lambda factors, wide: b.apply("log_determinant_in", factors, wide))
