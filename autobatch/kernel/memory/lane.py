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
from autobatch.kernel.ir import Address, Layout, Memory
from autobatch.kernel.loops import LONG, is_long
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.arenas import ARENAS
from autobatch.kernel.memory.register_allocation import Slots, slots
from autobatch.kernel.panels import is_product, loop_names, panel_names, panels
from autobatch.simd.slp import packed
from codegen.emit.coalescing import candidates
from codegen.ir import Equation, For, Type, Var
from codegen.ir.substitution import blocks as blocks_of
from codegen.source import Span, refuse


class LaneMemory:
    """The memory of a lane that runs a block program, and the names of what is there; `words` are not to be used.

    fixed: shared arrays that stay where they are. panels: by their first equation; kept: what waiting lanes keep.
    """

    def __init__(self, program: BlockProgram, shared: Sequence[bool], name: str, words: Collection[str]):
        self.name = name
        self.shared = dict(zip(program.entry.params, shared, strict=True))
        assigned = {v for block in program.blocks for v in writes(program, block)}
        self.fixed = [v for v, one in self.shared.items() if one and is_large(v) and v not in assigned]
        self.program, self.panels = panels(program, self.fixed)
        self.where: Storage = assign_storage(self.program)
        self.avoid = {*words, *self.words()}
        self.slots: Slots = slots(self.program, self.where, self.fixed, self.avoid)
        self.constants: dict[str, int] = {}  # where each array begins
        self.sizes: dict[str, int] = dict.fromkeys(ARENAS.values(), 0)
        self.kept: dict[str, dict[str, int]] = {}
        self.homes = self.places_of()
        self.lowering = Lowering(self.slots, self.memory, returns=False, selects=self.packed)
        self.inputs = self.argument_names()
        self.outputs = [f"out{k}" for k in range(len(program.entry.results))]

    def words(self) -> set[str]:
        """The names of arrays, functions and registers that the text has besides."""
        found = {
            "lane",
            "first",
            "last",
            "limit",
            "failed",
            "pc",
            "depth",
            "k",
            *ARENAS.values(),
            f"{self.name}_lanes",
        }
        found |= {f"{p.name}_lanes_before" for p in self.shared}
        for panel, word in panel_names(self.name, self.panels.values()).items():
            found |= {word, *loop_names(word, panel)}
        return found | {
            f"{a}_{w}" for a in ARENAS.values() for w in ("all", "kept", "stacks", "tops", "stack", "top")
        }

    def argument_names(self) -> list[str]:
        """A name for each parameter's argument; fixed shared arrays keep their own."""
        taken = set(self.slots.names.values()) | self.avoid
        found = []
        for param, is_shared in self.shared.items():
            if param in self.fixed:
                found.append(self.slots.names[param])
                continue
            base = f"{param.name}_{'shared' if is_shared else 'lanes'}"
            word = next(c for c in candidates(base) if c not in taken)
            taken.add(word)
            found.append(word)
        return found

    def memory(self, var: Var) -> Memory | None:
        """Where a lane's array is; None for one of the caller's, and for a stream, which has a name."""
        return None if var in self.fixed else self.homes.get(self.slots.names.get(var, ""))

    def places_of(self) -> dict[str, Memory]:
        """Slot name of an array -> where it is: in an arena, from a constant on."""
        found: dict[str, Memory] = {}
        taken = set(self.slots.names.values()) | self.avoid
        own = {v for panel in self.panels.values() for v in panel.inside()}
        for var, slot in self.slots.names.items():
            if (
                not var.type.rank
                or var in own
                or var.type.dtype == "rng"
                or var in self.fixed
                or slot in found
            ):
                continue
            if not all(isinstance(n, int) for n in var.type.shape):
                raise refuse(
                    made_at(self.program, var),
                    f"the size of the array {var.name!r} is not known before the program runs: {var.type}; "
                    "use the largest size and a mask (np.where), or a loop over the elements",
                )
            arena = ARENAS[var.type.dtype]
            constant = next(c for c in candidates(slot.upper()) if c not in taken)
            taken.add(constant)
            found[slot] = Memory(Layout.ARENA, arena, constant, var.type)
            size: int = prod(var.type.shape)  # type: ignore[arg-type]
            if size > LONG:
                self.sizes[arena] += -self.sizes[arena] % LINE
            self.constants[constant] = self.sizes[arena]
            self.sizes[arena] += size + (APART if size % PAGE == 0 else 0)
        return found

    @property
    def wide(self) -> bool:
        """Whether there are loops for which the widest vector instructions pay."""
        return any(has_long_loop(e) for block in self.program.blocks for e in block.equations)

    @cached_property
    def has_products(self) -> bool:
        return any(is_product(e, self.fixed) for block in self.program.blocks for e in block.equations)

    @cached_property
    def packed(self) -> bool:
        """Whether unrolled loops are to become vectors; not where lanes wait for products."""
        return not self.has_products and packed(self.program)

    @property
    def aligned(self) -> bool:
        """Whether vectors are to lie in one cache line each."""
        return self.wide or self.packed

    @property
    def arenas(self) -> list[str]:
        used = {home.name for home in self.homes.values()}
        return [a for a in self.sizes if a in used]

    @property
    def stacks(self) -> list[str]:
        """The arenas whose dtypes some pushed variable has."""
        kinds = dict.fromkeys(ARENAS[v.type.dtype] for v in self.where.stacks)
        return [a for a in ARENAS.values() if a in kinds]

    def column(self, var: Var, which: str = "") -> Address:
        """Where a waiting lane keeps a number."""
        kind = f"{ARENAS[var.type.dtype]}_kept"
        columns = self.kept.setdefault(kind, {})
        number = columns.setdefault(f"{self.slots.names[var]} {which}", len(columns))
        return Address(Memory(Layout.KEPT, kind, number, Type(var.type.dtype)))


def made_at(whole: BlockProgram, var: Var) -> Span | None:
    """The user's line that gives a variable its value, or the function's first."""
    todo = [e for block in whole.blocks for e in block.equations]
    while todo:
        equation = todo.pop()
        if var in equation.outs and equation.span is not None:
            return equation.span
        todo += [e for block in blocks_of(equation.op) for e in block.equations]
    return whole.program.entry.span


SHORT = 64  # operations of a lane; calls of lanes as short as that are cut short by others (executor.py)
SMALL = 256  # elements
PAGE = (
    512  # numbers: what is so far apart, or a multiple of it, is one place to a processor's buffer of stores
)
APART = 32  # numbers between arrays that would be
LINE = 8  # numbers of a cache line: long arrays begin with one


def is_large(var: Var) -> bool:
    """A shared array that is read where it is; small ones are copied into a lane's memory, where LLVM knows them."""
    return var.type.rank > 0 and prod(n if isinstance(n, int) else SMALL for n in var.type.shape) > SMALL


def has_long_loop(equation: Equation) -> bool:
    """Whether an equation is a loop over a long range, or has one inside."""
    op = equation.op
    return (isinstance(op, For) and is_long(op)) or any(
        has_long_loop(e) for b in blocks_of(op) for e in b.equations
    )
