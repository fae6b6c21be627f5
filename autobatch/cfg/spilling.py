"""The cheapest home of each variable: assign_storage : BlockProgram -> Storage.

    temporary   inside one block's visit: no slot
    register    from one block to another: one slot a lane
    stack       a register whose value must outlive a call that may assign it again: pushed before that
                call, popped after it, and only there

A call of a function that cannot come back to the caller pushes nothing. What a recursive call does not
assign (a parameter handed on unchanged) or nobody needs afterwards is not pushed. A return address is one
more variable: it is on the stack where a recursive function calls itself, elsewhere in a register, and
nowhere if there is one place to go to, or if how deep the stack is tells which (return_places.py).

    fib(n): if n <= 1: return 1; return fib(n - 1) + fib(n - 2)
        first call   pushes n and the address
        second call  pushes the first result and the address
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from math import prod

import numpy as np

from autobatch.cfg.graph import (
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    edges,
    terminator_moves,
    variables_read,
    visited,
    writes,
)
from autobatch.cfg.liveness import live_in, vars_in
from autobatch.cfg.return_places import ByDepth, known_returns, returns_by_depth, unread_addresses
from codegen.ir import Apply, Atom, Equation, Var
from codegen.ir.listing import Listing


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
    returns    block of a Return -> the one block it can go to, len(blocks) being the end
    by_depth   block of a Return -> where it goes, which the depth of the stack tells; a Return that is in neither
               goes to the function's `address`
    """

    homes: Mapping[Var, Home]
    registers: tuple[Var, ...]
    pushes: Mapping[int, tuple[Var, ...]]
    returns: Mapping[int, int]
    by_depth: Mapping[int, ByDepth]

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


def assign_storage(program: BlockProgram, *, counts_depth: bool = False) -> Storage:
    """Where the variables of a block program live; `counts_depth`: Returns may ask how deep the stack is."""
    returns = known_returns(program)
    order = variables_in_order(program)
    unread = unread_addresses(program, returns.keys())
    saved = saved_at(program, unread)
    by_depth = returns_by_depth(program, saved) if counts_depth else {}
    if by_depth:
        unread = unread_addresses(program, {*returns, *by_depth})
        saved = saved_at(program, unread)
    across = live_across_visits(program) - unread
    pushes = {k: tuple(v for v in order if v in pushed) for k, pushed in saved.items()}
    stacked = {v for pushed in pushes.values() for v in pushed}
    homes = {
        v: Home.STACK if v in stacked else Home.REGISTER if v in across else Home.TEMPORARY for v in order
    }
    registers = tuple(v for v in order if homes[v] is not Home.TEMPORARY)
    return Storage(homes, registers, pushes, returns, by_depth)


def variables_in_order(program: BlockProgram) -> dict[Var, None]:
    """Every variable, in order of first appearance: main's parameters first, addresses last."""
    order: list[Atom] = [*program.entry.params]
    for block in program.blocks:
        order += [v for to, source in block.arrives for v in (source, to)]
        for equation in block.equations:
            order += (*variables_read(equation), *equation.outs)
        if isinstance(block.terminator, Branch):
            order.append(block.terminator.test)
        order += [v for moves in terminator_moves(block) for to, source in moves for v in (source, to)]
    order += [*program.entry.results, *(f.address for f in program.functions.values())]
    return {v: None for v in order if isinstance(v, Var)}


def live_across_visits(program: BlockProgram) -> set[Var]:
    """Variables that carry a value from one block's visit to another: live on entry, or handed over."""
    across = set().union(program.entry.params, program.entry.results, *live_in(program))
    for block in program.blocks:
        across |= vars_in(result for _, result in block.arrives)
        if isinstance(block.terminator, Return):
            across.update(target for target, _ in block.terminator.moves)
    return across


def saved_at(program: BlockProgram, unread: Set[Var]) -> dict[int, Set[Var]]:
    """For each Call the variables needed after it that running the callee may assign."""
    live = live_in(program)
    return {
        k: (live[block.terminator.then] - unread) & clobbered(program, block.terminator)
        for k, block in enumerate(program.blocks)
        if isinstance(block.terminator, Call)
    }


def clobbered(program: BlockProgram, call: Call) -> set[Var]:
    """What a call may assign before it returns: its moves, the address, what the callee's blocks assign."""
    callee = program.functions[call.function]
    found = {callee.address, *program.assigned(to for to, _ in call.moves)}
    for k in visited(program, callee.entry):
        block = program.blocks[k]
        found.update(writes(program, block))
        if isinstance(block.terminator, Call):
            found.add(program.functions[block.terminator.function].address)
    return found


def block_listing(program: BlockProgram, notes: Sequence[str] = (), *, counts_depth: bool = False) -> str:
    """The blocks as text, with costs, what `notes` say of each, pushes and pops: what `explain` shows.

    0 fib  cost 1
        t = le n, 1
        branch t -> 1 | 2
    """
    where, names = assign_storage(program, counts_depth=counts_depth), Listing(None, "")
    lines = []
    for k, block in enumerate(program.blocks):
        lines.append(f"{k} {block.name}  cost {block.cost:g}{notes[k] if notes else ''}")
        if popped := where.popped(program, k):
            lines.append(f"    pop {names.all(popped)}")
        lines += [f"    {names.name(to)} = {names.name(r)}" for to, r in block.arrives]
        lines += [f"    {equation_text(equation, names)}" for equation in block.equations]
        lines += [f"    {line}" for line in terminator_lines(program, where, k, names)]
    return "\n".join(lines) + "\n"


def equation_text(equation: Equation, names: Listing) -> str:
    outs, inputs = names.all(equation.outs), names.all(variables_read(equation))
    match equation.op:
        case Apply(primitive, operands, params):
            words = [names.name(o) for o in operands] + [f"{k}={v!r}" for k, v in params.items()]
            text = f"{primitive.name} {', '.join(words)}"
        case other:
            text = f"{type(other).__name__.lower()} of {inputs}"
    return f"{outs} = {text}" if outs else text


def terminator_lines(program: BlockProgram, where: Storage, k: int, names: Listing) -> list[str]:
    block = program.blocks[k]

    def with_moves(text: str, moves: Moves) -> str:
        return text + "".join(f", {names.name(to)} <- {names.name(source)}" for to, source in moves)

    address = program.functions[block.function].address
    match block.terminator:
        case Branch(test):
            ways = [with_moves(str(edge.target), edge.moves) for edge in edges(block)]
            return [f"branch {names.name(test)} -> {' | '.join(ways)}"]
        case Call(function, moves, then):
            push = [f"push {names.all(where.pushes[k])}"] if where.pushes[k] else []
            return [*push, f"{with_moves(f'call {function}', moves)}, then {then}"]
        case Return(moves):
            end, depth = len(program.blocks), where.by_depth.get(k)
            places = [where.returns.get(k)] if depth is None else [depth.deep, depth.shallow]
            told = [
                "end" if place == end else f"{place}" if place is not None else names.name(address)
                for place in places
            ]
            to = told[0] if depth is None else f"{told[0]} if deep else {told[1]}"
            return [with_moves(f"return to {to}", moves)]
        case Jump(target, moves):
            return [with_moves(f"jump {target}", moves)]
