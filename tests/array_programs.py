"""Programs over arrays that a GPU can be given, and arguments."""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen import jit


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


def counted_rows(K):
    """Sums that may overflow, where that could be seen."""
    rows = np.sum(K, axis=1)
    return (
        rows != 0,
        np.sum(K * 2, axis=1).astype(np.float32),
        np.max(K, axis=1) > 3,
        np.sum(K) == 7,
        rows // 2,
    )


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


def of_ints(n):
    return n * n, np.sum(n * n) // 2, np.max(n), np.min(n)


def grid(n, m):
    """Of nothing where a size is negative."""
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += i + 10 * j
    return total


def around(x, n):
    """From the end where a place is below 0: iterations that write one place."""
    out = np.zeros(5)
    for i in range(n):
        out[i - 3] = x[i]
    return out


def whether(x):
    return np.any(x > 2.0), np.all(np.isfinite(x)), np.prod(x)


def joined(x, y):
    return np.concatenate((x, 2.0 * y))


def counted_hits(x):
    hits = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            hits += 1
    return hits


def from_the_first(x):
    y = x[0] * x
    y[-1] = 7.0
    return y


def taken_away(x, left):
    """What is taken away from a number is reduced as what is added; what a number is taken away from is not."""
    count, turned = 100, 0.0
    for i in range(len(x)):
        left -= x[i] * x[i]
        if x[i] > 0.0:
            count -= 1
    for i in range(len(x)):
        turned = x[i] - turned
    return left, count, turned


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
    (counted_rows, (np.arange(35).reshape(7, 5) * 2**58 - 3,)),
    (layers, (X, rng.normal(size=(2, 13)), X[1])),
    (smallest, (x, -0.5)),
    (smallest, (np.append(x, np.nan), -0.5)),
    (pairs, (x,)),
    *((of_ints, (np.array([1, 100, 7, 3], dtype),)) for dtype in ("i4", "u1", "u8", "i8")),
    (of_ints, (np.array([2**62, 2**61, -5]),)),
    (grid, (3, 4)),
    (grid, (-3, -4)),
    (whether, (x,)),
    (whether, (np.append(x, np.inf),)),
    (joined, (x, y[:5])),
    (counted_hits, (x,)),
    (from_the_first, (x,)),
    (taken_away, (x, 2.0)),
    (scaled, (x.astype("f4"), y.astype("f4"))),
    (distance, (np.zeros((0, 5)), X[0])),
]


def same(found: Any, wanted: Any, rtol: float = 1e-12) -> None:
    """Equal in structure, dtype and value."""
    if isinstance(wanted, tuple | list | dict):
        assert type(found) is type(wanted) and len(found) == len(wanted)
        values = (found.values(), wanted.values()) if isinstance(wanted, dict) else (found, wanted)
        for one, other in zip(*values, strict=True):
            same(one, other, rtol)
        return
    if wanted is None or dataclasses.is_dataclass(wanted):
        assert type(found) is type(wanted)
        same(vars(found), vars(wanted), rtol) if wanted is not None else None
        return
    dtype = np.asarray(wanted).dtype
    assert np.asarray(found).dtype == dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-5 if dtype == "f4" else rtol, atol=1e-14)


def outcome(f: Any, given: Any) -> tuple[Any, Any, Any]:
    """What a call gives or raises, and its arguments afterwards."""
    own = copy.deepcopy(given)
    try:
        with np.errstate(all="ignore"):
            return f(*own), None, own
    except Exception as error:
        return None, (type(error), str(error)), own


def same_outcome(f: Any, given: Any, there: Any, rtol: float = 1e-12) -> None:
    """A program over stand-ins gives and raises what Python's does, leaves that in its arguments, and draws as much."""
    wanted, failure, left = outcome(f, given)
    with there():
        found, own_failure, own_left = outcome(jit(f, target="cuda"), given)
    assert own_failure == failure
    if failure is None:
        same(found, wanted, rtol)
        for one, other in zip(own_left, left, strict=True):
            if isinstance(one, np.random.Generator):
                assert str(one.bit_generator.state) == str(other.bit_generator.state)
            else:
                same(one, other, rtol)
