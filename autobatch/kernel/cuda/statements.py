"""Statements of the kernel language as a thread of a GPU does them: numba/statements.py, but for what follows here.

A lane that fails notes where in a register, `fault`, and goes to its end; where there is one block alone, it leaves the
kernel. Frames are where frames.py has them. Draws look into tables that the kernel is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from autobatch.kernel import ir
from autobatch.kernel.cuda.spelling import ThreadSpelling
from autobatch.kernel.cuda.watchdog import Watchdog
from autobatch.kernel.ir import Region, Register, StackFrame, Stmt
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.frames import Frames
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.numba.addresses import element_text
from autobatch.kernel.numba.statements import Statements
from autobatch.kernel.numba.values import Values
from autobatch.kernel.walk import memories_in, outs, statements
from codegen.emit.spelling import ATOM, Text, scalar_type
from codegen.ir import Apply, Lit, Type
from codegen.source import Span

TABLES = "ziggurat"  # where draws look things up (codegen/runtime/cuda/draws.py), in a kernel
OUT_OF_STACK = -1  # what a lane's fault is that needs a larger stack


# Of a stream in a thread: its state, the block after it, and whether that is there (codegen/runtime/cuda/draws.py).
STREAM_WORDS = 18


class ThreadValues(Values):
    def draw(self, op: Apply, given: Sequence[str]) -> Text:
        helper = op.primitive.helper
        assert helper is not None
        self.spelling.wanted[helper] = None
        tables = [TABLES] if op.primitive.looks_up else []
        return f"{helper}({', '.join((given[0], *tables, *given[1:]))})", ATOM


class ThreadStatements(Statements):
    """`straight`: there is one block, and a lane that fails leaves the kernel at once."""

    spelling: ThreadSpelling
    stream_words = STREAM_WORDS

    def __init__(
        self,
        spelling: ThreadSpelling,
        end: int,
        frames: Frames,
        *,
        straight: bool,
        watchdog: Watchdog | None = None,
    ):
        super().__init__(spelling, end)
        self.straight, self.watchdog, self.frames = straight, watchdog, frames
        self.values = ThreadValues(spelling)
        self.plain = self.values.plain

    def reciprocals(self, memory: ThreadMemory, region: Region) -> None:
        """Those of shared arrays that statements divide by: all threads of a block write the same."""
        used = {each.name for each in memories_in(region)}
        found = {array: name for array, name in memory.inverses.items() if name[0] in used}
        for array, (name, type_) in found.items():
            one, size = self.plain(Lit(1.0, Type(type_.dtype))), element_count(type_)
            self.line(f"{name} = cuda.shared.array({size}, {scalar_type(type_.dtype)})")
            self.elements(size, f"{name}[k] = {one} / {array}[k]")
        if found:
            self.line("cuda.syncthreads()")

    @property
    def keeps_streams(self) -> bool:
        """Whether there are streams."""
        return False

    def keep_streams(self) -> None:
        """A lane's streams are left where it has drawn to."""

    def leave(self, number: int) -> None:
        if self.straight:
            self.keep_streams()
            self.line(f"failed[lane] = {number}")
            self.line("return")
        else:
            self.line(f"fault = {number}")
            self.stop()

    def leave_if_failed(self) -> None:
        if self.straight:
            return  # it has left the kernel
        with self.block("if fault != 0:"):
            self.stop()

    def push(self, stmt: ir.Push) -> None:
        self.by_depth(stmt.frames, None if stmt.again else stmt.site, pushed=True)
        self.line("depth += 1")

    def pop(self, stmt: ir.Pop) -> None:
        self.line("depth -= 1")
        self.by_depth(stmt.frames, None, pushed=False)

    def by_depth(self, frames: Sequence[StackFrame], site: int | None, *, pushed: bool) -> None:
        """What is in the frame at `depth`; `site`: where a lane ends for which there is no room."""
        words = iter(("if", "elif"))
        listed = any(frame.content for frame in frames)
        if self.frames.near and listed:
            with self.block(f"{next(words)} depth < near:"):
                self.frame(frames, near=True, pushed=pushed)
        if site is not None:
            with self.block(f"{next(words)} depth == room:"):
                self.leave_stack(site)
        if self.frames.near and listed:
            with self.block("else:"):
                self.frame(frames, near=False, pushed=pushed)
        else:
            self.frame(frames, near=False, pushed=pushed)

    def leave_stack(self, site: int) -> None:
        """A lane that is too deep fails; one that wants a larger stack starts again: its streams stay."""
        fault = f"{site} if depth == limit else {OUT_OF_STACK}"
        if not self.straight:
            self.line(f"fault = {fault}")
            self.stop()
            return
        if self.keeps_streams:
            with self.block("if depth == limit:"):
                self.keep_streams()
        self.line(f"failed[lane] = {fault}")
        self.line("return")

    def frame(self, frames: Sequence[StackFrame], *, near: bool, pushed: bool) -> None:
        """What is pushed goes to its place, what is popped comes from there."""
        for arena, each, at in ((frame.arena, *each) for frame in frames for each in frame.content):
            one = isinstance(each, Register)
            place = self.frames.place(arena, f"{at}" if one else f"{at} + k" if at else "k", near=near)
            sides = place, each.name if isinstance(each, Register) else element_text(each, "k")
            text = " = ".join(sides if pushed else reversed(sides))
            if one:
                self.line(text)
            else:
                self.elements(element_count(each.type), text)

    def leaves(self, region: Region) -> bool:
        ways = (ir.Exit, ir.Next) if self.straight else ir.Exit
        return super().leaves(region) or isinstance(region[-1] if region else None, ways)

    def branches(self, stmt: ir.If) -> None:
        if self.leaves(stmt.orelse) and not self.leaves(stmt.then):
            self.nested(f"if {self.values.denied(stmt.test)}:", stmt.orelse)
            self.region(stmt.then)
        else:
            super().branches(stmt)

    def repeat(self, body: Region) -> None:
        """A loop, under the test by which it is left where that comes first."""
        first, *rest = body
        match first:
            case ir.If(test, (ir.Exit(),), inner):
                self.nested(f"while {self.values.denied(test)}:", (*inner, *rest))
            case ir.If(test, inner, (ir.Exit(),)):
                self.nested(f"while {self.plain(test)}:", (*inner, *rest))
            case _:
                self.nested("while True:", body)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case ir.Repeat(body):
                self.repeat(body)
            case ir.Exit():
                self.line("break")
            case ir.Look(span):
                self.look(span)
            case ir.DrawArray(op, out, operands):
                given = list(map(self.plain, operands[: op.primitive.first_size]))
                self.elements(
                    element_count(out.type), f"{element_text(out, 'k')} = {self.values.draw(op, given)[0]}"
                )
            case _:
                super().statement(stmt)

    def made_stream(self, stmt: ir.MakeStream) -> str:
        assert stmt.op.primitive.fills is not None
        self.spelling.note(stmt.op.primitive.fills)
        return super().made_stream(stmt)

    def look(self, span: Span | None) -> None:
        """Nobody interrupts a kernel, but lanes may count their rounds."""
        if self.watchdog is not None:
            self.line("rounds += 1")
            self.leave_if(f"rounds > {self.watchdog.limit}", self.watchdog.site(span))

    def loop(self, loop: ir.Loop) -> None:
        """A thread has no vectors, and so no use for strips."""
        body = (ir.Look(loop.span), *loop.body) if loop.strip else loop.body
        name = loop.index.name
        unread = not name.strip("_") or any(name == out.name for s in statements(body) for out in outs(s))
        begins = isinstance(loop.start, Lit | Register)
        if unread or loop.step < 0 or not begins or not isinstance(loop.stop, Lit):
            super().loop(replace(loop, body=body, strip=0))
            return
        self.loops += 1
        start = loop.start.value if isinstance(loop.start, Lit) else self.plain(loop.start)
        with self.counted(name, loop.stop.value, start, loop.step):
            self.region(body)
        self.loops -= 1

    @contextmanager
    def counted(self, index: str, stop: int, start: int | str = 0, step: int = 1) -> Iterator[None]:
        """Known numbers, one after the other. Those of a `range` are choices to the compiler, which then neither knows
        that they are not negative nor writes out what is long: a copy of ten numbers took 500 instructions."""
        self.line(f"{index} = {start}")
        with self.block(f"while {index} < {stop}:"):
            yield
            self.line(f"{index} += {step}")

    def assign(self, stmt: ir.Assign) -> None:
        """Sums are taken in order."""
        self.line(
            self.values.augmented(stmt.out.name, stmt.value) or f"{stmt.out.name} = {self.plain(stmt.value)}"
        )
