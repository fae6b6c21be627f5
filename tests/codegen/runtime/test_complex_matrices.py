"""Decompositions of complex matrices: NumPy's, LAPACK's and those by rotations are what they say they are."""

import numpy as np
import pytest

from codegen.runtime.complex_matrices import (
    general,
    general_lapack,
    general_steps,
    systems,
    systems_elimination,
    systems_lapack,
    unitary,
    unitary_lapack,
    unitary_rotations,
)

R = np.random.default_rng(3)


def of(*shape):
    return R.normal(size=shape) + 1j * R.normal(size=shape)


V = of(5, 1)
MATRICES = {
    "any": of(5, 5),
    "tall": of(7, 3),
    "one": of(1, 1),
    "none": of(0, 0),
    "zero": np.zeros((4, 4), complex),
    "of rank one": V @ V.conj().T,
    "diagonal": np.diag(of(4)),
    "the same value": 2.0 * np.eye(4) + 0j,
    "real": of(4, 4).real + 0j,
    "large": of(4, 4) * 1e200,
    "small": of(4, 4) * 1e-200,
}
WAYS = {"NumPy": unitary, "LAPACK": unitary_lapack, "rotations": unitary_rotations}


def by(way, name):
    end = {"NumPy": "", "LAPACK": "_by_lapack", "rotations": "_by_rotations"}[way]
    if name == "complex_orthogonal_factors" and way == "rotations":
        end = "_by_reflections"
    made = getattr(WAYS[way], name + end)
    return made.py_func if way == "rotations" else made


def parts(a, dtype="f8"):
    return np.stack((a.real, a.imag)).astype(dtype)


def close(got, want, dtype="f8"):
    size = np.max(np.abs(want), initial=0.0)
    np.testing.assert_allclose(got, want, atol=(1e-12 if dtype == "f8" else 1e-5) * size, rtol=0.0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name in MATRICES if name != "tall"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_hermitian_eigensystems(way, name, dtype):
    if dtype == "f4" and name in ("large", "small"):
        return
    a = MATRICES[name] + MATRICES[name].conj().T
    made = by(way, "hermitian_eigensystem")(parts(a, dtype))
    vectors, values = made[0] + 1j * made[1], made[2, :1].ravel()
    assert made.dtype == dtype and np.all(np.diff(values) >= 0.0)
    close(vectors.conj().T @ vectors, np.eye(len(a)), dtype)
    close((vectors * values) @ vectors.conj().T, a, dtype)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wide", [0, 1])
@pytest.mark.parametrize("name", MATRICES)
def test_singular_systems(way, name, wide):
    a = MATRICES[name]
    n = a.shape[1]
    made = by(way, "complex_singular_system")(parts(a), wide)
    left, right, values = made[0] + 1j * made[1], (made[2] + 1j * made[3])[:n], made[4, :1].ravel()
    assert np.all(np.diff(values) <= 0.0) and np.all(values >= 0.0)
    close(left.conj().T @ left, np.eye(n))
    close(right.conj().T @ right, np.eye(n))
    close((left * values) @ right.conj().T, a)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name in MATRICES if name not in ("large", "small")])
def test_orthogonal_factors(way, name):
    """Phases too are LAPACK's where columns are independent."""
    a = MATRICES[name]
    n = a.shape[1]
    made = by(way, "complex_orthogonal_factors")(parts(a))
    left, upper = made[0] + 1j * made[1], (made[2] + 1j * made[3])[:n]
    close(left.conj().T @ left, np.eye(n))
    close(left @ upper, a)
    assert np.all(np.tril(upper, -1) == 0.0)
    if name not in ("of rank one", "none"):
        close(upper, np.linalg.qr(a)[1])


SYSTEM_WAYS = {
    "NumPy": (systems.complex_solved, systems.complex_log_determinant),
    "LAPACK": (systems_lapack.complex_solved_by_lapack, systems_lapack.complex_log_determinant_by_lapack),
    "elimination": (
        systems_elimination.complex_solved_by_elimination.py_func,
        systems_elimination.complex_log_determinant_by_elimination.py_func,
    ),
}
SYSTEMS = {
    **{name: a for name, a in MATRICES.items() if name not in ("tall", "of rank one")},
    "turned round": np.array([[0, 1e-300j], [2.0, 0]]),
    "singular": np.array([[1.0, 2j], [2.0, 4j]]),
    "of many orders": of(6, 6) * 10.0 ** np.arange(-3, 3),
}


@pytest.mark.parametrize("way", SYSTEM_WAYS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_systems(way, name):
    """A right side without columns, too."""
    a, (solved, log_determinant) = SYSTEMS[name], SYSTEM_WAYS[way]
    sign, size = np.linalg.slogdet(a)
    with np.errstate(all="ignore"):
        made = log_determinant(parts(a))
        close(made[0] + 1j * made[1], sign)
        close(made[2], size) if size != -np.inf else np.testing.assert_equal(made[2], size)
        for width in (0, 1, 3):
            right = np.random.default_rng(width).normal(size=(len(a), width)) * (1 + 2j)
            x = solved(parts(a), parts(right))
            if size == -np.inf:
                assert np.isnan(x).all()
            else:
                close(x[0] + 1j * x[1], np.linalg.solve(a, right))


GENERAL_WAYS = {
    "NumPy": general.general_eigensystem,
    "LAPACK": general_lapack.general_eigensystem_by_lapack,
    "steps": general_steps.general_eigensystem_by_steps.py_func,
}
GENERAL = {
    **{name: a for name, a in MATRICES.items() if name not in ("tall", "large", "small", "real")},
    "one block": np.diag(np.ones(3)) * 2.0 + np.diag(np.ones(2), 1),
    "a turn": np.array([[0.0, 1.0], [-1.0, 0.0]]),
    "a round": np.roll(np.eye(6), 1, 0),
    "real": R.normal(size=(9, 9)),
    "triangular": np.triu(R.normal(size=(6, 6))),
    "large": R.normal(size=(4, 4)) * 1e100,  # beyond which LAPACK's are wrong
    "small": R.normal(size=(4, 4)) * 1e-100,
}


@pytest.mark.parametrize("way", GENERAL_WAYS)
@pytest.mark.parametrize("name", GENERAL)
def test_general_eigensystems(way, name):
    """Vectors of length 1, whose largest element is real; real ones of real values."""
    a = GENERAL[name]
    made = GENERAL_WAYS[way](parts(a) if a.dtype.kind == "c" else a[None])
    vectors, values = made[0] + 1j * made[1], (made[2] + 1j * made[3])[:1].ravel()
    close(a @ vectors, vectors * values + 0.0 * a)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), 1.0, rtol=1e-12)
    for vector, value in zip(vectors.T, values, strict=True):
        assert np.min(np.abs(vector.imag[np.abs(vector) > 0.999999 * np.abs(vector).max()])) < 1e-14
        assert a.dtype.kind == "c" or value.imag != 0.0 or np.all(vector.imag == 0.0)


@pytest.mark.parametrize("way", GENERAL_WAYS)
def test_no_general_eigensystem(way):
    for number in (np.nan, np.inf):
        assert np.isnan(GENERAL_WAYS[way](np.array([[[1.0, 2.0], [number, 3.0]]]))).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_of_no_numbers(way, number):
    a = parts(of(3, 3))
    a[1, 2, 0] = number
    assert np.isnan(by(way, "hermitian_eigensystem")(a)).all()
    assert np.isnan(by(way, "complex_singular_system")(a, 0)).all()
