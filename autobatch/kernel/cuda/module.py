"""A block program as the text of a module with a kernel: kernel_module : BlockProgram -> KernelModule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autobatch.cfg.graph import BlockProgram
from autobatch.kernel.cuda.dialect import CUDA, Dialect
from autobatch.kernel.cuda.kernel import Kernel
from autobatch.kernel.cuda.meeting import with_meetings
from autobatch.kernel.cuda.spelling import ThreadSpelling
from autobatch.kernel.cuda.waiting import WaitedProduct, WaitingKernel
from autobatch.kernel.lane_visits import LaneVisits
from autobatch.kernel.listing import listing
from autobatch.kernel.memory.arenas import TYPES
from autobatch.kernel.memory.thread import LOCAL, ThreadMemory
from autobatch.kernel.module import LaneModule, module_text
from autobatch.kernel.pipeline import LOWERED
from autobatch.profiling.probes import UNMARKED, Unmarked
from codegen import runtime
from codegen.emit.module import sections
from codegen.emit.spelling import TAKEN
from codegen.loops.vectorise import FUNCTIONS
from codegen.source import refuse
from codegen.targets import TARGETS

OWN = ("cuda", "libdevice", "total", "j", "ziggurat", "ZIGGURAT")  # names of the module's own


@dataclass(frozen=True, eq=False)
class KernelModule(LaneModule):
    """run: the kernel `(lanes, [once], [limit], failed, *stacks, [ziggurat], *inputs, *outputs)`, a thread a lane.

    once: whether it is given 1, where it has several blocks (statements.py). tables: names of the module's arrays that
    it is given. met: the blocks at which the lanes of a warp vote. kept, products: of lanes that wait for products,
    what outlives a launch, and the products (waiting.py); the kernel is then given `places` and the arrays of `kept`
    after `lanes`. end: where lanes have ended.
    """

    once: bool = False
    tables: tuple[str, ...] = ()
    met: tuple[str, ...] = ()
    kept: tuple[tuple[str, int], ...] = ()
    products: tuple[WaitedProduct, ...] = ()
    end: int = 0


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
) -> KernelModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes.

    votes: whether the lanes of a warp may. rounds: how often a lane may go round its loops, if that is limited.
    """
    program, first = with_meetings(program) if votes else (program, len(program.blocks))
    memory = thread_memory(program, shared, name, looks=rounds is not None)
    kind = WaitingKernel if memory.has_products else Kernel
    text = kind(memory, LaneVisits(memory, marks), ThreadSpelling(), dialect, first, rounds)
    function = text.function()
    kept = tuple((dtype, size) for _, dtype, size in text.kept) if isinstance(text, WaitingKernel) else ()
    if text.tables:
        text.spelling.wanted["ZIGGURAT"] = None
    constants = "\n".join(f"{c} = {k}" for c, k in memory.constants.items())
    code = sections((constants, function), (text.spelling.called(),))
    code = code if constants else f"\n{code}"
    return KernelModule(
        module_text(code, notes, program),
        f"{name}_kernel",
        tuple(memory.lowering.sites),
        tuple((f"{a}_stack", TYPES[a].removeprefix("np.")) for a in memory.stacks),
        together=False,
        numbers=sum(memory.sizes.values()),
        frame=memory.where.frame,
        once=not memory.straight,
        tables=tuple(word.upper() for word in text.tables),
        met=tuple(visit.name for visit in text.visits[first:]) if text.votes else (),
        kept=kept,
        products=text.waited if isinstance(text, WaitingKernel) else (),
        end=text.end,
    )


def thread_memory(
    program: BlockProgram, shared: Sequence[bool], name: str, *, looks: bool = False
) -> ThreadMemory:
    """Where everything is, under names that the text has not taken; SourceError where it is too much."""
    called = TARGETS["numba"].helper_names(program.program)
    helpers = runtime.defines([*FUNCTIONS, *called, "ZIGGURAT"], device=True)
    memory = ThreadMemory(program, shared, name, {*TAKEN, *OWN, *helpers}, looks=looks)
    if (size := 8 * sum(memory.sizes.values())) > LOCAL and not memory.has_products:
        raise refuse(
            program.program.entry.span,
            f"a lane's arrays take {size:,} bytes, of which a thread of a GPU has {LOCAL:,}; "
            "use smaller arrays, or target='numba'",
        )
    return memory


def thread_stages(program: BlockProgram, shared: Sequence[bool], name: str, *, votes: bool) -> dict[str, str]:
    """The statements of all visits."""
    program = with_meetings(program)[0] if votes else program
    visits = LaneVisits(thread_memory(program, shared, name), UNMARKED).visits()
    return {LOWERED: "\n".join(listing(f"{v.number} {v.name}", v.region) for v in visits)}
