"""Calls that a function ends with, as turns of a loop: loop_tail_calls : Function -> Function.

    def fib(n):                              def fib(n):
        if n < 2:                                total = 0
            return n                  ->         while not n < 2:
        return fib(n - 1) + fib(n - 2)               t = fib(n - 1)
                                                     total += t
                                                     n -= 2
                                                 total += n
                                                 return total

A call of itself whose result is returned, or is only added to what is returned, need not come back: the loop carries
its arguments and the sum so far. (Accumulators for associative operations, as LLVM introduces them; Numba's calls,
which give a status and write the result elsewhere, hide this from it.) The operation is one of integers, where any
order gives the same bits; a sum of floats is left alone. What comes after the call in its block now runs before it:
over numbers alone that can only change which failure of a lane is met first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from codegen.ir import Apply, Atom, Block, Call, Equation, Function, If, Lit, Var, While
from codegen.ir.build import B1
from codegen.ir.kinds import Arithmetic, Bits
from codegen.ir.literals import dtype_of
from codegen.ir.primitive import Primitive
from codegen.ir.substitution import clone
from codegen.primitives import ROWS
from codegen.simplify.driver import use_counts

NEUTRAL: dict[Enum | None, int] = {
    Arithmetic.ADD: 0, Arithmetic.MUL: 1, Bits.OR: 0, Bits.XOR: 0, Bits.AND: -1,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class End:
    """A call of itself in `block`, the operation that takes its result to the block's, and the other operands."""

    block: Block
    call: Call
    op: Primitive | None  # None: the call's result is the block's
    others: tuple[Atom, ...]
    made: tuple[Var, ...]  # the call's out and what the operation makes of it


def loop_tail_calls(function: Function) -> Function:
    """The function with a loop in place of the calls of itself that it ends with, if there are any."""
    found = [e.op for e in tail_ends(function.body, function.name)]
    if not found:
        return function
    return TailLoop(function, next((op for op in found if op), None)).function()


def tail_ends(block: Block, name: str) -> Iterator[End]:
    """The calls that a block ends with, those of its last branches included."""
    if (found := end(block, name)) is not None:
        yield found
    elif (last := last_branch(block)) is not None:
        assert isinstance(last.op, If)
        yield from tail_ends(last.op.then, name)
        yield from tail_ends(last.op.orelse, name)


def last_branch(block: Block) -> Equation | None:
    """The If that makes the one result of a block."""
    found = [e for e in block.equations if isinstance(e.op, If) and e.outs and e.outs == block.results]
    return found[0] if found and use_counts(block)[found[0].outs[0]] == 1 else None


def end(block: Block, name: str) -> End | None:
    """The call that a block ends with."""
    if len(block.results) != 1:
        return None
    made = {e.outs[0]: e.op for e in block.equations if len(e.outs) == 1}
    count = use_counts(block)

    def back(
        atom: Atom, op: Primitive | None, others: tuple[Atom, ...], passed: tuple[Var, ...]
    ) -> End | None:
        """Backwards from the result, through one operation, to a call."""
        if not isinstance(atom, Var) or atom not in made or count[atom] != 1:
            return None
        passed = (*passed, atom)
        match made[atom]:
            case Call(function) as call if function == name:
                return End(block, call, op, others, passed)
            case Apply(row, (x, y)) if row.kind in NEUTRAL and op in (None, row) and are_integers(atom, x, y):
                return back(y, row, (*others, x), passed) or back(x, row, (*others, y), passed)
        return None

    return back(block.results[0], None, (), ())


def are_integers(*atoms: Atom) -> bool:
    """Integers, all of one dtype and of no axis."""
    types = {(a.type.dtype, a.type.rank) for a in atoms}
    return len(types) == 1 and atoms[0].type.dtype[0] in "iu" and not atoms[0].type.rank


class TailLoop:
    """A function as a loop that carries its parameters and what is accumulated by `op`."""

    def __init__(self, function: Function, op: Primitive | None):
        self.before = function
        self.op = op
        self.params = tuple(Var(p.name, p.type) for p in function.params)
        self.type = replace(function.body.results[0].type, weak=False)
        self.total, self.more = Var("total", self.type), Var("more", B1)
        self.init: tuple[Atom, ...] = (
            *function.params,
            Lit(dtype_of(self.type).type(NEUTRAL[op.kind if op else Arithmetic.ADD]).item(), self.type),
        )

    def function(self) -> Function:
        last = last_branch(self.before.body)
        ahead = tuple(e for e in self.before.body.equations if e is not last)
        if last is not None and all(is_cheap_again(e) for e in ahead):
            assert isinstance(last.op, If)
            for turns, leaves in ((last.op.then, last.op.orelse), (last.op.orelse, last.op.then)):
                if self.is_closed(turns) and not any(tail_ends(leaves, self.before.name)):
                    return self.tested(ahead, last.op, turns, leaves)
        return self.flagged()

    def is_closed(self, block: Block) -> bool:
        """Whether a block ends with such a call on all ways through it."""
        if (found := end(block, self.before.name)) is not None:
            return found.op in (None, self.op)
        last = last_branch(block)
        if last is None:
            return False
        assert isinstance(last.op, If)
        return self.is_closed(last.op.then) and self.is_closed(last.op.orelse)

    def tested(self, ahead: tuple[Equation, ...], last: If, turns: Block, leaves: Block) -> Function:
        """The last branch decides whether the loop goes on; the checks ahead of it end each turn.

        (Checks at the head of the loop's body would be the plainer program; LLVM makes slower code of it.)
        """
        pure = tuple(e for e in ahead if e.outs)
        here = dict(zip(self.before.params, self.params))
        cond = clone(Block(pure, (last.test,)), here)
        turn = self.turn(turns)
        body = clone(Block((*pure, *turn.equations), turn.results[:-1]), here)
        checks = clone(Block(ahead, ()), dict(zip(self.before.params, body.results))).equations
        carried = (*self.params, self.total)
        loop = While(
            carried,
            self.init,
            cond if turns is last.then else negated(cond),
            Block((*body.equations, *checks), body.results),
        )
        outs = tuple(Var(v.name, v.type) for v in carried)
        added, total = self.added(leaves.results)
        left = dict(zip((*self.before.params, self.total), outs))
        after = clone(Block((*pure, *leaves.equations, *added), (total,)), left)
        equations = (*clone(Block(ahead, ())).equations, Equation(outs, loop), *after.equations)
        return replace(self.before, body=Block(equations, after.results))

    def flagged(self) -> Function:
        """A variable says whether the loop goes on."""
        body = clone(self.before.body, dict(zip(self.before.params, self.params)))
        carried = (*self.params, self.total, self.more)
        outs = tuple(Var(v.name, v.type) for v in carried)
        loop = While(carried, (*self.init, Lit(True, B1)), Block((), (self.more,)), self.turn(body))
        return replace(self.before, body=Block((Equation(outs, loop),), (outs[-2],)))

    def turn(self, block: Block) -> Block:
        """A block of the function as one that gives what the loop carries."""
        found = end(block, self.before.name)
        if found is not None and found.op in (None, self.op):
            rest = tuple(e for e in block.equations if e.outs not in {(v,) for v in found.made})
            added, total = self.added(found.others)
            return Block((*rest, *added), (*found.call.operands, total, Lit(True, B1)))
        last = last_branch(block)
        if last is not None and any(tail_ends(block, self.before.name)):
            assert isinstance(last.op, If)
            outs = tuple(Var(v.name, v.type) for v in (*self.params, self.total, self.more))
            op = If(last.op.test, self.turn(last.op.then), self.turn(last.op.orelse))
            equations = tuple(Equation(outs, op, e.span) if e is last else e for e in block.equations)
            return Block(equations, outs)
        added, total = self.added(block.results)
        return Block((*block.equations, *added), (*self.params, total, Lit(False, B1)))

    def added(self, atoms: tuple[Atom, ...]) -> tuple[tuple[Equation, ...], Atom]:
        """What is accumulated so far and these; without an operation the last of all results is the one."""
        total: Atom = self.total
        if self.op is None:
            return (), (atoms[0] if atoms else total)
        equations = []
        for atom in atoms:
            out = Var("total", self.type)
            equations.append(Equation((out,), Apply(self.op, (total, atom))))
            total = out
        return tuple(equations), total


def is_cheap_again(equation: Equation) -> bool:
    """Worth doing again rather than carrying along: an operation on numbers."""
    op = equation.op
    return isinstance(op, Apply) and not any(a.type.rank for a in (*op.operands, *equation.outs))


def negated(cond: Block) -> Block:
    out = Var("t", B1)
    return Block((*cond.equations, Equation((out,), Apply(ROWS["not"], cond.results))), (out,))
