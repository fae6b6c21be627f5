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
    Element,
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
    Quotient,
    Region,
    Register,
    Select,
    Step,
    Stmt,
    Store,
    Value,
    Wait,
    While,
)
from autobatch.kernel.lower import LONG, count
from autobatch.kernel.numba.addresses import element, spelled, stream_place
from autobatch.kernel.numba.lines import INDENT, Lines
from autobatch.kernel.numba.spelling import STEPS, LaneSpelling
from autobatch.kernel.polling import STOPPED
from codegen import runtime
from codegen.emit.spelling import ATOM, BINARY, Text, choice, enclose, operator
from codegen.emit.statements import ABOVE, AUGMENTED, BELOW, LINE, bare
from codegen.ir import Lit
from codegen.ir.kinds import Arithmetic, Choice, Logic, Relation
from codegen.source import Source, Span
from codegen.targets.numba_cpu import NUMBA


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
    """Lines of text. `quote`: the user's line beside the first of its statements.

    `vectors`: what is written is done by lanes side by side, so that no test of two guards the second.
    """

    def __init__(self, spelling: LaneSpelling, ends: Ends, *, quote: bool = False, vectors: bool = False):
        super().__init__()
        self.spelling, self.ends, self.quote, self.vectors = spelling, ends, quote, vectors
        self.loops = 0  # around the statement at hand
        self.span: Span | None = None
        self.noted: tuple[Source, int] | None = None  # the user's line that was quoted last

    # values

    def plain(self, value: Value) -> str:
        return self.text(value)[0]

    def text(self, value: Value) -> Text:
        match value:
            case Lit():
                return self.spelling.literal(value)
            case Register(name):
                return name, ATOM
            case Operation():
                return self.operation(value)
            case Quotient(inverse=inverse):
                self.spelling.wanted["fast_quotient"] = None
                x, y = self.operands(value)
                return f"fast_quotient({x[0]}, {y[0]}, {self.plain(inverse)})", ATOM
            case Element(address, type_):
                if address.memory.layout is Layout.STREAM:
                    return f"{address.memory.name}, {stream_place(address.memory)}", ATOM
                text = spelled(address, self.text)
                flag = type_.dtype == "b1" and address.memory.type.dtype != "b1"
                return (f"{text} != 0", BINARY["!="]) if flag else (text, ATOM)
            case Select():
                return self.select(value)

    def operands(self, value: Operation | Quotient) -> list[Text]:
        return [
            self.spelling.operand(o, value.op) if isinstance(o, Lit) else self.text(o) for o in value.operands
        ]

    def operation(self, value: Operation) -> Text:
        op, kind = value.op, value.op.primitive.kind
        if op.primitive.family == "random":
            return NUMBA.draw(op, [self.plain(o) for o in value.operands])
        if value.eager and kind in (Logic.AND, Logic.OR):
            return operator("&" if kind is Logic.AND else "|", self.operands(value))
        if value.eager and kind is Choice.SELECT:
            self.spelling.intrinsics["select"] = None
            return f"select({', '.join(text for text, _ in self.operands(value))})", ATOM
        if kind is Logic.AND and (chain := self.chain(*value.operands)):
            return chain
        return self.spelling.apply(op, self.operands(value), value.type)

    def chain(self, left: Value, right: Value) -> Text | None:
        """`a <= x < b` for a <= x and x < b."""
        low, high = bound(left, ABOVE), bound(right, BELOW)
        if low is None or high is None or low.operands[0] != high.operands[0] or self.vectors:
            return None
        ends = [
            enclose(self.spelling.operand(end, test.op) if isinstance(end, Lit) else self.text(end), 6)
            for test in (low, high)
            for end in test.operands[1:]
        ]
        first, second = self.spelling.sign(low.op), self.spelling.sign(high.op)
        return f"{ends[0]} {first} {self.plain(low.operands[0])} {second} {ends[1]}", BINARY["<"]

    def select(self, value: Select) -> Text:
        """and, or, not, or a conditional expression."""
        then, orelse, test = value.then, value.orelse, self.text(value.test)
        if is_false(orelse):
            if is_true(then):
                return test
            return self.chain(value.test, then) or operator("and", (test, self.text(then)))
        if is_true(then):
            return operator("or", (test, self.text(orelse)))
        if is_false(then) and isinstance(orelse, Lit):
            return operator("not", (test,))
        return choice(test, self.text(then), self.text(orelse))

    def denied(self, test: Value) -> str:
        """The text of `not test`."""
        if isinstance(test, Lit):
            return str(not test.value)
        if isinstance(test, Operation):
            kind, args = test.op.primitive.kind, self.operands(test)
            whole = all(o.type.dtype[0] in "iu" for o in test.op.operands)
            if kind in (Relation.EQ, Relation.NE) or (isinstance(kind, Relation) and whole):
                return operator(kind.negated.value, args)[0]
            if kind is Logic.NOT:
                return args[0][0]
        return operator("not", (self.text(test),))[0]

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
                self.line(f"{left} = {', '.join(self.plain(value) for _, value in pairs)}")
            case Store(address, value):
                self.line(f"{spelled(address, self.text)} = {self.plain(value)}")
            case Accumulate(address, value, minus):
                self.line(f"{spelled(address, self.text)} {'-' if minus else '+'}= {self.plain(value)}")
            case Copy():
                self.copy(stmt)
            case Fill(memory, value):
                self.line(f"for k in range({count(memory.type)}):")
                self.line(f"    {element(memory, 'k')} = {self.plain(value)}")
            case Draw(op, out, operands):
                name = op.primitive.helper
                self.line(f"{out.name} = {name}({', '.join(self.plain(o) for o in operands)})")
            case DrawArray():
                self.draw_array(stmt)
            case CopyStream(to, source):
                self.copy_stream(to, source)
            case MatrixVector():
                self.matrix_vector(stmt)
            case Check(test, site):
                self.ends.check(self, self.denied(test), site)
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
            args = self.operands(value)
            kind = value.op.primitive.kind
            step = STEPS[kind]
            self.spelling.wanted[step] = None
            term = f"-{enclose(args[1], BINARY['**'])}" if kind is Arithmetic.SUB else args[1][0]
            self.line(f"{name} = {step}({name}, {term})")
            return
        self.line(self.augmented(name, value) or f"{name} = {self.plain(value)}")

    def augmented(self, name: str, value: Value) -> str | None:
        """`s += v` for `s = s + v`."""
        if not isinstance(value, Operation) or value.op.primitive.kind not in AUGMENTED:
            return None
        word, args = value.op.primitive.operator, self.operands(value)
        if word is None or args[0] != (name, ATOM) or operator(word, args) != self.text(value):
            return None
        return f"{name} {word}= {args[1][0]}"

    def copy(self, stmt: Copy) -> None:
        """One loop for all; of arrays given by rows the row's element."""
        targets = [element(to, "k") for to, _ in stmt.pairs]
        sources = [element(source, "k") for _, source in stmt.pairs]
        if stmt.pairs[0][0].layout is Layout.BY_ROW:
            self.line(f"{', '.join(targets)} = {', '.join(sources)}")
            return
        if stmt.test is not None:
            others = [element(other, "k") for other in stmt.others]
            test = self.plain(stmt.test)
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
        given = [self.plain(o) for o in bounds]
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
                self.line(f"{word} {self.denied(stmt.test)}:")
                self.nested(orelse)
                return
            self.line(f"{word} {self.plain(stmt.test)}:")
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
        start, stop = self.plain(loop.start), self.plain(loop.stop)
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
            self.line(f"if {self.denied(loop.test)}:")
            self.line(f"{INDENT}break")
            self.depth -= 1
        else:
            self.line(f"while {self.plain(loop.test)}:")
        self.nested(loop.body)
        self.loops -= 1

    def go(self, stmt: Next) -> None:
        then, orelse = (
            t.name if isinstance(t, Register) else self.ends.name(t) for t in (stmt.then, stmt.orelse)
        )
        if stmt.test is None:
            self.ends.next(self, then)
            return
        self.ends.next(self, f"{then} if {self.plain(stmt.test)} else {orelse}", choice=True)

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
        return "" if written.endswith(":") or bare(written) == bare(text) else written


def bound(test: Value, those: tuple[Relation, Relation]) -> Operation | None:
    """A comparison of a number that has a name with something."""
    if not isinstance(test, Operation) or test.op.primitive.kind not in those:
        return None
    return test if isinstance(test.operands[0], Register) else None


def is_true(value: Value) -> bool:
    return isinstance(value, Lit) and value.value is True


def is_false(value: Value) -> bool:
    return isinstance(value, Lit) and value.value is False


def counted(start: str, stop: str, step: int) -> str:
    if step != 1:
        return f"range({start}, {stop}, {step})"
    return f"range({stop})" if start == "0" else f"range({start}, {stop})"


def cell(array: Memory, flat: str, places: str) -> str:
    """An element, by its number in order in an arena, by its places in an array of its own."""
    return f"{array.name}[{places}]" if array.layout is Layout.PLACES else element(array, flat)
