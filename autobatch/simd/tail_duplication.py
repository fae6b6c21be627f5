"""How lanes of a group go from block to block: where they wait, and what is run at once at a block's end."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from autobatch.cfg.graph import Branch, Call, Jump, Return, edges, terminator_moves
from autobatch.cost_model import DUPLICATED_COST, TINY_COST
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.group import GroupMemory
from autobatch.simd.block_splitting import is_light, next_blocks, tests_after
from codegen.ir import Var
from codegen.ir.traversal import binds


class Flow:
    """The ways of a group's lanes."""

    def __init__(self, memory: GroupMemory):
        self.memory, self.program, self.blocks = memory, memory.program, memory.program.blocks

    def entered(self) -> list[int]:
        """The blocks that lanes wait at: those that are not run at the end of each block that leads there."""
        found = {self.program.entry.entry}
        todo = [self.program.entry.entry]
        while todo:
            for target in self.exits(todo.pop(), ()):
                if target not in found:
                    found.add(target)
                    todo.append(target)
        return sorted(found)

    def ways(self, k: int) -> list[int]:
        """The blocks that come next."""
        if isinstance(end := self.blocks[k].terminator, Call):
            return [self.program.functions[end.function].entry]
        return next_blocks(self.program, k)

    def exits(self, k: int, path: tuple[int, ...]) -> list[int]:
        """Where lanes may go from block k, blocks run at its end looked through."""
        end = self.blocks[k].terminator
        found = [end.then] if isinstance(end, Call) else []  # by the callee's return
        for way in self.ways(k):
            found += self.exits(way, (*path, k)) if self.goes_on(way, (*path, k)) else [way]
        return found

    def goes_on(self, k: int, path: tuple[int, ...]) -> bool:
        """Whether block k is run at once at the end of the blocks in `path`."""
        block = self.blocks[k]
        if (
            k in path
            or len(path) > 3
            or block.arrives
            or self.memory.where.popped(self.program, k)
            or self.memory.wide[k]
        ):
            return False
        if path and block.equations and not self.leads(k, path[0]) and self.repeats(path[0]):
            return False
        plain = not block.equations or block.cost <= TINY_COST
        if any(self.memory.wide[j] for j in path):
            return is_light(block) and not self.memory.where.pushes.get(k) and not self.moves_arrays(k)
        return plain or self.incoming(k) == 1

    def repeats(self, k: int) -> bool:
        """Whether a lane may go through block k several times in one: it is short, and only gives numbers new values.

        What is run at its end is then the test that leads back; other blocks are not part of the rounds.
        """
        tests = tests_after(self.program, k)
        back = self.leads(k, k) or any(self.goes_on(t, (k,)) for t in tests)
        short = self.memory.wide[k] and self.blocks[k].cost < DUPLICATED_COST
        return back and short and all(map(self.changes_numbers, (k, *tests)))

    def leads(self, k: int, to: int) -> bool:
        return to in next_blocks(self.program, k)

    def changes_numbers(self, k: int) -> bool:
        """Whether all that a block does is to give numbers new values; not flags, of which LLVM makes no vectors."""
        block = self.blocks[k]
        given = set(chain.from_iterable(map(binds, block.equations)))
        given |= {to for moves in terminator_moves(block) for to, _ in moves}
        kept = [
            v.type for v in given if v.type.rank or self.memory.slots.names.get(v) in self.memory.registers
        ]
        plain = isinstance(block.terminator, Jump | Branch) and not block.arrives
        return plain and not (
            any(t.rank or t.dtype == "b1" for t in kept) or self.memory.where.popped(self.program, k)
        )

    def moves_arrays(self, k: int) -> bool:
        """Whether arrays go from one slot to another at a block's end."""
        names = self.memory.slots.names
        moves = [pair for each in terminator_moves(self.blocks[k]) for pair in each]
        return any(to.type.rank and isinstance(a, Var) and names.get(to) != names.get(a) for to, a in moves)

    def incoming(self, k: int) -> int:
        entries = sum(f.entry == k for f in self.program.functions.values())
        back = sum(isinstance(b.terminator, Call) and b.terminator.then == k for b in self.blocks)
        return entries + back + sum(e.target == k for b in self.blocks for e in edges(b))

    def order(self) -> list[int]:
        """The blocks at which lanes wait for others, the one last of which a visit costs most: it is to be full."""
        cost = [block.cost for block in self.blocks]
        return sorted((k for k in self.entered() if self.memory.wide[k]), key=lambda k: (cost[k], k))

    def pushes_from(self, k: int, path: tuple[int, ...]) -> Counter[str]:
        """The most numbers of each arena that a visit of block k pushes."""
        found: Counter[str] = Counter()
        for var in self.memory.where.pushes.get(k, ()):
            found[self.memory.kinds[var.type.dtype]] += element_count(var.type)
        after: Counter[str] = Counter()
        for way in self.ways(k):
            if self.goes_on(way, (*path, k)):
                after |= self.pushes_from(way, (*path, k))
        return found + after

    def largest(self, arena: str) -> int:
        return max(self.pushes_from(k, ())[arena] for k in self.entered())

    @property
    def one_way(self) -> bool:
        """Whether every lane goes through every block, once and in order, unless it fails."""
        ends = isinstance(self.blocks[self.way()[-1]].terminator, Return)
        return ends and any(self.memory.wide) and not self.memory.stacks

    def way(self) -> list[int]:
        """The blocks from the entry on, as long as each jumps onwards."""
        found = [self.program.entry.entry]
        while isinstance(end := self.blocks[found[-1]].terminator, Jump) and end.target > found[-1]:
            found.append(end.target)
        return found
