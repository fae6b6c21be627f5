"""A block program as functions over groups of lanes side by side: groups_module : BlockProgram -> LaneModule.

    def leaf(lane, F, I):                      # one block, of one lane
        energy0 = F[ENERGY0 + lane]
        ...
        return 17                              # where the lane goes on

    def run_leaf(n, F, I, L):                  # the block for the lanes that wait at it
        if n > FEW:
            for lane in range(G):              # all lanes side by side: vector instructions
                if I[PC + lane] == 13:
                    I[PC + lane] = leaf(lane, F, I)
        else:
            for j in range(n):                 # a few, one after the other
                ...

A group is G lanes, each at its own block, their numbers in rows of one array a dtype, lanes innermost. Cheap blocks run
first and for whoever waits; a dear one runs when every lane of the group waits at one as dear, so that its vectors are
full. A lane that comes to its end makes room for the next. (LANES.md has what was measured of such layouts.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from autobatch.graph import (
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    edges,
    reads,
    terminator_moves,
    writes,
)
from autobatch.liveness import live_in
from autobatch.machine.group_printer import GroupPrinter, Place
from autobatch.machine.numba_lanes import LaneModule, made_at
from autobatch.machine.printer import ARENAS, FAST, TYPES, Site, count, stream
from autobatch.machine.slots import Slots, slots
from autobatch.machine.vectors import apart, flattened, is_light, wide_blocks
from autobatch.schedule import weights
from autobatch.storage import Storage, storage
from codegen import runtime
from codegen.fold import leaves
from codegen.fuse import needs
from codegen.ir import Atom, Equation, Type, Var
from codegen.names import candidates
from codegen.rename import binders
from codegen.rename import blocks as blocks_of
from codegen.show import imports_of
from codegen.source import refuse
from codegen.spell import TAKEN
from codegen.targets import TARGETS

GROUP = 16  # lanes, at least; more where they need little memory
MOST = 64
CACHED = 4096  # numbers that a group keeps at hand: 32 KB
LARGE = 64  # elements of an array that a lane keeps in memory of its own
SHARED = 4096  # elements of a shared array that is copied beside the group's
TINY = 3.0  # cost of a block that is run at the end of the one before rather than waited for
STEPS = 4  # of a short block that lanes repeat, before they are counted again
SHORT = 60.0  # cost of such a block
PADDING = 8  # numbers between rows, so that rows do not share the sets of a cache

RESERVED = (
    *(
        "lane",
        "n",
        "j",
        "k",
        "first",
        "last",
        "limit",
        "failed",
        "number",
        "coming",
        "live",
        "where",
        "total",
    ),
    *("types", "intrinsic", "use_wide_registers", "Compiler", "Distinct"),
    *("count", "load", "finish", "advance", "wider", "C", "S", "R", "W", "L", "N", "G", "LS"),
    *("PC", "FAILED", "NUMBER", "DEPTH", "END", "FULL", *ARENAS.values()),
    *(f"{a}_{what}" for a in ARENAS.values() for what in ("stack", "TOP")),
    *(f"{a.lower()}_top" for a in ARENAS.values()),
)
KINDS = {**ARENAS, "b1": "I"}  # where numbers that outlive a block are: flags are 0 and 1


def groups_module(
    program: BlockProgram, shared: Sequence[bool], name: str, notes: str = "", group: int | None = None
) -> LaneModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes."""
    return Writer(flattened(apart(program)), shared, name, notes, group).module()


class Writer:
    """The text while it is written."""

    def __init__(
        self, program: BlockProgram, shared: Sequence[bool], name: str, notes: str, group: int | None
    ):
        self.program, self.name, self.notes = program, name, notes
        self.shared = dict(zip(program.entry.params, shared, strict=True))
        self.where: Storage = storage(program)
        self.live = live_in(program)
        self.end = len(program.blocks)
        self.wide = wide_blocks(program)
        assigned = {v for block in program.blocks for v in writes(program, block)}
        self.fixed = [v for v, one in self.shared.items() if one and v.type.rank and v not in assigned]
        helpers = {
            *TARGETS["numba"].helper_names(program.program),
            *runtime.defines(["plus", *map("fast_{}".format, FAST)]),
        }
        self.taken = set(TAKEN | {*RESERVED, f"{name}_lanes"} | helpers)
        self.slots: Slots = slots(program, self.where, self.fixed, self.taken)
        self.taken |= set(self.slots.names.values())
        self.inputs = [self.argument(p) for p in self.shared]
        self.outputs = [self.fresh(f"out{k}") for k in range(len(program.entry.results))]
        self.rows: dict[str, int] = {}
        self.constants: dict[str, str] = {}
        self.shares: dict[str, tuple[str, int]] = {}  # constant -> the argument copied there, its size
        self.owned: dict[str, tuple[str, Type]] = {}  # memory of large arrays of lanes -> dtype's name, type
        self.homes: dict[str, Place] = {}
        self.streams = 0
        self.cold = 0
        self.hot = self.side_by_side()
        self.given: dict[int, list[str]] = {}
        self.registers = {self.slots.names[v] for v in self.where.registers if v in self.slots.names}
        self.place_all()
        self.group = group or fitting(sum(self.rows.values()))
        self.printer = GroupPrinter(self.slots, self.homes, self.fixed, end=self.end)
        self.needs = [self.needed(k, ()) for k in range(self.end)]

    def fresh(self, hint: str) -> str:
        word = next(c for c in candidates(hint) if c not in self.taken)
        self.taken.add(word)
        return word

    def argument(self, param: Var) -> str:
        if param in self.fixed:
            return self.slots.names[param]
        return self.fresh(f"{param.name}_{'shared' if self.shared[param] else 'lanes'}")

    # places

    def row(self, kind: str, hint: str, count: int) -> str:
        """A constant for `count` new rows of an arena."""
        constant = self.fresh(hint.upper())
        at = self.rows.get(kind, 0)
        self.rows[kind] = at + count
        self.constants[constant] = f"{at} * LS"
        return constant

    def place_all(self) -> None:
        for own in ("PC", "FAILED", "NUMBER", "DEPTH", *(f"{a}_TOP" for a in self.stacks)):
            self.constants[own] = f"{self.rows.get('I', 0)} * LS"
            self.rows["I"] = self.rows.get("I", 0) + 1
        outs = {
            self.slots.names[r]: o
            for r, o in zip(self.program.entry.results, self.outputs, strict=True)
            if r in self.slots.names
        }
        for var, slot in self.slots.names.items():
            if slot in self.homes:
                continue
            if stream(var):
                constant = self.fresh(slot.upper())
                self.constants[constant] = f"{16 * self.streams} * G"
                self.streams += 1
                self.homes[slot] = Place("stream", "R", constant, var.type)
                continue
            if var.type.rank:
                self.homes[slot] = self.array_place(var, slot, outs)
            elif slot in self.registers:
                kind = KINDS[var.type.dtype]
                self.homes[slot] = Place("rows", kind, self.row(kind, slot, 1), var.type)
        for var, argument in zip(self.shared, self.inputs, strict=True):
            if var in self.fixed and self.homes[argument].kind == "fixed":
                del self.homes[argument]

    def side_by_side(self) -> set[str]:
        """The slots of arrays that blocks run side by side use: they are kept lanes innermost."""
        found: set[Var] = set()
        for k, block in enumerate(self.program.blocks):
            if not self.wide[k]:
                continue
            found |= {*needs(block.equations), *(o for o in all_outs(block.equations))}
            for moves in (block.arrives, *terminator_moves(block)):
                found |= {v for move in moves for v in move if isinstance(v, Var)}
        return {self.slots.names[v] for v in found if v in self.slots.names}

    def array_place(self, var: Var, slot: str, outs: dict[str, str]) -> Place:
        if not all(isinstance(n, int) for n in var.type.shape):
            raise refuse(
                made_at(self.program, var),
                f"the size of the array {var.name!r} is not known before the program runs: {var.type}; "
                "use the largest size and a mask (np.where), or a loop over the elements",
            )
        size = count(var.type)
        if var in self.fixed:
            if var.type.dtype != "f8" or size > SHARED:
                return Place("fixed", slot, "", var.type)
            constant = self.fresh(slot.upper())
            at = sum(n for _, n in self.shares.values())
            self.constants[constant] = str(at)
            self.shares[constant] = slot, size
            return Place("shared", "S", constant, var.type)
        if size > LARGE:
            if slot in outs:
                return Place("own", outs[slot], "0", var.type, "number")
            memory = self.fresh(f"{slot}_all")
            self.owned[memory] = TYPES[ARENAS[var.type.dtype]], var.type
            return Place("own", memory, "0", var.type)
        kind = ARENAS[var.type.dtype]
        if kind == "F" and slot not in self.hot:
            constant = self.fresh(slot.upper())
            self.constants[constant] = str(self.cold)
            self.cold += max(size, 1)
            return Place("cold", "C", constant, var.type)
        return Place("rows", kind, self.row(kind, slot, size), var.type)

    @property
    def stacks(self) -> list[str]:
        """The arenas whose dtypes some pushed variable has."""
        kinds = dict.fromkeys(KINDS[v.type.dtype] for v in self.where.stacks)
        return [a for a in dict.fromkeys(KINDS.values()) if a in kinds]

    # the module

    def module(self) -> LaneModule:
        blocks = [self.block(k) for k in self.entered()]
        ends = self.loading(), self.finishing()
        advance = self.advancing()
        run = self.driver()
        helpers = runtime.offset_streams(self.printer.target_helpers(self.program))
        used = "\n".join((*blocks, run, advance, *ends))
        numbers = {
            "G": self.group,
            "LS": self.group + PADDING,
            "W": -(-self.cold // 8) * 8,
            "END": self.end,
            "FULL": -2,
        }
        constants = {**{name: str(value) for name, value in numbers.items()}, **self.constants}
        head = "\n".join(
            f"{c} = {self.constant(v)}" for c, v in constants.items() if re.search(rf"\b{c}\b", used)
        )
        parts = [
            head,
            DISTINCT,
            *([WIDE] if any(self.wide) else []),
            helpers,
            *ends,
            *blocks,
            advance,
            *([WIDER] if self.stacks else []),
            run,
        ]
        code = "\n\n\n".join(p.strip("\n") for p in parts if p) + "\n"
        imports = imports_of(code)
        text = f'"""{self.notes}"""\n\n' if self.notes else ""
        lines = [imports] if isinstance(imports, str) else list(imports)
        if any(self.wide):
            lines = [line.replace("import njit", "import njit, types") for line in lines]
        lines.append("from numba.core.compiler import Compiler")
        lines += ["from numba.extending import intrinsic"] if any(self.wide) else []
        text += "\n".join(lines) + "\n\n" + code
        wide = tuple(f"{self.block_names[k]}_group" for k in self.order())
        return LaneModule(text, f"{self.name}_lanes", tuple(self.printer.sites), (), False, wide)

    def constant(self, value: str) -> str:
        """A place as a number: rows are LS apart, streams G."""
        number, _, unit = value.partition(" * ")
        return str(int(number) * {"": 1, "LS": self.group + PADDING, "G": self.group}[unit])

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

    def exits(self, k: int, path: tuple[int, ...]) -> list[int]:
        """Where lanes may go from block k, blocks run at its end looked through."""
        block = self.program.blocks[k]
        match block.terminator:
            case Call(name, _, then):
                ways = [self.program.functions[name].entry]
                found = [then]  # by the callee's return
            case Return():
                return []
            case _:
                ways, found = [e.target for e in edges(block)], []
        for way in ways:
            found += self.exits(way, (*path, k)) if self.goes_on(way, (*path, k)) else [way]
        return found

    def goes_on(self, k: int, path: tuple[int, ...]) -> bool:
        """Whether block k is run at once at the end of the blocks in `path`."""
        block = self.program.blocks[k]
        if k in path or len(path) > 3 or block.arrives or self.where.popped(self.program, k) or self.wide[k]:
            return False
        plain = not block.equations or block.cost <= TINY
        if any(self.wide[j] for j in path):
            return is_light(block) and not self.where.pushes.get(k) and not self.moves_arrays(k)
        return plain or self.incoming(k) == 1

    def moves_arrays(self, k: int) -> bool:
        return any(to.type.rank for moves in terminator_moves(self.program.blocks[k]) for to, _ in moves)

    def incoming(self, k: int) -> int:
        entries = sum(f.entry == k for f in self.program.functions.values())
        back = sum(isinstance(b.terminator, Call) and b.terminator.then == k for b in self.program.blocks)
        return entries + back + sum(e.target == k for b in self.program.blocks for e in edges(b))

    # one block

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

    def block(self, k: int) -> str:
        """The function of one lane, and the one of the lanes that wait."""
        p, block = self.printer, self.program.blocks[k]
        p.lines, p.depth = [], 1
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
        turn = [
            "if n == G:",
            "    for lane in range(G):",
            f"        {call}",
            "else:",
            "    for lane in range(G):",
            f"        if I[PC + lane] == {k}:",
            f"            {call}",
        ]
        if k in self.exits(k, ()):
            left = ["n = 0", "for lane in range(G):", f"    n += I[PC + lane] == {k}"]
            masked = [f"    {line}" for line in turn[4:]]
            few = (
                ["else:", f"    for _ in range({STEPS}):", *masked]
                if self.program.blocks[k].cost < SHORT
                else turn[3:]
            )
            head = ["most = n", "while 2 * n > most:  # as long as most of them come back"]
            turn = [*head, *(f"    {line}" for line in (*turn[:3], *few, *left))]
        over += [f"    {line}" for line in turn]
        return "\n".join((*one, *bound, *body, "", "", *over))

    @property
    def block_names(self) -> dict[int, str]:
        if not hasattr(self, "_block_names"):
            self._block_names = {
                k: self.fresh(re.sub(r"\W+", "_", b.name)) for k, b in enumerate(self.program.blocks)
            }
            self.taken |= {f"{w}_group" for w in self._block_names.values()}
        return self._block_names

    def uses(self, lines: Iterable[str], word: str) -> bool:
        return bool(word) and any(re.search(rf"\b{re.escape(word)}\b", line) for line in lines)

    def bindings(self, body: list[str]) -> list[str]:
        """What a block's function names before its statements."""
        return ["number = I[NUMBER + lane]"] if self.uses(body, "number") else []

    def memories(self) -> list[str]:
        """What functions of blocks may be given, in order."""
        fixed = [
            a
            for v, a in zip(self.shared, self.inputs, strict=True)
            if v in self.fixed and a not in self.homes
        ]
        arenas = [a for a in dict.fromkeys((*KINDS.values(), "B")) if a in self.rows]
        given = {"C": self.cold, "S": self.shares, "R": self.streams}
        whole = [o for o in self.outputs if any(h.memory == o for h in self.homes.values())]
        stacks = [f"{a}_stack" for a in self.stacks]
        return [
            *arenas,
            *(m for m, used in given.items() if used),
            *stacks,
            *self.owned,
            *fixed,
            *whole,
            "limit",
        ]

    def mentioned(self, lines: list[str]) -> list[str]:
        lines = [*self.bindings(lines), *lines]
        return [m for m in self.memories() if self.uses(lines, m)]

    def over(self, given: list[str]) -> list[str]:
        return [*given, *(m for m in ("I",) if m not in given)]

    def changed(self, moves: Moves) -> set[str]:
        """The slots that moves give new values."""
        return {self.slots.names[to] for to, a in moves if to in self.slots.names and not self.stays(to, a)}

    def straight(self, k: int, path: tuple[int, ...], assigned: set[str]) -> None:
        """The statements of a block and of what is run at its end."""
        p, block = self.printer, self.program.blocks[k]
        path = (*path, k)
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
        self.go(then.target, then.moves, path, assigned)
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
                found |= self.live[end.then]
        return found

    def store(self, assigned: set[str], needed: Iterable[Var]) -> None:
        """Numbers that were given new values go to their rows, if they are needed afterwards."""
        names = {
            self.slots.names[v] for v in needed if v in self.slots.names and not v.type.rank and not stream(v)
        }
        for slot in sorted(names & assigned & self.registers):
            self.printer.store(slot)

    # the stack

    def frame(self, pushed: Sequence[Var]) -> dict[str, list[tuple[Var, int]]]:
        """Arena -> what is pushed there, each at its place in the frame."""
        found: dict[str, list[tuple[Var, int]]] = {}
        for var in pushed:
            listed = found.setdefault(KINDS[var.type.dtype], [])
            at = listed[-1][1] + count(listed[-1][0].type) if listed else 0
            listed.append((var, at))
        return found

    def push(self, pushed: Sequence[Var]) -> None:
        p = self.printer
        if not pushed:
            return
        p.line("if I[DEPTH + lane] == limit:")
        p.leave(p.site("RecursionError", "the stack limit was reached", None))
        p.line("I[DEPTH + lane] += 1")
        for arena, listed in self.frame(pushed).items():
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

    # lanes that come and go

    def loading(self) -> str:
        """The function that puts a lane into a place of the group."""
        p = self.printer
        p.lines, p.depth = [], 1
        p.line('"""Lane `number` starts at place `lane`."""')
        p.line("I[NUMBER + lane] = number")
        p.line("I[FAILED + lane] = 0")
        for own in ("DEPTH", *(f"{a}_TOP" for a in self.stacks)) if self.stacks else ():
            p.line(f"I[{own} + lane] = 0")
        for (param, one), argument in zip(self.shared.items(), self.inputs, strict=True):
            home = self.homes.get(self.slots.names.get(param, ""))
            if param in self.fixed or home is None:
                continue
            if stream(param):
                p.line("for k in range(13):")
                p.line(f"    R[{p.stream_at(param)} + k] = {argument}[number, k]")
                continue
            if not param.type.rank:
                p.line(f"{home.element('0')} = {argument}{'' if one else '[number]'}")
                continue
            p.line(f"for k in range({count(param.type)}):")
            p.line(
                f"    {home.element('k')} = {argument}.flat[k]"
                if one
                else f"    {home.element('k')} = {argument}[number, k]"
            )
        address = self.program.entry.address
        slot = self.slots.names.get(address)
        if slot in self.homes and address in self.where.registers:
            p.line(f"{self.homes[slot].element('0')} = END")
        p.line(f"I[PC + lane] = {self.program.entry.entry}")
        body = p.lines
        given = [m for m in (*self.memories(), *self.plain_inputs()) if self.uses(body, m)]
        self.load_given = given
        return "\n".join(
            (
                '@njit(error_model="numpy", pipeline_class=Distinct)',
                f"def load({', '.join(('lane', 'number', *given))}):",
                *body,
            )
        )

    def plain_inputs(self) -> list[str]:
        return [a for v, a in zip(self.shared, self.inputs, strict=True) if v not in self.fixed]

    def plain_outputs(self) -> list[str]:
        return [o for o, r in zip(self.outputs, self.program.entry.results, strict=True) if not stream(r)]

    def finishing(self) -> str:
        """The function that takes a lane's results."""
        p = self.printer
        p.lines, p.depth = [], 1
        p.line('"""The results of the lane at place `lane`."""')
        p.line("number = I[NUMBER + lane]")
        p.line("failed[number] = I[FAILED + lane]")
        for result, out in zip(self.program.entry.results, self.outputs, strict=True):
            if stream(result):
                self.stream_back(result)
                continue
            home = self.homes.get(self.slots.names.get(result, ""))
            if home is not None and home.memory == out:
                continue
            if not result.type.rank:
                nonzero = " != 0" if result.type.dtype == "b1" else ""
                assert home is not None
                p.line(f"{out}[number] = {home.element('0')}{nonzero}")
                continue
            p.line(f"for k in range({count(result.type)}):")
            p.line(f"    {out}[number, k] = {p.element(result) if home is None else home.element('k')}")
        body = p.lines
        given = [
            m
            for m in ("failed", *self.memories(), *self.plain_inputs(), *self.plain_outputs())
            if self.uses(body, m)
        ]
        given = list(dict.fromkeys(given))
        self.finish_given = given
        return "\n".join(
            (
                '@njit(error_model="numpy", pipeline_class=Distinct)',
                f"def finish({', '.join(('lane', *given))}):",
                *body,
            )
        )

    def stream_back(self, result: Var) -> None:
        """A stream's state at the end, to the row that it came from."""
        given = [a for v, a in zip(self.shared, self.inputs, strict=True) if stream(v)]
        results = [r for r in self.program.entry.results if stream(r)]
        p = self.printer
        p.line("for k in range(13):")
        p.line(f"    {given[results.index(result)]}[number, k] = R[{p.stream_at(result)} + k]")

    # the loop over blocks

    def driver(self) -> str:
        p = self.printer
        p.lines, p.depth = [], 0
        signature = [*self.inputs, *self.plain_outputs()]
        p.line('@njit(cache=True, nogil=True, error_model="numpy")')
        p.line(f"def {self.name}_lanes({', '.join(('first', 'last', 'limit', 'failed', *signature))}):")
        p.depth = 1
        p.lines += described(self.printer.sites, self.streams > 0)
        for arena in self.memories():
            if arena in self.rows:
                p.line(f"{arena} = np.zeros({self.rows[arena]} * LS, {TYPES[arena]})")
        if self.cold:
            p.line("C = np.zeros(W * G)")
        if self.streams:
            p.line(f"R = np.empty({16 * self.streams} * G, np.uint64)")
        for memory, (dtype, type_) in self.owned.items():
            p.line(f"{memory} = np.zeros((G, {count(type_)}), {dtype})")
        if self.shares:
            p.line(f"S = np.empty({sum(n for _, n in self.shares.values())})")
            for constant, (argument, size) in self.shares.items():
                p.line(f"for k in range({size}):")
                p.line(f"    S[{constant} + k] = {argument}{'[k]' if self.flat(argument) else '.flat[k]'}")
        for arena in self.stacks:
            p.line(f"{arena}_stack = np.empty((G, 64), {TYPES[arena]})")
        p.line("L = np.empty((END + 1) * G, np.uint32)  # the lanes that wait at each block")
        p.line("N = np.zeros(END + 1, np.int64)  # how many they are")
        p.line("N[END] = G")
        p.line("for lane in range(G):")
        p.line("    L[END * G + lane] = lane")
        p.line("    I[PC + lane] = -1")
        p.line("live = 0")
        p.line("coming = first")
        p.line("while live > 0 or coming < last:")
        p.depth = 2
        self.choice()
        self.onwards()
        p.depth = 1
        p.line("return last")
        return "\n".join(p.lines)

    def choice(self) -> None:
        """The block that lanes wait at and that matters least, run for them."""
        p = self.printer
        p.line("if N[END] > 0 and (live == 0 or coming < last):")
        p.depth += 1
        p.line("k = END")
        p.line("for j in range(N[END]):")
        p.line("    lane = L[END * G + j]")
        p.line("    if coming < last:")
        p.line(f"        load({', '.join(('lane', 'coming', *self.load_given))})")
        p.line("        coming += 1")
        p.line("        live += 1")
        p.depth -= 1
        for k in self.order():
            p.line(f"elif N[{k}] > 0:")
            p.line(f"    k = {k}")
            p.line(f"    {self.block_names[k]}_group({', '.join((f'N[{k}]', *self.over(self.given[k])))})")
        p.line("else:")
        p.line("    break")

    def onwards(self) -> None:
        """Each lane that ran, to the next block where it waits for others."""
        p = self.printer
        given = ", ".join(("lane", *self.advance_given))
        p.line("count = N[k]")
        p.line("N[k] = 0")
        p.line("for j in range(count):")
        p.depth += 1
        p.line("lane = L[k * G + j]")
        p.line("if I[PC + lane] < 0:")
        p.line("    L[END * G + N[END]] = lane")
        p.line("    N[END] += 1")
        p.line("    continue")
        if self.stacks:
            p.line("while True:")
            p.line(f"    where = advance({given})")
            p.line("    if where != FULL:")
            p.line("        break")
            for arena in self.stacks:
                p.line(f"    {arena}_stack = wider({arena}_stack, {self.largest(arena)})")
        else:
            p.line(f"where = advance({given})")
        p.line("if where == END:")
        p.line(f"    finish({', '.join(('lane', *self.finish_given))})")
        p.line("    I[PC + lane] = -1")
        p.line("    live -= 1")
        p.line("L[where * G + N[where]] = lane")
        p.line("N[where] += 1")

    def largest(self, arena: str) -> int:
        return max(self.pushes_from(k, ()).get(arena, 0) for k in self.entered())

    def advancing(self) -> str:
        """The function that runs one lane until it waits for others or ends."""
        p = self.printer
        p.lines, p.depth = [], 1
        p.line(
            '"""Run a lane until it comes to a block where it waits for others, or to its end: which it is."""'
        )
        p.line("k = I[PC + lane]")
        p.line("while True:")
        p.depth = 2
        word = "if"
        given: list[str] = ["I"]
        for k in self.entered():
            if self.wide[k]:
                continue
            own = self.given[k]
            given += [g for g in own if g not in given]
            p.line(f"{word} k == {k}:")
            for arena, size in self.pushes_from(k, ()).items():
                p.line(f"    if I[{arena}_TOP + lane] + {size} > {arena}_stack.shape[1]:")
                p.line("        I[PC + lane] = k")
                p.line("        return FULL")
                given += [g for g in (f"{arena}_stack",) if g not in given]
            p.line(f"    k = {self.block_names[k]}({', '.join(('lane', *own))})")
            word = "elif"
        if word == "if":
            p.line("break")
        else:
            p.line("else:")
            p.line("    break")
        p.depth = 1
        p.line("I[PC + lane] = k")
        p.line("return k")
        self.advance_given = given
        head = '@njit(error_model="numpy", forceinline=True, pipeline_class=Distinct)'
        return "\n".join((head, f"def advance({', '.join(('lane', *given))}):", *p.lines))

    def flat(self, argument: str) -> bool:
        return self.homes[argument].type.rank == 1

    def order(self) -> list[int]:
        """The blocks at which lanes wait for others, the dearest last."""
        weight = weights(self.program)
        return sorted((k for k in self.entered() if self.wide[k]), key=lambda k: (weight[k], k))

    def pushes_from(self, k: int, path: tuple[int, ...]) -> dict[str, int]:
        """The most numbers of each arena that a visit of block k pushes."""
        block = self.program.blocks[k]
        found = {
            arena: listed[-1][1] + count(listed[-1][0].type)
            for arena, listed in self.frame(self.where.pushes.get(k, ())).items()
        }
        path = (*path, k)
        ways = [e.target for e in edges(block)]
        if isinstance(block.terminator, Call):
            ways = [self.program.functions[block.terminator.function].entry]
        after: dict[str, int] = {}
        for way in ways:
            if self.goes_on(way, path):
                for arena, size in self.pushes_from(way, path).items():
                    after[arena] = max(after.get(arena, 0), size)
        return {a: found.get(a, 0) + after.get(a, 0) for a in dict.fromkeys((*found, *after))}


def described(sites: Sequence[Site], streams: bool) -> list[str]:
    """The docstring of the function over lanes."""
    lines = [
        '    """Lanes first to last, G of them at a time; returns last.',
        "",
        "    What ends in _lanes has a row a lane, what ends in _shared is one for all; results go to out0, out1, ...",
        *(["    Streams are state rows (Philox 4x64-10), which are advanced."] if streams else []),
        "    failed[lane] is 0, or the number of what ended the lane; limit is the deepest recursion, -1 for none.",
    ]
    causes = [f"    {k + 1}: {s.exception}: {s.message}" for k, s in enumerate(sites)]
    return [*lines, *([""] if causes else []), *causes, '    """']


def fitting(rows: int) -> int:
    """The lanes of a group so that its rows stay in the nearest cache."""
    group = MOST
    while group > GROUP and group * rows > CACHED:
        group //= 2
    return group


def all_outs(equations: Iterable[Equation]) -> Iterable[Var]:
    """Every Var that equations bind, inside them too."""
    for equation in equations:
        yield from equation.outs
        yield from binders(equation.op)
        for block in blocks_of(equation.op):
            yield from all_outs(block.equations)


DISTINCT = '''
class Distinct(Compiler):
    """For functions that are given arrays and make none: the arrays do not overlap, and nobody counts references."""

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = True
        self.state.flags.nrt = False
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True
'''

WIDE = '''
@intrinsic
def use_wide_registers(typing):
    """Lets LLVM use 512-bit registers in the function that calls this, where the processor has them."""

    def generate(context, builder, signature, args):
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), generate
'''

WIDER = '''
@njit(error_model="numpy")
def wider(stack, more):
    """A stack with room for twice as much, and `more`."""
    made = np.empty((stack.shape[0], 2 * stack.shape[1] + more), stack.dtype)
    for lane in range(stack.shape[0]):
        for k in range(stack.shape[1]):
            made[lane, k] = stack[lane, k]
    return made
'''
