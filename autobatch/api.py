"""`batch`: a function of one example as a function of many, each lane at its own place in the program.

many = batch(collatz)
many(np.arange(1, 1000))          one result a lane
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from autobatch.batched import Batch
from autobatch.schedule import Schedule


@overload
def batch(
    f: Callable[..., Any], in_axes: Any = 0, *, schedule: Schedule | str = "auto", target: str = "numba"
) -> Batch: ...
@overload
def batch(
    f: None = None, in_axes: Any = 0, *, schedule: Schedule | str = "auto", target: str = "numba"
) -> Callable[[Callable[..., Any]], Batch]: ...
def batch(
    f: Any = None, in_axes: Any = 0, *, schedule: Schedule | str = "auto", target: str = "numba"
) -> Any:
    """`f`, written for one example, over a leading axis of lanes.

    in_axes   0 where an argument has a lane axis, None where it is shared; nested like the arguments
    schedule  "auto" or a `Schedule`: how lanes are run, never what they compute
    target    "numba", "numpy" or "cuda" (docs/cuda.md)

    Results have the lane axis first. Lanes are independent: each takes its own way through branches, loops and
    recursion, and one that raises fails alone. A random generator of the function's is given as
    `streams(seed, n)`, which advances.

    LaneError names the lanes that failed; ValueError for axes that do not fit; SourceError, at the function's own
    line, for what is not supported.

    >>> def halvings(x):
    ...     n = 0
    ...     while x > 1.0:
    ...         x, n = x / 2.0, n + 1
    ...     return n
    >>> batch(halvings)(np.array([1.0, 10.0, 1000.0])).tolist()
    [0, 4, 10]
    """
    if f is None:
        return functools.partial(batch, in_axes=in_axes, schedule=schedule, target=target)
    chosen = schedule if isinstance(schedule, Schedule) else Schedule(schedule)  # type: ignore[arg-type]
    return Batch(f, in_axes=in_axes, schedule=chosen, target=target)


batch.__transformation__ = True  # type: ignore[attr-defined]
