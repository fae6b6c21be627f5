"""All partial derivatives: a loop over unit vectors around the linear half of a function.

    def f(x):                            def f_jacrev(x):
        return sin(x)                        c = cos(x)                          # the known half, once
                                 ->          for i in range(n):
                                                 y_bar = zeros(n); y_bar[i] = 1.0
                                                 out[i] = c * y_bar              # the linear half, n times

By rows the linear half is transposed (a return sweep per element of the results), by columns it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autodiff.activity import Mask
from autodiff.jvp import zeros_of
from autodiff.policy import Policy
from autodiff.sizes.scope import fresh_name, refresh
from autodiff.transpose import transpose
from autodiff.unzip import unzip
from codegen import ir
from codegen.ir import Atom, Function, Lit, Program, Type
from codegen.ir.build import Builder
from codegen.ir.literals import size_atom
from codegen.ir.loop_nests import Atoms, Place, loop_nest, with_element
from codegen.ir.substitution import clone


def over_unit_vectors(
    program: Program, *, active: Mask, count: int, save: Policy, by_rows: bool, name: str
) -> Program:
    """The known half of a jvp, whose first `count` results are primal, and loops around its linear half."""
    entry = program.entry
    halves = unzip(program, tuple(k >= len(active) for k in range(len(entry.params))), save)
    second = halves.linear
    if by_rows:
        known = len(second.entry.params) - sum(active)
        second = transpose(second, tuple(k >= known for k in range(len(second.entry.params))))
    b = Builder(span=entry.span, checked=False)
    params = halves.known.entry.params
    values = spliced(b, halves.known.entry, params)
    residuals = values[halves.flags.count(False) :]
    xs = tuple(p for p, flag in zip(params, active, strict=True) if flag)
    ys = tuple(y for y in values[:count] if y.type.is_float)
    moving = halves.flags[count:]  # the others do not depend on any x
    loops = Loops(b, second.entry, residuals, by_rows)
    made = iter(loops.entries(xs, tuple(y for y, flag in zip(ys, moving, strict=True) if flag)))
    pairs = ((y, flag, x) for y, flag in zip(ys, moving, strict=True) for x in xs)
    listed = tuple(next(made) if flag else table(b, y, x) for y, flag, x in pairs)
    functions = {**halves.known.functions, **second.functions}
    name = fresh_name(name, functions)
    functions[name] = Function(name, params, b.block(listed), entry.span)
    return refresh(ir.program(functions, name))


@dataclass(frozen=True, eq=False)
class Loops:
    """The linear half `second`, turned round if `by_rows`, and what it reads of the known one."""

    b: Builder
    second: Function
    residuals: Atoms
    by_rows: bool

    def entries(self, xs: Atoms, ys: Atoms) -> list[Atom]:
        """The table of each y and each x, row by row."""
        if self.by_rows:
            return [made for k in range(len(ys)) for made in self.filled(k, ys, xs)]
        columns = [self.filled(k, xs, ys) for k in range(len(xs))]
        return [column[k] for k in range(len(ys)) for column in columns]

    def filled(self, k: int, given: Atoms, found: Atoms) -> Atoms:
        """A loop over the elements of the k-th that is given (one may be given twice), which is a unit vector: a table
        each of what is found."""
        one = given[k]

        def fill(b: Builder, place: Place, tables: Atoms) -> Atoms:
            units = tuple(unit(b, each, place if n == k else None) for n, each in enumerate(given))
            made = spliced(b, self.second, (*self.residuals, *units))
            at = ("i",) * len(place)
            specs = [at if self.by_rows else (":",) * each.type.rank + at for each in found]
            return tuple(with_element(b, t, m, place, s) for t, m, s in zip(tables, made, specs, strict=True))

        tables = (table(self.b, *((one, each) if self.by_rows else (each, one))) for each in found)
        return loop_nest(self.b, one.type.shape, (), tuple(tables), fill)


def table(b: Builder, y: Atom, x: Atom) -> Atom:
    """Zeros of shape (*y, *x)."""
    return zeros_of(b, Type(y.type.dtype, (*y.type.shape, *x.type.shape)), "rows")


def unit(b: Builder, like: Atom, place: Place | None) -> Atom:
    """Zeros, with a one at `place`."""
    one = Lit(1.0, Type(like.type.dtype))
    if place == ():
        return one
    array = zeros_of(b, Type(like.type.dtype, like.type.shape), "unit")
    return array if place is None else with_element(b, array, one, place, ("i",) * len(place))


def spliced(b: Builder, function: Function, operands: Atoms) -> Atoms:
    """The equations of a function's body for these operands; its results."""
    env: dict[Any, Atom] = {}
    for param, operand in zip(function.params, operands, strict=True):
        env.update(zip(param.type.shape, map(size_atom, operand.type.shape), strict=True))
    body = clone(function.body, {**env, **dict(zip(function.params, operands, strict=True))})
    b.equations += body.equations
    return body.results
