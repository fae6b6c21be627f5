"""Lanes with stacks of their own: the emitted function, called again with larger ones when a lane needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch.execute.threads import First
from autobatch.host.module import NativeModule
from autobatch.kernel.module import LaneModule

FIRST_STACK = 1024  # numbers of each dtype, before stacks grow


def with_stacks(
    function: Callable[..., Any],
    module: LaneModule | NativeModule,
    first: First,
    last: int,
    arguments: tuple[Any, ...],
) -> None:
    if isinstance(module, NativeModule):
        function(first, last, *arguments)
        return
    if module.queued:
        first = np.array([first, last, 0, 0]) if isinstance(first, int) else first
        function(first, last, *arguments)
        return
    limit, failed, *rest = arguments
    size = FIRST_STACK
    while True:
        stacks = [np.empty(size, dtype) for _, dtype in module.stacks]
        first = function(first, last, limit, failed, *stacks, *rest)
        if first == last:
            return
        size *= 2
