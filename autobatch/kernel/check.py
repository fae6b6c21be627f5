"""What the statements of a kernel must satisfy: check : Region -> the same, or InternalError.

A test is a b1. The two sides of a store, a move and a copy are of one dtype, a flag in memory of ints apart; arrays
that are copied are of one size. An element has as many places as its array has axes, and literal ones lie inside it.
Nothing follows where a lane goes on. What lanes do side by side draws nothing, pushes nothing, and loops only as often
as is known. In a function of its own a register is assigned, on every path, before it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autobatch.kernel import ir
from autobatch.kernel.ir import Region
from autobatch.kernel.listing import listing, shown
from autobatch.kernel.memory.arenas import arena_type, element_count
from autobatch.kernel.walk import LEAVES, nodes, read_first, statements
from codegen.ir import Lit, Type
from codegen.ir.check import InternalError
from codegen.primitives.index import is_outside

NO_BOOL = "a test is no bool"


def check(region: Region, *, after: str, vectors: bool = False, known: Iterable[str] | None = None) -> Region:
    """`region` itself, if it is well formed; `known`: the registers it begins with, None where all may be."""
    complaints = [*of_statements(region), *of_ends(region)]
    complaints += of_vectors(region) if vectors else []
    unknown = read_first(region, set(known)) if known is not None else ()
    complaints += [f"{name} is read before it is assigned" for name in sorted(unknown)]
    if complaints:
        raise InternalError(f"after {after}: {complaints[0]}\n{listing('kernel', region, vectors=vectors)}")
    return region


def of_statements(region: Region) -> Iterator[str]:
    for stmt in statements(region):
        for said in (said for node in nodes(stmt, inner=False) for said in of_node(node)):
            yield said if isinstance(stmt, ir.Step | ir.If | ir.Loop | ir.While) else f"{said}: {shown(stmt)}"


def of_node(node: Any) -> Iterator[str]:
    """Sides that differ, tests that are none, and places that are not those of the array."""
    match node:
        case ir.Assign(to, value) | ir.Fill(to, value):
            yield from dtype_mismatch(to.type, value.type)
        case ir.Move(outs, values):
            for to, value in zip(outs, values, strict=True):
                yield from dtype_mismatch(to.type, value.type)
        case ir.Store(address, value) | ir.Accumulate(address, value):
            yield from dtype_mismatch(arena_type(address.memory.type), arena_type(value.type))
        case ir.Copy(pairs, others=others):
            for to, source in (*pairs, *((to, other) for (to, _), other in zip(pairs, others))):
                yield from dtype_mismatch(to.type, source.type)
                if element_count(to.type) != element_count(source.type):
                    yield "arrays of unlike sizes are copied"
        case ir.Check(test) | ir.If(test) | ir.While(_, test) | ir.Select(test) if test.type.dtype != "b1":
            yield NO_BOOL
        case ir.Next(_, test) if test is not None and test.type.dtype != "b1":
            yield NO_BOOL
        case ir.Operation(op, given) if len(op.operands) != len(given):
            yield f"{op.primitive.name} of {len(given)} operands"
        case ir.Address(memory, places):
            shape = memory.type.shape
            if len(places) != len(shape):
                yield f"an element of {memory.name} has {len(places)} places, its array {len(shape)} axes"
            for n, place in zip(shape, places):
                if is_outside(place, n):
                    yield f"place {place.value} is outside an axis of {n}"


def dtype_mismatch(a: Type, b: Type) -> list[str]:
    return [] if a.dtype == b.dtype else [f"{a.dtype} is given {b.dtype}"]


def of_ends(region: Region) -> Iterator[str]:
    """Statements after a lane has gone on."""
    for k, stmt in enumerate(region):
        leaves = isinstance(stmt, LEAVES) or (isinstance(stmt, ir.If) and stmt.ends)
        if leaves and k < len(region) - 1:
            yield f"something follows {shown(stmt) if isinstance(stmt, LEAVES) else 'the end'}"
        if isinstance(stmt, ir.If):
            yield from (said for arm in (stmt.then, stmt.orelse) for said in of_ends(arm))


def of_vectors(region: Region) -> Iterator[str]:
    for stmt in statements(region):
        if isinstance(
            stmt, ir.While | ir.Draw | ir.DrawArray | ir.MakeStream | ir.CopyStream | ir.Push | ir.Pop
        ):
            yield f"{type(stmt).__name__} side by side"
        if isinstance(stmt, ir.Loop) and not (isinstance(stmt.start, Lit) and isinstance(stmt.stop, Lit)):
            yield "a loop of unknown count side by side"
