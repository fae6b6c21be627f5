"""Moves that are made at once: numbers one after the other where no value is lost, arrays of one size in one loop.

Branches that only move a few numbers are choices, as a lane alone waits for no test that it cannot foresee:

    if test:                                 yes = test
        for k in range(10):                  for k in range(10):
            F[U + k] = F[Q + k]       ->         F[U + k] = select(yes, F[Q + k], F[U + k])
        lp = new_lp                          lp = new_lp if yes else lp

Where a processor guesses such a test wrongly it does again what it had begun of what follows, which may be a hundred
operations. A choice between two short arrays is a few instructions on vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autobatch.kernel import ir
from autobatch.kernel.ir import Copy, Memory, Register, Stmt, Value
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.walk import registers
from codegen.ir import Lit, Type
from codegen.source import Span

YES = Register("yes", Type("b1"))


def sequential_order(pairs: Sequence[tuple[Register, Value]]) -> tuple[list[int], list[int]]:
    """Which parallel moves can be made one by one, in which order, and which must be made together."""
    waiting, done = list(range(len(pairs))), list[int]()
    read = [set(registers(value)) for _, value in pairs]
    while True:
        free = (k for k in waiting if not any(pairs[k][0] in read[j] for j in waiting if j != k))
        if (k := next(free, None)) is None:
            return done, waiting
        waiting.remove(k)
        done.append(k)


def copies_by_size(
    pairs: Sequence[tuple[Memory, Memory]],
    *,
    now: bool = True,
    span: Span | None = None,
    test: Value | None = None,
    others: Sequence[Memory] = (),
) -> Iterator[Copy]:
    """A copy for the arrays of each size; its fields are those of Copy."""
    for size in dict.fromkeys(element_count(to.type) for to, _ in pairs):
        some = [k for k, (to, _) in enumerate(pairs) if element_count(to.type) == size]
        chosen = tuple(others[k] for k in some) if others else ()
        yield Copy(tuple(pairs[k] for k in some), now, span, test, chosen)


def independent(copy: Copy) -> Copy:
    """A statement for each of many arrays, where none is read after it is written."""
    targets = [to for to, _ in copy.pairs]
    sources = [{source, *copy.others[k : k + 1]} for k, (_, source) in enumerate(copy.pairs)]
    later = any(to in source for k, to in enumerate(targets) for source in sources[k + 1 :])
    return replace(copy, apart=not later)


def choices(
    test: Value,
    numbers: Sequence[tuple[Register, Value, Value]],
    arrays: Sequence[tuple[Memory, Memory, Memory]],
) -> Iterator[Stmt]:
    """Each target with what it is given where the test holds, and where not."""
    outs = tuple(out for out, _, _ in numbers)
    if not isinstance(test, Register | Lit) or test in outs:
        yield ir.Assign(YES, test)
        test = YES
    then, orelse = [(to, x) for to, x, _ in arrays], [y for _, _, y in arrays]
    yield from map(independent, copies_by_size(then, test=test, others=orelse))
    values = tuple(ir.Select(test, x, y, out.type) for out, x, y in numbers)
    if any(out in registers(later) for k, out in enumerate(outs) for later in values[k + 1 :]):
        yield ir.Move(outs, values)
    else:
        yield from map(ir.Assign, outs, values)
