"""scipy.linalg of stacks and with its own arguments: values, dtypes and shapes, slopes, lanes."""

import numpy as np
import pytest
from plain_python import difference
from scipy import linalg
from user_programs import loaded

from autobatch import batch
from autodiff import check_grads
from codegen import SourceError, jit

RANDOM = np.random.default_rng(4)
A, B = RANDOM.normal(size=(2, 3, 3)) + 3.0 * np.eye(3), RANDOM.normal(size=(2, 3, 2))
S = A @ A.swapaxes(1, 2) + np.eye(3)
VALUES = {"A": A, "B": B, "S": S, "x": RANDOM.normal(size=3)}
OF_STACKS = """inv(A); det(A); solve(A, B); solve(A, x); solve(A[0], B); solve(S, B, assume_a="pos"); expm(0.1 * A)
solve_triangular(A, B, lower=True); solve_triangular(A, x, trans=1); solve_triangular(A[0], B); cholesky(S)
cho_factor(S, True)[0]; cho_solve(cho_factor(S), B); cho_solve(cho_factor(S, lower=True), x); sqrtm(S); logm(A[1])
eigh(S)[0]; eigvalsh(S, subset_by_index=(1, 2)); eigh(A, S, eigvals_only=True); abs(eigh(A, S, type=2)[1]); pinv(B)
qr(B)[1]; qr(B, mode="economic")[0]; svdvals(B); cosm(A); solve(A, B, transposed=True); toeplitz(x[:2], x)
inv(S, assume_a="sym"); solve(A, x, assume_a="tridiagonal"); eigvals(A).real; pinv(B[0], atol=0.1, rtol=0.01)
pinvh(S[0], lower=False, return_rank=True)[1] * x; lu_solve(lu_factor(A[0]), B[0]); lu_factor(B[1].T)[0]
pinv(A[1], rtol=0.5, return_rank=True)[1] * x; qr(B[0], mode="r")[0]; lu(A[0], p_indices=True)[0] * x
companion(x); circulant(A[0]); hankel(x); hankel(x, A[0, 1]); convolution_matrix(x, 4, "valid"); polar(A[0])[1]"""


def calls(text):
    return [each.strip() for line in text.splitlines() for each in line.split(";")]


def program(text):
    names = [name for name in VALUES if name in text]
    f = loaded(f"def f({', '.join(names)}):\n    return {text}\n")
    f.__globals__.update({name: getattr(linalg, name) for name in linalg.__all__})
    return f, [VALUES[name] for name in names]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", calls(OF_STACKS))
def test_values(text):
    f, values = program(text)
    assert difference(jit(f, target="numpy")(*values), f(*values)) is None


@pytest.mark.sampled(24)
@pytest.mark.parametrize("text", calls(OF_STACKS))
def test_compiled(text):
    f, values = program(text)
    assert difference(jit(f)(*values), f(*values)) is None


@pytest.mark.sampled(12)
@pytest.mark.parametrize("text", calls(OF_STACKS))
def test_slopes_and_lanes(text):
    f, values = program(text)
    check_grads(f, tuple(values), order=1, atol=1e-5, rtol=1e-4)
    lanes = [np.stack((v, v * 1.25)) for v in values]
    got = batch(f, target="numpy")(*lanes)
    for k in range(2):
        assert difference(got[k], f(*(v[k] for v in lanes))) is None


def bounds(a, first, last):
    return linalg.eigvalsh(a, subset_by_index=(first, last))


def root(a):
    return linalg.sqrtm(a)


@pytest.mark.parametrize("f, given", [(bounds, (S[0], 1, 3)), (root, (-S[0],)), (root, (0.0 * S[0],))])
def test_what_there_is_not(f, given):
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        jit(f, target="numpy")(*given)


def test_each_matrix_of_a_stack_alone():
    with pytest.raises(SourceError, match="takes one matrix: of more, call it in a loop or a batch"):
        jit(lambda a: linalg.lu_factor(a), target="numpy")(A)


@np.errstate(all="ignore")
def test_expm_is_scaled_by_the_norms_of_powers() -> None:
    """[[1, b], [0, -1]] has the unit matrix as its square, however large b is."""

    def f(a):
        return linalg.expm(a)

    made = jit(f)
    wanted = np.array([[np.e, 1e6 * np.sinh(1.0)], [0.0, 1.0 / np.e]])
    np.testing.assert_allclose(made(np.array([[1.0, 1e6], [0.0, -1.0]])), wanted, rtol=1e-13)
    assert np.isnan(made(np.array([[np.inf, 0.0], [0.0, 1.0]]))).any()
    np.testing.assert_array_equal(made(np.full((2, 2), np.nan)), np.nan)
    np.testing.assert_array_equal(made(np.array([[0.0, 2.0], [0.0, 0.0]])), [[1.0, 2.0], [0.0, 1.0]])
