"""A block program as the text of a module with a kernel: kernel_module : BlockProgram -> KernelModule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autobatch.cfg.graph import BlockProgram
from autobatch.cost_model import THREADS, WARP_ROUNDS
from autobatch.kernel.cuda.dialect import CUDA, Dialect
from autobatch.kernel.cuda.kernel import Kernel
from autobatch.kernel.cuda.meeting import with_meetings
from autobatch.kernel.cuda.parts import WaitedLoop
from autobatch.kernel.cuda.spelling import ThreadSpelling
from autobatch.kernel.cuda.visits import ThreadVisits
from autobatch.kernel.cuda.waiting import WaitedProduct, WaitingKernel
from autobatch.kernel.cuda.warps import WarpKernel
from autobatch.kernel.cuda.work import hot_arrays, works
from autobatch.kernel.listing import listing
from autobatch.kernel.memory.arenas import DTYPES
from autobatch.kernel.memory.thread import LOCAL, ThreadMemory
from autobatch.kernel.module import LaneModule, module_text
from autobatch.kernel.parts import is_parted
from autobatch.kernel.pipeline import LOWERED
from autobatch.profiling.probes import UNMARKED, Unmarked
from codegen import runtime
from codegen.emit.spelling import TAKEN
from codegen.ir import Equation, For, Lit, Var
from codegen.ir.traversal import nested
from codegen.loops.vectors.vectorise import FUNCTIONS
from codegen.source import refuse
from codegen.targets import TARGETS

OWN = ("cuda", "libdevice", "total", "j", "ziggurat", "ZIGGURAT")  # names of the module's own


@dataclass(frozen=True, eq=False)
class KernelModule(LaneModule):
    """run: the kernel `(lanes, [zero], [limit], [failed], *stacks, [ziggurat], *inputs, *outputs)`, a thread a lane.

    fails: whether lanes can. zero: whether it is given 0, from where local memory begins (kernel.py). tables: names of
    the module's arrays that it is given. met: the blocks at which the lanes of a warp vote. kept, products, loops: of
    lanes that wait for products, what outlives a launch, the products, and the loops at which they wait too
    (waiting.py, parts.py); the kernel is then given `places`, `waiting` and the arrays of `kept` after `lanes`.
    end: where lanes have ended. width: the threads of a lane.
    in_block: bytes of a lane in its block's memory. in_place: the results, by number, of
    which a lane writes what it makes where that goes, and nothing else (memory/only_written.py).
    """

    fails: bool = True
    zero: bool = False
    tables: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    kept: tuple[tuple[str, int], ...] = ()
    products: tuple[WaitedProduct, ...] = ()
    loops: tuple[WaitedLoop, ...] = ()
    end: int = 0
    width: int = 1
    in_block: int = 0
    in_place: tuple[int, ...] = ()

    @property
    def functions(self) -> tuple[str, ...]:
        return self.run, *(loop.kernel for loop in self.loops)


def kernel_module(
    program: BlockProgram,
    shared: Sequence[bool],
    name: str,
    notes: str = "",
    dialect: Dialect = CUDA,
    marks: Unmarked = UNMARKED,
    *,
    votes: bool = True,
    rounds: int | None = None,
    block: int = THREADS,
) -> KernelModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes.

    votes: whether the lanes of a warp may. rounds: how often a lane may go round its loops, if that is limited. block:
    threads of a block.
    """
    program, first = met(program, shared, name) if votes else (program, len(program.blocks))
    memory = thread_memory(program, shared, name, looks=rounds is not None)
    if not (memory.straight or memory.has_products):
        hot = hot_arrays(memory, ThreadVisits(memory, UNMARKED).visits())
        memory = thread_memory(program, shared, name, looks=rounds is not None, hot=hot)
    kind = kind_of_kernel(memory, dialect)
    text = kind(memory, ThreadVisits(memory, marks), ThreadSpelling(), dialect, first, rounds)
    function = text.function()
    kept = tuple((dtype, size) for _, dtype, size in text.kept) if isinstance(text, WaitingKernel) else ()
    if text.tables:
        text.spelling.wanted["ZIGGURAT"] = None
    sizes = {"THREADS": block} if memory.block_sizes else {}
    constants = "\n".join(f"{c} = {k}" for c, k in (sizes | memory.constants).items())
    written = module_text((constants, function), (text.spelling.called(),), notes, program)
    if not constants:
        written = replace(written, head=f"{written.head}\n")
    return KernelModule(
        written,
        f"{name}_kernel",
        tuple(memory.lowering.sites),
        tuple((f"{a}_stack", DTYPES[a]) for a in memory.stacks),
        together=False,
        numbers=sum(memory.sizes.values()) + sum(memory.block_sizes.values()),
        frame=memory.where.frame,
        fails=text.fails,
        zero=memory.has_local,
        tables=tuple(word.upper() for word in text.tables),
        met=tuple(visit.name for visit in text.visits[first:]) if text.votes else (),
        kept=kept,
        products=text.waited if isinstance(text, WaitingKernel) else (),
        loops=tuple(loop.waited for loop in text.part_kernels) if isinstance(text, WaitingKernel) else (),
        end=text.end,
        width=text.width if isinstance(text, WaitingKernel) else 1,
        in_block=sum(size * np.dtype(DTYPES[arena]).itemsize for arena, size in memory.block_sizes.items()),
        in_place=tuple(memory.direct.values()),
    )


def kind_of_kernel(memory: ThreadMemory, dialect: Dialect) -> type[Kernel]:
    """A lane that waits for products is a warp where it has long loops of its own."""
    if not memory.has_products:
        return Kernel
    inside = (e for block in memory.program.blocks for e in nested(block.equations))
    return WarpKernel if dialect.has_warps and any(map(is_long_loop, inside)) else WaitingKernel


def is_long_loop(equation: Equation) -> bool:
    """Whether an equation is a loop that a warp is worth having for."""
    loop = equation.op
    if not isinstance(loop, For) or not isinstance(loop.start, Lit) or not isinstance(loop.stop, Lit):
        return False
    return loop.stop.value - loop.start.value >= WARP_ROUNDS and not is_parted(equation)


def met(program: BlockProgram, shared: Sequence[bool], name: str) -> tuple[BlockProgram, int]:
    """The blocks at which the lanes of a warp wait for each other last; the first of them."""
    return with_meetings(program, works_of(program, shared, name))


def works_of(program: BlockProgram, shared: Sequence[bool], name: str) -> list[float]:
    """What a lane does in each block."""
    return works(ThreadVisits(thread_memory(program, shared, name), UNMARKED).visits(), len(program.blocks))


def thread_memory(
    program: BlockProgram,
    shared: Sequence[bool],
    name: str,
    *,
    looks: bool = False,
    hot: Sequence[Var] = (),
) -> ThreadMemory:
    """Where everything is, under names that the text has not taken; SourceError where it is too much."""
    called = TARGETS["numba"].helper_names(program.program)
    helpers = runtime.defines([*FUNCTIONS, *called, "ZIGGURAT", "fast_quotient"], device=True)
    memory = ThreadMemory(program, shared, name, {*TAKEN, *OWN, *helpers}, looks=looks, hot=hot)
    if (size := 8 * sum(memory.sizes.values())) > LOCAL and not memory.has_products:
        raise refuse(
            program.program.entry.span,
            f"a lane's arrays take {size:,} bytes, of which a thread of a GPU has {LOCAL:,}; "
            "use smaller arrays, or target='numba'",
        )
    return memory


def thread_stages(program: BlockProgram, shared: Sequence[bool], name: str, *, votes: bool) -> dict[str, str]:
    """The statements of all visits, and of the parts of loops."""
    program = met(program, shared, name)[0] if votes else program
    made = ThreadVisits(thread_memory(program, shared, name), UNMARKED)
    listed = [(f"{v.number} {v.name}", v.region) for v in made.visits()]
    listed += [(f"{loop.waits} {loop.kernel}", made.of_a_part(loop)) for loop in made.loops]
    return {LOWERED: "\n".join(listing(*each) for each in listed)}
