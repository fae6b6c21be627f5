"""vjp : (a -> b) -> (a, CT b) -> (b, CT a), the composition of jvp, unzip and transpose

    def f(x):                            def f_vjp(x, y_bar):
        y = sin(x)                           y = sin(x)                     # the forward sweep
        return y * y              ->         t_bar = 2.0 * y * y_bar        # the return sweep
                                             return y * y, t_bar * cos(x)

The known half of unzip is the forward sweep, its linear half, transposed, the return sweep. Dead code
goes before unzip (what no result needs has no tangent) and after transpose (what no cotangent needs is
not run again).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autodiff.activity import Mask
from autodiff.jvp import jvp
from autodiff.loops.strip_mining import strips
from autodiff.policy import Save, policy
from autodiff.sizes.invariant import loosen
from autodiff.sizes.results import with_sizes
from autodiff.sizes.scope import fresh_name, refresh
from autodiff.transpose import Cotangents, Transposer, bar
from autodiff.unzip import Parts, Unzip
from codegen import ir
from codegen.ir import Atom, Block, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.simplify.driver import simplify

Stages = tuple[tuple[str, Program], ...]


def vjp(program: Program, active: Mask, *, save: Save = "none") -> Program:
    """(params, a cotangent per float result) -> (results, a cotangent per active parameter), flat."""
    return reverse(program, active, save=save)[-1][1]


def value_and_grad(program: Program, active: Mask, *, save: Save = "none") -> Program:
    """(params) -> (results, the gradient of the first in each active parameter), the first a float scalar."""
    return reverse(program, active, save=save, seeds={0: 1.0}, kind="value_and_grad")[-1][1]


def grad(program: Program, active: Mask, *, save: Save = "none") -> Program:
    """(params) -> (the gradient of the first result in each active parameter)."""
    return reverse(program, active, save=save, seeds={0: 1.0}, keep=(), kind="grad")[-1][1]


def reverse(
    program: Program,
    active: Mask,
    *,
    save: Save = "none",
    seeds: Mapping[int, float] | None = None,
    keep: tuple[int, ...] | None = None,
    kind: str = "vjp",
    known_sizes: bool = False,
) -> Stages:
    """The forward and the return sweep as one function, after each pass.

    seeds        result -> its cotangent, known already; None: every float result's is a parameter
    keep         which primal results come first (None: all); a cotangent per active parameter follows
    known_sizes  the program is to run over lanes (see Policy)
    """
    results = program.entry.body.results
    kept = tuple(range(len(results))) if keep is None else keep
    floats = [k for k, r in enumerate(results) if r.type.is_float]
    seeded = floats if seeds is None else list(seeds)
    pushed = jvp(with_sizes(strips(program) if save == "sqrt" else program), active)
    trimmed = simplify(pick(pushed, (*kept, *(len(results) + floats.index(k) for k in seeded))))
    linear = tuple(k >= len(active) for k in range(len(trimmed.entry.params)))
    parts = Unzip(trimmed, linear, policy(save, known_sizes=known_sizes)).entry()
    given = None if seeds is None else tuple(seeds.values())
    swept = sweeps(parts, len(kept), given, fresh_name(f"{program.main}_{kind}", parts.functions))
    return ("jvp", pushed), ("transpose", swept), (kind, check(simplify(swept, signed=False), after=kind))


def pick(program: Program, results: tuple[int, ...]) -> Program:
    """`program` with only these results, in this order."""
    entry = program.entry
    body = Block(entry.body.equations, tuple(entry.body.results[k] for k in results))
    return ir.program({**program.functions, program.main: replace(entry, body=body)}, program.main)


def sweeps(parts: Parts, kept: int, given: tuple[float, ...] | None, name: str) -> Program:
    """The forward sweep, then the linear half turned round. After `kept` primal results come tangents."""
    entry = parts.function
    b = Builder(span=entry.span, checked=False)
    b.equations += parts.known
    cts = Cotangents(b)
    bars: list[Var] = []
    for k, dot in enumerate(entry.body.results[kept:]):
        ct: Atom
        if given is None:
            ct = Var(bar(dot.name if isinstance(dot, Var) else "y"), dot.type)
            bars.append(ct)
        else:
            ct = Lit(given[k], dot.type)
        if isinstance(dot, Var) and dot in parts.active:
            cts.add(dot, ct)
    turner = Transposer(parts.functions, parts.linear, parts.brought)
    turner.block(b, parts.mixed, parts.active, cts)
    gradients = tuple(cts.take(p) for p in parts.params)
    params = (*entry.params[: len(entry.params) - len(parts.params)], *bars)
    body = Block(tuple(b.equations), (*entry.body.results[:kept], *gradients))
    made = replace(entry, name=name, params=params, body=body)
    return check(
        refresh(loosen(refresh(ir.program({**turner.functions, name: made}, name)))), after="transpose"
    )
