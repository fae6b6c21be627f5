"""A kernel's text, compiled for the CPU, gives what the CPU target gives: bit for bit."""

import numpy as np
import pytest
from corpus import Case
from lane_programs import PROGRAMS, Lanes, lanes_of, of_case
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


@pytest.mark.turns(4)
@pytest.mark.sampled(216)
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


def halved(x, s, n):
    """Of several blocks, so that the reciprocals of what lanes share are beside it."""
    if n == 0:
        return x
    y = np.zeros_like(x)
    for i in range(4):
        y[i] = x[i] / s[i] / np.float32(3.0) + np.float32(1.0)
    return halved(y, s, n - 1) + halved(-x, s, n - 2 if n > 1 else 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_divisions_by_reciprocals(dtype: type) -> None:
    """They are of the program's precision, and rounded as divisions are."""
    starts = np.random.default_rng(0).normal(size=(9, 4)).astype(dtype)
    s = np.array([0.3, -7.0, 1.1, 19.0], dtype)
    made = given(lanes_of(halved, lambda: [(x, s, n) for n, x in enumerate(starts)], (1,)))
    text = by_numba(made).text
    assert f"s_inverse = cuda.shared.array(4, np.{np.dtype(dtype).name})" in text
    assert text.count("fast_quotient(") == 3
    np.testing.assert_array_equal(made.outputs[0], [halved(x, s, n) for n, x in enumerate(starts)])


def given_away(n):
    """An index whose name another number takes in the loop, one that nobody reads, and one that is read after that."""
    s = 0
    for i in range(4):
        j = i
        while j < n:
            j += 2
        s += j
    for _ in range(3):
        for _ in range(2):
            s += n
    for i in range(1, 9, 3):
        s = 2 * s + i
    return s


def test_loops_are_counted_where_the_index_keeps_its_name() -> None:
    made = given(lanes_of(given_away, lambda: [(n,) for n in range(9)]))
    text = by_numba(made).text
    assert [text.count(each) for each in ("in range(4)", "for _ in range", "while i < 9:", "i += 3")] == [
        1,
        2,
        1,
        1,
    ]
    np.testing.assert_array_equal(made.outputs[0], [given_away(n) for n in range(9)])
