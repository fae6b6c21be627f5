"""What is read of a decomposition alone is computed alone; what a derivative reads beside it is not."""

import numpy as np
import pytest

from autodiff import grad
from codegen import jit

A = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]])


def spread(a):
    values = np.linalg.eigvalsh(a)
    return values[-1] - values[0]


def condition(a):
    return np.linalg.cond(a)


@pytest.mark.parametrize(
    "f, alone", [(spread, "eigenvalues_by_lapack("), (condition, "singular_values_by_lapack(")]
)
def test_values_without_vectors(f, alone):
    compiled = jit(f)
    np.testing.assert_allclose(compiled(A), f(A), rtol=1e-13)
    assert f"= {alone}" in compiled.source(A)
    assert f"= {alone}" not in grad(f).source(A)


def test_vectors_that_are_asked_for():
    def system(a):
        found = np.linalg.eigh(a)
        return found[0], found[1]

    text = jit(system).source(A)
    assert "= eigensystem_by_lapack(" in text and "= eigenvalues_by_lapack(" not in text
