"""The kernels as plain Python: what they leave invariant, how long trajectories are, what diverges."""

import arviz
import numpy as np
import pytest
from mcmc_plain import generator
from scipy import stats

from autobatch.mcmc.kernels import hmc, nuts, rwm
from autobatch.mcmc.kernels.hamiltonian import kinetic, leapfrog
from autobatch.mcmc.kernels.metric import (
    DENSE,
    DIAGONAL,
    Dense,
    Diagonal,
    cholesky,
    dense_displacement,
    dense_momentum,
    diagonal_displacement,
    diagonal_momentum,
    diagonal_velocity,
    solve_transposed,
)

COVARIANCE = np.array([[1.0, 0.9, 0.2], [0.9, 2.0, -0.3], [0.2, -0.3, 0.5]])
PRECISION = np.linalg.inv(COVARIANCE)
MEAN = np.array([1.0, -2.0, 0.5])


def correlated(u):
    gradient = -PRECISION @ (u - MEAN)
    return 0.5 * np.dot(u - MEAN, gradient), gradient


def normal(u):
    return -0.5 * np.dot(u, u), -u


def logit_beta(u):
    """A Beta(2, 5) variable on the logit scale."""
    share = 1.0 / (1.0 + np.exp(-u[0]))
    return 2.0 * np.log(share) + 5.0 * np.log(1.0 - share), np.array([2.0 - 7.0 * share])


def flat(u):
    return 0.0, 0.0 * u


def unit(d):
    return Diagonal(np.ones(d))


def dense(covariance):
    return Dense(covariance, np.linalg.cholesky(covariance))


def nuts_step(rng, state, step_size, logp_grad, max_depth=10, metric=None):
    geometry = DENSE if isinstance(metric, Dense) else DIAGONAL
    metric = metric or unit(len(state.position))
    return nuts.step(
        rng, state, step_size, metric, geometry.momentum, geometry.velocity, logp_grad, max_depth
    )


def hmc_step(rng, state, step_size, logp_grad, n_leapfrog=7):
    metric = unit(len(state.position))
    return hmc.step(
        rng, state, step_size, metric, diagonal_momentum, diagonal_velocity, logp_grad, n_leapfrog
    )


def rwm_step(rng, state, step_size, logp_grad):
    return rwm.step(rng, state, step_size, unit(len(state.position)), diagonal_displacement, logp_grad)


STEPS = {"nuts": nuts_step, "hmc": hmc_step, "rwm": rwm_step}


def chain(seed, step, logp_grad, start, n, **settings):
    rng, state, draws = generator(seed), nuts.init(start, logp_grad), []
    for _ in range(n):
        state, _ = step(rng, state, logp_grad=logp_grad, **settings)
        draws.append(state.position)
    return np.array(draws)


def assert_moments(draws, mean, covariance):
    """Each mean and variance within four Monte Carlo standard errors."""
    for k in range(len(mean)):
        for values, expected in ((draws[:, k], mean[k]), ((draws[:, k] - mean[k]) ** 2, covariance[k, k])):
            error = values.std() / np.sqrt(arviz.ess(values[None]))
            assert abs(values.mean() - expected) < 4.0 * error


@pytest.mark.parametrize("metric", [None, Diagonal(np.diag(COVARIANCE)), dense(COVARIANCE)])
def test_nuts_has_the_moments_of_a_correlated_normal(metric):
    draws = chain(1, nuts_step, correlated, MEAN, 2000, step_size=0.5, metric=metric)
    assert_moments(draws, MEAN, COVARIANCE)


def test_hmc_and_random_walk_have_the_moments_of_a_correlated_normal():
    assert_moments(chain(1, hmc_step, correlated, MEAN, 2000, step_size=0.3), MEAN, COVARIANCE)
    assert_moments(chain(2, rwm_step, correlated, MEAN, 10000, step_size=0.8), MEAN, COVARIANCE)


@pytest.mark.turns(4)
@pytest.mark.sampled(6)
@pytest.mark.parametrize("kernel", STEPS)
@pytest.mark.parametrize("step_size", [0.4, 1.3])
def test_draws_from_a_normal_stay_normal(kernel, step_size):
    rng, lengths = generator(3), set()
    after = np.empty((8000, 2))
    for i in range(len(after)):
        state = nuts.init(rng.standard_normal(2), normal)
        state, info = STEPS[kernel](rng, state, step_size, normal)
        after[i] = state.position
        lengths.add(info.n_steps)
    assert stats.kstest(after.ravel(), "norm").pvalue > 1e-3
    # The radius would show a sampler that keeps its energy.
    assert stats.kstest(np.sum(after**2, axis=1), "chi2", args=(2,)).pvalue > 1e-3
    if kernel == "nuts" and step_size < 1.0:
        assert len(lengths) >= 3


@pytest.mark.parametrize("kernel", STEPS)
def test_draws_from_a_logit_beta_stay_so(kernel):
    rng = generator(4)
    after = np.empty(8000)
    for i in range(len(after)):
        state = nuts.init(np.log(1.0 / (1.0 / rng.beta(2.0, 5.0, size=1) - 1.0)), logit_beta)
        state, _ = STEPS[kernel](rng, state, 0.9, logit_beta)
        after[i] = 1.0 / (1.0 + np.exp(-state.position[0]))
    assert stats.kstest(after, "beta", args=(2.0, 5.0)).pvalue > 1e-3


def test_draws_from_a_correlated_normal_stay_so():
    rng, factor = generator(5), np.linalg.cholesky(COVARIANCE)
    after = np.empty((4000, 3))
    for i in range(len(after)):
        state = nuts.init(MEAN + factor @ rng.standard_normal(3), correlated)
        state, _ = nuts_step(rng, state, 0.6, correlated)
        after[i] = np.linalg.solve(factor, state.position - MEAN)
    assert stats.kstest(after.ravel(), "norm").pvalue > 1e-3


@pytest.mark.parametrize("max_depth", range(1, 8))
def test_a_density_that_never_turns_takes_the_whole_tree(max_depth):
    evaluations = []

    def counted(u):
        evaluations.append(u)
        return flat(u)

    state = nuts.init(np.zeros(2), counted)
    _, info = nuts_step(generator(1), state, 0.1, counted, max_depth)
    assert (info.n_steps, info.tree_depth) == (2**max_depth - 1, max_depth)
    assert len(evaluations) == 1 + info.n_steps
    assert (info.acceptance_rate, info.max_energy_error, info.diverging) == (1.0, 0.0, False)


class Directed:
    """A stream whose uniforms are all the same: 0.7 goes on in one direction, 0.2 turns at each doubling."""

    def __init__(self, uniform, p):
        self.uniform, self.p = uniform, p

    def random(self):
        return self.uniform

    def standard_normal(self, n):
        return self.p


def turned(momenta, metric):
    """The criterion on a stretch of momenta in order, and on its two halves with one point more."""
    half = len(momenta) // 2
    for part in (momenta, momenta[: half + 1], momenta[half - 1 :]):
        direction = metric @ np.sum(part, axis=0)
        if not (part[0] @ direction > 0 and part[-1] @ direction > 0):
            return True
    return False


def expected_tree(logp_grad, q, p, step_size, metric, alternate, max_depth):
    """(n_steps, tree_depth) by laying the trajectory out point by point, without recursion."""
    ends = [(q, p), (q, p)]
    momenta, n_steps, direction = [p], 0, 1.0
    for depth in range(max_depth):
        if alternate:
            direction = -direction
        new = []
        for leaf in range(1, 2**depth + 1):
            q, p = ends[direction > 0]
            q, p, _, _ = leapfrog(
                q, p, logp_grad(q)[1], direction * step_size, Diagonal(metric), diagonal_velocity, logp_grad
            )
            ends[direction > 0] = q, p
            new.append(p)
            n_steps += 1
            for level in range(1, depth + 1):
                if leaf % 2**level == 0 and turned(new[-(2**level) :], np.diag(metric)):
                    return n_steps, depth
        momenta = momenta + new if direction > 0 else new[::-1] + momenta
        if turned(momenta, np.diag(metric)):
            return n_steps, depth + 1
    return n_steps, max_depth


@pytest.mark.parametrize("uniform", [0.7, 0.2])
def test_trajectories_stop_where_stans_criterion_says(uniform):
    metric, seen = np.array([1.0, 0.6, 0.3]), set()
    for seed in range(60):
        rng = generator(seed)
        q, z = MEAN + rng.standard_normal(3), rng.standard_normal(3)
        state = nuts.init(q, correlated)
        _, info = nuts_step(Directed(uniform, z), state, 0.25, correlated, 6, Diagonal(metric))
        expected = expected_tree(correlated, q, z / np.sqrt(metric), 0.25, metric, uniform < 0.5, 6)
        assert (info.n_steps, info.tree_depth) == expected
        seen.add(expected)
    assert len(seen) >= 8


def quartic(u):
    """Far out its force is so steep that a leapfrog of any length loses or wins energy by hundreds or thousands."""
    return -np.sum(u**4), -4.0 * u**3


def transition_in_logarithms(rng, logp_grad, q, step_size, max_depth):
    """Stan's transition with unit metric, leaf by leaf, its weights logarithms: position, acceptance, greatest fall."""
    state, metric = nuts.init(q, logp_grad), np.ones(len(q))
    p = rng.standard_normal(len(q))
    energy0 = 0.5 * p @ p - state.lp
    ends = [(q, p), (q, p)]
    momenta, chosen, log_total, direction = [p], q, 0.0, 1.0
    accepted, falls = [], [0.0]
    for depth in range(max_depth):
        if rng.random() < 0.5:
            direction = -direction
        new, proposal, log_new = [], q, -np.inf
        for leaf in range(1, 2**depth + 1):
            q, p = ends[direction > 0]
            q, p, lp, _ = leapfrog(
                q, p, logp_grad(q)[1], direction * step_size, Diagonal(metric), diagonal_velocity, logp_grad
            )
            ends[direction > 0] = q, p
            new.append(p)
            fall = energy0 - (0.5 * p @ p - lp)
            log_new = np.logaddexp(log_new, fall)
            if np.log(rng.random()) + log_new < fall:
                proposal = q
            accepted.append(np.exp(min(0.0, fall)))
            falls.append(fall)
            levels = (level for level in range(1, depth + 1) if leaf % 2**level == 0)
            if fall < -1000.0 or any(turned(new[-(2**level) :], np.diag(metric)) for level in levels):
                return chosen, np.mean(accepted), max(falls)
        if np.log(rng.random()) + log_total < log_new:
            chosen = proposal
        log_total = np.logaddexp(log_total, log_new)
        momenta = momenta + new if direction > 0 else new[::-1] + momenta
        if turned(momenta, np.diag(metric)):
            break
    return chosen, np.mean(accepted), max(falls)


def test_weights_are_those_of_the_paper_however_far_energies_fall():
    falls = []
    for seed in range(300):
        start = generator(seed, 1).uniform(-1.0, 1.0, 3) * 10.0 ** (1.0 + seed % 3)
        step_size = 0.7 / np.max(np.abs(start))
        state = nuts.init(start, quartic)
        after, info = nuts_step(generator(seed), state, step_size, quartic, 6)
        expected, rate, fall = transition_in_logarithms(generator(seed), quartic, start, step_size, 6)
        np.testing.assert_array_equal(after.position, expected)
        assert info.acceptance_rate == pytest.approx(rate, rel=1e-9)
        assert fall == 0.0 or info.max_energy_error > 0.0 or info.max_energy_error == pytest.approx(-fall)
        falls.append(fall)
    assert sum(80.0 < fall < 700.0 for fall in falls) > 20 and sum(fall > 1e4 for fall in falls) > 20


def test_info_of_nuts_is_that_of_the_state_returned():
    rng, state = generator(6), nuts.init(MEAN, correlated)
    for _ in range(20):
        state, info = nuts_step(rng, state, 0.4, correlated)
        lp, gradient = correlated(state.position)
        assert info.lp == state.lp == lp
        np.testing.assert_array_equal(state.gradient, gradient)
        assert info.energy > -lp
        assert 0.0 < info.acceptance_rate <= 1.0
        assert info.step_size == 0.4


def not_a_number_beyond_one(u):
    lp, gradient = normal(u)
    return (np.nan, gradient * np.nan) if np.any(np.abs(u) > 1.0) else (lp, gradient)


def minus_infinity_beyond_one(u):
    lp, gradient = normal(u)
    return (-np.inf, gradient) if np.any(np.abs(u) > 1.0) else (lp, gradient)


@pytest.mark.parametrize("logp_grad", [not_a_number_beyond_one, minus_infinity_beyond_one])
@pytest.mark.parametrize("kernel", ["nuts", "hmc"])
def test_energies_that_are_no_numbers_diverge(logp_grad, kernel):
    rng, state = generator(7), nuts.init(np.zeros(2), logp_grad)
    n_diverging = 0
    for _ in range(100):
        state, info = STEPS[kernel](rng, state, 0.8, logp_grad)
        assert np.all(np.abs(state.position) <= 1.0)
        assert np.isfinite([info.lp, info.energy, info.acceptance_rate]).all()
        assert info.diverging == np.isinf(info.max_energy_error)
        n_diverging += info.diverging
    assert n_diverging > 10


def test_an_energy_error_beyond_1000_diverges():
    def wall(scale):
        def logp_grad(u):
            return -scale * u[0] ** 2, -2.0 * scale * u

        return logp_grad

    rng = Directed(0.7, np.array([1.0]))
    for scale, diverges in ((10.0, False), (40.0, True)):
        state = nuts.init(np.zeros(1), wall(scale))
        after, info = nuts_step(rng, state, 2.0, wall(scale), 1)
        assert (info.diverging, info.max_energy_error > 1000.0) == (diverges, diverges)
        assert (info.n_steps, info.acceptance_rate < 1e-100) == (1, True)
        np.testing.assert_array_equal(after.position, state.position)


def test_random_walk_refuses_what_is_not_finite():
    rng, state = generator(8), rwm.init(np.zeros(2), not_a_number_beyond_one)
    for _ in range(50):
        state, info = rwm_step(rng, state, 1.0, not_a_number_beyond_one)
        assert np.isfinite(info.lp) and not info.diverging


def test_leapfrog_runs_back_to_where_it_came_from():
    q, p = np.array([0.3, -1.0, 0.4]), np.array([1.0, 0.2, -0.7])
    metric = dense(COVARIANCE)
    there = leapfrog(q, p, correlated(q)[1], 0.3, metric, DENSE.velocity, correlated)
    back = leapfrog(there[0], there[1], there[3], -0.3, metric, DENSE.velocity, correlated)
    np.testing.assert_allclose(back[0], q, rtol=1e-13)
    np.testing.assert_allclose(back[1], p, rtol=1e-13)


def test_momenta_and_displacements_have_the_metric_for_covariance():
    rng, nowhere = generator(9), np.zeros(3)
    metric = dense(COVARIANCE)
    for draw, covariance in ((dense_momentum, PRECISION), (dense_displacement, COVARIANCE)):
        x = np.array([draw(rng, metric, nowhere) for _ in range(4000)])
        scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
        np.testing.assert_allclose(x.T @ x / len(x) / scale, covariance / scale, atol=4 * np.sqrt(2 / 4000))
    variance = np.array([4.0, 0.25])
    z = generator(10).standard_normal(2)
    np.testing.assert_array_equal(diagonal_momentum(generator(10), Diagonal(variance), z), z * [0.5, 2.0])
    np.testing.assert_array_equal(diagonal_displacement(generator(10), Diagonal(variance), z), z * [2.0, 0.5])
    assert kinetic(np.array([2.0, 1.0]), np.array([0.5, 4.0])) == 2.5


def test_cholesky_and_back_substitution():
    factor = cholesky(COVARIANCE)
    np.testing.assert_allclose(factor, np.linalg.cholesky(COVARIANCE), rtol=1e-14)
    z = np.array([1.0, 2.0, -3.0])
    np.testing.assert_allclose(solve_transposed(factor, z), np.linalg.solve(factor.T, z), rtol=1e-13)
    singular = cholesky(np.ones((3, 3)))
    assert np.isfinite(singular).all() and np.all(np.diag(singular) > 0.0)
