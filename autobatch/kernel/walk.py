"""What statements and values of the kernel language are made of."""

from __future__ import annotations

from collections.abc import Iterator

from autobatch.kernel.ir import (
    Accumulate,
    Assign,
    Check,
    Copy,
    CopyStream,
    Draw,
    DrawArray,
    Element,
    Fill,
    If,
    Look,
    Loop,
    MatrixVector,
    Memory,
    Move,
    Next,
    Operation,
    Pop,
    Push,
    Quotient,
    Region,
    Register,
    Select,
    Step,
    Stmt,
    Store,
    Value,
    While,
)  # fmt: skip


def values(value: Value) -> Iterator[Value]:
    """A value and all it is made of."""
    yield value
    match value:
        case Operation(_, operands):
            inner = operands
        case Quotient(_, operands, inverse):
            inner = (*operands, inverse)
        case Element(address):
            inner = address.places
        case Select(test, then, orelse):
            inner = (test, then, orelse)
        case _:
            inner = ()
    for each in inner:
        yield from values(each)


def registers(value: Value) -> Iterator[Register]:
    """The registers that a value reads."""
    return (each for each in values(value) if isinstance(each, Register))


def inner(stmt: Stmt) -> tuple[Region, ...]:
    """The regions in a statement."""
    match stmt:
        case Step(body) | Loop(body=body):
            return (body,)
        case If(_, then, orelse):
            return then, orelse
        case While(head, _, body):
            return head, body
        case Push(before=before):
            return (before,)
    return ()


def statements(region: Region) -> Iterator[Stmt]:
    """The statements of a region, those in others after what they are in."""
    for stmt in region:
        yield stmt
        for each in inner(stmt):
            yield from statements(each)


def operands(stmt: Stmt) -> tuple[Value, ...]:
    """The values that a statement computes itself."""
    match stmt:
        case Assign(_, value) | Fill(_, value):
            return (value,)
        case Move(pairs):
            return tuple(value for _, value in pairs)
        case Store(address, value) | Accumulate(address, value):
            return (*address.places, value)
        case Draw(operands=given) | DrawArray(operands=given):
            return given
        case Check(test) | If(test):
            return (test,)
        case Copy(test=test) | Next(test=test):
            return () if test is None else (test,)
        case Loop(_, start, stop):
            return start, stop
        case While(_, test):
            return (test,)
    return ()


def memories(region: Region) -> Iterator[Memory]:
    """The memories that statements read and write."""
    for stmt in statements(region):
        for value in operands(stmt):
            yield from (each.address.memory for each in values(value) if isinstance(each, Element))
        match stmt:
            case Store(address) | Accumulate(address):
                yield address.memory
            case Copy(pairs, others=others):
                yield from (memory for pair in pairs for memory in pair)
                yield from others
            case Fill(memory) | DrawArray(_, memory):
                yield memory
            case CopyStream(to, source):
                yield from (each for each in (to, source) if isinstance(each, Memory))
            case MatrixVector(out, matrix, vector):
                yield from (out, matrix, vector)
            case Push(frames) | Pop(frames):
                yield from (each for f in frames for each, _ in f.content if isinstance(each, Memory))


def looks_in(region: Region) -> bool:
    """Whether a lane looks anywhere if it is to stop."""
    return any(isinstance(s, Look) or (isinstance(s, Loop) and s.strip) for s in statements(region))
