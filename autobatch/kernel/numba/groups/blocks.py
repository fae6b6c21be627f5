"""The text of one block: a function of one lane, and of all lanes side by side where that pays."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autobatch.cost_model import (
    DEPENDENT_CHAIN_COST,
    DUPLICATED_COST,
    IDLE_OPERATIONS,
    POLLED_OPERATIONS,
    REPEATED_ROUNDS,
    TWO_VECTORS,
)
from autobatch.kernel.group_visits import GroupVisits, assigned_in
from autobatch.kernel.ir import Assign, Needed, Probe, Region, Register, Stmt, Store
from autobatch.kernel.listing import listing
from autobatch.kernel.loops import draws_often
from autobatch.kernel.memory.group import GroupMemory
from autobatch.kernel.memory.uses import arguments, asks_for_number, place_constants
from autobatch.kernel.numba.groups.statements import GroupStatements
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.numba.statements import range_text
from autobatch.kernel.numba.writer import distinct_function, indented
from autobatch.kernel.pipeline import after_passes, block_passes
from autobatch.kernel.walk import looks_in, read_first, rebuilt, statements
from autobatch.profiling.probes import UNMARKED, Unmarked
from autobatch.simd.loop_distribution import Part, Repeated, Straight, straights
from autobatch.simd.tail_duplication import Flow
from codegen.analysis.effects import acts
from codegen.ir import Apply, For, Lit, Var


def patience(price: float) -> int:
    """How many steps of that cost lanes may miss in all: what it costs to go for others. A power of two."""
    return 1 << int(np.log2(np.clip(IDLE_OPERATIONS / price, 1.0, 256.0)))


@dataclass(frozen=True)
class Routine:
    """A function, written: its text, and the arrays and other names that it is given."""

    given: tuple[str, ...]
    text: str


class Blocks:
    """The functions of blocks, while they are written."""

    def __init__(self, memory: GroupMemory, flow: Flow, marks: Unmarked):
        self.memory, self.flow, self.marks = memory, flow, marks
        self.blocks, self.wide, self.names = memory.program.blocks, memory.wide, memory.slots.names
        self.visits = GroupVisits(memory, flow, marks)
        self.few = 0 if flow.one_way else memory.few
        self.spelling = LaneSpelling()
        self.used: set[str] = set()  # constants
        self.indices: set[str] = set()  # of the loops around the part at hand
        self.stages: dict[str, list[str]] | None = None  # what passes made, where that is asked for
        self.numbered = self.unrolled = self.draws_often = self.looks = False
        self.given: dict[int, list[str]] = {}  # block -> what its function is given
        self.group_given: dict[int, list[str]] = {}  # and that of all lanes
        self.block_names = {
            k: memory.fresh(re.sub(r"\W+", "_", b.name)) for k, b in enumerate(memory.program.blocks)
        }
        self.memory.taken |= {f"{word}_{of}" for word in self.block_names.values() for of in ("group", "few")}

    def block(self, k: int) -> str:
        """The functions of one lane, and the one of the lanes that wait."""
        word = self.block_names[k]
        parts = list(straights(self.memory.parts[k])) if self.wide[k] else [(self.visits.whole(k), ())]
        words = [word if len(parts) == 1 else self.memory.fresh(f"{word}_part") for _ in parts]
        texts, calls = [], []
        for name, (part, indices) in zip(words, parts, strict=True):
            body, used = self.part(k, part, indices)
            given = [m for m in self.memory.memories() if m in used]
            counted = dict.fromkeys(self.names[i] for i in indices)
            says = f'    """Block {k}, {self.blocks[k].name}: where the lane goes on."""'
            takes = ("lane", *counted, *given)
            kind = "Within" if self.wide[k] else "Distinct"
            texts.append(distinct_function(name, takes, (says, *body), inline=True, kind=kind))
            calls.append(f"{name}({', '.join(takes)})")
            self.given[k] = list(dict.fromkeys((*self.given.get(k, ()), *given)))
        texts += [self.group_text(k, calls)] if self.wide[k] else []
        texts += [self.group_text(k, calls, few=True)] if self.wide[k] and self.few else []
        return "\n\n\n".join(texts)

    def part(self, k: int, part: Straight, indices: Sequence[Var]) -> tuple[list[str], set[str]]:
        """The statements of one lane: numbers from their rows, a part, numbers to their rows; what they use."""
        self.indices = {self.names[i] for i in indices}
        rows = (self.memory.registers & set(self.memory.homes)) - self.indices
        in_parts = len(self.memory.parts.get(k, ())) > 1 and any(map(acts, self.blocks[k].equations))
        p = GroupStatements(
            self.spelling,
            self.memory.end,
            vectors=self.wide[k],
            faulty=in_parts and part.last,  # another part may have failed
            rounds=self.in_rounds(k),
        )
        p.depth = 1
        self.visits.lowering.looks = not self.wide[k]
        made = self.rounds(k, part, rows, p) if p.rounds else self.once(k, part, rows, p)
        used = arguments(made, vectors=self.wide[k]) | ({"I"} if p.faulty else set())
        used |= {*self.marks.given} if any(isinstance(s, Probe) for s in statements(made)) else set()
        self.used |= place_constants(made)
        self.looks |= looks_in(made)
        first = "I[FAILED + lane]" if in_parts else "0"
        looped = any(acts(e) and not isinstance(e.op, Apply) for e in part.equations)
        self.unrolled |= looped and p.faulty
        before = ["    number = np.uint32(I[NUMBER + lane])"] if asks_for_number(made) else []
        self.numbered |= bool(before)
        if draws_often(part.equations):
            self.draws_often = True
            before.append("    draws_kept_whole()")
        if p.faulty:
            before += [*(["    unroll_loops()"] if looped else []), f"    fault = {first}"]
        return [*before, *p.lines], used

    def finished(self, k: int, region: Region) -> Region:
        """Statements of block k after the passes."""
        visits, vectors = self.visits, self.wide[k]
        steps = block_passes(visits.lowering, visits.divisions, self.memory.inverse, vectors=vectors)
        known = self.memory.registers | self.indices
        for name, made in after_passes(steps, region, vectors=vectors, known=known):
            if self.stages is not None:
                said = listing(self.block_names[k], made, vectors=vectors)
                self.stages.setdefault(name, []).append(said)
        return made

    def loads(self, region: Region, rows: set[str], also: Collection[str] = ()) -> Region:
        """The numbers that statements need, from their rows; where to return to even if a call here says it anew."""
        names, functions = self.names, self.memory.program.functions.values()
        addresses = {names[f.address] for f in functions if f.address in names}

        def but_addresses(stmt: Stmt) -> Stmt | Region:
            kept = stmt.out if isinstance(stmt, Assign) else stmt.value if isinstance(stmt, Store) else None
            return () if isinstance(kept, Register) and kept.name in addresses else stmt

        needed = read_first(rebuilt(region, but_addresses), set()) | set(also)
        return tuple(self.visits.loaded(slot) for slot in sorted(rows & needed))

    def once(self, k: int, part: Straight, rows: set[str], p: GroupStatements) -> Region:
        """The statements of one lane in a part, which it goes through once."""
        low, new = self.visits.lowering, set[str]()
        if part.last:
            body = self.visits.region(k, part)
        else:
            before, after = (tuple(low.moves(moves, now=False)) for moves in (part.before, part.after))
            everything = Needed(tuple(dict.fromkeys(self.memory.homes.values())))
            body = (*before, *low.steps(part.equations), *after, everything)
            outs = (o for e in part.equations for o in e.outs if low.is_read(o) and not o.type.rank)
            new = rows & {*map(self.names.get, outs), *assigned_in((*before, *after))}
        made = (*self.finished(k, body), *map(self.visits.stored, sorted(new)))
        made = (*self.loads(made, rows), *made)
        p.region(made)
        p.written(["I[FAILED + lane] = fault"] if p.faulty and not part.last else [])
        return made

    def in_rounds(self, k: int) -> bool:
        """Whether the function of one lane goes through block k several times; a profile notes each by itself."""
        return self.flow.repeats(k) and self.marks is UNMARKED

    def rounds(self, k: int, part: Straight, rows: set[str], p: GroupStatements) -> Region:
        """The statements of several rounds of one lane; of those after the one that it left in, nothing is kept.

        Its numbers stay in registers meanwhile.
        """
        self.visits.leaving = set()
        turn = self.visits.region(k, part)
        changed, self.visits.leaving = sorted(self.visits.leaving), None
        turn = self.finished(k, turn)
        loads = self.loads(turn, rows, changed)
        p.depth = 2
        p.region(turn)
        turned, p.lines, p.depth = p.lines, [], 1
        p.region(loads)
        faulty = p.faulty
        kept = [*changed, *(["fault"] if faulty else []), "k"]
        before = [self.memory.fresh(f"{word}_before") for word in kept]
        then, now = ", ".join(before), ", ".join(kept)
        p.line(f"k = {k}")
        p.line(f"for _ in range({REPEATED_ROUNDS}):")
        p.line(f"    {then} = {now}")
        p.lines += turned
        p.written(["    k = select(fault != 0, END, k)"] if faulty else [])
        p.line(f"    if {before[-1]} != {k}:  # the lane had left")
        p.line(f"        {now} = {then}")
        stores = [self.visits.stored(slot) for slot in changed]
        p.region(tuple(stores))
        p.written(["I[FAILED + lane] = fault"] if faulty else [])
        p.line("return k")
        return (*loads, *turn, *stores)

    def group_text(self, k: int, calls: Sequence[str], *, few: bool = False) -> str:
        """The function of all lanes that wait at a block, side by side; `few`: of the last ones, when no more come."""
        width = "FEW" if few else "G"
        turn = self.over_lanes(self.memory.parts[k], iter(calls), width, f"if I[PC + lane] == {k}:")
        left = ["n = 0", f"for lane in range({width}):", f"    n += I[PC + lane] == {k}"]
        noted = self.marks.side_by_side(k, self.blocks[k], "n", width)
        again, cost = k in self.flow.exits(k, ()), self.blocks[k].cost
        steps, rounds = REPEATED_ROUNDS if cost < DUPLICATED_COST else 1, self.in_rounds(k)
        if again and steps > 1 and not rounds:
            turn = [
                f"for _ in range({REPEATED_ROUNDS}):",
                *indented([*left, *noted, *turn] if noted else turn),
            ]
        else:
            turn = [*noted, *turn]
        # Masks cost little, but not in loops of few instructions: written twice where that is worth being compiled.
        if len(calls) > 1 and (again or self.flow.one_way):
            full = [*noted, *self.over_lanes(self.memory.parts[k], iter(calls), width, "")]
            turn = [f"if n == {width}:", *indented(full), "else:", *indented(turn)]
        if again:
            turn = [
                "most, idle, turns = n, 0, 0",
                "# as long as few miss much by waiting for the rest; and not for long, as they may be to stop",
                f"while n > 0 and idle < {patience(cost * steps)} and turns < {self.between_looks(k)}:",
                *indented([*turn, *left, "idle += most - n", "turns += 1"]),
            ]
        is_counted = again or len(calls) > 1 or bool(noted)
        given = dict.fromkeys((*self.given[k], "I", *self.marks.given))
        self.group_given[k] = [*(["n"] if is_counted else []), *given]
        some, how = "the n lanes" if is_counted else "the lanes", "all before FEW" if few else "side by side"
        apart = "two_vectors_at_once()" if self.paired(k) else "lanes_apart()"
        hints = ["use_wide_registers()", "read_anywhere()", apart]
        name = f"{self.block_names[k]}_{'few' if few else 'group'}"
        says = f'"""Block {k} for {some} that wait at it, {how}."""'
        return distinct_function(name, self.group_given[k], indented([says, *hints, *turn]))

    def between_looks(self, k: int) -> int:
        """How often block k may run for all lanes before they look whether they are to stop."""
        return max(1, int(16 * POLLED_OPERATIONS / (self.memory.group * max(self.blocks[k].cost, 1.0))))

    def paired(self, k: int) -> bool:
        """Whether two vectors at once are faster: LLVM itself takes two of short loops alone."""
        return self.blocks[k].cost >= DEPENDENT_CHAIN_COST and self.memory.group % TWO_VECTORS == 0

    def group_call(self, k: int, n: str, of: str = "group") -> str:
        """The call of that function; n: how many lanes wait."""
        return f"{self.block_names[k]}_{of}({', '.join(n if g == 'n' else g for g in self.group_given[k])})"

    def over_lanes(self, parts: Sequence[Part], calls: Iterator[str], width: str, mask: str) -> list[str]:
        """Each part for so many lanes, or for those that the mask lets through, before the next."""
        lines: list[str] = []
        for part in parts:
            if isinstance(part, Repeated):
                lines.append(f"for {self.names[part.loop.index]} in {range_of(part.loop)}:")
                lines += indented(self.over_lanes(part.parts, calls, width, mask))
                continue
            call = f"{'I[PC + lane] = ' if part.last else ''}{next(calls)}"
            lines += [f"for lane in range({width}):", *indented([mask, f"    {call}"] if mask else [call])]
        return lines


def range_of(loop: For) -> str:
    """The range of a loop of known count."""
    assert isinstance(loop.start, Lit) and isinstance(loop.stop, Lit)
    return range_text(str(loop.start.value), str(loop.stop.value), loop.step)
