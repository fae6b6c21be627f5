"""How arrays lie in memory, as far as it is known: whether what NumPy makes of one shares its memory or is a copy.

x = np.zeros((n, m))      in order: row after row, without gaps
x.reshape(-1)             a view of x
x.T.reshape(-1)           a copy, unless an axis has one element: not known
x + x.T                   row after row or column after column: not known
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from codegen.infer.values import Cell, FlowState, Ref, View
from codegen.ir import Apply, Atom, Equation
from codegen.ir.kinds import Access, Joined, Made, Product, Same
from codegen.primitives.index import Cut

LOOKED_AT = 50  # equations among which one is looked for that made an array
AT_ONCE = object()  # what stands behind the last axis, where elements lie beside one another


@dataclass(frozen=True, eq=False)
class Axis:
    """One that has elements beside others. Where `before` is what another one is `after`, its rows lie one after the
    other: they could be one axis."""

    size: Any
    before: object
    after: object


def order_of(
    equations: Sequence[Equation], atom: Atom, known: Mapping[Atom, frozenset[Cell] | None]
) -> frozenset[Cell] | None:
    """The arguments that have to lie row after row so that an array just made does; None where it may not all the same.
    `known`: those of others."""
    if atom.type.rank < 2:
        return frozenset()
    if atom in known:
        return known[atom]
    recent = reversed(equations[-LOOKED_AT:])
    op = next((e.op for e in recent if e.outs == (atom,)), None)
    if not isinstance(op, Apply):
        return None
    primitive = op.primitive
    if isinstance(primitive.kind, Made | Product) or primitive.family == "random":
        return frozenset()
    if primitive.kind is Same.TRANSPOSED:
        return None
    as_operands = primitive.family in ("elementwise", "reduce", "scan")
    if as_operands or primitive.accesses or isinstance(primitive.kind, Joined | Same):
        first = op.operands[:1] if primitive.accesses else op.operands
        found = [order_of(equations, each, known) for each in first]
        return None if None in found else frozenset().union(*found)  # type: ignore[arg-type]
    return None


def axes_of(value: Ref | View, st: FlowState) -> list[Axis]:
    """The axes of an array that have not one element each."""
    if isinstance(value, Ref):
        shape = st.store[value.cell].type.shape
        ends = [AT_ONCE, *(object() for _ in shape)] if value.cell.ordered else []
        return [
            Axis(n, ends[-1 - k], ends[-2 - k]) if ends else Axis(n, object(), object())
            for k, n in enumerate(shape)
            if n != 1
        ]
    return [axis for axis in all_axes(value, st) if axis.size != 1]


def all_axes(value: Ref | View, st: FlowState) -> list[Axis]:
    """All axes; those of one element have any places."""
    if isinstance(value, Ref):
        found = iter(axes_of(value, st))
        return [loose_axis(n) if n == 1 else next(found) for n in st.store[value.cell].type.shape]
    base, op, shape = all_axes(value.base, st), value.made, value.atom.type.shape
    match op.primitive.kind:
        case Same.TRANSPOSED:
            return [base[k] for k in op.params["perm"]]
        case Same.RESHAPED:
            return reshaped([axis for axis in base if axis.size != 1], shape)
        case Access.READ if "a" not in op.params["spec"]:
            return cut_axes(base, op.params["spec"], shape)
    return list(map(loose_axis, shape))


def loose_axis(size: Any) -> Axis:
    return Axis(size, object(), object())


def cut_axes(base: Sequence[Axis], spec: Sequence[Any], shape: Sequence[Any]) -> list[Axis]:
    """The axes of what a subscript shows."""
    rest, found = iter(base), list[Axis]()
    for token in spec:
        axis = loose_axis(1) if token == "n" else next(rest)
        if token == "i":
            continue
        n = shape[len(found)]
        whole = not isinstance(token, Cut)
        found.append(axis if whole else Axis(n, object(), axis.after if token.step == 1 else object()))
    return [*found, *rest]


def reshaped(base: Sequence[Axis], shape: Sequence[Any]) -> list[Axis]:
    """The axes of another shape: those of the base, but for axes of one element, or all of them made anew."""
    given = [n for n in shape if n != 1]
    if keeps_axes(base, shape):
        rest = iter(base)
        return [loose_axis(1) if n == 1 else next(rest) for n in shape]
    if not base or not are_one(base):
        return list(map(loose_axis, shape))
    ends = [base[0].before, *(object() for _ in given[1:]), base[-1].after]
    pairs = iter(pairwise(ends))
    return [loose_axis(1) if n == 1 else Axis(n, *next(pairs)) for n in shape]


def are_one(axes: Sequence[Axis]) -> bool:
    """Whether the rows along all axes lie one after the other."""
    return all(x.after is y.before for x, y in pairwise(axes))


def lies_in_order(value: Ref | View, st: FlowState) -> bool:
    """Whether all elements certainly lie beside one another, in order."""
    axes = axes_of(value, st)
    return not axes or are_one(axes) and axes[-1].after is AT_ONCE


def is_reshaped_in_place(value: Ref | View, shape: Sequence[Any], st: FlowState) -> bool:
    """Whether another shape of an array is certainly a view of it."""
    return are_one(axes := axes_of(value, st)) or keeps_axes(axes, shape)


def keeps_axes(axes: Sequence[Axis], shape: Sequence[Any]) -> bool:
    """Whether a shape is that of these axes, but for axes of one element."""
    return [n for n in shape if n != 1] == [axis.size for axis in axes]


def relied_on(view: View) -> frozenset[Cell]:
    """The arguments whose order in memory makes this a view."""
    return root_of(view).ordered_as if view.relies else frozenset()


def root_of(value: Ref | View) -> Cell:
    """The object that a view is a part of."""
    return value.cell if isinstance(value, Ref) else root_of(value.base)
