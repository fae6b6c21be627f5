"""Every row of the table: its jvp against differences, its transpose by the dot product with the jvp.

A row without an entry in CASES fails, so a new primitive comes with the operands it is tried on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, jacobian, value_and_grad
from autodiff.jvp import jvp
from autodiff.pipeline import reverse
from codegen import ir, jit
from codegen.ir import Function, Program, Type, Var
from codegen.ir.build import I8, Builder
from codegen.ir.interpreter import evaluate
from codegen.pipeline import last
from codegen.primitives import ROWS
from codegen.primitives.index import Cut
from codegen.primitives.shape import with_partial, with_slope, without_partial

X = np.array([0.31, 0.72, 0.53])
Y = np.array([0.64, 0.27, 0.88])
M = np.array([[0.31, 0.72, 0.53], [0.15, 0.44, 0.96]])
SQUARE = np.array([[2.31, 0.72, 0.53], [0.15, 1.44, 0.96], [0.6, 0.2, 3.0]])
COLUMN, ROW = M[:, :1], Y[None, :]
Case = tuple[tuple[Any, ...], dict[str, Any]]


def case(*operands: Any, **params: Any) -> Case:
    return operands, params


def binary(x: np.ndarray, y: np.ndarray) -> list[Case]:
    """The ways in which two operands may broadcast."""
    return [case(x, y), case(x, y[0]), case(x[0], y), case(x[:2, None], y[None, :]), case(x[0], y[0])]


UNARY = [case(X), case(X[0]), case(M)]
CASES: dict[str, list[Case]] = {
    **{name: [case(X + 1.5)] for name in ("acosh",)},
    **{name: [case(X + 0.9)] for name in ("gammaln", "digamma")},
    **{
        name: [case(1, X + 0.9), case(np.array([2, 0, 3]), X)]
        for name in ("jv", "yv", "iv", "kv", "ive", "kve")
    },
    **{
        name: [case(1, X + 0.9), case(np.array([2, 0, 3]), X)]
        for name in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
    },
    "expn": [case(1, X + 0.9), case(np.array([2, 0, 3]), X)],
    "polygamma": [case(1, X + 0.9), case(3, X[0])],
    "pow": [*binary(X, Y), case(X, 3), case(X, 2), case(X, 0), case(2.0, X), case(X, 2.5)],
    "maximum": [*binary(X, Y), case(X, X)],
    "minimum": [*binary(X, Y), case(X, X)],
    "mod": binary(X * 7.0, Y),
    "muladd": [case(X, Y, X + Y), case(X[0], Y, 2.0), case(X, Y[0], X), case(X[:2, None], Y, X)],
    "complex_solved": [
        case(np.stack((SQUARE, SQUARE[::-1] - 0.4)), np.stack((SQUARE[:, :n], SQUARE[:, 3 - n :] - 1.0)))
        for n in (1, 2)
    ],
    "complex_log_determinant": [case(np.stack((SQUARE, SQUARE[::-1] - 0.4)))],
    **{
        name: [
            case(np.linspace(-1.0, 2.0, 2 * n * k).reshape(2, 1, n, k) ** 2)
            for n, k in ((5, 2), (6, 1), (1, 3))
        ]
        for name in ("fourier_forth", "fourier_back")
    },
    "ldexp": [case(X, np.array([2, 0, -3])), case(X[0], np.int64(3)), case(M, np.array([2, 0, -3]))],
    "cast": [case(X, dtype="f8"), case(X, dtype="f4"), case(X[0], dtype="i8")],
    "select": [
        case(X > 0.5, X, Y),
        case(True, X[0], Y[0]),
        case(X > 0.5, X[0], Y),
        case((X > 0.5)[:, None], ROW, M[:1]),
    ],
    **{
        name: [case(M, axis=(0,)), case(M, axis=(0, 1)), case(X, axis=(0,))]
        for name in ("sum", "prod", "max", "min")
    },
    **{
        name: []
        for name in (
            "is_singular",
            "places_in_order",
            "places_in_rows",
            "places_of_ranks",
            "places_of_few_ranks",
            "places_in_parts",
            "places_among",
            "any",
            "all",
            "argmax",
            "argmin",
            "flatnonzero",
        )
    },
    # Values and vectors of one array, with derivatives apart (tests/codegen/definitions/test_definitions.py).
    **{
        name: []
        for name in (
            "eigensystem",
            "eigenvalues",
            "eigenvalues_in",
            "singular_system",
            "general_eigensystem",
            "general_eigenvalues",
            "general_eigenvalues_in",
            "full_singular_system",
            "full_singular_values_in",
            "complex_full_singular_system",
            "complex_full_singular_values_in",
            "singular_values",
            "singular_values_in",
            "hermitian_eigensystem",
            "hermitian_eigenvalues_in",
            "complex_singular_system",
            "complex_singular_values_in",
            "complex_orthogonal_factors",
            "pseudoinverse",
            "least_squares",
            "orthogonal_factors",
            "pivoted_factors",
            "order_of_rows",
            "lu_factors",
            "log_determinant_in",
            "determinant_sign_in",
            "inverse_in",
        )
    },
    "with_slope": [],  # which has that of another value, below
    "expansion_point": [],  # which has none, below
    "with_partial": [],  # which has that it is given, below
    "without_partial": [],
    **{name: [] for name in ("half_of", "whole_of", "diagonal_of")},  # which are made just before printing
    "cumsum": [case(X, axis=0), case(M, axis=1)],
    "full": [case(X[0], 3, dtype="f8"), case(X[0], 2, 4, dtype="f8")],
    "empty": [],
    **{f"wrapping_{name}": [] for name in ("add", "sub", "mul", "pow")},
    "arange": [],
    "copy": [case(X), case(X[0])],
    "stop_gradient": [case(X)],
    "broadcast_to": [case(X, 2, 3), case(COLUMN, 2, 4), case(X[0], 3), case(COLUMN, 5, 2, 4)],
    "reshape": [case(M, 3, 2), case(X[:1]), case(M, 6)],
    "transpose": [case(M, perm=(1, 0)), case(np.stack([M, M + 1.0]), perm=(2, 0, 1))],
    "stack": [case(X, Y), case(X[0], Y[0], 1.0)],
    "concatenate": [case(X, Y, axis=0), case(M, COLUMN, axis=1)],
    "index": [
        case(X, 1, spec=("i",)),
        case(X, -1, spec=("i",)),
        case(M, 1, spec=(":", "i")),
        case(M, 0, 1, 3, spec=("i", Cut(True, True))),
        case(M, spec=(Cut(False, False, -1), "n", Cut(False, False, 2))),
        case(X, np.array([2, 0, 2]), spec=("a",)),
        case(M, np.array([1, 0, 1]), np.array([2, 2, 2]), spec=("a", "a")),
    ],
    **{
        name: [
            case(X, Y[0], 1, spec=("i",)),
            case(M, Y, 1, spec=("i",)),
            case(M, Y[0], 1, spec=("i",)),
            case(M, COLUMN[:, 0], 2, spec=(":", "i")),
            case(M, Y[:2], 0, 0, 2, spec=("i", Cut(True, True))),
            case(X, Y, np.array([2, 0, 2]), spec=("a",)),
            case(M, COLUMN, np.array([1, 1]), spec=(":", "a")),
        ]
        for name in ("update", "accumulate")
    },
    "matmul": [case(X, Y), case(M, X), case(Y[:2], M), case(M, M.T)],
    **{
        name: [case(*(np.stack([v, v + 0.5, -v]) for v in (x, y)))]
        for name, x, y in (
            ("stack_products", M, SQUARE),
            ("stack_products_left", SQUARE, SQUARE.T),
            ("stack_products_right", M, SQUARE),
        )
    },
    "solve": [case(SQUARE, X), case(SQUARE, M.T)],
    **{name: [case(SQUARE, X), case(SQUARE, M.T)] for name in ("solve_lower", "solve_turned")},
    "determinant": [case(SQUARE)],
    "cofactors": [case(SQUARE), case(SQUARE[:2, 1:])],
    "cholesky_factor": [case(SQUARE @ SQUARE.T)],
    **{
        name: [case(np.tril(SQUARE) + 2.0 * np.eye(len(SQUARE)), SQUARE.T)]
        for name in ("factor_change", "factor_cotangent")
    },
    "ordered": [case(X)],
    "in_parts": [case(X, 1)],
    "ordered_rows": [case(M)],
    "outer": [case(X, Y), case(X, Y[:2])],
    **{name: [] for name in ("check", "fail", "store", "print")},
}


def cases(name: str) -> list[Case]:
    if name in CASES:
        return CASES[name]
    row = ROWS[name]
    if row.of_streams:
        return []
    if row.family != "elementwise":
        pytest.fail(f"no operands to try {name} on: give it an entry in CASES")
    arity = len(row.jvp) if isinstance(row.jvp, tuple) else len(row.linear)
    if name in ("bitand", "bitor", "bitxor", "invert", "lshift", "rshift"):
        return []
    return UNARY if arity == 1 else binary(X, Y)


def program_of(
    name: str, operands: tuple[Any, ...], params: dict[str, Any], *, known: bool
) -> tuple[Program, list[Any]]:
    """`f(float operands...) = row`, the other operands literal or further parameters."""
    b = Builder(checked=False)
    variables, values, atoms = [], [], []
    for value in operands:
        if isinstance(value, np.ndarray | np.floating):
            value = np.asarray(value)
            shape: Any = tuple(n if known or n == 1 else Var("n", I8) for n in value.shape)
            variables.append(Var("x", Type(value.dtype.str[1:], shape)))
            values.append(value[()])
            atoms.append(variables[-1])
        else:
            atoms.append(value)
    result = b.apply(name, *atoms, **params)
    function = Function("f", tuple(variables), b.block((result,)))
    return ir.program({"f": function}, "f"), values


def differences(program: Program, values: list[Any], directions: list[Any]) -> Any:
    """Central differences along a direction, by Richardson's extrapolation."""

    def slope(h: float) -> Any:
        ends = []
        for sign in (1.0, -1.0):
            moved = [v if d is None else v + sign * h * d for v, d in zip(values, directions, strict=True)]
            ends.append(np.asarray(evaluate(program, *moved)[0], float))
        return (ends[0] - ends[1]) / (2.0 * h)

    return (4.0 * slope(5e-5) - slope(1e-4)) / 3.0


# Where operands are tied or the result jumps, differences say nothing.
KINKED: dict[str, Callable[[Case], bool]] = {
    "maximum": lambda c: c[0][0] is c[0][1],
    "minimum": lambda c: c[0][0] is c[0][1],
    "stop_gradient": lambda c: True,
    "cast": lambda c: c[1]["dtype"] != "f8",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", list(ROWS))
def test_derivatives_of_row(name: str, known: bool) -> None:
    random = np.random.default_rng(7)
    for operands, params in cases(name):
        program, values = program_of(name, operands, params, known=known)
        out = program.entry.body.results[0].type
        active = tuple(p.type.is_float for p in program.entry.params)
        if not out.is_float or not any(active):
            continue
        directions = [
            random.standard_normal(v.shape) if on else None for v, on in zip(values, active, strict=True)
        ]
        tangents = [d for d in directions if d is not None]
        y, y_dot = evaluate(jvp(program, active), *values, *tangents)
        assert y_dot.dtype == out.dtype and y_dot.shape == y.shape
        if name not in KINKED or not KINKED[name]((operands, params)):
            expected = differences(program, values, directions)
            np.testing.assert_allclose(
                y_dot, expected, rtol=2e-7, atol=1e-9, err_msg=f"{name}{operands}{params}"
            )
        y_bar = random.standard_normal(y.shape).astype(y.dtype)
        _, *bars = evaluate(last(reverse(program, active)), *values, y_bar)
        assert [b.shape for b in bars] == [t.shape for t in tangents]
        left = np.sum(y_bar * y_dot)
        right = sum(np.sum(b * t) for b, t in zip(bars, tangents, strict=True))
        np.testing.assert_allclose(right, left, rtol=1e-6 if out.dtype == "f4" else 1e-10, atol=1e-12)


@pytest.mark.parametrize("name", [n for n, r in ROWS.items() if r.family == "elementwise" and r.jvp])
def test_float32_stays_float32(name: str) -> None:
    for operands, params in cases(name)[:1]:
        narrow = tuple(
            np.float32(v) if isinstance(v, np.ndarray | np.floating) and v.dtype == "f8" else v
            for v in operands
        )
        program, values = program_of(name, narrow, params, known=True)
        active = tuple(p.type.is_float for p in program.entry.params)
        if program.entry.body.results[0].type.dtype != "f4" or not any(active):
            continue
        made = last(reverse(program, active))
        wide = [
            v
            for f in made.functions.values()
            for e in f.body.equations
            for v in e.outs
            if v.type.dtype == "f8"
        ]
        assert not wide, f"{name}: float64 inside"


def rounded(x: Any) -> Any:
    return with_slope(np.floor(x), x * x * x)


def test_values_with_the_slope_of_another() -> None:
    """Which is not computed where nothing is differentiated; of lanes too, some of which share the value."""
    x = np.array([1.5, 2.25])
    np.testing.assert_array_equal(jit(rounded)(x), [1.0, 2.0])
    assert "*" not in jit(rounded).source(x)
    assert grad(rounded)(1.5) == 3 * 1.5**2
    assert grad(grad(rounded))(1.5) == 6 * 1.5
    np.testing.assert_array_equal(batch(grad(rounded))(x), 3 * x**2)
    shared = batch(lambda x, y: with_slope(x, y * y), in_axes=(None, 0), target="numpy")
    np.testing.assert_array_equal(shared(4.0, x), [4.0, 4.0])


def told_apart(x: Any, y: Any) -> Any:
    return with_partial(without_partial(x) ** 3 * y, x, 7.0 * y)


def test_values_with_a_partial_derivative_told_apart() -> None:
    """Once: what is differentiated again has its own, of lanes and in loops too."""
    assert jit(told_apart)(2.0, 5.0) == 40.0
    assert "7.0" not in jit(told_apart).source(2.0, 5.0)
    by_x, by_y = grad(told_apart), grad(told_apart, argnums=1)
    assert (by_x(2.0, 5.0), by_y(2.0, 5.0)) == (35.0, 8.0)
    assert grad(by_x, argnums=1)(2.0, 5.0) == 7.0
    both = value_and_grad(told_apart)
    assert (grad(by_y)(2.0, 5.0), grad(lambda x, y: both(x, y)[0])(2.0, 5.0)) == (12.0, 60.0)
    x = np.array([2.0, 3.0])
    np.testing.assert_array_equal(batch(by_x)(x, x), 7.0 * x)
    np.testing.assert_array_equal(grad(lambda x: np.sum(told_apart(x, x)))(x), 7.0 * x + x**3)


def beside_ends(x: Any, y: Any, z: Any) -> Any:
    return np.arcsin(x) + np.arctanh(x), np.arccos(x), np.arccosh(y), np.expm1(z)


def test_slopes_beside_the_ends_keep_their_digits() -> None:
    """1 - x * x has lost them near 1, and expm1(z) + 1 those of exp(z)."""
    rest = 2.0**-40
    x, y, z = 1.0 - rest, 1.0 + rest, -45.0
    of_x, of_y = 1.0 / math.sqrt(rest * (2.0 - rest)), 1.0 / math.sqrt(rest * (2.0 + rest))
    found = jacobian(beside_ends, argnums=(0, 1, 2))(x, y, z)
    of_first, of_second, of_third, of_fourth = found
    assert of_first[0] == pytest.approx(of_x + 1.0 / (rest * (2.0 - rest)), rel=1e-15)
    assert of_second[0] == pytest.approx(-of_x, rel=1e-15)
    assert of_third[1] == pytest.approx(of_y, rel=1e-15)
    assert of_fourth[2] == pytest.approx(math.exp(z), rel=1e-15)
