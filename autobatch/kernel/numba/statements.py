"""Statements of the kernel language as Python text that Numba compiles."""

from __future__ import annotations

from typing import Protocol

from autobatch.kernel.ir import (
    Accumulate,
    Assign,
    Check,
    Copy,
    CopyStream,
    Draw,
    DrawArray,
    Fail,
    Fill,
    If,
    Layout,
    LeaveIfFailed,
    Look,
    Loop,
    MatrixVector,
    Memory,
    Move,
    Needed,
    Next,
    Operation,
    Pop,
    Probe,
    Push,
    Region,
    Register,
    Step,
    Stmt,
    Store,
    Wait,
    While,
)
from autobatch.kernel.loops import LONG
from autobatch.kernel.memory.arenas import count
from autobatch.kernel.numba.addresses import element, spelled
from autobatch.kernel.numba.lines import INDENT, Lines
from autobatch.kernel.numba.spelling import STEPS, LaneSpelling
from autobatch.kernel.numba.values import Values
from autobatch.kernel.polling import STOPPED
from codegen import runtime
from codegen.emit.lines import LINE, bare_text
from codegen.emit.spelling import BINARY, enclose
from codegen.ir.kinds import Arithmetic
from codegen.source import Source, Span


class Ends(Protocol):
    """How a lane leaves what it does: by a number in `failed`, or to another block."""

    def leave(self, to: Statements, number: int) -> None:
        """The lane stops here, for the reason with this number."""

    def stop(self, to: Statements) -> None:
        """The same, where the reason is noted already."""

    def check(self, to: Statements, denied: str, number: int) -> None:
        """The lane stops here if the text holds."""

    def next(self, to: Statements, target: str, *, choice: bool = False) -> None:
        """The lane goes on at a block; `choice`: at one of two."""

    def name(self, target: int) -> str:
        """A block's number."""

    def leaves(self, region: Region) -> bool:
        """Whether nothing is run after a region."""

    def frames(self, to: Statements, stmt: Push | Pop) -> None:
        """Frames are written, or read."""


class Statements(Lines):
    """Lines of text. `quote`: the user's line beside the first of its statements; `vectors`: as Values have it."""

    def __init__(self, spelling: LaneSpelling, ends: Ends, *, quote: bool = False, vectors: bool = False):
        super().__init__()
        self.spelling, self.ends, self.quote = spelling, ends, quote
        self.values = Values(spelling, vectors=vectors)
        self.loops = 0  # around the statement at hand
        self.span: Span | None = None
        self.noted: tuple[Source, int] | None = None  # the user's line that was quoted last

    # statements

    def region(self, region: Region) -> None:
        for stmt in region:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        self.span = getattr(stmt, "span", None)
        match stmt:
            case Step(body):
                self.region(body)
            case Needed():
                pass
            case Assign():
                self.assign(stmt)
            case Move(pairs):
                left = ", ".join(out.name for out, _ in pairs)
                self.line(f"{left} = {', '.join(self.values.plain(value) for _, value in pairs)}")
            case Store(address, value):
                self.line(f"{spelled(address, self.values.text)} = {self.values.plain(value)}")
            case Accumulate(address, value, minus):
                self.line(
                    f"{spelled(address, self.values.text)} {'-' if minus else '+'}= {self.values.plain(value)}"
                )
            case Copy():
                self.copy(stmt)
            case Fill(memory, value):
                self.line(f"for k in range({count(memory.type)}):")
                self.line(f"    {element(memory, 'k')} = {self.values.plain(value)}")
            case Draw(op, out, operands):
                name = op.primitive.helper
                self.line(f"{out.name} = {name}({', '.join(self.values.plain(o) for o in operands)})")
            case DrawArray():
                self.draw_array(stmt)
            case CopyStream(to, source):
                self.copy_stream(to, source)
            case MatrixVector():
                self.matrix_vector(stmt)
            case Check(test, site):
                self.ends.check(self, self.values.denied(test), site)
            case Fail(site):
                self.ends.leave(self, site)
            case Look():
                self.leave_if("stopped(failed)", STOPPED)
            case LeaveIfFailed():
                self.line("if failed[lane] != 0:")
                self.depth += 1
                self.ends.stop(self)
                self.depth -= 1
            case If():
                self.branches(stmt)
            case Loop():
                self.loop(stmt)
            case While():
                self.while_(stmt)
            case Push() | Pop():
                self.ends.frames(self, stmt)
            case Next():
                self.go(stmt)
            case Wait(place):
                self.line(f"pc = {place}")
                self.line("break")
            case Probe(lines):
                self.written(lines)
        self.span = None

    def leave_if(self, test: str, number: int) -> None:
        self.line(f"if {test}:")
        self.depth += 1
        self.ends.leave(self, number)
        self.depth -= 1

    def assign(self, stmt: Assign) -> None:
        name, value = stmt.out.name, stmt.value
        if stmt.reassociated and isinstance(value, Operation):
            args = self.values.operands(value)
            kind = value.op.primitive.kind
            step = STEPS[kind]
            self.spelling.wanted[step] = None
            term = f"-{enclose(args[1], BINARY['**'])}" if kind is Arithmetic.SUB else args[1][0]
            self.line(f"{name} = {step}({name}, {term})")
            return
        self.line(self.values.augmented(name, value) or f"{name} = {self.values.plain(value)}")

    def copy(self, stmt: Copy) -> None:
        """One loop for all; of arrays given by rows the row's element."""
        targets = [element(to, "k") for to, _ in stmt.pairs]
        sources = [element(source, "k") for _, source in stmt.pairs]
        if stmt.pairs[0][0].layout is Layout.BY_ROW:
            self.line(f"{', '.join(targets)} = {', '.join(sources)}")
            return
        if stmt.test is not None:
            others = [element(other, "k") for other in stmt.others]
            test = self.values.plain(stmt.test)
            sources = [x if x == y else f"select({test}, {x}, {y})" for x, y in zip(sources, others)]
            self.spelling.intrinsics["select"] = None
        self.line(f"for k in range({count(stmt.pairs[0][0].type)}):")
        if stmt.apart:
            for to, source in zip(targets, sources, strict=True):
                self.line(f"    {to} = {source}")
            return
        self.line(f"    {', '.join(targets)} = {', '.join(sources)}")

    def draw_array(self, stmt: DrawArray) -> None:
        name, size = f"{stmt.op.primitive.helper}", count(stmt.out.type)
        bounds = stmt.operands[: stmt.op.primitive.first_size]
        given = [self.values.plain(o) for o in bounds]
        if stmt.out.layout is Layout.ARENA:
            part = f"{stmt.out.name}[{stmt.out.first} : {stmt.out.first} + {size}]"
            filler = name.replace("draw_", "fill_", 1)
            self.line(f"{filler}({', '.join((given[0], part, *given[1:]))})")
            return
        self.line(f"for k in range({size}):")
        self.line(f"    {element(stmt.out, 'k')} = {name}({', '.join(given)})")

    def copy_stream(self, to: Register | Memory, source: Register | Memory) -> None:
        """A stream's words, one by one: what Numba says of slices that differ in length takes 2 s to compile."""
        self.line(f"for k in range({runtime.STATE_WORDS}):")
        self.line(f"    {self.word(to)} = {self.word(source)}")

    def word(self, stream: Register | Memory) -> str:
        return f"{stream.name}[k]" if isinstance(stream, Register) else element(stream, "k")

    def matrix_vector(self, stmt: MatrixVector) -> None:
        """Row by row of the matrix, or, where lanes are innermost, element by element of the result."""
        rows, columns = (int(n) for n in stmt.matrix.type.shape if isinstance(n, int))
        if stmt.out.layout is not Layout.ARENA:
            flat, places = (f"k * {columns} + j", "k, j") if stmt.left else (f"j * {columns} + k", "j, k")
            outer, inner = (rows, columns) if stmt.left else (columns, rows)
            self.line(f"for k in range({outer}):")
            self.line("    total = 0.0")
            self.line(f"    for j in range({inner}):")
            self.line(f"        total += {cell(stmt.matrix, flat, places)} * {cell(stmt.vector, 'j', 'j')}")
            self.line(f"    {element(stmt.out, 'k')} = total")
            return
        matrix = cell(stmt.matrix, f"k * {columns} + j", "k, j")
        self.spelling.wanted["plus"] = None
        if stmt.left:
            total, term = element(stmt.out, "k"), f"{matrix} * {cell(stmt.vector, 'j', 'j')}"
            self.line(f"for k in range({rows}):")
            self.line(f"    {total} = 0.0")
            self.line(f"    for j in range({columns}):")
            self.line(
                f"        {total} = plus({total}, {term})" if columns > LONG else f"        {total} += {term}"
            )
            return
        self.line(f"for j in range({columns}):")
        self.line(f"    {element(stmt.out, 'j')} = 0.0")
        self.line(f"for k in range({rows}):")
        self.line(f"    for j in range({columns}):")
        self.line(f"        {element(stmt.out, 'j')} += {cell(stmt.vector, 'k', 'k')} * {matrix}")

    # control

    def branches(self, stmt: If) -> None:
        """if, elif, else; what follows a branch that has left needs no else."""
        word = "if"
        while True:
            then, orelse = stmt.then, stmt.orelse
            if not then and orelse:
                self.line(f"{word} {self.values.denied(stmt.test)}:")
                self.nested(orelse)
                return
            self.line(f"{word} {self.values.plain(stmt.test)}:")
            self.nested(then)
            if word == "if" and self.ends.leaves(then):
                self.region(orelse)
                return
            if not orelse:
                return
            if len(orelse) != 1 or not isinstance(orelse[0], If) or orelse[0].ends:
                self.line("else:")
                self.nested(orelse)
                return
            stmt = orelse[0]
            word = "elif"

    def nested(self, region: Region) -> None:
        """A region one level deeper."""
        self.depth += 1
        before = len(self.lines)
        self.region(region)
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def loop(self, loop: Loop) -> None:
        start, stop = self.values.plain(loop.start), self.values.plain(loop.stop)
        self.loops += 1
        if loop.strip:
            self.line(f"for strip in range({start}, {stop}, {loop.strip}):")
            self.depth += 1
            self.leave_if("stopped(failed)", STOPPED)
            self.line(f"for {loop.index.name} in range(strip, min(strip + {loop.strip}, {stop})):")
        else:
            self.line(f"for {loop.index.name} in {counted(start, stop, loop.step)}:")
        self.nested(loop.body)
        if loop.strip and loop.fails:
            self.line("if failed[lane] != 0:")
            self.line("    break")
        self.depth -= bool(loop.strip)
        self.loops -= 1

    def while_(self, loop: While) -> None:
        self.loops += 1
        if loop.head:
            self.line("while True:")
            self.depth += 1
            self.region(loop.head)
            self.line(f"if {self.values.denied(loop.test)}:")
            self.line(f"{INDENT}break")
            self.depth -= 1
        else:
            self.line(f"while {self.values.plain(loop.test)}:")
        self.nested(loop.body)
        self.loops -= 1

    def go(self, stmt: Next) -> None:
        then, orelse = (
            t.name if isinstance(t, Register) else self.ends.name(t) for t in (stmt.then, stmt.orelse)
        )
        if stmt.test is None:
            self.ends.next(self, then)
            return
        self.ends.next(self, f"{then} if {self.values.plain(stmt.test)} else {orelse}", choice=True)

    # lines

    def line(self, text: str) -> None:
        quoted = self.quoted(text)
        line = INDENT * self.depth + text
        if quoted and len(line) + len(quoted) + 4 > LINE:
            self.lines.append(f"{INDENT * self.depth}# {quoted}")
        elif quoted:
            line = f"{line}  # {quoted}"
        self.lines.append(line)

    def quoted(self, text: str) -> str:
        """The user's line to note beside the first of its statements, where it does not say the same."""
        if not self.quote or self.span is None or self.noted == (self.span.source, self.span.line):
            return ""
        self.noted = (self.span.source, self.span.line)
        written = self.span.text
        return "" if written.endswith(":") or bare_text(written) == bare_text(text) else written


def counted(start: str, stop: str, step: int) -> str:
    if step != 1:
        return f"range({start}, {stop}, {step})"
    return f"range({stop})" if start == "0" else f"range({start}, {stop})"


def cell(array: Memory, flat: str, places: str) -> str:
    """An element, by its number in order in an arena, by its places in an array of its own."""
    return f"{array.name}[{places}]" if array.layout is Layout.PLACES else element(array, flat)
