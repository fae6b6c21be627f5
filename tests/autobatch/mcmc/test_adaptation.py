"""Warm-up against hand-computed values and against a port of Stan's counters."""

import numpy as np
import pytest
from mcmc_plain import generator

from autobatch.mcmc.kernels import adaptation, nuts
from autobatch.mcmc.kernels.adaptation import FAST, LAST, SLOW, WINDOW_END, Tuning, windows
from autobatch.mcmc.kernels.chain import advance
from autobatch.mcmc.kernels.hamiltonian import leapfrog, reasonable_step_size
from autobatch.mcmc.kernels.metric import DENSE, DIAGONAL, Dense, Diagonal, Welford
from autobatch.mcmc.kernels.pooled import observed

SCALES = np.array([0.1, 1.0, 20.0])


def scaled_normal(u):
    return -0.5 * np.sum((u / SCALES) ** 2), -u / SCALES**2


def search(logp_grad, step_size, position=None):
    position = np.zeros(3) if position is None else position
    state = nuts.init(position, logp_grad)
    metric = Diagonal(np.ones(len(position)))
    return reasonable_step_size(
        generator(1), state, step_size, metric, DIAGONAL.momentum, DIAGONAL.velocity, logp_grad
    )


def test_dual_averaging_by_hand():
    # mu = log 5; t = 1: H = -0.2/11; t = 2: H = 11/12 H + 0.5/12 = 0.025.
    dual = adaptation.restarted(0.5)
    first = adaptation.updated(dual, 1.0, 0.8)
    second = adaptation.updated(first, 0.3, 0.8)
    assert first.gap == pytest.approx(-0.2 / 11, rel=1e-14)
    assert first.log_average == pytest.approx(np.log(5.0) + 20.0 * 0.2 / 11, rel=1e-14)
    assert second.gap == pytest.approx(0.025, rel=1e-14)
    log_step = np.log(5.0) - np.sqrt(2.0) * 20.0 * 0.025
    assert adaptation.exploring(second) == pytest.approx(np.exp(log_step), rel=1e-14)
    weight = 2.0**-0.75
    average = weight * log_step + (1.0 - weight) * first.log_average
    assert second.log_average == pytest.approx(average, rel=1e-14)
    assert (second.mu, second.t) == (np.log(5.0), 2.0)


def stans_windows(n):
    """Ends of the slow windows by Stan's counters (windowed_adaptation.hpp), and the slow iterations."""
    first, last, base = 75, 50, 25
    if n < 20:
        return [], []
    if first + base + last > n:
        first, last = int(0.15 * n), int(0.1 * n)
        base = n - first - last
    ends, slow, size, next_window = [], [], base, first + base - 1
    for counter in range(n):
        if first <= counter < n - last:
            slow.append(counter)
        if counter == next_window:
            ends.append(counter)
            if next_window == n - last - 1:
                continue
            size *= 2
            next_window = counter + size
            if next_window != n - last - 1 and next_window + 2 * size >= n - last:
                next_window = n - last - 1
    return ends, slow


def test_windows_are_stans():
    for n in [*range(1, 400), 1000, 2000, 3333, 10000]:
        plan = windows(n)
        ends, slow = stans_windows(n)
        if n == 151:  # Stan's second window would be a single position, which has no variance
            ends = [100]
        assert np.flatnonzero(plan == WINDOW_END).tolist() == ends
        assert np.flatnonzero((plan == SLOW) | (plan == WINDOW_END)).tolist() == slow
        assert np.flatnonzero(plan == LAST).tolist() == [n - 1]
    assert windows(0).tolist() == []
    assert np.flatnonzero(windows(1000) == WINDOW_END).tolist() == [99, 149, 249, 449, 949]
    assert windows(5).tolist() == [FAST] * 4 + [LAST]


def test_step_size_search_stops_where_acceptance_crosses():
    for begin in (1e-4, 1.0, 1e4):
        found = search(scaled_normal, begin)
        assert 0.02 < found < 0.8


@pytest.mark.parametrize("begin", [1.0, 1e-300, 1e300])
def test_step_size_search_ends_on_any_density(begin):
    def flat(u):
        return 0.0, 0.0 * u

    def alone(u):
        lp = 0.0 if np.all(u == 0.0) else np.nan
        return lp, lp * u

    with np.errstate(all="ignore"):
        assert search(flat, begin) >= min(begin, 1e7)
        assert 0.0 < search(alone, begin) < np.inf


def test_welford_is_regularised_as_stan_does():
    x = generator(2).standard_normal((12, 3)) * SCALES
    diagonal = Welford(0.0, np.zeros(3), np.zeros(3))
    dense = Welford(0.0, np.zeros(3), np.zeros((3, 3)))
    for row in x:
        diagonal, dense = DIAGONAL.observe(diagonal, row), DENSE.observe(dense, row)
    weight, towards = 12 / 17, 1e-3 * 5 / 17
    np.testing.assert_allclose(
        DIAGONAL.estimate(diagonal).variance, weight * np.var(x, axis=0, ddof=1) + towards, rtol=1e-12
    )
    covariance = weight * np.cov(x.T) + towards * np.eye(3)
    estimate = DENSE.estimate(dense)
    np.testing.assert_allclose(estimate.covariance, covariance, rtol=1e-12)
    np.testing.assert_allclose(estimate.factor, np.linalg.cholesky(covariance), rtol=1e-10)
    np.testing.assert_array_equal(adaptation.recounted(dense).scatter, np.zeros((3, 3)))


@pytest.mark.parametrize("geometry", [DIAGONAL, DENSE])
def test_counting_many_at_once_is_counting_them_one_by_one(geometry):
    scatter = np.zeros(3) if geometry is DIAGONAL else np.zeros((3, 3))
    one_by_one = at_once = Welford(0.0, np.zeros(3), scatter)
    for positions in generator(3).standard_normal((4, 5, 3)) + 100.0:
        at_once = observed(at_once, positions)
        for x in positions:
            one_by_one = geometry.observe(one_by_one, x)
    assert at_once.n == one_by_one.n == 20.0
    np.testing.assert_allclose(at_once.mean, one_by_one.mean, rtol=1e-13)
    np.testing.assert_allclose(at_once.scatter, one_by_one.scatter, rtol=1e-9)


def warm(geometry, metric, welford, n, learn_step=True, step_size=1.0):
    def step(rng, state, step_size, metric, logp_grad):
        return nuts.step(rng, state, step_size, metric, geometry.momentum, geometry.velocity, logp_grad, 8)

    def search_again(rng, state, step_size, metric, logp_grad):
        return reasonable_step_size(
            rng, state, step_size, metric, geometry.momentum, geometry.velocity, logp_grad
        )

    def learn(*told):
        return adaptation.learned(*told, geometry.observe, geometry.estimate)

    tuning = Tuning(step_size, metric, adaptation.restarted(step_size), welford)
    return advance(
        generator(4), nuts.init(SCALES, scaled_normal), tuning, np.full(3, False), windows(n), n, 0.8, learn_step,
        False, step, search_again, learn, scaled_normal,
    )  # fmt: skip


def test_warmup_finds_scales_and_step_size():
    for geometry, metric, welford in (
        (DIAGONAL, Diagonal(np.ones(3)), Welford(0.0, np.zeros(3), np.zeros(3))),
        (DENSE, Dense(np.eye(3), np.eye(3)), Welford(0.0, np.zeros(3), np.zeros((3, 3)))),
    ):
        _, tuning, _, sums = warm(geometry, metric, welford, 300)
        variance = tuning.metric.variance if geometry is DIAGONAL else np.diag(tuning.metric.covariance)
        np.testing.assert_allclose(np.sqrt(variance) / SCALES, 1.0, atol=0.35)
        assert 0.4 < tuning.step_size < 1.6
        assert tuning.welford.n == 0.0 and sums.n_steps > 300


def test_a_given_step_size_is_kept():
    welford = Welford(0.0, np.zeros(3), np.zeros(3))
    _, tuning, *_ = warm(DIAGONAL, Diagonal(np.ones(3)), welford, 40, learn_step=False, step_size=0.125)
    assert tuning.step_size == 0.125
    assert not np.array_equal(tuning.metric.variance, np.ones(3))


def test_leapfrogs_on_a_scaled_normal_conserve_energy():
    q, p = SCALES, np.array([1.0, -1.0, 0.5])
    energy = 0.5 * p @ p - scaled_normal(q)[0]
    gradient = scaled_normal(q)[1]
    for _ in range(100):
        q, p, lp, gradient = leapfrog(
            q, p, gradient, 0.01, Diagonal(np.ones(3)), DIAGONAL.velocity, scaled_normal
        )
        assert 0.5 * p @ p - lp == pytest.approx(energy, rel=5e-3)
