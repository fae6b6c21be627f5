"""Views of one object by the same subscripts, where two ways meet: one view, at places that hang on the way.

if c: y = x[0]            k = if c: 0 else: i
else: y = x[i]     ->     y: a view of x at k, so that `y[0] = v` writes into x
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.memory.views import shown_anew
from codegen.infer.values import FALSE, Ref, View
from codegen.ir import Lit
from codegen.ir.literals import same_literal
from codegen.primitives.index import grouped


@dataclass(frozen=True, eq=False)
class ViewSlot:
    """A view like `of`, whose base and operands are filled in."""

    of: View
    base: Ref | ViewSlot
    operands: tuple[Any, ...]


def view_slot(x: Any, y: Any, stays: Callable[[Ref], bool], slot: Callable[..., Any]) -> Any:
    """What becomes one view for two; None where they are no such views. `stays`: of an object that both ways have;
    `slot`: of operands."""
    if isinstance(x, Ref) or isinstance(y, Ref):
        one = isinstance(x, Ref) and isinstance(y, Ref) and x.cell is y.cell
        return x if one and stays(x) else None
    a, b = x.made, y.made
    spec, other = a.params.get("spec", ()), b.params.get("spec", ())
    alike = a.primitive is b.primitive and a.params == b.params and type(spec) is type(other)
    if not alike or "a" in spec or (x.fixed, x.relies) != (y.fixed, y.relies):
        return None
    pairs = list(zip(a.operands[1:], b.operands[1:], strict=True))
    ints = [token == "i" for token, given in zip(spec, grouped(spec, a.operands[1:])) for _ in given]
    sizes = [pair for k, pair in enumerate(pairs) if k >= len(ints) or not ints[k]]
    if not all(i is j or isinstance(i, Lit) and isinstance(j, Lit) and same_literal(i, j) for i, j in sizes):
        return None  # of sizes that may differ, where lanes have one
    if (base := view_slot(x.base, y.base, stays, slot)) is None:
        return None
    return ViewSlot(x, base, tuple(slot(i, j, "k") for i, j in pairs))


def filled_view(frame: Frame, slot: Any, out: Callable[[Any], Any]) -> Any:
    """The view that a slot stands for, shown anew; `out`: what its operands became."""
    if isinstance(slot, Ref):
        return slot
    base, made = filled_view(frame, slot.base, out), slot.of.made
    operands = (FALSE, *map(out, slot.operands))
    like = replace(slot.of, base=base, made=replace(made, operands=operands))
    return shown_anew(frame.b, frame.atom(base), like)
