"""Loops over lanes: convert_loop : Scope, For | While -> the equations that stand for it.

    a shared end     the same loop, with carried values over lanes where they differ
    an end a lane    while len(active) > 0: the body for the lanes still in it, `active` being their places

        while x > 1:                      active = np.flatnonzero(x > 1)
            x = x / 2         ->          while len(active) > 0:
                                              x_active = x[active] / 2
                                              x[active] = x_active
                                              active = active[np.flatnonzero(x_active > 1)]

A carried value that is the same for all lanes still in the loop (the index of a loop left by `break`) stays
one value there, and each lane keeps its last.
"""

from __future__ import annotations

from dataclasses import replace

from autobatch.cfg.lower import as_while
from autobatch.lanes.axes import broadcast_to_lanes
from autobatch.lanes.masks import LaneScope, LaneValue
from codegen.ir import Atom, Equation, For, Type, Var, While
from codegen.ir.build import I8
from codegen.ir.substitution import free

LoopFacts = tuple[list[bool], bool, bool]


def convert_loop(scope: LaneScope, equation: Equation, op: For | While) -> None:
    known = (op, scope.masked, scope.failed is None, *(scope.value(v).over for v in free(op)))
    if isinstance(op, For) and (scope.value(op.start).over or scope.value(op.stop).over):
        outs = (Var(op.index.name, I8), *equation.outs)
        op = as_while(equation, op)
        equation = Equation(outs, op, equation.span)
    if known not in scope.whole.settled:  # else one in many would be tried as often as they are together
        scope.whole.settled[known] = loop_facts(scope, op)
    over, fails, parts = scope.whole.settled[known]
    if parts:
        assert isinstance(op, While)
        divergent_loop(scope, equation, op, over, fails)
    else:
        uniform_loop(scope, equation, op, over, fails)


def loop_facts(scope: LaneScope, op: For | While) -> LoopFacts:
    """What `try_body` finds when it is told so."""
    found: LoopFacts = ([scope.value(u).over for u in op.init], False, False)
    while (more := try_body(scope, op, *found)) != found:
        found = more
    return found


def try_body(scope: LaneScope, op: For | While, over: list[bool], fails: bool, parts: bool) -> LoopFacts:
    """Run the blocks once: which carried values are over lanes, whether lanes fail, whether they part."""
    trial = scope.inner()
    trial.failed = scope.failed
    inside = trial.inner(at=active_places() if parts else None, masked=scope.masked or parts)
    if parts:
        inside.n = inside.b.wrap(place_count(inside.at))
    if fails and not parts:
        inside.failed = Var("failed", scope.type(I8, True))
    before = inside.failed
    enter_carried(inside, op, over)
    results = scope.whole.run(inside, op.body)
    found = [o or v.over for o, v in zip(over, results)]
    if isinstance(op, While):
        test, fails_testing = try_condition(scope, op, over)
        parts = parts or test.over or fails_testing
        if parts:
            for var, value in zip(op.carried, results):
                inside.values[var] = value
            scope.whole.run(inside, op.cond)
    return found, fails or inside.failed is not before, parts


def try_condition(scope: LaneScope, op: While, over: list[bool]) -> tuple[LaneValue, bool]:
    """The condition on carried values over lanes or not; whether a lane can fail in it."""
    trial = scope.inner()
    enter_carried(trial, op, over)
    return scope.whole.run(trial, op.cond)[0], trial.failed is not None


def active_places() -> Var:
    return Var("active", Type("i8", (Var("m", I8),)))


def place_count(places: Atom | None) -> Var:
    """The variable that says how many places there are."""
    assert isinstance(places, Var)
    count = places.type.shape[0]
    assert isinstance(count, Var)
    return count


def enter_carried(inside: LaneScope, op: For | While, over: list[bool]) -> tuple[Var, ...]:
    """New carried variables, entered for the old ones."""
    made = []
    if isinstance(op, For):
        index = Var(op.index.name, I8)
        inside.values[op.index] = LaneValue(index, False)
        made.append(index)
    for var, u, o in zip(op.carried, op.init, over):
        init = inside.value(u)
        stream = var.type.dtype == "rng" and o
        new = Var(var.name, init.atom.type if stream else inside.type(var.type, o))
        inside.enter(var, LaneValue(new, o, carried_home(inside, var, init) if o else None))
        made.append(new)
    return tuple(made)


def carried_home(scope: LaneScope, var: Var, init: LaneValue) -> LaneScope | None:
    """Over whose lanes a carried variable is: streams stay where they are, which may be further out."""
    return init.home if var.type.dtype == "rng" else scope.base


def uniform_loop(
    scope: LaneScope, equation: Equation, op: For | While, over: list[bool], fails: bool
) -> None:
    """All lanes go through the loop the same number of times."""
    init = [scope.carried(scope.value(u), o) for u, o in zip(op.init, over)]
    inside = scope.inner()
    carried = list(enter_carried(inside, op, over))
    if fails:
        init.append(scope.failed_here())
        inside.failed = Var("failed", scope.type(I8, True))
        carried.append(inside.failed)
    results = scope.whole.run(inside, op.body)
    given = [inside.carried(v, o) for v, o in zip(results, over)]
    given += [inside.failed_here()] if fails else []
    body = inside.b.block(tuple(given))
    atoms = tuple(scope.b.atom(u) for u in init)
    if isinstance(op, For):
        index, *rest = carried
        bounds = [scope.value(a).atom for a in (op.start, op.stop)]
        made: For | While = For(index, bounds[0], bounds[1], op.step, tuple(rest), atoms, body, op.kind)
    else:
        rest = carried
        testing = scope.inner()
        for old, new, o in zip(op.carried, carried, over):
            testing.enter(old, LaneValue(new, o, inside.value(old).home))
        made = While(
            tuple(carried), atoms, testing.b.block((testing.use(scope.whole.run(testing, op.cond)[0]),)), body
        )
    outs = [result(scope, out, new) for out, new in zip(equation.outs, rest)]
    if fails:
        scope.failed = Var("failed", rest[-1].type)
        outs.append(scope.failed)
    scope.b.emit(tuple(outs), made)
    for out, new, o, u in zip(equation.outs, outs, over, op.init):
        if out.type.dtype == "rng" and o:
            scope.enter_written(out, scope.b.wrap(new), scope.value(u))
        else:
            scope.bind(out, scope.b.wrap(new), o)


def result(scope: LaneScope, out: Var, carried: Var) -> Var:
    """What a loop gives: a size that the carried value brings is another after the loop."""
    over = carried.type.shape[: len(carried.type.shape) - len(out.type.shape)]
    new = Var(carried.name, Type(carried.type.dtype, (*over, *(scope.dim(d) for d in out.type.shape))))
    for old, dim in zip(out.type.shape, new.type.shape[len(over) :]):
        if isinstance(old, Var) and isinstance(dim, Var) and scope.find(old) is None:
            scope.values[old] = LaneValue(dim, False)
    return new


def divergent_loop(scope: LaneScope, equation: Equation, op: While, over: list[bool], fails: bool) -> None:
    """Each lane leaves the loop when its own condition fails; `active` are the places of those still in."""
    init = [scope.carried(scope.value(u), o) for u, o in zip(op.init, over)]
    first = scope.inner(scope.b)
    homes = [
        carried_home(scope, var, scope.value(u)) if o else None
        for var, u, o in zip(op.carried, op.init, over)
    ]
    for var, value, where in zip(op.carried, init, homes):
        first.enter(var, LaneValue(scope.b.atom(value), where is not None, where))
    first.failed = scope.failed
    test = scope.whole.run(first, op.cond)[0]
    scope.failed = first.failed
    start = scope.b.apply("flatnonzero", scope.going(first.over(test)), name="active")
    lasts = [broadcast_to_lanes(scope.b, scope.n, u) for u, o in zip(init, over) if not o]
    state = [*init, *lasts] + ([scope.failed_here()] if fails else [])
    names = [v.name for v in op.carried] + [v.name for v, o in zip(op.carried, over) if not o] + ["failed"]
    params = [Var(name, replace(scope.b.atom(u).type, weak=False)) for name, u in zip(names, state)]

    active = active_places()
    inside = scope.inner(at=active, n=None, masked=True)
    inside.n = inside.b.wrap(place_count(active))
    for var, new, where in zip(op.carried, params, homes):
        inside.enter(var, LaneValue(new, where is not None, where))
    results = scope.whole.run(inside, op.body)
    for var, value in zip(op.carried, results):
        inside.values[var] = value
    again = inside.over(scope.whole.run(inside, op.cond)[0])
    whole = [v for v, o in zip(results, over) if not o]
    values = [*results, *(LaneValue(inside.b.atom(inside.over(v)), True, inside.base) for v in whole)]
    values += [LaneValue(inside.b.atom(inside.failed_here()), True, inside.base)] if fails else []
    flags = [*over, *(True for _ in values[len(over) :])]
    after = [
        inside.put_back(new, v, inside.over, " in a loop that lanes leave apart") if o else inside.use(v)
        for new, v, o in zip(params, values, flags)
    ]
    staying = inside.b.apply("flatnonzero", inside.going(again))
    left = inside.b.apply("index", inside.b.wrap(active), staying, spec=("a",), name="active")

    cond = scope.b.inner()
    more = cond.apply("gt", cond.wrap(place_count(active)), 0)
    atoms = tuple(scope.b.atom(u) for u in (start, *state))
    outs = [Var(v.name, v.type) for v in params]
    made = While((active, *params), atoms, cond.block((more,)), inside.b.block((left, *after)))
    scope.b.emit((active_places(), *outs), made)
    if fails:
        scope.failed = outs[-1]
    ends = iter(outs[len(over) :])
    for out, new, o, u in zip(equation.outs, outs, over, op.init):
        if out.type.dtype == "rng":
            scope.enter_written(out, scope.b.wrap(new), scope.value(u))
        else:
            scope.enter(out, LaneValue(new if o else next(ends), True, scope.base))
