"""Functions that are built of rows or defined in our own language: values, derivatives of both orders and lanes.

A definition without an entry in CASES fails, so a new one comes with the calls it is tried by.
"""

import traceback

import numpy as np
import pytest
from plain_python import difference
from scipy.stats import norm
from user_programs import loaded

from autobatch import LaneError, batch
from autodiff import check_grads
from codegen import SourceError, jit
from codegen.definitions import DEFINITIONS
from codegen.primitives import ROWS

# Calls by the function's name; of these values, which may be differentiated.
VALUES = {
    "x": np.array([0.31, 0.72, 0.53]),
    "y": np.array([0.64, 0.27, 0.88]),
    "A": np.array([[2.31, 0.72, 0.53], [0.15, 1.44, 0.96], [0.6, 0.2, 3.0]]),
    "s": 1.3,
}
CASES = {
    "scipy.stats.norm.logpdf": [
        "norm.logpdf(x)",
        "norm.logpdf(x, y)",
        "norm.logpdf(s, x, scale=A)",
        "norm.logpdf(s)",
    ],
    "numpy.triu": ["np.triu(A)", "np.triu(A, k=1)", "np.triu(x, -1)", "np.triu(A[:2], 1)"],
    "numpy.tril": ["np.tril(A)", "np.tril(A, k=1)", "np.tril(x, -1)", "np.tril(A[:2], -1)"],
    "numpy.repeat": [
        "np.repeat(x, 2)", "np.repeat(A, len(y), axis=1)", "np.repeat(A, [2, 0, 1], 0)", "np.repeat(A, 3)",
        "np.repeat(s, 2)",
    ],
    "numpy.einsum": [
        "np.einsum('i,i', x, y)", "np.einsum('ij,j->i', A, x)", "np.einsum('ij,jk->ki', A, A)", "np.einsum('ii', A)",
        "np.einsum('ij->j', A)", "np.einsum('i,j,ij->', x, y, A)", "np.einsum('ij,ij->ij', A[:1], A)",
        "np.einsum('bi,bij->bj', A, A[None] * x[:, None, None])", "np.einsum('...i,ij,j->...', A, A, x)",
        "np.einsum('ik,jk,kl->ijl', A, A, A)", "np.einsum('ii->i', A)", "np.einsum(',i', s, x)",
        "np.einsum('ijk,jk->i', A[None] * x[:, None, None], A)",
    ],
    "numpy.linalg.solve": [
        "np.linalg.solve(A, x)", "np.linalg.solve(A.T, A * s)", "np.linalg.solve(A * s, [1, 2, 3])",
    ],
}  # fmt: skip


def function(calls):
    found = loaded(f"def f({', '.join(VALUES)}):\n    return ({', '.join(calls)},)\n")
    found.__globals__["norm"] = norm
    return found


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name):
    f = function(CASES[name])
    assert difference(jit(f, target="numpy")(*VALUES.values()), f(*VALUES.values())) is None
    check_grads(f, tuple(VALUES.values()), order=2, atol=1e-5, rtol=1e-4)


def test_compiled():
    f = function([call for calls in CASES.values() for call in calls[:2]])
    assert difference(jit(f)(*VALUES.values()), f(*VALUES.values())) is None


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_lanes(target):
    """Each value a lane's own, or the matrix shared."""
    compiled = target == "numba"
    f = function([call for calls in CASES.values() for call in calls[: 2 if compiled else None]])
    lanes = [[v + 0.1 * lane for v in VALUES.values()] for lane in range(3)]
    for shared in ((), (2,))[compiled:]:
        given = [lanes[0][k] if k in shared else np.stack([lane[k] for lane in lanes]) for k in range(4)]
        axes = tuple(None if k in shared else 0 for k in range(4))
        got = batch(f, in_axes=axes, target=target)(*given)
        for k, lane in enumerate(lanes):
            own = [lanes[0][j] if j in shared else v for j, v in enumerate(lane)]
            assert difference(tuple(g[k] for g in got), tuple(map(np.asarray, f(*own)))) is None


def solve(a, b):
    return np.linalg.solve(a, b)


A, B = VALUES["A"], VALUES["x"]
SYSTEMS = {
    "Singular matrix": (np.ones((3, 3)), B),
    "Last 2 dimensions of the array must be square": (A[:2], B),
    "1-dimensional array given. Array must be at least two-dimensional": (B, B),
}


@pytest.mark.parametrize("message", SYSTEMS)
def test_systems_without_a_solution(message):
    for f in (solve, jit(solve, target="numpy")):
        with pytest.raises(np.linalg.LinAlgError) as caught:
            f(*SYSTEMS[message])
        assert str(caught.value) == message


def test_systems_compiled():
    """What NumPy's LAPACK does with singular matrices, NaN and other dtypes, vectors and their order in memory."""
    f = jit(solve)
    for a in (A, A.T, A[::-1], (4 * A).astype(int)):
        np.testing.assert_allclose(f(a, B), solve(a, B), rtol=1e-13)
    assert np.isnan(f(A, B * np.nan)).all()
    with pytest.raises(np.linalg.LinAlgError, match="^Singular matrix$") as caught:
        f(np.ones((3, 3)), B)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return np.linalg.solve(a, b)"


def test_systems_cost_the_cube_of_their_size():
    work = ROWS["solve"].work
    assert 7 * work((32, 32), (32,)) < work((64, 64), (64,)) < 8 * work((32, 32), (32,))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_singular_lane_fails_alone(target):
    matrices = np.stack([A, np.ones((3, 3)), A.T])
    with pytest.raises(LaneError) as caught:
        batch(solve, in_axes=(0, None), target=target)(matrices, B)
    (failure,) = caught.value.failures
    assert (failure.lane, repr(failure.error)) == (1, "LinAlgError('Singular matrix')")
    assert failure.span.text == "return np.linalg.solve(a, b)"


def test_every_definition_is_tried():
    assert DEFINITIONS.keys() <= CASES.keys()


def test_mistakes_in_a_call_are_at_the_users_line():
    f = loaded("def f(x):\n    y = x + 1.0\n    return np.triu(y, [1])\n")
    with pytest.raises(SourceError) as caught:
        jit(f)(np.ones((2, 2)))
    assert (caught.value.filename, caught.value.lineno) == (f.__code__.co_filename, 3)
