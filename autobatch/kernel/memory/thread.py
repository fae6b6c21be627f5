"""Where everything of a lane is that runs as a thread of a GPU: as lane.py has it, but for what lanes share.

F[Q + i], Q = 24             an element of an array of the lane's, in local memory
F_block[P + i, thread]       one of an array that it uses most, in the memory of its block of threads
half[i]                      one of a small array that does not outlive a visit: numbers in registers
X[i, j]                      one of an array that all lanes share, of whatever size: lanes read it through one cache
out0[lane, i]                one of a result that is written and never read: where it goes, in global memory
I_near[2 * depth + 1]        a number of one of the first frames, in local memory (frames.py)
F_stack[20 * depth + 3, lane]  one of a later or larger frame, in global memory, lanes innermost
F[Q + i, lane]               an element of an array of the lane's, where lanes wait for products: it outlives a launch
F_kept[3, lane]              a number that it keeps until it goes on
F_parts[T_PARTS + 5, lane]   a sum that a part of a loop has left (parts.py)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from autobatch.cfg.graph import BlockProgram, Return
from autobatch.cfg.spilling import Home, Storage, assign_storage, bytes_of
from autobatch.cost_model import BLOCK_BYTES, BLOCK_BYTES_OF_SINGLE, INVERTED_ELEMENTS, OWN_REGISTERS
from autobatch.kernel.cuda.warp_loops import WarpLowering
from autobatch.kernel.ir import Address, Layout, Memory
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.arenas import ARENAS, element_count
from autobatch.kernel.memory.frames import Frames, frames_of
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.memory.only_written import only_written
from autobatch.kernel.panels import Panel, shared_product
from codegen.ir import Equation, Type, Var

LOCAL = 2**19  # bytes of a thread's own memory


class ThreadMemory(LaneMemory):
    """`straight`: there is one block, after which a lane has ended. It leaves the kernel where it fails.

    `looks`: lanes look in their loops whether they are to stop. `hot`: the arrays that lanes use most, most first. What
    of them fits is in the memory of a block, which is as near as registers and does not wait for other memory: 3.0e9
    leapfrogs a second of NUTS where local memory gave 1.8e9 (H200).
    """

    def __init__(
        self,
        program: BlockProgram,
        shared: Sequence[bool],
        name: str,
        words: Collection[str],
        *,
        looks: bool = False,
        hot: Sequence[Var] = (),
    ):
        self.looks, self.hot = looks, hot
        self.block_sizes: dict[str, int] = {}
        self.part_sizes: dict[str, int] = {}
        # A shared array -> that of its reciprocals, and their type.
        self.inverses: dict[str, tuple[str, Type]] = {}
        super().__init__(program, shared, name, words)

    @cached_property
    def straight(self) -> bool:
        blocks = self.program.blocks
        return len(blocks) == 1 and isinstance(blocks[0].terminator, Return) and not self.has_products

    def storage(self) -> Storage:
        return assign_storage(self.program, counts_depth=True)

    def in_panels(self, program: BlockProgram) -> tuple[BlockProgram, dict[Equation, Panel]]:
        """What has an element a row of a shared matrix is a lane's as a whole."""
        return program, {}

    def lowered(self) -> Lowering:
        kind = WarpLowering if self.has_products else Lowering
        return kind(self.slots, self.memory, returns=self.straight, looks=self.looks)

    @cached_property
    def frames(self) -> Frames:
        return frames_of(self.where, self.slots.names, near=not self.has_products)

    @cached_property
    def direct(self) -> dict[str, int]:
        """The slots of results that are written where they go."""
        found = only_written(self.program, self.where, self.slots)
        products = (e for b in self.program.blocks for e in b.equations if shared_product(e, self.fixed))
        multiplied = {self.slots.names.get(o) for e in products for o in e.outs}
        return {slot: k for slot, k in found.items() if slot not in multiplied}

    def place(self, var: Var, slot: str) -> Memory:
        self.must_know_size(var)
        if slot in self.own:
            return Memory(Layout.PLACES, slot, 0, var.type)
        if slot in self.near:
            return self.block_place(var, slot)
        if slot not in self.direct:
            place = super().place(var, slot)
            return replace(place, layout=Layout.LANES) if self.has_products else place
        return Memory(Layout.OWN, self.outputs[self.direct[slot]], 0, var.type)

    @cached_property
    def own(self) -> dict[str, Type]:
        """The slots of small arrays that do not outlive a visit, in a kernel of several blocks."""
        if self.straight or self.has_products:
            return {}
        held = [
            (slot, var) for var, slot in self.slots.names.items() if var.type.rank and var not in self.fixed
        ]
        lasting = {
            slot for slot, var in held if self.where.homes.get(var, Home.TEMPORARY) is not Home.TEMPORARY
        }
        return {
            slot: var.type
            for slot, var in held
            if slot not in lasting and var.type.rank == 1 and 0 < element_count(var.type) <= OWN_REGISTERS
        }

    @cached_property
    def near(self) -> set[str]:
        """The slots of arrays that are in the memory of the block."""
        single = all(bytes_of(var) <= 4 * element_count(var.type) for var in self.hot)
        found, left = set[str](), BLOCK_BYTES_OF_SINGLE if single else BLOCK_BYTES
        for var in self.hot:
            slot, size = self.slots.names[var], bytes_of(var)
            if slot not in found and size <= left:
                found.add(slot)
                left -= size
        return found

    def block_place(self, var: Var, slot: str) -> Memory:
        arena, constant = ARENAS[var.type.dtype], self.fresh(slot.upper())
        self.constants[constant] = self.block_sizes.get(arena, 0)
        self.block_sizes[arena] = self.constants[constant] + element_count(var.type)
        return Memory(Layout.LANES, f"{arena}_block", constant, var.type, row="thread")

    def inverse(self, memory: Memory) -> Memory | None:
        """The reciprocals of a small array that lanes share, which a block of threads has if it uses them often."""
        whole = next((v for v in self.fixed if self.slots.names[v] == memory.name), None)
        if self.straight or whole is None or memory.layout is not Layout.PLACES:
            return None
        if not all(isinstance(n, int) for n in whole.type.shape) or whole.type.rank > 1:
            return None
        if element_count(whole.type) > INVERTED_ELEMENTS:
            return None
        if memory.name not in self.inverses:
            self.inverses[memory.name] = self.fresh(f"{memory.name}_inverse"), whole.type
        return replace(memory, name=self.inverses[memory.name][0])

    @property
    def has_local(self) -> bool:
        """Whether there are arrays of lanes in local memory, in a kernel of several blocks (kernel.py)."""
        return bool(self.arenas) and not (self.straight or self.has_products)

    def column(self, var: Var, which: str = "") -> Address:
        address = super().column(var, which)
        assert isinstance(address.memory, Memory)
        return Address(replace(address.memory, layout=Layout.LANES))

    def parts_place(self, word: str, type_: Type, count: int) -> Memory:
        """Where each of so many parts of a loop leaves a number."""
        arena, constant = ARENAS[type_.dtype], self.fresh(f"{word}_parts".upper())
        self.constants[constant] = self.part_sizes.get(arena, 0)
        self.part_sizes[arena] = self.constants[constant] + count
        return Memory(Layout.LANES, f"{arena}_parts", constant, Type(type_.dtype, (count,)))

    def stays_with_caller(self, var: Var) -> bool:
        return var.type.rank > 0

    def words(self) -> set[str]:
        return super().words() | {
            "lanes",
            "zero",
            "thread",
            "THREADS",
            "fault",
            "here",
            "waiting",
            "places",
            "counters",
            "best",
            "most",
            "rounds",
            "near",
            "room",
            "part",
            "failing",
            "distance",
            "drawn",
            "place",
            f"{self.name}_kernel",
            *(f"{arena}_{what}" for arena in ARENAS.values() for what in ("block", "parts", "near")),
        }

    @cached_property
    def packed(self) -> bool:
        return False

    @property
    def aligned(self) -> bool:
        return False
