"""Elements over lanes: index, update and accumulate, where arrays, values and indices may be over lanes or
shared.

y[i], i over lanes           y[i]                    one gather
x[i], x and i over lanes     x[np.arange(n), i]
x[i] at some lanes only      x[rows, i]              without gathering whole rows (read_rows, write_rows)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autobatch.lanes.axes import align_axes, broadcast_to_lanes, lane_rank, permute_axes, varying_size
from codegen.ir.build import Builder
from codegen.ir.primitive import Primitive
from codegen.primitives.index import Cut, grouped

Flags = Sequence[bool]
Operands = Sequence[Any]


class LaneSubscript:
    """A subscript over lanes: its spec and operands, and where its axes come out.

    rows    the lanes' places on the first axis of what is read or written; None where it has no such axis
    before  how many axes of the result stand before those of the index arrays
    middle  how many axes the index arrays have, the lanes' aside
    """

    def __init__(self, b: Builder, spec: tuple[Any, ...], operands: Operands, over: Flags, rows: Any | None):
        flags = grouped(spec, tuple(over))
        given = grouped(spec, tuple(operands))
        pairs = list(zip(spec, given, flags))
        if any(isinstance(t, Cut) and any(o) for t, _, o in pairs):
            raise varying_size(b, "a slice whose bounds differ from lane to lane")
        chosen = [k for k, t in enumerate(spec) if t in ("i", "a")]
        self.middle = max((lane_rank(b, g[0], o[0]) for t, g, o in pairs if t in ("i", "a")), default=0)
        first = chosen[0] if chosen else 0 if rows is not None else len(spec)
        self.before = sum(t not in ("i", "a") for t in spec[:first])
        self.spec: list[Any] = []
        self.operands: list[Any] = []
        if rows is not None:
            self.add("a", align_axes(b, rows, True, self.middle))
        for token, values, o in pairs:
            if token in ("i", "a"):
                value = align_axes(b, values[0], o[0], self.middle)
                self.add("a" if b.atom(value).type.rank else "i", value)
            else:
                self.spec.append(token)
                self.operands.extend(values)

    def add(self, token: str, value: Any) -> None:
        self.spec.append(token)
        self.operands.append(value)


def batch_index(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """x[...]: a shared place of every lane's x, or a gather."""
    x, *places = operands
    spec = params["spec"]
    if not any(over[1:]):
        return b.apply("index", x, *places, spec=(":", *spec))
    if over[0]:
        return read_rows(b, b.apply("arange", n, dtype="i8"), x, spec, places, over[1:])
    at = LaneSubscript(b, spec, places, over[1:], None)
    y = b.apply("index", x, *at.operands, spec=tuple(at.spec))
    return permute_axes(b, y, (at.before, *(k for k in range(y.ndim) if k != at.before)))


def read_rows(
    b: Builder, rows: Any, x: Any, spec: tuple[Any, ...], places: Sequence[Any], over: Flags
) -> Any:
    """x[row][...] for each row in `rows`, x having a first axis of lanes, without gathering whole rows."""
    at = LaneSubscript(b, spec, places, over, rows)
    y = b.apply("index", x, *at.operands, spec=tuple(at.spec))
    return permute_axes(b, y, gathered_order(at, y.ndim))


def gathered_order(at: LaneSubscript, axes: int) -> tuple[int, ...]:
    """Where NumPy puts the axes of index arrays first, as a slice parts them: the order they should have."""
    middle = range(1, 1 + at.middle)
    before = range(1 + at.middle, 1 + at.middle + at.before)
    return (0, *before, *middle, *range(1 + at.middle + at.before, axes))


def batch_write(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """update and accumulate: each lane's own array is written."""
    x, v, *places = operands
    if not over[0]:
        x = broadcast_to_lanes(b, n, x)
    spec = params["spec"]
    if not any(over[2:]):
        v = fit_rank(b, v, over[1], slot_rank(b, x, spec, places, over[2:]))
        return b.apply(rule, x, v, *places, spec=(":", *spec), name=x.atom.name)
    return write_rows(b, b.apply("arange", n, dtype="i8"), rule, (x, v, *places), over, spec)


def write_rows(
    b: Builder, rows: Any, rule: Primitive, operands: Operands, over: Flags, spec: tuple[Any, ...]
) -> Any:
    """x, a first axis of lanes before its own, with x[row][...] written for each row in `rows`."""
    x, v, *places = operands
    slot = slot_rank(b, x, spec, places, over[2:])
    v = fit_rank(b, v, over[1], slot)
    at = LaneSubscript(b, spec, places, over[2:], rows)
    own = lane_rank(b, v, over[1])
    if at.before and own:
        v = v if over[1] else b.apply("index", v, spec=("n",) * (slot - own))
        order = gathered_order(at, 1 + slot)
        back = tuple(int(k) for k in np.argsort(order))
        v = permute_axes(b, v, back if over[1] else tuple(k - 1 for k in back[1:]))
    return b.apply(rule, x, v, *at.operands, spec=tuple(at.spec), name=x.atom.name)


def slot_rank(b: Builder, x: Any, spec: tuple[Any, ...], places: Sequence[Any], over: Flags) -> int:
    """The rank of what one lane's subscript stands for."""
    given = zip(grouped(spec, tuple(places)), grouped(spec, tuple(over)), spec)
    chosen = [lane_rank(b, g[0], o[0]) for g, o, t in given if t in ("i", "a")]
    used = sum(t != "n" for t in spec)
    return sum(t not in ("i", "a") for t in spec) + max(chosen, default=0) + b.atom(x).type.rank - 1 - used


def fit_rank(b: Builder, v: Any, over: bool, slot: int) -> Any:
    """A value with the rank of the places it is written to (axes of size 1 before it may be too many)."""
    extra = lane_rank(b, v, over) - slot
    if extra > 0:
        sizes = [b.size(d) for d in b.atom(v).type.shape]
        return b.apply("reshape", v, *sizes[:over], *sizes[over + extra :])
    return align_axes(b, v, over, slot)
