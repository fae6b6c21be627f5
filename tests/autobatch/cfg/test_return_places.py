"""Returns that the depth of the stack tells where to go."""

from typing import Any

import numpy as np
import pytest
from block_interpreter import run
from lane_programs import lanes_of

from autobatch.cfg.graph import BlockProgram, Return
from autobatch.cfg.lower import lower_to_blocks
from autobatch.cfg.spilling import assign_storage


def tree(n, x):
    """Two calls that come back: the address says to which."""
    if n == 0:
        return x
    return tree(n - 1, 2.0 * x) + 0.5 * tree(n - 1, x + 1.0)


def product(n, x):
    return 1.0 if n == 0 else x * product(n - 1, x + 0.5)


def two_products(n, x):
    """Called from two places while nothing is on the stack."""
    return product(n, x) - product(n + 1, 0.5 * x)


def nothing_kept(n):
    """A frame would be empty but for the address."""
    return 0.5 if n == 0 else 0.5 * nothing_kept(n - 1)


def over(n, x):
    return x if n == 0 else x - under(n - 1, 0.5 * x)


def under(n, x):
    return x if n == 0 else x * over(n - 1, 1.5 * x)


def within(n, x):
    """A function that is called while another's frames are on the stack, and calls itself."""
    return x if n == 0 else within(n - 1, x + product(n, x)) * x


def blocks(f: Any, lanes: list[Any]) -> BlockProgram:
    return lower_to_blocks(lanes_of(f, lambda: lanes).program, keep="none")


LANES: list[tuple[Any, ...]] = [(0, 1.0), (1, 0.5), (4, 0.75), (6, 0.3)]


@pytest.mark.parametrize(
    "f, told",
    [(tree, 0), (product, 2), (two_products, 0), (nothing_kept, 0), (over, 2), (within, 2)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_depth_tells(f: Any, told: int) -> None:
    """How many Returns ask the depth of the stack; what lanes give is the same."""
    lanes = [lane[:1] for lane in LANES] if f is nothing_kept else LANES
    made = blocks(f, lanes)
    where = assign_storage(made, counts_depth=True)
    assert len(where.by_depth) == told
    assert all(isinstance(made.blocks[k].terminator, Return) for k in where.by_depth)
    found = run(made, lanes, counts_depth=True)
    assert not found.failures
    np.testing.assert_array_equal([r for (r,) in found.results], [f(*lane) for lane in lanes])
    assert found.results == run(made, lanes).results
