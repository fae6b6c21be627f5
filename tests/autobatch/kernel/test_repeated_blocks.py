"""Short blocks that lanes repeat: several times at once, in registers, until few have anything to do."""

import re
from typing import Any

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401
from processor import WIDE

from autobatch import Schedule, batch, profile
from control import gcd

RNG = np.random.default_rng(6)


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def orbit(x, n):
    """Several ways out, and what is done after them; what is returned shares places with what goes round."""
    k, y, before = 0, x, x + 1.0
    while k < n and abs(y - before) > 1e-3 and y < 4.0:
        k += 1
        before = y
        y = 0.5 * y * y - 1.0 + x
    if y >= 4.0:
        return -1.0, float(k), before
    if k < n:
        return y, before, float(k)
    return before if n > 0 else x, y, 0.0


def fled(x, n):
    """The same with flags."""
    k, y, settled = 0, x, False
    while k < n and not settled:
        k += 1
        before, y = y, 0.5 * y * y - 1.0 + x
        if y > 4.0:
            return -1.0
        settled = abs(y - before) < 1e-3
    return y if settled else float(k)


def countdown(n):
    """Next to nothing in each round."""
    while n > 0:
        n -= 3
    return n


def single(x):
    k = 0
    while x > np.float32(0.01) and k < 100:
        x = x * np.float32(0.75) - x * x * np.float32(0.125)
        k += 1
    return x, k


PROGRAMS: list[tuple[Any, tuple[np.ndarray, ...]]] = [
    (gcd, (RNG.integers(1, 999, 203), RNG.integers(1, 999, 203))),
    (collatz, (RNG.integers(-3, 5000, 203),)),
    (orbit, (RNG.uniform(-2.0, 2.0, 203), RNG.integers(0, 60, 203))),
    (fled, (RNG.uniform(-2.0, 2.0, 203), RNG.integers(0, 60, 203))),
    (countdown, (RNG.integers(-9, 400, 203),)),
    (single, (RNG.uniform(0.0, 1.5, 203).astype(np.float32),)),
]


TRIED = [(*program, group) for program in PROGRAMS for group in (1, 16, None)]


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("f", "given", "group"), TRIED, ids=lambda p: getattr(p, "__name__", None))
def test_as_one_by_one(f: Any, given: tuple[np.ndarray, ...], group: int | None) -> None:
    lanes = batch(f, schedule=Schedule(group=group))
    expected = [f(*lane) for lane in zip(*given, strict=True)]
    np.testing.assert_array_equal(np.transpose(lanes(*given)), np.array(expected))
    if WIDE or group:  # else LLVM may find that vectors of four do not pay
        assert bool(re.search(r"for _ in range\(4\):\n.*_before = ", lanes.source())) == (f is not fled)
        assert "side by side in vector registers" in lanes.explain()


@pytest.mark.turns(4)
def test_a_long_lane_among_short_ones() -> None:
    """Others come and go while it stays; at the end it is alone."""
    a, b = RNG.integers(1, 99, 500), RNG.integers(1, 99, 500)
    a[3], b[3], a[490], b[490] = 20_000, 1, 1, 12_345
    np.testing.assert_array_equal(batch(gcd)(a, b), np.gcd(a, b))


def test_side_by_side_where_it_is_the_program() -> None:
    """A loop of a few operations a round is worth it alone, not as a part of a longer program."""

    def roots(x, n):
        total, bits = 0.0, n
        while bits > 0:
            total += bits & 1
            bits = bits >> 1
        for k in range(n):
            total = total + np.exp(-x * x) * np.log1p(x * x + k) - np.sin(x + k) / (1.0 + x * x)
        return total

    lanes = batch(gcd)
    assert "side by side in vector registers" in lanes.explain(*PROGRAMS[0][1])
    mixed = batch(roots, schedule=Schedule(group=16))
    mixed(RNG.normal(size=50), RNG.integers(0, 9, 50))
    assert re.search(r"^    while bits", mixed.source(), re.MULTILINE)


def test_a_profile_counts_every_round() -> None:
    ns = RNG.integers(1, 3000, 300)
    found = profile(batch(collatz, schedule=Schedule(group=16)), ns)
    rounds = sum(block.lanes for block in found.blocks if "body" in block.name)
    assert rounds == sum(collatz(int(n)) for n in ns)
