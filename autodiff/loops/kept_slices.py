"""Slices that a loop keeps of arrays it overwrites, whose lengths change from one iteration to the next.

    for i in range(n):                         ys = np.empty((n, n))
        s += f(x[:i])                          for i in range(n):
        x[i - 1] = s               ->              ys[i, :i] = x[:i]
                                                   s += f(x[:i])
                                                   x[i - 1] = s

Time is that of the slices; memory is that of rows, of which no more than the slices is ever touched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff.loops.affine_bounds import AffineBounds
from codegen.ir import Apply, Atom, Dim, Equation, Lit, Type, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.literals import size_atom
from codegen.primitives.index import Cut, grouped


@dataclass(frozen=True)
class Part:
    """Where in a row of a shape a slice is kept: `xs[i, :j]`; `read` is the slice itself, `x[:j]`."""

    read: Apply
    shape: tuple[Dim, ...]
    spec: tuple[Any, ...]
    places: tuple[Atom, ...]

    def bring_sizes(self, b: Builder, var: Var, brought: dict[Var, tuple[Var, ...]]) -> None:
        """Where the row's subscript needs the slice's sizes: the same slice of any array brings them."""
        if any(a in var.type.shape for a in self.places):
            array = self.read.operands[0].type
            zero = Lit(np.dtype(array.dtype).type(0).item(), Type(array.dtype))
            spread = b.atom(b.apply("broadcast_to", zero, *map(size_atom, array.shape)))
            op = replace(self.read, operands=(spread, *self.read.operands[1:]))
            out = Var(var.name, var.type)
            b.emit((out,), op)
            brought[out] = brought.get(var, ())


def part_of_row(equation: Equation, inside: set[Var], ranges: AffineBounds) -> Part | None:
    """Where to keep a slice whose sizes are known only `inside` a loop.

        x[:j]              xs[i, :j]     in a row as long as the array's axis, at its own places
        x[j - 1 : j + 2]   xs[i, :n]     in a row of three: it is never longer

    None where the equation is no slice, or where the axes too are known only there.
    """
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.kind is not Access.READ or "a" in op.params["spec"]:
        return None
    array, *operands = op.operands
    axes, outs = iter(array.type.shape), iter(equation.outs[0].type.shape)
    shape: list[Dim] = []
    spec: list[Any] = []
    places: list[Atom] = []
    for token, given in zip(op.params["spec"], grouped(op.params["spec"], tuple(operands)), strict=True):
        n = 1 if token == "n" else next(axes)
        if token == "i":
            continue
        d = next(outs)
        if d not in inside:
            kept: tuple[Dim, Any, tuple[Atom, ...]] = d, ":", ()
        elif (width := ranges.width(token, given)) is not None:
            kept = width, Cut(start=False, stop=True), (d,)
        else:
            kept = n, token, given
        shape.append(kept[0])
        spec.append(kept[1])
        places += kept[2]
    shape += axes
    return None if any(n in inside for n in shape) else Part(op, tuple(shape), tuple(spec), tuple(places))
