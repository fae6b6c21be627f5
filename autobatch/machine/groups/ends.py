"""The text of one lane's statements in a block, and of its end: what is run there, what is stored, where it goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autobatch.cfg.graph import BlockProgram, Branch, Call, Jump, Moves, Return, edges, reads
from autobatch.machine.groups.flow import Flow
from autobatch.machine.groups.late import LatePrinter
from autobatch.machine.groups.parts import Straight
from autobatch.machine.groups.quotients import quotients
from autobatch.machine.printer import count, stream
from autobatch.profiling.probes import Unmarked
from autobatch.schedule import TOO_DEEP, Schedule
from codegen.emit.expression_folding import leaves
from codegen.ir import Atom, Equation, Var
from codegen.source import Span


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Ends(Flow):
    """The statements of blocks, while they are written.

    leaving: None, where a block's end returns; in rounds (blocks.py) it sets k, and what is to be stored after them
    is noted here.
    """

    def __init__(
        self, program: BlockProgram, shared: Sequence[bool], name: str, schedule: Schedule, marks: Unmarked
    ):
        super().__init__(program, shared, name, schedule, marks)
        self.leaving: set[str] | None = None
        self.tops: dict[str, list[str]] = {}  # arena -> names of where frames begin
        self.printer = LatePrinter(
            self.slots,
            self.homes,
            self.fixed,
            end=self.end,
            quotients=quotients(e for block in program.blocks for e in block.equations),
            inverse=self.inverse,
        )

    def whole(self, k: int) -> Straight:
        block = self.program.blocks[k]
        return Straight(block.arrives, block.equations, (), last=True)

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
        made = (*popped, *self.made(part.equations))
        assigned |= {self.slots.names[o] for o in made if o in self.slots.names}
        match block.terminator:
            case Jump() as jump:
                self.go(jump.target, jump.moves, path, assigned)
            case Branch(test, then, orelse):
                self.branch(p.text(test)[0], then, orelse, path, assigned)
            case Call(name, moves, then, span):
                self.push(self.where.pushes.get(k, ()), span)
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
                self.leave_for(
                    self.slots.names[address] if known is None else "END" if known == self.end else known
                )

    def branch(self, test: str, then: Jump, orelse: Jump, path: tuple[int, ...], assigned: set[str]) -> None:
        p = self.printer
        if not any(j.moves or self.goes_on(j.target, path) for j in (then, orelse)):
            needed = self.live[then.target] | self.live[orelse.target] | self.around(path[-1])
            self.store(assigned, needed)
            where = f"{then.target} if {test} else {orelse.target}"
            self.leave_for(f"({where})" if p.faulty and self.leaving is None else where)
            return
        held, pushed = dict(p.held), p.pushed.copy()
        one = self.arm(then, path, assigned)
        p.held, p.pushed = held, pushed
        other = self.arm(orelse, path, assigned)
        ways = [line.strip().removeprefix("k = ") for line in (*one, *other)]
        if self.leaving is not None and len(ways) == 2 and all(way.isalnum() for way in ways):
            p.line(f"k = {ways[0]} if {test} else {ways[1]}")
            return
        p.line(f"if {test}:")
        p.lines += indented(one)
        if self.leaving is None:
            p.lines += other
            return
        p.line("else:")
        p.lines += indented(other)

    def arm(self, jump: Jump, path: tuple[int, ...], assigned: set[str]) -> list[str]:
        """The lines of one way from a branch."""
        p = self.printer
        before, p.lines = p.lines, []
        self.go(jump.target, jump.moves, path, assigned)
        lines, p.lines = p.lines, before
        return lines

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
        self.leave_for(target)

    def leave_for(self, target: int | str) -> None:
        """The block's end, and where the lane goes on."""
        p = self.printer
        if self.leaving is not None:
            p.line(f"k = {target}")
        elif p.faulty:
            p.line("I[FAILED + lane] = fault")
            p.line("return END" if target == "END" else f"return END if fault != 0 else {target}")
        else:
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
        numbers = {self.slots.names[v] for v in kept if not v.type.rank} & assigned & self.registers
        if self.leaving is not None:
            self.leaving |= numbers
            return
        for slot in sorted(numbers):
            self.printer.store(slot)
        self.printer.settle(self.slots.names[v] for v in kept if v.type.rank)

    def push(self, pushed: Sequence[Var], span: Span | None) -> None:
        p = self.printer
        if not pushed:
            return
        p.leave_if("I[DEPTH + lane] == limit", p.site("RecursionError", TOO_DEEP, span))
        p.line("I[DEPTH + lane] += 1")
        frames = self.frame(pushed)
        tops = {arena: self.top(arena) for arena in frames}
        p.before_push(
            [
                (v, p.frame_place(v, f"{a}_stack", tops[a], at))
                for a, listed in frames.items()
                for v, at in listed
            ],
            tops.values(),
        )
        for arena, listed in frames.items():
            top = tops[arena]
            p.line(f"{top} = np.uint32(I[{arena}_TOP + lane])  # unsigned: no place is counted from the end")
            for var, at in listed:
                p.save(var, f"{arena}_stack", top, at)
            p.line(f"I[{arena}_TOP + lane] = {top} + {listed[-1][1] + count(listed[-1][0].type)}")
            p.pushed[arena] += 1

    def top(self, arena: str) -> str:
        """The name of the place where the next frame begins: another for each frame of a function.

        What was popped lies where the first one begins.
        """
        names = self.tops.setdefault(arena, [f"{arena.lower()}_top"])
        while len(names) <= self.printer.pushed[arena]:
            names.append(self.fresh(names[0]))
        return names[self.printer.pushed[arena]]

    def pop(self, popped: Sequence[Var]) -> None:
        p = self.printer
        p.line("I[DEPTH + lane] -= 1")
        for arena, listed in self.frame(popped).items():
            top = self.top(arena)
            p.line(f"{top} = np.uint32(I[{arena}_TOP + lane] - {listed[-1][1] + count(listed[-1][0].type)})")
            p.line(f"I[{arena}_TOP + lane] = {top}")
            for var, at in listed:
                p.restore(var, f"{arena}_stack", top, at)

    # what is read, what is given new values

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

    def numbers(self, values: Iterable[Var]) -> set[str]:
        return {
            self.slots.names[v] for v in values if v in self.slots.names and not v.type.rank and not stream(v)
        }

    def made(self, equations: Iterable[Equation]) -> Iterable[Var]:
        """What equations make; what nobody reads is left out, and its slot may be another's."""
        return (o for e in equations for o in e.outs if self.printer.wanted(o))

    def changed(self, moves: Iterable[tuple[Var, Atom]]) -> set[str]:
        """The slots that moves give new values."""
        moved = (to for to, a in moves if self.printer.wanted(to) and not self.stays(to, a))
        return {self.slots.names[to] for to in moved if to in self.slots.names}
