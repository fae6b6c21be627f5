"""From a program to a program of its derivatives: the passes of each mode, in order, a line each.

    def f(x):                            def f_vjp(x, y_bar):
        y = sin(x)                           y = sin(x)                     # the forward sweep
        return y * y              ->         t_bar = 2.0 * y * y_bar        # the return sweep
                                             return y * y, t_bar * cos(x)

Reverse mode is the composition of jvp, unzip and transpose: the known half of unzip is the forward sweep, its linear
half, transposed, the return sweep. Dead code goes before unzip (what no result needs has no tangent) and after
transpose (what no cotangent needs is not run again).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from autodiff.activity import Mask
from autodiff.jacobian import over_unit_vectors
from autodiff.jvp import jvp, with_settled_sizes
from autodiff.loops.strip_mining import strips
from autodiff.policy import Policy, Save, policy
from autodiff.prints import prints_apart
from autodiff.sizes.invariant import loosen, may_be_ragged, while_sizes_stay
from autodiff.sizes.results import with_sizes
from autodiff.sizes.stretched import taken_in_branches
from autodiff.transpose import sweeps
from codegen.analysis.growth import refuse_growth
from codegen.ir import Program
from codegen.ir.check import check
from codegen.ir.traversal import with_entry, with_results
from codegen.pipeline import Pass, through
from codegen.simplify.driver import simplify
from codegen.simplify.inline import inline
from codegen.simplify.known_parameters import known_parameters
from codegen.simplify.literal_sizes import literal_sizes
from codegen.simplify.size_parameters import sizes_alone

tidy = partial(simplify, signed=False)


def checks_alone(program: Program) -> Program:
    """`program`, simplified; of functions that are only called for their checks, no more is left than those ask."""
    program = tidy(program)
    while (less := sizes_alone(program)) is not program:
        program = tidy(less)
    return program


def needed(program: Program, results: Sequence[int]) -> Program:
    """`program` with these results alone, and what they need."""
    return simplify(with_results(program, results))


def tangents_before(program: Program, count: int, hidden: int) -> Program:
    """`program`, its parameters after the first `count`, the tangents, before the last `hidden` of these."""
    params, first = program.entry.params, count - hidden
    return with_entry(program, params=(*params[:first], *params[count:], *params[first:count]))


def forward(
    program: Program,
    active: Mask,
    results: Sequence[int],
    *,
    hidden: int,
    kind: str,
    seconds: dict[str, float] | None = None,
) -> dict[str, Program]:
    """(params, tangents of the active ones) -> these of results and tangents of the float ones, after each pass.

    hidden  how many params come after the tangents
    """
    passes: dict[str, Pass] = {
        "tangents": partial(jvp, active=active),
        "hidden last": partial(tangents_before, count=len(active), hidden=hidden),
        "all results": tidy,
        "results": partial(with_results, results=results),
        kind: tidy,
    }
    return through(passes, program, check, seconds)


def policy_of(save: Save, sized: Program, checked: bool, *, known_sizes: bool = False) -> Policy:
    """The Policy for a `save` argument and a program as `while_sizes_stay` gives it."""
    return policy(save, known_sizes=known_sizes, ragged=checked and may_be_ragged(sized))


def pushed(active: Mask, results: Sequence[int] | None = None, *, checked: bool = False) -> dict[str, Pass]:
    """What comes before unzip: the jvp, and of it what these results need. `checked`: see `while_sizes_stay`."""
    last: Pass = simplify if results is None else partial(needed, results=results)
    return {
        "known parameters": known_parameters,
        "literal sizes": literal_sizes,
        "sizes": lambda program: with_sizes(with_settled_sizes(program, checked), changing=checked),
        "jvp": partial(jvp, active=active, checked=checked),
        **({"sizes of tangents": partial(with_sizes, changing=True)} if checked else {}),
        "needed": last,
    }


def reverse(
    program: Program,
    active: Mask,
    *,
    save: Save = "none",
    seeds: Mapping[int, float] | None = None,
    keep: tuple[int, ...] | None = None,
    kind: str = "vjp",
    known_sizes: bool = False,
    seconds: dict[str, float] | None = None,
) -> dict[str, Program]:
    """(params, cotangents) -> (results, a cotangent per active parameter), flat, after each pass.

    seeds        result -> its cotangent, known already; None: every float result's is a parameter
    keep         which results are given (None: all)
    known_sizes  the program is to run over lanes (see Policy)
    seconds      is given what each pass took
    """
    results = program.entry.body.results
    kept = tuple(range(len(results))) if keep is None else keep
    floats = [k for k, r in enumerate(results) if r.type.is_float]
    dots = tuple(len(results) + floats.index(k) for k in (floats if seeds is None else seeds))
    both = partial(
        sweeps,
        count=len(active),
        kept=len(kept),
        seeds=None if seeds is None else tuple(seeds.values()),
        name=f"{program.main}_{kind}",
    )
    first: dict[str, Pass] = {"strips": strips} if save == "sqrt" else {}
    if known_sizes:  # said before the work is done, and of the list that the function makes
        wanted = sorted({*kept, *(floats if seeds is None else seeds)})
        refuse_growth(needed(inline(program, when=lambda function, calls: True), wanted))

    def made(sized: Program, checked: bool) -> dict[str, Program]:
        chosen = policy_of(save, sized, checked, known_sizes=known_sizes)
        rest: dict[str, Pass] = {
            "transpose": partial(both, save=chosen),
            "loosen": loosen,
            "stretched axes": taken_in_branches,
            kind: checks_alone,
        }
        passes = {**first, **pushed(active, (*kept, *dots), checked=checked), **rest}
        return through(passes, sized, check, seconds)

    return while_sizes_stay(prints_apart(program), made)


def jacobian(
    program: Program,
    active: Mask,
    *,
    by_rows: bool,
    save: Save = "none",
    known_sizes: bool = False,
    seconds: dict[str, float] | None = None,
) -> dict[str, Program]:
    """(params) -> d result / d parameter for each result and each active parameter, results outermost.

    `by_rows`: by a return sweep per element of the results, else by a push per element of the parameters.
    """
    kind = "jacrev" if by_rows else "jacfwd"
    loops = partial(
        over_unit_vectors,
        active=active,
        count=len(program.entry.body.results),
        by_rows=by_rows,
        name=f"{program.main}_{kind}",
    )
    last = "transpose" if by_rows else "unzip"

    def made(sized: Program, checked: bool) -> dict[str, Program]:
        chosen = policy_of(save, sized, checked, known_sizes=known_sizes)
        rest: dict[str, Pass] = {last: partial(loops, save=chosen), kind: tidy}
        return through({**pushed(active, checked=checked), **rest}, sized, check, seconds)

    return while_sizes_stay(prints_apart(program), made)
