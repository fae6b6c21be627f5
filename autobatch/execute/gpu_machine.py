"""A batched program compiled for a GPU, lanes as its threads: GpuMachine, in the place of Machine.

form "auto", "program_counter"      the lanes of a warp vote where blocks are much work (kernel/cuda/meeting.py)
form "lanewise"                     loops and branches as they are written, recursion as a chain of blocks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from autobatch import pipeline
from autobatch.cfg.check import check as check_blocks
from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.lower import lower_to_blocks
from autobatch.cfg.spilling import block_listing
from autobatch.cost_model import BLOCK_MEMORY, THREADS
from autobatch.execute.executor import Machine
from autobatch.execute.ranges import WATCH
from autobatch.kernel.cuda.dialect import Dialect
from autobatch.kernel.cuda.meeting import has_meetings
from autobatch.kernel.cuda.module import KernelModule, kernel_module, thread_memory, works_of
from autobatch.kernel.cuda.stops_together import with_stops_together
from autobatch.kernel.module import LaneModule
from autobatch.kernel.parts import is_parted
from autobatch.prepare.passes import is_large_matrix, is_waited_product
from autobatch.profiling.probes import UNMARKED, Unmarked
from codegen.backend.load import load
from codegen.gpu import with_quick_launches
from codegen.ir import Equation, Program
from codegen.lazy import lazily

machine_code = lazily("codegen.backend.machine_code")
launching = lazily("autobatch.execute.launching")  # numba-cuda comes with these
waiting = lazily("autobatch.execute.waiting")

FIRST_FRAMES = 4  # for which a lane has room on its stack at first, where they are large
OF_A_CPU = ("group", "threads", "tile")  # what a schedule may say of the CPU alone


@dataclass(frozen=True, eq=False)
class GpuMachine(Machine):
    """A batched program and its kernel. ValueError for a schedule that is for the CPU."""

    has_host = False
    can_group = False

    def __post_init__(self) -> None:
        said = [f"{name}=" for name in OF_A_CPU if getattr(self.schedule, name) is not None]
        said += [f"form={self.schedule.form!r}"] * (self.schedule.form == "local_static")
        if said:
            raise ValueError(f"{said[0]} of a schedule is for the CPU: target='cuda' has no such thing")

    @property
    def votes(self) -> bool:
        """Whether the lanes of a warp may vote."""
        return self.schedule.form != "lanewise"

    @cached_property
    def prepared(self) -> Program:
        return pipeline.prepared_for_threads(self.traced.program, products=self.has_matrices)

    @cached_property
    def has_matrices(self) -> bool:
        """Whether lanes share matrices whose products are worth waiting for."""
        types = (p.type for p, one in zip(self.traced.program.entry.params, self.shared, strict=True) if one)
        return any(is_large_matrix(type_) for type_ in types)

    @cached_property
    def cut(self) -> BlockProgram:
        """Cut at products that lanes may wait for."""
        return lower_to_blocks(self.contracted, waits=is_waited_product)

    @cached_property
    def waits(self) -> bool:
        """Whether lanes wait for products."""
        return self.has_matrices and thread_memory(self.cut, self.shared, self.name).has_products

    @cached_property
    def program(self) -> BlockProgram:
        """Where lanes wait for products, cut at long loops too."""
        if not self.waits:
            return self.cut
        made = with_stops_together(lower_to_blocks(self.contracted, waits=is_waited), is_waited)
        return check_blocks(made, after="stops together")

    @cached_property
    def grouped(self) -> BlockProgram:
        """Blocks, cut at loops in which lanes are to meet, where that is worth a vote; else loops as they are."""
        if not self.votes or self.waits or len(self.met.blocks) == 1:
            return self.program
        return self.met if has_meetings(works_of(self.met, self.shared, self.name)) else self.program

    @cached_property
    def lanewise(self) -> LaneModule:
        return self.kept("kernel", self.by_threads)

    @property
    def block(self) -> int:
        """Threads of a block."""
        return self.schedule.block or THREADS

    def by_threads(self, dialect: Dialect | None = None, marks: Unmarked = UNMARKED) -> KernelModule:
        """ValueError where a block has not the memory for so many threads."""
        notes = f"{self.name} over lanes, each a thread of a GPU."
        module = kernel_module(
            *(
                self.grouped,
                self.shared,
                self.name,
                notes,
                dialect or Dialect(self.schedule.registers),
                marks,
            ),
            votes=self.votes and not self.waits,
            rounds=self.schedule.round_limit,
            block=self.block,
        )
        if module.in_block * self.block > BLOCK_MEMORY:
            raise ValueError(
                f"block={self.block} of a schedule is too many: of its block's memory, {BLOCK_MEMORY:,} bytes, "
                f"a thread of {self.name} takes {module.in_block}"
            )
        return module

    def module_for(self, count: int) -> LaneModule:
        return self.lanewise

    def explained(self, module: LaneModule) -> str:
        met = module.met if isinstance(module, KernelModule) else ()
        votes = f"; the lanes of a warp vote at {', '.join(met)}" if met else ""
        products = module.products if isinstance(module, KernelModule) else ()
        votes += f"; lanes wait for {len(products)} products with shared matrices" if products else ""
        loops = module.loops if isinstance(module, KernelModule) else ()
        votes += f", and at {len(loops)} long loops" if loops else ""
        lane = "a warp" if isinstance(module, KernelModule) and module.width > 1 else "a thread"
        return f"{lane} of a GPU for each lane{votes}\n{block_listing(self.grouped, counts_depth=True)}"

    # running

    def can_shorten(self, result: int) -> bool:
        module = self.lanewise
        return isinstance(module, KernelModule) and result in module.in_place

    @cached_property
    def defined(self) -> ModuleType:
        """What the kernel's text defines."""
        return with_quick_launches(load(self.lanewise.text, self.name))

    def room(self, shapes: Sequence[tuple[tuple[int, ...], str]], *, on_gpu: bool = False) -> list[Any]:
        if not on_gpu:
            return super().room(shapes)
        check_gpu()
        with launching.plain_errors():
            return [launching.device_array(shape, dtype) for shape, dtype in shapes]

    def codes(self, count: int) -> np.ndarray:
        """None until a lane fails: to make zeros for a million takes as long as a short kernel for them."""
        return np.empty(0, np.int64)

    def compile_ahead(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> None:
        """Nothing: a kernel is compiled where its GPU is."""

    def run(self, count: int, failed: Any, inputs: list[Any], outputs: list[Any]) -> LaneModule:
        """All lanes. RuntimeError where there is nothing to run them."""
        if WATCH.get() is not None:
            raise ValueError("a profile is of lanes on the CPU: target='cuda' notes nothing")
        check_gpu()
        module = self.lanewise
        assert isinstance(module, KernelModule)
        tables = [getattr(self.defined, name) for name in module.tables]
        stacks = [dtype for _, dtype in module.stacks]
        kernels = {name: getattr(self.defined, name) for name in module.functions}
        kernel, limit = kernels[module.run], self.limit(module)
        if not hasattr(kernel, "first_stack"):
            kernel.first_stack = max(launching.FIRST_STACK, FIRST_FRAMES * module.frame // 8)
        streams = [p.type.dtype == "rng" for p in self.traced.program.entry.params]
        if module.products:
            products = [astuple(product) for product in module.products]
            loops = [(w.places, kernels[w.kernel], w.given, w.parts) for w in module.loops]
            kernel = waiting.WaitingLanes(kernel, module.end, module.width, module.kept, products, loops)
        told = module.fails, module.zero, limit, stacks, tables, self.shared, streams
        found = launching.launch(kernel, count, *told, inputs, outputs, self.block)
        if len(found):
            failed.resize(count, refcheck=False)
            failed[:] = found
        return module

    def wait(self) -> None:
        launching.wait_for_kernels()


def is_waited(equation: Equation) -> bool:
    """Whether lanes may wait at an equation."""
    return is_waited_product(equation) or is_parted(equation)


def check_gpu() -> None:
    """RuntimeError, of one line, where no kernel can be launched."""
    machine_code.numba_cuda()
    launching.check_gpu()
