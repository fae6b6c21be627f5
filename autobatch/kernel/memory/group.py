"""Where everything of a group is: the names, rows and constants of its memory.

PC = 0, FAILED = 24, ENERGY0 = 416        rows of the group's numbers: I[PC + lane], F[ENERGY0 + lane]
MOMENTUM = 928                            the first of an array's rows: F[MOMENTUM + 3 * LS + lane]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from autobatch.cfg.graph import BlockProgram, terminator_atoms, terminator_moves, variables_read, writes
from autobatch.cfg.liveness import live_in
from autobatch.cfg.spilling import assign_storage
from autobatch.cost_model import (
    COPIED_SHARED_ARRAY,
    DISTRIBUTED_GROUP_LANES,
    GROUP_LANES,
    GROUP_NUMBERS,
    LARGEST_GROUP_LANES,
    OWN_ARRAY,
    ROW_PADDING,
)
from autobatch.kernel.ir import Layout, Memory
from autobatch.kernel.memory.arenas import ARENAS, arena_type, element_count, is_stream
from autobatch.kernel.memory.program import ProgramMemory
from autobatch.kernel.memory.register_allocation import slots
from autobatch.kernel.numba.spelling import STEPS
from autobatch.profiling.probes import Unmarked
from autobatch.schedule import Schedule
from autobatch.simd.block_splitting import wide_blocks
from autobatch.simd.loop_distribution import loop_parts, straights
from codegen import runtime
from codegen.emit.expression_folding import named_reads
from codegen.emit.spelling import TAKEN
from codegen.ir import Type, Var
from codegen.ir.traversal import binds
from codegen.loops.fusion import read_by
from codegen.loops.vectors.vectorise import FUNCTIONS
from codegen.targets import TARGETS

WORDS = """
    lane n j k first last limit failed number coming more next_lanes add_at_once until where total most count fault
    load finish advance onwards wider aligned memory
    load_all finish_all advance_all fail_all some
    muladd select use_wide_registers read_anywhere lanes_apart two_vectors_at_once rarely_called MEMORY
    Compiler Distinct Within
    C S R W L N G LS PC FAILED NUMBER DEPTH END FULL
    FEW few closer place free idle unroll_loops draws_kept_whole
    kept_apart attends look said_at last_of stopped raise_waiting turns strip intrinsic types
"""
RESERVED = {
    *WORDS.split(),
    *ARENAS.values(),
    *(f"{a}_{what}" for a in ARENAS.values() for what in ("stack", "TOP")),
    *(f"{a.lower()}_top" for a in ARENAS.values()),
}


class GroupPlace(NamedTuple):
    """Where something is in a memory: behind so many numbers, rows of a group's numbers, and words of its streams."""

    number: int = 0
    rows: int = 0
    words: int = 0


KINDS = {**ARENAS, "b1": "I"}  # where numbers that outlive a block are: flags are 0 and 1


class GroupMemory(ProgramMemory):
    """The memory of a group that runs a block program, and the names of what is there."""

    kinds = KINDS

    def __init__(
        self, program: BlockProgram, shared: Sequence[bool], name: str, schedule: Schedule, marks: Unmarked
    ):
        self.layout, self.marks = schedule.layout, marks
        self.program, self.name = program, name
        self.shared = dict(zip(program.entry.params, shared, strict=True))
        self.where = assign_storage(program)
        self.live = live_in(program)
        self.end = len(program.blocks)
        self.wide = wide_blocks(program)
        assigned = {v for block in program.blocks for v in writes(program, block)}
        self.fixed = [v for v, one in self.shared.items() if one and v.type.rank and v not in assigned]
        helpers = runtime.defines([*STEPS.values(), "fast_quotient", *FUNCTIONS])
        self.taken = {*TAKEN, *RESERVED, f"{name}_lanes", *marks.words, *helpers}
        self.taken |= set(TARGETS["numba"].helper_names(program.program))
        self.slots = slots(program, self.where, self.fixed, self.taken)
        self.taken |= set(self.slots.names.values())
        self.inputs = [self.argument(p) for p in self.shared]
        self.outputs = [self.fresh(f"out{k}") for k in range(len(program.entry.results))]
        self.rows: dict[str, int] = {}
        self.constants: dict[str, GroupPlace] = {}
        self.shares: dict[str, tuple[str, int]] = {}  # constant -> the argument copied there, its size
        self.inverses: dict[str, str] = {}  # such a constant -> that of the reciprocals
        self.owned: dict[str, Type] = {}  # memory of large arrays of lanes -> type
        self.tall: dict[
            str, tuple[str, int]
        ] = {}  # memory of large arrays in rows -> arena of its dtype, elements
        self.homes: dict[str, Memory] = {}
        self.streams = 0
        self.cold = 0
        self.hot = self.side_by_side()
        self.registers = {self.slots.names[v] for v in self.where.registers if v in self.slots.names}
        self.parts = {k: loop_parts(b) for k, b in enumerate(program.blocks) if self.wide[k]}
        self.registers |= {self.slots.names[v] for v in self.crossing()}
        self.place_all()
        least = (
            DISTRIBUTED_GROUP_LANES if any(len(parts) > 1 for parts in self.parts.values()) else GROUP_LANES
        )
        self.group = schedule.group or max(fitting(self.numbers_of_a_lane), least)
        self.few = least if least < self.group else 0  # lanes that run for themselves when no others come

    def constant(self, hint: str, place: GroupPlace) -> str:
        """A new constant for a place."""
        name = self.fresh(hint.upper())
        self.constants[name] = place
        return name

    def row(self, kind: str, hint: str, count: int) -> str:
        """A constant for `count` new rows of an arena."""
        at = self.rows.get(kind, 0)
        self.rows[kind] = at + count
        return self.constant(hint, GroupPlace(rows=at))

    def place_all(self) -> None:
        for n, own in enumerate(("PC", "FAILED", "NUMBER", "DEPTH", *(f"{a}_TOP" for a in self.stacks))):
            self.constants[own] = GroupPlace(rows=n)
            self.rows["I"] = n + 1
        outs = {
            self.slots.names.get(r): o for r, o in zip(self.program.entry.results, self.outputs, strict=True)
        }
        for var, slot in self.slots.names.items():
            if slot in self.homes:
                continue
            if is_stream(var):
                constant = self.constant(slot, GroupPlace(words=16 * self.streams))
                self.streams += 1
                self.homes[slot] = Memory(Layout.STREAM, "R", constant, var.type)
            elif var.type.rank:
                self.homes[slot] = self.array_place(var, slot, outs.get(slot))
            elif slot in self.registers:
                kind = KINDS[var.type.dtype]
                self.homes[slot] = Memory(Layout.ROWS, kind, self.row(kind, slot, 1), arena_type(var.type))
        for slot in (self.slots.names[v] for v in self.fixed):
            if self.homes[slot].layout is Layout.PLACES:
                del self.homes[slot]

    def crossing(self) -> Iterable[Var]:
        """The numbers that a part of a block reads and another part made."""
        for k, parts in self.parts.items():
            for part, indices in straights(parts):
                ends = terminator_atoms(self.program.blocks[k]) if part.last else ()
                read = [*(a for _, a in (*part.before, *part.after)), *ends]
                read += [v for e in part.equations for v in variables_read(e)]
                made = {o for e in part.equations for o in e.outs} | {to for to, _ in part.before}
                for var in {v for a in read for v in named_reads(a, self.slots.folded)}:
                    if len(parts) > 1 and var in self.slots.names and not var.type.rank:
                        yield from () if var in made or var in indices or is_stream(var) else (var,)

    def side_by_side(self) -> set[str]:
        """The slots of arrays that blocks run side by side use: they are kept lanes innermost."""
        found: set[Var] = set()
        for k, block in enumerate(self.program.blocks):
            if not self.wide[k]:
                continue
            found |= {*read_by(block.equations), *chain.from_iterable(map(binds, block.equations))}
            for moves in (block.arrives, *terminator_moves(block)):
                found |= {v for move in moves for v in move if isinstance(v, Var)}
        return {self.slots.names[v] for v in found if v in self.slots.names}

    def array_place(self, var: Var, slot: str, out: str | None) -> Memory:
        """Where an array is; `out`: the result that it becomes."""
        self.must_know_size(var)
        size, kind = element_count(var.type), ARENAS[var.type.dtype]
        if var in self.fixed:
            if var.type.dtype != "f8" or size > COPIED_SHARED_ARRAY:
                return Memory(Layout.PLACES, slot, "", var.type)
            constant = self.constant(slot, GroupPlace(self.shared_numbers))
            self.shares[constant] = slot, size
            return Memory(Layout.SHARED, "S", constant, var.type)
        if size > OWN_ARRAY and slot in self.hot:
            memory = self.fresh(f"{slot}_rows")
            self.tall[memory] = kind, size
            return Memory(Layout.ROWS, memory, "", var.type)
        if size > OWN_ARRAY:
            memory = out or self.fresh(f"{slot}_all")
            if not out:
                self.owned[memory] = var.type
            return Memory(Layout.OWN, memory, 0, var.type, row="number" if out else "lane")
        if kind == "F" and slot not in self.hot and self.layout == "mixed":
            constant = self.constant(slot, GroupPlace(self.cold))
            self.cold += max(size, 1)
            return Memory(Layout.COLD, "C", constant, var.type)
        return Memory(Layout.ROWS, kind, self.row(kind, slot, size), var.type)

    @property
    def stride(self) -> int:
        """Numbers from one row to the next."""
        return self.group + (ROW_PADDING if self.group > GROUP_LANES else 0)

    @property
    def numbers_of_a_lane(self) -> int:
        """What blocks use of a lane again and again: not its large arrays, nor frames deep in its stacks."""
        return sum(self.rows.values()) + self.width + 16 * self.streams

    @property
    def width(self) -> int:
        """Numbers of a lane in C."""
        return -(-self.cold // 8) * 8

    @property
    def shared_numbers(self) -> int:
        """Those in S."""
        return sum(size for _, size in self.shares.values()) + sum(self.shares[c][1] for c in self.inverses)

    def inverse(self, memory: Memory) -> Memory | None:
        """The reciprocals of a shared array that is beside the group's."""
        if memory.layout is not Layout.SHARED:
            return None
        constant = str(memory.first)
        if constant not in self.inverses:
            self.inverses[constant] = self.constant(f"{constant}_INVERSE", GroupPlace(self.shared_numbers))
        return replace(memory, first=self.inverses[constant])

    def memories(self) -> list[str]:
        """What functions of blocks may be given, in order."""
        fixed = [a for v, a in self.arguments.items() if v in self.fixed and a not in self.homes]
        arenas = [a for a in dict.fromkeys((*KINDS.values(), "B")) if a in self.rows]
        given = [m for m, used in (("C", self.cold), ("S", self.shares), ("R", self.streams)) if used]
        given += [*(f"{a}_stack" for a in self.stacks), *self.owned, *self.tall, *fixed]
        whole = [o for o in self.outputs if any(h.name == o for h in self.homes.values())]
        return [*arenas, *given, *whole, "failed", "limit", *self.marks.given]

    @property
    def plain_inputs(self) -> list[str]:
        return [argument for param, argument in self.arguments.items() if param not in self.fixed]

    def numbers(self) -> dict[str, int]:
        """Each constant's number."""
        return {
            name: place.number + place.rows * self.stride + place.words * self.group
            for name, place in self.constants.items()
        }


def fitting(numbers: int) -> int:
    """The lanes of a group, of so many numbers each, that stay in the nearest cache."""
    group = LARGEST_GROUP_LANES
    while group > GROUP_LANES and group * numbers > GROUP_NUMBERS:
        group //= 2
    return group
