"""A loop's equation, once it is known what it carries, and the state after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from codegen.analysis.definitions import definitions
from codegen.analysis.induction import increments
from codegen.infer.complex_numbers.parts import is_complex, pair, zero_of
from codegen.infer.control.carried import (
    Array,
    BodyStates,
    Head,
    Maybe,
    Number,
    Path,
    Template,
    as_carried,
    bound_value,
)
from codegen.infer.control.conditions import is_cheap
from codegen.infer.control.flags import BROKE, DEAD, RAISED, RESULT, RETURNED, certain, falling, flag
from codegen.infer.control.iterables import Counted
from codegen.infer.control.paths import choose_way
from codegen.infer.expressions import condition
from codegen.infer.frame import Bottom, Frame
from codegen.infer.kinds import Differ, Kind, Open, as_kind, bound_vars, filler_value
from codegen.infer.memory.growing_lists import is_list
from codegen.infer.objects.field import called, shown_name
from codegen.infer.objects.held import with_fields_held
from codegen.infer.optional import given_parts
from codegen.infer.tables.forms import wanted_table
from codegen.infer.texts.known_texts import Texts
from codegen.infer.values import (
    FALSE,
    TRUE,
    Cell,
    Conflict,
    FlowState,
    GrowingList,
    Nest,
    Optional,
    Static,
    Unbound,
    Value,
    Wording,
    rebuild,
)
from codegen.ir import Atom, Block, For, If, Lit, Var, While
from codegen.ir.build import Builder
from codegen.ir.literals import known_range, literal
from codegen.ir.traversal import equations
from codegen.read.scope import accumulates, read_names
from codegen.read.tree import Iterate, Loop
from codegen.source import refuse

GO = "%go"


@dataclass(eq=False)
class Carried:
    """What a loop carries: names by their templates (the value returned among them), objects that are written,
    flags of break and return, and the test's outcome where the test acts; the kinds of objects that get other sizes."""

    templates: dict[str, Template]
    cells: list[Cell]
    flags: tuple[str, ...]
    acts: bool = False
    kinds: dict[Cell, Kind] = field(default_factory=dict)


@dataclass(eq=False)
class Round:
    """One run of the body: the head it began with, its block, how it ended; for a while the test's block, the objects
    and names that the test changes (it acts), and states after it: of the loop's start, and of the body's end."""

    head: Head
    b: Builder
    counter: Var | None
    end: FlowState
    test: Block | None
    changed: list[Any]
    tested: Sequence[tuple[FlowState, set[Var]]] = ()

    @property
    def endless(self) -> bool:
        """`while True`"""
        return self.test is not None and isinstance(self.test.results[0], Lit)


def array_of_sums(
    frame: Frame, loop: Loop | Iterate, name: str, value: Value | None, t: Template | None
) -> bool:
    """Make a number before a loop an array, where the loop does no more with it than add arrays to it, and the like."""
    number = isinstance(value, Var | Lit) and value.type.dtype != "rng"
    if not (number and isinstance(t, Array) and t.kind.dims) or any(isinstance(n, Open) for n in t.kind.dims):
        return False
    if not accumulates(loop.body, name) or isinstance(loop, Loop) and name in read_names(loop.test):
        return False
    assert isinstance(value, Var | Lit)
    b, dims = frame.b, t.kind.dims
    atom = as_kind(b, value, replace(t.kind, dims=(), weak=False))
    frame.st.env[name] = frame.new(b.atom(b.apply("full", atom, *dims, dtype=t.kind.dtype, name=name)), name)
    return True


def add_loop(
    frame: Frame, loop: Loop | Iterate, carried: Carried, this: Round, bounds: Counted | None
) -> None:
    """The loop's equation, and `frame`'s state after it. A test that acts does so for the first time before it."""
    go = [condition(frame, loop.test)] if carried.acts and isinstance(loop, Loop) else []
    init = [*carried_on(frame, carried, first=True), *go]
    with frame.inside(this.b, this.end):
        go = [go_on(frame, loop)] if carried.acts and isinstance(loop, Loop) else []
        results = [*carried_on(frame, carried), *go]
        if bounds is not None and carried.flags:  # it counts by itself
            assert this.counter is not None
            init.append(bounds[0])
            results.append(frame.b.atom(frame.b.apply("add", frame.b.wrap(this.counter), bounds[2])))
        block = this.b.block(tuple(results))
    params = tuple(this.head.params)
    outs = tuple(Var(p.name, k.type()) for p, k in zip(params, this.head.kinds, strict=True))
    after: dict[Var, Atom] = dict(zip(params, outs, strict=True))
    if bounds is not None and not carried.flags:
        assert this.counter is not None
        made = For(this.counter, *bounds[:3], params, tuple(init), block)
        if outs or block.equations:
            frame.b.emit(outs, made)
        after |= known_counts(made, list_counts(this.head.st.env.values()))
    else:
        cond = condition_block(frame, carried, this, bounds)
        frame.b.emit(outs, While(params, tuple(init), cond, block))
    state_after(frame, carried, this, after)


def list_counts(values: Iterable[Value]) -> Iterator[Atom]:
    """How many items the lists of unknown length among values have."""
    for value in values:
        match value:
            case GrowingList(grows=False):
                yield value.count
            case Nest(_, items):
                yield from list_counts(items)


def known_counts(loop: For, counts: Iterable[Atom]) -> Iterator[tuple[Var, Lit]]:
    """Of lists that each iteration makes longer by as many items, how long they are after as many as are known."""
    rounds = known_range(loop.start, loop.stop, loop.step)
    if rounds is None:
        return
    made, wanted = definitions(equations(loop.body)), {*counts}
    for param, first, last in zip(loop.carried, loop.init, loop.body.results, strict=True):
        if param not in wanted or not isinstance(first, Lit):
            continue
        steps = increments(made, last, param)
        if steps is not None and steps[0] == steps[1]:
            yield param, literal(first.value + len(rounds) * steps[0])


def carried_on(frame: Frame, carried: Carried, *, first: bool = False) -> list[Atom]:
    """What the next iteration is given of the present state; the first one is given no result."""
    st = frame.st
    found: list[Atom] = [st.store[cell] for cell in carried.cells]
    for name, t in carried.templates.items():
        found += carried_atoms(t, None if first and name == RESULT else st.env.get(name), frame)
    return [*found, *(flag(st, name) for name in carried.flags)]


def carried_slots(
    t: Template, value: Value | None, path: Path
) -> Iterator[tuple[Template, Value | None, Path]]:
    """The parts of a template that become parameters, each with what a value has there, if anything."""
    match t:
        case Number() | Array():
            yield t, value, path
        case Maybe(inner) if inner is not None:
            yield t, value, path
            yield from carried_slots(inner, bound_value(value), path)
        case Optional(_, items):
            for k, (item, v) in enumerate(zip(items, given_parts(value), strict=True)):
                yield from carried_slots(item, v, (*path, k))  # type: ignore[arg-type]
        case Nest(_, items):
            if is_complex(t) and isinstance(value, Var | Lit):
                value = pair(value, zero_of(value.type))
            if isinstance(t.cls, Texts) and isinstance(value, Static):
                value = t.cls.chosen(value)
            given = value.items if isinstance(value, Nest) else (None,) * len(items)
            for k, (item, v) in enumerate(zip(items, given, strict=True)):
                yield from carried_slots(item, v, (*path, k))  # type: ignore[arg-type]
        case GrowingList() | Wording():
            yield from carried_slots(t.parts, value.parts if isinstance(value, type(t)) else None, path)


def carried_atoms(t: Template, value: Value | None, frame: Frame) -> list[Atom]:
    """What fills a template's parameters with a value, built in `frame`'s block; fillers where there is none."""
    found: list[Atom] = []
    for part, v, _ in carried_slots(t, with_fields_held(t, value, frame.st), ()):
        none = v is None or isinstance(v, Conflict)
        if not isinstance(part, Number | Array):
            found.append(v.bound if isinstance(v, Unbound) else FALSE if none else TRUE)
        elif v is None or none:
            found.append(filler_value(frame.b, part.kind))
        else:
            try:
                found.append(as_kind(frame.b, frame.atom(v), part.kind))
            except Differ as differ:
                message = f"what a loop changes is {differ}: give it one kind of value"
                raise refuse(frame.b.span, message) from None
    return found


def after_tests(
    frame: Frame, loop: Loop | Iterate, carried: Carried, states: Sequence[FlowState]
) -> list[tuple[FlowState, set[Var]]]:
    """How a test that acts leaves these states, and what is bound meanwhile."""
    found: list[tuple[FlowState, set[Var]]] = []
    if not isinstance(loop, Loop) or not carried.acts:
        return found
    for state in states:
        b, st = frame.b.inner(), state.copy()
        for name in carried.flags:
            st.env.pop(name, None)
        if not certain(flag(st, DEAD)):
            with suppress(Bottom), frame.inside(b, st):
                condition(frame, loop.test)
                found.append((frame.st, bound_vars(b)))
    return found


def with_lists(
    frame: Frame, loop: Loop | Iterate, t: Template, value: Value, name: str, room: Any = 0
) -> Value:
    """What a name has, with lists of unknown length where its template has such."""
    try:
        made: Value = as_carried(frame, t, value, name, room)
        return made
    except Differ as differ:
        wants = wanted_table(frame, differ, name), None
        raise refuse(loop.span, f"{called(name)} is {differ}: {ONE_FORM}", wants=wants) from None


def widened_by(
    frame: Frame, loop: Loop | Iterate, seen: Sequence[BodyStates], name: str, t: Template
) -> Template:
    """A template that holds what a name has in all these states, too."""
    try:
        for each in seen:
            t = each.widen(t, each.end.env.get(name))
        return t
    except Differ as differ:
        what = "the value returned" if name == RESULT else repr(shown_name(name))
        advice = ONE_FORM if is_list(t) else "give it one kind of value"
        wants = wanted_table(frame, differ, name), None
        raise refuse(loop.span, f"{what} is {differ}: {advice}", wants=wants) from None


ONE_FORM = "give all its items one kind and shape"


def go_on(frame: Frame, loop: Loop) -> Atom:
    """The test after the body, not run once the loop was left: it may draw, so it is run neither too often nor too
    rarely."""
    if certain(flag(frame.st, DEAD)):
        return FALSE
    going = falling(frame.b, frame.st)
    if isinstance(going, bool):
        return condition(frame, loop.test) if going else FALSE
    value = choose_way(frame, frame.b.atom(going), lambda: condition(frame, loop.test), lambda: FALSE, GO)
    assert isinstance(value, Var | Lit)
    return value


def condition_block(frame: Frame, carried: Carried, this: Round, bounds: Counted | None) -> Block:
    """Whether there is another iteration: not left, and the test, which is not run once the loop was left."""
    if carried.acts:
        go = this.head.st.env[GO]
        assert isinstance(go, Var)
        return Block((), (go,))
    b = frame.b.inner()
    if bounds is not None:
        assert this.counter is not None
        met = b.apply("lt" if bounds[2] > 0 else "gt", b.wrap(this.counter), b.wrap(bounds[1]))
        test = b.block((met,))
    else:
        assert this.test is not None
        test = this.test
    if not carried.flags:
        return test
    b = frame.b.inner()
    going = falling(b, FlowState({name: this.head.st.env[name] for name in carried.flags}))
    if is_cheap(test):
        b.equations.extend(test.equations)
        outcome = test.results[0]
        return b.block((going if certain(outcome) else b.apply("and", going, b.wrap(outcome)),))
    out = Var("go", TRUE.type)
    b.emit((out,), If(b.atom(going), test, Block((), (FALSE,))))
    return b.block((out,))


def state_after(frame: Frame, carried: Carried, this: Round, swap: Mapping[Var, Atom]) -> None:
    """The state after the loop: the head's, with the outs in place of the parameters."""

    def after(leaf: Any) -> Any:
        return swap.get(leaf, leaf)

    head = this.head.st
    st = frame.st
    st.store = {c: rebuild(a, after) for c, a in head.store.items()}
    st.env = {n: rebuild(v, after) for n, v in head.env.items() if n != GO}
    for cell in this.head.arrays:
        cell.bases = tuple((base, st.store[base]) for base, _ in cell.bases)
    if this.endless and RETURNED in carried.flags and {BROKE, *RAISED}.isdisjoint(carried.flags):
        st.env[RETURNED] = TRUE
