"""Statements of a lane of a group as text: a block is a function that returns where the lane goes on."""

from __future__ import annotations

from autobatch.kernel import ir
from autobatch.kernel.ir import Region
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.numba.statements import Statements


class GroupStatements(Statements):
    """Where lanes go side by side (`vectors`), one that fails goes on with the others to the end of the block.

    No vectors come of loops that are left: `fault` is what failed first, `faulty`: there was such a check. In `rounds`
    the block is left by setting k, and goes on in registers.
    """

    def __init__(self, spelling: LaneSpelling, end: int, *, vectors: bool, faulty: bool, rounds: bool):
        super().__init__(spelling, end, quote=True, vectors=vectors)
        self.vectors, self.faulty, self.rounds = vectors, faulty, rounds

    def leave(self, number: int) -> None:
        self.line(f"I[FAILED + lane] = {number}")
        self.line("return END")

    def stop(self) -> None:
        """A lane that stopped in a loop has left its block."""

    def check(self, denied: str, number: int) -> None:
        if not self.vectors:
            self.leave_if(denied, number)
            return
        self.faulty = True
        self.spelling.intrinsics["select"] = None
        self.line(f"fault = select((fault == 0) & ({denied}), {number}, fault)")

    def next(self, target: str, *, choice: bool = False) -> None:
        if self.rounds:
            self.line(f"k = {target}")
        elif self.faulty:
            self.line("I[FAILED + lane] = fault")
            where = f"({target})" if choice else target
            self.line("return END" if target == "END" else f"return END if fault != 0 else {where}")
        else:
            self.line(f"return {target}")

    def name(self, target: int) -> str:
        return "END" if target == self.end else str(target)

    def leaves(self, region: Region) -> bool:
        return not self.rounds and any(
            isinstance(s, ir.Fail | ir.Next) or (isinstance(s, ir.If) and s.ends) for s in region
        )

    def push(self, stmt: ir.Push) -> None:
        self.leave_if("I[DEPTH + lane] == limit", stmt.site)
        self.line("I[DEPTH + lane] += 1")
        self.region(stmt.before)
        for frame in stmt.frames:
            row, top = f"I[{frame.arena}_TOP + lane]", frame.top
            self.line(f"{top} = np.uint32({row})  # unsigned: no place is counted from the end")
            self.content(frame, f"{frame.arena}_stack[lane, ", pushed=True)
            self.line(f"{row} = {top} + {frame.size}")

    def pop(self, stmt: ir.Pop) -> None:
        self.line("I[DEPTH + lane] -= 1")
        for frame in stmt.frames:
            row, top = f"I[{frame.arena}_TOP + lane]", frame.top
            self.line(f"{top} = np.uint32({row} - {frame.size})")
            self.line(f"{row} = {top}")
            self.content(frame, f"{frame.arena}_stack[lane, ", pushed=False, flags=True)
