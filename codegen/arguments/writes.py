"""Calls of code that writes into its arguments: the caller's arrays are what it was given.

    run(f, flat, given)     f(*given), where given[k] is flat[k] as compiled code takes it

An array that compiled code takes as a copy (one that is not contiguous, or in another order of bytes) is written back.
Compiled code takes arrays to be apart. One that is given twice has a program of its own (`twice`); of others that
overlap, none may be written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen import gpu
from codegen.arguments.lists import Lent
from codegen.emit.argument_stores import stored
from codegen.gpu_arrays import is_on_gpu
from codegen.infer.main import Traced
from codegen.runtime import put_state

WORK = 10_000  # of looking whether two arrays between whose bounds both lie have an element in common


@dataclass(frozen=True, eq=False)
class Writes:
    """`label`: the function; `names`: its program's parameters; `arrays`: those that are arrays; `places`: those that
    it writes into; `own`: the results that are an argument's array, and which; `single`: whether there is one."""

    label: str
    names: tuple[str, ...]
    arrays: tuple[int, ...]
    places: tuple[int, ...]
    own: tuple[tuple[int, int], ...]
    single: bool

    def writable(self, flat: Sequence[Any]) -> None:
        """ValueError where an array that is written is read-only."""
        for k in self.places:
            if not is_on_gpu(flat[k]) and not flat[k].flags.writeable:
                error = ValueError("assignment destination is read-only")
                error.add_note(f"argument {self.names[k]!r} of {self.label}, which writes into it")
                raise error

    def run(self, f: Callable[..., Any], flat: Sequence[Any], given: list[Any]) -> Any:
        """What `f` returns for `given`, which are the leaves `flat` as it takes them. ValueError for what may not be
        written."""
        self.writable(flat)
        copies = [k for k in self.places if given[k] is not flat[k]]
        try:
            results = f(*given)
        finally:
            for k in copies:
                flat[k][...] = given[k]
        return self.with_own(results, flat) if self.own else results

    def with_own(self, results: Any, flat: Sequence[Any]) -> Any:
        """Results of which some are the caller's arrays."""
        if self.single:
            return flat[self.own[0][1]]
        listed = list(results)
        for result, k in self.own:
            listed[result] = flat[k]
        return tuple(listed)

    def twice(self, flat: Sequence[Any]) -> dict[int, int]:
        """The arrays that are given again: place -> first place. ValueError where one that is written overlaps another
        otherwise."""
        if len(self.arrays) < 2 or not self.places:
            return {}
        flat = [gpu.addressed(leaf) for leaf in flat]
        if self.apart(flat):
            return {}
        found: dict[int, int] = {}
        for k in self.places:
            for other in self.arrays:
                if other == k or not np.may_share_memory(flat[k], flat[other]):
                    continue
                if same_view(flat[k], flat[other]):
                    first, again = sorted((k, other))
                    found[again] = min(first, found.get(again, first))
                elif overlap(flat[k], flat[other]):
                    raise ValueError(
                        f"{self.label} writes into argument {self.names[k]!r}, which shares memory with argument "
                        f"{self.names[other]!r}: give it a copy of one of them"
                    )
        return found

    def apart(self, flat: Sequence[Any]) -> bool:
        """Whether no two arrays are parts of one, as far as can be seen at a glance."""
        owners = set()
        for k in self.arrays:
            base = flat[k].base
            if base is not None and type(base) is not np.ndarray:
                return False
            owners.add(id(flat[k] if base is None else base))
        return len(owners) == len(self.arrays)


def require_order(
    traced: Traced, flat: Sequence[Any], label: str, axes: Sequence[int | None] | None = None
) -> None:
    """ValueError where a view is written that NumPy makes only of arrays that lie row after row, and this does not.
    `axes`: those along which there are lanes."""
    for k in traced.ordered:
        array, axis = flat[k], axes[k] if axes is not None else None
        if isinstance(array, np.ndarray) and array.size:
            one = array if axis is None else np.moveaxis(array, axis, 0)[0]
            if not one.flags.c_contiguous:
                raise ValueError(
                    f"argument {traced.names[k]!r} of {label} does not lie row after row in memory, so that its "
                    f"other shapes, which are written, are no views of it: give np.ascontiguousarray of it"
                )


def same_view(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays are the same elements in the same order."""
    if x is y:
        return True
    alike = x.shape == y.shape and x.strides == y.strides and x.dtype == y.dtype
    return alike and x.ctypes.data == y.ctypes.data


def overlap(x: np.ndarray, y: np.ndarray) -> bool:
    try:
        return np.shares_memory(x, y, max_work=WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def argument_writes_of(traced: Traced) -> Writes | None:
    """What a program does to its arguments; None where it neither writes into one nor gives one back."""
    places = tuple(sorted(stored(traced.program)))
    own = tuple((k, home.own) for k, home in enumerate(traced.homes) if home.own is not None)
    if not places and not own:
        return None
    entry = traced.program.entry
    given = entry.params[: len(entry.params) - len(traced.hidden)]
    arrays = tuple(k for k, param in enumerate(given) if param.type.rank)
    single = len(entry.body.results) == 1
    return Writes(entry.name, traced.names, arrays, places, own, single)


def assigned_number(label: str, name: str) -> TypeError:
    return TypeError(
        f"argument {name!r} of {label} is an array without axes, which it would change in place: "
        f"give it an axis, or give the number"
    )


def give_back(writes: Writes | None, flat: Sequence[Any], given: Sequence[Any], lent: Lent | None) -> None:
    """The places of streams after a call, and what it has written into lists, to the caller's own."""
    for leaf, row in zip(flat, given, strict=False):
        if isinstance(leaf, np.random.Generator) and row is not leaf:
            put_state(leaf, row)
    if lent is not None and lent.lists and writes is not None:
        lent.write_back([flat[k] for k in writes.places])
