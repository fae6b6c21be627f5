"""Functions of one matrix that compiled code calls, of sizes around those at which they go on in another way."""

import numpy as np
import pytest
import scipy.linalg

from autobatch import batch
from autodiff import grad
from codegen import jit
from codegen.runtime.linear_algebra import (
    blas,
    elimination,
    factor_derivatives,
    factors,
    lapack_factors,
    lu_factors,
    reflections,
    short_rows,
    systems,
    tiles,
    tridiagonal,
)

RNG = np.random.default_rng(11)
SIZES = (0, 1, 23, 24, 25, 33, 70)


def close(found, wanted, dtype="f8"):
    scale = np.max(np.abs(wanted), initial=1.0)
    np.testing.assert_allclose(found, wanted, atol=(1e-4 if dtype == "f4" else 1e-11) * scale)
    assert found.dtype == dtype


def triangle(n, dtype="f8"):
    return (np.tril(RNG.standard_normal((n, n))) / max(n, 1) + 2.0 * np.eye(n)).astype(dtype)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", SIZES)
def test_triangles(n, dtype):
    """Of what is above the diagonal nothing is read."""
    a, b = triangle(n, dtype), RNG.standard_normal((n, 5)).astype(dtype)
    given = a + np.triu(np.full((n, n), 7.0, dtype), 1)
    for right in (b, b[:, 0].copy(), b[:, :0].copy()):
        close(blas.solved_lower_by_blas(given, right), systems.solved_lower(a, right), dtype)
        close(blas.solved_turned_by_blas(given, right), systems.solved_turned(a, right), dtype)
        made = elimination.solved_lower_by_substitution.py_func(given, right)
        close(made, systems.solved_lower(a, right), dtype)
        made = elimination.solved_turned_by_substitution.py_func(given, right)
        close(made, systems.solved_turned(a, right), dtype)


SIDES = {
    "solve_triangle": lambda a, x: np.linalg.solve(np.tril(a), x),
    "solve_turned_triangle": lambda a, x: np.linalg.solve(np.tril(a).T, x),
    "divide_by_triangle": lambda a, x: np.linalg.solve(np.tril(a).T, x.T).T,
    "solve_triangle_of_ones": lambda a, x: np.linalg.solve(np.triu(a, 1) + np.eye(len(a)), x),
}


@pytest.mark.turns(8)
@pytest.mark.sampled(7)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", [1, 32, 33, 97, 200])
@pytest.mark.parametrize("name", SIDES)
def test_panels_of_triangles(name, n, dtype):
    """Of triangles and right sides that lie in larger matrices, or turned round; what is around them stays."""
    a = (triangle(n) + triangle(n).T).astype(dtype)
    b = RNG.standard_normal((n, 3) if name != "divide_by_triangle" else (3, n)).astype(dtype)
    wanted = SIDES[name](a.astype("f8"), b)
    wide = np.full((n + 3, n + 5), np.nan, dtype)
    wide[2 : n + 2, 1 : n + 1] = a
    for given in (a, np.asfortranarray(a), wide[2 : n + 2, 1 : n + 1]):
        room = np.full((b.shape[0] + 2, b.shape[1] + 4), 9.0, dtype)
        made = room[1:-1, 3:-1]
        made[...] = b
        arguments = (made, given) if name == "divide_by_triangle" else (given, made)
        getattr(blas, name)(*arguments)
        close(made.copy(), wanted.astype(dtype), dtype)
        made[...] = 9.0
        assert (room == 9.0).all()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", [*range(18), *SIZES, 513])
def test_factors_in_tiles(n, dtype):
    """Of matrices however they lie, of which nothing above the diagonal is read; NaN of NaN, -1 of what has none."""
    x = RNG.standard_normal((n, n))
    a = (x @ x.T + max(n, 1) * np.eye(n)).astype(dtype)
    wanted = np.linalg.cholesky(a)
    given = np.tril(a) + np.triu(np.full((n, n), np.nan, dtype), 1)
    wide = np.full((2 * n, n + 3), np.nan, dtype)
    wide[::2, 2 : n + 2] = given
    for each in (given, np.asfortranarray(given), wide[::2, 2 : n + 2], given[:, ::-1].copy()[:, ::-1]):
        made = tiles.factored_in_tiles(each)
        close(made, wanted, dtype)
        assert not np.triu(made, 1).any()
    for k in {0, n // 2, n - 1} if n else ():
        other = given.copy()
        other[k, k] = -1.0
        assert (tiles.factored_in_tiles(other) == -1.0).all()
        other[k, k] = np.nan
        assert np.isnan(tiles.factored_in_tiles(other)[k:, k]).all()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", [*range(10), 16, *SIZES])
def test_short_rows(n, dtype):
    """Of pivots that are divided by, too; NaN where one is 0."""
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((n, n)) + 4.0 * np.eye(n), rng.standard_normal((n, 9))
    for scale in (1.0, 2.0**-990, 2.0**990)[: 1 if dtype == "f4" else 3]:
        given = (scale * a).astype(dtype)
        for right in (b, b[:, 0], b[:, :0], b[::-1, ::-1]):
            right = right.astype(dtype) * scale / 8
            made = short_rows.solved_in_short_rows(given, right)
            close(made, systems.solved(a, right / scale).astype(dtype), dtype)
    if n > 0:
        other = np.asfortranarray(given)
        other[:, n // 2] = 0.0
        assert np.isnan(short_rows.solved_in_short_rows(other, b.astype(dtype))).all()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n", SIZES)
def test_derivatives_of_factors(n, dtype):
    factor, t = triangle(n, dtype), RNG.standard_normal((n, n)).astype(dtype)
    made = factor_derivatives.factor_change_by_products(factor, t), systems.factor_change(factor, t)
    close(*made, dtype)
    made = factor_derivatives.factor_cotangent_by_blocks(factor, t), systems.factor_cotangent(factor, t)
    close(*made, dtype)


@pytest.mark.parametrize("n", SIZES)
def test_inverses_of_factors(n):
    a = RNG.standard_normal((n, n))
    close(lu_factors.inverse_of_factors(lu_factors.factors_by_lapack(a), a), np.linalg.inv(a))


def test_no_inverse():
    a = np.ones((40, 40))
    assert np.isnan(lu_factors.inverse_of_factors(lu_factors.factors_by_lapack(a), a)).all()


SYMMETRIC = {
    "any": RNG.standard_normal((30, 30)),
    "large": 1e200 * RNG.standard_normal((30, 30)),
    "small": 1e-200 * RNG.standard_normal((30, 30)),
    "equal": np.eye(30),
    "of rank one": np.ones((30, 30)),
    "zero": np.zeros((30, 30)),
    "one number": np.full((1, 1), -2.0),
    "many": RNG.standard_normal((140, 140)),
    "graded": np.diag(np.logspace(-200, 0, 20)) + 1e-180 * RNG.standard_normal((20, 20)),
    "none": np.zeros((0, 0)),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_eigensystems_by_steps(name):
    a = SYMMETRIC[name] + SYMMETRIC[name].T
    vectors, values = tridiagonal.eigensystem_by_steps(a)
    size = np.max(np.abs(a), initial=0.0)
    np.testing.assert_allclose(values[:1].ravel(), np.linalg.eigvalsh(a), atol=1e-12 * size, rtol=1e-9)
    np.testing.assert_allclose(vectors * values[:1] @ vectors.T, a, atol=1e-12 * size)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(a)), atol=1e-13)


@pytest.mark.turns(4)
@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", [name for name in SYMMETRIC if name not in ("many", "none")])
def test_eigensystems_by_rotations(name):
    """As lanes have them: side by side, and of a quarter of the rows."""
    part = SYMMETRIC[name][: len(SYMMETRIC[name]) // 4 + 1, : len(SYMMETRIC[name]) // 4 + 1]
    a = part + part.T
    values, vectors = (x[3] for x in batch(lambda a: np.linalg.eigh(a))(np.stack([a] * 32)))
    size = np.max(np.abs(a), initial=0.0)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), atol=1e-13 * size, rtol=1e-10)
    np.testing.assert_allclose(vectors * values @ vectors.T, a, atol=1e-13 * size)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(a)), atol=1e-13)


def test_logarithms_of_determinants():
    """Of pivots of which two overflow, too; of stacks each by itself."""
    sizes = np.array([1e-300, 1e200, 1e-160, 3.0, 1e160, 1e300, 1e-200, 1e140, 1e-100])
    a = np.stack([np.diag(s) for s in (sizes, np.roll(sizes, 3), -sizes, 0.0 * sizes, np.nan * sizes)])
    with np.errstate(invalid="ignore", divide="ignore"):
        found, wanted = jit(lambda a: np.linalg.slogdet(a))(a), np.linalg.slogdet(a)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-14)
    np.testing.assert_array_equal(found[0][:4], wanted[0][:4])
    assert (
        jit(lambda a: np.linalg.slogdet(a)).source(a).partition("# What")[0].count("factors_by_lapack(") == 1
    )


def minors(a):
    """Determinants without a row and a column, with their signs."""
    made = np.empty(a.shape)
    for i, j in np.ndindex(a.shape):
        made[i, j] = (-1.0) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1))
    return made


REGULAR = RNG.standard_normal((5, 5))
OF_ALL_RANKS = {
    "regular": REGULAR,
    "a row of others": np.concatenate((REGULAR[:4], REGULAR[:1] - 2.0 * REGULAR[2:3])),
    "two rows of others": REGULAR[[0, 1, 2, 0, 1]],
    "zeros": np.zeros((3, 3)),
    "a zero on the diagonal": np.diag([2.0, 0.0, -3.0]),
    "ints": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "one zero": np.zeros((1, 1)),
    "none": np.zeros((0, 0)),
}


@pytest.mark.turns(8)
@pytest.mark.sampled(7)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", OF_ALL_RANKS)
def test_cofactors(name, dtype):
    a = OF_ALL_RANKS[name].astype(dtype)
    wanted = minors(a.astype("f8"))
    for found in (
        systems.cofactors(a),
        lu_factors.cofactors_by_lapack(a),
        elimination.cofactors_by_elimination.py_func(a),
    ):
        close(found, wanted, dtype)
    if len(a) and dtype == "f8":
        close(grad(lambda a: np.linalg.det(a))(a), wanted)
        close(batch(grad(lambda a: np.linalg.det(a)))(np.stack((a, a.T)))[1], wanted.T)


def test_no_eigensystem():
    assert np.isnan(tridiagonal.eigensystem_by_steps(np.full((3, 3), np.nan))).all()


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (1, 1), (4, 4), (9, 4)])
def test_factors(shape, dtype):
    a = RNG.standard_normal(shape).astype(dtype)
    for made in (
        lapack_factors.orthogonal_factors_by_lapack,
        reflections.orthogonal_factors_by_reflections.py_func,
    ):
        close(made(a), factors.orthogonal_factors(a), dtype)
    wanted = factors.pivoted_factors(a)
    order = factors.order_of_rows(wanted, a)
    for made, rows in (
        (lapack_factors.pivoted_factors_by_lapack, lapack_factors.order_of_rows_in_factors),
        (reflections.pivoted_factors_by_elimination.py_func, reflections.order_of_rows_of_lane.py_func),
    ):
        close(made(a)[0], wanted[0], dtype)
        np.testing.assert_array_equal(rows(made(a), a), order)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (4, 4), (9, 4), (4, 9)])
def test_least_squares(shape, dtype):
    a, b = RNG.standard_normal(shape).astype(dtype), RNG.standard_normal((shape[0], 2)).astype(dtype)
    for right in (b, b[:, :0].copy()):
        found = lapack_factors.least_squares_by_lapack(a, right, 1e-6)
        close(found, factors.least_squares(a, right, 1e-6), dtype)


def test_no_least_squares():
    found = lapack_factors.least_squares_by_lapack(np.full((3, 2), np.nan), np.ones((3, 1)), 1e-6)
    assert np.isnan(found).all()


def turned(a, b):
    """Triangles as they are, turned round and with steps, of one column and of several."""
    return (
        scipy.linalg.solve_triangular(a, b),
        scipy.linalg.solve_triangular(a, b, trans=1),
        scipy.linalg.solve_triangular(a.T, b, lower=True),
        scipy.linalg.solve_triangular(a, b, lower=True, trans=1, unit_diagonal=True),
        scipy.linalg.solve_triangular(a[::2, ::2], b[::2]),
        scipy.linalg.solve_triangular(np.linalg.qr(a.T)[1], b),
    )


@pytest.mark.turns(8)
@pytest.mark.sampled(6)
@pytest.mark.parametrize("n, columns", [(2, 2), (7, 3), (7, 0), (40, 2)])
def test_triangles_may_be_turned_round(n, columns):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(n, n)) + 2 * n * np.eye(n), rng.normal(size=(n, columns) if columns else n)
    for got, wanted in zip(jit(turned)(a, b), turned(a, b), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-10)


def of_turned(a, b):
    """What reads one triangle, or all, of a matrix that lies in memory column by column."""
    t = a.T
    symmetric = np.linalg.cholesky(t), np.linalg.eigvalsh(t), np.abs(np.linalg.eigh(t)[1])
    triangles = (
        scipy.linalg.solve_triangular(t, b.T, lower=True),
        scipy.linalg.solve_triangular(t, b[0], trans=1),
    )
    whole = (
        np.linalg.solve(t, b.T),
        np.linalg.inv(t),
        np.linalg.det(t),
        np.linalg.svd(t)[1],
        np.linalg.qr(t)[1],
    )
    return *symmetric, *triangles, *whole, scipy.linalg.cho_solve(scipy.linalg.cho_factor(a @ t), b[0])


@pytest.mark.turns(4)
def test_functions_of_a_matrix_turned_round():
    """Of what is above the diagonal nothing is read where that is said."""
    a, b = triangle(4), RNG.standard_normal((3, 4))
    symmetric = a @ a.T
    for given in (symmetric, symmetric + 9.0 * np.tril(np.ones((4, 4)), -1)):
        for found, wanted in zip(jit(of_turned)(given, b), of_turned(given, b), strict=True):
            close(np.abs(found), np.abs(wanted))
