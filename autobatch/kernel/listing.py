"""The plain listing of kernels, for `.stages()` and the checker's complaints.

leaf (vectors):
  q = F[ENERGY]
  for k in range(0, 3, 1):
    F[MOMENTUM, k] <- add(F[MOMENTUM, k], q)
  next 7
"""

from __future__ import annotations

from collections.abc import Iterator

from autobatch.kernel.ir import (
    Accumulate,
    Address,
    Assign,
    Check,
    Copy,
    CopyStream,
    Draw,
    DrawArray,
    Either,
    Element,
    Fail,
    Fill,
    Frame,
    If,
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
)  # fmt: skip
from codegen.ir import Lit


def listing(name: str, region: Region, *, vectors: bool = False) -> str:
    """A line a statement."""
    return "\n".join((f"{name}{' (vectors)' * vectors}:", *indented(region))) + "\n"


def indented(region: Region) -> Iterator[str]:
    for stmt in region:
        yield from (f"  {line}" for line in lines(stmt))


def lines(stmt: Stmt) -> Iterator[str]:
    match stmt:
        case Step(body):
            yield from (line for each in body for line in lines(each))
        case If(test, then, orelse):
            yield f"if {value(test)}:"
            yield from indented(then)
            if orelse:
                yield "else:"
                yield from indented(orelse)
        case Loop(index, start, stop, step, body, strip):
            strips = f"  # in strips of {strip}" if strip else ""
            yield f"for {index.name} in range({value(start)}, {value(stop)}, {step}):{strips}"
            yield from indented(body)
        case While(head, test, body):
            yield f"while {value(test)}:" if not head else "loop:"
            yield from indented(head)
            yield from [f"  leave unless {value(test)}"] if head else []
            yield from indented(body)
        case _:
            yield line(stmt)


def line(stmt: Stmt) -> str:
    match stmt:
        case Assign(out, given, _, reassociated):
            return f"{out.name} = {value(given)}{'  # in any order' * reassociated}"
        case Move(pairs):
            return f"{', '.join(o.name for o, _ in pairs)} = {', '.join(value(v) for _, v in pairs)}"
        case Store(to, given):
            return f"{address(to)} <- {value(given)}"
        case Accumulate(to, given, minus):
            return f"{address(to)} <- {address(to)} {'-' if minus else '+'} {value(given)}"
        case Copy(pairs, now):
            chosen = (
                ""
                if stmt.test is None
                else f" if {value(stmt.test)} else {', '.join(map(memory, stmt.others))}"
            )
            targets, sources = (", ".join(map(memory, each)) for each in zip(*pairs, strict=True))
            return f"copy {targets} <- {sources}{chosen}{'' if now else '  # if needed'}"
        case Fill(to, given):
            return f"fill {memory(to)} <- {value(given)}"
        case Draw(op, out, given):
            return f"{out.name} = {op.primitive.name}({', '.join(map(value, given))})"
        case DrawArray(op, out, given):
            return f"{memory(out)} <- {op.primitive.name}({', '.join(map(value, given))})"
        case CopyStream(to, source):
            return f"stream {place(to)} <- {place(source)}"
        case MatrixVector(out, matrix, vector, left):
            order = (matrix, vector) if left else (vector, matrix)
            return f"{memory(out)} <- {' @ '.join(map(memory, order))}"
        case Check(test, site):
            return f"check {value(test)}, else fail {site}"
        case Fail(site):
            return f"fail {site}"
        case Look():
            return "look whether to stop"
        case LeaveIfFailed():
            return "leave if failed"
        case Push(frames) | Pop(frames):
            return f"{type(stmt).__name__.lower()} {', '.join(map(frame, frames))}"
        case Needed(memories):
            return f"needed {', '.join(map(memory, memories))}"
        case Next(then, test, orelse):
            return (
                f"next {target(then)}"
                if test is None
                else f"next {target(then)} if {value(test)} else {target(orelse)}"
            )
        case Wait(at):
            return f"wait at {at}"
        case Probe(noted):
            return "; ".join(noted)
    raise AssertionError(stmt)


def value(given: Value) -> str:
    match given:
        case Lit(known):
            return repr(known)
        case Register(name):
            return name
        case Element(to):
            return address(to)
        case Operation(op, operands, eager=eager):
            return f"{op.primitive.name}{'!' * eager}({', '.join(map(value, operands))})"
        case Quotient(_, operands, inverse):
            return f"quotient({', '.join(map(value, (*operands, inverse)))})"
        case Select(test, then, orelse):
            return f"({value(then)} if {value(test)} else {value(orelse)})"


def address(to: Address) -> str:
    return f"{memory(to.memory)[:-1]}{''.join(f', {value(p)}' for p in to.places)}]"


def memory(given: Memory) -> str:
    first = given.first
    where = (
        f"{first.then} if {first.test.name} else {first.orelse}" if isinstance(first, Either) else str(first)
    )
    return f"{given.name}[{' + '.join(filter(None, (given.top, where)))}]"


def place(given: Register | Memory) -> str:
    return given.name if isinstance(given, Register) else memory(given)


def frame(given: Frame) -> str:
    return f"{given.arena}[{', '.join(f'{place(each)} at {at}' for each, at in given.content)}]"


def target(given: int | Register) -> str:
    return given.name if isinstance(given, Register) else str(given)
