"""The kernel of a long loop at which lanes wait (kernel/parts.py): PartKernel(...).function() -> text.

    @cuda.jit
    def f_loop_kernel(lanes, places, F, F_parts, y):
        thread = cuda.grid(1)
        lane, part = thread % lanes, thread // lanes & 2047
        pc = places[lane]
        if part >= 128 or pc != 2:
            return
        t = 0.0
        i = part
        while i < 10000:
            ...                                     F[LOGITS + i, lane]
            i += 128
        F_parts[T_PARTS + part, lane] = t

Arrays of lanes lie lanes innermost, and neighbouring parts have neighbouring rounds: so neighbouring threads have
neighbouring numbers, however many lanes there are. There are not as many as 2048 parts and threads of a block: said so,
the compiler knows that no place is negative, and counts by additions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autobatch.kernel.cuda.dialect import Dialect
from autobatch.kernel.cuda.spelling import ThreadSpelling
from autobatch.kernel.cuda.statements import ThreadStatements
from autobatch.kernel.cuda.visits import ThreadVisits
from autobatch.kernel.numba.addresses import element_text
from autobatch.kernel.parts import PartedLoop
from autobatch.kernel.walk import memories_in


@dataclass(frozen=True)
class WaitedLoop:
    """Lanes at these places have a loop gone through in so many parts.

    kernel: its name. given: which of the arguments it takes that follow `places` in the kernel of lanes.
    """

    places: tuple[int, ...]
    kernel: str
    given: tuple[int, ...]
    parts: int


class PartKernel(ThreadStatements):
    """`given`: the arguments of the kernel of lanes that follow `places`."""

    def __init__(
        self,
        loop: PartedLoop,
        visits: ThreadVisits,
        spelling: ThreadSpelling,
        dialect: Dialect,
        given: Sequence[str],
    ):
        super().__init__(spelling, 0, loop.memory.frames, straight=True)
        self.parted, self.dialect, self.given = loop, dialect, given
        self.work = visits.of_a_part(loop)
        self.waited = WaitedLoop(visits.places(loop), loop.kernel, self.taken, loop.parts)

    @property
    def taken(self) -> tuple[int, ...]:
        used = {memory.name for memory in memories_in(self.work)}
        return tuple(k for k, name in enumerate(self.given) if name in used)

    def function(self) -> str:
        loop = self.parted
        given = [*self.dialect.given, "lanes", "places", *(self.given[k] for k in self.taken)]
        self.line(self.dialect.decorator())
        with self.block(f"def {loop.kernel}({', '.join(given)}):"):
            self.line(
                f'"""A thread for each of {loop.parts} parts of the {len(loop.rounds):,} rounds of a lane."""'
            )
            self.reciprocals(loop.memory, self.work)
            self.line(f"thread = {self.dialect.lane()}")
            self.line("lane, part = thread % lanes, thread // lanes & 2047")
            elsewhere = " and ".join(f"pc != {place}" for place in self.waited.places)
            elsewhere = f"({elsewhere})" if len(self.waited.places) > 1 else elsewhere
            self.line("pc = places[lane]")
            self.written([f"if part >= {loop.parts} or {elsewhere}:", "    return"])
            self.region(self.work)
        return self.text

    def leave(self, number: int) -> None:
        """The first round of a part that fails is its last."""
        loop = self.parted
        sites, which = len(loop.sites) + 1, loop.sites.index(number) + 1
        self.line(f"{element_text(loop.failures, 'part')} = {loop.index.name} * {sites} + {which}")
        self.line("return")
