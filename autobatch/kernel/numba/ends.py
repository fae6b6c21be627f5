"""How a lane leaves what it does, as text: one by one by a program counter, in a group by the return of a function."""

from __future__ import annotations

from autobatch.kernel.ir import Fail, Frame, Next, Pop, Push, Region, Register
from autobatch.kernel.memory.arenas import count
from autobatch.kernel.numba.addresses import element
from autobatch.kernel.numba.statements import Statements


class ByCounter:
    """A lane by itself: `pc` says which block comes next, `end` that none does."""

    def __init__(self, end: int):
        self.end = end

    def leave(self, to: Statements, number: int) -> None:
        to.line(f"failed[lane] = {number}")
        self.stop(to)

    def stop(self, to: Statements) -> None:
        """Out of the loop at hand, which is looked at afterwards, or else to the lane's end."""
        if to.loops:
            to.line("break")
        else:
            to.line(f"pc = {self.end}")
            to.line("continue")

    def check(self, to: Statements, denied: str, number: int) -> None:
        to.leave_if(denied, number)

    def next(self, to: Statements, target: str, *, choice: bool = False) -> None:
        to.line(f"pc = {target}")

    def name(self, target: int) -> str:
        return str(target)

    def leaves(self, region: Region) -> bool:
        return any(isinstance(stmt, Fail) for stmt in region)

    def frames(self, to: Statements, stmt: Push | Pop) -> None:
        if isinstance(stmt, Push):
            to.leave_if("depth == limit", stmt.site)
            to.line("depth += 1")
        else:
            to.line("depth -= 1")
        for frame in stmt.frames:
            stack, top = f"{frame.arena}_stack", frame.top
            if isinstance(stmt, Push):
                to.leave_if(f"{top} + {frame.size} > len({stack})", -1)
                save(to, frame, f"{stack}[")
                to.line(f"{top} += {frame.size}")
            else:
                to.line(f"{top} -= {frame.size}")
                restore(to, frame, f"{stack}[", flags=False)


class ByReturn:
    """A lane of a group: a block is a function that returns where the lane goes on.

    Where lanes go side by side (`vectors`), one that fails goes on with the others to the end of the block, as no
    vectors come of loops that are left: `fault` is what failed first. `faulty`: there was such a check. In `rounds` the
    block is left by setting k, and goes on in registers.
    """

    def __init__(self, end: int, *, vectors: bool, faulty: bool = False, rounds: bool = False):
        self.end, self.vectors, self.faulty, self.rounds = end, vectors, faulty, rounds

    def leave(self, to: Statements, number: int) -> None:
        to.line(f"I[FAILED + lane] = {number}")
        to.line("return END")

    def stop(self, to: Statements) -> None:
        """A lane that stopped in a loop has left its block."""

    def check(self, to: Statements, denied: str, number: int) -> None:
        if not self.vectors:
            to.leave_if(denied, number)
            return
        self.faulty = True
        to.spelling.intrinsics["select"] = None
        to.line(f"fault = select((fault == 0) & ({denied}), {number}, fault)")

    def next(self, to: Statements, target: str, *, choice: bool = False) -> None:
        if self.rounds:
            to.line(f"k = {target}")
        elif self.faulty:
            to.line("I[FAILED + lane] = fault")
            where = f"({target})" if choice else target
            to.line("return END" if target == "END" else f"return END if fault != 0 else {where}")
        else:
            to.line(f"return {target}")

    def name(self, target: int) -> str:
        return "END" if target == self.end else str(target)

    def leaves(self, region: Region) -> bool:
        return not self.rounds and any(isinstance(stmt, Fail) or ends(stmt) for stmt in region)

    def frames(self, to: Statements, stmt: Push | Pop) -> None:
        if isinstance(stmt, Push):
            to.leave_if("I[DEPTH + lane] == limit", stmt.site)
            to.line("I[DEPTH + lane] += 1")
            to.region(stmt.before)
        else:
            to.line("I[DEPTH + lane] -= 1")
        for frame in stmt.frames:
            row, top = f"I[{frame.arena}_TOP + lane]", frame.top
            if isinstance(stmt, Push):
                to.line(f"{top} = np.uint32({row})  # unsigned: no place is counted from the end")
                save(to, frame, f"{frame.arena}_stack[lane, ")
                to.line(f"{row} = {top} + {frame.size}")
            else:
                to.line(f"{top} = np.uint32({row} - {frame.size})")
                to.line(f"{row} = {top}")
                restore(to, frame, f"{frame.arena}_stack[lane, ", flags=True)


def ends(stmt: object) -> bool:
    return isinstance(stmt, Next) or getattr(stmt, "ends", False)


def save(to: Statements, frame: Frame, stack: str) -> None:
    """What is pushed goes to its place."""
    for each, at in frame.content:
        place = frame.top if at == 0 else f"{frame.top} + {at}"
        if isinstance(each, Register):
            to.line(f"{stack}{place}] = {each.name}")
        else:
            to.line(f"for k in range({count(each.type)}):")
            to.line(f"    {stack}{place} + k] = {element(each, 'k')}")


def restore(to: Statements, frame: Frame, stack: str, *, flags: bool) -> None:
    """What is popped comes from there; `flags`: as ints."""
    for each, at in frame.content:
        place = frame.top if at == 0 else f"{frame.top} + {at}"
        if isinstance(each, Register):
            nonzero = " != 0" if flags and each.type.dtype == "b1" else ""
            to.line(f"{each.name} = {stack}{place}]{nonzero}")
        else:
            to.line(f"for k in range({count(each.type)}):")
            to.line(f"    {element(each, 'k')} = {stack}{place} + k]")
