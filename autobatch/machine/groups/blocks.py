"""The text of one block: a function of one lane, and of all lanes side by side where that pays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from autobatch.graph import BlockProgram, Branch, Call, Jump, Moves, Return, edges, reads
from autobatch.machine.groups.flow import Flow
from autobatch.machine.groups.late import LatePrinter
from autobatch.machine.marks import UNMARKED, Unmarked
from autobatch.machine.printer import count, stream
from codegen.fold import leaves
from codegen.ir import Atom, Var

STEPS = 4  # of a short block that lanes repeat, before they are counted again
SHORT = 60.0  # cost of such a block


class Blocks(Flow):
    """The functions of blocks, while they are written."""

    def __init__(
        self,
        program: BlockProgram,
        shared: Sequence[bool],
        name: str,
        group: int | None,
        marks: Unmarked = UNMARKED,
    ):
        super().__init__(program, shared, name, group, marks)
        self.given: dict[int, list[str]] = {}  # block -> what its function is given
        self.printer = LatePrinter(self.slots, self.homes, self.fixed, end=self.end)
        self.needs = [self.needed(k, ()) for k in range(self.end)]
        self.block_names = {k: self.fresh(re.sub(r"\W+", "_", b.name)) for k, b in enumerate(program.blocks)}
        self.taken |= {f"{word}_group" for word in self.block_names.values()}

    def block(self, k: int) -> str:
        """The function of one lane, and the one of the lanes that wait."""
        p, block = self.printer, self.program.blocks[k]
        p.lines, p.depth = [], 1
        p.begin()
        names = {self.slots.names[v] for v in self.needs[k] if v in self.slots.names and not v.type.rank}
        for slot in sorted(names & self.registers & set(self.homes)):
            p.load(slot)
        self.straight(k, (), set())
        body = p.lines
        word = self.block_names[k]
        given = self.given[k] = self.mentioned(body)
        bound = [f"    {line}" for line in self.bindings(body)]
        doc = f'    """Block {k}, {block.name}: where the lane goes on."""'
        one = [
            '@njit(error_model="numpy", forceinline=True, pipeline_class=Distinct)',
            f"def {word}({', '.join(('lane', *given))}):",
            doc,
        ]
        if not self.wide[k]:
            return "\n".join((*one, *bound, *body))
        over = [
            '@njit(error_model="numpy", pipeline_class=Distinct)',
            f"def {word}_group({', '.join(('n', *self.over(given)))}):",
            f'    """Block {k} for the n lanes that wait at it, side by side."""',
            "    use_wide_registers()",
        ]
        call = f"I[PC + lane] = {word}({', '.join(('lane', *given))})"
        left = ["n = 0", "for lane in range(G):", f"    n += I[PC + lane] == {k}"]
        noted = self.marks.side_by_side(k, block, "n", "G")
        turn = [
            *("if n == G:", *indented(noted)),
            "    for lane in range(G):",
            f"        {call}",
            *("else:", *indented((*left, *noted) if noted else ())),
            "    for lane in range(G):",
            f"        if I[PC + lane] == {k}:",
            f"            {call}",
        ]
        if k in self.exits(k, ()):
            other = turn.index("else:") + 1
            few = turn[other:]
            if self.program.blocks[k].cost < SHORT:
                few = [f"    for _ in range({STEPS}):", *indented(few)]
            head = ["most = n", "while 2 * n > most:  # as long as most of them come back"]
            turn = [*head, *indented((*turn[:other], *few, *left))]
        over += indented(turn)
        return "\n".join((*one, *bound, *body, "", "", *over))

    def needed(self, k: int, path: tuple[int, ...]) -> set[Var]:
        """The scalars in rows that block k and what is run at its end read before they assign them."""
        block = self.program.blocks[k]
        path = (*path, k)
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
        for equation in reversed(block.equations):
            found -= set(equation.outs)
            found |= self.read(reads(equation))
        found = self.before(block.arrives, found)
        return found - set(self.where.popped(self.program, k))

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
        return ["number = I[NUMBER + lane]"] if self.uses(body, "number") else []

    def mentioned(self, lines: list[str]) -> list[str]:
        lines = [*self.bindings(lines), *lines]
        return [m for m in self.memories() if self.uses(lines, m)]

    def over(self, given: list[str]) -> list[str]:
        return [*given, *(m for m in ("I", *self.marks.given) if m not in given)]

    def changed(self, moves: Moves) -> set[str]:
        """The slots that moves give new values."""
        return {self.slots.names[to] for to, a in moves if to in self.slots.names and not self.stays(to, a)}

    def straight(self, k: int, path: tuple[int, ...], assigned: set[str]) -> None:
        """The statements of a block and of what is run at its end."""
        p, block = self.printer, self.program.blocks[k]
        path = (*path, k)
        if not self.wide[path[0]]:
            p.written(self.marks.visit(k, block))
        popped = self.where.popped(self.program, k)
        if popped:
            self.pop(popped)
        p.moves(list(block.arrives))
        for equation in block.equations:
            if not (equation.outs and equation.outs[0] in self.slots.folded):
                p.statement(equation)
        assigned = assigned | self.changed(block.arrives)
        made = (*popped, *(o for e in block.equations for o in e.outs))
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
            p.line(f"{top} = I[{arena}_TOP + lane]")
            for var, at in listed:
                p.save(var, f"{arena}_stack", top, at)
            p.line(f"I[{arena}_TOP + lane] = {top} + {listed[-1][1] + count(listed[-1][0].type)}")

    def pop(self, popped: Sequence[Var]) -> None:
        p = self.printer
        p.line("I[DEPTH + lane] -= 1")
        for arena, listed in self.frame(popped).items():
            top = f"{arena.lower()}_top"
            p.line(f"{top} = I[{arena}_TOP + lane] - {listed[-1][1] + count(listed[-1][0].type)}")
            p.line(f"I[{arena}_TOP + lane] = {top}")
            for var, at in listed:
                p.restore(var, f"{arena}_stack", top, at)


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
