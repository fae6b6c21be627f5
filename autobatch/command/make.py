"""A function of a file and what is to be done with it, to a program.

transform_function : (FileFunction, steps) -> Made
grad, then batch, of logp     ->     logp_grad_batch, its arguments with a leading lane axis
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autobatch.argument_writes import functional
from autobatch.arguments import per_item
from autobatch.command.names import FileNames
from autobatch.command.texts import LANE_AXIS, Argument, is_written
from autobatch.command.types import annotated
from autobatch.command.wrapper import Made, Runs
from autobatch.cost_model import ASSUMED_LANES, THREADS
from autobatch.errors import Site
from autobatch.execute.autotune import machine_for
from autobatch.execute.executor import Machine
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.kernel.cuda.module import KernelModule
from autobatch.kernel.module import LaneModule
from autobatch.lane_machines import array_lanes, may_take_turns
from autobatch.lanes.lane_loops import lanes_in_turn
from autobatch.schedule import Schedule
from codegen.emit.lines import LINE
from codegen.emit.structures import literal_text
from codegen.infer.calls.binding import RESTS
from codegen.infer.main import Traced
from codegen.infer.texts.words import in_words
from codegen.infer.trace import trace
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import Closure, Nest, rebuild
from codegen.ir import Type, Var
from codegen.pipeline import last, stages
from codegen.pytree import leaves, types_in
from codegen.read.bindings import Defined
from codegen.read.tree import Define, Parameter
from codegen.source import InTurnError, SourceError, Span, UnknownSizeError, refuse


@dataclass(frozen=True, eq=False)
class FileFunction:
    """A function of the file as it is to be transformed.

    read       itself, its parameters without a type last: those are constants of the program
    arguments  the others, with their types
    axes       for each of them 0, None or a nest of these
    """

    read: ReadFunction
    arguments: tuple[Argument, ...]
    axes: tuple[Any, ...]

    @property
    def define(self) -> Define:
        return self.read.define


@dataclass(frozen=True)
class Options:
    """What all steps are told."""

    target: str
    argnums: int | tuple[int, ...]
    save: str
    schedule: Schedule


@dataclass(frozen=True)
class DerivativeStep:
    """A derivative: what it is, in words, and how it is made of a function, argnums, `save` and a target."""

    words: str
    make: Callable[..., Any]


def typed_function(
    names: FileNames, name: str, types: Mapping[str, Any], static: Mapping[str, Any], axes: Mapping[str, Any]
) -> FileFunction:
    """The function `name` of a file, its arguments typed by `types` or else its annotations.

    Raises SourceError for what cannot be transformed, and for all parameters with neither type nor value.
    """
    read = names(name)
    binding = names.module.bindings[name]
    assert isinstance(binding, Defined)
    said = {**annotated(binding.node, names), **types}
    parameters = [p for p in read.define.parameters if p.kind not in RESTS]
    rests = [p for p in read.define.parameters if p.kind in RESTS]
    if told := [p for p in rests if p.name in types or p.name in static]:
        message = "{0!r} takes any number of arguments: name those that it is to have"
        raise SourceError([(p.span, message.format(p.name)) for p in told])
    typed = [p for p in parameters if p.name in said and p.name not in static]
    rest = [p for p in parameters if p not in typed]
    missing = [p for p in rest if p.name not in static and p.default is None]
    if missing:
        message = 'the type of {0!r} is not known: say it, as in --types "{0}: f8"'
        raise SourceError([(p.span, message.format(p.name)) for p in missing])
    arguments = tuple(Argument(p.name, p.kind, said[p.name], default_text(p, read)) for p in typed)
    return FileFunction(
        reordered(read, typed, [*rest, *rests], static), arguments, tuple(axes.get(p.name, 0) for p in typed)
    )


def reordered(
    read: ReadFunction, typed: Sequence[Parameter], rest: Sequence[Parameter], static: Mapping[str, Any]
) -> ReadFunction:
    """The function with its arguments before its constants, which have their values as defaults."""
    plain = all(p.kind != "keyword" for p in typed)
    if plain and not static and read.define.parameters == (*typed, *rest):
        return read
    constants = (p if p.kind in RESTS else replace(p, kind="keyword") for p in rest)
    parameters = (*(replace(p, kind="plain") for p in typed), *constants)
    define = replace(read.define, parameters=parameters)
    return ReadFunction(read.name, define, read.globals, {**read.defaults, **static})


def default_text(parameter: Parameter, read: ReadFunction) -> str | None:
    """The text of a default that is a literal."""
    value = read.defaults.get(parameter.name)
    known = value is None or isinstance(value, bool | int | float | str)
    return literal_text(value) if parameter.default is not None and known else None


def transform_function(
    of: FileFunction, steps: Sequence[tuple[str, DerivativeStep | None]], told: Options, note: str
) -> Made:
    """The function with the steps done one after the other; batch, which has no DerivativeStep, comes last."""
    f: Any = of.read
    words = f"`{of.read.name}`"
    arguments, axes = of.arguments, of.axes
    for name, step in steps:
        if step is None:
            continue
        inner = "numba" if told.target == "cuda" else told.target  # of which batch makes lanes
        f = step.make(f, told.argnums, save=told.save, target=inner)
        words = f"the {step.words.format(words)}"
        if name == "jvp":
            entry = Nest(tuple, tuple(a.entry for a in arguments))
            arguments = (Argument("primals", "plain", entry), Argument("tangents", "plain", entry))
            axes = (axes, axes)
    lanes = any(step is None for _, step in steps)
    entries = tuple(a.entry for a in arguments)
    types = [type_ for entry in entries for type_ in types_in(entry)]
    sizes = lanes and all(isinstance(n, int) for t in types for n in t.shape)
    traced = trace(f, entries, known_sizes=sizes, writes=True, lists=not lanes, slopes=False)
    check_returned(traced.out, of.define.span)
    name = "_".join([of.read.name, *(name for name, _ in steps or (("jit", None),))])
    if lanes:
        over = flat_axes(arguments, axes)
        traced, written = functional(traced, over)
        given = tuple(laned(arguments, over))
        places = written.writes.places if written else ()
        made = Made(name, "", note, given, traced, traced.program, told.target, axes=over, written=places)
        made, ran = over_lanes(made, told, sizes, lambda: trace(f, entries, writes=True, slopes=False))
        return replace(made, doc=doc_of(words, ran, given))
    words = words if steps else f"{words} compiled"
    program = last(stages(told.target, traced.stages))
    return Made(name, f"{capital(words)}.", note, arguments, traced, program, told.target)


def check_returned(out: Any, span: Span) -> None:
    """SourceError, at `span` or where it was made, for a returned function, class or other object."""
    for leaf in leaves(out):
        if not is_written(leaf):
            raise refuse(
                leaf.define.span if isinstance(leaf, Closure) else span,
                f"{in_words(leaf, {})} is returned, which cannot be written in a file: return numbers, arrays, "
                "texts, None, or tuples, lists, dicts and named tuples of these",
            )


def capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


# --- lanes ---------------------------------------------------------------------------------------------


def doc_of(words: str, ran: str, given: Sequence[Argument]) -> str:
    """What a function over lanes is, how it runs them, and what it is made for."""
    listed = ", ".join(f"{a.name}: {type_text(a.entry)}" for a in given) or "nothing"
    line = f"{capital(words)} over lanes ({ran}), made for {listed}."
    if len(line) <= LINE:
        return line
    return f"{capital(words)} over lanes ({ran}).\n\n{textwrap.fill(f'Made for {listed}.', LINE)}\n"


def ran_by(runs: Runs) -> str:
    """How compiled lanes are run, as Schedule has it."""
    module = runs.machine
    if isinstance(module, KernelModule):
        return "each a thread of a GPU"
    if runs.host is not None:
        return "lanewise, by the host's calls"
    return f"program_counter, group={module.group}" if module.group > 1 else "lanewise"


def over_lanes(made: Made, told: Options, sizes: bool, unsized: Callable[[], Traced]) -> tuple[Made, str]:
    """The program over lanes, and how they are run: for Numba each at its own place, where `sizes` are known."""
    over = tuple(axis is not None for axis in made.axes)
    shared = (*(not o for o in over), *(True for _ in made.traced.hidden))
    if told.target == "cuda":
        machine = GpuMachine(made.traced, shared, told.schedule)
        runs: Runs | None = lane_runs(machine, machine.lanewise)
        assert runs is not None
        return replace(made, runs=runs, failings=messages(runs.machine.sites)), ran_by(runs)
    over += (False,) * len(made.traced.hidden)
    numba = told.target == "numba" and told.schedule.form != "local_static"
    try:
        if numba and (runs := machine_of(made.traced, shared, told.schedule, sizes, unsized)) is not None:
            return replace(made, runs=runs, failings=messages(runs.machine.sites)), ran_by(runs)
        lanes = array_lanes(made.traced.program, over, told.schedule, told.target)
    except InTurnError:
        if not may_take_turns(made.traced.program, told.schedule):
            raise
        lanes = lanes_in_turn(made.traced.program, over)
    passes = stages(told.target, (*made.traced.stages, ("lanes", lanes.program)))
    return replace(made, program=last(passes), failings=messages(lanes.failings)), lanes.form


def machine_of(
    traced: Traced,
    shared: tuple[bool, ...],
    schedule: Schedule,
    sizes: bool,
    unsized: Callable[[], Traced],
) -> Runs | None:
    """What runs the lanes; None where it would need sizes that are not known."""
    machine = machine_for(traced, shared, schedule, unsized)
    try:
        return lane_runs(machine, machine.module_for(ASSUMED_LANES))
    except UnknownSizeError:
        if sizes:
            raise
        return None


def lane_runs(machine: Machine, module: LaneModule) -> Runs:
    """What runs the lanes of a call."""
    host = machine.host if machine.has_host else None
    chosen = machine.lanewise if host else module
    threads, block = machine.schedule.threads or 0, machine.schedule.block or THREADS
    return Runs(chosen, host, machine.limit(chosen), threads, block)


def type_text(entry: Any) -> str:
    """A type as the command line reads it, lanes named."""
    match entry:
        case Type(dtype, shape):
            sizes = ["lanes" if n is LANE_AXIS else ":" if isinstance(n, Var) else str(n) for n in shape]
            return f"{dtype}[{', '.join(sizes)}]" if sizes else dtype
        case Nest(_, (Type(dtype, shape), _)) if entry.cls is complex:
            return type_text(Type(f"c{2 * int(dtype[1:])}", shape))
        case Nest(cls, items, None):
            listed = ", ".join(map(type_text, items))
            return f"[{listed}]" if cls is list else f"({listed}{',' if len(items) == 1 else ''})"
        case Nest(cls, items, keys):
            if cls is dict:
                return "{" + ", ".join(f"{k}: {type_text(i)}" for k, i in zip(keys or (), items)) + "}"
            return f"{cls.__name__}({', '.join(f'{k}={type_text(i)}' for k, i in zip(keys or (), items))})"
    return "a constant"


def messages(failings: Sequence[Site]) -> tuple[str, ...]:
    """What is said of a lane that failed."""
    places = ["" if f.span is None else f" ({f.span.brief})" for f in failings]
    return tuple(f"{f.exception}: {f.message}{at}" for f, at in zip(failings, places, strict=True))


def flat_axes(arguments: Sequence[Argument], axes: Sequence[Any]) -> tuple[int | None, ...]:
    """The lane axis of each leaf of the arguments, 0 or None. ValueError where in_axes do not fit."""
    pairs = zip(arguments, axes, strict=True)
    found = tuple(leaf for a, axis in pairs for leaf in leaf_axes(a.entry, axis, a.name))
    if not any(axis == 0 for axis in found):
        raise ValueError("batch needs at least one argument with a lane axis (in_axes 0)")
    return found


def leaf_axes(entry: Any, axis: Any, label: str) -> Iterator[int | None]:
    if isinstance(entry, Nest):
        if isinstance(axis, dict):
            axis = [axis.get(key) for key in entry.keys or ()]
        inner = per_item(axis, entry.items, entry.keys, repr(label))
        for item, each in zip(entry.items, inner, strict=True):
            yield from leaf_axes(item, each, label)
        return
    if axis not in (0, None) or isinstance(axis, bool):
        raise ValueError(f"in_axes of {label!r} is 0 or None, not {axis!r}: move the lane axis to the front")
    if isinstance(entry, Type):
        yield axis


def laned(arguments: Sequence[Argument], axes: Sequence[int | None]) -> list[Argument]:
    """The arguments with lane axes first, where their leaves have them."""
    each = iter(axes)

    def leaf(entry: Any) -> Any:
        if not isinstance(entry, Type) or next(each) is None:
            return entry
        return Type(entry.dtype, (LANE_AXIS, *entry.shape))

    return [replace(a, entry=rebuild(a.entry, leaf), default=None) for a in arguments]
