"""A kernel's text, compiled for the CPU, gives what the CPU target gives: bit for bit."""

import numpy as np
import pytest
from corpus import Case
from lane_programs import PROGRAMS, Lanes, of_case
from lanes_as_threads import UNSIZED, Given, given
from over_lanes import directory  # noqa: F401
from threads_by_numba import numba_module
from warp import Alone, arguments

from autobatch.kernel.cuda.module import KernelModule


def by_numba(made: Given) -> KernelModule:
    module = made.on_gpu.by_threads(Alone())
    defined = numba_module(module.text)
    failed = np.zeros(made.count, np.int64)
    rest = arguments(module, defined, failed, made.inputs, made.outputs)
    for lane in range(made.count):
        defined[module.run](lane, *rest)
    made.failed = failed
    return module


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", [c for c in PROGRAMS if c.name not in UNSIZED], ids=lambda case: case.name)
def test_bits(case: Case) -> None:
    lanes: Lanes = of_case(case)
    made, wanted = given(lanes), given(lanes)
    module = by_numba(made)
    failed = np.zeros(made.count + 2, np.int64)
    on_cpu = wanted.on_cpu.run(made.count, failed, wanted.inputs, wanted.outputs)
    for k in range(made.count):
        ours, theirs = made.failed[k], failed[k]
        assert (ours > 0) == (theirs > 0)
        if ours > 0:
            assert module.sites[ours - 1].message == on_cpu.sites[theirs - 1].message
            continue
        for one, other in zip(made.outputs, wanted.outputs, strict=True):
            np.testing.assert_array_equal(one[k], other[k])
    for one, other in zip(made.inputs, wanted.inputs, strict=True):
        np.testing.assert_array_equal(one, other)
