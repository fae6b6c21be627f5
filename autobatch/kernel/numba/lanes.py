"""A block program as the text of a module that runs each lane by itself: lanes_module : BlockProgram -> LaneModule."""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.cfg.graph import BlockProgram
from autobatch.kernel.lane_visits import LaneVisits
from autobatch.kernel.listing import listing
from autobatch.kernel.memory.arenas import DTYPES
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.module import LaneModule, module_text
from autobatch.kernel.numba import hints
from autobatch.kernel.numba.one_by_one import OneByOne
from autobatch.kernel.numba.products import Together
from autobatch.kernel.numba.spelling import STEPS, LaneSpelling
from autobatch.kernel.pipeline import LOWERED
from autobatch.profiling.probes import UNMARKED, Unmarked
from codegen import runtime
from codegen.emit.spelling import TAKEN
from codegen.loops.vectors.vectorise import FUNCTIONS
from codegen.targets import TARGETS

# Names of the module's own.
OWN = """
    count places place waiting wanted most n j rows products depths begin some size
    Distinct Packed Compiler config muladd select yes use_wide_registers draws_kept_whole aligned
    kept_apart attends look said_at last_of stopped raise_waiting strip intrinsic types
"""


def lanes_module(
    program: BlockProgram,
    shared: Sequence[bool],
    name: str,
    notes: str = "",
    tile: int | None = None,
    marks: Unmarked = UNMARKED,
) -> LaneModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes.

    `tile`: rows of a shared matrix that are taken at a time; None: chosen.
    """
    memory = lane_memory(program, shared, name, marks)
    visits, spelling = LaneVisits(memory, marks), LaneSpelling()
    text: OneByOne
    panels = []
    if memory.has_products:
        text = together = Together(memory, visits, spelling, tile)
        panels = list(together.panels.values())
    else:
        text = OneByOne(memory, visits, spelling)
    return LaneModule(
        module_text(*lane_code(text, [panel.text() for panel in panels]), notes, program),
        f"{name}_lanes",
        tuple(memory.lowering.sites),
        tuple((f"{a}_stack", DTYPES[a]) for a in memory.stacks),
        bool(visits.products),
        sum(memory.sizes.values()),
        tiles=tuple(panel.tall for panel in panels),
        frame=memory.where.frame,
        packed=memory.packed,
        reorders=memory.lowering.reorders,
    )


def lane_memory(program: BlockProgram, shared: Sequence[bool], name: str, marks: Unmarked) -> LaneMemory:
    """Where everything is, under names that the text has not taken."""
    helpers = {
        *TARGETS["numba"].helper_names(program.program),
        *runtime.defines([*STEPS.values(), *FUNCTIONS]),
    }
    return LaneMemory(program, shared, name, {*TAKEN, *OWN.split(), *helpers, *marks.words})


def lane_stages(program: BlockProgram, shared: Sequence[bool], name: str) -> dict[str, str]:
    """The statements of all visits."""
    visits = LaneVisits(lane_memory(program, shared, name, UNMARKED), UNMARKED).visits()
    return {LOWERED: "\n".join(listing(f"{v.number} {v.name}", v.region) for v in visits)}


def lane_code(text: OneByOne, panels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Constants, panels and the function over lanes; what they call."""
    memory, function = text.memory, text.function()
    constants = "\n".join(f"{c} = {k}" for c, k in memory.constants.items())
    intrinsics = text.spelling.intrinsics
    called = [
        hint for name, hint in (("select", hints.SELECT), ("muladd", hints.MULADD)) if name in intrinsics
    ]
    called += [runtime.text(text.spelling.helpers(memory.program))]
    called += [hints.ALIGNED] if panels or memory.aligned else []
    called += [hints.WIDE] if panels or memory.wide else []
    called += [hints.DRAWS] if memory.draws_often else []
    called += [hints.ATTENDS, hints.STOPS] if text.looked else []
    classes = [hints.DISTINCT] * bool(panels) + [hints.PACKED] * memory.packed
    return [constants, *classes, *panels, function], [*called, text.marks.text()]
