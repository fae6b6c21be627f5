"""What lanes do where they come to a block and leave it, however they run: calls, returns, frames, notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autobatch.cfg.graph import Call
from autobatch.kernel.ir import Assign, Memory, Next, Operation, Probe, Push, Register, StackFrame, Stmt
from autobatch.kernel.lower import Lowering
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.program import ProgramMemory
from autobatch.profiling.probes import Unmarked
from autobatch.schedule import TOO_DEEP
from codegen.ir import Apply, Lit, Var
from codegen.ir.build import B1, I8
from codegen.ir.exceptions import thrown
from codegen.primitives import ROWS

DEEP = Operation(
    Apply(ROWS["ne"], (Var("depth", I8), Lit(0, I8))), (Register("depth", I8), Lit(0, I8)), B1
)  # whether there are frames on the stack
Top = Callable[[str], str]  # arena -> the register from which a frame counts


class Visits:
    """`lowering` makes the statements of equations, `marks` what a profile notes."""

    def __init__(self, memory: ProgramMemory, lowering: Lowering, marks: Unmarked):
        self.program, self.where, self.names = memory.program, memory.where, memory.slots.names
        self.kinds, self.lowering, self.marks = memory.kinds, lowering, marks

    def frames(self, listed: Sequence[Var], top: Top) -> tuple[StackFrame, ...]:
        """What is pushed, or popped, by arena, one after the other."""
        low, sizes, contents = (
            self.lowering,
            dict[str, int](),
            dict[str, list[tuple[Register | Memory, int]]](),
        )
        for var in listed:
            arena = self.kinds[var.type.dtype]
            at = sizes.get(arena, 0)
            place = low.array(var) if var.type.rank else low.register(var)
            contents.setdefault(arena, []).append((place, at))
            sizes[arena] = at + element_count(var.type)
        return tuple(
            StackFrame(arena, sizes[arena], top(arena), tuple(each)) for arena, each in contents.items()
        )

    def call(self, k: int, call: Call, top: Top, *, now: bool) -> Iterator[Stmt]:
        """Frames are pushed, arguments moved, and it is noted where to return to."""
        address, low = self.program.functions[call.function].address, self.lowering
        if pushed := self.where.pushes.get(k, ()):
            yield Push(self.frames(pushed, top), low.site(thrown("RecursionError", TOO_DEEP), call.span))
        yield from low.moves(call.moves, now=now)
        if address in self.names and address in self.where.registers:
            yield Assign(low.register(address), Lit(call.then, address.type))

    def returns(self, k: int) -> Next:
        """Block k, which ends in a Return, to the block that it knows, or that the stack or a register tells."""
        known, depth = self.where.returns.get(k), self.where.by_depth.get(k)
        if known is not None:
            return Next(known)
        if depth is not None:
            return Next(depth.deep, DEEP, depth.shallow)
        return Next(self.lowering.register(self.program.functions[self.program.blocks[k].function].address))

    def popped(self, k: int) -> tuple[Var, ...]:
        return self.where.popped(self.program, k)


def probe(lines: Sequence[str]) -> list[Stmt]:
    return [Probe(tuple(lines))] if lines else []
