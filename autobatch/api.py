"""`batch`: a function of one example as a function of many, each lane at its own place in the program.

many = batch(collatz)
many(np.arange(1, 1000))          one result a lane
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from autobatch.compiled import Machine
from autobatch.errors import Failure, LaneError
from autobatch.local_static import LaneProgram, local_static
from autobatch.machine.numba_lanes import LaneModule
from autobatch.program_counter import program_counter
from autobatch.schedule import Schedule
from autobatch.storage import listing
from autobatch.streams import Streams
from codegen.api import Transformed
from codegen.check import check
from codegen.infer.trace import Signature, Traced, trace
from codegen.infer.values import Nest, Static
from codegen.ir import Program, Type
from codegen.load import load
from codegen.names import function_names
from codegen.pipeline import stages
from codegen.runtime import state_of
from codegen.show import show
from codegen.simplify import simplify
from codegen.structure import describe, flatten, key, known_size, leaves, parts, strong, unflatten

MANY = 1 << 20  # lanes, where their number is not known


@dataclass(frozen=True, eq=False)
class Structured:
    """A batched program over arrays whose first axis is lanes, compiled; `run` takes and gives such arrays."""

    traced: Traced
    lanes: LaneProgram
    text: str
    run: Callable[..., Any]
    stages: dict[str, Program]


class Batch(Transformed):
    """What `batch` returns."""

    def __init__(self, function: Any, *, in_axes: Any, schedule: Schedule, target: str):
        super().__init__(function, target=target)
        self.in_axes = in_axes
        self.schedule = schedule
        self.machines: dict[Any, Machine | Structured] = {}
        self.latest: Machine | Structured | None = None
        self.ran: LaneModule | None = None  # of `latest`

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        axes, count, entries, values = self.described(args, kwargs)
        machine = self.machine(entries, axes, len(args), tuple(kwargs))
        flat = [leaf for value, entry in zip(values, entries, strict=True) for leaf in flatten(value, entry)]
        if isinstance(machine, Structured):
            return self.at_once(machine, flat, axes, count)
        return self.over_lanes(machine, flat, axes, count)

    # what a call is given

    def described(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, int, Any, list[Any]]:
        """Axes and types leaf by leaf, the number of lanes, and the values in order."""
        values = [*args, *kwargs.values()]
        axes = self.axes(len(args), len(kwargs))
        flat_axes: list[int | None] = []
        entries = []
        sizes: list[tuple[int, str]] = []
        for k, (value, axis) in enumerate(zip(values, axes, strict=True)):
            name = f"argument {k}" if k < len(args) else f"argument {list(kwargs)[k - len(args)]!r}"
            entries.append(lane_entry(value, axis, name, flat_axes, sizes))
        counts = {n for n, _ in sizes}
        if not counts:
            raise ValueError("batch needs at least one argument with a lane axis (in_axes=0)")
        if len(counts) > 1:
            listed = ", ".join(f"{n} in {name}" for n, name in sizes)
            raise ValueError(f"the arguments differ in their number of lanes: {listed}")
        return flat_axes, counts.pop(), strong(tuple(entries)), values

    def axes(self, places: int, named: int) -> list[Any]:
        """One entry of in_axes per argument; keywords take 0, as in JAX."""
        given = self.in_axes
        if not isinstance(given, tuple | list):
            return [given] * places + [0] * named
        if len(given) != places:
            raise ValueError(f"in_axes has {len(given)} entries for {places} arguments")
        return [*given, *[0] * named]

    # the program

    def machine(
        self, entries: Signature, axes: list[int | None], places: int, names: tuple[str, ...]
    ) -> Machine | Structured:
        wanted = (names, tuple(map(key, entries)), tuple(axes))
        if wanted not in self.machines:
            signature, keywords = entries[:places], dict(zip(names, entries[places:], strict=True))
            self.alive.extend(leaf.value for e in entries for leaf in leaves(e) if isinstance(leaf, Static))
            self.machines[wanted] = self.build(signature, keywords, axes)
        if self.latest is not self.machines[wanted]:
            self.latest, self.ran = self.machines[wanted], None
        return self.machines[wanted]

    def build(
        self, signature: Signature, keywords: dict[str, Any], axes: list[int | None]
    ) -> Machine | Structured:
        traced = trace(self.__wrapped__, signature, keywords, known_sizes=True)
        shared = tuple(axis is None for axis in axes) + (True,) * len(traced.hidden)
        if self.target == "numpy" or self.schedule.form == "local_static":
            return self.structured(traced, tuple(not s for s in shared))
        machine = Machine(traced, shared, self.schedule)
        assert machine.lanewise  # what cannot be compiled is refused before any lane runs
        return machine

    def structured(self, traced: Traced, over: tuple[bool, ...]) -> Structured:
        """Lanes as the leading axis of every array of one program."""
        one = simplify(traced.program)
        if self.schedule.form == "local_static":
            made = local_static(one, over)
        else:
            made = program_counter(one, over, stack_limit=self.schedule.stack_limit)
        passed = stages(self.target, (*traced.stages, ("lanes", check(made.program, after="lanes"))))
        program = list(passed.values())[-1]
        text = show(program, target=self.target)
        run = getattr(load(text, program.main), function_names(program)[program.main])
        return Structured(traced, made, text, run, passed)

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        """The program over lanes, for a call inside another function or under another transformation.

        Lanes are the leading axis of the arguments' types where in_axes has 0.
        """
        entries = (*signature, *keywords.values())
        one: list[Any] = []
        over: list[bool] = []
        for entry, axis in zip(entries, self.axes(len(signature), len(keywords)), strict=True):
            one.append(one_lane(entry, axis, over))
        places = len(signature)
        given = dict(zip(keywords, one[places:], strict=True))
        traced = trace(self.__wrapped__, tuple(one[:places]), given, known_sizes=known_sizes)
        made = local_static(simplify(traced.program), (*over, *(False for _ in traced.hidden)))
        if made.failings:
            listed = ", ".join(sorted({f.exception for f in made.failings}))
            raise TypeError(
                f"a batched function whose lanes can fail ({listed}) cannot be transformed further"
            )
        out = lanes_out(traced.out, iter(made.program.entry.body.results))
        return Traced(made.program, entries, out, traced.hidden, (*traced.stages, ("lanes", made.program)))

    # running

    def over_lanes(self, machine: Machine, flat: list[Any], axes: list[int | None], count: int) -> Any:
        inputs = [argument(leaf, axis) for leaf, axis in zip(flat, axes, strict=True)]
        inputs += list(machine.traced.hidden)
        types = [t for t in leaves(machine.traced.out) if isinstance(t, Type)]
        outputs = [np.empty((count, prod(t.shape)) if t.rank else count, t.dtype) for t in types]  # type: ignore[arg-type]
        failed = np.zeros(count, np.int64)
        module = machine.run(count, failed, inputs, outputs)
        self.ran = module
        shaped = [o.reshape(count, *t.shape) for o, t in zip(outputs, types, strict=True)]
        results = unflatten(spread(machine.traced.out, count), iter(shaped))
        if module.sites and failed.any():
            raise LaneError(failures(module.sites, failed), count, results)
        return results

    def at_once(self, made: Structured, flat: list[Any], axes: list[int | None], count: int) -> Any:
        """All lanes in one call of a program over arrays."""
        inputs = [leading(leaf, axis, self.target) for leaf, axis in zip(flat, axes, strict=True)]
        inputs += list(made.traced.hidden)
        try:
            with np.errstate(all="ignore"):
                found = made.run(*inputs)
        except NumbaError as error:
            raise TypeError(
                f"Numba does not compile {self.__name__} in form 'local_static' (it may be its recursion): "
                f"use form='program_counter' or target='numpy'"
            ) from error
        for leaf, given in zip(flat, inputs, strict=False):
            if isinstance(leaf, Streams) and self.target == "numpy":
                for row, generator in zip(leaf.state, given, strict=True):
                    row[:] = state_of(generator)
        listed = found if isinstance(found, tuple) else (found,)
        types = [t for t in leaves(made.traced.out) if isinstance(t, Type)]
        results = unflatten(spread(made.traced.out, count), iter(listed[: len(types)]))
        failed = listed[-1] if made.lanes.failings else np.zeros(count, np.int64)
        if np.any(failed):
            sites = made.lanes.failings
            raise LaneError(failures(sites, np.asarray(failed)), count, results)
        return results

    # looking inside

    def source(self, *args: Any, **kwargs: Any) -> str:
        made = self.seen(args, kwargs)
        if isinstance(made, Structured):
            return made.text
        return made.host.text if made.has_host else self.shown(made).text

    def stages(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        made = self.seen(args, kwargs)
        if isinstance(made, Structured):
            return {name: show(program) for name, program in made.stages.items()}
        passed = {name: show(program) for name, program in made.traced.stages}
        return {
            **passed,
            "prepare": show(made.prepared),
            "blocks": listing(made.program),
            "machine": self.shown(made).text,
        }

    def explain(self, *args: Any, **kwargs: Any) -> str:
        made = self.seen(args, kwargs)
        if isinstance(made, Structured):
            count = len(made.lanes.program.functions)
            return f"{self.__name__}: one program over the lanes' axis, {count} function(s)\n"
        return f"{self.__name__}: {made.explained(self.shown(made))}"

    def shown(self, made: Machine) -> LaneModule:
        """The machine that ran last, or that many lanes would be run by."""
        return self.ran if self.ran is not None and made is self.latest else made.module_for(MANY)

    def seen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Machine | Structured:
        if not args and not kwargs:
            if self.latest is None:
                raise TypeError("give arguments, or call the function first: its types are not known yet")
            return self.latest
        axes, _, entries, _ = self.described(args, kwargs)
        return self.machine(entries, axes, len(args), tuple(kwargs))


def lane_entry(value: Any, axis: Any, name: str, axes: list[int | None], sizes: list[tuple[int, str]]) -> Any:
    """One lane's entry of a signature; notes each leaf's axis and its number of lanes."""
    if isinstance(value, Streams):
        if axis is None:
            raise ValueError(f"{name}: streams have a lane axis; in_axes is 0 for them")
        axes.append(0)
        sizes.append((len(value), name))
        return Type("rng")
    inside = parts(value)
    if inside is not None and not (axis is not None and is_numbers(value)):
        items, keys = inside
        inner = per_item(axis, items, keys, name)
        made = tuple(lane_entry(v, a, name, axes, sizes) for v, a in zip(items, inner, strict=True))
        return Nest(type(value), made, keys)
    if axis is None or value is None:
        return shared_entry(value, name, axes)
    if isinstance(value, np.random.Generator):
        raise one_generator(name)
    array = np.asarray(value)
    if array.ndim == 0 or array.dtype == object:
        raise ValueError(
            f"{name} has no lane axis: it is {type(value).__name__}; use in_axes=None to share it"
        )
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"{name} has no axis {axis}: its shape is {array.shape}")
    axes.append(axis)
    sizes.append((array.shape[axis], name))
    return lane_type(array.dtype, first(array, axis).shape[1:])


@functools.cache
def lane_type(dtype: np.dtype, shape: tuple[int, ...]) -> Any:
    """What one lane has of an array: another array, or a number."""
    return describe(np.empty(shape, dtype)[()], known_size)


def first(array: np.ndarray, axis: int) -> np.ndarray:
    """The array with its lane axis first."""
    return np.moveaxis(array, axis, 0) if axis else array


def shared_entry(value: Any, name: str, axes: list[int | None]) -> Any:
    if isinstance(value, np.random.Generator):
        raise one_generator(name)
    entry = describe(value, known_size)
    if isinstance(entry, Type):
        axes.append(None)
    return entry


def one_generator(name: str) -> ValueError:
    return ValueError(
        f"{name}: one random generator cannot be shared by lanes; use autobatch.streams(seed, n)"
    )


def is_numbers(value: Any) -> bool:
    """A plain list of numbers is an array with a lane axis; a tuple is a nest."""
    return isinstance(value, list) and all(isinstance(v, bool | int | float | np.generic) for v in value)


def per_item(axis: Any, items: tuple[Any, ...], keys: tuple[str, ...] | None, name: str) -> list[Any]:
    """in_axes for each item of a nested argument."""
    if isinstance(axis, dict):
        return [axis[k] for k in keys or ()]
    if isinstance(axis, tuple | list):
        if len(axis) != len(items):
            raise ValueError(f"{name} has {len(items)} items, its in_axes {len(axis)}")
        return list(axis)
    return [axis] * len(items)


def argument(leaf: Any, axis: int | None) -> Any:
    """A leaf as the compiled lanes take it."""
    if isinstance(leaf, Streams):
        return leaf.state
    if axis is None:
        return np.ascontiguousarray(leaf) if isinstance(leaf, np.ndarray) and leaf.ndim else leaf
    array = np.ascontiguousarray(first(np.asarray(leaf), axis))
    return array.reshape(len(array), prod(array.shape[1:])) if array.ndim > 1 else array


def spread(entry: Any, count: int) -> Any:
    """The structure of the results over lanes: a number that is the same for every lane becomes an array."""
    match entry:
        case Nest(_, items):
            return entry.with_items(tuple(spread(item, count) for item in items))
        case Static(value) if isinstance(value, bool | int | float | np.generic):
            return Static(np.full(count, value))
    return entry


def failures(sites: Sequence[Any], failed: np.ndarray) -> list[Failure]:
    """What each lane's number says."""
    found = []
    for lane in np.flatnonzero(failed).tolist():
        site = sites[failed[lane] - 1]
        found.append(Failure(lane, site.exception, site.message, site.span))
    return found


def leading(leaf: Any, axis: int | None, target: str) -> Any:
    """A leaf as a program over the lanes' axis takes it."""
    if isinstance(leaf, Streams):
        return generators(leaf) if target == "numpy" else leaf.state
    return leaf if axis is None else np.ascontiguousarray(first(np.asarray(leaf), axis))


def generators(rngs: Streams) -> np.ndarray:
    """An array of them: its parts have the same generators."""
    made = np.empty(len(rngs), object)
    for k, rng in enumerate(rngs):
        made[k] = rng
    return made


def one_lane(entry: Any, axis: Any, over: list[bool]) -> Any:
    """One lane's entry of a signature over lanes; notes for each leaf whether it has them."""
    if isinstance(entry, Nest):
        inner = per_item(axis, entry.items, entry.keys, "an argument")
        return entry.with_items(
            tuple(one_lane(item, a, over) for item, a in zip(entry.items, inner, strict=True))
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


def lanes_out(entry: Any, results: Iterator[Any]) -> Any:
    """The structure of one lane's results with the types of all lanes'."""
    if isinstance(entry, Nest):
        return entry.with_items(tuple(lanes_out(item, results) for item in entry.items))
    return next(results).type if isinstance(entry, Type) else entry


def batch(
    f: Any = None, in_axes: Any = 0, *, schedule: Schedule | str = "auto", target: str = "numba"
) -> Any:
    """`f`, written for one example, over a leading axis of lanes.

    in_axes   0 where an argument has a lane axis, None where it is shared; nested like the arguments
    schedule  "auto" or a `Schedule`: how lanes are run, never what they compute
    target    "numba" or "numpy"

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
