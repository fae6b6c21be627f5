"""Where everything of a lane is that runs by itself: arrays side by side in one array a dtype, numbers in registers.

F[Q + i], Q = 24        an element of an array of the lane's
X[i, j]                 one of a large array that all lanes share, which stays the caller's
F_kept[lane - first, 3] a number of a lane that waits for a product
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from math import prod

from autobatch.cfg.graph import BlockProgram, writes
from autobatch.cfg.spilling import Storage, assign_storage
from autobatch.cost_model import CACHE_LINE, PAGE_OFFSET, SMALL_ARRAY, STORE_BUFFER_PAGE
from autobatch.kernel.ir import Address, Layout, Memory
from autobatch.kernel.loops import LONG, draws_often, is_long
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.arenas import ARENAS, element_count, is_stream
from autobatch.kernel.memory.program import ProgramMemory
from autobatch.kernel.memory.register_allocation import slots
from autobatch.kernel.panels import Panel, loop_names, panel_names, panels, shared_product
from autobatch.simd.slp import fills_vectors_unrolled
from codegen.emit.coalescing import identifier
from codegen.ir import Equation, For, Type, Var
from codegen.ir.traversal import nested

WORDS = "lane first last limit failed pc depth k made given0 given1 given2"


class LaneMemory(ProgramMemory):
    """The memory of a lane that runs a block program, and the names of what is there; `words` are not to be used.

    fixed: shared arrays that stay where they are. panels: by their first equation; kept: what waiting lanes keep.
    """

    def __init__(self, program: BlockProgram, shared: Sequence[bool], name: str, words: Collection[str]):
        self.name = name
        self.shared = dict(zip(program.entry.params, shared, strict=True))
        assigned = {v for block in program.blocks for v in writes(program, block)}
        self.fixed = [
            v for v, one in self.shared.items() if one and self.stays_with_caller(v) and v not in assigned
        ]
        self.program, self.panels = self.in_panels(program)
        self.where = self.storage()
        self.taken = {*words, *self.words()}
        self.slots = slots(self.program, self.where, self.fixed, self.taken)
        self.taken |= set(self.slots.names.values())
        self.constants: dict[str, int] = {}  # where each array begins
        self.sizes: dict[str, int] = dict.fromkeys(ARENAS.values(), 0)
        self.kept: dict[str, dict[str, int]] = {}
        self.outputs = [self.fresh(f"out{k}") for k in range(len(program.entry.results))]
        self.homes = self.places_of()
        self.lowering = self.lowered()
        self.inputs = [self.argument(param) for param in self.shared]

    def storage(self) -> Storage:
        """Where variables live."""
        return assign_storage(self.program)

    def in_panels(self, program: BlockProgram) -> tuple[BlockProgram, dict[Equation, Panel]]:
        """The program, and what of it is done panel by panel."""
        return panels(program, self.fixed)

    def lowered(self) -> Lowering:
        """How equations become statements."""
        return Lowering(self.slots, self.memory, returns=False, selects=self.packed)

    def stays_with_caller(self, var: Var) -> bool:
        """A shared array that is read where it is; small ones are copied to a lane's memory, where LLVM knows them."""
        return (
            var.type.rank > 0
            and prod(n if isinstance(n, int) else SMALL_ARRAY for n in var.type.shape) > SMALL_ARRAY
        )

    def words(self) -> set[str]:
        """The names of arrays, functions and registers that the text has besides."""
        arenas, parts = ARENAS.values(), ("all", "kept", "stacks", "tops", "stack", "top")
        found = {
            *WORDS.split(),
            *arenas,
            f"{self.name}_lanes",
            *(f"{a}_{part}" for a in arenas for part in parts),
        }
        found |= {f"{identifier(p.name)}_lanes_before" for p in self.shared}
        for panel, word in panel_names(self.name, self.panels.values()).items():
            found |= {word, *loop_names(word, panel)}
        return found

    def memory(self, var: Var) -> Memory | None:
        """Where a lane's array is; None for one of the caller's, and for a stream, which has a name."""
        return None if var in self.fixed else self.homes.get(self.slots.names.get(var, ""))

    def places_of(self) -> dict[str, Memory]:
        """Slot name of an array -> where it is."""
        found: dict[str, Memory] = {}
        own = {v for panel in self.panels.values() for v in panel.inside()}
        for var, slot in self.slots.names.items():
            if not var.type.rank or var in own or is_stream(var) or var in self.fixed or slot in found:
                continue
            found[slot] = self.place(var, slot)
        return found

    def place(self, var: Var, slot: str) -> Memory:
        """Where an array is that has this slot: in an arena, from a constant on."""
        self.must_know_size(var)
        arena, constant, size = ARENAS[var.type.dtype], self.fresh(slot.upper()), element_count(var.type)
        if size > LONG:
            self.sizes[arena] += -self.sizes[arena] % CACHE_LINE
        self.constants[constant] = self.sizes[arena]
        self.sizes[arena] += size + (PAGE_OFFSET if size % STORE_BUFFER_PAGE == 0 else 0)
        return Memory(Layout.ARENA, arena, constant, var.type)

    @property
    def wide(self) -> bool:
        """Whether there are loops for which the widest vector instructions pay."""
        listed = (e.op for block in self.program.blocks for e in nested(block.equations))
        return any(isinstance(op, For) and is_long(op) for op in listed)

    @property
    def draws_often(self) -> bool:
        """Whether a loop that LLVM would unroll draws many numbers."""
        return any(draws_often(block.equations) for block in self.program.blocks)

    @cached_property
    def has_products(self) -> bool:
        return any(
            shared_product(e, self.fixed) is not None
            for block in self.program.blocks
            for e in block.equations
        )

    @cached_property
    def packed(self) -> bool:
        """Whether unrolled loops are to become vectors; not where lanes wait for products."""
        return not self.has_products and fills_vectors_unrolled(self.program)

    @property
    def aligned(self) -> bool:
        """Whether vectors are to lie in one cache line each."""
        return self.wide or self.packed

    @property
    def own_streams(self) -> list[str]:
        """The names of streams that are in no argument, and have memory of their own."""
        names = [name for var, name in self.slots.names.items() if is_stream(var)]
        given = {self.slots.names.get(param) for param in self.stream_arguments}
        return [name for name in dict.fromkeys(names) if name not in given]

    @property
    def arenas(self) -> list[str]:
        used = {home.name for home in self.homes.values()}
        return [a for a in self.sizes if a in used]

    def column(self, var: Var, which: str = "") -> Address:
        """Where a waiting lane keeps a number."""
        arena = ARENAS[var.type.dtype]
        columns = self.kept.setdefault(arena, {})
        number = columns.setdefault(f"{self.slots.names[var]} {which}", len(columns))
        return Address(Memory(Layout.KEPT, f"{arena}_kept", number, Type(var.type.dtype)))
