"""Results that lanes only write are written where they go; others are copied there at the end."""

import numpy as np
from lane_programs import lanes_of
from lanes_as_threads import given
from over_lanes import directory  # noqa: F401
from warp import run_kernel

from autobatch import batch


def path(x, n):
    """A step is not read again."""
    steps = np.zeros(70)
    for i in range(n):
        x = 0.5 * x if x > 1.0 else 3.0 * x
        steps[i] = x
    return steps


def running(x, n):
    """The one before is."""
    sums = np.zeros(70)
    for i in range(1, n):
        sums[i] = sums[i - 1] + x
    return sums


def twice(x, n):
    """Two results of one array."""
    steps = np.zeros(70)
    for i in range(n):
        steps[i] = x * i
    return steps, steps


def moved(x, n):
    """An array that is another's content in the end."""
    one, other = np.zeros(70), np.ones(70)
    for i in range(n):
        other[i] = x
        if x > 1.0:
            one, other = other, one
    return one


def short(x, n):
    """An address would take more than it spares."""
    steps = np.zeros(3)
    for i in range(n):
        steps[i] = x
    return steps


def kernel(function) -> str:
    text = batch(function, target="cuda").source(np.ones(3), np.arange(3))
    return text[text.index("@cuda.jit") :].partition("\n\n\n")[0]


def test_what_is_only_written_has_no_place_of_a_lane_s() -> None:
    assert "cuda.local.array" not in kernel(path) and "out0[lane, i] = x" in kernel(path)
    for function in (running, twice, moved, short):
        assert "F = cuda.local.array(" in kernel(function)


def test_numbers() -> None:
    for function in (path, running, twice, moved):
        made = given(lanes_of(function, lambda: [(0.5, 4), (2.0, 0), (1.5, 70)]))
        module, failed, _ = run_kernel(made.on_gpu, made.count, made.inputs, made.outputs)
        made.agree(failed, module)
