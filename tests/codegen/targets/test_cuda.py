"""jit(f, target="cuda"): loops as kernels, over stand-ins of numba-cuda and CuPy held against plain NumPy."""

from typing import Any

import numpy as np
import pytest
from array_gpu import cupy, with_arrays_there
from array_programs import PROGRAMS, X, around, distance, logistic, same, scaled, softmax, x, y
from over_lanes import directory  # noqa: F401
from warp import OfLibrary, OnDevice

from autodiff import grad, value_and_grad
from codegen import SourceError, jit


@pytest.mark.parametrize(("f", "given"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_programs(f: Any, given: Any) -> None:
    with with_arrays_there():
        found = jit(f, target="cuda")(*given)
    same(found, f(*given))


@pytest.mark.parametrize(
    ("f", "given"), [(distance, (X, X[0])), (logistic, PROGRAMS[5][1])], ids=["distance", "logistic"]
)
def test_gradients(f: Any, given: Any) -> None:
    with with_arrays_there():
        found = grad(f, target="cuda")(*given)
        both = value_and_grad(f, target="cuda")(*given)
    same(found, grad(f)(*given))
    same(both, value_and_grad(f)(*given))


def test_the_text(golden: Any) -> None:
    golden("softmax_cuda.py", jit(softmax, target="cuda").source(X))
    golden("logistic_grad_cuda.py", value_and_grad(logistic, target="cuda").source(*PROGRAMS[5][1]))


def test_arrays_that_are_there_stay_there() -> None:
    with with_arrays_there():
        found = jit(scaled, target="cuda")(OfLibrary(x), y)
        total = jit(distance, target="cuda")(OfLibrary(X), X[0])
    assert isinstance(found, OnDevice) and isinstance(total, float)
    same(found.copy_to_host(), scaled(x, y))


def test_errors_are_python_s() -> None:
    with with_arrays_there(), pytest.raises(ValueError, match="^operands could not be broadcast together"):
        jit(scaled, target="cuda")(x, y[:-1])


def sequence(x):
    s = 0.0
    for i in range(len(x)):
        s = 0.5 * s + x[i]
    return s


def drawn(rng, x):
    return x + rng.normal(size=3)


def solved(A, b):
    return np.linalg.solve(A, b)


def products(X, w):
    out = np.empty(len(X))
    for i in range(len(X)):
        out[i] = X[i] @ w
    return out


def written(x):
    x[:] = 0.0
    return 1.0


ORDER = (
    "elements are read or written here by a loop whose iterations look at each other, or can fail; write it over whole "
    "arrays or as a loop of independent iterations, or use target='numba'"
)


@pytest.mark.parametrize(
    ("f", "given", "line", "message"),
    [
        (sequence, (x,), "s = 0.5 * s + x[i]", ORDER),
        (drawn, (np.random.default_rng(1), x[:3]), "return x + rng.normal(size=3)",
         "no draws from a generator; draw before, or use target='numba'"),
        (solved, (np.eye(3), x[:3]), "return np.linalg.solve(A, b)", "no solve of arrays; use target='numba'"),
        (around, (x, 8), "out[i - 3] = x[i]", ORDER),
        (products, (X, X[0]), "out[i] = X[i] @ w", ORDER),
        (written, (x.copy(),), "def written(x):",
         "arguments are not written into; return the array, or use target='numba'"),
    ],
)  # fmt: skip
def test_what_is_not_covered_is_refused_at_its_line(f: Any, given: Any, line: str, message: str) -> None:
    with pytest.raises(SourceError) as error:
        jit(f, target="cuda").source(*given)
    assert (error.value.text or "").strip() == line
    assert f"target='cuda' of array programs: {message}" in str(error.value)


def test_what_is_missing_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with with_arrays_there(cupy(gpus=0)), pytest.raises(RuntimeError) as error:
        jit(scaled, target="cuda")(x, y)
    assert str(error.value) == "target='cuda' needs a GPU of NVIDIA's: the driver sees none here"
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(RuntimeError) as error:
        jit(scaled, target="cuda")(x, y)
    assert str(error.value) == "target='cuda' of array programs needs CuPy: pip install cupy-cuda13x"
