"""Statements of the kernel language as Python text that Numba compiles, of a lane by itself."""

from __future__ import annotations

from autobatch.kernel import ir
from autobatch.kernel.ir import Layout, Memory, Region, Register, StackFrame, Stmt
from autobatch.kernel.loops import LONG
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.numba.addresses import address_text, beginning, element_text, stream_place
from autobatch.kernel.numba.spelling import STEPS, LaneSpelling
from autobatch.kernel.numba.values import Values
from autobatch.kernel.numba.writer import CodeWriter
from autobatch.kernel.polling import STOPPED
from codegen import runtime
from codegen.emit.spelling import ATOM, BINARY, conditional_text, enclose
from codegen.emit.structures import tupled
from codegen.ir import Lit
from codegen.ir.kinds import Arithmetic


class Statements(CodeWriter):
    """Lines of text. `quote`: the user's line beside the first of its statements; `vectors`: as Values have it.

    `pc` says which block comes next, `end` that none does. GroupStatements go from block to block otherwise.
    """

    def __init__(self, spelling: LaneSpelling, end: int, *, quote: bool = False, vectors: bool = False):
        super().__init__(quote=quote)
        self.spelling, self.end = spelling, end
        self.values = Values(spelling, vectors=vectors)
        self.plain = self.values.plain
        self.loops = 0  # around the statement at hand

    # how a lane leaves what it does

    def leave(self, number: int) -> None:
        """The lane stops here, for the reason with this number."""
        self.line(f"failed[lane] = {number}")
        self.stop()

    def stop(self) -> None:
        """The same, where the reason is noted already: out of the loop at hand, which is looked at afterwards."""
        if self.loops:
            self.line("break")
        else:
            self.line(f"pc = {self.end}")
            self.line("continue")

    def leave_if(self, test: str, number: int) -> None:
        with self.block(f"if {test}:"):
            self.leave(number)

    def leave_if_failed(self) -> None:
        """After a loop in which the lane may have stopped."""
        with self.block("if failed[lane] != 0:"):
            self.stop()

    def check(self, denied: str, number: int) -> None:
        """The lane stops here if the text holds."""
        self.leave_if(denied, number)

    def next(self, target: str, *, choice: bool = False) -> None:
        """The lane goes on at a block; `choice`: at one of two."""
        self.line(f"pc = {target}")

    def name(self, target: int) -> str:
        """A block's number."""
        return str(target)

    def leaves(self, region: Region) -> bool:
        """Whether nothing is run after a region."""
        return any(isinstance(stmt, ir.Fail) for stmt in region)

    def push(self, stmt: ir.Push) -> None:
        self.leave_if("depth == limit", stmt.site)
        self.line("depth += 1")
        for frame in stmt.frames:
            stack = f"{frame.arena}_stack"
            self.leave_if(f"{frame.top} + {frame.size} > len({stack})", -1)
            self.content(frame, f"{stack}[", pushed=True)
            self.line(f"{frame.top} += {frame.size}")

    def pop(self, stmt: ir.Pop) -> None:
        self.line("depth -= 1")
        for frame in stmt.frames:
            self.line(f"{frame.top} -= {frame.size}")
            self.content(frame, f"{frame.arena}_stack[", pushed=False)

    def content(self, frame: StackFrame, stack: str, *, pushed: bool, flags: bool = False) -> None:
        """What is pushed goes to its place, what is popped comes from there; `flags` as ints."""
        for each, at in frame.content:
            place = f"{stack}{frame.top}{f' + {at}' if at else ''}"
            nonzero = " != 0" if flags and each.type.dtype == "b1" else ""
            if isinstance(each, Register):
                self.line(f"{place}] = {each.name}" if pushed else f"{each.name} = {place}]{nonzero}")
                continue
            sides = f"{place} + k]", element_text(each, "k")
            self.elements(element_count(each.type), " = ".join(sides if pushed else reversed(sides)))

    # statements

    def region(self, region: Region) -> None:
        for stmt in region:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        self.span = getattr(stmt, "span", None)
        match stmt:
            case ir.Step(body):
                self.region(body)
            case ir.Needed():
                pass
            case ir.Assign():
                self.assign(stmt)
            case ir.Move(outs, values):
                self.line(f"{', '.join(out.name for out in outs)} = {', '.join(map(self.plain, values))}")
            case ir.Store(address, value):
                self.line(f"{address_text(address, self.values.text)} = {self.plain(value)}")
            case ir.Accumulate(address, value, minus):
                self.line(
                    f"{address_text(address, self.values.text)} {'-' if minus else '+'}= {self.plain(value)}"
                )
            case ir.Copy():
                self.copy(stmt)
            case ir.Fill(memory, value):
                filled = f"{element_text(memory, 'k')} = {self.plain(value)}"
                self.elements(element_count(memory.type), filled)
            case ir.Draw(op, out, operands):
                self.line(f"{out.name} = {self.values.draw(op, list(map(self.plain, operands)))[0]}")
            case ir.DrawArray():
                self.draw_array(stmt)
            case ir.MakeStream():
                self.line(self.made_stream(stmt))
            case ir.CopyStream(to, source):
                self.elements(self.stream_words, f"{self.word(to)} = {self.word(source)}")
            case ir.MatrixVector():
                self.matrix_vector(stmt)
            case ir.LibraryCall():
                self.library(stmt)
            case ir.Check(test, site):
                self.check(self.values.denied(test), site)
            case ir.Fail(site):
                self.leave(site)
            case ir.Look():
                self.leave_if("stopped(failed)", STOPPED)
            case ir.LeaveIfFailed():
                self.leave_if_failed()
            case ir.If():
                self.branches(stmt)
            case ir.Loop():
                self.loop(stmt)
            case ir.While():
                self.while_(stmt)
            case ir.Push():
                self.push(stmt)
            case ir.Pop():
                self.pop(stmt)
            case ir.Next():
                self.go(stmt)
            case ir.Wait(place):
                self.line(f"pc = {place}")
                self.line("break")
            case ir.Probe(lines):
                self.written(lines)
        self.span = None

    def assign(self, stmt: ir.Assign) -> None:
        name, value = stmt.out.name, stmt.value
        if stmt.reassociated and isinstance(value, ir.Operation):
            args = self.values.operands(value)
            kind = value.op.primitive.kind
            step = STEPS[kind]
            self.spelling.wanted[step] = None
            term = f"-{enclose(args[1], BINARY['**'])}" if kind is Arithmetic.SUB else args[1][0]
            self.line(f"{name} = {step}({name}, {term})")
            return
        self.line(self.values.augmented(name, value) or f"{name} = {self.plain(value)}")

    def copy(self, stmt: ir.Copy) -> None:
        """One loop for all; of arrays given by rows the row's element."""
        targets, sources = ([element_text(m, "k") for m in side] for side in zip(*stmt.pairs, strict=True))
        together = f"{', '.join(targets)} = {', '.join(sources)}"
        if stmt.pairs[0][0].layout is Layout.BY_ROW:
            self.line(together)
            return
        if stmt.test is not None:
            others, test = [element_text(other, "k") for other in stmt.others], self.plain(stmt.test)
            sources = [x if x == y else f"select({test}, {x}, {y})" for x, y in zip(sources, others)]
            together = f"{', '.join(targets)} = {', '.join(sources)}"
            self.spelling.intrinsics["select"] = None
        with self.counted("k", element_count(stmt.pairs[0][0].type)):
            self.written(map(" = ".join, zip(targets, sources)) if stmt.apart else [together])

    def draw_array(self, stmt: ir.DrawArray) -> None:
        row, size = stmt.op.primitive, element_count(stmt.out.type)
        given = list(map(self.plain, stmt.operands[: row.first_size]))
        if stmt.out.layout is Layout.ARENA:
            part = f"{stmt.out.name}[{stmt.out.first} : {stmt.out.first} + {size}]"
            self.line(f"{row.fills}({', '.join((given[0], part, *given[1:]))})")
        else:
            self.elements(size, f"{element_text(stmt.out, 'k')} = {row.helper}({', '.join(given)})")

    def made_stream(self, stmt: ir.MakeStream) -> str:
        to, seeds = stmt.to, list(map(self.plain, stmt.operands))
        words = to.name if isinstance(to, Register) else f"{to.name}, {stream_place(to)}"
        return f"{stmt.op.primitive.fills}({words}, {tupled(seeds)})"

    stream_words = runtime.STATE_WORDS  # of a lane's own

    def copy_stream(self, to: str, source: str) -> None:
        """A stream's words, one by one: what Numba says of slices that differ in length takes 2 s to compile."""
        self.elements(runtime.STATE_WORDS, f"{to} = {source}")

    def word(self, stream: Register | Memory) -> str:
        return f"{stream.name}[k]" if isinstance(stream, Register) else element_text(stream, "k")

    def matrix_vector(self, stmt: ir.MatrixVector) -> None:
        """Row by row of the matrix, or, where lanes are innermost, element by element of the result."""
        rows, columns = (int(n) for n in stmt.matrix.type.shape if isinstance(n, int))
        if stmt.out.layout is not Layout.ARENA:
            flat, places = (f"k * {columns} + j", "k, j") if stmt.left else (f"j * {columns} + k", "j, k")
            outer, inner = (rows, columns) if stmt.left else (columns, rows)
            with self.counted("k", outer):
                self.line("total = 0.0")
                self.line(f"for j in range({inner}):")
                self.line(f"    total += {cell(stmt.matrix, flat, places)} * {cell(stmt.vector, 'j', 'j')}")
                self.line(f"{element_text(stmt.out, 'k')} = total")
            return
        matrix = cell(stmt.matrix, f"k * {columns} + j", "k, j")
        self.spelling.wanted["plus"] = None
        if stmt.left:
            total, term = element_text(stmt.out, "k"), f"{matrix} * {cell(stmt.vector, 'j', 'j')}"
            with self.block(f"for k in range({rows}):"):
                self.line(f"{total} = 0.0")
                self.line(f"for j in range({columns}):")
                self.line(f"    {total}{f' = plus({total}, {term})' if columns > LONG else f' += {term}'}")
            return
        self.line(f"for j in range({columns}):")
        self.line(f"    {element_text(stmt.out, 'j')} = 0.0")
        self.line(f"for k in range({rows}):")
        self.line(f"    for j in range({columns}):")
        self.line(f"        {element_text(stmt.out, 'j')} += {cell(stmt.vector, 'k', 'k')} * {matrix}")

    def library(self, stmt: ir.LibraryCall) -> None:
        """A call of a library's, given arrays of its own where they lie apart."""
        arrays, given = iter(stmt.operands), []
        for k, operand in enumerate(stmt.op.operands):
            if isinstance(operand, Lit):
                given.append(repr(operand.value))
                continue
            each = next(arrays)
            size, shape = element_count(each.type), ", ".join(map(str, each.type.shape))
            if each.layout is Layout.ARENA:
                first = beginning(each.first)
                flat = f"{each.name}[{first} : {first} + {size}]"
            else:
                flat = f"given{k}"
                self.line(f"{flat} = np.empty({size})")
                self.elements(size, f"{flat}[k] = {element_text(each, 'k')}")
            given.append(f"{flat}.reshape(({shape},))")
        name = stmt.op.primitive.helper or "np.dot"
        self.line(f"made = {name}({', '.join(given)}).ravel()")
        self.elements(element_count(stmt.out.type), f"{element_text(stmt.out, 'k')} = made[k]")

    # control

    def branches(self, stmt: ir.If) -> None:
        """if, elif, else; what follows a branch that has left needs no else."""
        word = "if"
        while True:
            then, orelse = stmt.then, stmt.orelse
            if not then and orelse:
                self.nested(f"{word} {self.values.denied(stmt.test)}:", orelse)
                return
            self.nested(f"{word} {self.plain(stmt.test)}:", then)
            if word == "if" and self.leaves(then):
                self.region(orelse)
                return
            if not orelse:
                return
            if len(orelse) != 1 or not isinstance(orelse[0], ir.If) or orelse[0].ends:
                self.nested("else:", orelse)
                return
            stmt = orelse[0]
            word = "elif"

    def nested(self, head: str, region: Region) -> None:
        """A region under its head."""
        with self.block(head):
            self.body(region)

    def body(self, region: Region) -> None:
        before = len(self.lines)
        self.region(region)
        if len(self.lines) == before:
            self.line("pass")

    def loop(self, loop: ir.Loop) -> None:
        start, stop = self.plain(loop.start), self.plain(loop.stop)
        self.loops += 1
        if loop.strip:
            with self.block(f"for strip in range({start}, {stop}, {loop.strip}):"):
                self.leave_if("stopped(failed)", STOPPED)
                turns = f"range(strip, min(strip + {loop.strip}, {stop}))"
                self.nested(f"for {loop.index.name} in {turns}:", loop.body)
                self.written(["if failed[lane] != 0:", "    break"] if loop.fails else [])
        else:
            self.nested(f"for {loop.index.name} in {range_text(start, stop, loop.step)}:", loop.body)
        self.loops -= 1

    def while_(self, loop: ir.While) -> None:
        self.loops += 1
        with self.block("while True:" if loop.head else f"while {self.plain(loop.test)}:"):
            if loop.head:
                self.region(loop.head)
                self.written([f"if {self.values.denied(loop.test)}:", "    break"])
            self.body(loop.body)
        self.loops -= 1

    def go(self, stmt: ir.Next) -> None:
        ways = (stmt.then, stmt.orelse)
        then, orelse = (t.name if isinstance(t, Register) else self.name(t) for t in ways)
        if stmt.test is None:
            self.next(then)
        else:
            way = conditional_text(self.values.text(stmt.test), (then, ATOM), (orelse, ATOM))
            self.next(way[0], choice=True)


def range_text(start: str, stop: str, step: int) -> str:
    if step != 1:
        return f"range({start}, {stop}, {step})"
    return f"range({stop})" if start == "0" else f"range({start}, {stop})"


def cell(array: Memory, flat: str, places: str) -> str:
    """An element, by its number in order in an arena, by its places in an array of its own."""
    return f"{array.name}[{places}]" if array.layout is Layout.PLACES else element_text(array, flat)
