"""What is held against plain Python where a GPU runs lanes, or a stand-in for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import Case
from lanes_as_threads import NUTS, UNSIZED, nuts_arguments
from over_lanes import arguments, same_as_loop

from autobatch import LaneError, batch, streams
from codegen import SourceError


def check_case(case: Case) -> None:
    """A program of the corpus: its lanes' results, streams, failures."""
    given, axes = arguments(case.lanes(), case.shared)
    many = batch(case.function, axes, target="cuda")
    if case.name in UNSIZED or case.name == "sizes_differ":
        with pytest.raises(SourceError):
            many(*given)
    elif case.raises:
        with pytest.raises(LaneError) as error:
            many(*given)
        assert error.value.lanes == tuple(range(len(case.examples)))
        assert {f.exception for f in error.value.failures} == {case.raises.__name__}
    else:
        same_as_loop(many, case.function, case.examples, case.shared, widens="widens" in case.marks)


def check_nuts(name: str, chains: int, draws: int) -> None:
    """NUTS: the CPU's leapfrogs and streams, its positions but for rounding."""
    made: list[Any] = []
    for target in ("cuda", "numba"):
        rngs = streams(1, chains)
        many = batch(NUTS[name], in_axes=(0, 0, None, None, None, None), target=target)
        made.append((*many(rngs, *nuts_arguments(chains, draws)), rngs.state))
    (u, leapfrogs, means, states), (u_cpu, leapfrogs_cpu, means_cpu, states_cpu) = made
    np.testing.assert_array_equal(leapfrogs, leapfrogs_cpu)
    np.testing.assert_array_equal(states, states_cpu)
    np.testing.assert_allclose(u, u_cpu, rtol=1e-6)
    np.testing.assert_allclose(means, means_cpu, rtol=1e-6)
