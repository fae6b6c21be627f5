"""Branches that only move a few numbers, as choices: a lane alone waits for no test that it cannot foresee.

    if test:                                 yes = test
        for k in range(10):                  for k in range(10):
            F[U + k] = F[Q + k]       ->         F[U + k] = select(yes, F[Q + k], F[U + k])
        lp = new_lp                          lp = new_lp if yes else lp

Where a processor guesses such a test wrongly it does again what it had begun of what follows, which may be a hundred
operations. A choice between two short arrays is a few instructions on vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autobatch.kernel.ir import Assign, Copy, Memory, Move, Register, Select, Stmt, Value
from autobatch.kernel.memory.arenas import count
from autobatch.kernel.parallel_copies import apart
from autobatch.kernel.walk import registers
from codegen.ir import Lit, Type

MOST = 64  # numbers that are moved whether a test holds or not
YES = Register("yes", Type("b1"))


def choices(
    test: Value,
    numbers: Sequence[tuple[Register, Value, Value]],
    arrays: Sequence[tuple[Memory, Memory, Memory]],
) -> Iterator[Stmt]:
    """Each target with what it is given where the test holds, and where not."""
    if not isinstance(test, Register | Lit) or test in [out for out, _, _ in numbers]:
        yield Assign(YES, test)
        test = YES
    for size in dict.fromkeys(count(to.type) for to, _, _ in arrays):
        some = [each for each in arrays if count(each[0].type) == size]
        then, orelse = tuple((to, x) for to, x, _ in some), tuple(y for _, _, y in some)
        yield apart(Copy(then, now=True, test=test, others=orelse))
    values = tuple((out, Select(test, x, y, out.type)) for out, x, y in numbers)
    later = [{r for _, v in values[k + 1 :] for r in registers(v)} for k in range(len(values))]
    if any(out in read for (out, _), read in zip(values, later, strict=True)):
        yield Move(values)
    else:
        yield from (Assign(out, value) for out, value in values)
