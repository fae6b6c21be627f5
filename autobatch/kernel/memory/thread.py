"""Where everything of a lane is that runs as a thread of a GPU: as lane.py has it, but for what lanes share.

F[Q + i], Q = 24             an element of an array of the lane's, in local memory
X[i, j]                      one of an array that all lanes share, of whatever size: lanes read it through one cache
out0[lane, i]                one of a result that is written and never read: where it goes, in global memory
F_stack[F_top + 3, lane]     a number of a frame, in global memory, lanes innermost
F[Q + i, lane]               an element of an array of the lane's, where lanes wait for products: it outlives a launch
F_kept[3, lane]              a number that it keeps until it goes on
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from autobatch.cfg.graph import BlockProgram, Return
from autobatch.kernel.ir import Address, Layout, Memory
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.memory.only_written import only_written
from autobatch.kernel.panels import Panel, shared_product
from codegen.ir import Equation, Var

LOCAL = 2**19  # bytes of a thread's own memory


class ThreadMemory(LaneMemory):
    """`straight`: there is one block, after which a lane has ended. It leaves the kernel where it fails.

    `looks`: lanes look in their loops whether they are to stop.
    """

    def __init__(
        self,
        program: BlockProgram,
        shared: Sequence[bool],
        name: str,
        words: Collection[str],
        *,
        looks: bool = False,
    ):
        self.looks = looks
        super().__init__(program, shared, name, words)

    @cached_property
    def straight(self) -> bool:
        blocks = self.program.blocks
        return len(blocks) == 1 and isinstance(blocks[0].terminator, Return) and not self.has_products

    def in_panels(self, program: BlockProgram) -> tuple[BlockProgram, dict[Equation, Panel]]:
        """What has an element a row of a shared matrix is a lane's as a whole."""
        return program, {}

    def lowered(self) -> Lowering:
        return Lowering(self.slots, self.memory, returns=self.straight, looks=self.looks)

    @cached_property
    def direct(self) -> dict[str, int]:
        """The slots of results that are written where they go."""
        found = only_written(self.program, self.where, self.slots)
        products = (e for b in self.program.blocks for e in b.equations if shared_product(e, self.fixed))
        multiplied = {self.slots.names.get(o) for e in products for o in e.outs}
        return {slot: k for slot, k in found.items() if slot not in multiplied}

    def place(self, var: Var, slot: str) -> Memory:
        if slot not in self.direct:
            place = super().place(var, slot)
            return replace(place, layout=Layout.LANES) if self.has_products else place
        self.must_know_size(var)
        return Memory(Layout.OWN, self.outputs[self.direct[slot]], 0, var.type)

    def column(self, var: Var, which: str = "") -> Address:
        address = super().column(var, which)
        assert isinstance(address.memory, Memory)
        return Address(replace(address.memory, layout=Layout.LANES))

    def stays_with_caller(self, var: Var) -> bool:
        return var.type.rank > 0

    def words(self) -> set[str]:
        return super().words() | {
            "lanes",
            "once",
            "fault",
            "here",
            "waiting",
            "places",
            "counters",
            "best",
            "most",
            "rounds",
            f"{self.name}_kernel",
        }

    @cached_property
    def packed(self) -> bool:
        return False

    @property
    def aligned(self) -> bool:
        return False
