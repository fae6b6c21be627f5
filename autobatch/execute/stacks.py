"""The stacks of lanes that recur, which grow when one of them needs it: with_stacks : emitted function, ... -> None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch.cost_model import FIRST_STACK
from autobatch.execute.threads import First
from autobatch.kernel.module import LaneModule


def with_stacks(
    function: Callable[..., Any], module: LaneModule, first: First, last: int, arguments: tuple[Any, ...]
) -> None:
    """The emitted function, called again with larger stacks when a lane needs them."""
    size = FIRST_STACK
    while True:
        first = function(*first_arguments(module, first, last, arguments, size))
        if not module.stacks or first == last:
            return
        size *= 2


def first_arguments(
    module: LaneModule, first: First, last: int, arguments: tuple[Any, ...], size: int = FIRST_STACK
) -> tuple[Any, ...]:
    """What the emitted function is given, with stacks of this size."""
    if module.queued and isinstance(first, int):
        first = np.array([first, last, 0, 0])
    limit, failed, *rest = arguments
    return first, last, limit, failed, *(np.empty(size, dtype) for _, dtype in module.stacks), *rest
