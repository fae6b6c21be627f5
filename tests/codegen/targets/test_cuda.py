"""jit(f, target="cuda"): loops as kernels, over stand-ins of numba-cuda and CuPy held against plain NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from array_gpu import cupy, with_arrays_there
from over_lanes import directory  # noqa: F401
from warp import OfLibrary, OnDevice

from autodiff import grad, value_and_grad
from codegen import SourceError, jit


def scaled(x, y):
    return np.exp(-x) * y + 2.0


def distance(X, y):
    return np.sum((X - y) ** 2)


def statistics(X):
    return np.max(X, axis=1), np.sum(X, axis=0), X.mean(), np.min(X), X.std(axis=0)


def standardised(x):
    s = np.std(x)
    return (x - x.mean()) / s if s > 0 else x


def logistic(beta, X, y):
    logits = X @ beta
    return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(beta**2)


def heated(u, n):
    for _ in range(n):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return u


def halved(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        t = x[i]
        while t > 1.0:
            t = t / 2
        out[i] = t
    return out


def softmax(X):
    e = np.exp(X - X.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def counted(n):
    return np.sum(n), np.max(n), np.where(n > 2, n, -n), n // 2


def layers(W, V, x):
    h = np.maximum(W @ x, 0.0)
    return np.tanh(V @ h).T, np.dot(x, x)


def smallest(x, start):
    best = start
    for i in range(len(x)):
        best = np.minimum(best, x[i])
    return best


def pairs(x):
    out = np.empty(len(x))
    for i in range(len(x)):
        p = np.empty(2)
        p[0] = x[i]
        p[1] = -x[i]
        out[i] = p[0] * p[1]
    return out


rng = np.random.default_rng(3)
x, y, X = rng.normal(size=21), rng.normal(size=21), rng.normal(size=(13, 5))
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (scaled, (x, y)),
    (distance, (X, X[0])),
    (statistics, (X,)),
    (standardised, (x,)),
    (standardised, (np.ones(3),)),
    (logistic, (X[0], X, rng.normal(size=13))),
    (heated, (x, 4)),
    (halved, (10.0 * x,)),
    (softmax, (X,)),
    (counted, (np.arange(7) - 3,)),
    (layers, (X, rng.normal(size=(2, 13)), X[1])),
    (smallest, (x, -0.5)),
    (smallest, (np.append(x, np.nan), -0.5)),
    (pairs, (x,)),
    (scaled, (x.astype("f4"), y.astype("f4"))),
    (distance, (np.zeros((0, 5)), X[0])),
]


def same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            same(one, other)
        return
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    rtol = 1e-5 if np.asarray(wanted).dtype == "f4" else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-14)


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


def written(x):
    x[:] = 0.0
    return 1.0


ORDER = (
    "elements are read or written here one after the other, in an order that matters; write it over whole arrays or as "
    "a loop whose iterations are independent, or use target='numba'"
)


@pytest.mark.parametrize(
    ("f", "given", "line", "message"),
    [
        (sequence, (x,), "s = 0.5 * s + x[i]", ORDER),
        (drawn, (np.random.default_rng(1), x[:3]), "return x + rng.normal(size=3)",
         "no draws from a generator; draw before, or use target='numba'"),
        (solved, (np.eye(3), x[:3]), "return np.linalg.solve(A, b)", "no solve of arrays; use target='numba'"),
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
