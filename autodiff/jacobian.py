"""All partial derivatives: a loop over unit vectors around the linear half of a function.

    def f(x):                            def f_jacrev(x):
        return sin(x)                        c = cos(x)                          # the known half, once
                                 ->          for i in range(n):
                                                 y_bar = zeros(n); y_bar[i] = 1.0
                                                 out[i] = c * y_bar              # the linear half, n times

By rows the linear half is transposed (a return sweep per element of the results), by columns it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autodiff.activity import Mask
from autodiff.jvp import jvp, zeros
from autodiff.policy import Policy, Save, policy
from autodiff.sizes.results import with_sizes
from autodiff.sizes.scope import fresh_name, refresh
from autodiff.transpose import transpose
from autodiff.unzip import unzip
from autodiff.vjp import Stages
from codegen import ir
from codegen.ir import Atom, Dim, For, Function, Lit, Program, Type, Var
from codegen.ir.build import I8, Builder
from codegen.ir.check import check
from codegen.ir.literals import literal
from codegen.ir.substitution import clone
from codegen.simplify.driver import simplify

Place = tuple[Var, ...]
Atoms = tuple[Atom, ...]
Fill = Callable[[Builder, Place, Atoms], Atoms]


def reverse_rows(program: Program, active: Mask, *, save: Save = "none", known_sizes: bool = False) -> Stages:
    """(params) -> d result / d parameter for each result and each active parameter, results outermost."""
    return derivatives(program, active, policy(save, known_sizes=known_sizes), by_rows=True)


def forward_rows(program: Program, active: Mask, *, save: Save = "none", known_sizes: bool = False) -> Stages:
    """As `reverse_rows`, by columns."""
    return derivatives(program, active, policy(save, known_sizes=known_sizes), by_rows=False)


def derivatives(program: Program, active: Mask, save: Policy, *, by_rows: bool) -> Stages:
    pushed = simplify(jvp(with_sizes(program), active))
    halves = unzip(pushed, tuple(k >= len(active) for k in range(len(pushed.entry.params))), save)
    second = halves.linear
    if by_rows:
        count = len(second.entry.params) - sum(active)
        second = transpose(second, tuple(k >= count for k in range(len(second.entry.params))))
    b = Builder(span=program.entry.span, checked=False)
    params = halves.known.entry.params
    values = inline(b, halves.known.entry, params)
    results, residuals = values[: len(program.entry.body.results)], values[halves.flags.count(False) :]
    xs = tuple(p for p, flag in zip(params, active, strict=True) if flag)
    ys = tuple(y for y in results if y.type.is_float)
    moving = halves.flags[len(results) :]  # the others do not depend on any x
    job = Job(b, second.entry, residuals, xs, tuple(y for y, flag in zip(ys, moving, strict=True) if flag))
    made = iter(by_row(job) if by_rows else by_column(job))
    pairs = ((y, flag, x) for y, flag in zip(ys, moving, strict=True) for x in xs)
    listed = tuple(next(made) if flag else table(b, y, x) for y, flag, x in pairs)
    functions = {**halves.known.functions, **second.functions}
    name = "jacrev" if by_rows else "jacfwd"
    main = fresh_name(f"{program.main}_{name}", functions)
    functions[main] = Function(main, params, b.block(listed), program.entry.span)
    whole = check(refresh(ir.program(functions, main)), after=name)
    final = check(simplify(whole, signed=False), after=name)
    return ("jvp", pushed), ("transpose" if by_rows else "unzip", second), (name, final)


@dataclass(frozen=True, eq=False)
class Job:
    """The linear half `second`, what it reads of the known one, the arguments and the results."""

    b: Builder
    second: Function
    residuals: Atoms
    xs: Atoms
    ys: Atoms


def by_row(job: Job) -> list[Atom]:
    """For each result a loop over its elements: y_bar is a unit vector, the rows are the x_bars."""
    made: list[Atom] = []
    for y in job.ys:

        def row(b: Builder, place: Place, tables: Atoms, y: Atom = y) -> Atoms:
            bars = tuple(unit(b, other, place if other is y else None) for other in job.ys)
            rows = inline(b, job.second, (*job.residuals, *bars))
            spec = ("i",) * len(place)
            return tuple(written(b, t, r, place, spec) for t, r in zip(tables, rows, strict=True))

        made += over(job.b, y.type.shape, (), tuple(table(job.b, y, x) for x in job.xs), row)
    return made


def by_column(job: Job) -> list[Atom]:
    """For each argument a loop over its elements: x_dot is a unit vector, the columns are the y_dots."""
    columns: list[Atoms] = []
    for x in job.xs:

        def column(b: Builder, place: Place, tables: Atoms, x: Atom = x) -> Atoms:
            dots = tuple(unit(b, other, place if other is x else None) for other in job.xs)
            made = inline(b, job.second, (*job.residuals, *dots))
            specs = [(":",) * y.type.rank + ("i",) * len(place) for y in job.ys]
            return tuple(written(b, t, c, place, s) for t, c, s in zip(tables, made, specs, strict=True))

        columns.append(over(job.b, x.type.shape, (), tuple(table(job.b, y, x) for y in job.ys), column))
    return [column[k] for k in range(len(job.ys)) for column in columns]


def over(b: Builder, dims: tuple[Dim, ...], place: Place, tables: Atoms, fill: Fill) -> Atoms:
    """A nest of loops over `dims` that carries tables; `fill` is its innermost body."""
    if not dims:
        return fill(b, place, tables)
    index, inner = Var("ijkl"[len(place) % 4], I8), b.inner()
    carried = tuple(Var("rows", t.type) for t in tables)
    results = over(inner, dims[1:], (*place, index), carried, fill)
    outs = tuple(Var("rows", t.type) for t in tables)
    stop = b.atom(dims[0])
    b.emit(outs, For(index, literal(0), stop, 1, carried, tables, inner.block(results)))
    return outs


def table(b: Builder, y: Atom, x: Atom) -> Atom:
    """Zeros of shape (*y, *x)."""
    return zeros(b, Type(y.type.dtype, (*y.type.shape, *x.type.shape)), "rows")


def unit(b: Builder, like: Atom, place: Place | None) -> Atom:
    """Zeros, with a one at `place`."""
    one = Lit(1.0, Type(like.type.dtype))
    if place == ():
        return one
    array = zeros(b, Type(like.type.dtype, like.type.shape), "unit")
    return array if place is None else written(b, array, one, place, ("i",) * len(place))


def written(b: Builder, array: Atom, value: Atom, place: Place, spec: tuple[str, ...]) -> Atom:
    if not spec:
        return value
    name = array.name if isinstance(array, Var) else "t"
    return b.atom(b.apply("update", array, value, *place, spec=spec, name=name))


def inline(b: Builder, function: Function, operands: Atoms) -> Atoms:
    """The equations of a function's body for these operands; its results."""
    env: dict[Var, Atom] = {}
    for param, operand in zip(function.params, operands, strict=True):
        pairs = zip(param.type.shape, operand.type.shape, strict=True)
        env.update((d, literal(n) if isinstance(n, int) else n) for d, n in pairs if isinstance(d, Var))
    env.update(zip(function.params, operands, strict=True))
    body = clone(function.body, env)
    b.equations += body.equations
    return body.results
