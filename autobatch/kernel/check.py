"""What the statements of a kernel must satisfy: check : Region -> the same, or InternalError.

A test is a b1. The two sides of a store, a move and a copy are of one dtype, a flag in memory of ints apart; arrays
that are copied are of one size. An element has as many places as its array has axes, and literal ones lie inside it.
Nothing follows where a lane goes on. What lanes do side by side draws nothing, pushes nothing, and loops only as often
as is known. In a function of its own a register is assigned, on every path, before it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autobatch.kernel.ir import (
    Accumulate,
    Address,
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
    Loop,
    Memory,
    Move,
    Next,
    Operation,
    Pop,
    Push,
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
from autobatch.kernel.listing import line, listing
from autobatch.kernel.memory.arenas import count
from autobatch.kernel.walk import operands, registers, statements, values
from codegen.ir import Lit, Type
from codegen.ir.check import InternalError

LEAVES = (Next, Wait, Fail)


def check(region: Region, *, after: str, vectors: bool = False, known: Iterable[str] | None = None) -> Region:
    """`region` itself, if it is well formed; `known`: the registers it begins with, None where all may be."""
    complaints = [*of_statements(region), *of_ends(region)]
    complaints += of_vectors(region) if vectors else []
    complaints += unassigned(region, set(known)) if known is not None else []
    if complaints:
        raise InternalError(f"after {after}: {complaints[0]}\n{listing('kernel', region, vectors=vectors)}")
    return region


def of_statements(region: Region) -> Iterator[str]:
    for stmt in statements(region):
        said = [*of_types(stmt), *(each for value in operands(stmt) for each in of_value(value))]
        where = "" if isinstance(stmt, Step | If | Loop | While) else f": {line(stmt)}"
        yield from (f"{each}{where}" for each in said)


def of_types(stmt: Stmt) -> Iterator[str]:
    """Sides that differ, and tests that are none."""
    match stmt:
        case Assign(out, value):
            yield from differ(out.type, value.type)
        case Move(pairs):
            for out, value in pairs:
                yield from differ(out.type, value.type)
        case Store(address, value) | Accumulate(address, value):
            yield from of_address(address)
            yield from differ(kept(address.memory.type), kept(value.type))
        case Fill(memory, value):
            yield from differ(memory.type, value.type)
        case Copy(pairs, others=others):
            sources = [(to, source) for to, source in pairs] + list(zip((to for to, _ in pairs), others))
            for to, source in sources:
                yield from differ(to.type, source.type)
                if count(to.type) != count(source.type):
                    yield "arrays of unlike sizes are copied"
        case Check(test) | If(test) | While(_, test):
            yield from [] if test.type.dtype == "b1" else ["a test is no bool"]
        case Next(_, test) if test is not None and test.type.dtype != "b1":
            yield "a test is no bool"


def of_value(value: Value) -> Iterator[str]:
    for each in values(value):
        match each:
            case Element(address):
                yield from of_address(address)
            case Select(test):
                yield from [] if test.type.dtype == "b1" else ["a test is no bool"]
            case Operation(op, given) if len(op.operands) != len(given):
                yield f"{op.primitive.name} of {len(given)} operands"


def of_address(address: Address) -> Iterator[str]:
    """Places that are not those of the array."""
    shape = address.memory.type.shape
    if not address.flat and len(address.places) != len(shape):
        yield f"an element of {address.memory.name} has {len(address.places)} places, its array {len(shape)} axes"
    for n, place in zip(shape, address.places):
        if isinstance(place, Lit) and isinstance(n, int) and not -n <= place.value < n:
            yield f"place {place.value} is outside an axis of {n}"


def differ(a: Type, b: Type) -> list[str]:
    return [] if a.dtype == b.dtype else [f"{a.dtype} is given {b.dtype}"]


def kept(type_: Type) -> Type:
    """What a flag may be kept as."""
    return Type("i8") if type_.dtype == "b1" else type_


def of_ends(region: Region) -> Iterator[str]:
    """Statements after a lane has gone on."""
    for k, stmt in enumerate(region):
        leaves = isinstance(stmt, LEAVES) or (isinstance(stmt, If) and stmt.ends)
        if leaves and k < len(region) - 1:
            yield f"something follows {line(stmt) if isinstance(stmt, LEAVES) else 'the end'}"
        if isinstance(stmt, If):
            yield from (said for arm in (stmt.then, stmt.orelse) for said in of_ends(arm))


def of_vectors(region: Region) -> Iterator[str]:
    for stmt in statements(region):
        if isinstance(stmt, While | Draw | DrawArray | CopyStream | Push | Pop):
            yield f"{type(stmt).__name__} side by side"
        if isinstance(stmt, Loop) and not (isinstance(stmt.start, Lit) and isinstance(stmt.stop, Lit)):
            yield "a loop of unknown count side by side"


# registers


def unassigned(region: Region, known: set[str]) -> Iterator[str]:
    """Registers that are read before they are assigned; `known` becomes what is assigned at the end."""
    for stmt in region:
        read = {r.name for value in operands(stmt) for r in registers(value) if r.type.dtype != "rng"}
        yield from (f"{name} is read before it is assigned" for name in sorted(read - known))
        match stmt:
            case Step(body):
                yield from unassigned(body, known)
            case Assign(out) | Draw(_, out):
                known.add(out.name)
            case Move(pairs):
                known |= {out.name for out, _ in pairs}
            case Pop(frames):
                known |= {f.top for f in frames}
                known |= {each.name for f in frames for each, _ in f.content if not isinstance(each, Memory)}
            case Push(frames):
                known |= {f.top for f in frames}
                pushed = {each.name for f in frames for each, _ in f.content if isinstance(each, Register)}
                yield from (f"{name} is pushed before it is assigned" for name in sorted(pushed - known))
            case If(_, then, orelse):
                arms = [set(known), set(known)]
                for arm, has in zip((then, orelse), arms, strict=True):
                    yield from unassigned(arm, has)
                known |= arms[0] & arms[1]
            case Loop(index, body=body):
                yield from unassigned(body, {*known, index.name})
            case While(head, body=body):
                yield from unassigned((*head, *body), set(known))
