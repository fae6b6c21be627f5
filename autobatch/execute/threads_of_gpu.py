"""A batched program compiled for a GPU, lanes as its threads: GpuMachine, which takes the place of Machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from autobatch import pipeline
from autobatch.cfg.graph import BlockProgram
from autobatch.execute.executor import Machine
from autobatch.kernel.cuda.dialect import CUDA, Dialect
from autobatch.kernel.cuda.module import KernelModule, kernel_module
from autobatch.profiling.probes import UNMARKED, Unmarked
from autobatch.simd.block_splitting import split_blocks
from codegen.ir import Program


@dataclass(frozen=True, eq=False)
class GpuMachine(Machine):
    """A batched program and its kernel."""

    @cached_property
    def prepared(self) -> Program:
        return pipeline.prepared_for_threads(self.traced.program)

    @cached_property
    def grouped(self) -> BlockProgram:
        """Blocks, cut where lanes are to meet, what is much work apart from what is little."""
        return split_blocks(self.met) if len(self.met.blocks) > 1 else self.met

    def by_threads(self, dialect: Dialect = CUDA, marks: Unmarked = UNMARKED) -> KernelModule:
        notes = f"{self.name} over lanes, each a thread of a GPU."
        return kernel_module(self.grouped, self.shared, self.name, notes, dialect, marks)
