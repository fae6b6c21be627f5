"""What the threads of a lane's warp have touched of its arrays since they met: Touched.

Element e of an array is thread e % 32's own. What a thread reads and writes of its own needs no meeting. Where a thread
reads what is another's, or all write alike, they meet between that and any write of the array, whoever it is by: they
do not run in step.

    for i in (thread, thread + 32, ...): x[i] = ...         writes its own
    for i in (thread, thread + 32, ...): y[i] = x[i]        reads its own: they need not have met
    s = x[3]                                                reads another's: they meet before
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from autobatch.kernel import ir
from autobatch.kernel.cuda.warp_loops import beginning_of
from autobatch.kernel.ir import Layout, Memory, Region, Register, Stmt
from autobatch.kernel.walk import nodes


class Touch(NamedTuple):
    """Something that is done with an array; `own`: by each thread with elements of its own."""

    place: tuple[str, ir.First]
    writes: bool
    own: bool


Touched = frozenset[Touch]


def must_meet(before: Iterable[Touch], now: Iterable[Touch]) -> bool:
    now = list(now)
    return any(
        a.place == b.place and (a.writes or b.writes) and not (a.own and b.own) for a in before for b in now
    )


def touches(memory: Memory, *, writes: bool, own: bool) -> Iterator[Touch]:
    """What lanes share is never written."""
    if memory.layout is not Layout.PLACES:
        yield Touch(beginning_of(memory), writes, own)


def reads_of(part: Any, index: Register | None = None) -> Touched:
    """What values read; `index`: of the loop whose rounds threads share."""
    found = (node.address for node in nodes(part) if isinstance(node, ir.Element))
    return frozenset(t for a in found for t in touches(a.memory, writes=False, own=is_own(a, index)))


def is_own(address: ir.Address, index: Register | None) -> bool:
    """Whether a round has the element of its own number."""
    return index is not None and address.places == (index,)


def of_region(region: Region) -> Touched:
    return frozenset().union(*map(of_statement, region))


def of_statement(stmt: Stmt) -> Touched:
    """All that a statement touches, with what is in it."""
    match stmt:
        case ir.Step(body):
            return of_region(body)
        case ir.If(test, then, orelse):
            return reads_of(test) | of_region(then) | of_region(orelse)
        case ir.Loop(start=start, stop=stop, body=body):
            return of_rounds(stmt) if stmt.reduced is not None else reads_of((start, stop)) | of_region(body)
        case ir.While(head, test, body):
            return of_region(head) | reads_of(test) | of_region(body)
        case ir.Store() | ir.Accumulate():
            return of_value(stmt) | of_target(stmt)
        case ir.Copy(pairs, test=test, others=others):
            sources = [source for _, source in pairs] + list(others)
            return reads_of(test) | of_elements([to for to, _ in pairs], sources)
        case ir.Fill(memory, value):
            return reads_of(value) | of_elements([memory], [])
        case ir.DrawArray(out=out, operands=operands):
            return reads_of(operands) | of_elements([out], [])
        case ir.MatrixVector(out, matrix, vector):
            given = (t for m in (matrix, vector) for t in touches(m, writes=False, own=False))
            return of_elements([out], []) | frozenset(given)
        case ir.Push(frames) | ir.Pop(frames):
            pushed = isinstance(stmt, ir.Push)
            arrays = [each for frame in frames for each, _ in frame.content if isinstance(each, Memory)]
            stacks = (Touch((f"{frame.arena}_stack", ""), pushed, False) for frame in frames)
            return of_elements(*(([], arrays) if pushed else (arrays, []))) | frozenset(stacks)
        case _:
            return reads_of(stmt)


def of_value(stmt: ir.Store | ir.Accumulate) -> Touched:
    """What is read before something is stored."""
    return reads_of((stmt.value, *stmt.address.places))


def of_target(stmt: ir.Store | ir.Accumulate) -> Touched:
    """An element is written by the thread whose own it is, a number that is no element by all."""
    own = bool(stmt.address.places)
    kinds = (True, False) if isinstance(stmt, ir.Accumulate) else (True,)
    return frozenset(t for kind in kinds for t in touches(stmt.address.memory, writes=kind, own=own))


def of_elements(written: Iterable[Memory], read: Iterable[Memory]) -> Touched:
    """Arrays, of which threads share the elements."""
    both = ((m, kind) for kind, listed in ((True, written), (False, read)) for m in listed)
    return frozenset(t for m, kind in both for t in touches(m, writes=kind, own=True))


def of_rounds(loop: ir.Loop) -> Touched:
    """What the rounds of a loop touch that threads share."""
    found = set(reads_of(loop.body, loop.index))
    for node in nodes(loop.body):
        if isinstance(node, ir.Store | ir.Accumulate):
            own = is_own(node.address, loop.index)
            found |= {t for kind in (True, False) for t in touches(node.address.memory, writes=kind, own=own)}
    return frozenset(found)
