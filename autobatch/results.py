"""Results over lanes, and what one lane was given and gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autobatch.arguments import per_item
from autobatch.device_arrays import copy_of, on_host
from autobatch.execute.replay import Arguments
from autobatch.streams import Streams
from codegen.infer.calls.transformed import Lifted
from codegen.infer.optional import may_be_none
from codegen.infer.tables.results import LENGTH_UNKNOWN
from codegen.infer.trace import Traced
from codegen.infer.values import Nest, Static, leaves
from codegen.ir import Type
from codegen.pytree import unflatten
from codegen.source import SourceError, UnknownSizeError, refuse
from codegen.transformed import Transformed

IN_ONE_ARRAY = "and the results of lanes are stored in one array"
INSTEAD = {
    "list": "return an array with room for the longest, and how much of it counts, "
    "`made = np.zeros(100); made[:len(xs)] = xs; return made, len(xs)`",
    "list of lists": "return an array with a row for each list, and how long they are",
    "dict": "return an array with a place for each key there may be, "
    "`made = np.zeros(100)`, `for k in d: made[k] = d[k]`",
    "set": "return an array with a place for each element there may be, `made = np.zeros(100, bool)`, "
    "`for k in sorted(s): made[k] = True`",
}


def states_of(flat: list[Any]) -> dict[int, np.ndarray]:
    """Where the lanes' generators are before they run: they advance in place."""
    if Streams not in map(type, flat):
        return {}
    return {k: copy_of(leaf.state) for k, leaf in enumerate(flat) if isinstance(leaf, Streams)}


def lane_inputs(
    flat: list[Any], axes: Sequence[Any], traced: Traced, states: dict[int, np.ndarray]
) -> Arguments:
    """What each lane was given."""
    before = dict(zip(states, map(Streams, on_host(list(states.values()))), strict=True))

    def of(lane: int) -> list[Any]:
        own = [
            before[k][lane] if k in before else leaf if axis is None else np.take(leaf, lane, axis)
            for k, (leaf, axis) in enumerate(zip(flat, axes, strict=True))
        ]
        return [*own, *traced.around]

    return of


def as_returned(out: Any, results: Sequence[Any], count: int) -> Any:
    """The results of lanes in their structure."""
    return results[0] if isinstance(out, Type) else unflatten(repeat_constants(out, count), iter(results))


def repeat_constants(entry: Any, count: int) -> Any:
    """The structure of the results over lanes: a number that is the same for every lane becomes an array."""
    match entry:
        case Nest(_, items):
            return entry.with_items(tuple(repeat_constants(item, count) for item in items))
        case Static(value) if isinstance(value, bool | int | float | np.generic):
            return Static(np.full(count, value))
    return entry


def captured(function: Any) -> int:
    """How many values that a nested function reads go after its arguments: every lane has the same."""
    while isinstance(function, Transformed):
        function = function.__wrapped__
    return len(function.captured) if isinstance(function, Lifted) else 0


def lane_signature(entry: Any, axis: Any, over: list[bool]) -> Any:
    """One lane's entry of a signature over lanes; notes for each leaf whether it has them."""
    if isinstance(entry, Nest):
        inner = per_item(axis, entry.items, entry.keys, "an argument")
        return entry.with_items(
            tuple(lane_signature(item, a, over) for item, a in zip(entry.items, inner, strict=True))
        )
    if not isinstance(entry, Type):
        return entry
    over.append(axis is not None)
    if axis is None:
        return entry
    if axis != 0 or not entry.rank:
        raise ValueError(
            f"inside a transformation in_axes is 0 or None, for arrays; it is {axis} for {entry}"
        )
    return Type(entry.dtype, entry.shape[1:])


def in_one_array(make: Callable[[], Traced]) -> Traced:
    """The program of a lane; SourceError where its result may be None, or is no array and as long as the lane finds
    out."""
    try:
        traced = make()
    except SourceError as error:
        if not error.wants_lengths:
            raise
        said, _ = LENGTH_UNKNOWN[error.wants_lengths]
        instead = INSTEAD[error.wants_lengths]
        raise error.told_at(error.problems[0][0], f"{said}, {IN_ONE_ARRAY}: {instead}") from None
    if may_be_none(traced.out):
        raise refuse(
            traced.returning or traced.program.entry.span,
            "what is returned may be None, but the results of lanes are stored in arrays: "
            "return a number that says so (NaN, -1), or a bool beside it",
        )
    return traced


def check_result_sizes(traced: Traced) -> None:
    """SourceError where the size of a lane's result is not known beforehand."""
    for entry in leaves(traced.out):
        if isinstance(entry, Type) and not all(isinstance(n, int) for n in entry.shape):
            raise UnknownSizeError.at(
                traced.returning or traced.program.entry.span,
                f"the size of a result is not known before the program runs: {entry}, {IN_ONE_ARRAY}: "
                f"{INSTEAD['list']}",
            )
