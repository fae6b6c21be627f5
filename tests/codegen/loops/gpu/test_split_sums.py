"""Sums of columns in parts of rows: what threads share, and that sums are right whatever the sizes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from array_gpu import with_arrays_there
from array_gpu_by_numba import with_compiled_arrays_there
from array_programs import same
from ordered_array_programs import POINTS, mixture, nearest
from over_lanes import directory  # noqa: F401

from autodiff import grad
from codegen import jit


def column_sums(X, out):
    for i in range(len(X)):
        for j in range(X.shape[1]):
            out[j] += X[i, j]
    return out


def turned(X, Y):
    """Places that are indices in another order, of two arrays, and a sum inside."""
    both, first = np.zeros((X.shape[1], len(Y))), np.ones(X.shape[1])
    for i in range(len(X)):
        for j in range(len(Y)):
            for k in range(X.shape[1]):
                for m in range(Y.shape[1]):
                    both[k, j] += X[i, k] * Y[j, m]
    for i in range(len(X)):
        for k in range(X.shape[1]):
            first[k] -= X[i, k]
    return both, first


def own_sums(X):
    """The same, where all places are known to be there."""
    out = np.ones(X.shape[1], X.dtype)
    for i in range(len(X)):
        for j in range(X.shape[1]):
            out[j] += X[i, j]
    return out


def into_zeros(X):
    """All of one array, and of another's columns but the last."""
    whole, part = np.zeros(X.shape[1]), np.zeros(X.shape[1] + 1)
    for i in range(len(X)):
        for j in range(X.shape[1]):
            whole[j] -= X[i, j]
            part[j] += 2.0 * X[i, j]
    return whole, part


def one_row(X):
    """Places beside the index are the same for all rows."""
    out = np.zeros((5, X.shape[1]))
    for i in range(len(X)):
        for j in range(X.shape[1]):
            out[2, j] += X[i, j]
    return out


def rows_chosen(X, p):
    """A place that hangs on the row is none of the thread's."""
    out = np.zeros((5, X.shape[1]))
    for i in range(len(X)):
        for j in range(X.shape[1]):
            out[p[i], j] += X[i, j]
    return out


def rounded(X):
    """Terms of more digits than the sums have."""
    out = np.zeros(3, np.float32)
    for i in range(len(X)):
        for j in range(3):
            out[j] += X[i, j]
    return out


def until_it_is_large(X):
    """Not all that rows do is adding."""
    out = np.zeros(3)
    for i in range(len(X)):
        for j in range(3):
            if out[j] < 2.0:
                out[j] += X[i, j]
    return out


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (column_sums, (POINTS, np.ones(3))),
        (own_sums, (POINTS,)),
        (own_sums, (POINTS[:1],)),
        (own_sums, (POINTS[:0],)),
        (own_sums, (POINTS[:, :0],)),
        (own_sums, (POINTS.astype(np.float32),)),
        (turned, (POINTS, POINTS[:4])),
        (one_row, (POINTS,)),
        (into_zeros, (POINTS,)),
        (rows_chosen, (POINTS, np.arange(333) % 5)),
        (until_it_is_large, (np.abs(POINTS),)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_sums(f: Any, args: tuple[Any, ...]) -> None:
    want = f(*(a.copy() if isinstance(a, np.ndarray) else a for a in args))
    single = any(isinstance(a, np.ndarray) and a.dtype == np.float32 for a in args)
    with with_arrays_there():
        found = jit(f, target="cuda")(*(a.copy() if isinstance(a, np.ndarray) else a for a in args))
    same(found, want, 1e-5 if single else 1e-12)


@pytest.mark.parametrize(
    ("f", "args", "split"),
    [
        (column_sums, (POINTS, np.ones(3)), 0),  # a place may be missing, which the first row tells
        (own_sums, (POINTS,), 1),
        (turned, (POINTS, POINTS[:4]), 2),
        (one_row, (POINTS,), 1),
        (into_zeros, (POINTS,), 2),
        (rows_chosen, (POINTS, np.arange(333)), 0),
        (rounded, (POINTS,), 0),
        (until_it_is_large, (POINTS,), 0),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_which_are_split(f: Any, args: tuple[Any, ...], split: int) -> None:
    assert len(re.findall(r"sums\d* = cp.empty", jit(f, target="cuda").source(*args))) == split


def test_sums_of_zeros_are_all_that_there_is() -> None:
    assert re.findall(r"cp.zeros\(.*?\)", jit(into_zeros, target="cuda").source(POINTS)) == [
        "cp.zeros(n2 + 1)"
    ]


GRADIENTS = [(nearest, (POINTS[:4], POINTS)), (mixture, (np.zeros(4), POINTS[:4], POINTS))]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("there", [with_arrays_there, with_compiled_arrays_there])
@pytest.mark.parametrize(("f", "args"), GRADIENTS, ids=["nearest", "mixture"])
def test_gradients(f: Any, args: tuple[Any, ...], there: Any) -> None:
    """Adjoints of what all points share."""
    argnums = tuple(range(len(args) - 1))
    made = grad(f, argnums=argnums, target="cuda")
    with there():
        found, again = made(*args), made(*args)
    same(found, grad(f, argnums=argnums)(*args), 1e-9)
    for one, two in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert "sums = cp.empty" in made.source(*args)
