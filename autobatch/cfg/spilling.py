"""The cheapest home of each variable: storage : BlockProgram -> Storage.

    temporary   inside one block's visit: no slot
    register    from one block to another: one slot a lane
    stack       a register whose value must outlive a call that may assign it again: pushed before that
                call, popped after it, and only there

A call of a function that cannot come back to the caller pushes nothing. What a recursive call does not
assign (a parameter handed on unchanged) or nobody needs afterwards is not pushed. A return address is one
more variable: it is on the stack where a recursive function calls itself, elsewhere in a register, and
nowhere if there is one place to go to.

    fib(n): if n <= 1: return 1; return fib(n - 1) + fib(n - 2)
        first call   pushes n and the address
        second call  pushes the first result and the address
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod
from types import MappingProxyType

import numpy as np

from autobatch.cfg.graph import (
    BlockProgram,
    Branch,
    Call,
    Return,
    edges,
    reads,
    terminator_moves,
    visited,
    writes,
)
from autobatch.cfg.liveness import live_in, vars_in
from codegen.ir import Lit, Var


class Home(Enum):
    TEMPORARY = "temporary"
    REGISTER = "register"
    STACK = "stack"


@dataclass(frozen=True, eq=False)
class Storage:
    """Where variables live, what calls push and where Returns go.

    homes      every variable of the blocks
    registers  those that need a slot (the ones with a stack too), in order of first use
    pushes     block of a Call -> what it pushes, in the order of `registers`, and the block after it pops
    returns    block of a Return -> the one block it can go to, len(blocks) being the end; where a Return is
               not in it, it goes to the function's `address`
    """

    homes: Mapping[Var, Home]
    registers: tuple[Var, ...]
    pushes: Mapping[int, tuple[Var, ...]]
    returns: Mapping[int, int]

    @property
    def stacks(self) -> tuple[Var, ...]:
        """The variables that have a stack, in the order of `registers`."""
        return tuple(v for v in self.registers if self.homes[v] is Home.STACK)

    @property
    def frame(self) -> int:
        """Bytes of the largest frame."""
        return max((sum(map(bytes_of, pushed)) for pushed in self.pushes.values()), default=0)

    def popped(self, program: BlockProgram, block: int) -> tuple[Var, ...]:
        """What a block pops as it is entered."""
        for k, pushed in self.pushes.items():
            call = program.blocks[k].terminator
            if isinstance(call, Call) and call.then == block:
                return pushed
        return ()


def bytes_of(var: Var) -> int:
    """Of a variable in a frame; sizes that are not known are one."""
    if var.type.dtype == "rng":
        return 0  # a stream is not pushed
    return np.dtype(var.type.dtype).itemsize * prod(n if isinstance(n, int) else 1 for n in var.type.shape)


def storage(program: BlockProgram) -> Storage:
    """Where the variables of a block program live."""
    returns = known_returns(program)
    order = mentioned(program)
    across = crossing(program, returns)
    pushes = {k: tuple(v for v in order if v in saved) for k, saved in saved_at(program, returns).items()}
    stacked = {v for saved in pushes.values() for v in saved}
    homes = {
        v: Home.STACK if v in stacked else Home.REGISTER if v in across else Home.TEMPORARY for v in order
    }
    registers = tuple(v for v in order if homes[v] is not Home.TEMPORARY)
    return Storage(MappingProxyType(homes), registers, MappingProxyType(pushes), MappingProxyType(returns))


def known_returns(program: BlockProgram) -> dict[int, int]:
    """The Returns that can go to one block only."""
    calls: dict[Var, set[int]] = {program.entry.address: {len(program.blocks)}}
    for block in program.blocks:
        if isinstance(block.terminator, Call):
            address = program.functions[block.terminator.function].address
            calls.setdefault(address, set()).add(block.terminator.then)
    found = {}
    for k, block in enumerate(program.blocks):
        if isinstance(block.terminator, Return):
            places = calls.get(program.functions[block.function].address, set())
            if len(places) == 1:
                found[k] = min(places)
    return found


def mentioned(program: BlockProgram) -> dict[Var, None]:
    """Every variable, in order of first appearance: main's parameters first, addresses last."""
    order: dict[Var, None] = dict.fromkeys(program.entry.params)
    for block in program.blocks:
        for atom in arrived(block.arrives):
            order[atom] = None
        for equation in block.equations:
            order.update(dict.fromkeys((*reads(equation), *equation.outs)))
        if isinstance(block.terminator, Branch):
            order.update(dict.fromkeys(vars_in((block.terminator.test,))))
        for moves in terminator_moves(block):
            for target, source in moves:
                order.update(dict.fromkeys((*vars_in((source,)), target)))
    order.update(dict.fromkeys(program.entry.results))
    order.update(dict.fromkeys(f.address for f in program.functions.values()))
    return order


def arrived(arrives: tuple[tuple[Var, object], ...]) -> list[Var]:
    return [v for move in arrives for v in reversed(move) if isinstance(v, Var)]


def crossing(program: BlockProgram, returns: Mapping[int, int]) -> set[Var]:
    """Variables that carry a value from one block's visit to another: live on entry, or handed over."""
    across = {v for live in live_in(program) for v in live} | set(program.entry.params)
    across |= set(program.entry.results)
    for block in program.blocks:
        across.update(result for _, result in block.arrives if isinstance(result, Var))
        if isinstance(block.terminator, Return):
            across.update(target for target, _ in block.terminator.moves)
    open_ = {
        program.functions[b.function].address
        for k, b in enumerate(program.blocks)
        if isinstance(b.terminator, Return) and k not in returns
    }
    return across - ({f.address for f in program.functions.values()} - open_)


def saved_at(program: BlockProgram, returns: Mapping[int, int]) -> dict[int, set[Var]]:
    """For each Call the variables needed after it that running the callee may assign."""
    live = live_in(program)
    found = {}
    for k, block in enumerate(program.blocks):
        if isinstance(block.terminator, Call):
            needed = live[block.terminator.then] - settled(program, returns)
            found[k] = set(needed & clobbered(program, block.terminator))
    return found


def settled(program: BlockProgram, returns: Mapping[int, int]) -> set[Var]:
    """Addresses that no Return reads."""
    return {f.address for f in program.functions.values()} - {
        program.functions[b.function].address
        for k, b in enumerate(program.blocks)
        if isinstance(b.terminator, Return) and k not in returns
    }


def clobbered(program: BlockProgram, call: Call) -> set[Var]:
    """What a call may assign before it returns: its moves, the address, what the callee's blocks assign."""
    callee = program.functions[call.function]
    found = {callee.address} | {
        v for to, _ in call.moves for v in (to, *(n for n, _ in program.brings.get(to, ())))
    }
    for k in visited(program, callee.entry):
        block = program.blocks[k]
        found.update(writes(program, block))
        if isinstance(block.terminator, Call):
            found.add(program.functions[block.terminator.function].address)
    return found


def listing(program: BlockProgram, notes: Sequence[str] = ()) -> str:
    """The blocks as text, with costs, what `notes` say of each, pushes and pops: what `explain` shows.

    0 fib  cost 1
        t = le n, 1
        branch t -> 1 | 2
    """
    return "\n".join(Listing(program, storage(program), notes).lines()) + "\n"


class Listing:
    """Names for the variables of one program."""

    def __init__(self, program: BlockProgram, where: Storage, notes: Sequence[str] = ()):
        self.program, self.where = program, where
        self.notes = notes or [""] * len(program.blocks)
        self.names: dict[Var, str] = {}
        self.taken: dict[str, int] = {}

    def name(self, atom: object) -> str:
        if isinstance(atom, Lit):
            return repr(atom.value)
        assert isinstance(atom, Var)
        if atom not in self.names:
            count = self.taken[atom.name] = self.taken.get(atom.name, 0) + 1
            self.names[atom] = atom.name if count == 1 else f"{atom.name}.{count}"
        return self.names[atom]

    def moves(self, moves: tuple[tuple[Var, object], ...]) -> str:
        return "".join(f", {self.name(to)} <- {self.name(source)}" for to, source in moves)

    def lines(self) -> list[str]:
        found = []
        for k, block in enumerate(self.program.blocks):
            found.append(f"{k} {block.name}  cost {block.cost:g}{self.notes[k]}")
            if popped := self.where.popped(self.program, k):
                found.append("    pop " + ", ".join(map(self.name, popped)))
            found += [f"    {self.name(to)} = {self.name(r)}" for to, r in block.arrives]
            found += [f"    {self.equation(e)}" for e in block.equations]
            found += [f"    {line}" for line in self.end(k)]
        return found

    def equation(self, equation: object) -> str:
        from codegen.ir import Apply, Equation
        from codegen.ir import Call as Kept

        assert isinstance(equation, Equation)
        outs = ", ".join(map(self.name, equation.outs))
        inputs = ", ".join(self.name(v) for v in reads(equation))
        match equation.op:
            case Apply(primitive, operands, params):
                words = [self.name(o) for o in operands] + [f"{k}={v!r}" for k, v in params.items()]
                text = f"{primitive.name} {', '.join(words)}"
            case Kept(function, operands):
                text = f"{function}({', '.join(map(self.name, operands))})"
            case other:
                text = f"{type(other).__name__.lower()} of {inputs}"
        return f"{outs} = {text}" if outs else text

    def end(self, k: int) -> list[str]:
        end = self.program.blocks[k].terminator
        match end:
            case Branch(test):
                ways = [f"{e.target}{self.moves(e.moves)}" for e in edges(self.program.blocks[k])]
                return [f"branch {self.name(test)} -> {' | '.join(ways)}"]
            case Call(function, moves, then):
                pushed = self.where.pushes[k]
                push = ["push " + ", ".join(map(self.name, pushed))] if pushed else []
                return [*push, f"call {function}{self.moves(moves)}, then {then}"]
            case Return(moves):
                place = self.where.returns.get(k)
                if place is None:
                    where = self.name(self.program.functions[self.program.blocks[k].function].address)
                else:
                    where = "end" if place == len(self.program.blocks) else str(place)
                return [f"return to {where}{self.moves(moves)}"]
            case _:
                return [f"jump {end.target}{self.moves(end.moves)}"]
