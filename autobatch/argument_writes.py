"""What lanes leave in their arguments: batch(f)(X) changes X as f(X[i]) changes X[i], for every i.

A lane works on what it is given as values, and what it leaves in an argument is one more result, which goes back into
the caller's array when all lanes are done. A lane that failed leaves what was there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autobatch.arguments import lanes_first
from codegen.arguments.writes import Writes, argument_writes_of
from codegen.emit.argument_stores import take_stores
from codegen.gpu_arrays import is_on_gpu
from codegen.infer.main import Traced
from codegen.ir import Type


@dataclass(frozen=True, eq=False)
class Written:
    """`program`'s further results, by type, and the arguments' leaves they go to, of which `axes` are the lanes'."""

    writes: Writes
    types: tuple[Type, ...]
    axes: Sequence[int | None]

    def again(self, flat: Sequence[Any]) -> dict[int, int]:
        """Arrays given twice, as `Writes.twice`; ValueError where they are not one array lane by lane, TypeError where
        one that is written is on a GPU."""
        for k in self.writes.places:
            if is_on_gpu(flat[k]):
                raise TypeError(
                    f"{self.writes.label} writes into argument {self.writes.names[k]!r}, which is on a GPU: have it "
                    f"write into a copy, and return that"
                )
        self.writes.writable(flat)
        found = self.writes.twice(flat)
        for k, place in found.items():
            if self.axes[k] != self.axes[place]:
                names = self.writes.names
                raise ValueError(
                    f"{self.writes.label} writes into argument {names[place]!r} or {names[k]!r}, which are one array "
                    f"with lanes along other axes: give it a copy"
                )
        return found

    def apart(self, flat: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        """Results that show what lanes were given, as they are before `put`."""
        given = [flat[k] for k in self.writes.places]
        return [
            r.copy() if isinstance(r, np.ndarray) and any(np.may_share_memory(r, g) for g in given) else r
            for r in results
        ]

    def put(self, flat: Sequence[Any], left: Sequence[np.ndarray], failed: np.ndarray | None) -> None:
        """Store what lanes left; `failed`: non-zero for those that store nothing.

        What shows another argument, which is stored before it, is copied first.
        """
        places = self.writes.places
        own = [
            array.copy() if any(np.may_share_memory(array, flat[j]) for j in places[:n]) else array
            for n, array in enumerate(left)
        ]
        for k, array in zip(places, own, strict=True):
            axis = self.axes[k]
            assert axis is not None
            target = lanes_first(flat[k], axis)
            if failed is None:
                target[...] = array
            else:
                done = failed == 0
                target[done] = array[done]


def functional(traced: Traced, axes: Sequence[int | None]) -> tuple[Traced, Written | None]:
    """A traced function of one lane as one of values, and what goes back. TypeError where it writes what is shared."""
    made = argument_writes_of(traced)
    program, stores = take_stores(traced.program)
    places = tuple(stores)
    if made is None or not places:
        return traced, None
    for k in places:
        if axes[k] is None:
            raise TypeError(
                f"batch of {made.label}: it writes into argument {traced.names[k]!r}, which all lanes share "
                f"(in_axes=None): give each lane its own, or have it write into a copy"
            )
    results = program.entry.body.results
    types = tuple(r.type for r in results[len(results) - len(places) :])
    ordered = replace(made, places=places)
    stages = (*traced.stages[:-1], (traced.stages[-1][0], program))
    return replace(traced, program=program, stages=stages), Written(ordered, types, tuple(axes))
