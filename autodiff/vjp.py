"""vjp : (a -> b) -> (a, CT b) -> (b, CT a), the composition of jvp, unzip and transpose

    def f(x):                            def f_vjp(x, y_bar):
        y = sin(x)                           y = sin(x)                     # the forward sweep
        return y * y              ->         t_bar = 2.0 * y * y_bar        # the return sweep
                                             return y * y, t_bar * cos(x)

The known half of unzip is the forward sweep, its linear half, transposed, the return sweep. Dead code goes before
unzip (what no result needs has no tangent) and after transpose (what no cotangent needs is not run again).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autodiff.activity import Mask
from autodiff.jvp import jvp
from autodiff.policy import Save, policy
from autodiff.scope import fresh_name, refresh
from autodiff.transpose import Cotangents, Transposer, bar
from autodiff.unzip import Unzip
from codegen import ir
from codegen.build import Builder
from codegen.check import check
from codegen.ir import Atom, Block, Lit, Program, Var
from codegen.simplify import simplify


@dataclass(eq=False)
class Sweeps:
    """A derivative under construction: the passes by name, for those who want to look."""

    program: Program
    stages: tuple[tuple[str, Program], ...]


def vjp(program: Program, active: Mask, *, save: Save = "none") -> Program:
    """(params, a cotangent per float result) -> (results, a cotangent per active parameter), flat."""
    return reverse(program, active, seeds=None, save=save).program


def value_and_grad(program: Program, active: Mask, *, save: Save = "none") -> Program:
    """(params) -> (the result, its gradient in each active parameter), for a program with one float scalar result."""
    return reverse(program, active, seeds=(1.0,), save=save).program


def grad(program: Program, active: Mask, *, save: Save = "none") -> Program:
    """(params) -> (the gradient in each active parameter)."""
    return reverse(program, active, seeds=(1.0,), save=save, values=False).program


def reverse(
    program: Program, active: Mask, *, seeds: tuple[float, ...] | None, save: Save, values: bool = True
) -> Sweeps:
    """The forward and the return sweep as one function; `seeds`: cotangents known already."""
    pushed = only_tangents(jvp(program, active), program, active, values)
    forward = simplify(pushed)
    count = len(program.entry.params)
    linear = (False,) * count + (True,) * (len(forward.entry.params) - count)
    kept = len(program.entry.body.results) if values else 0
    parts = Unzip(forward, linear, policy(save)).entry()
    entry = parts.function
    b = Builder(span=entry.span, checked=False)
    b.equations += parts.known
    cts = Cotangents(b)
    bars: list[Var] = []
    dots = entry.body.results[kept:]
    names = [r.name if isinstance(r, Var) else "y" for r in dots]
    for k, (dot, name) in enumerate(zip(dots, names, strict=True)):
        ct: Atom
        if seeds is None:
            ct = Var(bar(name), dot.type)
            bars.append(ct)
        else:
            ct = Lit(seeds[k], dot.type)
        if isinstance(dot, Var) and dot in parts.active:
            cts.add(dot, ct)
    turner = Transposer(parts.functions, parts.linear, parts.brought)
    turner.block(b, parts.mixed, parts.active, cts)
    bars_out = tuple(cts.take(p) for p in parts.params)
    params = (*entry.params[:count], *bars)
    kind = "vjp" if seeds is None else "value_and_grad" if values else "grad"
    name = fresh_name(f"{program.main}_{kind}", turner.functions)
    body = Block(tuple(b.equations), (*entry.body.results[:kept], *bars_out))
    made = replace(entry, name=name, params=params, body=body)
    raw = check(refresh(ir.program({**turner.functions, name: made}, name)), after="transpose")
    final = check(simplify(raw), after="simplify")
    return Sweeps(final, (("jvp", forward), ("transpose", raw), ("simplify", final)))


def only_tangents(pushed: Program, program: Program, active: Mask, values: bool) -> Program:
    """Without the primal results, where only the derivative is asked for."""
    if values:
        return pushed
    entry = pushed.entry
    results = entry.body.results[len(program.entry.body.results) :]
    trimmed = replace(entry, body=Block(entry.body.equations, results))
    return ir.program({**pushed.functions, pushed.main: trimmed}, pushed.main)
