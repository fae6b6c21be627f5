"""Sizes that slices and joins bring and that are others already: known_sizes : Scope, Apply, Var -> (new, old) sizes.

    a = x[1:-1]            a: n2
    b = x[2:]              b: n3, which is n2
    c = x[:1], x[:-1]      joined: n4, which is the size of x
    d = y[:n]              n5, which is 3, once n is 3 and y has 7 elements: where a function was put in a call's place

Where sizes meet that are one, nothing is left to check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from codegen.ir import Apply, Atom, Dim, For, Lit, Var, While
from codegen.ir.kinds import Access, Joined
from codegen.ir.literals import literal, size_atom
from codegen.ir.substitution import dim
from codegen.primitives.index import Cut, cut_bounds, grouped

if TYPE_CHECKING:
    from codegen.simplify.value_numbering import Key, Scope


def known_sizes(s: Scope, op: Apply, out: Var) -> Iterator[tuple[Var, Atom]]:
    """The sizes in the type of `out` that are others; what the rest are is noted."""
    match op.primitive.kind:
        case Access.READ:
            found = of_slices(s, op)
        case Joined.CONCATENATE:
            found = of_join(s, op)
        case _:
            return
    for axis, key in found.items():
        size = out.type.shape[axis]
        if not isinstance(size, Var) or size in s.bound or size in s.env:
            continue
        match key:
            case int():
                yield size, literal(key)
            case ("less", Var() as whole, 0):
                yield size, whole
            case _ if key in s.table:
                if s.table[key][0] is not size:  # as both axes of x[k:, k:] have it
                    yield size, s.table[key][0]
            case ("less", Var() as whole, int(less)):
                s.enter(key, (size,))
                s.lengths[size] = (whole, less)
            case _:
                s.enter(key, (size,))


def of_slices(s: Scope, op: Apply) -> dict[int, Key | int]:
    """For the axes of a slice what their sizes are: n less a number, a number unless n is less, or a number."""
    x, spec = op.operands[0], op.params["spec"]
    found: dict[int, Key | int] = {}
    if "a" in spec:
        return found
    axis = made = 0
    for token, given in zip(spec, grouped(spec, op.operands[1:]), strict=True):
        if isinstance(token, Cut) and (key := of_cut(s, x.type.shape[axis], token, given)) is not None:
            found[made] = key
        axis += token != "n"
        made += token != "i"
    return found


def of_cut(s: Scope, n: Dim, cut: Cut, given: tuple[Atom, ...]) -> Key | int | None:
    if not all(isinstance(g, Lit) for g in given):
        return None
    bounds = [g.value for g in given if isinstance(g, Lit)]
    if isinstance(n, int):
        start, stop = cut_bounds(cut, tuple(bounds))
        return len(range(n)[start : stop : cut.step])
    if cut.step != 1:
        return None
    start = bounds[0] if cut.start else 0
    stop = bounds[-1] if cut.stop else None
    if start >= 0 and (stop is None or stop < 0):
        whole, less = s.lengths.get(n, (n, 0))
        return ("less", whole, less + start - (stop or 0))
    if start == 0 and stop is not None:
        return ("at most", n, stop)
    return ("at most", n, -start) if stop is None else None


def of_join(s: Scope, op: Apply) -> dict[int, Key | int]:
    """A row of an array joined to all but one of its rows; a number where all sizes are."""
    axis = op.params["axis"]
    sizes = [x.type.shape[axis] for x in op.operands]
    if all(isinstance(n, int) for n in sizes):
        return {axis: sum(n for n in sizes if isinstance(n, int))}
    rest = [n for n in sizes if isinstance(n, Var)]
    if len(rest) != 1 or rest[0] not in s.lengths or sizes.count(1) != 1 or len(sizes) != 2:
        return {}
    whole, less = s.lengths[rest[0]]
    row = s.made(op.operands[sizes.index(1)], Access.READ)
    if less != 1 or row is None or row.params["spec"] != (*(":",) * axis, "i", "n"):
        return {}
    return {axis: ("less", whole, 0)} if row.operands[0].type.shape[axis] is whole else {}


def sizes_that_stay(s: Scope, outs: Sequence[Var], op: For | While) -> Iterator[tuple[Var, Atom]]:
    """The sizes of arrays that a loop carries, and gives, that are in each iteration what they begin as."""
    ends: dict[Var, set[Dim]] = {}
    afterwards: dict[Var, list[Var]] = {}
    for out, var, first, after in zip(outs, op.carried, op.init, op.body.results, strict=True):
        for n, begin, end, left in zip(var.type.shape, first.type.shape, after.type.shape, out.type.shape):
            if isinstance(n, Var) and n not in s.bound and n not in s.env:
                ends.setdefault(n, set()).update({begin, dim(end, s.env)} - {n})
                afterwards.setdefault(n, []).extend(
                    [left] if isinstance(left, Var) and left not in s.bound else []
                )
    for n, found in ends.items():
        if len(found) == 1:
            (same,) = found
            yield from ((size, size_atom(same)) for size in (n, *afterwards[n]))
