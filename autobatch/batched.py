"""A function over lanes: what batch returns, its machines for arguments met, its calls, its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autobatch.argument_writes import Written, functional
from autobatch.arguments import Described, argument_axes, describe_call, leading, shapes
from autobatch.call_plan import CallPlan, Structured, buffers, in_shape, types_left
from autobatch.cfg.spilling import block_listing
from autobatch.command.wrapper import Made, Runs
from autobatch.cost_model import ASSUMED_LANES
from autobatch.device_arrays import as_given, on_host, put_values
from autobatch.errors import LaneError
from autobatch.execute.artifact_cache import kept_trace
from autobatch.execute.executor import Machine
from autobatch.execute.replay import failures, failures_of_all, failures_of_each
from autobatch.execute.stages import kernel_stages, machine_stages
from autobatch.execute.turns import Turns
from autobatch.kernel.module import LaneModule
from autobatch.lane_machines import made_for_lanes
from autobatch.lanes.lane_loops import inside_another
from autobatch.nested import lane_rows
from autobatch.prepare.constant_results import constants_as_results
from autobatch.prepare.known_sizes import with_known_sizes
from autobatch.results import as_returned, captured, in_one_array, lane_inputs, lane_signature, states_of
from autobatch.schedule import Schedule
from autobatch.sizing_ints import for_values
from autobatch.streams import Streams, as_streams
from codegen.activity import doing
from codegen.arguments.known import KnownArguments
from codegen.arguments.writes import require_order
from codegen.emit.coalescing import identifier
from codegen.emit.module import show
from codegen.gpu_arrays import of_dlpack
from codegen.infer.dependencies import Around, Programs
from codegen.infer.frame import Frame
from codegen.infer.main import reorder
from codegen.infer.trace import Signature, Traced, trace
from codegen.infer.values import Static, Value, rebuild
from codegen.ir import Program, Type
from codegen.ir.check import check
from codegen.lazy import lazily
from codegen.pipeline import last, told
from codegen.pytree import flatten, key, leaves, once, types_in
from codegen.simplify.driver import simplify
from codegen.source import InTurnError, Span, refusing
from codegen.tracebacks import at_border, cut
from codegen.transformed import Transformed

make = lazily("autobatch.command.make")  # libcst comes with them
standalone = lazily("autobatch.command.standalone")
numba_errors = lazily("numba.core.errors")

CALLS = 256  # of different shapes, that are kept in mind
OF_A_CALL = {"writes": True, "slopes": False}  # of one from Python, which nothing differentiates


class Batch(Transformed):
    """What `batch` returns. `known`: all that its function hangs on, where that is said: its program is kept."""

    known: Any = None

    def __init__(self, function: Any, *, in_axes: Any, schedule: Schedule, target: str):
        super().__init__(function, target=target)
        self.in_axes = in_axes
        self.schedule = schedule

    def begin(self) -> None:
        super().begin()
        self.machines: Programs[Machine | Structured] = Programs()
        self.descriptions: dict[Machine | Structured, tuple[Described, tuple[str, ...]]] = {}
        self.calls: dict[Any, CallPlan] = {}
        self.sizing, self.refused = KnownArguments(), set[Any]()  # whose lanes are not run side by side
        self.written: dict[Machine | Structured, Written] = {}
        self.latest: Machine | Structured | None = None
        self.ran: LaneModule | None = None  # of `latest`

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            with as_streams(args, kwargs) as (args, kwargs):
                return self.into((), args, kwargs)
        except BaseException as error:
            cut(error, error.failures[0].span if isinstance(error, LaneError) else None)
            raise

    def into(self, places: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """A call whose results go to `places`, as `buffers` takes them."""
        made, flat = self.planned(args, kwargs or {})
        if isinstance(made.machine, Structured):
            return self.at_once(made.machine, flat, made)
        return self.over_lanes(made.machine, flat, made, places)

    def compile_ahead(self, *args: Any, **kwargs: Any) -> None:
        """Have another process compile what a call with such arguments needs, while this one goes on; nothing is run.

        The call waits for it. Where there is one processor alone, nothing is done.
        """
        made, flat = self.planned(args, kwargs)
        if isinstance(made.machine, Machine):
            made.machine.compile_ahead(made.given.count, *buffers(made.machine, flat, made))

    # what a call is given

    def planned(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[CallPlan, list[Any]]:
        """What runs a call, and the leaves of its arguments."""
        made = self.call(args, kwargs)
        flat = [*args, *kwargs.values()]
        if not made.plain:
            nested = zip(flat, made.given.entries, strict=True)
            flat = [leaf for value, entry in nested for leaf in flatten(value, entry)]
        elif made.given.on_gpu:
            flat = list(map(of_dlpack, flat))
        require_order(made.machine.traced, flat, self.__name__, made.given.axes)
        if made.written is not None and (again := made.written.again(flat)):
            made = self.aliased(made, again, len(args), tuple(kwargs))
            flat = [leaf for k, leaf in enumerate(flat) if k not in again]
        return made, flat

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallPlan:
        """What is made for such arguments; of plain ones, once for all calls with the same shapes."""
        like = None if kwargs else shapes(args)
        if like is None or (found := self.calls.get(like)) is None or not found.around.holds():
            self.check_call(len(args), tuple(kwargs))
            given = describe_call(self.in_axes, args, kwargs)
            if given.on_gpu and self.target != "cuda":
                raise TypeError(f"{given.on_gpu} is on a GPU: use target='cuda', or copy it to the host")
            made = partial(self.planned_for, places=len(args), names=tuple(kwargs))
            asked = self.sizing, given, tuple(kwargs), [*args, *kwargs.values()]
            try:
                plan, of_values = for_values(*asked, made)
            except InTurnError:
                plan, of_values = for_values(*asked, partial(made, in_turn=True))
            found = plan
            if like is not None and not of_values:
                if len(self.calls) >= CALLS:
                    self.calls.clear()
                self.calls[like] = found
        if self.latest is not found.machine:
            self.latest, self.ran = found.machine, None
        return found

    def made(self, given: Described, around: Around, machine: Machine | Structured) -> CallPlan:
        results = tuple(types_in(machine.traced.out))
        plain = all(isinstance(e, Type) for e in given.entries)
        return CallPlan(given, machine, results, plain, around, self.written.get(machine))

    def aliased(self, call: CallPlan, again: dict[int, int], places: int, names: tuple[str, ...]) -> CallPlan:
        """The call with arrays that are given again, by number, known to be those given before."""
        given = call.given
        axes = [axis for k, axis in enumerate(given.axes) if k not in again]
        given = Described(tuple(once(list(given.entries), again)), axes, given.count)
        return self.planned_for(given, places, names, in_turn=True)

    # the program

    def planned_for(
        self, given: Described, places: int, names: tuple[str, ...], *, in_turn: bool = False
    ) -> CallPlan:
        """`in_turn`: lanes may be run so where nothing else is left."""
        entries = given.entries
        wanted = (names, tuple(map(key, entries)), tuple(given.axes))

        def make() -> Machine | Structured:
            signature, keywords = entries[:places], dict(zip(names, entries[places:], strict=True))
            self.alive.extend(leaf.value for e in entries for leaf in leaves(e) if isinstance(leaf, Static))
            with doing(f"transforming {self.__name__}"):
                try:
                    before = wanted in self.refused
                    made = self.build(signature, keywords, given.axes, turns=in_turn, refused=before)
                except InTurnError:
                    self.refused.add(wanted)
                    raise
            self.descriptions[made] = given, names
            return made

        return self.made(given, *self.machines.of(wanted, make))

    def build(
        self, signature: Signature, keywords: dict[str, Any], axes: list[int | None], **how: bool
    ) -> Machine | Structured:
        unsized = partial(trace, self.__wrapped__, signature, keywords, **OF_A_CALL)
        sized = partial(self.traced, signature, keywords)
        made, written = made_for_lanes(sized, unsized, axes, self.target, self.schedule, **how)
        if written is not None:
            self.written[made] = written
        return made

    def traced(self, signature: Signature, keywords: dict[str, Any]) -> Traced:
        """The program of one lane."""
        told = self.known and (self.known, self.__name__, signature, keywords)
        again = partial(trace, self.__wrapped__, signature, keywords, known_sizes=True, **OF_A_CALL)
        return kept_trace(self.__name__, told, again)

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        """The program over lanes, as a function of values, under another transformation."""
        traced, written = self.writing(signature, keywords, known_sizes=known_sizes)
        count = len(traced.program.entry.body.results) - len(written)
        program = reorder(traced.program, tuple(range(count)))
        return replace(traced, program=program, stages=(*traced.stages[:-1], ("lanes", program)))

    def rows(
        self, frame: Frame, given: Sequence[Value], keywords: dict[str, Value], span: Span
    ) -> tuple[tuple[Value, ...], dict[str, Value]]:
        """The arguments of a call inside another function, as they are batched."""
        names = [*(f"argument {k}" for k in range(len(given))), *(f"argument {key!r}" for key in keywords)]
        with refusing(span):
            axes = self.axes_inside(len(given), len(keywords))
            made = lane_rows(frame, (*given, *keywords.values()), axes, names, span)
        return tuple(made[: len(given)]), dict(zip(keywords, made[len(given) :], strict=True))

    def axes_inside(self, places: int, named: int) -> list[Any]:
        """in_axes of each argument inside another function, whose values that a nested one reads go last."""
        own = places - captured(self)
        axes = argument_axes(self.in_axes, own, named)
        axes[own:own] = [None] * (places - own)
        return axes

    def writing(
        self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False
    ) -> tuple[Traced, tuple[int, ...]]:
        """The program over lanes, for a call inside another function, and the parameters that its last results are left
        in.

        Lanes are the leading axis of the arguments' types where in_axes has 0.
        """
        entries = (*signature, *keywords.values())
        one: list[Any] = []
        over: list[bool] = []
        for entry, axis in zip(entries, self.axes_inside(len(signature), len(keywords)), strict=True):
            one.append(lane_signature(entry, axis, over))
        places = len(signature)
        given = dict(zip(keywords, one[places:], strict=True))
        of = self.__wrapped__, tuple(one[:places]), given
        lane = partial(trace, *of, known_sizes=known_sizes, writes=True)
        traced, written = functional(in_one_array(lane), [0 if o else None for o in over])
        traced = constants_as_results(traced)
        whole = (*over, *(False for _ in traced.hidden))
        made = inside_another(simplify(traced.program), whole, known_sizes)
        types = [type_ for entry in entries for type_ in types_in(entry)]
        program = check(with_known_sizes(made, types), after="lanes")
        results = iter(program.entry.body.results)
        out = rebuild(traced.out, lambda leaf: next(results).type if isinstance(leaf, Type) else leaf)
        lanes = reorder(program, tuple(range(len(traced.program.entry.body.results))))
        stages_ = (*traced.stages, ("lanes", lanes))
        left = written.writes.places if written else ()
        return Traced(lanes, entries, out, traced.hidden, stages_), left

    # running

    def over_lanes(self, machine: Machine, flat: list[Any], call: CallPlan, places: Sequence[Any]) -> Any:
        count, types = call.given.count, types_left(call)
        failed, inputs, outputs = buffers(machine, flat, call, places)
        states = states_of(flat)
        try:
            module = machine.run(count, failed, inputs, outputs)
        except BaseException:
            for k, state in states.items():  # what was interrupted can be called again
                put_values(flat[k].state, state)
            raise
        self.ran, failed = module, failed[:count]
        shaped = in_shape(outputs, types, count)
        own, left = as_given(shaped[: len(call.results)], flat), shaped[len(call.results) :]
        return self.finished(call, flat, own, left, failed, module.sites, states)

    def at_once(self, made: Structured, flat: list[Any], call: CallPlan) -> Any:
        """All lanes in one call of a program over arrays."""
        count = call.given.count
        inputs = [leading(leaf, axis, self.target) for leaf, axis in zip(flat, call.given.axes, strict=True)]
        inputs += made.traced.around
        states = states_of(flat)
        failure: LaneError | None = None
        raised: dict[int, Exception] = {}
        try:
            with np.errstate(all="ignore"):
                if isinstance(made.run, Turns):
                    found, raised = made.run(inputs, count)
                else:
                    found = made.run(*inputs)
        except numba_errors.NumbaError as error:
            raise TypeError(
                f"Numba does not compile {self.__name__} in form 'local_static' (it may be its recursion): "
                f"use form='program_counter' or target='numpy'"
            ) from error
        except Exception as error:  # for no lane in particular
            listed = failures_of_all(
                error, count, made.traced.program, lane_inputs(flat, call.given.axes, made.traced, states)
            )
            failure = LaneError(listed, count, None)
        if failure is not None:
            raise failure
        for leaf, taken in zip(flat, inputs, strict=False):
            if isinstance(leaf, Streams) and self.target == "numpy":
                leaf.go_to(taken)
        flat_results = found if isinstance(found, tuple | list) else (found,)
        own: Sequence[Any] = flat_results[: len(call.results)]
        left: Sequence[Any] = ()
        if call.written is not None:
            own = call.written.apart(flat, own)
            left = flat_results[made.results - len(call.written.types) : made.results]
        if raised:
            failed = np.isin(np.arange(count), list(raised))
            return self.finished(call, flat, own, left, failed, raised, states)
        return self.finished(call, flat, own, left, np.asarray(flat_results[-1]), made.lanes.failings, states)

    def finished(
        self,
        call: CallPlan,
        flat: list[Any],
        results: Sequence[Any],
        left: Sequence[Any],
        failed: np.ndarray,
        sites: Sequence[Any] | dict[int, Exception],
        states: dict[int, np.ndarray],
    ) -> Any:
        """The results in their structure, and what lanes `left` in arguments put there; LaneError where some failed.

        `failed`: for each lane 0 or the number of its site; it is not looked at where there is none. `sites` may be
        what lanes raised, too.
        """
        count, traced = call.given.count, call.machine.traced
        anyone = bool(sites and np.count_nonzero(failed))
        listed = []
        if anyone:
            again = lane_inputs(on_host(flat), call.given.axes, traced, states)
            if isinstance(sites, dict):
                listed = failures_of_each(sites, traced.program, again)
            else:
                listed = failures(sites, failed, traced.program, again)
        if call.written is not None:
            call.written.put(flat, left, failed if anyone else None)
        built = as_returned(traced.out, results, count)
        if anyone:
            raise LaneError(listed, count, built)
        return built

    # looking inside

    @at_border
    def source(self, *args: Any, **kwargs: Any) -> str:
        """A module that runs by itself: FUNC_batch in it takes and gives what this does."""
        made = self.seen(args, kwargs)
        given, keywords = self.descriptions[made]
        arguments = tuple(make.laned(standalone.wrapper_arguments(self, given.entries, keywords), given.axes))
        written = self.written[made].writes.places if made in self.written else ()
        runs: Runs | None = None
        if isinstance(made, Structured):
            program, failings, ran = last(made.passed()), make.messages(made.lanes.failings), made.lanes.form
        else:
            runs = make.lane_runs(made, self.shown(made))
            program, failings, ran = made.traced.program, make.messages(runs.machine.sites), make.ran_by(runs)
        name = identifier(made.traced.program.main)
        doc = make.doc_of(f"`{name}`", ran, arguments)
        return standalone.standalone(
            Made(
                f"{name}_batch", doc, "", arguments, made.traced, program, self.target, runs, failings,
                tuple(given.axes), written,
            )
        )  # fmt: skip

    @at_border
    def stages(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        made = self.seen(args, kwargs)
        if isinstance(made, Structured):
            return {name: show(program) for name, program in made.passed().items()}
        passed = {name: show(program) for name, program in made.traced.stages}
        module = self.shown(made)
        for name, each in machine_stages(made, module).items():
            passed[name] = show(each) if isinstance(each, Program) else block_listing(each)
        return {**passed, **kernel_stages(made, module), "machine": module.text}

    @at_border
    def explain(self, *args: Any, **kwargs: Any) -> str:
        made = self.seen(args, kwargs)
        if isinstance(made, Structured):
            count = len(made.lanes.program.functions)
            return f"{self.__name__}: one program over the lanes' axis ({made.lanes.form}), {count} function(s)\n"
        module, seconds = self.shown(made), dict(made.traced.seconds)
        machine_stages(made, module, seconds)
        return f"{self.__name__}: {made.explained(module)}passes: {told(seconds)}\n"

    def shown(self, made: Machine) -> LaneModule:
        """The machine that ran last, or that many lanes would be run by."""
        return self.ran if self.ran is not None and made is self.latest else made.module_for(ASSUMED_LANES)

    def seen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Machine | Structured:
        if not args and not kwargs:
            if self.latest is None:
                raise TypeError("give arguments, or call the function first: its types are not known yet")
            return self.latest
        with as_streams(args, kwargs) as given:
            return self.call(*given).machine
