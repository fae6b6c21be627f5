"""Reductions of each row of an array by what is left whole of a vector:

p = np.argmax(x, axis=1)     ->     for i in range(n):
                                        p[i] = np.argmax(x[i, :])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from codegen.ir import Apply, Equation, Type, Var
from codegen.ir.build import Builder
from codegen.loops.nests import Place, Values, nest
from codegen.loops.reductions import PLACES, BlockLowering, empty_array, require_elements, store_element
from codegen.primitives.index import Cut


class ChoosyLowering(BlockLowering, Protocol):
    """The block that is being lowered, which knows what is to become loops."""

    @property
    def when(self) -> Callable[[Equation], bool]: ...


def leaves_rows(w: ChoosyLowering, op: Apply) -> bool:
    """Whether an operation looks for a place in each row, which for a row by itself stays as it is."""
    x = op.operands[0].type
    if op.primitive.kind not in PLACES or tuple(op.params["axis"]) != (x.rank - 1,):
        return False
    row = Apply(op.primitive, (Var("row", Type(x.dtype, x.shape[-1:])),), {"axis": (0,)})
    return not w.when(Equation((Var("place", Type("i8")),), row))


def reduce_rows(w: ChoosyLowering, equation: Equation, op: Apply) -> None:
    """A loop over the rows, which are in memory."""
    x, (out,) = op.operands[0], equation.outs
    require_elements(w.b, op, op.params["axis"])
    w.need([x])

    def row(b: Builder, at: Place, values: Values) -> Values:
        line = b.apply("index", x, *at, spec=(*("i",) * len(at), Cut(False, False)))
        return (store_element(b, values[0], b.apply(op.primitive, line, axis=(0,)), at),)

    nest(w.b, x.type.shape[:-1], (out,), (empty_array(w.b, out.type),), row, "parallel")
