"""Functions of numbers as a thread computes them, in every dtype: what the CPU target gives."""

import numpy as np
import pytest
from lanes_as_threads import SPELLED
from over_lanes import directory  # noqa: F401
from warp import gpu, with_gpu

from autobatch import Schedule, batch, cost_model
from autobatch.execute import launching


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SPELLED)
def test_numbers(name: str) -> None:
    function, columns = SPELLED[name]
    with with_gpu(gpu()):
        found = batch(function, target="cuda")(*columns)
    wanted = batch(function, schedule=Schedule("lanewise"))(*columns)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6 if other.dtype == "f4" else 1e-14)


def test_blocks_of_threads_are_of_one_size() -> None:
    """Arrays in a block's memory have a place for each thread that a launch has."""
    assert cost_model.THREADS == launching.THREADS
