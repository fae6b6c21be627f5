"""Lanes that are warps: their threads run one after the other between meetings, and touch nothing of each other's but
what was written before the last one (tests/warp.py); numbers are those of the CPU, draws to the last bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401
from parted_programs import PARTED
from random_parts import random_parts
from user_programs import loaded
from waiting_gpu import alike, with_products
from waiting_programs import STARTS, X, climbed, y
from warp import Launched
from warp_programs import OWN, drawn, in_place, searched

from autobatch import LaneError, Schedule, batch, streams
from autobatch.kernel import parts
from autobatch.kernel.cuda import module, warp_loops
from autobatch.prepare import passes


@contextmanager
def all_warps() -> Iterator[None]:
    """Lanes that wait are warps, and share loops, however short these are. What is made is kept by itself, since other
    tests have the same programs.
    """
    with (
        mock.patch.object(module, "WARP_ROUNDS", 2),
        mock.patch.object(warp_loops, "SHARED_ROUNDS", 2),
        mock.patch.dict(os.environ, AUTOBATCH_CACHE_DIR=os.environ["AUTOBATCH_CACHE_DIR"] + "/warps"),
    ):
        yield


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", OWN)
def test_loops_of_a_lane(name: str) -> None:
    f, more = OWN[name]
    arguments = (STARTS[:3].copy(), X, *more)
    axes = (0, *(None for _ in arguments[1:]))
    many = batch(f, axes, target="cuda")
    assert '"""A warp a lane' in many.source(*arguments)
    with with_products():
        alike(many(*arguments), batch(f, axes)(STARTS[:3].copy(), *arguments[1:]))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", PARTED)
def test_loops_in_parts(name: str) -> None:
    f, axes, arguments, _ = PARTED[name]
    with all_warps(), with_products():
        alike(batch(f, axes, target="cuda")(*arguments), batch(f, axes)(*arguments))


def test_a_lane_fails_alone() -> None:
    told = []
    for target in ("cuda", "numba"):
        with with_products(), pytest.raises(LaneError) as error:
            batch(searched, (0, None), target=target)(
                STARTS - np.array([[0.0], [9.0], [0.0], [9.0], [0.0]]), X
            )
        told.append(([(each.lane, each.message) for each in error.value.failures], error.value.results))
    (mine, found), (others, wanted) = told
    assert mine == others == [(1, "nothing"), (3, "nothing")]
    alike(tuple(x[::2] for x in found), tuple(x[::2] for x in wanted))


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("bytes_free", [10**9, 60_000])
def test_recursion_and_draws(bytes_free: int) -> None:
    rngs, expected, depth = streams(3, 4), streams(3, 4), np.array([1, 0, 2, 3])
    axes = (0, 0, None, 0)
    with with_products(bytes_free=bytes_free):
        found = batch(drawn, axes, target="cuda")(rngs, STARTS[:4].copy(), X, depth)
    by_one = batch(drawn, axes, schedule=Schedule("lanewise"))
    wanted = by_one(expected, STARTS[:4].copy(), X, depth)
    np.testing.assert_array_equal(rngs.state, expected.state)
    alike(found, wanted)


@pytest.mark.parametrize("name", ["in place", "backwards", "scattered", "of rows", "chosen"])
def test_a_meeting_that_is_missing_is_seen(name: str) -> None:
    f, more = OWN[name]
    arguments = (STARTS[:1].copy(), X, *more)
    axes = (0, *(None for _ in arguments[1:]))
    unmet = mock.patch.object(Launched, "met", False)
    with with_products(), unmet, pytest.raises(AssertionError, match="have not met"):
        batch(f, axes, target="cuda")(*arguments)


@pytest.mark.turns(4)
def test_random_loops() -> None:
    """Results, and who fails of what, where all that can be shared is, however short."""
    shared = 0
    with all_warps(), mock.patch.object(parts, "PARTED_OPERATIONS", 60):
        with mock.patch.object(passes, "WAITED_MULTIPLICATIONS", 4):
            for seed in range(40, 56):
                rng = np.random.default_rng(seed)
                n = int(rng.integers(4, 9))
                lanes = [rng.normal(size=(2, *shape)) for shape in ((3,), (n,), (n,), (n, n))]
                matrix, f = rng.normal(size=(n, 3)), loaded(random_parts(seed))
                given = (lanes[0], matrix, *lanes[1:])
                many = batch(f, (0, None, 0, 0, 0), target="cuda")
                shared += many.source(*given).count(" = thread\n")
                told = [lanes_of(many, given), lanes_of(batch(f, (0, None, 0, 0, 0)), given)]
                (found, failed), (wanted, others) = told
                assert failed == others
                for k in set(range(2)) - failed.keys():
                    alike(tuple(x[k] for x in found), tuple(x[k] for x in wanted))
    assert shared > 100


def lanes_of(many: Any, given: Any) -> tuple[Any, dict[int, str]]:
    """What lanes give, and of what some fail."""
    with with_products():
        try:
            return many(*(x.copy() for x in given)), {}
        except LaneError as error:
            return error.results, {each.lane: each.message for each in error.failures}


def test_text(golden) -> None:
    golden("warp_lane.py", kernel_of(batch(in_place, (0, None), target="cuda").source(STARTS, X)))


def kernel_of(text: str) -> str:
    return text[text.index("@cuda.jit") :].partition("\n\n\n")[0] + "\n"


def test_short_loops_are_a_thread_s() -> None:
    def few(q, X):
        return (X @ q)[3] + np.sum(q * q)

    text = batch(few, (0, None), target="cuda").source(np.ones((4, 20)), np.ones((1000, 20)))
    assert '"""One thread a lane' in kernel_of(text) and "syncwarp" not in text


@pytest.mark.turns(4)
def test_the_rounds_of_a_lane_are_counted() -> None:
    limited = batch(climbed, (0, None, None, 0), target="cuda", schedule=Schedule(round_limit=3))
    with with_products(), pytest.raises(LaneError) as error:
        limited(STARTS, X, y, np.array([0, 1, 5, 2, 3]))
    assert 2 in error.value.lanes and 0 not in error.value.lanes
