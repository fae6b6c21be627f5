"""A batched program compiled for the CPU: which machine runs its lanes, and what is compiled of it when.

    groups     lanes side by side in vector registers, each at its own block (kernel/numba/groups/module.py)
    lanewise   each lane by itself, to its end or to a product that it shares with others (kernel/numba/one_by_one.py)
    host       each lane by itself, recursion by the host's own calls (host/module.py)

The first two compute the same numbers, bit for bit: which one runs may depend on how many lanes there are, so their
elementary functions are the same text, their sums are taken in the same order, and no rounding is left to the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np

from autobatch import pipeline
from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.lower import lower_to_blocks
from autobatch.cfg.spilling import block_listing
from autobatch.cost_model import (
    GROUP_LANES,
    GROUPED_LANES,
    GROUPED_SHARE,
    LANE_NUMBERS,
    LONG_QUICK_SECONDS,
    QUICK_LANES,
    QUICK_SECONDS,
)
from autobatch.execute.artifact_cache import Artifacts
from autobatch.execute.compile_ahead import Ahead, compile_ahead, has_other_process, is_made
from autobatch.execute.ranges import in_threads, on_large_stack, over_range
from autobatch.execute.stacks import first_arguments
from autobatch.execute.threads import workers_of
from autobatch.execute.vector_check import are_vectorised, compile_if_unknown
from autobatch.host.module import is_native, native_module
from autobatch.kernel.module import LaneModule
from autobatch.kernel.numba.groups.module import groups_module
from autobatch.kernel.numba.lanes import lanes_module
from autobatch.prepare.call_rows import with_call_rows
from autobatch.prepare.passes import calls_library, is_large_product
from autobatch.profiling.probes import UNMARKED, Marked, Unmarked
from autobatch.schedule import Schedule
from autobatch.simd.block_splitting import (
    fills_vectors_alone,
    is_met,
    split_blocks,
    vector_share,
    work_shares,
)
from autobatch.simd.vectorisable import may_diverge
from codegen.backend.load import load
from codegen.infer.trace import Traced
from codegen.ir import Program


@dataclass(frozen=True, eq=False)
class Machine:
    """A batched program, and what is made of it when it is needed; `shared` marks parameters that lanes share.

    `unsized` traces the function again, with arrays of sizes that are found while it runs.
    """

    traced: Traced
    shared: tuple[bool, ...]
    schedule: Schedule
    unsized: Callable[[], Traced] | None = None
    # What `function` and `marked` gave, and seconds that a lane took in the last call by each module.
    functions: dict[LaneModule, Callable[..., Any]] = field(default_factory=dict, init=False, repr=False)
    noting: dict[LaneModule, tuple[LaneModule, Marked]] = field(default_factory=dict, init=False, repr=False)
    pace: dict[LaneModule, float] = field(default_factory=dict, init=False, repr=False)
    # Seconds that lanes ran by quick code, in all.
    spent: dict[LaneModule, float] = field(default_factory=dict, init=False, repr=False)
    # Whether what lanes do side by side was compiled to vector instructions, once that is known.
    verified: list[bool] = field(default_factory=list, init=False, repr=False)
    # What other processes compile.
    ahead: dict[LaneModule, Ahead | None] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.traced.program.main

    @cached_property
    def kept(self) -> Artifacts:
        """What earlier processes made of the same program."""
        return Artifacts(self.traced.program, self.shared, replace(self.schedule, optimize="full"))

    @cached_property
    def prepared(self) -> Program:
        return pipeline.prepared(self.traced.program)

    @cached_property
    def contracted(self) -> Program:
        """What machines of blocks run: the same roundings in all of them."""
        return pipeline.contract_sums(self.prepared)

    @cached_property
    def program(self) -> BlockProgram:
        return lower_to_blocks(self.contracted, meets=is_large_product)

    @cached_property
    def lanewise(self) -> LaneModule:
        return self.kept("lanewise", self.by_lanes)

    def by_lanes(self, marks: Unmarked = UNMARKED) -> LaneModule:
        notes = f"{self.name} over lanes, each at its own place in the program.{marks.said}"
        return lanes_module(self.program, self.shared, self.name, notes, self.schedule.tile, marks)

    @cached_property
    def side_by_side(self) -> BlockProgram:
        """With loops cut wherever lanes may leave them at different times."""
        return lower_to_blocks(self.contracted, meets=may_diverge)

    @cached_property
    def met(self) -> BlockProgram:
        """With loops cut where lanes wait for each other in them."""
        return lower_to_blocks(self.contracted, meets=partial(is_met, program=self.contracted))

    @cached_property
    def grouped(self) -> BlockProgram:
        """What groups run: blocks for lanes side by side apart from the others, without branches."""
        return pipeline.group_blocks(self.met)

    @cached_property
    def groups(self) -> LaneModule:
        return self.kept("groups", self.in_groups)

    def in_groups(self, marks: Unmarked = UNMARKED) -> LaneModule:
        notes = f"{self.name} over lanes, each at its own place in the program.{marks.said}"
        return groups_module(self.grouped, self.shared, self.name, notes, self.schedule, marks)

    @cached_property
    def host(self) -> LaneModule:
        return self.kept("host", lambda: native_module(self.by_host, self.shared))

    @cached_property
    def by_host(self) -> Program:
        """What the host's calls run: its derivatives keep what calls found, where that makes another program."""
        found = None if self.unsized is None else with_call_rows(self.traced.program, self.unsized)
        return found or self.prepared

    @cached_property
    def has_host(self) -> bool:
        plain = self.schedule.stack_limit is None and self.schedule.group is None
        can = plain and self.schedule.form in ("auto", "lanewise", "measure")
        return can and self.kept("native", lambda: is_native(self.prepared))

    @cached_property
    def can_group(self) -> bool:
        """Whether lanes may be side by side: products with shared matrices are taken together otherwise."""
        if self.schedule.form not in ("auto", "program_counter", "measure") or self.lanewise.together:
            return False
        return not self.has_library_calls

    @cached_property
    def has_library_calls(self) -> bool:
        return self.kept("library", lambda: any(calls_library(b.equations) for b in self.program.blocks))

    @cached_property
    def share(self) -> float:
        """The part of the work that can be done side by side, as estimated."""
        return self.kept("share", lambda: vector_share(self.side_by_side)) if self.can_group else 0.0

    @property
    def workers(self) -> int:
        return workers_of(self.schedule.threads)

    def module_for(self, count: int) -> LaneModule:
        """The machine for so many lanes: groups where they were asked for, or fill vectors on every thread."""
        if self.schedule.group is not None and self.can_group:
            return self.groups
        # The first test decides for few lanes, whose calls are short: to count the processors takes 0.5 us.
        enough = (
            count >= GROUP_LANES // 2
            and count >= self.workers * GROUP_LANES // 2
            or self.has_groups_alone(count)
        )
        return (
            self.groups
            if enough and self.share > GROUPED_SHARE and not self.too_large and all(self.verified)
            else self.lanewise
        )

    @cached_property
    def quick(self) -> LaneModule | None:
        """The text of `lanewise`, to be compiled soon rather than to be fast, where that gives the same numbers."""
        if self.schedule.optimize == "full" or self.schedule.group is not None:
            return None
        is_exact = not (self.lanewise.reorders or self.lanewise.together or self.has_library_calls)
        return replace(self.lanewise, quick=True) if is_exact else None

    def chosen(self, count: int, arguments: tuple[Any, ...]) -> LaneModule:
        """What runs so many lanes now: the machine for them, or quick code until that is worth compiling, and is."""
        if count > QUICK_LANES or self.quick is None:
            return self.module_for(count)
        if not self.functions and (made := self.made_before(count, arguments)) is not None:
            return made
        if self.__dict__.get("groups") in self.functions and count >= GROUPED_LANES:
            return self.groups
        sooner = self.lanewise if self.lanewise in self.functions else self.quick
        spent = self.spent.get(self.quick, 0.0)
        if spent < QUICK_SECONDS or self.schedule.optimize == "fast":
            return sooner
        module = self.module_for(count)
        if module in self.functions:
            return module
        if module not in self.ahead:
            if spent < LONG_QUICK_SECONDS and not has_other_process():
                return sooner
            self.ahead[module] = self.compiled_ahead(module, arguments)
        ahead = self.ahead[module]
        return module if ahead is None or ahead.has_ended() else sooner

    def made_before(self, count: int, arguments: tuple[Any, ...]) -> LaneModule | None:
        """The machine for so many lanes, or for each by itself, if its code is kept."""
        known = [self.module_for(count)] if self.kept.has("groups") else []
        for module in (*known, self.lanewise):
            if is_made(module, self.name, first_arguments(module, 0, 0, (self.limit(module), *arguments))):
                return module
        return None

    def has_groups_alone(self, count: int) -> bool:
        """Whether groups are compiled, and do for so few lanes at half the speed at least, and nothing else is."""
        made = self.__dict__.get("groups")
        return count >= GROUPED_LANES and made in self.functions and self.lanewise not in self.functions

    @cached_property
    def too_large(self) -> bool:
        """Whether a group's arrays would be far from the processor, where one lane's are near and fill vectors too."""
        large = self.lanewise.numbers > LANE_NUMBERS
        return large and self.kept("near", lambda: fills_vectors_alone(self.side_by_side))

    def function(self, module: LaneModule) -> Callable[..., Any]:
        if module not in self.functions:
            self.functions[module] = getattr(load(module.text, self.name, quick=module.quick), module.run)
        return self.functions[module]

    def marked(self, module: LaneModule) -> tuple[LaneModule, Marked]:
        """The same machine, taking notes of what it does."""
        if module not in self.noting:
            marks = Marked()
            if module.starts:
                made = native_module(self.by_host, self.shared, marks)
            else:
                by_lanes = module is self.lanewise or module.quick
                made = self.by_lanes(marks) if by_lanes else self.in_groups(marks)
            self.noting[module] = made, marks
        return self.noting[module]

    def explained(self, module: LaneModule) -> str:
        """Which machine it is and why, and its blocks with their costs."""
        if self.has_host:
            return f"lane after lane, by the host's calls: recursion over numbers alone\n{block_listing(self.program)}"
        if module.together:
            rows = ", ".join(f"{tile} rows at a time" for tile in module.tiles)
            why = "lanes wait for each other at shared products"
            return f"{why}{rows and f': {rows}'}\n{block_listing(self.program)}"
        if self.can_group and module is self.groups:
            size, program = self.groups.group, split_blocks(self.met)
            why = f"lanes in groups of {size}, side by side in vector registers: {self.share:.0%} of the work can be"
            return f"{why}\n{block_listing(program, work_shares(program, self.groups.ways))}"
        packed = "; short loops of each in vectors" if module.packed else ""
        quick = "; by machine code that was made quickly" if module.quick else ""
        blocks = block_listing(self.program, work_shares(self.program))
        return f"lane after lane{self.why_not()}{packed}{quick}\n{blocks}"

    def why_not(self) -> str:
        """Why lanes are not in groups."""
        if not all(self.verified):
            return ": side by side they were not compiled to vector instructions"
        if not self.can_group or self.schedule.group is not None:
            return ""
        if self.share <= GROUPED_SHARE:
            return f": {self.share:.0%} of the work can be done side by side, too little"
        if self.too_large:
            return f": one has arrays of {self.lanewise.numbers} numbers, too many for a group's to be in the cache"
        return f": they are fewer than {self.workers * GROUP_LANES // 2}, too few for vectors on {self.workers} threads"

    # running

    def can_shorten(self, result: int) -> bool:
        """Whether the array in which a result is made may have the first rows of it alone, if lanes write no others."""
        return False

    def room(self, shapes: Sequence[tuple[tuple[int, ...], str]], *, on_gpu: bool = False) -> list[Any]:
        """Arrays for results of these shapes and dtypes; `on_gpu`: where the arguments are."""
        return [np.empty(shape, dtype) for shape, dtype in shapes]

    def codes(self, count: int) -> np.ndarray:
        """Where so many lanes note failures, and after them two numbers: whether to stop."""
        return np.zeros(count + 2, np.int64)

    def compile_ahead(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> None:
        """Have another process compile what `run` needs, if that is known and not compiled."""
        if self.has_host or self.schedule.form == "measure":
            return
        arguments = failed, *inputs, *outputs
        module = self.chosen(count, arguments)
        if module not in self.functions and module not in self.ahead:
            self.ahead[module] = self.compiled_ahead(module, arguments)

    def compiled_ahead(self, module: LaneModule, arguments: tuple[Any, ...]) -> Ahead | None:
        given = first_arguments(module, 0, 0, (self.limit(module), *arguments))
        return compile_ahead(module, self.name, given)

    def run(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> LaneModule:
        """All lanes; `failed` is of `codes`, and what its numbers mean is in the module's sites."""
        if self.has_host:
            return self.by_calls(count, failed, inputs, outputs)
        module = self.chosen(count, (failed, *inputs, *outputs))
        if (ahead := self.ahead.pop(module, None)) is not None:
            ahead.wait()
        if module.wide and self.schedule.group is None and not self.verified:
            compile_if_unknown(load(module.text, self.name))
            over_range(self, module, 0, 0, (self.limit(module), failed, *inputs, *outputs))  # compiles it
            self.verified.append(are_vectorised(load(module.text, self.name), module.wide))
            module = self.module_for(count)
        if not all(have_reciprocals(inputs[k]) for k in module.divisors):
            module = self.lanewise
        if module.quick:
            over_range(self, module, 0, 0, (self.limit(module), failed, *inputs, *outputs))  # compiles it
        begun = perf_counter()
        in_threads(self, module, count, self.limit(module), failed, *inputs, *outputs)
        if module.quick:
            self.spent[module] = self.spent.get(module, 0.0) + perf_counter() - begun
        return module

    def wait(self) -> None:
        """Until what `run` has begun is done: on a CPU it is."""

    def limit(self, module: LaneModule) -> int:
        """How deep a lane may go."""
        return self.schedule.deepest(module.frame, module.group)

    def by_calls(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> LaneModule:
        """Recursion by the host's calls; lanes that raise or go too deep once more by program counter."""
        host, last, given = self.host, self.lanewise, (failed, inputs, outputs)
        start, *deep = host.starts
        in_threads(self, host, count, start, failed, *inputs, *outputs)
        for start in deep:
            self.once_more(on_large_stack, host, start, *given)
        self.once_more(in_threads, last, self.limit(last), *given)
        return last

    def once_more(
        self,
        run: Callable[..., None],
        module: LaneModule,
        limit: int,
        failed: Any,
        inputs: list[Any],
        outputs: list[Any],
    ) -> None:
        """run(self, module, count, limit, failed, *inputs, *outputs) for lanes that failed."""
        again = np.flatnonzero(failed[:-2])
        if not len(again):
            return
        own = [x if one else x[again] for x, one in zip(inputs, self.shared, strict=True)]
        codes, found = np.zeros(len(again) + 2, np.int64), [o[again] for o in outputs]
        run(self, module, len(again), limit, codes, *own, *found)
        failed[again] = codes[:-2]
        for out, value in zip(outputs, found, strict=True):
            out[again] = value


def have_reciprocals(divisors: np.ndarray) -> bool:
    """Whether the reciprocals of all that are not 0 are finite."""
    return not np.any((np.abs(divisors) <= 2.0**-1024) & (divisors != 0.0))
