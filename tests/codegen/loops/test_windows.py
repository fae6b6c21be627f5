"""Windows written into arrays that are not in memory, and joins of arrays: one loop on a GPU, with no copy before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_gpu import with_arrays_there
from array_gpu_by_numba import with_compiled_arrays_there
from array_programs import same
from over_lanes import directory  # noqa: F401

from autodiff import grad
from codegen import jit

rng = np.random.default_rng(3)
U, X = rng.normal(size=(6, 7)), rng.normal(size=9)


def stepped(u):
    for _ in range(3):
        v = u.copy()
        v[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2.0 * u[1:-1, 1:-1])
        u = v
    return u


def warmth(u):
    return np.sum(stepped(u) ** 2)


def replaced(x):
    y = x.copy()
    y[2:5] = 7.0 * x[1:4]
    y[:1] = 3.0
    y[-2:] += 1.0
    return y, x


def twice_read(x):
    """What is added to is read before and after."""
    y = np.zeros(len(x))
    y[1:] += x[:-1]
    z = y * 2.0
    y[:-1] -= z[1:]
    return y, z


def whole_axis(u):
    v = np.ones(u.shape)
    v[:, 1:3] = u[:, :1]
    v[2:-1] += u[:1]
    return v


def beyond(x):
    """Bounds that are outside."""
    y = x.copy()
    y[-20:3] = 0.5
    y[5:50] += x[5:]
    y[7:2] += 1.0
    return y


def narrow(u):
    v = np.zeros(u.shape, np.float32)
    v[1:] += u[:-1]
    return v


def steps_of_two(x):
    y = x.copy()
    y[::2] += 1.0
    return y


def changed_since(x):
    """The array that was copied is written before the copy is."""
    y = x.copy()
    x[0] = 5.0
    y[1:] += x[:-1]
    return y, x


def first_differences(x):
    return np.sum((x[1:] - x[:-1]) ** 3)


def rolled(u, k):
    """Written into a part, read in another order, summed, and given as it is."""
    v = np.roll(np.exp(u), (k, -1), axis=(0, 1))
    w = np.zeros((2, *u.shape))
    w[1] = v + u
    return v, w, v[::-1].T, np.sum(np.roll(v, 3, axis=1), axis=0)


def joined(x):
    y = np.concatenate((x[2:4], 2.0 * x, x[:0], np.ones(1)))
    return y, y[::-1] + y, np.cumsum(y)


def diffused(u):
    return np.sum((np.roll(u, 1, axis=0) - np.roll(u, 1, axis=1)) ** 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("there", [with_arrays_there, with_compiled_arrays_there])
@pytest.mark.parametrize(
    "f, args", [(rolled, (U, k)) for k in (0, 1, -2, 6, 13)] + [(rolled, (U[:1, :1], 1)), (joined, (X,))]
)
def test_joins_are_read_by_places(f: Any, args: tuple[Any, ...], there: Any) -> None:
    with there():
        found = jit(f, target="cuda")(*args)
    same(found, f(*args), 1e-12)


def turned(u):
    return np.roll(u, (1, -1), axis=(0, 1))


def test_a_roll_is_one_kernel() -> None:
    text = jit(turned, target="cuda").source(U)
    assert text.count("_kernel[BLOCKS, THREADS](") == 1 and "cp.empty" in text


@pytest.mark.parametrize("there", [with_arrays_there, with_compiled_arrays_there])
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (stepped, U),
        (stepped, U[:2]),
        (stepped, U[:1, :1]),
        (replaced, X),
        (twice_read, X),
        (twice_read, X[:1]),
        (whole_axis, U),
        (beyond, X),
        (narrow, U),
        (steps_of_two, X),
        (changed_since, X),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_what_is_written(f: Any, x: np.ndarray, there: Any) -> None:
    with there():
        found = jit(f, target="cuda")(x.copy())
    same(found, f(x.copy()), 1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("f", "x"),
    [(warmth, U), (first_differences, X), (diffused, U)],
    ids=["warmth", "differences", "diffused"],
)
def test_adjoints(f: Any, x: np.ndarray) -> None:
    with with_arrays_there():
        found = grad(f, target="cuda")(x)
    same(found, grad(f)(x), 1e-12)


def test_a_step_is_one_kernel() -> None:
    """Of a stencil and of its adjoint, which adds to windows: no copy, and no zeros to add to. (The third is of
    what the steps end with.)"""
    for made, kernels in ((jit(stepped, target="cuda"), 1), (grad(warmth, target="cuda"), 3)):
        text = made.source(U)
        assert text.count("_kernel[BLOCKS, THREADS](") == kernels
        assert "cp.zeros" not in text
    assert ".copy()" not in jit(stepped, target="cuda").source(U)
