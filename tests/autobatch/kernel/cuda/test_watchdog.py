"""Lanes that do not end are ended by a limit on their rounds, each by itself."""

from typing import Any

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401
from warp import gpu, with_gpu

from autobatch import LaneError, Schedule, batch, streams

LIMIT = 50


def halved(x):
    """One block."""
    while x > 1.0:
        x = x / 2.0
    return x


def waited(rng, x):
    """Blocks that a warp votes at."""
    n = 0
    while x > 1.0:
        x = x / (1.0 + rng.random())
        for k in range(30):
            x = x + np.sin(1.0 / x) * np.cos(k / x) * 1e-9
        n += 1
    return n


def recurring(n):
    return 0 if n == 0 else recurring(n - 1) + 1


def counted(n):
    """A loop that is long."""
    total = 0.0
    for k in range(n):
        total += np.sin(k)
    return total


def squares(n):
    """Recursion in a loop."""
    total = 0
    while total < n:
        total += recurring(3) + n * 0
    return total


CASES: list[tuple[Any, tuple[Any, ...], tuple[int, ...], str]] = [
    (halved, (np.array([8.0, np.inf, 2.0]),), (1,), "while x > 1.0:"),
    (waited, (streams(1, 3), np.array([8.0, np.inf, 2.0])), (1,), ""),
    (recurring, (np.array([3, 9, 10**9]),), (2,), ""),
    (counted, (np.array([3, 10**12, 7]),), (1,), "for k in range(n):"),
    (squares, (np.array([3, 9, 10**9]),), (2,), ""),
]


@pytest.mark.parametrize(("function", "given", "endless", "line"), CASES, ids=[c[0].__name__ for c in CASES])
@pytest.mark.parametrize("form", ["auto", "lanewise"])
def test_a_lane_that_does_not_end(function: Any, given: Any, endless: Any, line: str, form: Any) -> None:
    schedule = Schedule(form, round_limit=LIMIT)
    with with_gpu(gpu()), pytest.raises(LaneError) as error:
        batch(function, schedule=schedule, target="cuda")(*(a.copy() for a in given))
    assert error.value.lanes == endless
    (failure,) = error.value.failures
    said = "more than 50 rounds of its loops, which is the round_limit of its schedule"
    assert (failure.exception, failure.message) == ("RuntimeError", said)
    assert failure.span is not None and line in failure.span.text
    ended = [k for k in range(3) if k not in endless]
    arguments = [a[ended] for a in given]
    np.testing.assert_allclose(error.value.results[ended], batch(function)(*arguments))


def test_the_text_counts_only_where_it_is_asked_to() -> None:
    text = batch(halved, schedule=Schedule(round_limit=LIMIT), target="cuda").source(np.ones(3))
    loop = text[text.index("    rounds = 0") : text.index("    out0[lane] = x")]
    assert (
        loop
        == """\
    rounds = 0
    while x > 1.0:
        rounds += 1
        if rounds > 50:
            failed[lane] = 1
            return
        x /= 2.0
"""
    )
    assert "rounds" not in batch(halved, target="cuda").source(np.ones(3))


@pytest.mark.parametrize("form", ["auto", "local_static"])
def test_on_the_cpu_there_is_ctrl_c(form: Any) -> None:
    with pytest.raises(
        ValueError, match="^round_limit= of a schedule is for target='cuda': on the CPU Ctrl-C ends"
    ):
        batch(halved, schedule=Schedule(form, round_limit=9))(np.ones(3))
