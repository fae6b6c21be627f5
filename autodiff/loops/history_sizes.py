"""How many rows a history needs: history_rows : For -> (rows, is row i that of index i?).

    for j in range(i):                                    n rows, by j          (n: what i is below)
    for j in range(max(0, i - w), min(n, i + w + 1)):     min(n, 2 w + 1) rows, by j - start

A number of rows that no loop around changes can be made, and kept, before all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

from autodiff.loops.affine_bounds import AffineBounds
from autodiff.loops.dependences import System
from autodiff.loops.inequalities import LinearSum
from codegen.ir import Atom, Dim, For, Lit, Var
from codegen.ir.build import I8, Builder
from codegen.ir.kinds import Arithmetic, Choice

MOST_BOUNDS = 4  # of a number of iterations, of which the least counts
SEARCHED = 30  # expressions, to find them


def history_rows(b: Builder, op: For, ranges: AffineBounds) -> tuple[Dim, bool]:
    """Enough rows for a loop's iterations. By index where it counts by one, never below 0, up to a size."""
    direct = abs(op.step) == 1 and ranges.counts_from_zero(op) and not ranges.is_window(op)
    if direct and (n := size_above(b, op, ranges)) is not None:
        return n, True
    if (n := ranges.trips(op)) is not None:
        return n, False
    if bounds := trip_bounds(op, ranges):
        made = [emit_sum(b, each) for each in bounds]
        least = reduce(lambda x, y: b.apply("minimum", x, y), made)
        return as_size(b.atom(b.apply("maximum", least, 0))), False
    if direct:
        last, over = last_index(op)
        return as_size(b.atom(b.apply("maximum", b.wrap(last) + over if over else b.wrap(last), 0))), True
    return as_size(b.atom(b.apply("maximum", iteration_count(b, op), 0))), False


def last_index(op: For) -> tuple[Atom, int]:
    """What the indices of a loop that counts by one are below: an int, plus a literal."""
    return (op.stop, 0) if op.step > 0 else (op.start, 1)


def size_above(b: Builder, op: For, ranges: AffineBounds) -> Dim | None:
    """A number or an array's size, plus a literal, that the indices are below."""
    last, over = last_index(op)
    enough = [(base, c + over) for base, c in ranges.bounds(last, upper=True)]
    known = [max(c, 0) for base, c in enough if base is None]
    if known:
        return min(known)
    for base, c in enough:
        if base in ranges.sizes:
            return as_size(base if c <= 0 else b.atom(b.wrap(base) + c))
    return None


def trip_bounds(op: For, ranges: AffineBounds) -> list[LinearSum]:
    """Sums of what is bound outside all loops that a loop repeats at most, each."""
    system = System(ranges)
    span = system.atom(op.stop) - system.atom(op.start)
    todo = [span if op.step > 0 else -span]
    found: list[LinearSum] = []
    for _ in range(SEARCHED):
        if not todo or len(found) == MOST_BOUNDS:
            break
        each = todo.pop(0)
        key = next((k for k in each.terms if k[0] not in ranges.outside), None)  # type: ignore[index]
        if key is None:
            found.append(each)
        else:
            todo += [each.without(key, x) for x in int_bounds(system, key[0], upper=each.terms[key] > 0)]  # type: ignore[index]
    return found


def int_bounds(system: System, var: Var, *, upper: bool) -> Iterator[LinearSum]:
    """What an int is at most, or at least."""
    ranges = system.ranges
    if (loop := ranges.loops.get(var)) is not None:
        end = loop.stop if (loop.step > 0) == upper else loop.start
        yield system.atom(end) + (0 if end is loop.start else -1 if upper else 1)
    if upper and var in ranges.caps:
        most, over = ranges.caps[var]
        yield system.atom(most) + over
    op = ranges.made.get(var)
    if op and op.primitive.kind in (SMALLER if upper else LARGER):
        yield from map(system.atom, op.operands)


SMALLER = (Arithmetic.MINIMUM, Choice.SMALLER)
LARGER = (Arithmetic.MAXIMUM, Choice.LARGER)


def emit_sum(b: Builder, total: LinearSum) -> Any:
    """A sum as equations."""
    found: Any = None
    for key, c in sorted(total.terms.items(), key=lambda term: term[1] < 0):
        var: Any = key[0]  # type: ignore[index]
        term = b.wrap(var) if abs(c) == 1 else b.wrap(var) * abs(c)
        found = (term if c > 0 else -term) if found is None else found + term if c > 0 else found - term
    if found is None:
        return b.wrap(Lit(total.constant, I8))
    return found + total.constant if total.constant else found


def iteration_count(b: Builder, op: For) -> Any:
    """The number of iterations of a for that runs; of others 0 or less."""
    start, stop = b.wrap(op.start), b.wrap(op.stop)
    span, step = (stop - start, op.step) if op.step > 0 else (start - stop, -op.step)
    return span if step == 1 else (span + (step - 1)) // step


def as_size(atom: Atom) -> Dim:
    return int(atom.value) if isinstance(atom, Lit) else atom
