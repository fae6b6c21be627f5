"""Panels: what lies between products with a shared matrix, row by row, against a loop over the lanes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, Schedule, batch, streams
from autobatch.execute import autotune as measure
from autodiff import grad, value_and_grad
from codegen.emit.module import CALLED

RNG = np.random.default_rng(11)
ROWS, COLUMNS, LANES = 1500, 30, 150
X = RNG.normal(size=(ROWS, COLUMNS)) / 4.0
Z = RNG.normal(size=(ROWS, 7)) / 4.0
Y = RNG.normal(size=ROWS)
LABELS = (RNG.random(ROWS) < 0.5).astype(float)
COUNTS = RNG.poisson(2.0, ROWS)
GROUP = RNG.integers(0, 5, ROWS)
STARTS = RNG.normal(size=(LANES, COLUMNS))
SMALL = RNG.normal(size=(LANES, 7))
LATENT = RNG.normal(size=(LANES, 200))
MATRICES = RNG.normal(size=(LANES, 7, 4))
SIGMAS = RNG.uniform(0.5, 2.0, LANES)


def logistic(q, X, y):
    logits = X @ q
    return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(q**2)


def linear(q, sigma, X, y):
    residual = (y - X @ q) / sigma
    return -0.5 * np.sum(residual**2) - len(y) * np.log(sigma) - np.sum(np.abs(q))


def poisson(q, X, counts):
    eta = X @ q
    return np.sum(counts * eta - np.exp(eta))


def negative_binomial(q, phi, X, counts):
    """Two sums, and a number of the lane's in each row."""
    mu = np.exp(X @ q)
    return np.sum(counts * np.log(mu / (mu + phi))) + phi * np.sum(np.log(phi / (mu + phi)))


def softmax_of_three(q, r, s, X, label):
    """Three classes, a vector each."""
    a, b, c = X @ q, X @ r, X @ s
    highest = np.maximum(np.maximum(a, b), c)
    total = highest + np.log(np.exp(a - highest) + np.exp(b - highest) + np.exp(c - highest))
    chosen = np.where(label == 0, a, np.where(label == 1, b, c))
    return np.sum(chosen - total) - 0.5 * np.sum(q**2 + r**2 + s**2)


def softmax_of_a_matrix(W, X, chosen):
    """A matrix of the lane's: no panel."""
    eta = X @ W
    highest = np.max(eta, axis=1)
    total = highest + np.log(np.sum(np.exp(eta - highest[:, None]), axis=1))
    return np.sum(chosen * eta) - np.sum(total)


def two_matrices(q, r, X, Z, y):
    mean, scale = X @ q, np.exp(0.1 * (Z @ r))
    return -0.5 * np.sum(((y - mean) / scale) ** 2) - np.sum(np.log(scale))


def by_loop(q, X, y):
    """The rows by hand, with their number, and with a branch."""
    eta = X @ q
    total, above = 0.0, 0
    for i in range(len(y)):
        total += eta[i] * y[i] / (1.0 + i)
        if eta[i] > 0.0:
            above += 1
    return total, above


def with_neighbour(q, X, y):
    """A row looks at the row before: no panel."""
    eta = X @ q
    total = 0.0
    for i in range(1, len(y)):
        total += eta[i] * eta[i - 1] * y[i]
    return total


def standardised(q, X, y):
    """The second loop waits for the first: no panel."""
    eta = X @ q
    centred = eta - np.mean(eta)
    return np.sum(centred * y)


def kept(q, X, y):
    """What the rows make is wanted whole: no panel."""
    eta = X @ q
    return np.sum(eta * y), np.tanh(eta)


def levels(q, level, X, group, y):
    """A small array of the lane's, at a place that the data say."""
    eta = X @ q
    total = 0.0
    for i in range(len(y)):
        total += (y[i] - eta[i] - level[group[i]]) ** 2
    return total


def descent(q, X, y, n):
    for _ in range(n):
        q = q - 0.001 * grad(logistic)(q, X, y)
    return q, logistic(q, X, y)


def latent(q, z, X, y):
    """A number of the lane's for each row, and data so few that a lane has them in its own memory."""
    eta = X @ q + z
    return np.sum(y * eta - np.logaddexp(0.0, eta)) - 0.5 * np.sum(z**2)


def in_place(q, X, y):
    """Written over and over, and multiplied twice."""
    w = X @ q
    for i in range(len(y)):
        w[i] = w[i] * y[i]
    first = w @ X
    for i in range(len(y)):
        w[i] = np.tanh(w[i]) + 1.0
    return first, w @ X


def bisected(depth, q, X, y):
    """Recursion: lanes wait in different frames."""
    value = logistic(q, X, y) / 1000.0
    if depth == 0:
        return value
    return bisected(depth - 1, 0.5 * q, X, y) + bisected(depth - 1, 0.9 * q, X, y) * value


def named(first, size, X, n):
    """The words of the emitted program as the user's names."""
    waiting = X @ first
    k, j = 0.0, size
    for row in range(len(n)):
        k += waiting[row] * n[row] * j
    return k


MADE = [
    (logistic, (STARTS, X, LABELS), (0, None, None), 1),
    (value_and_grad(logistic), (STARTS, X, LABELS), (0, None, None), 1),
    (value_and_grad(linear, argnums=(0, 1)), (STARTS, SIGMAS, X, Y), (0, 0, None, None), 1),
    (value_and_grad(poisson), (STARTS, X, COUNTS), (0, None, None), 1),
    (grad(negative_binomial, argnums=(0, 1)), (STARTS, SIGMAS, X, COUNTS), (0, 0, None, None), 1),
    (value_and_grad(two_matrices, argnums=(0, 1)), (STARTS, SMALL, X, Z, Y), (0, 0, None, None, None), 1),
    (
        value_and_grad(softmax_of_three, argnums=(0, 1, 2)),
        (STARTS, STARTS[::-1], 0.5 * STARTS, X, GROUP % 3), (0, 0, 0, None, None), 1,
    ),
    (value_and_grad(softmax_of_a_matrix), (MATRICES, Z, np.eye(4)[GROUP % 4]), (0, None, None), 0),
    (by_loop, (STARTS, X, Y), (0, None, None), 1),
    (descent, (STARTS, X, LABELS, np.arange(LANES) % 5), (0, None, None, 0), 2),
    (in_place, (STARTS, X, Y), (0, None, None), 1),
    (value_and_grad(latent), (STARTS, LATENT, X[:200], LABELS[:200]), (0, 0, None, None), 1),
    (grad(latent, argnums=(0, 1)), (STARTS, LATENT, X[:200], LABELS[:200]), (0, 0, None, None), 0),
    (levels, (STARTS, RNG.normal(size=(LANES, 5)), X, GROUP % 5, Y), (0, 0, None, None, None), None),
    (named, (STARTS, SIGMAS, X, Y), (0, 0, None, None), 1),
    (bisected, (np.arange(LANES) % 4, STARTS, X, LABELS), (0, 0, None, None), 1),
    (with_neighbour, (STARTS, X, Y), (0, None, None), 0),
    (standardised, (STARTS, X, Y), (0, None, None), 0),
    (kept, (STARTS, X, Y), (0, None, None), 0),
]  # fmt: skip


def leaves(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, tuple) else [value]


def lane(arguments: tuple[Any, ...], axes: tuple[int | None, ...], k: int) -> list[Any]:
    return [a if axis is None else a[k] for a, axis in zip(arguments, axes, strict=True)]


def part(arguments: tuple[Any, ...], axes: tuple[int | None, ...], which: slice) -> list[Any]:
    return [a if axis is None else a[which] for a, axis in zip(arguments, axes, strict=True)]


@pytest.mark.turns(4)
@pytest.mark.sampled(20)
@pytest.mark.parametrize("f, arguments, axes, count", MADE, ids=lambda v: getattr(v, "__name__", ""))
def test_panels(f: Any, arguments: tuple[Any, ...], axes: tuple[int | None, ...], count: int | None) -> None:
    many = batch(f, axes)
    found = many(*arguments)
    if count is not None:
        assert many.source().count("_panel(") + many.source().count("_panel2(") == 2 * count
    for k in range(0, LANES, 37):
        wanted = f(*lane(arguments, axes, k))
        for a, b in zip(leaves(found), leaves(wanted), strict=True):
            np.testing.assert_allclose(a[k], b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lanes", [1, 3, 64, 129])
def test_a_lane_is_the_same_in_any_company(lanes: int) -> None:
    """Up to rounding: BLAS takes few rows in another order than many."""
    f, arguments, axes, _ = MADE[1]
    value, slope = batch(f, axes)(*arguments)
    for threads in (1, 2):
        few = batch(f, axes, schedule=Schedule(threads=threads))
        value_few, slope_few = few(*part(arguments, axes, slice(lanes)))
        np.testing.assert_allclose(value_few, value[:lanes], rtol=1e-13)
        np.testing.assert_allclose(slope_few, slope[:lanes], rtol=1e-12, atol=1e-11)


def test_one_lane_that_is_not_finite() -> None:
    """Infinity and NaN stay in their lane, as NumPy has them."""
    starts = STARTS.copy()
    starts[3, 0], starts[5, 1], starts[7] = np.inf, np.nan, 500.0
    f, arguments, axes, _ = MADE[1]
    with np.errstate(invalid="ignore"):
        value, slope = batch(f, axes)(starts, *arguments[1:])
        for k in (2, 3, 5, 7, 8):
            wanted, wanted_slope = f(starts[k], *arguments[1:])
            np.testing.assert_allclose(value[k], wanted, rtol=1e-12)
            np.testing.assert_allclose(slope[k], wanted_slope, rtol=1e-11, atol=1e-11)


def walk(rng, q, X, y):
    """As long as a lane's draws say, so that lanes are at different places."""
    steps = 0
    while rng.random() < 0.8:
        q = q + 0.01 * rng.standard_normal()
        steps += 1
        if logistic(q, X, y) < -1500.0:
            q = 0.5 * q
    return q, steps


@pytest.mark.turns(4)
def test_lanes_that_come_and_go() -> None:
    many = batch(walk, (0, 0, None, None))
    rngs = streams(5, LANES)
    q, steps = many(rngs, STARTS, X, LABELS)
    assert "_panel(" in many.source()
    for k, rng in list(enumerate(streams(5, LANES)))[::29]:
        wanted, count = walk(rng, STARTS[k], X, LABELS)
        assert steps[k] == count
        np.testing.assert_allclose(q[k], wanted, rtol=1e-9)
        assert rngs[k].random() == rng.random()


def refused(q, X, y):
    """What fails after a panel, and before the next."""
    total = np.sum(np.tanh(X @ q) * y)
    if total < 0.0:
        raise ValueError("below zero")
    return total + np.sum((X @ (q / total)) * y)


@pytest.mark.turns(4)
def test_a_lane_that_fails_between_panels() -> None:
    with pytest.raises(LaneError) as caught:
        batch(refused, (0, None, None))(STARTS, X, Y)
    totals = np.sum(np.tanh(STARTS @ X.T) * Y, axis=1)
    assert [f.lane for f in caught.value.failures] == list(np.flatnonzero(totals < 0.0))
    for k in np.flatnonzero(totals >= 0.0)[::20]:
        np.testing.assert_allclose(caught.value.results[k], refused(STARTS[k], X, Y), rtol=1e-9)


def test_the_text_of_a_panel(golden: Any) -> None:
    many = batch(value_and_grad(logistic), (0, None, None))
    text = many.source(STARTS, X, LABELS).partition(CALLED)[0].rstrip("\n")
    begin = text.index('@njit(error_model="numpy", fastmath={"contract"}, pipeline')
    golden("panel.py", f"{text[begin:]}\n")


@pytest.mark.turns(4)
@pytest.mark.sampled(5)
@pytest.mark.parametrize("tile", [1, 64, 999, 4000])
def test_tiles_of_other_sizes(tile: int) -> None:
    many = batch(value_and_grad(logistic), (0, None, None), schedule=Schedule(tile=tile))
    plain = batch(value_and_grad(logistic), (0, None, None))
    for found, wanted in zip(many(STARTS, X, LABELS), plain(STARTS, X, LABELS), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)
    assert f"shared products: {min(tile, ROWS)} rows at a time" in many.explain(STARTS, X, LABELS)
    assert "shared products: 1024 rows at a time" in plain.explain(STARTS, X, LABELS)


@pytest.mark.turns(8)
def test_tiles_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(measure, "MEASURED_ROUNDS", 1)
    many = batch(logistic, (0, None, None), schedule="measure")
    np.testing.assert_allclose(many(STARTS, X, LABELS), [logistic(q, X, LABELS) for q in STARTS], rtol=1e-12)
    found = many.explain(STARTS, X, LABELS).splitlines()[-2]
    assert all(f"{tile} rows at a time" in found for tile in measure.MEASURED_RANGES)
