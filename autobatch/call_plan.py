"""What a call of a batched function is: CallPlan; what its lanes read and write: buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autobatch.argument_writes import Written
from autobatch.arguments import Described, lane_argument
from autobatch.execute.executor import Machine
from autobatch.execute.turns import Turns
from autobatch.lanes.local_static import LaneProgram
from codegen.infer.dependencies import Around
from codegen.infer.trace import Traced
from codegen.ir import Program, Type


@dataclass(frozen=True, eq=False)
class Structured:
    """A batched program over arrays whose first axis is lanes; `run`, compiled, takes and gives such arrays.

    Lanes in turn are shared among threads: `run` is a loop that calls of it have parts of. `passed`: what is shown.
    """

    traced: Traced
    lanes: LaneProgram
    run: Callable[..., Any] | Turns
    passed: Callable[[], dict[str, Program]]
    results: int  # before what lanes leave in their arguments


@dataclass(frozen=True, eq=False)
class CallPlan:
    """What a call's arguments are (`plain`: none is nested), what runs it, the leaves of one lane's results, what was
    taken from around the function, and what lanes leave in their arguments."""

    given: Described
    machine: Machine | Structured
    results: tuple[Type, ...]
    plain: bool
    around: Around
    written: Written | None


def types_left(call: CallPlan) -> tuple[Type, ...]:
    """Of what a lane gives, and leaves in its arguments."""
    return call.results + (call.written.types if call.written else ())


def buffers(
    machine: Machine, flat: list[Any], call: CallPlan, places: Sequence[Any] = ()
) -> tuple[np.ndarray, list[Any], list[Any]]:
    """What lanes read and write: where they note failures (and whether threads are to stop), inputs, outputs.

    `places`: arrays for the first results, or None, with the first rows alone of what a lane returns, which are all
    that it writes. Where a machine cannot do with that, there is room for all.
    """
    count = call.given.count
    inputs = [lane_argument(leaf, axis) for leaf, axis in zip(flat, call.given.axes, strict=True)]
    shapes = [(row_shape(t, count), t.dtype) for t in types_left(call)]
    own = len(call.results)
    places = [place if machine.can_shorten(k) else None for k, place in enumerate(places)]
    places += [None] * (own - len(places))
    wanted = [shape for shape, place in zip(shapes, places) if place is None]
    made = iter(machine.room(wanted, on_gpu=bool(call.given.on_gpu)))
    outputs = [next(made) if place is None else in_rows(place) for place in places]
    return machine.codes(count), [*inputs, *machine.traced.around], outputs + machine.room(shapes[own:])


def in_rows(array: Any) -> Any:
    """An array of lanes, what each has in a row."""
    return array.reshape(len(array), prod(array.shape[1:])) if array.ndim > 1 else array


def in_shape(outputs: Sequence[Any], types: Sequence[Type], count: int) -> list[Any]:
    """Results of lanes as the arrays that these give, or the first rows of them."""
    made = []
    for out, type_ in zip(outputs, types, strict=True):
        if type_.rank:
            rows, *rest = (n for n in type_.shape if isinstance(n, int))
            out = out.reshape(count, out.shape[1] // prod(rest) if out.size else rows, *rest)
        made.append(out)
    return made


def row_shape(type_: Type, count: int) -> tuple[int, ...]:
    """Of a result of so many lanes, what each has in a row; its size is known."""
    return (count, prod(n for n in type_.shape if isinstance(n, int))) if type_.rank else (count,)
