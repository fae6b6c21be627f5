"""Lanes in turn, ranges of them over threads: Turns : lanes' arguments -> rows of results, what lanes raised.

A range is a call of a loop over its lanes, which writes each one's results into rows and notes that it is done. Where a
lane raises, the loop is called again for the lanes after it: no lane runs twice, and no result is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autobatch.execute.threads import over_threads, shrinking_ranges
from codegen.ir import Type
from codegen.lazy import lazily

numba_errors = lazily("numba.core.errors")


@dataclass(eq=False)
class Turns:
    """`fill`: the loop (`rows_filled`), compiled; `over`: which arguments lanes have; `types`: of a lane's results."""

    fill: Callable[..., Any]
    over: tuple[bool, ...]
    types: tuple[Type, ...]
    workers: int
    compiled: bool = field(default=False, init=False)

    def __call__(self, inputs: Sequence[Any], count: int) -> tuple[list[Any], dict[int, Exception]]:
        """A row a lane of each result (None for streams, which advance in place), and by lane what was raised."""
        shapes: list[tuple[Any, str]] = [(t.shape, t.dtype) for t in self.types]
        rows = [None if dtype == "rng" else np.empty((count, *shape), dtype) for shape, dtype in shapes]
        filled = [array for array in rows if array is not None]
        done = np.zeros(count, np.bool_)
        errors: dict[int, Exception] = {}

        def run(first: int, last: int) -> None:
            while True:
                own = [x[first:last] if flag else x for x, flag in zip(inputs, self.over, strict=True)]
                try:
                    self.fill(*own, *(array[first:last] for array in filled), done[first:last])
                    return
                except numba_errors.NumbaError:
                    raise
                except Exception as error:
                    failed = first + int(np.argmin(done[first:last]))
                    errors[failed] = error.with_traceback(None)
                    first = failed + 1
                    if first >= last:
                        return

        if self.workers > 1 and not self.compiled:
            run(0, 0)  # compiled once, before the threads
            self.compiled = True
        over_threads(run, self.workers, shrinking_ranges(count, self.workers, 1), light=True)
        return rows, errors
