"""Where chains begin: at their start, unless that is far below what a few steps downhill reach."""

import numpy as np
import pytest
from mcmc_plain import generator

from autobatch.mcmc.kernels.start import start


def begun(logp_grad, size, chain, downhill=True, position=None):
    """Where a chain begins, the points looked at, and the next number of its stream."""
    looked = []

    def counted(u):
        looked.append(u)
        return logp_grad(u)

    rng, free = generator(3, chain), np.full(size, position is None)
    with np.errstate(all="ignore"):
        state, found = start(rng, np.zeros(size) if position is None else position, free, downhill, counted)
    assert found
    return state, len(looked), rng.random()


def normal(u):
    return -0.5 * np.dot(u, u), -u


def exploding(u):
    """As a time series of 200 steps whose roots are outside the unit circle for most starts."""
    x, y = u[0] ** 2, u[1] - 0.5
    return -(x**200) - 0.5 * (y / 0.01) ** 2, np.array([-400.0 * x**199 * u[0], -y / 1e-4])


def two_wells(width):
    """Modes of one height at -1 and 1 in the first of three dimensions."""

    def logp_grad(u):
        side = np.where(u[0] > 0.0, 1.0, -1.0)
        away = u - np.array([side, 0.0, 0.0])
        return -0.5 * np.dot(away, away) / width**2, -away / width**2

    return logp_grad


@pytest.mark.parametrize("logp_grad", [normal, two_wells(0.3)])
def test_chains_that_start_within_reach_stay_and_draw_nothing_more(logp_grad):
    for chain in range(30):
        stays, looked, following = begun(logp_grad, 3, chain)
        started, once, first = begun(logp_grad, 3, chain, downhill=False)
        np.testing.assert_array_equal(stays.position, started.position)
        assert (stays.lp, following, once) == (started.lp, first, 1) and looked <= 10


def test_chains_far_below_go_down_and_the_rest_of_their_way_is_left_to_warm_up():
    far = 0
    for chain in range(30):
        state, looked, _ = begun(exploding, 2, chain)
        started, *_ = begun(exploding, 2, chain, downhill=False)
        far += started.lp < -1e6
        # At most 100 + 10 d below the mode, which is at 0, where it stays, and 10 + 2 d where it does not.
        assert state.lp > (-120.0 if state.lp == started.lp else -14.0)
        assert looked <= 1011
        np.testing.assert_array_equal(state.gradient, exploding(state.position)[1])
    assert far > 15


def test_modes_of_one_height_are_chosen_between_by_the_starts():
    left = 0
    for chain in range(60):
        state, *_ = begun(two_wells(0.01), 3, chain)
        started, *_ = begun(two_wells(0.01), 3, chain, downhill=False)
        assert state.lp > -16.0 or state.lp == started.lp > -130.0
        assert np.sign(state.position[0]) == np.sign(started.position[0])
        left += started.position[0] < 0.0
    assert 15 < left < 45


def test_a_mode_far_below_another_is_left_where_starts_are_free():
    def unequal(u):
        lp, gradient = two_wells(0.01)(u)
        return lp - (100.0 if u[0] < 0.0 else 0.0), gradient

    for chain in range(20):
        assert begun(unequal, 3, chain)[0].position[0] > 0.0
    kept, looked, _ = begun(unequal, 3, 0, position=np.array([-1.5, 0.0, 0.0]))
    assert kept.position[0] < 0.0 and kept.lp > -116.0 and looked <= 101


def test_a_spike_without_bottom_is_not_looked_for():
    """Neal's funnel, whose density has no maximum: chains from U(-2, 2) stay where they start."""

    def funnel(u):
        squares, falls = np.dot(u[1:], u[1:]), np.exp(-u[0])
        lp = -(u[0] ** 2) / 18.0 - 0.5 * squares * falls - 0.5 * (len(u) - 1) * u[0]
        slope = -u[0] / 9.0 + 0.5 * squares * falls - 0.5 * (len(u) - 1)
        return lp, np.concatenate([[slope], -u[1:] * falls])

    for chain in range(20):
        stays, *_ = begun(funnel, 10, chain)
        started, *_ = begun(funnel, 10, chain, downhill=False)
        np.testing.assert_array_equal(stays.position, started.position)


def test_starts_without_slope_stay():
    for value in (0.0, -1e60):
        state, looked, _ = begun(lambda u: (value, 0.0 * u), 2, 0)
        assert (state.lp, looked) == (value, 1)
