"""Python's ints to powers that may be negative: what Python gives, or its value in one kind, or an error."""

from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import jit

GIVEN = [(1, 4, 0.7), (2, 3, 0.5), (-2, 3, 1.5), (4, 1, -0.5)]

# an expression of ints i and k and a float x -> its type, whatever i and k are
EXPRESSIONS = {
    "(-1) ** (i - k)": int,
    "x * (-1) ** (i - k)": float,
    "(-1) ** i * (-1) ** k": int,
    "2 ** -k": float,
    "i ** -k * x": float,
    "x - 3 ** (i - k)": float,
    "3 ** (i - k) / 2": float,
    "2 ** (k - i) / x + 2 ** (i - k) * x": float,
    "np.arange(3.0) * 2 ** (i - k)": np.ndarray,
    "10 ** (k - 1)": int,
}


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_powers_that_may_be_negative(expression: str, target: str) -> None:
    f = loaded(f"def f(i, k, x):\n    return {expression}\n")
    compiled = jit(f, target=target)
    for given in GIVEN:
        got = compiled(*given)
        np.testing.assert_allclose(got, f(*given), rtol=1e-15)
        assert type(got) is EXPRESSIONS[expression]


@pytest.mark.parametrize("expression", ["3 ** (i - k)", "x * 3 ** n", "(2 ** (i - k)) * i"])
def test_other_ints_raise_as_numpys_do(expression: str) -> None:
    f = jit(loaded(f"def f(i, k, x):\n    n = i - k\n    return {expression}\n"))
    assert f(4, 1, 0.5) == eval(expression, {"i": 4, "k": 1, "n": 3, "x": 0.5})
    with pytest.raises(ValueError, match="an int to a negative int power: make one of them a float"):
        f(1, 4, 0.5)


DERIVATIVES = """
def f(u, h):
    n = len(u)
    s = 0.0
    for i in range(n):
        for k in range(n):
            if i != k:
                s += 0.5 * (-1) ** (i - k) / np.tan((i - k) * h) * u[i] ** 2 * u[k]
    return s
"""


def test_matrices_of_spectral_derivatives() -> None:
    f: Any = loaded(DERIVATIVES)
    u = np.array([[0.3, -0.2, 0.9, 0.4], [1.0, 2.0, 0.5, -0.3]])
    np.testing.assert_allclose(jit(f)(u[0], 0.4), f(u[0], 0.4), rtol=1e-14)
    np.testing.assert_allclose(batch(f, in_axes=(0, None))(u, 0.4), [f(row, 0.4) for row in u], rtol=1e-14)
    step = 1e-6 * np.eye(4)
    slopes = [(f(u[0] + d, 0.4) - f(u[0] - d, 0.4)) / 2e-6 for d in step]
    np.testing.assert_allclose(grad(f)(u[0], 0.4), slopes, rtol=1e-8)
