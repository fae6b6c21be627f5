"""The text of one block: a function of one lane, and of all lanes side by side where that pays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from autobatch.graph import BlockProgram, Branch, Call, Jump, Moves, Return, edges, reads
from autobatch.machine.groups.flow import Flow
from autobatch.machine.groups.late import LatePrinter
from autobatch.machine.groups.parts import Part, Repeated, Straight, straights
from autobatch.machine.groups.quotients import quotients
from autobatch.machine.marks import Unmarked
from autobatch.machine.printer import count, stream
from autobatch.schedule import Schedule
from codegen.fold import leaves
from codegen.ir import Atom, Equation, Var

STEPS = 4  # of a short block that lanes repeat, before they are counted again
SHORT = 60.0  # cost of such a block
LONG = 40.0  # cost from which a block is a chain of operations that wait for one another
PAIR = 16  # lanes of two vectors of the widest registers


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Blocks(Flow):
    """The functions of blocks, while they are written."""

    def __init__(
        self, program: BlockProgram, shared: Sequence[bool], name: str, schedule: Schedule, marks: Unmarked
    ):
        super().__init__(program, shared, name, schedule, marks)
        self.given: dict[int, list[str]] = {}  # block -> what its function is given
        self.group_given: dict[int, list[str]] = {}  # and that of all lanes
        self.printer = LatePrinter(
            self.slots,
            self.homes,
            self.fixed,
            end=self.end,
            quotients=quotients(e for block in program.blocks for e in block.equations),
            inverse=self.inverse,
        )
        self.block_names = {k: self.fresh(re.sub(r"\W+", "_", b.name)) for k, b in enumerate(program.blocks)}
        self.taken |= {f"{word}_group" for word in self.block_names.values()}

    def block(self, k: int) -> str:
        """The functions of one lane, and the one of the lanes that wait."""
        word = self.block_names[k]
        parts = list(straights(self.parts[k])) if self.wide[k] else [(self.whole(k), ())]
        words = [word if len(parts) == 1 else self.fresh(f"{word}_part") for _ in parts]
        texts, calls = [], []
        self.printer.side_by_side = self.wide[k]
        for name, (part, indices) in zip(words, parts, strict=True):
            body = self.part(k, part, indices)
            given = self.mentioned(body)
            counted = dict.fromkeys(self.printer.names[i] for i in indices)
            calls.append(f"{name}({', '.join(('lane', *counted, *given))})")
            texts.append(
                self.function(k, calls[-1], [*(f"    {line}" for line in self.bindings(body)), *body])
            )
            self.given[k] = [*self.given.get(k, ()), *(g for g in given if g not in self.given.get(k, ()))]
        self.printer.side_by_side = False
        return "\n\n\n".join([*texts, *([self.group_text(k, calls)] if self.wide[k] else [])])

    def whole(self, k: int) -> Straight:
        block = self.program.blocks[k]
        return Straight(block.arrives, block.equations, (), last=True)

    def function(self, k: int, head: str, body: Sequence[str]) -> str:
        return "\n".join(
            (
                '@njit(error_model="numpy", forceinline=True, pipeline_class=Distinct)',
                f"def {head}:",
                f'    """Block {k}, {self.program.blocks[k].name}: where the lane goes on."""',
                *body,
            )
        )

    def part(self, k: int, part: Straight, indices: Sequence[Var]) -> list[str]:
        """The statements of one lane: numbers from their rows, a part, numbers to their rows."""
        p = self.printer
        p.lines, p.depth = [], 1
        p.begin()
        counted = {p.names[i] for i in indices}
        rows = (self.registers & set(self.homes)) - counted
        for slot in sorted(rows & self.numbers(self.needed_by(k, part))):
            p.load(slot)
        if part.last:
            self.straight(k, (), set(), part)
            return p.lines
        p.moves(list(part.before))
        self.statements(part.equations)
        p.moves(list(part.after))
        p.settle(list(p.held))
        made = self.numbers(o for e in part.equations for o in e.outs)
        moved = self.changed([pair for pair in (*part.before, *part.after) if not pair[0].type.rank])
        for slot in sorted(rows & (made | moved)):
            p.store(slot)
        return p.lines

    def numbers(self, values: Iterable[Var]) -> set[str]:
        return {
            self.slots.names[v] for v in values if v in self.slots.names and not v.type.rank and not stream(v)
        }

    def group_text(self, k: int, calls: Sequence[str]) -> str:
        """The function of all lanes that wait at a block, side by side."""
        turn = self.over_lanes(self.parts[k], iter(calls), f"if I[PC + lane] == {k}:")
        left = ["n = 0", "for lane in range(G):", f"    n += I[PC + lane] == {k}"]
        noted = self.marks.side_by_side(k, self.program.blocks[k], "n", "G")
        again = k in self.exits(k, ())
        if again and self.program.blocks[k].cost < SHORT:
            turn = [f"for _ in range({STEPS}):", *indented([*left, *noted, *turn] if noted else turn)]
        else:
            turn = [*noted, *turn]
        if len(calls) > 1:  # masks cost little, but not in loops of few instructions
            full = [*noted, *self.over_lanes(self.parts[k], iter(calls), "")]
            turn = ["if n == G:", *indented(full), "else:", *indented(turn)]
        if again:
            turn = [
                "most = n",
                "while 2 * n > most:  # as long as most of them come back",
                *indented([*turn, *left]),
            ]
        self.group_given[k] = [*(["n"] if self.uses(turn, "n") else []), *self.over(self.given[k])]
        some = "the n lanes" if "n" in self.group_given[k] else "the lanes"
        return "\n".join(
            (
                '@njit(error_model="numpy", pipeline_class=Distinct)',
                f"def {self.block_names[k]}_group({', '.join(self.group_given[k])}):",
                f'    """Block {k} for {some} that wait at it, side by side."""',
                "    use_wide_registers()",
                "    read_anywhere()",
                *(["    two_vectors_at_once()"] if self.paired(k) else []),
                *indented(turn),
            )
        )

    def paired(self, k: int) -> bool:
        """Whether two vectors at once are faster: LLVM itself takes two of short loops alone."""
        return self.program.blocks[k].cost >= LONG and self.group % PAIR == 0

    def group_call(self, k: int, n: str) -> str:
        """The call of that function; n: how many lanes wait."""
        return f"{self.block_names[k]}_group({', '.join(n if g == 'n' else g for g in self.group_given[k])})"

    def over_lanes(self, parts: Sequence[Part], calls: Iterator[str], mask: str) -> list[str]:
        """Each part for all lanes, or for those that the mask lets through, before the next."""
        lines: list[str] = []
        for part in parts:
            if isinstance(part, Repeated):
                lines.append(f"for {self.printer.names[part.loop.index]} in {self.printer.range(part.loop)}:")
                lines += indented(self.over_lanes(part.parts, calls, mask))
                continue
            call = f"{'I[PC + lane] = ' if part.last else ''}{next(calls)}"
            lines += ["for lane in range(G):", *indented([mask, f"    {call}"] if mask else [call])]
        return lines

    def needed_by(self, k: int, part: Straight) -> set[Var]:
        """The scalars that a part reads before it assigns them."""
        found = self.at_end(k, (k,)) if part.last else self.before(part.after, set())
        for equation in reversed(part.equations):
            found -= set(equation.outs)
            found |= self.read(reads(equation))
        return self.before(part.before, found) - set(self.where.popped(self.program, k))

    def needed(self, k: int, path: tuple[int, ...]) -> set[Var]:
        """The scalars in rows that block k and what is run at its end read before they assign them."""
        block = self.program.blocks[k]
        found = self.at_end(k, (*path, k))
        for equation in reversed(block.equations):
            found -= set(equation.outs)
            found |= self.read(reads(equation))
        found = self.before(block.arrives, found)
        return found - set(self.where.popped(self.program, k))

    def at_end(self, k: int, path: tuple[int, ...]) -> set[Var]:
        """The same for the end of block k."""
        block = self.program.blocks[k]
        found: set[Var] = set()
        match block.terminator:
            case Call(name, moves, _):
                ways = [(self.program.functions[name].entry, moves)]
                found |= set(self.where.pushes.get(k, ()))
            case Return(moves):
                ways = []
                found |= self.before(moves, set())
                if self.where.returns.get(k) is None:
                    found.add(self.program.functions[block.function].address)
            case Branch(test):
                ways = [(e.target, e.moves) for e in edges(block)]
                found |= self.read((test,))
            case _:
                ways = [(e.target, e.moves) for e in edges(block)]
        for way, moves in ways:
            inside = self.needed(way, path) if self.goes_on(way, path) else set()
            found |= self.before(moves, inside)
        return found

    def before(self, moves: Moves, after: set[Var]) -> set[Var]:
        """What is read where `after` is read after the moves; a move within a slot does nothing."""
        done = [(to, a) for to, a in moves if not self.stays(to, a)]
        still = {a for to, a in moves if self.stays(to, a) and to in after and isinstance(a, Var)}
        return (after - {to for to, _ in moves}) | still | self.read(a for _, a in done)

    def stays(self, to: Var, value: Atom) -> bool:
        return self.printer.same_slot(to, value) and value not in self.slots.folded

    def read(self, atoms: Iterable[Atom]) -> set[Var]:
        return {v for a in atoms for v in leaves(a, self.slots.folded)}

    def uses(self, lines: Iterable[str], word: str) -> bool:
        return bool(word) and any(re.search(rf"\b{re.escape(word)}\b", line) for line in lines)

    def bindings(self, body: list[str]) -> list[str]:
        """What a block's function names before its statements."""
        return ["number = np.uint32(I[NUMBER + lane])"] if self.uses(body, "number") else []

    def mentioned(self, lines: list[str]) -> list[str]:
        lines = [*self.bindings(lines), *lines]
        return [m for m in self.memories() if self.uses(lines, m)]

    def over(self, given: list[str]) -> list[str]:
        return [*given, *(m for m in ("I", *self.marks.given) if m not in given)]

    def changed(self, moves: Iterable[tuple[Var, Atom]]) -> set[str]:
        """The slots that moves give new values."""
        return {self.slots.names[to] for to, a in moves if to in self.slots.names and not self.stays(to, a)}

    def statements(self, equations: Iterable[Equation]) -> None:
        for equation in equations:
            if not self.printer.is_folded(equation):
                self.printer.statement(equation)

    def straight(
        self, k: int, path: tuple[int, ...], assigned: set[str], last: Straight | None = None
    ) -> None:
        """The statements of a block, or of its last part, and of what is run at its end."""
        p, block = self.printer, self.program.blocks[k]
        part = last or self.whole(k)
        path = (*path, k)
        if not self.wide[path[0]]:
            p.written(self.marks.visit(k, block))
        popped = self.where.popped(self.program, k)
        if popped:
            self.pop(popped)
        p.moves(list(part.before))
        self.statements(part.equations)
        assigned = assigned | self.changed(part.before)
        made = (*popped, *(o for e in part.equations for o in e.outs))
        assigned |= {self.slots.names[o] for o in made if o in self.slots.names}
        match block.terminator:
            case Jump() as jump:
                self.go(jump.target, jump.moves, path, assigned)
            case Branch(test, then, orelse):
                self.branch(p.text(test)[0], then, orelse, path, assigned)
            case Call(name, moves, then):
                self.push(self.where.pushes.get(k, ()))
                callee = self.program.functions[name]
                p.moves(list(moves))
                assigned = assigned | self.changed(moves)
                if callee.address in self.slots.names and callee.address in self.where.registers:
                    p.line(f"{self.slots.names[callee.address]} = {then}")
                    assigned.add(self.slots.names[callee.address])
                self.go(callee.entry, (), path, assigned, self.live[then])
            case Return(moves):
                p.moves(list(moves))
                known = self.where.returns.get(k)
                address = self.program.functions[block.function].address
                after = frozenset() if known in (None, self.end) else self.live[known]
                handed = {to for to, _ in moves} | (self.after_return(address) if known is None else set())
                self.store(assigned | self.changed(moves), after | handed | self.around(k))
                p.line(
                    f"return {self.slots.names[address] if known is None else 'END' if known == self.end else known}"
                )

    def branch(self, test: str, then: Jump, orelse: Jump, path: tuple[int, ...], assigned: set[str]) -> None:
        p = self.printer
        if not any(j.moves or self.goes_on(j.target, path) for j in (then, orelse)):
            needed = self.live[then.target] | self.live[orelse.target] | self.around(path[-1])
            self.store(assigned, needed)
            p.line(f"return {then.target} if {test} else {orelse.target}")
            return
        p.line(f"if {test}:")
        p.depth += 1
        held = dict(p.held)
        self.go(then.target, then.moves, path, assigned)
        p.held = held
        p.depth -= 1
        self.go(orelse.target, orelse.moves, path, assigned)

    def go(
        self,
        target: int,
        moves: Sequence[tuple[Var, Atom]],
        path: tuple[int, ...],
        assigned: set[str],
        besides: frozenset[Var] = frozenset(),
    ) -> None:
        """On to a block: its statements here and now if it is run at once, else its number."""
        p = self.printer
        p.moves(list(moves))
        assigned = assigned | self.changed(tuple(moves))
        if self.goes_on(target, path):
            self.straight(target, path, assigned)
            return
        self.store(assigned, self.live[target] | besides | self.around(path[-1]))
        p.line(f"return {target}")

    def around(self, k: int) -> frozenset[Var]:
        return frozenset(self.slots.lifetimes.around[self.program.blocks[k].function])

    def after_return(self, address: Var) -> set[Var]:
        """What the blocks that a function may return to need, besides its results."""
        found: set[Var] = set()
        for block in self.program.blocks:
            end = block.terminator
            if isinstance(end, Call) and self.program.functions[end.function].address is address:
                found |= self.live[end.then] - set(self.where.popped(self.program, end.then))
        return found

    def store(self, assigned: set[str], needed: Iterable[Var]) -> None:
        """What was given new values goes to its rows, if it is needed afterwards."""
        kept = [v for v in needed if v in self.slots.names and not stream(v)]
        numbers = {self.slots.names[v] for v in kept if not v.type.rank}
        for slot in sorted(numbers & assigned & self.registers):
            self.printer.store(slot)
        self.printer.settle(self.slots.names[v] for v in kept if v.type.rank)

    def push(self, pushed: Sequence[Var]) -> None:
        p = self.printer
        if not pushed:
            return
        p.line("if I[DEPTH + lane] == limit:")
        p.leave(p.site("RecursionError", "the stack limit was reached", None))
        p.line("I[DEPTH + lane] += 1")
        frames = self.frame(pushed)
        p.before_push(
            [
                (v, p.frame_place(v, f"{a}_stack", f"{a.lower()}_top", at))
                for a, listed in frames.items()
                for v, at in listed
            ]
        )
        for arena, listed in frames.items():
            top = f"{arena.lower()}_top"
            p.line(f"{top} = np.uint32(I[{arena}_TOP + lane])  # unsigned: no place is counted from the end")
            for var, at in listed:
                p.save(var, f"{arena}_stack", top, at)
            p.line(f"I[{arena}_TOP + lane] = {top} + {listed[-1][1] + count(listed[-1][0].type)}")

    def pop(self, popped: Sequence[Var]) -> None:
        p = self.printer
        p.line("I[DEPTH + lane] -= 1")
        for arena, listed in self.frame(popped).items():
            top = f"{arena.lower()}_top"
            p.line(f"{top} = np.uint32(I[{arena}_TOP + lane] - {listed[-1][1] + count(listed[-1][0].type)})")
            p.line(f"I[{arena}_TOP + lane] = {top}")
            for var, at in listed:
                p.restore(var, f"{arena}_stack", top, at)
