"""If over lanes: convert_if : Scope, If -> the equations that stand for it.

a shared test      one If, as before
cheap branches     both computed, np.where picks
otherwise          each branch for the lanes that take it: gathered, run, scattered; a branch with calls or
                   loops in it only if any lane takes it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from autobatch.cfg.cost import cost
from autobatch.cost_model import BOTH_BRANCHES_COST
from autobatch.lanes.axes import align_axes, varying_size
from autobatch.lanes.masks import LaneScope, LaneValue, as_dim, named_result
from codegen.ir import Apply, Atom, Block, Dim, Equation, If, Lit, Type, Var
from codegen.ir.build import I8
from codegen.ir.kinds import Arithmetic, Choice, Logic, Relation, Same, Test
from codegen.ir.literals import name_of

# What may be computed for lanes that do not take the branch.
SUMS = (Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL, Arithmetic.NEG, Arithmetic.ABS)
EXTREMES = (Arithmetic.MAXIMUM, Arithmetic.MINIMUM, *Choice)
TESTS = (*Relation, *Test, Logic.AND, Logic.OR, Logic.NOT)
HARMLESS = frozenset({*SUMS, *EXTREMES, *TESTS, Same.CAST, Same.STOPPED, Same.COPY})
ONE_OF_TWO = "an array that is one of two"


def convert_if(scope: LaneScope, equation: Equation, op: If) -> None:
    test = scope.value(op.test)
    if not test.over:
        uniform_if(scope, equation, op, test)
    elif is_cheap_branch(scope, op.then) and is_cheap_branch(scope, op.orelse):
        select_both(scope, equation, op, test)
    else:
        partition_lanes(scope, equation, op, test)


def is_cheap_branch(scope: LaneScope, block: Block) -> bool:
    """Whether a branch may be computed for lanes that do not take it, and is worth computing so."""
    plain = all(isinstance(e.op, Apply) and e.op.primitive.kind in HARMLESS for e in block.equations)
    streams = any(r.type.dtype == "rng" for r in block.results)
    return plain and not streams and cost(block.equations, scope.whole.program) <= BOTH_BRANCHES_COST


def uniform_if(scope: LaneScope, equation: Equation, op: If, test: LaneValue) -> None:
    """All lanes take the same branch."""
    sides = [scope.inner() for _ in range(2)]
    for side in sides:
        side.failed = scope.failed
    given = [scope.whole.run(side, block) for side, block in zip(sides, (op.then, op.orelse))]
    kept = [common_home(scope, a, b) for a, b in zip(*given)]
    over = [a.over or b.over for a, b in zip(*given)]
    results: list[list[Any]] = [
        [
            side.b.wrap(v.atom) if home else side.over(v) if o else side.use(v)
            for v, o, home in zip(values, over, kept)
        ]
        for side, values in zip(sides, given)
    ]
    fails = any(side.failed is not scope.failed for side in sides)
    if fails:
        for side, found in zip(sides, results):
            found.append(side.failed_here())
    outs = [joined_var(scope, side_types, out) for side_types, out in zip(zip(*results), equation.outs)]
    failed = [Var("failed", scope.type(I8, True))] if fails else []
    blocks = [side.b.block(tuple(values)) for side, values in zip(sides, results)]
    scope.b.emit((*outs, *failed), If(test.atom, blocks[0], blocks[1]))
    if fails:
        scope.failed = failed[0]
    for out, new, o, (a, b), home in zip(equation.outs, outs, over, zip(*given), kept):
        if home is not None:
            scope.whole.before[new] = common_version(scope, a.atom, b.atom)
        scope.enter(out, LaneValue(new, o, (home or scope.base) if o else None))


def common_home(scope: LaneScope, a: LaneValue, b: LaneValue) -> LaneScope | None:
    """The scope over whose lanes both values are one array, written in different ways; else None."""
    if not (a.over and b.over and a.home is b.home) or scope.here(a):
        return None
    return a.home if common_version(scope, a.atom, b.atom) is not None else None


def common_version(scope: LaneScope, a: Atom, b: Atom) -> Any:
    """The latest array that both were once."""
    others = set(scope.whole.versions(b))
    return next((atom for atom in scope.whole.versions(a) if atom in others), None)


def joined_var(scope: LaneScope, values: tuple[Any, Any], out: Var) -> Var:
    """The variable for one of two values: a size that is not the same on both sides is its own."""
    a, b = (scope.b.atom(v).type for v in values)
    shape = tuple(
        n if n == m and (isinstance(n, int) or bound_before(scope, n)) else Var("n", I8)
        for n, m in zip(a.shape, b.shape)
    )
    return Var(out.name, Type(a.dtype, shape))


def select_both(scope: LaneScope, equation: Equation, op: If, test: LaneValue) -> None:
    """Both branches for all lanes, then np.where."""
    sides = [scope.inner(scope.b) for _ in range(2)]
    given = [scope.whole.run(side, block) for side, block in zip(sides, (op.then, op.orelse))]
    for out, a, b in zip(equation.outs, *given):
        if a.atom is b.atom:
            scope.enter(out, a)
            continue
        rank = out.type.rank
        scope.one_size(a, b, ONE_OF_TWO)
        picked = [align_axes(scope.b, scope.use(v), v.over, rank) for v in (test, a, b)]
        since = len(scope.b.equations)
        scope.bind(out, named_result(scope.b, where_or_logic(scope, *picked), out.name, since), True)


def where_or_logic(scope: LaneScope, test: Any, a: Any, b: Any) -> Any:
    """np.where, or the logic that it is."""
    match scope.b.atom(a), scope.b.atom(b):
        case Lit(), Lit(False):
            return test
        case _, Lit(False):
            return test & a
        case Lit(True), _:
            return test | b
        case Lit(False), Lit():
            return ~test
    return np.where(test, a, b)


def partition_lanes(scope: LaneScope, equation: Equation, op: If, test: LaneValue) -> None:
    """Each branch for its own lanes."""
    here = scope.use(test)
    sides = [(op.then, here), (op.orelse, ~here)]
    busy = [(block, mask) for block, mask in sides if block.equations]
    bases: list[LaneValue | None] = [None] * len(equation.outs)
    if len(busy) == 1:
        idle = op.orelse if busy[0][0] is op.then else op.then
        bases = [scope.value(r) for r in idle.results]
    changed: dict[Atom, LaneValue] = {}
    for block, mask in busy:
        bases = run_masked(scope, block, scope.going(mask), bases, equation.outs, changed)
    for out, base in zip(equation.outs, bases):
        assert base is not None
        scope.enter(out, base)


def run_masked(
    scope: LaneScope,
    block: Block,
    mask: Any,
    bases: Sequence[LaneValue | None],
    outs: Sequence[Var],
    changed: dict[Atom, LaneValue],
) -> list[LaneValue | None]:
    """`bases`, with the block's results written in for the lanes of `mask`, and `failed` likewise.

    A base is None where all that matters is yet to be written. `changed`: arrays of the scope that the
    other branch has written to, and what they are now; those that this one writes to are added.
    """
    at = scope.b.apply("flatnonzero", mask, name="at")
    guard = any(not isinstance(e.op, Apply) for e in block.equations)
    count = scope.b.wrap(at.type.shape[0])
    inside = scope.inner(None if guard else scope.b, at=at.atom, n=count, masked=True)
    redirect(inside, changed)
    results = scope.whole.run(inside, block)
    merged = [
        merge_result(scope, inside, base, v, out, older=base is not None and base.atom in changed)
        for base, v, out in zip(bases, results, outs)
    ]
    if inside.failed is not None:
        merged.append(MergedResult(scope.b.atom(scope.failed_here()), inside.failed, scope.base))
    written = [
        m.value if m.in_place else inside.b.atom(inside.put(inside.b.wrap(m.base), inside.b.wrap(m.value)))
        for m in merged
    ]
    if guard:
        made = tuple(Var(name_of(m.base), m.base.type) for m in merged)
        busy = inside.b.block(tuple(written))
        idle = Block((), tuple(m.base for m in merged))
        scope.b.emit(made, If(scope.b.atom(scope.b.apply("gt", count, 0)), busy, idle))
        written = list(made)
        scope.whole.before.update((new, m.base) for new, m in zip(made, merged) if m.in_place)
    if inside.failed is not None:
        scope.failed = written.pop()
    values = [LaneValue(atom, True, m.home) for atom, m in zip(written, merged)]
    changed.update((m.base, v) for m, v in zip(merged, values) if m.in_place and m.base is not v.atom)
    return list(values)


@dataclass(frozen=True, eq=False)
class MergedResult:
    """What a result is written into, and the value for the lanes inside; in_place: it is there already."""

    base: Atom
    value: Atom
    home: LaneScope
    in_place: bool = False


def redirect(inside: LaneScope, changed: Mapping[Atom, LaneValue]) -> None:
    """Inside, arrays that the other branch has written to are read and written as it left them."""
    for scope in islice(inside.outward(), 1, None):
        for var, value in scope.values.items():
            if value.atom in changed and var not in inside.values:
                inside.values[var] = changed[value.atom]


def merge_result(
    scope: LaneScope, inside: LaneScope, base: LaneValue | None, value: LaneValue, out: Var, *, older: bool
) -> MergedResult:
    """How a result of the block comes to the lanes outside. `older`: the base is an array as it was before the other
    branch wrote to it, which its lanes go on with."""
    array = version_before(scope, value.atom) if base is None else base.atom
    if not older and inside.in_place(
        value, array
    ):  # the lanes' own places, written there already, or never touched
        assert value.home is not None
        return MergedResult(array, value.atom, value.home, in_place=True)
    if base is None:
        start = empty_result(scope, inside.over(value), out)
    else:
        inside.one_size(base, value, ONE_OF_TWO)
        start = scope.over(base)
    return MergedResult(scope.b.atom(start), inside.b.atom(inside.over(value)), scope.base)


def version_before(scope: LaneScope, atom: Atom) -> Atom:
    """The array as it was before the branch: the latest version that is known outside."""
    known = {value.atom for outer in scope.outward() for value in outer.values.values()}
    versions = list(scope.whole.versions(atom))
    return next((version for version in versions if version in known), versions[-1])


def empty_result(scope: LaneScope, value: Any, out: Var) -> Any:
    """An array over the scope's lanes for values of which every lane will get one."""
    dims = [outer_size(scope, d) for d in value.type.shape[1:]]
    since = len(scope.b.equations)
    made = scope.b.apply("empty", scope.n, *dims, dtype=value.type.dtype)
    return named_result(scope.b, made, out.name, since)


def outer_size(scope: LaneScope, dim: Dim) -> Any:
    """A size of what a branch gives, which must be known before it."""
    if isinstance(dim, int):
        return dim
    if not bound_before(scope, dim):
        raise varying_size(scope.b, "an array whose size depends on the branch taken")
    return scope.b.wrap(dim)


def bound_before(scope: LaneScope, dim: Var) -> bool:
    return any(
        as_dim(s.b, s.n) is dim or any(v.atom is dim for v in s.values.values()) for s in scope.outward()
    )
